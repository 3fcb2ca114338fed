/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See fleet_compare.h. One machine is compared exactly as its own table does; several need sizes of
 * their own, for a figure at another size says nothing.
 */
#include "report/fleet_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fleet.h"
#include "report/view.h"
#include "spec/op.h"

#define IMPOSSIBLE_PCT 105.0 /* of a specification: the gate's limit, too */
#define LARGE (1u << 20)     /* bandwidth is compared from here on, where anything is that large */

/* ---- sizes that all have ---- */

struct curve {                       /* a machine's transport in one operation */
	const struct record **point; /* ascending */
	size_t n;
	bool loopback;
};

struct curves {
	struct curve *list;
	size_t n;
	const struct record **all; /* the points of all of them */
};

static void curves_fini(struct curves *c)
{
	free(c->list);
	free(c->all);
	*c = (struct curves){ 0 };
}

const char *fleet_compare_timing(const struct view *v, const char *transport,
				 const struct summary_figure *f, bool latency)
{
	const char *const one[] = { f->timing, NULL };
	const char *timing = view_timing(v, transport, f->op, one);

	return timing ? timing
		      : view_timing(v, transport, f->op,
				    latency ? view_timings_graph : view_timings_stream);
}

static int curves_build(const struct fleet *f, const struct summary_figure *figure, bool latency,
			struct curves *out)
{
	size_t total = 0, used = 0;

	for (size_t i = 0; i < f->n; i++)
		total += f->machine[i].run.view.n_rows;
	*out = (struct curves){ 0 };
	out->list = calloc(f->n * VIEW_TRANSPORTS_MAX, sizeof(*out->list));
	out->all = calloc(total + 1, sizeof(*out->all));
	if (!out->list || !out->all)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		const struct view *v = &f->machine[i].run.view;
		const char *names[VIEW_TRANSPORTS_MAX];
		size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);

		for (size_t k = 0; k < n; k++) {
			struct curve *c = &out->list[out->n];
			const char *timing = fleet_compare_timing(v, names[k], figure, latency);

			c->point = out->all + used;
			c->n = view_curve(v, names[k], figure->op, timing, c->point);
			c->loopback = view_is_loopback(v, v->rows[0].backend, names[k]);
			used += c->n;
			out->n += c->n > 0;
		}
	}
	return 0;
}

/* Loopback ranks nothing, and so chooses no size where there is something else. */
static void keep_ranked(struct curves *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!c->list[i].loopback)
			c->list[kept++] = c->list[i];
	c->n = kept > 0 ? kept : c->n;
}

static bool has_size(const struct curve *c, uint64_t bytes)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->point[mid]->bytes < bytes)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n && c->point[lo]->bytes == bytes;
}

static size_t votes(const struct curves *c, uint64_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += has_size(&c->list[i], bytes);
	return n;
}

static uint64_t largest(const struct curves *c)
{
	uint64_t most = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint64_t mine = c->list[i].point[c->list[i].n - 1]->bytes;

		most = mine > most ? mine : most;
	}
	return most;
}

/* The size that most curves have; of several such the largest, for latency the smallest. A curve
 * that ends early does not drag a bandwidth below 1 MiB. */
static uint64_t shared_size(const struct curves *c, bool latency)
{
	uint64_t best = 0, least = !latency && largest(c) >= LARGE ? LARGE : 0;
	size_t most = 0;

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->list[i].n; k++) {
			uint64_t bytes = c->list[i].point[k]->bytes;
			size_t n;

			if (bytes < least || bytes == best)
				continue;
			if (latency && bytes == 8)
				return bytes;
			n = votes(c, bytes);
			if (n > most || (n == most && (latency ? bytes < best : bytes > best))) {
				most = n;
				best = bytes;
			}
		}
	return best;
}

/* ---- which operation, timing, size a column shows ---- */

static size_t machines_with(const struct fleet *f, const char *op, const char *timing)
{
	const char *const one[] = { timing, NULL };
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += view_timing(&f->machine[i].run.view, NULL, op, one) != NULL;
	return n;
}

/* The first timing that all machines have, else the first one of the reference, else of any. */
static const char *shared_timing(const struct fleet *f, const char *op, const char *const *order)
{
	const char *timing = view_timing(&f->machine[f->reference].run.view, NULL, op, order);

	for (const char *const *t = order; *t; t++)
		if (machines_with(f, op, *t) == f->n)
			return *t;
	for (size_t i = 0; i < f->n && !timing; i++)
		timing = view_timing(&f->machine[i].run.view, NULL, op, order);
	return timing;
}

static int add_figure(const struct fleet *f, int op, bool latency, struct summary_figure *list)
{
	const char *const *order = latency ? view_timings_graph : view_timings_stream;
	const char *name = op_table[op].name;
	const char *timing = shared_timing(f, name, order);
	struct curves c = { 0 };
	size_t k = 0;
	int rc;

	while (k < SUMMARY_OPS && list[k].op)
		k++;
	if (!timing || k == SUMMARY_OPS)
		return 0;
	list[k] = (struct summary_figure){ .op = name, .timing = timing };
	rc = curves_build(f, &list[k], latency, &c);
	if (rc == 0 && !latency)
		keep_ranked(&c);
	if (rc == 0)
		list[k].bytes = shared_size(&c, latency);
	curves_fini(&c);
	return rc;
}

static int find_figures(const struct fleet *f, struct summary *s)
{
	int rc = 0;

	if (f->n == 1) {
		summary_build(s, &f->machine[0].run.view);
		return 0;
	}
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < SUMMARY_OPS && rc == 0; i++) {
		rc = add_figure(f, summary_bandwidth_ops[i], false, s->bandwidth);
		if (rc == 0)
			rc = add_figure(f, summary_latency_ops[i], true, s->latency);
	}
	for (int op = 0; op < OP_COUNT && rc == 0 && !s->bandwidth[0].op; op++)
		rc = add_figure(f, op, false, s->bandwidth);
	return rc;
}

/* ---- rows ---- */

/* Only a specification is a limit of nature; measured TCP can be beaten. */
static bool is_impossible(const struct view *v, const struct summary_row *r)
{
	const struct view_peak *peak = view_peak_of(v, r->transport);

	return peak && peak->kind == VIEW_PEAK_SPEC && r->peak_pct > IMPOSSIBLE_PCT;
}

static int add_machine(struct fleet_compare *c, const struct fleet *f, size_t i,
		       struct summary *room)
{
	const struct fleet_machine *m = &f->machine[i];
	struct fleet_row *grown;

	summary_build_at(room, &m->run.view, &c->figures);
	grown = reallocarray(c->row, c->n + room->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->row = grown;
	for (size_t k = 0; k < room->n; k++) {
		double gbps = room->row[k].loopback ? NAN : room->row[k].bandwidth[0].value;

		c->row[c->n++] = (struct fleet_row){
			.machine = i,
			.s = room->row[k],
			.backend = room->backend,
			.ratio = NAN,
			.latency_ratio = NAN,
			.impossible = is_impossible(&m->run.view, &room->row[k]),
			.per_price = gbps / m->price,
			.per_watt = gbps / m->power,
		};
	}
	c->priced |= isfinite(m->price);
	c->powered |= isfinite(m->power);
	return 0;
}

const struct fleet_row *fleet_compare_row(const struct fleet_compare *c, size_t machine,
					  const char *backend, const char *transport)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].machine == machine && strcmp(c->row[i].s.transport, transport) == 0 &&
		    strcmp(c->row[i].backend, backend) == 0)
			return &c->row[i];
	return NULL;
}

static double ratio_of(const struct summary_value *mine, const struct summary_value *other)
{
	return summary_comparable(mine, other) ? mine->value / other->value : NAN;
}

static void set_ratios(struct fleet_compare *c, const struct fleet *f)
{
	for (size_t i = 0; i < c->n; i++) {
		struct fleet_row *r = &c->row[i];
		const struct fleet_row *other =
		    fleet_compare_row(c, f->reference, r->backend, r->s.transport);

		if (!other || f->n < 2 || r->s.loopback != other->s.loopback)
			continue;
		r->ratio = ratio_of(&r->s.bandwidth[0], &other->s.bandwidth[0]);
		r->latency_ratio = ratio_of(&r->s.latency[0], &other->s.latency[0]);
	}
}

/* ---- who is fastest ---- */

static bool may_be_ranked(const struct fleet_row *r)
{
	return isfinite(r->s.bandwidth[0].value) && r->s.bandwidth[0].value > 0 &&
	       !r->s.bandwidth[0].unproven && !r->s.loopback && !r->impossible;
}

static bool is_own_choice(const struct fleet_row *r)
{
	return strcmp(r->s.transport, "auto") == 0;
}

/* A transport that was forced goes before auto, which is one of them under another name. */
static bool better(const struct fleet_row *a, const struct fleet_row *b)
{
	if (is_own_choice(a) != is_own_choice(b))
		return is_own_choice(b);
	return a->s.bandwidth[0].value > b->s.bandwidth[0].value;
}

static void choose_champions(struct fleet_compare *c, const struct fleet *f)
{
	for (size_t m = 0; m < f->n; m++) {
		struct fleet_row *best = NULL;

		for (size_t i = 0; i < c->n; i++)
			if (c->row[i].machine == m && may_be_ranked(&c->row[i]) &&
			    (!best || better(&c->row[i], best)))
				best = &c->row[i];
		if (best)
			best->champion = true;
	}
}

const struct fleet_row *fleet_compare_champion(const struct fleet_compare *c, size_t machine)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].machine == machine && c->row[i].champion)
			return &c->row[i];
	return NULL;
}

static bool in_class(const struct fleet_class *k, const struct fleet_row *r)
{
	const char *timing = r->s.bandwidth[0].timing;

	return strcmp(k->backend, r->backend) == 0 && timing && strcmp(k->timing, timing) == 0;
}

static void enter(struct fleet_compare *c, const struct fleet_row *r)
{
	size_t mine = (size_t)(r - c->row), i;
	struct fleet_class *k;

	for (i = 0; i < c->n_classes && !in_class(&c->class[i], r); i++)
		;
	k = &c->class[i];
	if (i == c->n_classes) {
		*k = (struct fleet_class){ r->backend, r->s.bandwidth[0].timing, mine, FLEET_NONE,
					   0 };
		c->n_classes++;
	} else if (r->s.bandwidth[0].value > c->row[k->best].s.bandwidth[0].value) {
		k->next = k->best;
		k->best = mine;
	} else if (k->next == FLEET_NONE ||
		   r->s.bandwidth[0].value > c->row[k->next].s.bandwidth[0].value) {
		k->next = mine;
	}
	k->machines++;
}

/* With one machine the question is which transport; the next one is another forced one. */
static void next_transport(struct fleet_compare *c, struct fleet_class *k)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct fleet_row *r = &c->row[i];

		if (i == k->best || r->machine != c->row[k->best].machine || !may_be_ranked(r) ||
		    is_own_choice(r) || !in_class(k, r))
			continue;
		if (k->next == FLEET_NONE || better(r, &c->row[k->next]))
			k->next = i;
	}
}

static int rank(struct fleet_compare *c, const struct fleet *f)
{
	c->class = calloc(f->n, sizeof(*c->class));
	if (!c->class)
		return -ENOMEM;
	for (size_t k = 0; k < f->n; k++) { /* the reference first, then in order */
		size_t m = k == 0 ? f->reference : k <= f->reference ? k - 1 : k;
		const struct fleet_row *r = fleet_compare_champion(c, m);

		if (r)
			enter(c, r);
	}
	for (size_t i = 0; i < c->n_classes; i++)
		if (c->class[i].machines == 1)
			next_transport(c, &c->class[i]);
	return 0;
}

int fleet_compare_build(struct fleet_compare *c, const struct fleet *f)
{
	struct summary *room = malloc(sizeof(*room));
	int rc;

	memset(c, 0, sizeof(*c));
	rc = room ? find_figures(f, &c->figures) : -ENOMEM;
	for (size_t i = 0; i < f->n && rc == 0; i++)
		rc = add_machine(c, f, i, room);
	free(room);
	if (rc == 0) {
		set_ratios(c, f);
		choose_champions(c, f);
		rc = rank(c, f);
	}
	if (rc < 0)
		fleet_compare_fini(c);
	return rc;
}

void fleet_compare_fini(struct fleet_compare *c)
{
	free(c->row);
	free(c->class);
	memset(c, 0, sizeof(*c));
}

bool fleet_compare_overlap(const struct summary_value *a, const struct summary_value *b)
{
	if (!isfinite(a->lo) || !isfinite(a->hi) || !isfinite(b->lo) || !isfinite(b->hi))
		return true;
	return a->lo <= b->hi && b->lo <= a->hi;
}

/* ---- sizes of a table ---- */

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t distinct(uint64_t *v, size_t n)
{
	size_t kept = 0;

	if (n > 0)
		qsort(v, n, sizeof(*v), ascending);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || v[i] != v[kept - 1])
			v[kept++] = v[i];
	return kept;
}

/* Those that at least half of the curves have, unless that leaves nothing to choose from. */
static size_t popular(const struct curves *c, uint64_t *v, size_t n, size_t least)
{
	size_t kept = 0, fit = 0;

	for (size_t i = 0; i < n; i++)
		fit += 2 * votes(c, v[i]) >= c->n;
	if (fit < least)
		return n;
	for (size_t i = 0; i < n; i++)
		if (2 * votes(c, v[i]) >= c->n)
			v[kept++] = v[i];
	return kept;
}

int fleet_compare_sizes(const struct fleet *f, const struct summary_figure *figure, bool latency,
			uint64_t *out, size_t max, size_t *n)
{
	struct curves c = { 0 };
	size_t total = 0, left;
	uint64_t *v = NULL;
	int rc = curves_build(f, figure, latency, &c);

	for (size_t i = 0; i < c.n; i++)
		total += c.list[i].n;
	v = rc == 0 ? calloc(total + 1, sizeof(*v)) : NULL;
	rc = rc < 0 ? rc : v ? 0 : -ENOMEM;
	if (rc == 0) {
		size_t at = 0;

		for (size_t i = 0; i < c.n; i++)
			for (size_t k = 0; k < c.list[i].n; k++)
				v[at++] = c.list[i].point[k]->bytes;
		left = popular(&c, v, distinct(v, total), max / 2);
		*n = left < max ? left : max;
		for (size_t i = 0; i < *n; i++) /* evenly, with both ends */
			out[i] = v[*n > 1 ? i * (left - 1) / (*n - 1) : 0];
	}
	free(v);
	curves_fini(&c);
	return rc;
}
