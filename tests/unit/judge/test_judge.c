/* SPDX-License-Identifier: Apache-2.0 */
/* Every verdict, every exit code, and what comes before what. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/attr.h"
#include "judge/expect.h"
#include "judge/facts.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/reach.h"
#include "judge/stat.h"
#include "judge/verdict.h"
#include "rows.h"

#define MIB (1u << 20)
#define SERIES 4

struct bench {
	struct pool pool;
	struct text_run text[SERIES + 2]; /* baseline, new, confirming */
	struct series series[SERIES + 2];
	const struct series *base[SERIES];
	size_t n_base;
	struct judge_options o;
	struct judgement j;
};

enum { NOW = SERIES, AGAIN };

/* Four series of four starts; p2p at 8 B and 64 MiB, shm at 8 B; 10, 1000 and 20 us. */
static void setup(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->n_base = SERIES;
	judge_defaults(&b->o);
	for (int i = 0; i < SERIES + 2; i++) {
		char boot[16];

		snprintf(boot, sizeof(boot), "b%d", i);
		run_start(&b->text[i], boot, "2.28");
	}
	for (int i = 0; i < SERIES; i++) {
		run_row(&b->text[i], "p2p", 8, 10 * (1 + .001 * i));
		run_row(&b->text[i], "p2p", 64 * MIB, 1000 * (1 + .001 * i));
		run_row(&b->text[i], "shm", 8, 20 * (1 + .001 * i));
	}
}

static void judge_it(struct bench *b, bool confirm)
{
	char why[400];

	for (size_t i = 0; i < SERIES + 2; i++) {
		if ((i < SERIES && i >= b->n_base) || (i == AGAIN && !confirm))
			continue;
		assert_int_equal(run_parse(&b->pool, &b->text[i], &b->series[i], why, sizeof(why)),
				 0);
		if (i < SERIES)
			b->base[i] = &b->series[i];
	}
	assert_int_equal(judge_run(&b->pool, b->base, b->n_base, &b->series[NOW],
				   confirm ? &b->series[AGAIN] : NULL, &b->o, &b->j),
			 0);
}

static void teardown(struct bench *b)
{
	judge_fini(&b->j);
	for (int i = 0; i < SERIES + 2; i++) {
		series_fini(&b->series[i]);
		run_fini(&b->text[i]);
	}
	pool_fini(&b->pool);
}

static const struct point_finding *point(const struct bench *b, const char *transport,
					 uint64_t bytes)
{
	for (size_t i = 0; i < b->j.n_points; i++) {
		char value[64];

		series_group_field(pool_text(&b->pool, b->j.points[i].group), "transport", value,
				   sizeof(value));
		if (b->j.points[i].bytes == bytes && strcmp(value, transport) == 0)
			return &b->j.points[i];
	}
	fail_msg("no point %s %llu", transport, (unsigned long long)bytes);
	return NULL;
}

static void assert_verdict(const struct finding *f, int verdict)
{
	if (f->verdict != verdict)
		fail_msg("%s (%s), wanted %s", verdict_table[f->verdict].name, f->why,
			 verdict_table[verdict].name);
}

/* The new run: the times of p2p 8 B, p2p 64 MiB, shm 8 B. */
static void new_run(struct bench *b, int which, double small, double large, double shm)
{
	run_row(&b->text[which], "p2p", 8, small);
	run_row(&b->text[which], "p2p", 64 * MIB, large);
	run_row(&b->text[which], "shm", 8, shm);
}

static void the_same_passes(void **state)
{
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10.01, 1001, 20.02);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 0);
	assert_int_equal(b.j.n_groups, 3);
	assert_int_equal(b.j.n_points, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_verdict(&b.j.groups[i].f, VERDICT_PASS);
		assert_string_equal(b.j.groups[i].f.rule->name, "series");
	}
	assert_int_equal(b.j.n_series, 4);
	assert_int_equal(b.j.n_starts, 4);
	assert_true(b.j.alpha_group == 0.05 / 3);
	teardown(&b);
}

/* 64 MiB 4 % slower: the group's limit is 2 %, the point's 5 %. */
static void a_slower_group(void **state)
{
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10, 1000 * 1.04, 20);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 1);
	assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_PASS);
	assert_verdict(&point(&b, "shm", 8)->f, VERDICT_PASS);
	for (size_t i = 0; i < b.j.n_groups; i++)
		assert_verdict(&b.j.groups[i].f,
			       strcmp(size_classes[b.j.groups[i].size_class].name, "large") == 0
				   ? VERDICT_REGRESSED
				   : VERDICT_PASS);
	teardown(&b);
}

static void a_faster_point_is_no_failure(void **state)
{
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10, 900, 20);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 0);
	assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_IMPROVED);
	teardown(&b);
}

static void confirmation(void **state)
{
	static const struct {
		double again;
		int verdict, code;
	} cases[] = { { 1.10, VERDICT_REGRESSED, 1 }, { 1.001, VERDICT_PASS, 0 } };

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct bench b;

		setup(&b);
		new_run(&b, NOW, 10, 1000 * 1.10, 20);
		run_row(&b.text[AGAIN], "p2p", 64 * MIB, 1000 * cases[i].again); /* suspects only */
		judge_it(&b, true);
		assert_verdict(&point(&b, "p2p", 64 * MIB)->f, cases[i].verdict);
		assert_int_equal(b.j.exit_code, cases[i].code);
		teardown(&b);
	}
}

static void another_path_is_not_slower(void **state)
{
	static const struct {
		const char *used, *algo, *says;
	} cases[] = { { "SHM/direct", "RING", "P2P/CUMEM in the baseline, SHM/direct now" },
		      { "P2P/CUMEM", "TREE", "algorithm RING in the baseline, TREE now" } };

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct bench b;
		struct record r;

		setup(&b);
		run_row(&b.text[NOW], "p2p", 8, 10);
		run_row(&b.text[NOW], "shm", 8, 20);
		row_start(&r, "p2p", 64 * MIB);
		record_set(r.used, sizeof(r.used), cases[i].used);
		record_set(r.algo, sizeof(r.algo), cases[i].algo);
		row_finish(&b.text[NOW], &r, 3000, .001, 7);
		judge_it(&b, false);
		assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_PATH_CHANGED);
		assert_string_equal(point(&b, "p2p", 64 * MIB)->f.why, cases[i].says);
		assert_int_equal(b.j.exit_code, 4);
		teardown(&b);
	}
}

/* Unknown on one side is no change; protocol and channels are only told. */
static void what_is_not_known_has_not_changed(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "shm", 8, 20);
	row_start(&r, "p2p", 64 * MIB);
	record_set(r.used, sizeof(r.used), "");
	record_set(r.algo, sizeof(r.algo), "");
	record_set(r.proto, sizeof(r.proto), "LL");
	row_finish(&b.text[NOW], &r, 1000, .001, 7);
	judge_it(&b, false);
	assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_PASS);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

static const struct {
	const char *outcome;
	int verdict, code;
} outcomes[] = {
	{ "corrupt", VERDICT_FAILED, 5 },        { "hang", VERDICT_FAILED, 5 },
	{ "crash", VERDICT_FAILED, 5 },          { "error", VERDICT_FAILED, 5 },
	{ "unproven", VERDICT_PATH_CHANGED, 4 }, { "unavailable", VERDICT_MISSING, 4 },
	{ "skipped", VERDICT_MISSING, 4 },       { "out-of-memory", VERDICT_MISSING, 4 },
	{ "aborted", VERDICT_MISSING, 4 },
};

static void every_outcome(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(outcomes); i++) {
		struct bench b;

		setup(&b);
		run_row(&b.text[NOW], "p2p", 8, 10);
		run_row(&b.text[NOW], "p2p", 64 * MIB, 1000);
		run_outcome(&b.text[NOW], "shm", 8, outcomes[i].outcome, "because");
		judge_it(&b, false);
		assert_verdict(&point(&b, "shm", 8)->f, outcomes[i].verdict);
		assert_non_null(strstr(point(&b, "shm", 8)->f.why, "because"));
		assert_int_equal(b.j.exit_code, outcomes[i].code);
		teardown(&b);
	}
}

static void rows_that_come_or_go(void **state)
{
	struct bench b;

	setup(&b);
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "p2p", 64 * MIB, 1000);
	run_row(&b.text[NOW], "ib", 8, 5);
	judge_it(&b, false);
	assert_verdict(&point(&b, "shm", 8)->f, VERDICT_MISSING);
	assert_verdict(&point(&b, "ib", 8)->f, VERDICT_NEW);
	assert_int_equal(b.j.exit_code, 4);
	judge_fini(&b.j);
	b.o.missing_warns = true;
	assert_int_equal(judge_run(&b.pool, b.base, SERIES, &b.series[NOW], NULL, &b.o, &b.j), 0);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

/* Failed in the baseline too: measured on neither side, unless it failed now. */
static void never_measured(void **state)
{
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10, 1000, 20);
	for (int i = 0; i < SERIES; i++)
		run_outcome(&b.text[i], "socket", 8, "unavailable", "no interface");
	run_outcome(&b.text[NOW], "socket", 8, "unavailable", "no interface");
	judge_it(&b, false);
	assert_verdict(&point(&b, "socket", 8)->f, VERDICT_NONE);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

static void faster_than_the_link(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "shm", 8, 20);
	row_start(&r, "p2p", 64 * MIB);
	r.peak_pct = 140;
	row_finish(&b.text[NOW], &r, 500, .001, 7);
	judge_it(&b, false);
	assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_IMPOSSIBLE);
	assert_int_equal(b.j.exit_code, 5);
	teardown(&b);
}

/* peak_pct of a row whose data the switch reduces is of algbw already; with 8 ranks busbw is 1.75
 * times that, and 106 % must not become 61. */
static void faster_than_the_link_where_the_switch_reduces(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "shm", 8, 20);
	row_start(&r, "p2p", 64 * MIB);
	record_set(r.algo, sizeof(r.algo), "NVLS");
	r.ranks = 8;
	r.peak_pct = 106;
	row_finish(&b.text[NOW], &r, 500, .001, 7);
	judge_it(&b, false);
	for (size_t i = 0; i < b.j.n_points; i++)
		if (b.j.points[i].now && b.j.points[i].now->peak_pct > 0)
			assert_verdict(&b.j.points[i].f, VERDICT_IMPOSSIBLE);
	assert_int_equal(b.j.exit_code, 5);
	teardown(&b);
}

/* 20 operations per loop replayed 64 times against once: a power of four is replays, not another
 * measurement. */
static void other_replays_are_compared(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "shm", 8, 20);
	row_start(&r, "p2p", 64 * MIB);
	r.ops_per_batch = 1280;
	row_finish(&b.text[NOW], &r, 1000, .001, 7);
	judge_it(&b, false);
	assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_PASS);
	assert_string_equal(point(&b, "p2p", 64 * MIB)->f.why,
			    "batches of 1280 operations, were 20");
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

static void other_batches_are_not_compared(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "shm", 8, 20);
	row_start(&r, "p2p", 64 * MIB);
	r.ops_per_batch = 40;
	row_finish(&b.text[NOW], &r, 1000, .001, 7);
	judge_it(&b, false);
	assert_verdict(&point(&b, "p2p", 64 * MIB)->f, VERDICT_INCOMPARABLE);
	assert_int_equal(b.j.exit_code, 4);
	judge_fini(&b.j);
	b.o.across = 1u << FACT_BATCH;
	assert_int_equal(judge_run(&b.pool, b.base, SERIES, &b.series[NOW], NULL, &b.o, &b.j), 0);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

static void another_library(void **state)
{
	struct bench b;

	setup(&b);
	run_fini(&b.text[NOW]);
	run_start(&b.text[NOW], "b9", "2.29");
	new_run(&b, NOW, 10, 1000, 20);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 4);
	assert_int_equal(b.j.n_series, 0);
	assert_non_null(strstr(buf_text(&b.j.notes), "nccl: '2.28' in the baseline, '2.29' now"));
	judge_fini(&b.j);
	b.o.across = 1u << FACT_NCCL;
	assert_int_equal(judge_run(&b.pool, b.base, SERIES, &b.series[NOW], NULL, &b.o, &b.j), 0);
	assert_int_equal(b.j.exit_code, 0);
	assert_int_equal(b.j.n_series, 4);
	teardown(&b);
}

static void judge_again(struct bench *b)
{
	judge_fini(&b->j);
	assert_int_equal(judge_run(&b->pool, b->base, SERIES, &b->series[NOW], NULL, &b->o, &b->j),
			 0);
}

/* Pairs at once against pairs alone. Series of before the word was told say nothing. */
static void another_word_for_pairs(void **state)
{
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10, 1000, 20);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 0);
	strcpy(b.series[NOW].facts.value[FACT_PAIRS], "together");
	judge_again(&b);
	assert_int_equal(b.j.exit_code, 0);
	assert_int_equal(b.j.n_series, 4);
	strcpy(b.series[0].facts.value[FACT_PAIRS], "together");
	for (int i = 1; i < SERIES; i++)
		strcpy(b.series[i].facts.value[FACT_PAIRS], "alone");
	judge_again(&b);
	assert_int_equal(b.j.n_series, 1);
	assert_non_null(
	    strstr(buf_text(&b.j.notes), "pairs: 'alone' in the baseline, 'together' now"));
	strcpy(b.series[0].facts.value[FACT_PAIRS], "all");
	judge_again(&b);
	assert_int_equal(b.j.n_series, 0);
	assert_int_equal(b.j.exit_code, 4);
	b.o.across = fact_bits(FACT_PAIRS);
	judge_again(&b);
	assert_int_equal(b.j.n_series, 4);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

/* A profile keeps its name when its numbers change. */
static void other_numbers_of_a_profile(void **state)
{
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10, 1000, 20);
	judge_it(&b, false);
	strcpy(b.series[NOW].facts.value[FACT_SAMPLING], "8-100 batches of 2000 us");
	judge_again(&b);
	assert_int_equal(b.j.exit_code, 0); /* nobody knows the others' */
	for (int i = 0; i < SERIES; i++)
		strcpy(b.series[i].facts.value[FACT_SAMPLING], "8-100 batches of 1000 us");
	judge_again(&b);
	assert_int_equal(b.j.exit_code, 4);
	assert_non_null(strstr(buf_text(&b.j.notes), "sampling: '8-100 batches of 1000 us' in the "
						     "baseline, '8-100 batches of 2000 us' now"));
	b.o.across = fact_bits(FACT_SAMPLING);
	judge_again(&b);
	assert_int_equal(b.j.exit_code, 0);
	/* Another profile has other numbers: its word is enough. */
	strcpy(b.series[NOW].facts.value[FACT_PROFILE], "standard");
	judge_again(&b);
	assert_int_equal(b.j.exit_code, 4);
	b.o.across = fact_bits(FACT_PROFILE);
	judge_again(&b);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

/* 5 restarts: REGRESSED by 50 % is not said. */
static void too_few_restarts(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	row_start(&r, "p2p", 8);
	row_finish(&b.text[NOW], &r, 15, .001, 5);
	run_row(&b.text[NOW], "p2p", 64 * MIB, 1000);
	run_row(&b.text[NOW], "shm", 8, 20);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 3);
	assert_verdict(&point(&b, "p2p", 8)->f, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(point(&b, "p2p", 8)->f.why, "5 restarts now; at least 7"));
	judge_fini(&b.j);
	b.o.allow_weak = true;
	assert_int_equal(judge_run(&b.pool, b.base, SERIES, &b.series[NOW], NULL, &b.o, &b.j), 0);
	assert_int_equal(b.j.exit_code, 1);
	teardown(&b);
}

/* Restarts 8 % apart in 7 steps: nothing can be told about 2 %. */
static void too_noisy(void **state)
{
	struct bench b;
	struct record r;

	setup(&b);
	b.n_base = 1;
	row_start(&r, "p2p", 8);
	row_finish(&b.text[NOW], &r, 10.2, .08, 7);
	run_row(&b.text[NOW], "p2p", 64 * MIB, 1000);
	run_row(&b.text[NOW], "shm", 8, 20);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 3);
	judge_fini(&b.j);
	b.o.inconclusive_passes = true;
	assert_int_equal(judge_run(&b.pool, b.base, 1, &b.series[NOW], NULL, &b.o, &b.j), 0);
	assert_int_equal(b.j.exit_code, 0);
	teardown(&b);
}

/* +4 %: above 2 %, below the 5 % of the weaker rule. */
static void one_series_and_one_start_use_the_weaker_rule(void **state)
{
	for (size_t n = 1; n <= SERIES; n += SERIES - 1) {
		struct bench b;

		setup(&b);
		b.n_base = n;
		for (int i = 0; i < SERIES; i++) { /* all of one start */
			buf_fini(&b.text[i].json);
			buf_puts(&b.text[i].json, "{\"schema\":1,\"ranks\":[{\"boot\":\"same\"}]}");
		}
		new_run(&b, NOW, 10, 1000 * 1.04, 20);
		judge_it(&b, false);
		assert_int_equal(b.j.exit_code, 0);
		assert_string_equal(b.j.groups[0].f.rule->name, "one series");
		assert_non_null(strstr(buf_text(&b.j.notes), n == 1 ? "one baseline series"
								    : "of one machine start only"));
		teardown(&b);
	}
}

static void bare_points(void **state)
{
	static const struct {
		double large;
		int code;
	} cases[] = { { 1000, 0 }, { 1040, 0 }, { 1100, 1 } };

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct bench b;
		char why[400];

		setup(&b);
		new_run(&b, NOW, 10.001, cases[i].large, 20);
		for (int k = 0; k < SERIES + 1; k++) {
			assert_int_equal(series_parse(&b.pool, b.text[k].points.data,
						      b.text[k].points.len, NULL, 0, NULL, 0,
						      &b.series[k], why, sizeof(why)),
					 0);
			if (k < SERIES)
				b.base[k] = &b.series[k];
		}
		assert_int_equal(judge_run(&b.pool, b.base, 1, &b.series[NOW], NULL, &b.o, &b.j),
				 0);
		assert_true(b.j.bare);
		assert_int_equal(b.j.exit_code, cases[i].code);
		assert_non_null(strstr(buf_text(&b.j.notes), "medians and their intervals only"));
		assert_non_null(strstr(buf_text(&b.j.notes), "no run.json on either side"));
		teardown(&b);
	}
}

/* Three points of one group are slower; of the confirming run only one is there, or one is wrong.
 */
static void half_a_confirmation_clears_nothing(void **state)
{
	for (int corrupt = 0; corrupt <= 1; corrupt++) {
		struct bench b;

		memset(&b, 0, sizeof(b));
		judge_defaults(&b.o);
		b.n_base = SERIES;
		for (int i = 0; i < SERIES + 2; i++) {
			char boot[16];

			snprintf(boot, sizeof(boot), "b%d", i);
			run_start(&b.text[i], boot, "2.28");
			run_row(&b.text[i], "p2p", 8, i == NOW ? 12 : 10 * (1 + .001 * i));
			if (i == AGAIN && corrupt)
				run_outcome(&b.text[i], "p2p", 64, "corrupt", "element 3");
			if (i != AGAIN)
				run_row(&b.text[i], "p2p", 64, i == NOW ? 12 : 10 * (1 + .001 * i));
			if (i != AGAIN || corrupt)
				run_row(&b.text[i], "p2p", 512,
					i == NOW ? 12 : 10 * (1 + .001 * i));
		}
		judge_it(&b, true);
		assert_int_equal(b.j.n_groups, 1);
		if (corrupt) {
			assert_verdict(&b.j.groups[0].f, VERDICT_FAILED);
			assert_int_equal(b.j.exit_code, 5);
		} else {
			assert_verdict(&b.j.groups[0].f, VERDICT_REGRESSED);
			assert_non_null(strstr(b.j.groups[0].f.why,
					       "2 of its 3 points were not measured again"));
			assert_int_equal(b.j.exit_code, 1);
		}
		teardown(&b);
	}
}

/* Six points, three series of three starts that are 0, +3 % and -3 % off, restarts that are equally
 * far apart in all: so all ratios are the same r, four degrees are lent, and the ratio of all is
 * r e^Euler. The variance of 0, ln 1.03, ln 0.97 is 9.00608e-4; joined (2 + 4 e^Euler)/6 of it;
 * t(.995; 6) = 3.70743; sqrt(1 + 1/3): the limit is 0.15843. Alone it was t(.995; 2) = 9.92484,
 * 0.34392. */
static void points_lend_each_other(void **state)
{
	static const uint64_t sizes[] = { 8, 64, 512, 4096, MIB, 64 * MIB };
	static const double off[] = { 1, 1.03, 0.97 };
	struct bench b;

	memset(&b, 0, sizeof(b));
	judge_defaults(&b.o);
	b.n_base = 3;
	for (size_t i = 0; i < SERIES + 2; i++) {
		char boot[16];

		snprintf(boot, sizeof(boot), "b%zu", i);
		run_start(&b.text[i], boot, "2.28");
		for (size_t k = 0; k < N_ELEMENTS(sizes); k++) {
			struct record r;

			row_start(&r, "p2p", sizes[k]);
			row_finish(&b.text[i], &r, 10 * (i < 3 ? off[i] : 1), .01, 8);
		}
	}
	judge_it(&b, false);
	assert_true(fabs(b.j.lent_points.freedom - SPREAD_LENT_MOST) < 1e-9);
	assert_int_equal(b.j.lent_points.units, 6);
	assert_int_equal(b.j.n_points, 6);
	for (size_t i = 0; i < 6; i++)
		assert_true(fabs(b.j.points[i].f.limit - 0.15843) < 1e-5);
	assert_true(b.j.lent_groups.freedom == 0); /* three groups are too few */
	teardown(&b);
}

/* Variance of a centre .02^2 + pi/2 .01^2/8 = 4.19635e-4; t(.95; 2 + 4) = 1.94318; sqrt(4/3): the
 * limit is 0.045964, and what is found in 95 % as much again. */
static void reach_by_hand(void **state)
{
	struct reach r = { .within = .01, .differ = .02, .lent = 4 };

	assert_true(fabs(reach_at(&r, 8, 3, .05) - 2 * 0.045964) < 1e-5);
}

static void expected_failures(void **state)
{
	static const char csv[] = "match,verdict,reason,until\n"
				  "transport=shm bytes=8,missing,the cable is ordered,2026-12-31\n";
	struct expectations e;
	struct bench b;
	char why[200];

	assert_int_equal(expect_parse(csv, sizeof(csv) - 1, &e, why, sizeof(why)), 0);
	setup(&b);
	b.o.expected = &e;
	b.o.today = "2026-12-31";
	run_row(&b.text[NOW], "p2p", 8, 10);
	run_row(&b.text[NOW], "p2p", 64 * MIB, 1000);
	judge_it(&b, false);
	assert_int_equal(b.j.exit_code, 0);
	assert_string_equal(point(&b, "shm", 8)->f.expected, "the cable is ordered");
	judge_fini(&b.j);
	b.o.today = "2027-01-01";
	assert_int_equal(judge_run(&b.pool, b.base, SERIES, &b.series[NOW], NULL, &b.o, &b.j), 0);
	assert_int_equal(b.j.exit_code, 4);
	assert_non_null(strstr(buf_text(&b.j.notes), "ended on 2026-12-31"));
	expect_fini(&e);
	teardown(&b);
}

static void worst_exit_wins(void **state)
{
	static const int order[] = { 0, 3, 4, 1, 5, 2 };

	for (size_t i = 0; i < N_ELEMENTS(order); i++)
		for (size_t k = 0; k < N_ELEMENTS(order); k++)
			assert_int_equal(verdict_exit_worse(order[i], order[k]),
					 order[i > k ? i : k]);
	for (int i = 0; i < VERDICT_COUNT; i++) {
		assert_non_null(verdict_table[i].name);
		assert_int_equal(verdict_find(verdict_table[i].name), i);
	}
}

/* Four starts .1 % apart, 7 restarts .1 % apart: well below the floor of 2 %, and never below it.
 */
static void a_plan_promises_no_less_than_the_floor(void **state)
{
	struct reaches all;
	struct bench b;

	setup(&b);
	new_run(&b, NOW, 10, 1000, 20);
	judge_it(&b, false);
	assert_int_equal(reach_find(&b.pool, b.base, SERIES, &b.o, &all), 0);
	assert_int_equal(all.n, 3);
	for (size_t i = 0; i < all.n; i++) {
		assert_int_equal(all.v[i].n_series, 4);
		assert_int_equal(all.v[i].restarts, 7);
		assert_true(fabs(all.v[i].within - .00216) < .0001); /* sd of -3 .. 3 is 2.16 */
		assert_true(fabs(all.v[i].limit - log(1.02)) < 1e-12);
		assert_true(all.v[i].smallest > log(1.02) && all.v[i].smallest < log(1.03));
		assert_true(reach_at(&all.v[i], 40, 30, all.alpha) <
			    reach_at(&all.v[i], 7, 3, all.alpha));
	}
	reach_fini(&all);
	teardown(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_passes),
		cmocka_unit_test(a_slower_group),
		cmocka_unit_test(a_faster_point_is_no_failure),
		cmocka_unit_test(confirmation),
		cmocka_unit_test(another_path_is_not_slower),
		cmocka_unit_test(what_is_not_known_has_not_changed),
		cmocka_unit_test(every_outcome),
		cmocka_unit_test(rows_that_come_or_go),
		cmocka_unit_test(never_measured),
		cmocka_unit_test(faster_than_the_link),
		cmocka_unit_test(faster_than_the_link_where_the_switch_reduces),
		cmocka_unit_test(other_replays_are_compared),
		cmocka_unit_test(other_batches_are_not_compared),
		cmocka_unit_test(another_library),
		cmocka_unit_test(another_word_for_pairs),
		cmocka_unit_test(other_numbers_of_a_profile),
		cmocka_unit_test(too_few_restarts),
		cmocka_unit_test(too_noisy),
		cmocka_unit_test(one_series_and_one_start_use_the_weaker_rule),
		cmocka_unit_test(bare_points),
		cmocka_unit_test(half_a_confirmation_clears_nothing),
		cmocka_unit_test(points_lend_each_other),
		cmocka_unit_test(reach_by_hand),
		cmocka_unit_test(expected_failures),
		cmocka_unit_test(worst_exit_wins),
		cmocka_unit_test(a_plan_promises_no_less_than_the_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
