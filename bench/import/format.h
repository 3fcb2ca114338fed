/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of formats other tools write: how one is known, what reads it. Any bytes are a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "import/table.h"

struct import_format {
	const char *name, *help;
	bool (*probe)(const char *data, size_t len);
	/* Adds tables; what is wrong goes to notes and failures. 0 or -ENOMEM. */
	int (*read)(struct imported *im, const char *data, size_t len);
};

extern const struct import_format import_formats[];
extern const size_t import_n_formats;

int import_format_find(const char *name); /* -1 */

struct import_request {
	const char *format;    /* NULL: found out */
	const char *op;        /* what the tables measured, where the file does not say; NULL */
	const char *transport; /* what all of it used, as the user knows; NULL */
	int ranks;             /* the same; 0 */
	uint64_t
	    buffer; /* nvbandwidth's -b in bytes, which its output does not say; 0: its default */
};

/* Reads one file and works out its tables (check.h). 0; 1: no format fits or it holds no table,
 * nothing was added but the file; -ENOMEM. */
int import_read(struct imported *im, const struct import_request *r, const char *name,
		const char *data, size_t len) ATTR_MUST;

bool nccl_tests_text_probe(const char *data, size_t len);
int nccl_tests_text_read(struct imported *im, const char *data, size_t len);
bool nccl_tests_json_probe(const char *data, size_t len);
int nccl_tests_json_read(struct imported *im, const char *data, size_t len);
bool nvbandwidth_text_probe(const char *data, size_t len);
int nvbandwidth_text_read(struct imported *im, const char *data, size_t len);
bool nvbandwidth_json_probe(const char *data, size_t len);
int nvbandwidth_json_read(struct imported *im, const char *data, size_t len);
bool osu_probe(const char *data, size_t len);
int osu_read(struct imported *im, const char *data, size_t len);
