/* SPDX-License-Identifier: Apache-2.0 */
/* See bars.h. */
#include "report/bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "report/curve.h"
#include "report/script.h"
#include "report/summary.h"
#include "report/text.h"
#include "report/view.h"
#include "spec/outcome.h"

#define REASON_WIDTH 92
#define CHARACTER 0.0118 /* width of one in the bars' font, as part of the highest value */
#define ROWS_ROOMY 8     /* rows that fit the usual height */

static int height_for(size_t rows)
{
	return 620 + (rows > ROWS_ROOMY ? (int)(rows - ROWS_ROOMY) * 48 : 0);
}

/* Names of the rows, and room for the widest left of the axis. */
static void write_names(const struct summary *s, struct buf *vars)
{
	char clean[96];
	int widest = 4;

	buf_printf(vars, "rows = %zu\n", s->n);
	script_array(vars, "name", s->n);
	for (size_t i = 0; i < s->n; i++) {
		text_clean(s->row[i].label, clean, sizeof(clean));
		script_item_text(vars, "name", i, clean);
		widest = text_width(clean) > widest ? text_width(clean) : widest;
	}
	buf_printf(vars, "name_width = %d\n", widest + 3);
}

static void write_reasons(const struct summary *s, struct buf *vars)
{
	script_array(vars, "reason", s->n);
	for (size_t i = 0; i < s->n; i++) {
		buf_printf(vars, "reason[%zu] = ", i + 1);
		script_wrapped(vars, s->row[i].why, REASON_WIDTH, 3);
		buf_putc(vars, '\n');
	}
}

struct bars {
	size_t n, ops;
	double highest; /* bar or peak: the axis ends a little beyond it */
};

static double peak_of(const struct view *v, const struct summary_row *row)
{
	const struct view_peak *peak = row->why[0] == '\0' ? view_peak_of(v, row->transport) : NULL;

	return peak != NULL ? peak->gbps : NAN;
}

/* The number stands behind its bar, or behind the peak's mark where that would run through it. */
static double text_place(double value, double peak, double highest, const char *text)
{
	double width = (text_width(text) + 2) * highest * CHARACTER;

	return peak > value && peak < value + width ? peak : value;
}

static void add_bar(struct bars *bars, size_t row, size_t op, const struct summary_value *value,
		    double text_x, const char *text, struct buf *data, struct buf *vars)
{
	buf_printf(data, "%zu %zu ", row, op + 1);
	script_value(data, value->value);
	buf_putc(data, '\n');
	buf_printf(vars, "bar_row[%zu] = %zu\nbar_op[%zu] = %zu\n", bars->n + 1, row, bars->n + 1,
		   op + 1);
	script_item_number(vars, "bar_x", bars->n, text_x);
	script_item_text(vars, "bar_text", bars->n, text);
	bars->n++;
}

static void name_value(const struct summary_value *value, const struct summary_figure *f, char *out,
		       size_t max)
{
	bool other = strcmp(value->timing, f->timing) != 0;
	char number[32], size[40];

	text_number(value->value, number, sizeof(number));
	snprintf(out, max, "%s GB/s%s%s%s%s%s", number,
		 summary_other_size(f, value, size, sizeof(size)), other ? " (" : "",
		 other ? value->timing : "", other ? ")" : "",
		 value->unproven ? " (unproven)" : "");
}

static void find_highest(struct bars *bars, const struct view *v, const struct summary *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < SUMMARY_OPS; k++)
			bars->highest = fmax(bars->highest, s->row[i].bandwidth[k].value);
		bars->highest = fmax(bars->highest, peak_of(v, &s->row[i]));
	}
}

static void write_bars(struct bars *bars, const struct view *v, const struct summary *s,
		       struct buf *data, struct buf *vars)
{
	static const char *const arrays[] = { "bar_row", "bar_op", "bar_x", "bar_text" };
	char text[96];
	double place;

	for (size_t i = 0; i < N_ELEMENTS(arrays); i++)
		script_array(vars, arrays[i], s->n * SUMMARY_OPS);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < SUMMARY_OPS; k++) {
			const struct summary_value *value = &s->row[i].bandwidth[k];

			if (!isfinite(value->value) || value->value <= 0)
				continue;
			name_value(value, &s->bandwidth[k], text, sizeof(text));
			place =
			    text_place(value->value, peak_of(v, &s->row[i]), bars->highest, text);
			add_bar(bars, i, k, value, place, text, data, vars);
		}
	buf_printf(vars, "bars = %zu\n", bars->n);
}

static void write_ops(const struct summary *s, struct bars *bars, struct buf *vars)
{
	char size[32], text[128];

	script_array(vars, "label", SUMMARY_OPS);
	for (size_t k = 0; k < SUMMARY_OPS && s->bandwidth[k].op != NULL; k++) {
		num_format_size(s->bandwidth[k].bytes, size, sizeof(size));
		snprintf(text, sizeof(text), "%s at %s, timing %s", s->bandwidth[k].op, size,
			 s->bandwidth[k].timing);
		script_item_text(vars, "label", k, text);
		bars->ops = k + 1;
	}
	buf_printf(vars, "n = %zu\n", bars->ops);
}

static size_t write_row_peaks(const struct view *v, const struct summary *s, struct buf *vars)
{
	const struct view_peak *only = NULL;
	bool several = false;
	char title[128];
	size_t n = 0;

	script_array(vars, "peak_row", s->n);
	script_array(vars, "peak_gbps", s->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct view_peak *peak = view_peak_of(v, s->row[i].transport);

		if (peak == NULL || s->row[i].why[0] != '\0')
			continue;
		several |= only != NULL && only != peak;
		only = peak;
		buf_printf(vars, "peak_row[%zu] = %zu\n", n + 1, i);
		script_item_number(vars, "peak_gbps", n, peak->gbps);
		n++;
	}
	buf_printf(vars, "n_peaks = %zu\n", n);
	snprintf(title, sizeof(title), "peak of the link%s%s", several || only == NULL ? "" : ": ",
		 several || only == NULL ? "" : only->name);
	script_text(vars, "peak_title", title);
	return n;
}

int bars_comparison(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	struct summary s;
	struct bars bars = { 0 };
	char title[96], caption[128];
	size_t peaks;

	summary_build(&s, v);
	write_names(&s, vars);
	write_reasons(&s, vars);
	write_ops(&s, &bars, vars);
	find_highest(&bars, v, &s);
	write_bars(&bars, v, &s, data, vars);
	peaks = write_row_peaks(v, &s, vars);
	if (bars.n == 0)
		return 0;
	script_number(vars, "xmax", bars.highest);
	snprintf(title, sizeof(title), "Bus bandwidth by transport, %d rank%s", s.ranks,
		 s.ranks == 1 ? "" : "s");
	snprintf(caption, sizeof(caption),
		 "Each at the largest size that every measured transport has.%s",
		 peaks > 0 ? " Dotted: what the link itself can carry." : "");
	curve_titles(v, title, caption, height_for(s.n), vars);
	return (int)bars.n;
}

struct tally {
	size_t of[OUTCOME_COUNT], all;
};

static struct tally count(const struct view *v, const char *transport)
{
	struct tally t = { 0 };

	for (size_t i = 0; i < v->n_rows; i++) {
		int id = outcome_find(v->rows[i].outcome);

		if (id < 0 || strcmp(v->rows[i].transport, transport) != 0)
			continue;
		t.of[id]++;
		t.all++;
	}
	return t;
}

/* "150 points: 120 ok, 30 skipped" */
static void describe(const struct tally *t, char *out, size_t max)
{
	size_t used = (size_t)snprintf(out, max, "%zu point%s", t->all, t->all == 1 ? "" : "s");

	for (int id = 0, first = 1; id < OUTCOME_COUNT && used < max; id++) {
		if (t->of[id] == 0)
			continue;
		used += (size_t)snprintf(out + used, max - used, "%s%zu %s", first ? ": " : ", ",
					 t->of[id], outcome_table[id].name);
		first = 0;
	}
}

int bars_outcomes(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	struct summary s;
	struct tally total = { 0 };
	size_t most = 0;
	char text[256];

	summary_build(&s, v);
	write_names(&s, vars);
	script_array(vars, "bar_text", s.n);
	for (size_t i = 0; i < s.n; i++) {
		struct tally t = count(v, s.row[i].transport);
		size_t from = 0;

		for (int id = 0; id < OUTCOME_COUNT; id++) {
			if (t.of[id] > 0)
				buf_printf(data, "%zu %zu %zu %d\n", i, from, from + t.of[id],
					   id + 1);
			from += t.of[id];
			total.of[id] += t.of[id];
		}
		most = t.all > most ? t.all : most;
		describe(&t, text, sizeof(text));
		script_item_text(vars, "bar_text", i, text);
	}
	if (most == 0)
		return 0;
	buf_printf(vars, "n = %d\n", OUTCOME_COUNT);
	script_array(vars, "label", OUTCOME_COUNT);
	script_array(vars, "seen", OUTCOME_COUNT);
	for (int id = 0; id < OUTCOME_COUNT; id++) {
		script_item_text(vars, "label", (size_t)id, outcome_table[id].name);
		buf_printf(vars, "seen[%d] = %zu\n", id + 1, total.of[id]);
	}
	script_number(vars, "xmax", (double)most);
	curve_titles(v, "What became of each transport's points",
		     "A point is one operation at one size and timing.", height_for(s.n), vars);
	return (int)s.n;
}
