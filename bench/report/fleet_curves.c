/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures over message size. One machine: a curve per transport in one panel. Several: a panel per
 * transport and in it a curve per machine, all panels with the same axes, since thirty curves in
 * one frame tell nothing. Texts are placed here: gnuplot does not know what overlaps.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_draw.h"
#include "report/fleet_plot.h"
#include "report/script.h"
#include "report/text.h"
#include "report/view.h"

enum {
	PEAKS_MAX = 32,
	PEAK_TEXTS = 3, /* more of them in one panel than this are summed up in a line */
	TOP = 58,       /* above the first panel: title and the line under it */
	GAP_X = 60,     /* pixels between names on the axis */
	END_GAP = 13,
	MARKS = 30,         /* of one curve at most ... */
	MARKS_SEVERAL = 12, /* ... in a small panel: more of them hide its dashes */
};

static double or_else(double v, double fallback)
{
	return isfinite(v) && v > 0 ? v : fallback;
}

static void place_time(const struct record *r, struct place *p)
{
	p->y = r->time_us;
	p->lo = fmin(or_else(r->ci_lo_us, p->y), p->y);
	p->hi = fmax(or_else(r->ci_hi_us, p->y), p->y);
}

static void place_bandwidth(const struct record *r, struct place *p)
{
	struct place time;

	place_time(r, &time);
	p->y = view_busbw(r);
	p->lo = p->y * time.y / time.hi;
	p->hi = p->y * time.y / time.lo;
}

static void name_time(double y, char *out, size_t max)
{
	num_format_time(y * 1e3, 1, out, max);
}

static void name_ratio(double y, char *out, size_t max)
{
	snprintf(out, max, "%.2f", y);
}

static double height_of(const struct plot *s)
{
	return s->panel[0].bottom - s->panel[0].top;
}

static void add_tick(struct draw_ticks *t, double at, const char *text)
{
	if (t->n == DRAW_TICKS)
		return;
	t->at[t->n] = at;
	snprintf(t->text[t->n++], sizeof(t->text[0]), "%s", text);
}

static void name_figure(double v, char *out, size_t max)
{
	snprintf(out, max, "%g", v);
}

static void tick_time(double v, char *out, size_t max)
{
	const char *unit = v < 1e3 ? "\302\265s" : v < 1e6 ? "ms" : "s";

	snprintf(out, max, "%g %s", v / (v < 1e3 ? 1 : v < 1e6 ? 1e3 : 1e6), unit);
}

/* Powers of ten, and 2 and 5 times them where there is room; every other one where there is none.
 */
static void decades(const struct plot *s, struct draw_ticks *t,
		    void (*name)(double v, char *out, size_t max))
{
	double per_decade = height_of(s) / log10(s->ymax / s->ymin);
	int step = per_decade < 16 ? (int)ceil(16 / per_decade) : 1;
	double parts[] = { 1, 2, 5 };
	char text[24];

	for (int k = (int)floor(log10(s->ymin) + 1e-9); k <= log10(s->ymax) + 1e-9; k += step)
		for (size_t i = 0; i < (per_decade > 60 ? N_ELEMENTS(parts) : 1); i++) {
			double v = parts[i] * pow(10, k);

			if (v < s->ymin * 0.9999 || v > s->ymax * 1.0001)
				continue;
			name(v, text, sizeof(text));
			add_tick(t, v, text);
		}
}

static void ticks_bandwidth(const struct plot *s, struct draw_ticks *t)
{
	decades(s, t, name_figure);
}

static void ticks_time(const struct plot *s, struct draw_ticks *t)
{
	decades(s, t, tick_time);
}

/* From 1 outwards, those that keep apart. */
static void ticks_ratio(const struct plot *s, struct draw_ticks *t)
{
	static const double out[2][12] = {
		{ 1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 100, 1000 },
		{ 1, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.2, 0.1, 0.01, 0.001 },
	};
	double scale = height_of(s) / log(s->ymax / s->ymin), last;
	char text[24];

	for (int way = 0; way < 2; way++) {
		last = 0;
		for (size_t i = (size_t)way; i < N_ELEMENTS(out[0]); i++) {
			double v = out[way][i], away = fabs(log(v)) * scale;

			if ((i > 0 && away < last + 17) || v < s->ymin || v > s->ymax)
				continue;
			last = away;
			snprintf(text, sizeof(text), "%g", v);
			add_tick(t, v, text);
		}
	}
}

static const struct kind kind_bandwidth = {
	.what = "bus bandwidth in GB/s by message size",
	.place = place_bandwidth,
	.name = text_number,
	.ticks = ticks_bandwidth,
	.end_unit = " GB/s",
	.peaks = true,
};
static const struct kind kind_time = {
	.what = "time of one operation by message size",
	.place = place_time,
	.name = name_time,
	.ticks = ticks_time,
	.end_unit = "",
};
static const struct kind kind_half = {
	.what = "half the round trip by message size",
	.place = place_time,
	.name = name_time,
	.ticks = ticks_time,
	.end_unit = "",
};
static const struct kind kind_ratio = {
	.what = "bus bandwidth as a multiple of the reference machine's",
	.place = place_bandwidth,
	.name = name_ratio,
	.ticks = ticks_ratio,
	.end_unit = "",
	.against = true,
};

/* ---- ceilings ---- */

struct peak {
	double gbps;
	char text[160];
};

static void add_peak(struct peak *list, size_t *n, const struct view_peak *p)
{
	char number[24];

	for (size_t i = 0; i < *n; i++)
		if (fabs(list[i].gbps / p->gbps - 1) < 0.002)
			return; /* the same line */
	if (*n == PEAKS_MAX)
		return;
	text_number(p->gbps, number, sizeof(number));
	list[*n].gbps = p->gbps;
	snprintf(list[(*n)++].text, sizeof(list->text), "%s: %s GB/s", p->name, number);
}

static int by_gbps(const void *a, const void *b)
{
	const struct peak *x = a, *y = b;

	return (x->gbps > y->gbps) - (x->gbps < y->gbps);
}

static size_t peaks_of(const struct plot *s, const struct panel *p, struct peak *list)
{
	size_t n = 0;

	for (size_t i = p->first; s->kind->peaks && i < p->first + p->n; i++) {
		const struct curve *c = &s->curve[i];
		const struct view_peak *peak =
		    view_peak_of(plot_view(s, c->machine), plot_transport(s, c));

		if (peak != NULL)
			add_peak(list, &n, peak);
	}
	qsort(list, n, sizeof(*list), by_gbps);
	return n;
}

/* ---- axes and places ---- */

static void widen(struct plot *s)
{
	struct peak list[PEAKS_MAX];

	s->xmin = s->ymin = INFINITY;
	s->xmax = s->ymax = 0;
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->curve[i].n; k++) {
			const struct place *p = &s->curve[i].p[k];

			s->xmin = fmin(s->xmin, p->x);
			s->xmax = fmax(s->xmax, p->x);
			s->ymin = fmin(s->ymin, p->lo);
			s->ymax = fmax(s->ymax, p->hi);
		}
	for (size_t i = 0; i < s->n_panels; i++) {
		size_t n = peaks_of(s, &s->panel[i], list);

		for (size_t k = 0; k < n; k++) {
			s->ymin = fmin(s->ymin, list[k].gbps);
			s->ymax = fmax(s->ymax, list[k].gbps);
		}
	}
}

static void settle_axes(struct plot *s)
{
	widen(s);
	s->largest = s->xmax;
	if (s->xmax <= s->xmin) {
		s->xmin /= 2;
		s->xmax *= 2;
	}
	if (s->kind->against) {
		s->ymin = fmin(s->ymin, 0.9) / 1.1;
		s->ymax = fmax(s->ymax, 1.1) * 1.1;
		return;
	}
	s->ymin = draw_nice(s->ymin / 1.3, false);
	s->ymax = draw_nice(s->ymax * 1.3, true);
}

static double lay_out(struct plot *s)
{
	bool one = s->n_panels == 1;
	double width = one ? DRAW_WIDTH : DRAW_WIDTH / 2.0, height = one ? 300 : 180;
	double pitch = height + 66, top = one && s->f->n == 1 ? TOP : TOP + 18;

	for (size_t i = 0; i < s->n_panels; i++) {
		struct panel *p = &s->panel[i];
		double x = (double)(i % 2) * width;

		p->left = x + 60;
		p->right = x + width - (s->f->n == 1 ? 104 : 78);
		p->top = top + (double)(i / 2) * pitch;
		p->bottom = p->top + height;
	}
	return s->panel[s->n_panels - 1].bottom;
}

static double pixels_up(const struct plot *s, double y)
{
	return height_of(s) * log(y / s->ymin) / log(s->ymax / s->ymin);
}

/* "2" of several machines, "p2p" of one. */
static void name_end(const struct plot *s, const struct curve *c, char *out, size_t max)
{
	if (s->f->n > 1)
		snprintf(out, max, "%zu", c->machine + 1);
	else
		draw_fit(plot_transport(s, c), 48, DRAW_FAINT, out, max);
}

/* The last values of the curves that reach the right end, beside it. */
static void place_ends(struct plot *s, const struct panel *p)
{
	struct curve *order[PLOT_CURVES_MAX];
	double place[PLOT_CURVES_MAX];
	char number[48], text[80];
	size_t n = 0;

	for (size_t i = p->first; i < p->first + p->n; i++) {
		struct curve *c = &s->curve[i];
		size_t k = n;

		if (c->p[c->n - 1].x < s->largest)
			continue;
		for (; k > 0 && order[k - 1]->p[order[k - 1]->n - 1].y > c->p[c->n - 1].y; k--)
			order[k] = order[k - 1];
		order[k] = c;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		place[i] = pixels_up(s, order[i]->p[order[i]->n - 1].y);
	draw_spread(place, n, END_GAP, height_of(s));
	for (size_t i = 0; i < n; i++) {
		s->kind->name(order[i]->p[order[i]->n - 1].y, number, sizeof(number));
		name_end(s, order[i], text, sizeof(text));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ": %s", number);
		draw_text(&s->texts, p->right + 7, p->bottom - place[i], DRAW_LEFT, DRAW_FAINT,
			  text);
	}
}

static void add_line(struct plot *s, size_t panel, double y)
{
	if (s->n_lines == PLOT_CURVES_MAX)
		return;
	s->line[s->n_lines].panel = panel;
	s->line[s->n_lines++].y = y;
}

/* A name stands over its line; under it where the next line would run through it. */
static void place_names(const struct plot *s, const struct peak *list, size_t n, double *place)
{
	for (size_t i = 0; i < n; i++) {
		double here = pixels_up(s, list[i].gbps), above = INFINITY;

		if (i + 1 < n)
			above = pixels_up(s, list[i + 1].gbps);
		place[i] = above - here < END_GAP + 5 ? here - 8 : here + 8;
	}
}

static void place_peaks(struct plot *s, size_t panel)
{
	struct panel *p = &s->panel[panel];
	struct peak list[PEAKS_MAX];
	double place[PEAKS_MAX];
	size_t n = peaks_of(s, p, list);
	char text[160], low[24], high[24];

	if (s->kind->against)
		add_line(s, panel, 1);
	for (size_t i = 0; i < n; i++)
		add_line(s, panel, list[i].gbps);
	place_names(s, list, n, place);
	if (n > PEAK_TEXTS) {
		text_number(list[0].gbps, low, sizeof(low));
		text_number(list[n - 1].gbps, high, sizeof(high));
		snprintf(list[0].text, sizeof(list[0].text), "%zu links: %s to %s GB/s", n, low,
			 high);
		place[0] = place[n - 1];
		n = 1;
	}
	draw_spread(place, n, END_GAP, height_of(s) - 6);
	for (size_t i = 0; i < n; i++) {
		draw_fit(list[i].text, p->right - p->left - 8, DRAW_FAINT, text, sizeof(text));
		draw_text(&s->texts, p->left + 5, p->bottom - place[i], DRAW_LEFT, DRAW_FAINT,
			  text);
	}
}

static void write_size_ticks(struct plot *s, struct buf *vars)
{
	struct draw_ticks *t = calloc(1, sizeof(*t));
	double octaves = log2(s->xmax / s->xmin), first = ceil(log2(s->xmin) - 1e-9);
	double room = (s->panel[0].right - s->panel[0].left) / GAP_X;
	double step = fmax(1, ceil(octaves / fmax(room, 1)));
	char text[32];

	if (t == NULL) {
		vars->failed = true;
		return;
	}
	for (double k = first; k <= log2(s->xmax) + 1e-9 && t->n < DRAW_TICKS; k += step) {
		num_format_size((uint64_t)exp2(k), text, sizeof(text));
		add_tick(t, exp2(k), text);
	}
	draw_ticks_write(t, "xtick", vars);
	t->n = 0;
	s->kind->ticks(s, t);
	draw_ticks_write(t, "ytick", vars);
	free(t);
}

/* ---- words ---- */

static void title_panel(struct plot *s, struct panel *p)
{
	char note[64] = "", title[200];
	bool mixed = false;

	for (size_t i = p->first; i < p->first + p->n; i++) {
		mixed |= strcmp(s->curve[i].timing, s->curve[p->first].timing) != 0;
		if (s->curve[i].unproven)
			snprintf(note, sizeof(note), " (%s unproven)", p->n > 1 ? "some" : "path");
	}
	if (s->f->n == 1 || p->n == 0)
		return;
	snprintf(title, sizeof(title), "%s%s%s", p->title, note, mixed ? " (timings differ)" : "");
	draw_fit(title, p->right - p->left + 60, DRAW_HEAD, title, sizeof(title));
	draw_text(&s->texts, p->left, p->top - 12, DRAW_LEFT, DRAW_HEAD, title);
}

static void write_head(struct plot *s)
{
	char text[240], ranks[32];

	snprintf(text, sizeof(text), "%s: %s", s->op, s->kind->what);
	draw_text(&s->texts, 12, 15, DRAW_LEFT, DRAW_TITLE, text);
	if (s->ranks_least == s->ranks_most)
		snprintf(ranks, sizeof(ranks), "%d rank%s", s->ranks_most,
			 s->ranks_most == 1 ? "" : "s");
	else
		snprintf(ranks, sizeof(ranks), "%d to %d ranks", s->ranks_least, s->ranks_most);
	snprintf(text, sizeof(text), "%s, timing %s. At the right: the last value of each curve.",
		 ranks, s->curve[0].timing);
	draw_text(&s->texts, 12, 35, DRAW_LEFT, DRAW_FAINT, text);
}

static void add_keys(struct plot *s)
{
	char text[160];

	for (size_t m = 0; m < s->f->n; m++)
		for (size_t i = 0; i < s->n; i++) {
			struct curve *c = &s->curve[i];
			const struct view *v = plot_view(s, m);

			if (c->machine != m)
				continue;
			if (s->f->n > 1) {
				draw_machine(s->f, m, 300, text, sizeof(text));
				draw_key(&s->keys, DRAW_KEY_LINE, c->style, 0, text);
				break;
			}
			snprintf(text, sizeof(text), "%s%s%s%s",
				 view_transport_label(v, v->rows[0].backend, plot_transport(s, c)),
				 c->unproven ? " (unproven)" : "",
				 strcmp(c->timing, s->curve[0].timing) ? ", " : "",
				 strcmp(c->timing, s->curve[0].timing) ? c->timing : "");
			draw_key(&s->keys, DRAW_KEY_LINE, c->style, 0, text);
		}
}

static void say_curve(struct plot *s, const struct curve *c, const char *sep)
{
	const struct place *last = &c->p[c->n - 1];
	char number[48], size[32], name[FLEET_NAME];

	s->kind->name(last->y, number, sizeof(number));
	num_format_size((uint64_t)last->x, size, sizeof(size));
	snprintf(name, sizeof(name), "%s", s->f->machine[c->machine].name);
	if (s->f->n == 1) {
		const struct view *v = plot_view(s, 0);

		snprintf(name, sizeof(name), "%s",
			 view_transport_label(v, v->rows[0].backend, plot_transport(s, c)));
	}
	draw_say(s->d, "%s%s %s%s at %s", sep, name, number, s->kind->end_unit, size);
}

static void say(struct plot *s)
{
	char from[32], to[32];

	num_format_size((uint64_t)s->xmin, from, sizeof(from));
	num_format_size((uint64_t)s->xmax, to, sizeof(to));
	snprintf(s->d->timing, sizeof(s->d->timing), "%s", s->curve[0].timing);
	draw_say(s->d, "Curves, %s (%s timing): %s, %s to %s.", s->op, s->d->timing, s->kind->what,
		 from, to);
	if (s->kind->against)
		draw_say(s->d, " Reference: %s.", s->f->machine[s->f->reference].name);
	for (size_t p = 0; p < s->n_panels; p++) {
		if (s->f->n > 1)
			draw_say(s->d, " %s: ", s->panel[p].title);
		for (size_t i = s->panel[p].first; i < s->panel[p].first + s->panel[p].n; i++)
			say_curve(s, &s->curve[i],
				  i > s->panel[p].first ? ", "
				  : s->f->n > 1         ? ""
							: " ");
		draw_say(s->d, ".");
	}
}

/* ---- what the script is given ---- */

static void write_data(const struct plot *s, struct buf *data)
{
	for (size_t i = 0; i < s->n; i++) {
		buf_puts(data, i > 0 ? "\n\n" : "");
		for (size_t k = 0; k < s->curve[i].n; k++) {
			script_value(data, s->curve[i].p[k].x);
			script_value(data, s->curve[i].p[k].y);
			script_value(data, s->curve[i].p[k].lo);
			script_value(data, s->curve[i].p[k].hi);
			buf_putc(data, '\n');
		}
	}
}

static void write_panels(const struct plot *s, struct buf *vars)
{
	static const char *const arrays[] = { "panel_left",   "panel_right", "panel_top",
					      "panel_bottom", "curve_first", "curve_last" };

	buf_printf(vars, "n_panels = %zu\n", s->n_panels);
	for (size_t i = 0; i < N_ELEMENTS(arrays); i++)
		script_array(vars, arrays[i], s->n_panels);
	for (size_t i = 0; i < s->n_panels; i++) {
		const struct panel *p = &s->panel[i];

		script_item_number(vars, "panel_left", i, p->left);
		script_item_number(vars, "panel_right", i, p->right);
		script_item_number(vars, "panel_top", i, p->top);
		script_item_number(vars, "panel_bottom", i, p->bottom);
		buf_printf(vars, "curve_first[%zu] = %zu\ncurve_last[%zu] = %zu\n", i + 1,
			   p->first + 1, i + 1, p->first + p->n);
	}
}

static void write_curves(const struct plot *s, struct buf *vars)
{
	size_t marks = s->f->n == 1 ? MARKS : MARKS_SEVERAL;

	script_array(vars, "curve_style", s->n);
	script_array(vars, "curve_points", s->n);
	script_array(vars, "curve_marks", s->n);
	for (size_t i = 0; i < s->n; i++)
		buf_printf(
		    vars,
		    "curve_style[%zu] = %d\ncurve_points[%zu] = %zu\ncurve_marks[%zu] = %zu\n",
		    i + 1, s->curve[i].style, i + 1, s->curve[i].n, i + 1,
		    (s->curve[i].n + marks - 1) / marks);
	buf_printf(vars, "n_lines = %zu\n", s->n_lines);
	script_array(vars, "line_panel", s->n_lines);
	script_array(vars, "line_y", s->n_lines);
	for (size_t i = 0; i < s->n_lines; i++) {
		buf_printf(vars, "line_panel[%zu] = %zu\n", i + 1, s->line[i].panel + 1);
		script_item_number(vars, "line_y", i, s->line[i].y);
	}
	script_number(vars, "xmin", s->xmin);
	script_number(vars, "xmax", s->xmax);
	script_number(vars, "ymin", s->ymin);
	script_number(vars, "ymax", s->ymax);
}

static void write_all(struct plot *s)
{
	struct buf *vars = &s->d->vars;
	double y;

	settle_axes(s);
	y = lay_out(s) + 34;
	write_head(s);
	for (size_t i = 0; i < s->n_panels; i++) {
		title_panel(s, &s->panel[i]);
		place_ends(s, &s->panel[i]);
		place_peaks(s, i);
	}
	draw_text(&s->texts, DRAW_WIDTH / 2.0, y, DRAW_CENTER, DRAW_FAINT, "message size");
	add_keys(s);
	y = draw_keys(&s->keys, y + 14, &s->texts, vars);
	draw_page(&s->texts, y + 6, vars);
	write_panels(s, vars);
	write_curves(s, vars);
	write_size_ticks(s, vars);
	write_data(s, &s->d->data);
	say(s);
}

static int draw_kind(struct fleet_drawing *d, const struct kind *kind)
{
	struct plot *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL)
		return -ENOMEM;
	s->d = d;
	s->f = d->f;
	s->kind = kind;
	s->op = d->op;
	rc = plot_gather(s);
	if (rc == 0 && kind->against)
		plot_compare(s);
	if (rc == 0 && s->n > 0)
		write_all(s);
	rc = rc != 0 ? rc : (int)s->n;
	plot_fini(s);
	free(s);
	return rc;
}

int fleet_bandwidth(struct fleet_drawing *d)
{
	return draw_kind(d, &kind_bandwidth);
}

int fleet_latency(struct fleet_drawing *d)
{
	return draw_kind(d, strcmp(d->op, "pingpong") == 0 ? &kind_half : &kind_time);
}

int fleet_ratio(struct fleet_drawing *d)
{
	return d->f->n > 1 ? draw_kind(d, &kind_ratio) : 0;
}
