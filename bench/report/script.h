/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assignments of a gnuplot script. Texts become single-quoted strings, the only kind in which
 * gnuplot runs no command and expands nothing; control bytes and invalid UTF-8 never reach it. Does
 * not run gnuplot.
 */
#pragma once

#include <stddef.h>

struct buf;

void script_prelude(struct buf *b);                 /* q: a quote, nl: a new line */
void script_quote(struct buf *b, const char *text); /* 'it'.q.'s': script_prelude defines q */
void script_text(struct buf *b, const char *name, const char *text); /* name = 'text' */
void script_number(struct buf *b, const char *name, double value);   /* name = 1.5 */
/* Several lines of at most `width` columns and `lines` lines, the last cut with "...": name =
 * 'a'.nl.'b' */
void script_wrapped(struct buf *b, const char *text, int width, int lines);
/* array name[n], then its elements one a line; gnuplot has no empty arrays, so n 0 makes one unset
 * element. */
void script_array(struct buf *b, const char *name, size_t n);
void script_item_text(struct buf *b, const char *name, size_t i,
		      const char *text); /* i counts from 0 */
void script_item_number(struct buf *b, const char *name, size_t i, double value);
/* One value of a data file and a blank. */
void script_value(struct buf *b, double value);
