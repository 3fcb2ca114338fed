/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report's pictures in rows: one machine has a row per transport, several have a heading per
 * transport and under it a row per machine. Figures are fleet_compare.h's, so that a table and its
 * picture cannot differ.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/fleet_draw.h"
#include "report/fleet_rows.h"
#include "report/text.h"
#include "report/view.h"
#include "spec/outcome.h"

enum { GROUPS_MAX = 64, NUMBER_PX = 74 };

struct group { /* a transport of some machines */
	const char *backend, *transport;
	char title[128];
};

struct groups {
	struct group list[GROUPS_MAX];
	size_t n;
};

static const struct view *view_of(const struct fleet *f, size_t machine)
{
	return &f->machine[machine].run.view;
}

static const char *backend_of(const struct view *v)
{
	return v->n_rows > 0 ? v->rows[0].backend : "";
}

/* Transports of all machines, each once, in the order of the first machine that has it. */
static void find_groups(const struct fleet *f, struct groups *g)
{
	const char *names[VIEW_TRANSPORTS_MAX];

	g->n = 0;
	for (size_t m = 0; m < f->n; m++) {
		const struct view *v = view_of(f, m);
		size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);

		for (size_t i = 0; i < n; i++) {
			size_t k = 0;

			while (k < g->n && (strcmp(g->list[k].transport, names[i]) != 0 ||
					    strcmp(g->list[k].backend, backend_of(v)) != 0))
				k++;
			if (k < g->n || g->n == GROUPS_MAX)
				continue;
			g->list[g->n].backend = backend_of(v);
			g->list[g->n].transport = names[i];
			draw_transport(f, v, names[i], g->list[g->n].title,
				       sizeof(g->list[0].title));
			g->n++;
		}
	}
}

/* Pixels of the widest name of a row. */
static double names_width(const struct fleet *f, const struct groups *g, const char *extra)
{
	double widest = draw_text_width(extra, DRAW_PLAIN);
	char name[160];

	for (size_t i = 0; f->n == 1 && i < g->n; i++)
		widest = fmax(widest, draw_text_width(g->list[i].title, DRAW_PLAIN));
	for (size_t i = 0; f->n > 1 && i < f->n; i++) {
		draw_machine(f, i, 240, name, sizeof(name));
		widest = fmax(widest, draw_text_width(name, DRAW_PLAIN));
	}
	for (size_t i = 0; f->n > 1 && i < g->n; i++) /* headings do not cross the axis either */
		widest = fmax(widest, draw_text_width(g->list[i].title, DRAW_HEAD));
	return widest;
}

static bool has_group(const struct fleet *f, size_t machine, const struct group *g)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	const struct view *v = view_of(f, machine);
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);

	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], g->transport) == 0 && strcmp(backend_of(v), g->backend) == 0)
			return true;
	return false;
}

static void start_entry(struct rows *r, size_t machine, const struct group *g)
{
	char name[160];

	if (r->d->f->n == 1) {
		rows_entry(r, g->title);
		return;
	}
	draw_machine(r->d->f, machine, r->names, name, sizeof(name));
	rows_entry(r, name);
}

/* ---- bandwidth and latency ---- */

struct comparison {
	const struct fleet *f;
	struct fleet_compare c;
	struct groups g;
	struct rows *r;
};

static double longest(const struct comparison *k, bool latency)
{
	double most = 0;

	for (size_t i = 0; i < k->c.n; i++) {
		const struct summary_row *s = &k->c.row[i].s;

		most = fmax(most, latency ? s->latency[0].value : s->bandwidth[0].value);
	}
	return most;
}

/* What the hardware could do: the highest peak that any of the machine's transports is compared
 * with; by specification where there is one, else as measured. */
static const struct view_peak *best_peak(const struct view *v)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	const struct view_peak *best = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct view_peak *p = view_peak_of(v, names[i]);
		/* loopback TCP is a figure of the kernel, not of the hardware */
		bool loop = strcmp(view_transport_label(v, backend_of(v), names[i]), names[i]) != 0;

		if (p == NULL || loop || p->kind != VIEW_PEAK_SPEC)
			continue;
		if (best == NULL || p->gbps > best->gbps)
			best = p;
	}
	return best;
}

static void add_value(struct rows *r, size_t panel, const struct summary_value *v,
		      const struct summary_figure *figure, int colour)
{
	char number[32], text[96], size[40];
	bool other =
	    v->timing != NULL && figure->timing != NULL && strcmp(v->timing, figure->timing) != 0;

	if (!isfinite(v->value) || v->value <= 0)
		return;
	text_number(v->value, number, sizeof(number));
	snprintf(text, sizeof(text), "%s%s%s%s%s", number, other ? " " : "", other ? v->timing : "",
		 summary_other_size(figure, v, size, sizeof(size)), v->unproven ? " unproven" : "");
	rows_bar(r, panel, 0, v->value, colour, v->unproven ? ROWS_EMPTY : ROWS_SOLID);
	rows_words(r, panel, v->value, DRAW_PLAIN, text);
}

static void add_row(struct comparison *k, const struct group *g, size_t machine, int colour)
{
	const struct fleet_row *row = fleet_compare_row(&k->c, machine, g->backend, g->transport);
	const struct summary *s = &k->c.figures;

	start_entry(k->r, machine, g);
	if (row == NULL || row->s.why[0] != '\0') {
		rows_reason(k->r, row == NULL ? "not in this run" : row->s.why);
		return;
	}
	if (!isfinite(row->s.bandwidth[0].value) && !isfinite(row->s.latency[0].value)) {
		rows_reason(k->r, "not measured at these sizes");
		return;
	}
	add_value(k->r, 0, &row->s.bandwidth[0], &s->bandwidth[0], colour);
	if (k->r->n_panels > 1)
		add_value(k->r, 1, &row->s.latency[0], &s->latency[0], colour);
}

static void add_peak(struct comparison *k, const char *name, const struct view_peak *p)
{
	char number[32];

	text_number(p->gbps, number, sizeof(number));
	rows_entry(k->r, name);
	rows_bar(k->r, 0, 0, p->gbps, 9, ROWS_HATCHED);
	rows_words(k->r, 0, p->gbps, DRAW_PLAIN, number);
	if (k->r->n_panels > 1)
		rows_words(k->r, 1, 0, DRAW_FAINT, p->name);
}

/* The peak that every machine has alike; NULL: they differ, or some have none. */
static const struct view_peak *shared_peak(const struct fleet *f)
{
	const struct view_peak *first = best_peak(view_of(f, 0));

	for (size_t m = 0; first != NULL && m < f->n; m++) {
		const struct view_peak *p = best_peak(view_of(f, m));

		if (p == NULL || p->gbps != first->gbps || strcmp(p->name, first->name) != 0)
			return NULL;
	}
	return first;
}

static void add_theory(struct comparison *k)
{
	const struct view_peak *p = shared_peak(k->f);
	bool headed = false;
	char name[160];

	if (p != NULL) {
		if (k->f->n > 1)
			rows_heading(k->r, "best theoretical value");
		add_peak(k, k->f->n > 1 ? "each machine" : "best theoretical value", p);
		return;
	}
	for (size_t m = 0; m < k->f->n; m++) {
		p = best_peak(view_of(k->f, m));
		if (p == NULL)
			continue;
		if (!headed)
			rows_heading(k->r, "best theoretical value");
		headed = true;
		draw_machine(k->f, m, k->r->names, name, sizeof(name));
		add_peak(k, name, p);
	}
}

static void scale(struct comparison *k)
{
	const struct summary *s = &k->c.figures;
	double most = longest(k, false);
	char title[160], size[32];

	for (size_t m = 0; m < k->f->n; m++) {
		const struct view_peak *p = best_peak(view_of(k->f, m));

		most = p != NULL ? fmax(most, p->gbps) : most;
	}
	num_format_size(s->bandwidth[0].bytes, size, sizeof(size));
	snprintf(title, sizeof(title), "%s at %s: bus bandwidth, GB/s",
		 s->bandwidth[0].op != NULL ? s->bandwidth[0].op : "", size);
	rows_scale(k->r, 0, title, most, NUMBER_PX);
	num_format_size(s->latency[0].bytes, size, sizeof(size));
	snprintf(title, sizeof(title), "%s at %s: \302\265s",
		 s->latency[0].op != NULL ? s->latency[0].op : "", size);
	rows_scale(k->r, 1, title, longest(k, true), NUMBER_PX);
}

static void say_comparison(struct comparison *k)
{
	const struct summary *s = &k->c.figures;
	char size[32], number[32], time[32], other[40];

	num_format_size(s->bandwidth[0].bytes, size, sizeof(size));
	draw_say(k->r->d, "Bars per transport: bus bandwidth of %s at %s, and latency.",
		 s->bandwidth[0].op != NULL ? s->bandwidth[0].op : "", size);
	for (size_t i = 0; i < k->c.n; i++) {
		const struct fleet_row *row = &k->c.row[i];

		text_number(row->s.bandwidth[0].value, number, sizeof(number));
		num_format_time(row->s.latency[0].value * 1e3, 1, time, sizeof(time));
		draw_say(k->r->d, " %s%s%s: ", k->f->n > 1 ? k->f->machine[row->machine].name : "",
			 k->f->n > 1 ? ", " : "", row->s.label);
		summary_other_size(&s->bandwidth[0], &row->s.bandwidth[0], other, sizeof(other));
		if (row->s.why[0] != '\0')
			draw_say(k->r->d, "%s.", row->s.why);
		else if (isfinite(row->s.latency[0].value))
			draw_say(k->r->d, "%s GB/s%s, %s.", number, other, time);
		else
			draw_say(k->r->d, "%s GB/s%s.", number, other);
	}
}

static void write_comparison(struct comparison *k)
{
	const struct summary *s = &k->c.figures;
	double names = names_width(k->f, &k->g, "best theoretical value");

	rows_panels(k->r, names, s->latency[0].op != NULL ? 0.62 : 1);
	scale(k);
	for (size_t i = 0; i < k->g.n; i++) {
		if (k->f->n > 1)
			rows_heading(k->r, k->g.list[i].title);
		for (size_t m = 0; m < k->f->n; m++)
			if (has_group(k->f, m, &k->g.list[i]))
				add_row(k, &k->g.list[i], m, k->f->n > 1 ? (int)m + 1 : (int)i + 1);
	}
	add_theory(k);
	say_comparison(k);
}

int fleet_comparison(struct fleet_drawing *d)
{
	struct comparison k = { .f = d->f };
	int rc = fleet_compare_build(&k.c, d->f), bars;
	char sub[160] = "";

	if (rc != 0)
		return rc;
	find_groups(d->f, &k.g);
	if (k.c.figures.bandwidth[0].op != NULL && k.c.n > 0) {
		const struct summary *s = &k.c.figures;

		snprintf(sub, sizeof(sub),
			 "bandwidth in timing %s%s%s; longer is better on the "
			 "left, shorter on the right",
			 s->bandwidth[0].timing,
			 s->latency[0].op != NULL ? ", latency in timing " : "",
			 s->latency[0].op != NULL ? s->latency[0].timing : "");
		if (s->latency[0].op == NULL)
			snprintf(sub, sizeof(sub), "timing %s; longer is better",
				 s->bandwidth[0].timing);
		k.r = rows_begin(d, "Bandwidth and latency by transport", sub);
		rc = k.r != NULL ? 0 : -ENOMEM;
		if (rc == 0) {
			write_comparison(&k);
			bars = (int)k.r->bars;
			rc = rows_end(k.r);
			rc = bars > 0 ? rc : 0;
		}
	}
	fleet_compare_fini(&k.c);
	return rc;
}

/* ---- time to create a communicator ---- */

/* TABLE: parts of the time, in the order in which they come; key in run.json. */
static const struct {
	const char *key, *name;
	int colour;
	enum rows_fill fill;
} parts[] = {
	{ "context_us", "context on the device", 7, ROWS_EMPTY },
	{ "init_us", "communicator", 1, ROWS_SOLID },
	{ "first_operation_us", "first operation, which connects", 6, ROWS_HATCHED },
};

static const json_t *transport_meta(const struct fleet *f, size_t machine, const struct group *g)
{
	const json_t *list = json_object_get(f->machine[machine].run.meta, "transports");
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		const char *name = json_string_value(json_object_get(o, "transport"));
		const char *backend = json_string_value(json_object_get(o, "backend"));

		if (name != NULL && backend != NULL && strcmp(name, g->transport) == 0 &&
		    strcmp(backend, g->backend) == 0)
			return o;
	}
	return NULL;
}

static double part_ms(const json_t *o, size_t part)
{
	const json_t *v = json_object_get(o, parts[part].key);

	return json_is_number(v) && json_number_value(v) >= 0 ? json_number_value(v) / 1e3 : NAN;
}

static double total_ms(const json_t *o)
{
	double sum = 0;

	for (size_t i = 0; i < N_ELEMENTS(parts); i++)
		sum += isfinite(part_ms(o, i)) ? part_ms(o, i) : 0;
	return sum;
}

static void add_times(struct rows *r, const json_t *o)
{
	double at = 0;
	char text[96], number[32];

	for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
		double ms = part_ms(o, i);

		if (!isfinite(ms))
			continue;
		rows_bar(r, 0, at, at + ms, parts[i].colour, parts[i].fill);
		at += ms;
	}
	num_format_time(at * 1e6, 1, number, sizeof(number));
	snprintf(text, sizeof(text), "%s", number);
	rows_words(r, 0, at, DRAW_PLAIN, text);
}

static void say_time(struct fleet_drawing *d, size_t machine, const struct group *g,
		     const json_t *o)
{
	char number[32], whole[32];

	num_format_time(part_ms(o, 1) * 1e6, 1, number, sizeof(number));
	num_format_time(total_ms(o) * 1e6, 1, whole, sizeof(whole));
	draw_say(d, " %s%s%s: communicator %s, all %s.",
		 d->f->n > 1 ? d->f->machine[machine].name : "", d->f->n > 1 ? ", " : "", g->title,
		 isfinite(part_ms(o, 1)) ? number : "unknown", whole);
}

static void write_times(struct rows *r, const struct groups *g, double most)
{
	const struct fleet *f = r->d->f;

	rows_panels(r, names_width(f, g, ""), 1);
	rows_scale(r, 0, "ms", most, NUMBER_PX);
	for (size_t i = 0; i < N_ELEMENTS(parts); i++)
		draw_key(&r->keys, DRAW_KEY_BOX, parts[i].colour, (int)parts[i].fill,
			 parts[i].name);
	draw_say(r->d, "Bars: time to create a communicator.");
	for (size_t i = 0; i < g->n; i++) {
		bool headed = f->n == 1;

		for (size_t m = 0; m < f->n; m++) {
			const json_t *o = transport_meta(f, m, &g->list[i]);

			if (total_ms(o) <= 0)
				continue;
			if (!headed)
				rows_heading(r, g->list[i].title);
			headed = true;
			start_entry(r, m, &g->list[i]);
			add_times(r, o);
			say_time(r->d, m, &g->list[i], o);
		}
	}
}

int fleet_communicator(struct fleet_drawing *d)
{
	struct groups g;
	struct rows *r;
	double most = 0;

	find_groups(d->f, &g);
	for (size_t i = 0; i < g.n; i++)
		for (size_t m = 0; m < d->f->n; m++)
			most = fmax(most, total_ms(transport_meta(d->f, m, &g.list[i])));
	if (most <= 0)
		return 0;
	r = rows_begin(d, "Time to create a communicator",
		       "of the slowest rank, in the first worker of each transport");
	if (r == NULL)
		return -ENOMEM;
	write_times(r, &g, most);
	return rows_end(r);
}

/* ---- outcomes ---- */

/* TABLE: looks of outcome_table's rows. Good is solid; what broke is dense. */
static const struct {
	int colour;
	enum rows_fill fill;
} outcome_looks[OUTCOME_COUNT] = {
	[OUTCOME_OK] = { 3, ROWS_SOLID },         [OUTCOME_UNAVAILABLE] = { 9, ROWS_EMPTY },
	[OUTCOME_UNPROVEN] = { 6, ROWS_CROSSED }, [OUTCOME_CORRUPT] = { 4, ROWS_SOLID },
	[OUTCOME_HANG] = { 2, ROWS_DENSE },       [OUTCOME_CRASH] = { 5, ROWS_SOLID },
	[OUTCOME_ERROR] = { 2, ROWS_SOLID },      [OUTCOME_OOM] = { 7, ROWS_BACK },
	[OUTCOME_SKIPPED] = { 9, ROWS_HATCHED },  [OUTCOME_ABORTED] = { 8, ROWS_CROSSED },
};

struct tally {
	size_t of[OUTCOME_COUNT], all;
};

static struct tally count(const struct view *v, const struct group *g)
{
	struct tally t = { 0 };

	for (size_t i = 0; i < v->n_rows; i++) {
		int id = outcome_find(v->rows[i].outcome);

		if (id < 0 || strcmp(v->rows[i].transport, g->transport) != 0 ||
		    strcmp(v->rows[i].backend, g->backend) != 0)
			continue;
		t.of[id]++;
		t.all++;
	}
	return t;
}

/* "204: 200 ok, 4 skipped" */
static void describe(const struct tally *t, char *out, size_t max)
{
	size_t used = (size_t)snprintf(out, max, "%zu", t->all);

	for (int id = 0, first = 1; id < OUTCOME_COUNT && used < max; id++) {
		if (t->of[id] == 0)
			continue;
		used += (size_t)snprintf(out + used, max - used, "%s%zu %s", first ? ": " : ", ",
					 t->of[id], outcome_table[id].name);
		first = 0;
	}
}

static void add_outcomes(struct rows *r, const struct tally *t)
{
	size_t at = 0;
	char text[256];

	for (int id = 0; id < OUTCOME_COUNT; id++) {
		if (t->of[id] > 0)
			rows_bar(r, 0, (double)at, (double)(at + t->of[id]),
				 outcome_looks[id].colour, outcome_looks[id].fill);
		at += t->of[id];
	}
	describe(t, text, sizeof(text));
	rows_words(r, 0, (double)at, DRAW_PLAIN, text);
}

static void write_outcomes(struct rows *r, const struct groups *g, size_t most)
{
	const struct fleet *f = r->d->f;
	struct tally all = { 0 };
	char text[256];

	rows_panels(r, names_width(f, g, ""), 1);
	rows_scale(r, 0, "points", (double)most, 330);
	draw_say(r->d, "Bars: what became of each transport's points.");
	for (size_t i = 0; i < g->n; i++) {
		if (f->n > 1)
			rows_heading(r, g->list[i].title);
		for (size_t m = 0; m < f->n; m++) {
			struct tally t = count(view_of(f, m), &g->list[i]);

			if (t.all == 0)
				continue;
			start_entry(r, m, &g->list[i]);
			add_outcomes(r, &t);
			describe(&t, text, sizeof(text));
			draw_say(r->d, " %s%s%s: %s.", f->n > 1 ? f->machine[m].name : "",
				 f->n > 1 ? ", " : "", g->list[i].title, text);
			for (int id = 0; id < OUTCOME_COUNT; id++)
				all.of[id] += t.of[id];
		}
	}
	for (int id = 0; id < OUTCOME_COUNT; id++)
		if (all.of[id] > 0)
			draw_key(&r->keys, DRAW_KEY_BOX, outcome_looks[id].colour,
				 (int)outcome_looks[id].fill, outcome_table[id].name);
}

int fleet_outcomes(struct fleet_drawing *d)
{
	struct groups g;
	struct rows *r;
	size_t most = 0;

	find_groups(d->f, &g);
	for (size_t i = 0; i < g.n; i++)
		for (size_t m = 0; m < d->f->n; m++) {
			struct tally t = count(view_of(d->f, m), &g.list[i]);

			most = t.all > most ? t.all : most;
		}
	if (most == 0)
		return 0;
	r = rows_begin(d, "What became of each transport's points",
		       "a point is one operation at one size and timing");
	if (r == NULL)
		return -ENOMEM;
	write_outcomes(r, &g, most);
	return rows_end(r);
}

/* ---- for money and power ---- */

static void add_worth(struct rows *r, size_t panel, double value, int colour, const char *missing)
{
	char number[32];

	if (!isfinite(value)) {
		rows_words(r, panel, 0, DRAW_FAINT, missing);
		return;
	}
	text_number(value, number, sizeof(number));
	rows_bar(r, panel, 0, value, colour, ROWS_SOLID);
	rows_words(r, panel, value, DRAW_PLAIN, number);
}

static void write_worth(struct rows *r, const struct fleet_compare *c)
{
	const struct fleet *f = r->d->f;
	bool both = c->priced && c->powered;
	struct groups none = { .n = 0 };
	double price = 0, watt = 0;
	char title[96], name[160];

	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].champion) {
			price = fmax(price, c->row[i].per_price);
			watt = fmax(watt, c->row[i].per_watt);
		}
	draw_machine(f, 0, 240, name, sizeof(name));
	rows_panels(r, f->n > 1 ? names_width(f, &none, "") : draw_text_width(name, DRAW_PLAIN),
		    both ? 0.5 : 1);
	snprintf(title, sizeof(title), "GB/s per %s",
		 f->currency[0] != '\0' ? f->currency : "currency unit");
	if (c->priced)
		rows_scale(r, 0, title, price, NUMBER_PX);
	if (c->powered)
		rows_scale(r, both, "GB/s per watt", watt, NUMBER_PX);
	draw_say(r->d, "Bars: bandwidth for money and power.");
	for (size_t m = 0; m < f->n; m++) {
		const struct fleet_row *row = fleet_compare_champion(c, m);

		draw_machine(f, m, r->names, name, sizeof(name));
		rows_entry(r, name);
		if (row == NULL) {
			rows_reason(r, "nothing that may be ranked");
			continue;
		}
		if (c->priced)
			add_worth(r, 0, row->per_price, (int)m + 1, "no price given");
		if (c->powered)
			add_worth(r, both, row->per_watt, (int)m + 1, "no power given");
		draw_say(r->d, " %s, %s:", f->machine[m].name, row->s.label);
		if (isfinite(row->per_price))
			draw_say(r->d, " %.3g %s.", row->per_price, title);
		if (isfinite(row->per_watt))
			draw_say(r->d, " %.3g GB/s per watt.", row->per_watt);
	}
}

int fleet_value(struct fleet_drawing *d)
{
	struct fleet_compare c;
	struct rows *r;
	int rc = fleet_compare_build(&c, d->f), bars;
	char sub[160], size[32];

	if (rc == 0 && (c.priced || c.powered) && c.figures.bandwidth[0].op != NULL) {
		num_format_size(c.figures.bandwidth[0].bytes, size, sizeof(size));
		snprintf(sub, sizeof(sub),
			 "%s at %s, fastest proven transport; by the figures "
			 "given for the whole machine",
			 c.figures.bandwidth[0].op, size);
		r = rows_begin(d, "Bandwidth for money and power", sub);
		rc = r != NULL ? 0 : -ENOMEM;
		if (rc == 0) {
			write_worth(r, &c);
			bars = (int)r->bars;
			rc = rows_end(r);
			rc = bars > 0 ? rc : 0;
		}
	}
	fleet_compare_fini(&c);
	return rc;
}
