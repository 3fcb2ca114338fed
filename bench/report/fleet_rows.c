/* SPDX-License-Identifier: Apache-2.0 */
/* See fleet_rows.h. */
#include "report/fleet_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "report/script.h"

enum { ENTRY_PX = 20, HEADING_PX = 22, THICK_PX = 7, EDGE_PX = 12, GAP_PX = 26 };

struct rows *rows_begin(struct fleet_drawing *d, const char *title, const char *sub)
{
	struct rows *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->d = d;
	draw_text(&r->texts, EDGE_PX, 15, DRAW_LEFT, DRAW_TITLE, title);
	draw_text(&r->texts, EDGE_PX, 35, DRAW_LEFT, DRAW_FAINT, sub);
	r->y = sub[0] != '\0' ? 56 : 36;
	return r;
}

void rows_panels(struct rows *r, double names, double share)
{
	double left, width;

	r->names = fmax(fmin(names, 250), 60);
	left = EDGE_PX + r->names + 8;
	width = DRAW_WIDTH - EDGE_PX - left;
	r->n_panels = share < 1 ? 2 : 1;
	r->panel[0].left = left;
	r->panel[0].right = share < 1 ? left + (width - GAP_PX) * share : left + width;
	r->panel[1].left = r->panel[0].right + GAP_PX;
	r->panel[1].right = left + width;
}

void rows_scale(struct rows *r, size_t panel, const char *title, double longest, double text_px)
{
	double width = r->panel[panel].right - r->panel[panel].left;

	draw_fit(title, width, DRAW_FAINT, r->panel[panel].title, sizeof(r->panel[panel].title));
	longest = isfinite(longest) && longest > 0 ? longest : 1;
	r->panel[panel].longest = longest;
	r->panel[panel].max = longest * width / fmax(width - text_px, width / 3);
}

/* What the panels show is said once, above the first entry. */
static void start(struct rows *r)
{
	if (r->top > 0)
		return;
	for (size_t i = 0; i < r->n_panels; i++)
		draw_text(&r->texts, r->panel[i].left, r->y + 4, DRAW_LEFT, DRAW_FAINT,
			  r->panel[i].title);
	r->y += 18;
	r->top = r->y;
}

void rows_heading(struct rows *r, const char *text)
{
	start(r);
	r->y += r->entries > 0 ? 6 : 0;
	draw_text(&r->texts, EDGE_PX, r->y + HEADING_PX / 2.0, DRAW_LEFT, DRAW_HEAD, text);
	r->y += HEADING_PX;
}

static double middle(const struct rows *r)
{
	return r->y - ENTRY_PX / 2.0;
}

void rows_entry(struct rows *r, const char *name)
{
	char fit[160];

	start(r);
	r->y += ENTRY_PX;
	r->entries++;
	draw_fit(name, r->names + 2, DRAW_PLAIN, fit, sizeof(fit));
	draw_text(&r->texts, r->panel[0].left - 8, middle(r), DRAW_RIGHT, DRAW_PLAIN, fit);
}

static size_t style_of(struct rows *r, int colour, enum rows_fill fill)
{
	size_t i;

	for (i = 0; i < r->n_styles; i++)
		if (r->style[i].colour == colour && r->style[i].fill == fill)
			return i + 1;
	if (i == ROWS_STYLES)
		return 1;
	r->style[i].colour = colour;
	r->style[i].fill = fill;
	return ++r->n_styles;
}

void rows_bar(struct rows *r, size_t panel, double from, double to, int colour, enum rows_fill fill)
{
	buf_printf(&r->d->data, "%zu %.1f %d ", panel + 1, middle(r), THICK_PX);
	script_value(&r->d->data, from);
	script_value(&r->d->data, to);
	buf_printf(&r->d->data, "%zu\n", style_of(r, colour, fill));
	r->bars++;
}

void rows_words(struct rows *r, size_t panel, double to, enum draw_tone tone, const char *text)
{
	double left = r->panel[panel].left, right = r->panel[panel].right;
	double x = left + (right - left) * to / r->panel[panel].max + 6;
	char fit[160];

	draw_cut(text, right - x + (panel + 1 < r->n_panels ? GAP_PX - 10 : EDGE_PX - 2), tone, fit,
		 sizeof(fit));
	draw_text(&r->texts, x, middle(r), DRAW_LEFT, tone, fit);
}

void rows_reason(struct rows *r, const char *text)
{
	double left = r->panel[0].left + 6, right = r->panel[r->n_panels - 1].right;
	char fit[160];

	draw_cut(text, right - left, DRAW_FAINT, fit, sizeof(fit));
	draw_text(&r->texts, left, middle(r), DRAW_LEFT, DRAW_FAINT, fit);
}

static void write_panels(const struct rows *r, struct buf *vars)
{
	static const char *const arrays[] = { "panel_left", "panel_right", "panel_top",
					      "panel_bottom", "panel_xmax" };

	buf_printf(vars, "n_panels = %zu\n", r->n_panels);
	for (size_t i = 0; i < N_ELEMENTS(arrays); i++)
		script_array(vars, arrays[i], r->n_panels);
	for (size_t i = 0; i < r->n_panels; i++) {
		script_item_number(vars, "panel_left", i, r->panel[i].left);
		script_item_number(vars, "panel_right", i, r->panel[i].right);
		script_item_number(vars, "panel_top", i, r->top);
		script_item_number(vars, "panel_bottom", i, r->y + 4);
		script_item_number(vars, "panel_xmax", i, r->panel[i].max);
	}
	buf_printf(vars, "n_styles = %zu\n", r->n_styles);
	script_array(vars, "style_colour", r->n_styles);
	script_array(vars, "style_fill", r->n_styles);
	for (size_t i = 0; i < r->n_styles; i++)
		buf_printf(vars, "style_colour[%zu] = %d\nstyle_fill[%zu] = %d\n", i + 1,
			   r->style[i].colour, i + 1, (int)r->style[i].fill);
}

static void write_ticks(const struct rows *r, struct buf *vars)
{
	struct draw_ticks *all = calloc(1, sizeof(*all)), *one = calloc(1, sizeof(*one));
	size_t panel[DRAW_TICKS];

	if (all == NULL || one == NULL)
		vars->failed = true;
	for (size_t p = 0; !vars->failed && p < r->n_panels; p++) {
		double scale = (r->panel[p].right - r->panel[p].left) / r->panel[p].max;
		double room = scale * r->panel[p].longest / 52;

		/* words stand behind the bars: no lines there */
		draw_linear_ticks(one, r->panel[p].longest, (size_t)fmax(room, 1));
		for (size_t i = 0; i < one->n && all->n < DRAW_TICKS; i++) {
			panel[all->n] = p;
			all->at[all->n] = one->at[i];
			memcpy(all->text[all->n++], one->text[i], sizeof(one->text[i]));
		}
	}
	if (!vars->failed) {
		draw_ticks_write(all, "xtick", vars);
		script_array(vars, "xtick_panel", all->n);
		for (size_t i = 0; i < all->n; i++)
			buf_printf(vars, "xtick_panel[%zu] = %zu\n", i + 1, panel[i] + 1);
	}
	free(all);
	free(one);
}

int rows_end(struct rows *r)
{
	struct buf *vars = &r->d->vars;
	int entries = (int)r->entries;
	double y = r->y + 32;

	if (r->bars == 0) /* gnuplot wants a data file with something in it */
		buf_puts(&r->d->data, "0 0 0 0 0 0\n");
	if (r->n_styles == 0)
		(void)style_of(r, 1, ROWS_SOLID);
	y = draw_keys(&r->keys, y, &r->texts, vars);
	draw_page(&r->texts, y + 6, vars);
	write_panels(r, vars);
	write_ticks(r, vars);
	free(r);
	return entries;
}
