/* SPDX-License-Identifier: Apache-2.0 */
/* See pairs.h. */
#include "run/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/slow.h"
#include "report/view.h"
#include "run/campaign.h"
#include "data/merge.h"
#include "spec/rounds.h"
#include "spec/transport.h"

#define DIFFERENCE 0.05 /* beyond the intervals */

/* ---- tasks ---- */

struct slot { /* of a point, in the order of the ascending pass */
	const struct plan_point *p;
	int round;
	uint32_t point;
};

/* Equal for the pairs of one operation, size and timing. The fields in the order of the plan. */
static int compare_form(const struct plan_point *x, const struct plan_point *y)
{
	const uint64_t a[] = { (uint64_t)x->c.in_place, (uint64_t)x->variant, x->asked_bytes,
			       (uint64_t)x->timing, (uint64_t)x->load };
	const uint64_t b[] = { (uint64_t)y->c.in_place, (uint64_t)y->variant, y->asked_bytes,
			       (uint64_t)y->timing, (uint64_t)y->load };

	for (size_t i = 0; i < N_ELEMENTS(a); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_group(const struct plan_point *x, const struct plan_point *y)
{
	const int a[] = { x->c.op, x->c.dtype, x->c.redop };
	const int b[] = { y->c.op, y->c.dtype, y->c.redop };

	for (size_t i = 0; i < N_ELEMENTS(a); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	int d = compare_group(x->p, y->p);

	if (d == 0)
		d = x->round != y->round ? (x->round < y->round ? -1 : 1) : 0;
	if (d == 0)
		d = compare_form(x->p, y->p);
	return d ? d : x->point < y->point ? -1 : 1;
}

static bool same_task(const struct slot *x, const struct slot *y)
{
	return op_table[x->p->c.op].flags & OP_PAIR && compare_group(x->p, y->p) == 0 &&
	       x->round == y->round && compare_form(x->p, y->p) == 0;
}

static int compare_by_form(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	int d = compare_group(x->p, y->p);

	if (d == 0)
		d = compare_form(x->p, y->p);
	return d ? d : x->point < y->point ? -1 : 1;
}

/* Forms are numbered in any order; only equality counts. */
static void number_forms(struct pairs *p, struct slot *v)
{
	qsort(v, p->n_points, sizeof(*v), compare_by_form);
	for (size_t i = 0; i < p->n_points; i++) {
		p->n_forms += i == 0 || compare_group(v[i - 1].p, v[i].p) != 0 ||
			      compare_form(v[i - 1].p, v[i].p) != 0;
		p->tasks[p->task_of[v[i].point]].form = p->n_forms - 1;
	}
}

static int make_tasks(const struct campaign *k, size_t config, const struct rounds *rounds,
		      struct pairs *p)
{
	const struct plan_config *pc = &k->plan.configs[config];
	struct slot *v = calloc(pc->n + 1, sizeof(*v));

	p->n_points = pc->n;
	p->order = calloc(pc->n + 1, sizeof(*p->order));
	p->tasks = calloc(pc->n + 1, sizeof(*p->tasks));
	p->task_of = calloc(pc->n + 1, sizeof(*p->task_of));
	if (!v || !p->order || !p->tasks || !p->task_of) {
		free(v);
		return -ENOMEM;
	}
	for (size_t i = 0; i < pc->n; i++) {
		const struct plan_point *q = &k->plan.points[pc->first + i];

		v[i] = (struct slot){ .p = q, .point = (uint32_t)i };
		if (rounds->of && op_table[q->c.op].flags & OP_PAIR)
			v[i].round = rounds->of[q->c.a * rounds->ranks + q->c.b];
	}
	qsort(v, pc->n, sizeof(*v), compare_places);
	for (size_t i = 0; i < pc->n; i++) {
		if (i == 0 || !rounds->of || !same_task(&v[i - 1], &v[i]))
			p->tasks[p->n_tasks++] = (struct pair_task){ .first = i };
		p->tasks[p->n_tasks - 1].n++;
		p->order[i] = v[i].point;
		p->task_of[v[i].point] = (uint32_t)(p->n_tasks - 1);
		if ((int)p->tasks[p->n_tasks - 1].n > p->most)
			p->most = (int)p->tasks[p->n_tasks - 1].n;
	}
	number_forms(p, v);
	free(v);
	return 0;
}

/* ---- rounds and classes ---- */

static int by_topology(const struct campaign *k, size_t config, bool steered, struct rounds *out)
{
	const struct plan_config *pc = &k->plan.configs[config];
	struct pair_paths paths = { 0 };
	int r = pair_paths_build(k->reasons.facts, pc->transport, pc->nranks, steered,
				 k->fake_hosts || k->crew.environment.share_gpu, &paths);

	if (r == 0)
		r = rounds_build(pc->nranks, pair_paths_apart, &paths, out);
	pair_paths_fini(&paths);
	return r;
}

static int alone(const struct campaign *k, size_t config, bool steered, struct rounds *out)
{
	return rounds_alone(k->plan.configs[config].nranks, out);
}

static int together(const struct campaign *k, size_t config, bool steered, struct rounds *out)
{
	return rounds_together(k->plan.configs[config].nranks, out);
}

static int (*const rules[])(const struct campaign *k, size_t config, bool steered,
			    struct rounds *out) = {
	[PAIRS_BY_TOPOLOGY] = by_topology,
	[PAIRS_ALONE] = alone,
	[PAIRS_TOGETHER] = together,
};

static int class_number(struct pairs *p, const char *name)
{
	for (int i = 0; i < p->n_classes; i++)
		if (strcmp(p->class[i], name) == 0)
			return i;
	if (!name[0] || p->n_classes == PAIR_CLASSES_MAX)
		return -1;
	snprintf(p->class[p->n_classes], PAIR_CLASS_TEXT, "%s", name);
	return p->n_classes++;
}

static int find_classes(const struct campaign *k, size_t config, struct pairs *p)
{
	const struct plan_config *pc = &k->plan.configs[config];
	int backend = transport_table[pc->transport].backend;
	struct pair_rank *ranks = NULL;
	char name[PAIR_CLASS_TEXT];
	int r;

	p->ranks = pc->nranks;
	p->class_of = calloc((size_t)p->ranks * (size_t)p->ranks + 1, sizeof(*p->class_of));
	r = p->class_of ? pair_ranks_build(k->reasons.facts, p->ranks, &ranks) : -ENOMEM;
	for (int a = 0; a < p->ranks && r == 0; a++) {
		p->class_of[a * p->ranks + a] = -1;
		for (int b = a + 1; b < p->ranks; b++) {
			pair_class(k->reasons.facts, ranks, backend, a, b, name);
			p->class_of[a * p->ranks + b] = p->class_of[b * p->ranks + a] =
			    class_number(p, name);
		}
	}
	free(ranks);
	return r;
}

int pairs_build(const struct campaign *k, size_t config, bool steered, struct pairs *out)
{
	struct rounds rounds = { 0 };
	struct pairs p = { 0 };
	int r = 0;

	if (k->request.all_pairs && k->plan.configs[config].nranks >= 2) {
		r = rules[k->request.pairs_rule](k, config, steered, &rounds);
		if (r == 0)
			r = find_classes(k, config, &p);
		p.rounds = rounds.n;
		p.n_pairs = p.ranks * (p.ranks - 1);
	}
	if (r == 0)
		r = make_tasks(k, config, &rounds, &p);
	rounds_fini(&rounds);
	if (r < 0)
		pairs_fini(&p);
	else
		*out = p;
	return r;
}

void pairs_fini(struct pairs *p)
{
	free(p->order);
	free(p->tasks);
	free(p->task_of);
	free(p->class_of);
	*p = (struct pairs){ 0 };
}

/* ---- turns ---- */

struct turn {
	uint32_t form_at, at, task;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->form_at != y->form_at)
		return x->form_at < y->form_at ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

int pairs_turns(const struct pairs *p, uint32_t *turn)
{
	struct turn *v = calloc(p->n_tasks + 1, sizeof(*v));
	uint32_t *form_at = calloc(p->n_forms + 1, sizeof(*form_at)); /* 1 + where it comes up */
	int r;

	for (size_t i = 0; v && form_at && i < p->n_tasks; i++) {
		uint32_t *at = &form_at[p->tasks[turn[i]].form];

		*at = *at ? *at : (uint32_t)i + 1;
		v[i] = (struct turn){ .form_at = *at, .at = (uint32_t)i, .task = turn[i] };
	}
	if (v && form_at)
		qsort(v, p->n_tasks, sizeof(*v), compare_turns);
	for (size_t i = 0; v && form_at && i < p->n_tasks; i++)
		turn[i] = v[i].task;
	r = v && form_at ? 0 : -ENOMEM;
	free(form_at);
	free(v);
	return r;
}

/* ---- measured at once against alone ---- */

int pairs_differ(const struct merged *together, const struct merged *alone)
{
	double a = merged_last_median_us(together), b = merged_last_median_us(alone);
	double p = merged_precision(together), q = merged_precision(alone);

	if (isnan(p) || isnan(q)) /* the others know it and would go another way */
		return -ENOMEM;
	return isfinite(p + q) && fabs(a - b) > a * p + b * q + DIFFERENCE * b;
}

/* What the points of a form have measured, in pairs.order; speed is the inverse of the time. */
static size_t collect(const struct campaign *k, size_t config, size_t form, struct slow_item *items,
		      uint32_t *point)
{
	const struct pairs *p = &k->configs[config].pairs;
	size_t first = k->plan.configs[config].first, n = 0;

	for (size_t t = 0; t < p->n_tasks; t++)
		for (size_t i = 0; p->tasks[t].form == form && i < p->tasks[t].n; i++) {
			uint32_t at = p->order[p->tasks[t].first + i];
			const struct point_state *s = &k->points[first + at];
			const struct op_case *c = &k->plan.points[first + at].c;

			point[n] = at;
			items[n++] = (struct slow_item){
				.speed = 1 / merged_last_median_us(&s->merged),
				.class = p->class_of[c->a * p->ranks + c->b],
			};
		}
	return n;
}

static bool open_class(const struct slow_item *items, const uint32_t *point, size_t n,
		       const bool *equal, int class)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].class == class && equal[point[i]])
			return false;
	return true;
}

/* Flagged ones before others, then the slowest. */
static bool before(const struct slow_item *x, const struct slow_item *y)
{
	return x->slow != y->slow ? x->slow : x->speed < y->speed;
}

int pairs_suspect(const struct campaign *k, size_t config, size_t form, const bool *equal,
		  size_t *point)
{
	const struct pairs *p = &k->configs[config].pairs;
	size_t first = k->plan.configs[config].first, n = 0, best = p->n_points;
	struct slow_item *items = calloc(p->n_points + 1, sizeof(*items));
	uint32_t *at = calloc(p->n_points + 1, sizeof(*at));
	int r = items && at ? 0 : -ENOMEM;

	*point = p->n_points;
	if (r == 0) {
		n = collect(k, config, form, items, at);
		r = slow_find(items, n);
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		if (!k->points[first + at[i]].unchecked || equal[at[i]])
			continue;
		if (!items[i].slow && !open_class(items, at, n, equal, items[i].class))
			continue;
		if (best == p->n_points || before(&items[i], &items[best]))
			best = i;
	}
	if (best < n)
		*point = at[best];
	free(items);
	free(at);
	return r;
}

/* ---- for the page ---- */

int pairs_classes(const struct campaign *k, struct view_pair **out, size_t *n)
{
	size_t n_ranks = k->request.all_pairs ? (size_t)k->request.nranks : 0, have = 0;
	struct view_pair *v = calloc(n_ranks * n_ranks / 2 + 1, sizeof(*v));
	struct pair_rank *ranks = NULL;

	if (!v || pair_ranks_build(k->reasons.facts, (int)n_ranks, &ranks) < 0) {
		free(v);
		return -ENOMEM;
	}
	for (int a = 0; a < (int)n_ranks; a++)
		for (int b = a + 1; b < (int)n_ranks; b++) {
			v[have].a = a;
			v[have].b = b;
			pair_class(k->reasons.facts, ranks, k->request.backend, a, b,
				   v[have++].class);
		}
	free(ranks);
	*out = v;
	*n = have;
	return 0;
}

void pairs_say(const struct campaign *k, size_t config, char *out, size_t max)
{
	const struct pairs *p = &k->configs[config].pairs;
	const char *name = transport_table[k->plan.configs[config].transport].name;

	out[0] = '\0';
	if (p->n_pairs < 2 || k->configs[config].dead)
		return;
	if (p->most < 2) {
		snprintf(out, max, "%s: %d pairs, each measured alone", name, p->n_pairs);
		return;
	}
	snprintf(out, max,
		 "%s: %d pairs in %d rounds, up to %d at once; %zu figures measured again alone, "
		 "%zu rounds of figures replaced by pairs alone%s",
		 name, p->n_pairs, p->rounds, p->most, p->checked, p->replaced,
		 p->one_by_one ? "; one after another since one failed in company" : "");
}
