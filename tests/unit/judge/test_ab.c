/* SPDX-License-Identifier: Apache-2.0 */
/* Arms of one run against each other: pairs, verdicts, and that a path is named before a
 * percentage. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>

#include "base/attr.h"
#include "judge/ab.h"
#include "judge/groups.h"
#include "report/ab.h"
#include "rows.h"

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

struct bench {
	struct pool pool;
	struct text_run t;
	struct series s;
	struct ab_options o;
	struct ab_result r;
};

static void start(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	run_start(&b->t, "1", "2.28.3");
	ab_defaults(&b->o);
}

static void finish(struct bench *b)
{
	char why[400];

	if (run_parse(&b->pool, &b->t, &b->s, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	assert_int_equal(ab_run(&b->pool, &b->s, "A", &b->o, &b->r), 0);
}

static void end(struct bench *b)
{
	ab_fini(&b->r);
	series_fini(&b->s);
	run_fini(&b->t);
	pool_fini(&b->pool);
}

static double median_of(const double *us, int restarts)
{
	double v[64];
	int n = 0;

	for (int i = 0; i < restarts; i++) {
		int k = n;

		if (!(us[i] > 0))
			continue;
		for (n++; k > 0 && v[k - 1] > us[i]; k--)
			v[k] = v[k - 1];
		v[k] = us[i];
	}
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* One row of an arm whose restart i took us[i]; a time of 0: that restart is not there. */
static void row(struct bench *b, const char *arm, uint64_t bytes, const double *us, int restarts,
		const char *used, const char *algo)
{
	struct record r;
	int n = 0;

	row_start(&r, "p2p", bytes);
	record_set(r.arm, sizeof(r.arm), arm);
	record_set(r.used, sizeof(r.used), used);
	record_set(r.algo, sizeof(r.algo), algo);
	for (int i = 0; i < restarts; i++) {
		struct sample s = { .restart = i,
				    .ops_per_batch = 20,
				    .max_us = us[i],
				    .mean_us = us[i],
				    .min_us = us[i] };

		if (us[i] > 0)
			sample_write(&b->t.samples, &r, &s);
		n += us[i] > 0;
	}
	r.time_us = median_of(us, restarts);
	r.restarts = r.samples = n;
	record_write(&b->t.points, &r);
}

static void outcome(struct bench *b, const char *arm, uint64_t bytes, const char *word)
{
	struct record r;

	row_start(&r, "p2p", bytes);
	record_set(r.arm, sizeof(r.arm), arm);
	record_set(r.outcome, sizeof(r.outcome), word);
	record_set(r.detail, sizeof(r.detail), "because");
	record_set(r.used, sizeof(r.used), "");
	record_write(&b->t.points, &r);
}

static void good(struct bench *b, const char *arm, uint64_t bytes, const double *us, int restarts)
{
	row(b, arm, bytes, us, restarts, "P2P/CUMEM", "RING");
}

/* A machine that doubles its time while it is measured, and an arm that takes 3 % more: pairs see
 * it, sides do not. */
static void three_percent_under_drift(void **state)
{
	double a[10], c[10];
	struct bench b;

	start(&b);
	for (int i = 0; i < 10; i++) {
		a[i] = 100 * (1 + i / 10.0);
		c[i] = a[i] * 1.03;
	}
	good(&b, "A", 8, a, 10);
	good(&b, "B", 8, c, 10);
	finish(&b);
	assert_int_equal(b.r.n_groups, 1);
	assert_int_equal(b.r.n_points, 1);
	assert_int_equal(b.r.groups[0].f.verdict, AB_SLOWER);
	assert_int_equal(b.r.groups[0].f.pairs, 10);
	NEAR(b.r.groups[0].f.shift, log(1.03), 1e-12);
	NEAR(b.r.groups[0].f.lo, log(1.03), 1e-12);
	/* The limit of a point is 5 %: the same 3 % is no difference of a point. */
	assert_int_equal(b.r.points[0].f.verdict, AB_SAME);
	NEAR(b.r.alpha_group, 0.025, 1e-15);
	end(&b);
}

static void faster_same_and_unsure(void **state)
{
	static const double a[8] = { 100, 100, 100, 100, 100, 100, 100, 100 };
	double faster[8], same[8], unsure[8];
	struct bench b;

	start(&b);
	for (int i = 0; i < 8; i++) {
		faster[i] = 90;
		same[i] = 100 + 0.1 * (i % 2 ? 1 : -1);
		unsure[i] = i % 2 ? 120 : 83;
	}
	good(&b, "A", 8, a, 8);
	good(&b, "B", 8, faster, 8);
	good(&b, "A", 1 << 20, a, 8);
	good(&b, "B", 1 << 20, same, 8);
	good(&b, "A", 1 << 30, a, 8);
	good(&b, "B", 1 << 30, unsure, 8);
	finish(&b);
	assert_int_equal(b.r.n_groups, 3);
	assert_int_equal(b.r.groups[0].f.verdict, AB_FASTER);
	NEAR(b.r.groups[0].f.shift, log(0.9), 1e-12);
	assert_int_equal(b.r.groups[1].f.verdict, AB_SAME);
	NEAR(b.r.groups[1].f.within, -log(0.999),
	     1e-9); /* the widest Walsh average that is left: -0.1 % itself */
	assert_int_equal(b.r.groups[2].f.verdict, AB_UNSURE);
	assert_true(b.r.groups[2].f.why[0] != '\0');
	end(&b);
}

/* Three groups of 4 pairs: 1/16 is above 0.05 / 6 = 1/120, for which 7 pairs are needed. */
static void too_few_pairs_say_how_many(void **state)
{
	static const double a[4] = { 100, 100, 100, 100 }, c[4] = { 150, 150, 150, 150 };
	struct bench b;

	start(&b);
	for (int i = 10; i <= 30; i += 10) {
		good(&b, "A", 1ULL << i, a, 4);
		good(&b, "B", 1ULL << i, c, 4);
	}
	finish(&b);
	assert_int_equal(b.r.n_groups, 3);
	assert_int_equal(b.r.groups[0].f.verdict, AB_UNSURE);
	NEAR(b.r.groups[0].f.needed, 7, 0);
	assert_non_null(strstr(b.r.groups[0].f.why, "7 can"));
	end(&b);
}

/* A restart that one arm lost is no pair; the others are. */
static void only_restarts_of_both_are_pairs(void **state)
{
	static const double a[9] = { 100, 0, 100, 100, 100, 100, 100, 100, 100 };
	static const double c[9] = { 110, 500, 110, 110, 110, 0, 110, 110, 110 };
	struct bench b;

	start(&b);
	good(&b, "A", 8, a, 9);
	good(&b, "B", 8, c, 9);
	finish(&b);
	assert_int_equal(b.r.points[0].f.pairs, 7);
	NEAR(b.r.points[0].f.shift, log(1.1), 1e-12);
	end(&b);
}

static void a_path_comes_before_time(void **state)
{
	static const double a[8] = { 10, 10, 10, 10, 10, 10, 10, 10 },
			    c[8] = { 90, 90, 90, 90, 90, 90, 90, 90 };
	struct bench b;

	start(&b);
	row(&b, "A", 8, a, 8, "P2P/CUMEM", "RING");
	row(&b, "B", 8, c, 8, "SHM/direct", "RING");
	row(&b, "A", 16, a, 8, "P2P/CUMEM", "RING");
	row(&b, "B", 16, c, 8, "P2P/CUMEM", "TREE");
	row(&b, "A", 32, a, 8, "P2P/CUMEM", "");
	row(&b, "B", 32, c, 8, "P2P/CUMEM", "TREE"); /* one side did not tell */
	finish(&b);
	assert_int_equal(b.r.points[0].f.verdict, AB_PATH_CHANGED);
	assert_int_equal(b.r.points[0].f.time_verdict, AB_SLOWER);
	assert_string_equal(b.r.points[0].f.why, "P2P/CUMEM becomes SHM/direct");
	assert_string_equal(b.r.points[1].f.why, "algorithm RING becomes TREE");
	assert_int_equal(b.r.points[2].f.verdict, AB_SLOWER);
	assert_int_equal(b.r.groups[0].f.verdict, AB_PATH_CHANGED);
	assert_int_equal(b.r.groups[0].f.time_verdict, AB_SLOWER);
	assert_string_equal(b.r.groups[0].f.why, "2 of 3 points: P2P/CUMEM becomes SHM/direct");
	end(&b);
}

static void what_failed_or_is_gone(void **state)
{
	static const double a[8] = { 10, 10, 10, 10, 10, 10, 10, 10 };
	struct bench b;

	start(&b);
	good(&b, "A", 8, a, 8);
	outcome(&b, "B", 8, "corrupt");
	good(&b, "A", 1 << 20, a, 8);
	outcome(&b, "B", 1 << 20, "unavailable");
	outcome(&b, "A", 1 << 30, "skipped");
	outcome(&b, "B", 1 << 30, "skipped");
	finish(&b);
	assert_int_equal(b.r.groups[0].f.verdict, AB_FAILED);
	assert_string_equal(b.r.groups[0].f.why, "ok becomes corrupt: because");
	assert_int_equal(b.r.groups[1].f.verdict, AB_MISSING);
	assert_int_equal(b.r.groups[2].f.verdict, AB_NONE);
	assert_int_equal(b.r.n_tested_groups, 0);
	end(&b);
}

/* Each further arm against the first, not against each other; a row that has no partner is counted.
 */
static void three_arms(void **state)
{
	static const double a[8] = { 10, 10, 10, 10, 10, 10, 10, 10 },
			    c[8] = { 20, 20, 20, 20, 20, 20, 20, 20 };
	struct bench b;
	char arm[64];

	start(&b);
	good(&b, "A", 8, a, 8);
	good(&b, "B", 8, c, 8);
	good(&b, "C", 8, a, 8);
	good(&b, "C", 16, a, 8);
	finish(&b);
	assert_int_equal(b.r.n_points, 3);
	assert_int_equal(b.r.n_alone, 1);
	assert_int_equal(b.r.groups[0].f.verdict, AB_SLOWER);
	series_group_field(pool_text(&b.pool, b.r.groups[1].group), "arm", arm, sizeof(arm));
	assert_string_equal(arm, "C");
	series_group_field(pool_text(&b.pool, b.r.groups[1].label), "arm", arm, sizeof(arm));
	assert_string_equal(arm, "");
	assert_int_equal(b.r.points[1].f.verdict, AB_SAME);
	assert_int_equal(b.r.points[2].f.verdict, AB_MISSING);
	end(&b);
}

static void a_run_of_one_environment_has_nothing_to_compare(void **state)
{
	static const double a[8] = { 10, 10, 10, 10, 10, 10, 10, 10 };
	struct bench b;

	start(&b);
	good(&b, "", 8, a, 8);
	finish(&b);
	assert_int_equal(b.r.n_points, 0);
	assert_int_equal(b.r.n_groups, 0);
	end(&b);
}

/* ---- what is written ---- */

static struct ab_view view_of(struct bench *b, const struct ab_side *sides, size_t n)
{
	return (struct ab_view){ .pool = &b->pool,
				 .r = &b->r,
				 .o = &b->o,
				 .sides = sides,
				 .n_sides = n,
				 .restarts = 8,
				 .run = "x" };
}

static void two_paths(struct bench *b)
{
	static const double a[8] = { 10, 10, 10, 10, 10, 10, 10, 10 },
			    c[8] = { 20, 20, 20, 20, 20, 20, 20, 20 };

	start(b);
	row(b, "A", 8, a, 8, "P2P/CUMEM", "RING");
	row(b, "B", 8, c, 8, "SHM/<b>|x", "RING");
	good(b, "A", 1 << 20, a, 8);
	good(b, "B", 1 << 20, c, 8);
	finish(b);
}

static void the_path_is_written_before_the_percentage(void **state)
{
	static const struct ab_side sides[] = { { "A", "", "" }, { "B", "X=1", "2.29.1" } };
	struct buf text = { 0 };
	struct bench b;
	struct ab_view v;
	const char *path;

	two_paths(&b);
	v = view_of(&b, sides, 2);
	ab_text(&text, &v);
	assert_non_null(strstr(buf_text(&text), "A  the plain environment\nB  X=1 (2.29.1)\n"));
	path = strstr(buf_text(&text),
		      "PATH_CHANGED P2P/CUMEM becomes SHM/<b>|x; then SLOWER +100.0 %");
	assert_non_null(path);
	assert_non_null(strstr(buf_text(&text), "SLOWER       +100.0 % (+100.0 .. +100.0 %)\n"));
	assert_non_null(strstr(buf_text(&text), "ab: 1 PATH_CHANGED, 1 SLOWER\n"));
	buf_fini(&text);
	end(&b);
}

/* What a person typed, or a log said, stays text in a terminal, in Markdown and in JSON. */
static void hostile_text_stays_text(void **state)
{
	static const struct ab_side sides[] = { { "A", "X=\033[31m|<img src=x>@all`\n# y", "" },
						{ "B", "\xff\xfe", "" } };
	struct buf text = { 0 }, markdown = { 0 }, json = { 0 };
	struct bench b;
	struct ab_view v;
	json_t *o;

	two_paths(&b);
	v = view_of(&b, sides, 2);
	ab_text(&text, &v);
	assert_null(strchr(buf_text(&text), '\033'));
	ab_markdown(&markdown, &v);
	assert_null(strstr(buf_text(&markdown), "<img"));
	assert_null(strstr(buf_text(&markdown), "@all"));
	assert_null(strstr(buf_text(&markdown), "\n# y"));
	assert_non_null(strstr(buf_text(&markdown), "SHM/&lt;b&gt;\\|x"));
	ab_json(&json, &v);
	o = json_loads(buf_text(&json), 0, NULL);
	assert_non_null(o);
	assert_int_equal(json_integer_value(json_object_get(o, "schema")), 1);
	assert_int_equal(json_array_size(json_object_get(o, "rows")), 2);
	assert_string_equal(json_string_value(json_object_get(
				json_array_get(json_object_get(o, "rows"), 0), "used")),
			    "SHM/<b>|x");
	assert_string_equal(json_string_value(json_object_get(
				json_array_get(json_object_get(o, "groups"), 1), "time_verdict")),
			    "SLOWER");
	json_decref(o);
	buf_fini(&text);
	buf_fini(&markdown);
	buf_fini(&json);
	end(&b);
}

/* 2^-10 = 1/1024 <= 0.05 / 2 / n up to n = 25; 2^-12 = 1/4096 up to 102. */
static void restarts_follow_the_comparisons(void **state)
{
	assert_int_equal(ab_restarts_for(0, 0.05), 10);
	assert_int_equal(ab_restarts_for(25, 0.05), 10);
	assert_int_equal(ab_restarts_for(26, 0.05), 12);
	assert_int_equal(ab_restarts_for(102, 0.05), 12);
	assert_int_equal(ab_restarts_for(103, 0.05), 14);
	assert_int_equal(ab_restarts_for(SIZE_MAX, 1e-300), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_percent_under_drift),
		cmocka_unit_test(faster_same_and_unsure),
		cmocka_unit_test(too_few_pairs_say_how_many),
		cmocka_unit_test(only_restarts_of_both_are_pairs),
		cmocka_unit_test(a_path_comes_before_time),
		cmocka_unit_test(what_failed_or_is_gone),
		cmocka_unit_test(three_arms),
		cmocka_unit_test(a_run_of_one_environment_has_nothing_to_compare),
		cmocka_unit_test(the_path_is_written_before_the_percentage),
		cmocka_unit_test(hostile_text_stays_text),
		cmocka_unit_test(restarts_follow_the_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
