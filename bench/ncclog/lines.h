/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a log -> records, wherever on a line they begin. Resumable, in memory bounded by one
 * line. Knows "NCCL INFO ", "NCCL WARN " and "NCCL version "; does not know what records say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncclog/text.h"

enum { LINES_BYTES_MAX = 64 * 1024 }; /* of a line: its rest is skipped and counted */

enum record_kind { RECORD_INFO, RECORD_WARN, RECORD_VERSION, RECORD_NONE };

struct log_record {
	enum record_kind kind; /* RECORD_NONE: a line without a record, all of it in `text` */
	struct span before; /* what stands before its "NCCL" on the line, up to the last record */
	struct span text;
	bool whole;    /* ended by a newline or by the next record */
	bool glued;    /* another record follows on the line */
	bool first;    /* on its line */
	uint64_t line; /* from 1 */
};

struct lines {
	void (*on)(void *arg, const struct log_record *r);
	void *arg;
	bool want_none; /* also lines without a record */
	/* resumable state */
	uint64_t line; /* lines begun so far */
	char *carry;
	size_t carry_len, carry_cap;
	bool open;    /* the last line had no newline yet */
	size_t n_cut; /* lines that were too long */
	bool failed;  /* out of memory: something was not read */
};

void lines_fini(struct lines *l);
void lines_feed(struct lines *l, const char *data, size_t len);
void lines_end(struct lines *l); /* treats what is left without a newline as a line */

/* The text without "host:pid:tid [dev] " or "host:pid:tid [dev] file:line " of the record behind.
 */
struct span record_text(const struct log_record *r);
/* "misc/socket.cc:71" (since 2.30.7 a function may follow) right before the mark; "" if not there.
 */
void record_place(const struct log_record *r, char *out, size_t max);
