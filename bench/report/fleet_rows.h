/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of bars in rows (plots/fleet_rows.gp), built from the top down: headings, entries with
 * a name at the left, and in each entry a bar, a number and words per panel. Knows no run.
 */
#pragma once

#include "report/fleet_draw.h"

enum { ROWS_PANELS = 2, ROWS_STYLES = 64 };

enum rows_fill {
	ROWS_EMPTY = 0,
	ROWS_CROSSED = 1,
	ROWS_SOLID = 3,
	ROWS_HATCHED = 4,
	ROWS_BACK = 5,
	ROWS_DENSE = 2
};

struct rows {
	struct fleet_drawing *d;
	struct draw_texts texts;
	struct draw_keys keys;
	struct {
		double left, right;  /* pixels */
		double max, longest; /* what the right end and the longest bar stand for */
		char title[160];
	} panel[ROWS_PANELS];
	size_t n_panels, entries, bars;
	struct {
		int colour;
		enum rows_fill fill;
	} style[ROWS_STYLES];
	size_t n_styles;
	double top, y, names; /* of the entries; where the next one starts; room for names */
};

/* NULL: no memory. The caller sets panels before the first entry. */
struct rows *rows_begin(struct fleet_drawing *d, const char *title, const char *sub);
/* Divides what is right of the names: `share` of it for the first panel, the rest for the second;
 * share 1: one panel. `names`: pixels of the widest name. */
void rows_panels(struct rows *r, double names, double share);
/* The longest bar of a panel; behind it stays room for `text_px` pixels of words. */
void rows_scale(struct rows *r, size_t panel, const char *title, double longest, double text_px);
void rows_heading(struct rows *r, const char *text);
void rows_entry(struct rows *r, const char *name);
/* In the last entry. */
void rows_bar(struct rows *r, size_t panel, double from, double to, int colour,
	      enum rows_fill fill);
/* Words behind a bar that ends at `to`; words alone at 0. They are cut at the panel's end. */
void rows_words(struct rows *r, size_t panel, double to, enum draw_tone tone, const char *text);
/* Words over all panels, for an entry that has no bar. */
void rows_reason(struct rows *r, const char *text);
/* Writes everything; returns the number of entries, -ENOMEM; frees r. */
int rows_end(struct rows *r);
