/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and words of a file in memory that may hold any bytes. No formats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define LINE_WORDS_MAX 64
#define LINE_SEEN_MAX 8192 /* bytes of a line that are looked at: tables are narrower */

struct piece {
	const char *p;
	size_t n;
};

struct lines_in {
	const char *p, *end;
	size_t line; /* of the piece that line_next gave, from 1 */
};

/* Next line without its end (LF, CRLF, CR CRLF). False: none left. */
bool line_next(struct lines_in *in, struct piece *out);
/* Words between blanks; returns how many, at most LINE_WORDS_MAX. */
size_t line_words(struct piece line, struct piece words[LINE_WORDS_MAX]);
/* Where `text` stands in the line, or NULL. */
const char *line_find(struct piece line, const char *text);
/* What follows `text`, without blanks in front; empty and p NULL when it is not there. */
struct piece line_after(struct piece line, const char *text);
bool line_is(struct piece word, const char *text);
/* The whole number at the start of a piece; `dflt` when there is none or it is out of range. */
long line_int(struct piece at, long dflt);
