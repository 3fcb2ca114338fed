/* SPDX-License-Identifier: Apache-2.0 */
/* Words and numbers as people read them: hostile text made printable, widths, wrapping, three
 * digits. No layout. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Bounded copy, cut between characters: control bytes and invalid UTF-8 become '?'. */
void text_clean(const char *in, char *out, size_t max);
/* Columns a cleaned text takes: one per code point. */
int text_width(const char *text);
/* Bytes of the first line of at most `width` columns: broken at a space, else hard. width < 1: the
 * whole text. */
size_t text_line(const char *text, int width);
/* Three significant digits without an exponent where that stays short: 326.7 -> "327", 3.2 ->
 * "3.20"; "-" for NaN. */
void text_number(double v, char *out, size_t max);
/* Text in a cell of a Markdown table: nothing in it is markup, a link or a mention. */
void text_markdown(struct buf *b, const char *text);
/* LC_ALL, else LC_CTYPE, else LANG says UTF-8. */
bool text_utf8(void);
