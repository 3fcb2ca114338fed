/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 4180 quoting, reading, writing; knows nothing of columns. */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct buf;

/* Adds one field, quoted when it must be; `first` suppresses the comma. Control bytes other than
 * tab and newline become '?'. A field that a spreadsheet would run (= + - @ at the start of text)
 * is written as it is: numbers start with -. */
void csv_field(struct buf *b, const char *text, int first);

struct csv_row {
	char **field;
	size_t n;
	size_t line;  /* where the row starts, 1-based */
};

struct csv_reader { /* over a whole file in memory; lines starting with # before the
		     * header are comments; empty lines are skipped; a line ends with LF or CRLF; a
		     * UTF-8 mark is skipped */
	const char *p, *end;
	size_t line;
	struct csv_row row;
	char *storage;
	size_t storage_cap;
	const char *why;   /* after -EBADMSG: static text; `line` is the line of the fault ... */
	size_t why_field;  /* ... and this its field, counted from 0 */
};

void csv_open(struct csv_reader *r, const char *data, size_t len);
/* 1 a row is in r->row (valid until the next call), 0 end, -EBADMSG unterminated or misplaced quote
 * or NUL, -ENOMEM. */
int csv_next(struct csv_reader *r) ATTR_MUST;
void csv_close(struct csv_reader *r);
