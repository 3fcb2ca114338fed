/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the gate is wrong: unchanged builds that fail, slow-downs that are missed. Simulated
 * machines, fixed seed, the gate's own code. Prints each rate with its 95 % upper bound, fails when
 * one is outside what docs/gate.md promises. test_rates [BUILDS]     200 builds per row by default;
 * `meson test --benchmark` runs 4000 No cmocka: a table of rates is the output.
 */
#include <stdbool.h>
#include <stddef.h>

#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/reach.h"
#include "judge/stat.h"
#include "judge/verdict.h"
#include "shapes.h"

#define SERIES_MOST 6
#define BUILDS 200
#define JUDGED_FROM 100 /* fewer builds only show that it runs: sanitizers are slow */
#define MEASURED_POINT (WORLD_SIZES * 1 + 9) /* p2p, 64 MiB: a quiet one */

/* ---- what is changed in the new run ---- */

static void nothing(const struct world *w, double effect[WORLD_POINTS])
{
	(void)w;
	memset(effect, 0, WORLD_POINTS * sizeof(*effect));
}

static void large_class(const struct world *w, double effect[WORLD_POINTS])
{
	nothing(w, effect);
	for (int p = WORLD_SIZES + 8; p < 2 * WORLD_SIZES; p++)
		effect[p] = log(1.03);
}

static void one_point(const struct world *w, double effect[WORLD_POINTS])
{
	nothing(w, effect);
	effect[MEASURED_POINT] = log(1.10);
}

enum confirm { CONFIRM_NONE, CONFIRM_SAME_RUN, CONFIRM_LATER };
static const char *const confirm_names[] = { "none", "same run", "later series" };

static const struct row_of_rates {
	int shape;
	size_t series; /* of the baseline */
	const char *change;
	void (*inject)(const struct world *w, double effect[WORLD_POINTS]);
	bool promised; /* instead: what `gate plan` promised for socket, small */
	int confirm;
	double at_least, at_most; /* of builds that fail with exit 1, percent */
} rows[] = {
	{ NORMAL, 6, "nothing", nothing, false, CONFIRM_NONE, 0, 3 },
	{ NORMAL, 6, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 1 },
	{ SHARED, 6, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 1 },
	{ SLOW, 6, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 1 },
	{ DRIFT, 6, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 7 },
	{ DRIFT, 6, "nothing", nothing, false, CONFIRM_LATER, 0, 1 },
	{ MEASURED, 6, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 5 },
	{ MEASURED, 6, "nothing", nothing, false, CONFIRM_LATER, 0, 1 },
	{ NORMAL, 3, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 1 },
	{ COMMON, 3, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 3 },
	{ COMMON, 6, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 3 },
	{ DRIFT, 3, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 7 },
	{ MEASURED, 3, "nothing", nothing, false, CONFIRM_SAME_RUN, 0, 7 },
	{ MEASURED, 3, "nothing", nothing, false, CONFIRM_LATER, 0, 1 },
	{ NORMAL, 6, "p2p large +3 %", large_class, false, CONFIRM_SAME_RUN, 95, 100 },
	{ NORMAL, 6, "p2p 64 MiB +10 %", one_point, false, CONFIRM_SAME_RUN, 95, 100 },
	{ NORMAL, 3, "p2p large +3 %", large_class, false, CONFIRM_SAME_RUN, 95, 100 },
	{ MEASURED, 6, "socket: promised", NULL, true, CONFIRM_NONE, 95, 100 },
	{ MEASURED, 3, "socket: promised", NULL, true, CONFIRM_NONE, 90, 100 },
};

/* ---- one build ---- */

struct build {
	struct world *w;
	struct world_session session, later;
	struct series base[SERIES_MOST], now, again;
	const struct series *bases[SERIES_MOST];
	size_t series;
	double effect[WORLD_POINTS];
};

static void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "test_rates: %s failed\n", what);
	exit(99);
}

static int judged(struct build *b, const struct series *again, bool socket_only)
{
	struct judge_options o;
	struct judgement j;
	int code;

	judge_defaults(&o);
	must(judge_run(&b->w->pool, b->bases, b->series, &b->now, again, &o, &j) == 0, "judge_run");
	code = j.exit_code;
	if (socket_only) {
		code = 0;
		for (size_t i = 0; i < j.n_groups; i++)
			if (j.groups[i].group == b->w->group[3] && j.groups[i].size_class == 0 &&
			    j.groups[i].f.verdict == VERDICT_REGRESSED)
				code = 1;
	}
	judge_fini(&j);
	return code;
}

/* The change of socket's small class that a plan from this very baseline promises to see. */
static void promise(struct build *b)
{
	struct judge_options o;
	struct reaches all;

	judge_defaults(&o);
	must(reach_find(&b->w->pool, b->bases, b->series, &o, &all) == 0, "reach_find");
	memset(b->effect, 0, sizeof(b->effect));
	for (size_t i = 0; i < all.n; i++)
		for (int p = 3 * WORLD_SIZES; all.v[i].group == b->w->group[3] &&
					      all.v[i].size_class == 0 && p < 3 * WORLD_SIZES + 4;
		     p++)
			b->effect[p] = all.v[i].smallest;
	reach_fini(&all);
}

static int one_build(struct world *w, const struct row_of_rates *row)
{
	struct build b = { .w = w, .series = row->series };
	int code;

	for (size_t h = 0; h < b.series; h++) {
		world_session(w, &b.session);
		must(world_series(w, &b.session, NULL, (int)h, &b.base[h]) == 0, "series");
		b.bases[h] = &b.base[h];
	}
	if (row->promised)
		promise(&b);
	else
		row->inject(w, b.effect);
	world_session(w, &b.session);
	must(world_series(w, &b.session, b.effect, SERIES_MOST, &b.now) == 0, "series");
	code = judged(&b, NULL, row->promised);
	if (code == 1 && row->confirm != CONFIRM_NONE) {
		world_session(w, &b.later);
		must(world_series(w, row->confirm == CONFIRM_LATER ? &b.later : &b.session,
				  b.effect, SERIES_MOST, &b.again) == 0,
		     "series");
		code = judged(&b, &b.again, row->promised);
		series_fini(&b.again);
	}
	for (size_t h = 0; h < b.series; h++)
		series_fini(&b.base[h]);
	series_fini(&b.now);
	return code;
}

static bool one_row(const struct row_of_rates *row, size_t builds)
{
	struct world w = shapes[row->shape].w;
	size_t failed = 0, unsure = 0;
	double rate;
	bool good;

	w.restarts = 10;
	w.batches = 10;
	must(world_init(&w, 20261130) == 0, "world_init");
	for (size_t i = 0; i < builds; i++) {
		int code = one_build(&w, row);

		failed += code == 1;
		unsure += code == 3;
	}
	pool_fini(&w.pool);
	rate = 100.0 * (double)failed / (double)builds;
	good = rate >= row->at_least && rate <= row->at_most;
	printf(
	    "%-15s %6zu  %-17s %-13s %6.2f %%  (<= %5.2f %%)  %6.2f %%   %3.0f .. %3.0f %%  %s\n",
	    shapes[row->shape].name, row->series, row->change, confirm_names[row->confirm], rate,
	    100 * stat_rate_upper(failed, builds, .05), 100.0 * (double)unsure / (double)builds,
	    row->at_least, row->at_most, good ? "ok" : "OUTSIDE");
	return good;
}

int main(int argc, char **argv)
{
	size_t builds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : BUILDS;
	bool good = builds > 0;

	printf("%zu builds per row: %d points, 10 restarts\n", builds, WORLD_POINTS);
	printf("machine         series  change            confirmation    fails   (95 %% bound)  "
	       "unsure    "
	       "allowed\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && builds > 0; i++)
		good &= one_row(&rows[i], builds);
	return good || builds < JUDGED_FROM ? 0 : 1;
}
