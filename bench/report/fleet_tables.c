/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of figures. Layout only: fleet_compare.c has the numbers. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/fleet_page.h"
#include "report/sheet.h"
#include "report/text.h"
#include "report/view.h"

#define SIZES_SHOWN 8

static const char *name_of(const struct fleet_page *p, size_t machine)
{
	return p->f->machine[machine].name;
}

/* The columns that name a row: the machine too when there are several. */
static void name_columns(struct sheet_table *t, const struct fleet_page *p)
{
	if (p->f->n > 1)
		sheet_table_column(t, "machine", "", false);
	sheet_table_column(t, "transport", "", false);
}

static void name_cells(struct sheet_table *t, const struct fleet_page *p, const struct fleet_row *r)
{
	if (p->f->n > 1)
		sheet_table_cell(t, "%s", name_of(p, r->machine));
	sheet_table_cell(t, "%s", r->s.label);
}

/* ---- the comparison ---- */

enum source { BANDWIDTH, LATENCY, PEAK, OWN, RATIO, PRICE, POWER };

/* TABLE of its columns of figures. One without a single figure is left out. */
static const struct shown {
	enum source source;
	int index;
	const char *head, *sub;
} columns[] = {
	{ BANDWIDTH, 0, "", "GB/s" },
	{ BANDWIDTH, 1, "", "GB/s" },
	{ LATENCY, 0, "", "us" },
	{ LATENCY, 1, "", "us" },
	{ PEAK, 0, "of peak", "%" },
	{ OWN, 0, "against auto", "x" },
	{ RATIO, 0, "against the reference", "x" },
	{ PRICE, 0, "bandwidth per price", "GB/s per" },
	{ POWER, 0, "bandwidth per power", "GB/s per W" },
};

#define N_COLUMNS N_ELEMENTS(columns)

static const struct summary_figure *figure_of(const struct fleet_page *p, const struct shown *c)
{
	return c->source == BANDWIDTH ? &p->c->figures.bandwidth[c->index]
	       : c->source == LATENCY ? &p->c->figures.latency[c->index]
				      : NULL;
}

static const struct summary_value *value_of(const struct fleet_row *r, const struct shown *c)
{
	return c->source == BANDWIDTH ? &r->s.bandwidth[c->index] : &r->s.latency[c->index];
}

static double number_of(const struct fleet_row *r, const struct shown *c)
{
	switch (c->source) {
	case BANDWIDTH:
	case LATENCY:
		return value_of(r, c)->value;
	case PEAK:
		return r->s.peak_pct;
	case OWN:
		return r->s.ratio;
	case RATIO:
		return r->ratio;
	case PRICE:
		return r->per_price;
	case POWER:
		return r->per_watt;
	}
	return NAN;
}

static bool is_shown(const struct fleet_page *p, const struct shown *c)
{
	if (figure_of(p, c))
		return figure_of(p, c)->op != NULL;
	for (size_t i = 0; i < p->c->n; i++)
		if (isfinite(number_of(&p->c->row[i], c)))
			return true;
	return false;
}

static void figure_column(struct sheet_table *t, const struct summary_figure *f,
			  const struct shown *c)
{
	char head[64], sub[96], size[32];
	bool half = c->source == LATENCY && strcmp(f->op, "pingpong") == 0;

	num_format_size(f->bytes, size, sizeof(size));
	snprintf(head, sizeof(head), "%s%s", f->op, half ? "/2" : "");
	snprintf(sub, sizeof(sub), "%s at %s, %s", c->sub, size, f->timing);
	sheet_table_column(t, head, sub, true);
}

static void comparison_columns(struct sheet_table *t, const struct fleet_page *p)
{
	name_columns(t, p);
	sheet_table_column(t, "really used", "proof", false);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct shown *c = &columns[i];
		char sub[64];

		if (!is_shown(p, c))
			continue;
		if (figure_of(p, c)) {
			figure_column(t, figure_of(p, c), c);
			continue;
		}
		snprintf(sub, sizeof(sub), "%s%s%s", c->sub, c->source == PRICE ? " " : "",
			 c->source != PRICE  ? ""
			 : p->f->currency[0] ? p->f->currency
					     : "currency unit");
		sheet_table_column(t, c->head, sub, true);
	}
}

static bool is_other_timing(const struct fleet_page *p, const struct fleet_row *r,
			    const struct shown *c)
{
	const struct summary_figure *f = figure_of(p, c);

	return f && value_of(r, c)->timing && strcmp(value_of(r, c)->timing, f->timing) != 0;
}

/* Returns whether a figure is marked. */
static bool comparison_row(struct sheet_table *t, const struct fleet_page *p,
			   const struct fleet_row *r)
{
	bool best = false, marked = false;
	char size[40], mark[48];

	for (size_t k = 0; k < p->c->n_classes; k++)
		best |= &p->c->row[p->c->class[k].best] == r;
	sheet_table_row(t, best                           ? SHEET_ROW_BEST
			   : r->s.why[0] || r->s.loopback ? SHEET_ROW_FAINT
							  : SHEET_ROW);
	name_cells(t, p, r);
	if (r->s.why[0]) {
		sheet_table_rest(t, r->s.why);
		return false;
	}
	sheet_table_cell(t, "%s", r->s.used);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		bool other = is_shown(p, &columns[i]) && is_other_timing(p, r, &columns[i]);

		if (!is_shown(p, &columns[i]))
			continue;
		snprintf(mark, sizeof(mark), "%s%s", other ? "*" : "",
			 figure_of(p, &columns[i])
			     ? summary_other_size(figure_of(p, &columns[i]),
						  value_of(r, &columns[i]), size, sizeof(size))
			     : "");
		sheet_table_number(t, number_of(r, &columns[i]), mark);
		marked |= other;
	}
	return marked;
}

/* The best theoretical value: the highest specification of the machine's links. */
static const struct view_peak *best_spec(const struct view *v)
{
	const struct view_peak *best = NULL;

	for (size_t i = 0; i < v->n_peaks; i++)
		if (v->peaks[i].kind == VIEW_PEAK_SPEC && isfinite(v->peaks[i].gbps) &&
		    (!best || v->peaks[i].gbps > best->gbps))
			best = &v->peaks[i];
	return best;
}

static void peak_row(struct sheet_table *t, const struct fleet_page *p, size_t machine)
{
	const struct view_peak *peak = best_spec(&p->f->machine[machine].run.view);

	sheet_table_row(t, SHEET_ROW_FAINT);
	if (p->f->n > 1)
		sheet_table_cell(t, "%s", name_of(p, machine));
	sheet_table_cell(t, "best theoretical value");
	if (!peak) {
		sheet_table_rest(t, "unknown: the run names no specification of a link");
		return;
	}
	sheet_table_cell(t, "%s, one direction", peak->name);
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (is_shown(p, &columns[i]))
			sheet_table_number(t, columns[i].source == BANDWIDTH ? peak->gbps : NAN,
					   "");
}

void fleet_write_comparison(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;
	bool marked = false;

	sheet_table_begin(&t, "Bandwidth and latency of each transport", p->f->n > 1 ? 2 : 1);
	comparison_columns(&t, p);
	for (size_t m = 0; m < p->f->n; m++) {
		for (size_t i = 0; i < p->c->n; i++)
			if (p->c->row[i].machine == m)
				marked |= comparison_row(&t, p, &p->c->row[i]);
		peak_row(&t, p, m);
	}
	sheet_table_put(s, &t);
	if (marked)
		sheet_text(s, SHEET_NOTE,
			   "* in another timing: this transport has none in that of the column.");
}

/* ---- against the reference ---- */

static void interval_cell(struct sheet_table *t, const struct summary_figure *f,
			  const struct summary_value *v)
{
	char size[40], value[32], lo[32], hi[32];

	text_number(v->value, value, sizeof(value));
	text_number(v->lo, lo, sizeof(lo));
	text_number(v->hi, hi, sizeof(hi));
	summary_other_size(f, v, size, sizeof(size));
	if (isfinite(v->lo) && isfinite(v->hi))
		sheet_table_cell(t, "%s (%s to %s)%s", value, lo, hi, size);
	else
		sheet_table_cell(t, "%s%s", value, size);
}

static void ratio_row(struct sheet_table *t, const struct fleet_page *p, const struct fleet_row *r)
{
	const struct fleet_row *ref =
	    fleet_compare_row(p->c, p->f->reference, r->backend, r->s.transport);

	sheet_table_row(t, r->s.loopback ? SHEET_ROW_FAINT : SHEET_ROW);
	name_cells(t, p, r);
	interval_cell(t, &p->c->figures.bandwidth[0], &r->s.bandwidth[0]);
	sheet_table_number(t, r->ratio, "x");
	interval_cell(t, &p->c->figures.latency[0], &r->s.latency[0]);
	sheet_table_number(t, r->latency_ratio, "x");
	sheet_table_cell(t, "%s",
			 !ref || !isfinite(r->ratio)     ? "not comparable"
			 : r->machine == p->f->reference ? "the reference"
			 : r->s.loopback                 ? "loopback: not ranked"
			 : fleet_compare_overlap(&r->s.bandwidth[0], &ref->s.bandwidth[0])
			     ? "no difference shown"
			 : r->ratio > 1 ? "faster"
					: "slower");
}

static void fastest_row(struct sheet_table *t, const struct fleet_page *p, size_t m)
{
	const struct fleet_row *best = fleet_compare_champion(p->c, m);
	const struct fleet_row *ref = fleet_compare_champion(p->c, p->f->reference);
	bool same = best && ref && strcmp(best->backend, ref->backend) == 0 &&
		    summary_comparable(&best->s.bandwidth[0], &ref->s.bandwidth[0]);

	sheet_table_row(t, best ? SHEET_ROW : SHEET_ROW_FAINT);
	sheet_table_cell(t, "%s", name_of(p, m));
	if (!best) {
		sheet_table_rest(t, "nothing that could be ranked was measured");
		return;
	}
	sheet_table_cell(t, "%s", best->s.label);
	interval_cell(t, &p->c->figures.bandwidth[0], &best->s.bandwidth[0]);
	if (same)
		sheet_table_number(t, best->s.bandwidth[0].value / ref->s.bandwidth[0].value, "x");
	else
		sheet_table_cell(t, "not comparable");
	if (p->c->priced)
		sheet_table_number(t, best->per_price, "");
	if (p->c->powered)
		sheet_table_number(t, best->per_watt, "");
}

/* What one buys: the fastest transport of each machine, whatever it is. */
static void write_fastest(struct sheet *s, const struct fleet_page *p, const char *sub)
{
	struct sheet_table t;
	char unit[40];

	snprintf(unit, sizeof(unit), "GB/s per %s",
		 p->f->currency[0] ? p->f->currency : "currency unit");
	sheet_table_begin(&t, "The fastest transport of each machine that may be ranked", 1);
	sheet_table_column(&t, "machine", "", false);
	sheet_table_column(&t, "transport", "", false);
	sheet_table_column(&t, "bandwidth", "GB/s", true);
	sheet_table_column(&t, "times the fastest", sub, true);
	if (p->c->priced)
		sheet_table_column(&t, "bandwidth per price", unit, true);
	if (p->c->powered)
		sheet_table_column(&t, "bandwidth per power", "GB/s per W", true);
	for (size_t m = 0; m < p->f->n; m++)
		fastest_row(&t, p, m);
	sheet_table_put(s, &t);
}

void fleet_write_ratio(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;
	char sub[64];

	snprintf(sub, sizeof(sub), "of %.50s", name_of(p, p->f->reference));
	write_fastest(s, p, sub);
	sheet_table_begin(
	    &t, "Each transport against the same one of the reference machine, with 95 % intervals",
	    2);
	name_columns(&t, p);
	sheet_table_column(&t, "bandwidth", "GB/s", true);
	sheet_table_column(&t, "times that", sub, true);
	sheet_table_column(&t, "latency", "us; below 1 x is faster", true);
	sheet_table_column(&t, "times that", sub, true);
	sheet_table_column(&t, "bandwidth is", "", false);
	for (size_t i = 0; i < p->c->n; i++)
		if (isfinite(p->c->row[i].s.bandwidth[0].value) ||
		    isfinite(p->c->row[i].s.latency[0].value))
			ratio_row(&t, p, &p->c->row[i]);
	sheet_table_put(s, &t);
	sheet_text(s, SHEET_NOTE,
		   "Figures of different backends or timings are not compared. Intervals that "
		   "overlap show no difference.");
}

/* ---- by size ---- */

static bool by_size_row(struct sheet_table *t, const struct fleet_page *p,
			const struct fleet_row *r, const struct summary_figure *f, bool latency,
			const uint64_t *size, size_t n)
{
	const struct view *v = &p->f->machine[r->machine].run.view;
	const char *timing = f->timing;
	bool other;

	if (r->s.why[0])
		return false;
	timing = fleet_compare_timing(v, r->s.transport, f, latency);
	if (!timing)
		return false;
	other = strcmp(timing, f->timing) != 0;
	sheet_table_row(t, r->s.loopback ? SHEET_ROW_FAINT : SHEET_ROW);
	name_cells(t, p, r);
	for (size_t i = 0; i < n; i++) {
		const struct record *m = view_measured(v, r->s.transport, f->op, size[i], timing);

		sheet_table_number(t,
				   !m        ? NAN
				   : latency ? m->time_us
					     : view_busbw(m),
				   other ? "*" : "");
	}
	return other;
}

static void by_size(struct sheet *s, const struct fleet_page *p, const struct summary_figure *f,
		    bool latency)
{
	struct sheet_table t;
	uint64_t size[SIZES_SHOWN];
	size_t n = 0;
	char caption[160], text[32];
	bool marked = false;

	if (!f->op || fleet_compare_sizes(p->f, f, latency, size, SIZES_SHOWN, &n) < 0) {
		s->out.failed |= f->op != NULL;
		return;
	}
	snprintf(caption, sizeof(caption), "%s%s of %s by message size (%s timing)",
		 latency ? "Time in us" : "Bus bandwidth in GB/s",
		 latency && strcmp(f->op, "pingpong") == 0 ? ", half a round trip," : "", f->op,
		 f->timing);
	sheet_table_begin(&t, caption, p->f->n > 1 ? 2 : 1);
	name_columns(&t, p);
	for (size_t i = 0; i < n; i++) {
		num_format_size(size[i], text, sizeof(text));
		sheet_table_column(&t, text, "", true);
	}
	for (size_t i = 0; i < p->c->n; i++)
		marked |= by_size_row(&t, p, &p->c->row[i], f, latency, size, n);
	sheet_table_put(s, &t);
	if (marked)
		sheet_text(s, SHEET_NOTE,
			   "* in another timing: this transport has none in that of the table.");
}

void fleet_write_bandwidth(struct sheet *s, const struct fleet_page *p)
{
	for (size_t i = 0; i < SUMMARY_OPS; i++)
		by_size(s, p, &p->c->figures.bandwidth[i], false);
	if (!p->c->figures.bandwidth[0].op)
		sheet_text(s, SHEET_PLAIN, "No bandwidth was measured.");
}

void fleet_write_latency(struct sheet *s, const struct fleet_page *p)
{
	for (size_t i = 0; i < SUMMARY_OPS; i++)
		by_size(s, p, &p->c->figures.latency[i], true);
	if (!p->c->figures.latency[0].op)
		sheet_text(s, SHEET_PLAIN, "No operation whose time is a latency was measured.");
}

void fleet_write_topology(struct sheet *s, const struct fleet_page *p)
{
	(void)s;
	(void)p; /* the picture says it */
}

/* ---- ceilings ---- */

static const struct view_peak *peak_named(const struct view *v, const char *name)
{
	for (size_t i = 0; i < v->n_peaks; i++)
		if (strcmp(v->peaks[i].name, name) == 0)
			return &v->peaks[i];
	return NULL;
}

static bool named_before(const struct fleet *f, size_t machine, size_t peak)
{
	const struct view *v = &f->machine[machine].run.view;

	for (size_t m = 0; m < machine; m++)
		if (peak_named(&f->machine[m].run.view, v->peaks[peak].name))
			return true;
	for (size_t k = 0; k < peak; k++)
		if (strcmp(v->peaks[k].name, v->peaks[peak].name) == 0)
			return true;
	return false;
}

static void ceiling_row(struct sheet_table *t, const struct fleet *f, const struct view_peak *peak)
{
	sheet_table_row(t, peak->kind == VIEW_PEAK_MEASURED ? SHEET_ROW : SHEET_ROW_FAINT);
	sheet_table_cell(t, "%s", peak->name);
	for (size_t m = 0; m < f->n; m++) {
		const struct view_peak *mine = peak_named(&f->machine[m].run.view, peak->name);

		sheet_table_number(t, mine ? mine->gbps : NAN, "");
	}
	sheet_table_cell(t, "%s", peak->transport);
	sheet_table_cell(t, "%s", peak->how ? peak->how : "");
}

void fleet_write_ceilings(struct sheet *s, const struct fleet_page *p)
{
	const struct fleet *f = p->f;
	struct sheet_table t;

	sheet_table_begin(&t, "Ceilings, GB/s in one direction", 1);
	sheet_table_column(&t, "ceiling", "", false);
	for (size_t m = 0; m < f->n; m++)
		sheet_table_column(&t, f->n > 1 ? name_of(p, m) : "GB/s", "", true);
	sheet_table_column(&t, "peak of", "", false);
	sheet_table_column(&t, "where it comes from", "", false);
	for (size_t m = 0; m < f->n; m++)
		for (size_t i = 0; i < f->machine[m].run.view.n_peaks; i++)
			if (!named_before(f, m, i))
				ceiling_row(&t, f, &f->machine[m].run.view.peaks[i]);
	if (t.n_rows == 0)
		sheet_text(s, SHEET_PLAIN,
			   "The runs name no ceiling: percent of peak cannot be given.");
	sheet_table_put(s, &t);
}

/* ---- communicators ---- */

static const struct {
	const char *key, *head;
} stages[] = {
	{ "context_us", "CUDA or UCX context" },
	{ "init_us", "communicator" },
	{ "first_operation_us", "first operation" },
	{ "teardown_us", "teardown" },
};

static bool communicator_row(struct sheet_table *t, const struct fleet_page *p, size_t m,
			     const json_t *o)
{
	const char *transport = run_view_text(o, "transport"),
		   *backend = run_view_text(o, "backend");

	if (!json_is_number(json_object_get(o, "init_us")))
		return false;
	sheet_table_row(t, SHEET_ROW);
	if (p->f->n > 1)
		sheet_table_cell(t, "%s", name_of(p, m));
	sheet_table_cell(t, "%s",
			 view_transport_label(&p->f->machine[m].run.view, backend, transport));
	for (size_t i = 0; i < N_ELEMENTS(stages); i++) {
		const json_t *v = json_object_get(o, stages[i].key);
		double us = json_is_number(v) ? json_number_value(v) : NAN;

		sheet_table_number(t, us > 0 ? us / 1e3 : NAN, "");
	}
	return true;
}

void fleet_write_communicator(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;
	bool any = false;

	sheet_table_begin(&t, "Time in ms until a transport can be used, slowest rank",
			  p->f->n > 1 ? 2 : 1);
	name_columns(&t, p);
	for (size_t i = 0; i < N_ELEMENTS(stages); i++)
		sheet_table_column(&t, stages[i].head, "ms", true);
	for (size_t m = 0; m < p->f->n; m++) {
		const json_t *list = json_object_get(p->f->machine[m].run.meta, "transports");
		size_t i;
		json_t *o;

		json_array_foreach(list, i, o) any |= communicator_row(&t, p, m, o);
	}
	sheet_table_put(s, &t);
	sheet_text(s, any ? SHEET_NOTE : SHEET_PLAIN, "%s",
		   any ? "Connections are made by the first operation, so it belongs to the cost "
			 "of a start."
		       : "The runs do not say how long their communicators took.");
}
