/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile text as a terminal, a page or a log may show it: nothing in it steers, hides or reorders
 * what stands beside it. No quoting of a format (CSV, XML, Markdown); no widths.
 */
#pragma once

#include <stddef.h>

struct buf;

/* Bytes of the character at `text`; 0 when its first byte may not be shown: C0, DEL, C1 (also as
 * U+0080..U+009F), marks and overrides of direction, characters without a width, line and paragraph
 * separators, what is no character, what is no UTF-8, and the end. */
size_t visible_char(const char *text);
/* Bounded copy, cut between characters; each byte that may not be shown becomes '?'. `out` may be
 * `in`. */
void visible_copy(const char *in, char *out, size_t max);
void visible_add(struct buf *b, const char *text); /* the same, whole */
/* Such bytes as \xNN: for those who must find the file again. */
void visible_escape(struct buf *b, const char *text);
