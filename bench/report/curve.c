/* SPDX-License-Identifier: Apache-2.0 */
/* See curve.h. Axis ends and the places of texts are computed here: gnuplot does not know what
 * overlaps. */
#include "report/curve.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "report/overlap.h"
#include "report/scaling.h"
#include "report/script.h"
#include "report/text.h"
#include "report/view.h"
#include "spec/op.h"

#define TEXT_GAP 0.042 /* of the axis: two lines of text nearer than this overlap */
#define LINE_WIDTH 120 /* characters under the title that fit the picture */

struct curve {
	char label[96], end[48];
	int style; /* place of the transport in the run: same look in every picture */
	size_t n;
	double end_x, end_y, text_y;
};

struct curves {
	struct curve list[VIEW_TRANSPORTS_MAX];
	const char *transport[VIEW_TRANSPORTS_MAX];
	size_t n;
	double xmin, xmax, ymin, ymax;
	double restarts;
	bool bands;
};

struct point {
	double x, y, lo, hi;
};

/* What differs between the kinds of curves. */
struct quantity {
	double (*x)(const struct record *r);
	void (*point)(const struct record *r, struct point *p);
	void (*name_value)(double y, char *out, size_t max);
};

static double or_else(double v, double fallback)
{
	return isfinite(v) && v > 0 ? v : fallback;
}

static void point_time(const struct record *r, struct point *p)
{
	p->y = r->time_us;
	p->lo = fmin(or_else(r->ci_lo_us, p->y), p->y);
	p->hi = fmax(or_else(r->ci_hi_us, p->y), p->y);
}

static void point_bandwidth(const struct record *r, struct point *p)
{
	struct point time;

	point_time(r, &time);
	p->y = view_busbw(r);
	p->lo = p->y * time.y / time.hi;
	p->hi = p->y * time.y / time.lo;
}

static void name_bandwidth(double y, char *out, size_t max)
{
	char number[32];

	text_number(y, number, sizeof(number));
	snprintf(out, max, "%s GB/s", number);
}

static void name_slowed(double y, char *out, size_t max)
{
	snprintf(out, max, "x%.3g", y);
}

static void name_time(double y, char *out, size_t max)
{
	num_format_time(y * 1e3, 1, out, max);
}

static double x_bytes(const struct record *r)
{
	return (double)r->bytes;
}

static double x_ranks(const struct record *r)
{
	return r->ranks;
}

static const struct quantity bandwidth = { x_bytes, point_bandwidth, name_bandwidth };
static const struct quantity latency = { x_bytes, point_time, name_time };
static const struct quantity bandwidth_of_ranks = { x_ranks, point_bandwidth, name_bandwidth };
static const struct quantity latency_of_ranks = { x_ranks, point_time, name_time };

static void widen(struct curves *c, const struct point *p)
{
	c->xmin = fmin(c->xmin, p->x);
	c->xmax = fmax(c->xmax, p->x);
	c->ymin = fmin(c->ymin, p->lo);
	c->ymax = fmax(c->ymax, p->hi);
	c->bands |= p->hi > p->lo;
}

static void set_label(struct curve *k, const struct view *v, const struct record *r, bool unproven,
		      const char *main_timing)
{
	bool other = strcmp(r->timing, main_timing) != 0;

	snprintf(k->label, sizeof(k->label), "%s%s%s%s",
		 view_transport_label(v, r->backend, r->transport), other ? ", " : "",
		 other ? r->timing : "", unproven ? " (unproven)" : "");
}

/* A line of the data file; a curve is a block of them. False: it cannot be drawn. */
static bool add_point(struct curves *c, const struct point *p, struct buf *data)
{
	struct curve *k = &c->list[c->n];

	if (!isfinite(p->y) || p->y <= 0)
		return false;
	if (k->n++ == 0 && c->n > 0)
		buf_puts(data, "\n\n");
	script_value(data, p->x);
	script_value(data, p->y);
	script_value(data, p->lo);
	script_value(data, p->hi);
	buf_putc(data, '\n');
	widen(c, p);
	k->end_x = p->x;
	k->end_y = k->text_y = p->y;
	return true;
}

static void end_curve(struct curves *c, const char *transport,
		      void (*name_value)(double y, char *out, size_t max))
{
	struct curve *k = &c->list[c->n];

	if (k->n == 0)
		return;
	name_value(k->end_y, k->end, sizeof(k->end));
	c->transport[c->n++] = transport;
}

static void add_curve(struct curves *c, const struct quantity *q, const struct record *const *rows,
		      size_t n, struct buf *data)
{
	for (size_t i = 0; i < n; i++) {
		struct point p = { .x = q->x(rows[i]) };

		q->point(rows[i], &p);
		if (add_point(c, &p, data))
			c->restarts = fmax(c->restarts, or_else(rows[i]->restarts, 0));
	}
	end_curve(c, n ? rows[0]->transport : "", q->name_value);
}

static int collect(struct curves *c, const struct view *v, const char *op, const struct quantity *q,
		   const char *timing, struct buf *data)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	const struct record **rows = calloc(v->n_rows + 1, sizeof(*rows));

	if (rows == NULL)
		return -ENOMEM;
	*c = (struct curves){
		.xmin = INFINITY, .xmax = -INFINITY, .ymin = INFINITY, .ymax = -INFINITY
	};
	for (size_t i = 0; i < n; i++) {
		const char *mine = view_timing(v, names[i], op, view_timings_graph);
		size_t count = view_curve(v, names[i], op, mine, rows), k;

		for (k = 0; k < count && !view_unproven(rows[k]); k++)
			;
		if (count == 0)
			continue;
		c->list[c->n].style = (int)i + 1;
		set_label(&c->list[c->n], v, rows[0], k < count, timing);
		add_curve(c, q, rows, count, data);
	}
	free(rows);
	return (int)c->n;
}

/* 1, 2 or 5 times a power of ten next to v, on the wanted side. */
static double nice(double v, bool up)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(v)));

	if (up) {
		for (size_t i = 0; i < N_ELEMENTS(steps); i++)
			if (steps[i] * power >= v * 0.9999)
				return steps[i] * power;
		return 10 * power;
	}
	for (size_t i = N_ELEMENTS(steps); i-- > 0;)
		if (steps[i] * power <= v * 1.0001)
			return steps[i] * power;
	return power;
}

static void settle_axes(struct curves *c)
{
	if (c->xmax <= c->xmin) {
		c->xmin /= 2;
		c->xmax *= 2;
	}
	c->ymin = nice(c->ymin / 1.3, false);
	c->ymax = nice(c->ymax * 1.3, true);
}

static double fraction(const struct curves *c, double y)
{
	return log(y / c->ymin) / log(c->ymax / c->ymin);
}

/* Texts at the ends of curves that end at the same size are moved apart, in the order of their
 * values: first upwards from the lowest, then back down from the top. */
static void spread_texts(struct curves *c)
{
	struct curve *order[VIEW_TRANSPORTS_MAX];
	double place[VIEW_TRANSPORTS_MAX], ceiling = 1;

	for (size_t i = 0; i < c->n; i++) {
		size_t k = i;

		for (; k > 0 && order[k - 1]->end_y > c->list[i].end_y; k--)
			order[k] = order[k - 1];
		order[k] = &c->list[i];
	}
	for (size_t i = 0; i < c->n; i++) {
		place[i] = fraction(c, order[i]->end_y);
		for (size_t k = 0; k < i; k++)
			if (order[k]->end_x == order[i]->end_x)
				place[i] = fmax(place[i], place[k] + TEXT_GAP);
	}
	for (size_t i = c->n; i-- > 0;) {
		for (size_t k = i + 1; k < c->n; k++)
			if (order[k]->end_x == order[i]->end_x)
				ceiling = fmin(ceiling, place[k] - TEXT_GAP);
		place[i] = fmin(place[i], ceiling);
		ceiling = 1;
		order[i]->text_y = c->ymin * pow(c->ymax / c->ymin, place[i]);
	}
}

static void write_vars(const struct curves *c, struct buf *vars)
{
	static const char *const arrays[] = { "label",    "style", "points",
					      "end_text", "end_x", "end_y" };

	script_number(vars, "xmin", c->xmin);
	script_number(vars, "xmax", c->xmax);
	script_number(vars, "ymin", c->ymin);
	script_number(vars, "ymax", c->ymax);
	buf_printf(vars, "n = %zu\n", c->n);
	for (size_t i = 0; i < N_ELEMENTS(arrays); i++)
		script_array(vars, arrays[i], c->n);
	for (size_t i = 0; i < c->n; i++) {
		script_item_text(vars, "label", i, c->list[i].label);
		buf_printf(vars, "style[%zu] = %d\n", i + 1, c->list[i].style);
		buf_printf(vars, "points[%zu] = %zu\n", i + 1, c->list[i].n);
		script_item_text(vars, "end_text", i, c->list[i].end);
		script_item_number(vars, "end_x", i, c->list[i].end_x);
		script_item_number(vars, "end_y", i, c->list[i].text_y);
	}
}

/* An axis of numbers of something: named where something was measured. */
static void write_ticks(const char *of, const int *tick, int n, struct buf *vars)
{
	script_text(vars, "xlabel", of);
	buf_printf(vars, "ticks = %d\n", n);
	script_array(vars, "tick", (size_t)n);
	for (int i = 0; i < n; i++)
		script_item_number(vars, "tick", (size_t)i, tick[i]);
}

static bool peak_wanted(const struct view *v, const struct curves *c, size_t peak)
{
	for (size_t i = 0; i < c->n; i++)
		if (view_peak_of(v, c->transport[i]) == &v->peaks[peak])
			return true;
	return false;
}

static void widen_for_peaks(struct curves *c, const struct view *v)
{
	for (size_t i = 0; i < v->n_peaks; i++)
		if (peak_wanted(v, c, i)) {
			c->ymax = fmax(c->ymax, v->peaks[i].gbps);
			c->ymin = fmin(c->ymin, v->peaks[i].gbps);
		}
}

static void write_peaks(const struct curves *c, const struct view *v, struct buf *vars)
{
	double last = INFINITY, place = 0.01;
	size_t n = 0;
	char text[128], value[48];

	script_array(vars, "peak_y", v->n_peaks);
	script_array(vars, "peak_x", v->n_peaks);
	script_array(vars, "peak_text", v->n_peaks);
	for (size_t i = 0; i < v->n_peaks; i++) {
		double here = fraction(c, v->peaks[i].gbps);

		if (!peak_wanted(v, c, i))
			continue;
		/* the next of two close lines writes its name further right */
		place = fabs(here - last) < TEXT_GAP ? place + 0.33 : 0.01;
		last = here;
		name_bandwidth(v->peaks[i].gbps, value, sizeof(value));
		snprintf(text, sizeof(text), "%s: %s", v->peaks[i].name, value);
		script_item_number(vars, "peak_y", n, v->peaks[i].gbps);
		script_item_number(vars, "peak_x", n, place);
		script_item_text(vars, "peak_text", n, text);
		n++;
	}
	buf_printf(vars, "n_peaks = %zu\n", n);
}

void curve_titles(const struct view *v, const char *title, const char *caption, int height,
		  struct buf *vars)
{
	char line[512];
	const char *gap = v->host[0] != '\0' && v->when[0] != '\0' ? ", " : "";
	const char *colon =
	    (v->host[0] != '\0' || v->when[0] != '\0') && v->machine[0] != '\0' ? ": " : "";

	script_text(vars, "title", title);
	snprintf(line, sizeof(line), "%s%s%s%s%s", v->host, gap, v->when, colon, v->machine);
	buf_puts(vars, "sub1 = ");
	script_wrapped(vars, line, LINE_WIDTH, 1);
	buf_puts(vars, "\nsub2 = ");
	script_wrapped(vars, v->versions, LINE_WIDTH, 1);
	buf_putc(vars, '\n');
	script_text(vars, "caption", caption);
	buf_printf(vars, "height = %d\n", height);
}

static void write_titles(const struct curves *c, const struct view *v, const char *what,
			 const char *timing, struct buf *vars)
{
	char title[160], caption[160];

	snprintf(title, sizeof(title), "%s, %d ranks, timing %s", what, view_ranks(v), timing);
	snprintf(caption, sizeof(caption),
		 "Points: medians%s%s. The number at a curve's end is its last value.",
		 c->restarts > 1 ? " over restarts" : "",
		 c->bands ? "; band: 95 % interval of the median" : "");
	curve_titles(v, title, caption, 620, vars);
}

int curve_bandwidth(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	const char *timing = view_timing(v, NULL, op, view_timings_graph);
	struct curves c;
	char what[96];
	int n = timing == NULL ? 0 : collect(&c, v, op, &bandwidth, timing, data);

	if (n <= 0)
		return n;
	widen_for_peaks(&c, v);
	settle_axes(&c);
	spread_texts(&c);
	snprintf(what, sizeof(what), "%s: bus bandwidth by message size", op);
	write_titles(&c, v, what, timing, vars);
	write_vars(&c, vars);
	write_peaks(&c, v, vars);
	return n;
}

int curve_latency(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	const char *timing = view_timing(v, NULL, op, view_timings_graph);
	bool half = strcmp(op, "pingpong") == 0;
	struct curves c;
	char what[96];
	int n = timing == NULL ? 0 : collect(&c, v, op, &latency, timing, data);

	if (n <= 0)
		return n;
	settle_axes(&c);
	spread_texts(&c);
	snprintf(what, sizeof(what), "%s: %s by message size", op,
		 half ? "half the round trip" : "time of one operation");
	write_titles(&c, v, what, timing, vars);
	script_text(vars, "ylabel", half ? "half the round trip" : "time of one operation");
	write_vars(&c, vars);
	return n;
}

/* ---- beside computation ---- */

/* Of one form, as the other curves of the operation. */
static bool in_picture(const struct overlap_row *row, const struct record *form,
		       const char *transport, const char *timing)
{
	const unsigned ignored = RECORD_BIT(RECORD_BACKEND) | RECORD_BIT(RECORD_TRANSPORT) |
				 RECORD_BIT(RECORD_BYTES) | RECORD_BIT(RECORD_TIMING) |
				 RECORD_BIT(RECORD_LOAD) | RECORD_BIT(RECORD_ARM);
	const struct record *r = row->at[LOAD_NONE];

	return strcmp(r->transport, transport) == 0 && strcmp(r->timing, timing) == 0 &&
	       record_compare(r, form, ignored) == 0;
}

/* Of NCCL's own number of channels; rows come ascending in size. */
static size_t overlap_curve(const struct overlap_row *all, size_t n, const struct record *form,
			    const char *transport, const char *timing, int load,
			    const struct record **rows)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].at[load] && !all[i].at[load]->arm[0] &&
		    in_picture(&all[i], form, transport, timing))
			rows[count++] = all[i].at[load];
	return count;
}

static int collect_overlap(struct curves *c, const struct view *v, const char *op,
			   const char *timing, struct buf *data)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX), n_all = 0;
	struct overlap_row *all = NULL;
	const struct record **rows;
	int r = overlap_rows(v, &all, &n_all);

	*c = (struct curves){
		.xmin = INFINITY, .xmax = -INFINITY, .ymin = INFINITY, .ymax = -INFINITY
	};
	rows = r == 0 && n_all ? calloc(n_all, sizeof(*rows)) : NULL;
	for (size_t i = 0; rows && i < n; i++)
		for (int load = 0; load < LOAD_COUNT && c->n < VIEW_TRANSPORTS_MAX; load++) {
			size_t count = overlap_curve(all, n_all, view_form(v, op), names[i], timing,
						     load, rows);
			struct curve *k = &c->list[c->n];

			if (count == 0)
				continue;
			k->style = (int)c->n + 1;
			snprintf(k->label, sizeof(k->label), "%s%s%s",
				 view_transport_label(v, rows[0]->backend, names[i]),
				 load ? " beside " : "", load_table[load].name);
			add_curve(c, &bandwidth, rows, count, data);
		}
	free(rows);
	free(all);
	return r < 0 ? r : (int)c->n;
}

int curve_overlap(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	const char *timing = view_timing(v, NULL, op, view_timings_stream);
	struct curves c;
	char what[96];
	int n = 0;

	for (size_t i = 0; timing && n == 0 && i < v->n_rows; i++)
		n = v->rows[i].load[0] != 0;
	if (n > 0)
		n = collect_overlap(&c, v, op, timing, data);
	if (n <= 0)
		return n;
	settle_axes(&c);
	spread_texts(&c);
	snprintf(what, sizeof(what), "%s: bus bandwidth beside computation", op);
	write_titles(&c, v, what, timing, vars);
	write_vars(&c, vars);
	buf_puts(vars, "n_peaks = 0\n");
	return n;
}

/* ---- beside computation, over the number of channels ---- */

#define CHANNELS_MAX 64

struct channels {
	const struct overlap_row *all;
	size_t n_all;
	const struct record *form;
	const char *timing;
	uint64_t bytes;
	int asked[CHANNELS_MAX], n;
};

static double slowed(const struct overlap_row *r, int load, bool of_load)
{
	return of_load ? overlap_load_slowed(r, load) : overlap_slowed(r, load);
}

static bool is_shown(const struct channels *s, const struct overlap_row *r, uint64_t bytes,
		     const char *transport)
{
	const struct record *alone = r->at[LOAD_NONE];

	return alone->bytes == bytes && overlap_asked(alone) > 0 &&
	       in_picture(r, s->form, transport ? transport : alone->transport, s->timing);
}

static size_t count_slowed(const struct channels *s, uint64_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < s->n_all; i++)
		for (int load = LOAD_NONE + 1; load < LOAD_COUNT; load++)
			count += is_shown(s, &s->all[i], bytes, NULL) &&
				 isfinite(overlap_slowed(&s->all[i], load));
	return count;
}

/* The size with most figures, of several the largest. */
static void choose_size(struct channels *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->n_all; i++) {
		uint64_t bytes = s->all[i].at[LOAD_NONE]->bytes;
		size_t count = count_slowed(s, bytes);

		if (count > most || (count == most && count && bytes > s->bytes)) {
			most = count;
			s->bytes = bytes;
		}
	}
}

static void note_asked(struct channels *s, int asked)
{
	int at = s->n;

	for (int i = 0; i < s->n; i++)
		if (s->asked[i] == asked)
			return;
	if (s->n == CHANNELS_MAX)
		return;
	for (; at > 0 && s->asked[at - 1] > asked; at--)
		s->asked[at] = s->asked[at - 1];
	s->asked[at] = asked;
	s->n++;
}

/* Rows of one size come ascending in the number of channels. */
static void add_slowed(struct curves *c, struct channels *s, const struct view *v,
		       const char *transport, int load, bool of_load, struct buf *data)
{
	const char *label = view_transport_label(v, s->form->backend, transport);
	struct curve *k = &c->list[c->n];

	if (c->n == VIEW_TRANSPORTS_MAX)
		return;
	k->style = (int)c->n + 1;
	snprintf(k->label, sizeof(k->label), "%s beside %s",
		 of_load ? load_table[load].name : label, of_load ? label : load_table[load].name);
	for (size_t i = 0; i < s->n_all; i++) {
		double y = slowed(&s->all[i], load, of_load);
		struct point p = { overlap_asked(s->all[i].at[LOAD_NONE]), y, y, y };

		if (is_shown(s, &s->all[i], s->bytes, transport) && add_point(c, &p, data))
			note_asked(s, (int)p.x);
	}
	end_curve(c, transport, name_slowed);
}

static void collect_channels(struct curves *c, struct channels *s, const struct view *v,
			     struct buf *data)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);

	*c = (struct curves){
		.xmin = INFINITY, .xmax = -INFINITY, .ymin = INFINITY, .ymax = -INFINITY
	};
	choose_size(s);
	for (size_t i = 0; s->bytes && i < n; i++)
		for (int load = LOAD_NONE + 1; load < LOAD_COUNT; load++) {
			add_slowed(c, s, v, names[i], load, false, data);
			add_slowed(c, s, v, names[i], load, true, data);
		}
}

static void write_channels(struct curves *c, const struct channels *s, const struct view *v,
			   const char *op, struct buf *vars)
{
	char title[160], size[32];

	settle_axes(c);
	spread_texts(c);
	num_format_size(s->bytes, size, sizeof(size));
	snprintf(title, sizeof(title),
		 "%s beside computation: slow-down by channels, %s, timing %s", op, size,
		 s->timing);
	curve_titles(
	    v, title,
	    "1: as long as alone. \"A beside B\" is how A is slowed. The number at a curve's "
	    "end is its last value.",
	    620, vars);
	script_text(vars, "ylabel", "times as long as alone");
	buf_puts(vars, "is_time = 0\n");
	write_vars(c, vars);
	write_ticks("channels", s->asked, s->n, vars);
}

/* One number of channels makes no curve. */
int curve_channels(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	struct channels s = { .form = view_form(v, op),
			      .timing = view_timing(v, NULL, op, view_timings_stream) };
	struct overlap_row *all = NULL;
	struct curves c = { 0 };
	int r = s.timing ? overlap_rows(v, &all, &s.n_all) : 0;

	s.all = all;
	if (r == 0 && s.n_all)
		collect_channels(&c, &s, v, data);
	if (s.n > 1)
		write_channels(&c, &s, v, op, vars);
	free(all);
	return r < 0 ? r : s.n > 1 ? (int)c.n : 0;
}

/* ---- over the number of ranks ---- */

static int collect_scaling(struct curves *c, const struct view *v, const struct scaling *s,
			   const struct quantity *q, const char *timing, struct buf *data)
{
	*c = (struct curves){
		.xmin = INFINITY, .xmax = -INFINITY, .ymin = INFINITY, .ymax = -INFINITY
	};
	for (size_t k = 0; k < s->n; k++) {
		const struct record *rows[SCALING_COUNTS_MAX];
		bool unproven = false;
		size_t n = 0;

		for (int i = 0; i < s->n_counts; i++)
			if (s->row[k].at[i]) {
				rows[n++] = s->row[k].at[i];
				unproven |= view_unproven(rows[n - 1]);
			}
		if (n == 0)
			continue;
		c->list[c->n].style = (int)k + 1;
		set_label(&c->list[c->n], v, rows[0], unproven, timing);
		add_curve(c, q, rows, n, data);
	}
	return (int)c->n;
}

static int draw_scaling(const struct view *v, const char *op, bool time, struct buf *data,
			struct buf *vars)
{
	const struct quantity *q = time ? &latency_of_ranks : &bandwidth_of_ranks;
	const char *timing =
	    view_timing(v, NULL, op, time ? view_timings_graph : view_timings_stream);
	int id = op_find(op), n = 0;
	char title[160], size[32];
	struct scaling s;
	struct curves c;

	if (timing && id >= 0 && scaling_build(v, id, time, &s))
		n = collect_scaling(&c, v, &s, q, timing, data);
	if (n <= 0)
		return n;
	settle_axes(&c);
	spread_texts(&c);
	num_format_size(s.bytes, size, sizeof(size));
	snprintf(title, sizeof(title), "%s: %s by number of ranks, %s, timing %s", op,
		 time ? "time of one operation" : "bus bandwidth", size, timing);
	curve_titles(v, title,
		     c.bands ? "Points: medians; band: 95 % interval of the median. The number at "
			       "a curve's end is its last value."
			     : "Points: medians. The number at a curve's end is its last value.",
		     620, vars);
	script_text(vars, "ylabel", time ? "time of one operation" : "bus bandwidth (GB/s)");
	buf_printf(vars, "is_time = %d\n", time);
	write_vars(&c, vars);
	write_ticks("ranks", s.counts, s.n_counts, vars);
	return n;
}

int curve_scaling(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	return draw_scaling(v, op, false, data, vars);
}

int curve_scaling_latency(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	return draw_scaling(v, op, true, data, vars);
}
