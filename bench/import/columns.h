/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row of nccl-tests' text: which word of it is what. Columns are taken by the names of the
 * header, never by their place on the line; prefixes of launchers stand in front, timestamps
 * behind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "import/line.h"

struct import_row;

enum text_column {
	TEXT_TIME,
	TEXT_ALGBW,
	TEXT_BUSBW,
	TEXT_WRONG,
	TEXT_ERROR,
	TEXT_MIN,
	TEXT_MAX,
	TEXT_P99,
	TEXT_SKIP,
};

#define TEXT_HALF_MAX 12

struct text_layout {
	bool known; /* a header was seen */
	bool redop, root;
	size_t extra; /* unknown columns between the type and the first time */
	enum text_column half[2][TEXT_HALF_MAX];
	size_t n_half[2];
	bool cputime, old_error, ms;
	bool in_place_first; /* only an in-place half, as rccl-tests can print */
};

/* The words of a line that holds "algbw". False: it is no header. */
bool text_layout_header(struct text_layout *l, struct piece line);
/* What to assume without a header: 2.13 and later. */
void text_layout_default(struct text_layout *l);
/* Where the row begins among the words, or n: a size, a count and a type in sequence. The first
 * word loses what a launcher glued to it. */
size_t text_row_start(struct piece *words, size_t n);
enum text_row { TEXT_ROW_NONE, TEXT_ROW_PART, TEXT_ROW_WHOLE };
/* Words from the row's first on. PART: one half is whole, or none and the row goes on elsewhere. */
enum text_row text_row_read(const struct text_layout *l, const struct piece *words, size_t n,
			    struct import_row *out);
