/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a comparison of two arms is wrong: equal arms that are told apart, differences that are
 * missed. The same made-up machines as the gate's (shapes.h), fixed seed, the product's own code.
 * test_ab_rates [RUNS]; 200 per row by default. A table of rates is the output.
 */
#include <stdbool.h>
#include <stddef.h>

#include "judge/ab.h"
#include "judge/groups.h"
#include "judge/stat.h"
#include "shapes.h"

#define RUNS 200
#define JUDGED_FROM 100 /* fewer only show that it works: sanitizers are slow */
#define RESTARTS 10

static const struct row_of_rates {
	int shape;
	double trend;  /* how much the whole machine changes from the first turn to the last, log */
	double effect; /* of the second arm on p2p, large */
	double at_least, at_most; /* percent of runs: told apart anywhere; with an effect: that
				     group is SLOWER */
} rows[] = {
	{ NORMAL, 0, 0, 0, 5 },        { SHARED, 0, 0, 0, 5 },
	{ SLOW, 0, 0, 0, 5 },          { DRIFT, 0, 0, 0, 5 },
	{ DRIFT, .2, 0, 0, 5 },        { MEASURED, 0, 0, 0, 5 },
	{ NORMAL, 0, .03, 95, 100 },   { SHARED, 0, .03, 95, 100 },
	{ SLOW, 0, .03, 20, 100 }, /* some restarts 4 % slow hide 3 %: more of them are needed */
	{ DRIFT, 0, .03, 95, 100 },    { DRIFT, .2, .03, 95, 100 },
	{ MEASURED, 0, .03, 95, 100 },
};

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "test_ab_rates: %s failed\n", what);
	exit(99);
}

/* A B, B A, A B ...: the turn of a restart of one arm. */
static int turn_of(int restart, bool second)
{
	return 2 * restart + (restart % 2 ? !second : second);
}

static void add_arm(struct world *w, const struct series *from, const char *arm, double slope,
		    struct series *to)
{
	for (size_t p = 0; p < from->n; p++) {
		struct point *out = &to->points[to->n++];
		char text[SERIES_KEY_MAX];

		*out = from->points[p];
		series_group_with(pool_text(&w->pool, out->group), "arm", arm, text, sizeof(text));
		must(pool_add(&w->pool, text, &out->group) == 0, "pool_add");
		for (size_t r = 0; r < out->n_m; r++)
			out->m[r] += slope * turn_of((int)r, arm[0] == 'B');
	}
}

static int by_key(const void *a, const void *b)
{
	return series_order(a, b);
}

static bool claims(const struct ab_finding *f)
{
	return f->verdict == AB_FASTER || f->verdict == AB_SLOWER;
}

static bool told_apart(const struct world *w, const struct ab_result *r, bool effect)
{
	bool any = false;

	for (size_t i = 0; i < r->n_groups && effect; i++)
		if (r->groups[i].label == w->group[1] && r->groups[i].size_class == 2)
			return r->groups[i].f.verdict == AB_SLOWER;
	for (size_t i = 0; i < r->n_groups; i++)
		any |= claims(&r->groups[i].f);
	for (size_t i = 0; i < r->n_points; i++)
		any |= claims(&r->points[i].f);
	return any;
}

static bool one_run(struct world *w, const struct row_of_rates *row)
{
	double effect[WORLD_POINTS] = { 0 }, slope = row->trend / (2 * RESTARTS - 1);
	struct point points[2 * WORLD_POINTS];
	struct series a, b, both = { .points = points };
	struct world_session session;
	struct ab_options o;
	struct ab_result r;
	bool apart;

	for (int p = WORLD_SIZES + 8; p < 2 * WORLD_SIZES; p++)
		effect[p] = log1p(row->effect);
	world_session(w, &session);
	must(world_series(w, &session, NULL, 0, &a) == 0 &&
		 world_series(w, &session, effect, 0, &b) == 0,
	     "series");
	add_arm(w, &a, "A", slope, &both);
	add_arm(w, &b, "B", slope, &both);
	qsort(points, both.n, sizeof(*points), by_key);
	ab_defaults(&o);
	must(ab_run(&w->pool, &both, "A", &o, &r) == 0, "ab_run");
	apart = told_apart(w, &r, row->effect > 0);
	ab_fini(&r);
	series_fini(&a);
	series_fini(&b);
	return apart;
}

static bool one_row(const struct row_of_rates *row, size_t runs)
{
	struct world w = shapes[row->shape].w;
	size_t apart = 0;
	double rate;
	bool good;

	w.restarts = RESTARTS;
	w.batches = 10;
	must(world_init(&w, 20261130) == 0, "world_init");
	for (size_t i = 0; i < runs; i++)
		apart += one_run(&w, row);
	pool_fini(&w.pool);
	rate = 100.0 * (double)apart / (double)runs;
	good = rate >= row->at_least && rate <= row->at_most;
	printf("%-15s %-14s %-16s %6.2f %%  (<= %5.2f %%)   %3.0f .. %3.0f %%  %s\n",
	       shapes[row->shape].name, row->effect > 0 ? "p2p large +3 %" : "nothing",
	       row->trend > 0 ? "20 % in the run" : "none", rate,
	       100 * stat_rate_upper(apart, runs, .05), row->at_least, row->at_most,
	       good ? "ok" : "OUTSIDE");
	return good;
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : RUNS;
	bool good = runs > 0;

	printf("%zu comparisons of two arms per row: %d points, %d restarts each, in turns\n", runs,
	       WORLD_POINTS, RESTARTS);
	printf(
	    "machine         changed        trend            found      (95 %% bound)   allowed\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && runs > 0; i++)
		good &= one_row(&rows[i], runs);
	return good || runs < JUDGED_FROM ? 0 : 1;
}
