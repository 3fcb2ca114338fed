/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trials of a search on disk, one JSON object a line: what was measured need not be measured
 * again. The first line says of what; a last line that was cut off is left out. Keeps nothing else:
 * the search asks its questions again and is answered from here.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "search/meter.h"

struct buf;

enum { JOURNAL_TRANSPORT = 32 };

struct journal_row {
	char transport[JOURNAL_TRANSPORT];
	struct setting s;
	int restart;
	struct trial t;
};

struct journal {
	char *identity; /* what was measured, in words; "" for an empty file */
	struct journal_row *rows;
	size_t n;
	size_t good_bytes; /* of the text: where the next line belongs */
};

void journal_fini(struct journal *j);
/* 0; -EBADMSG with line and reason in `why`; -ENOMEM. `n_classes`: times of every row. */
int journal_parse(const char *text, size_t len, size_t n_classes, struct journal *out, char *why,
		  size_t why_max) ATTR_MUST;
const struct trial *journal_find(const struct journal *j, const char *transport,
				 const struct setting *s, int restart);
/* Lines, each with its newline. -ENOMEM. */
int journal_head(struct buf *out, const char *identity) ATTR_MUST;
int journal_line(struct buf *out, const struct journal_row *row, size_t n_classes) ATTR_MUST;
