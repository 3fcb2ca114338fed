/* SPDX-License-Identifier: Apache-2.0 */
/* The lines around the comparison table: title, peaks, outcome counts, bad points, notes. Plain
 * text, cleaned. */
#pragma once

struct buf;
struct summary;
struct view;

/* One paragraph whose later lines start at `indent`; ends with a newline. width 0: one line. */
void remarks_wrap(struct buf *b, const char *text, int indent, int width);
void remarks_title(struct buf *b, const struct view *v, const struct summary *s, int width);
void remarks_peaks(struct buf *b, const struct view *v);
/* "612 points: 560 ok, 52 skipped (time budget)" */
void remarks_counts(struct buf *b, const struct view *v);
/* Points that failed, same failures of one transport in one line; at most 8 lines, then "+N more in
 * points.csv". */
void remarks_bad(struct buf *b, const struct view *v, int width);
void remarks_notes(struct buf *b, const struct view *v, int width);
