/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run directory: created empty, rows appended and synced as they are measured, run.json replaced
 * atomically. Errors: negative errno, with the name of the file in `failed` for the message.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "data/record.h"

struct store {
	char *dir;
	int points_fd, samples_fd;
	const char *failed; /* which file a negative return is about: "points.csv" ... */
};

void store_init(struct store *s);
/* Creates `dir` (with parents), logs/ in it, and the two CSV files with headers.
 * -ENOTEMPTY when it holds anything. */
int store_create(struct store *s, const char *dir) ATTR_MUST;
/* Goes on in the directory of an earlier run: -ENOENT when it is none. */
int store_reopen(struct store *s, const char *dir) ATTR_MUST;
int store_point(struct store *s,
		const struct record *r) ATTR_MUST; /* append; a partial line is cut off again */
int store_samples(struct store *s, const struct record *key, const struct sample *v,
		  size_t n) ATTR_MUST;
int store_sync(struct store *s) ATTR_MUST; /* fdatasync both */
int store_text(struct store *s, const char *name, const char *text,
	       size_t len) ATTR_MUST;       /* run.json, report.md: replace */
int store_close(struct store *s) ATTR_MUST; /* sync, close, checked */
/* results/runs/<UTC>-<host> under the current directory; heap string. Host is cleaned to
 * [A-Za-z0-9._-]. */
char *store_default_dir(const char *host) ATTR_MUST;
