/* SPDX-License-Identifier: Apache-2.0 */
/* Elapsed times of ranks -> samples -> one record's figures, worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "data/merge.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
		fail_msg("%.12g, must be %.12g", got, want);
}

static const struct op_case all_reduce = { .op = OP_ALL_REDUCE, .nranks = 2, .bytes = 8 };

/* One rank's times only: the other is never slower. */
static void add(struct merged *m, int restart, const int64_t *us, size_t n)
{
	int64_t ns[2 * 16] = { 0 };

	for (size_t i = 0; i < n; i++)
		ns[i] = us[i] * 1000;
	assert_int_equal(merged_add(m, &all_reduce, restart, ns, 16, n, 1), 0);
}

static void the_slowest_rank_is_the_figure(void **state)
{
	/* 10 operations a batch; two ranks, room for four batches each */
	static const int64_t ns[8] = { 1000, 2000, 3000, -1, 1500, 1000, 4000, -1 };
	struct merged m = { 0 };
	struct record r;

	assert_int_equal(merged_add(&m, &all_reduce, 0, ns, 4, 3, 10), 0);
	assert_int_equal(m.n, 3);
	near(m.samples[0].max_us, 0.15);
	near(m.samples[1].max_us, 0.2);
	near(m.samples[2].max_us, 0.4);
	near(m.samples[0].mean_us, 0.125);
	near(m.samples[2].min_us, 0.3);
	assert_int_equal(m.samples[0].slowest_rank, 1);
	assert_int_equal(m.samples[1].slowest_rank, 0);
	assert_int_equal(m.samples[2].batch, 2);
	near(m.samples[2].ops_per_batch, 10);
	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	near(r.time_us, 0.2);
	near(r.min_us, 0.15);
	near(r.max_us, 0.4);
	near(r.ci_lo_us, 0.15); /* three samples: the range */
	near(r.ci_hi_us, 0.4);
	near(r.p5_us, 0.155); /* a tenth of the way from 0.15 to 0.2 */
	near(r.p95_us, 0.38);
	near(r.p99_us, 0.396);
	near(r.samples, 3);
	near(r.restarts, 1);
	near(r.ops_per_batch, 10);
	near(merged_precision(&m), 0.625); /* (0.4 - 0.15) / 2 / 0.2 */
	merged_fini(&m);
}

/* The method of nccl-tests: 0.125, 0.15 and 0.35 us are the means over the two ranks. */
static void a_restart_leaves_and_comes_back(void **state)
{
	static const int64_t first[] = { 10, 12, 14 }, second[] = { 20, 22 }, third[] = { 1, 2, 3 };
	struct merged m = { 0 }, last = { 0 };

	add(&m, 0, first, 3);
	add(&m, 1, second, 2);
	assert_int_equal(merged_take_last(&m, &last), 0);
	assert_true(m.n == 3 && m.restarts == 1 && last.n == 2 && last.restarts == 1);
	near(merged_last_median_us(&m), 12);
	near(merged_last_median_us(&last), 21);
	add(&m, 1, third, 3); /* another try of the same restart */
	assert_int_equal(m.restarts, 2);
	near(merged_last_median_us(&m), 2);
	merged_fini(&last);
	assert_int_equal(merged_take_last(&m, &last), 0);
	assert_int_equal(merged_append(&m, &last), 0);
	assert_true(m.n == 6 && m.restarts == 2 && m.per_restart[1] == 3);
	near(merged_last_median_us(&m), 2);
	merged_fini(&last);
	merged_fini(&m);
	assert_int_equal(merged_take_last(&m, &last), 0);
	assert_true(last.n == 0 && m.restarts == 0);
	assert_int_equal(merged_append(&m, &last), 0);
	assert_int_equal(m.n, 0);
}

static void the_mean_over_ranks_where_it_is_asked_for(void **state)
{
	static const int64_t ns[6] = { 1000, 2000, 3000, 1500, 1000, 4000 };
	struct merged m = { .mean = true };
	struct record r;

	assert_int_equal(merged_add(&m, &all_reduce, 0, ns, 3, 3, 10), 0);
	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	near(r.time_us, 0.15);
	near(r.min_us, 0.125);
	near(r.max_us, 0.35);
	near(m.samples[2].max_us, 0.4); /* the samples keep all three */
	near(merged_last_median_us(&m), 0.15);
	merged_fini(&m);
}

/* Rank 1 has no part in a pingpong of 0 and 2; half a round trip is the figure. */
static void only_those_who_take_part(void **state)
{
	static const struct op_case pingpong = {
		.op = OP_PINGPONG, .nranks = 3, .a = 0, .b = 2, .bytes = 8
	};
	static const int64_t ns[3] = { 3000, 900000, 4000 };
	struct merged m = { 0 };

	assert_int_equal(merged_add(&m, &pingpong, 0, ns, 1, 1, 1), 0);
	near(m.samples[0].max_us, 2);
	near(m.samples[0].min_us, 1.5);
	near(m.samples[0].mean_us, 1.75);
	assert_int_equal(m.samples[0].slowest_rank, 2);
	merged_fini(&m);
}

static void a_restart_has_one_vote(void **state)
{
	struct merged m = { 0 };
	struct record r;

	add(&m, 0, (int64_t[]){ 1, 2 }, 2);
	add(&m, 0, (int64_t[]){ 3 }, 1); /* the same restart goes on */
	add(&m, 2, (int64_t[]){ 30, 10, 20, 25, 15 }, 5);
	assert_int_equal(m.restarts, 2);
	assert_int_equal(m.per_restart[0], 3);
	assert_int_equal(m.per_restart[1], 5);
	assert_int_equal(m.samples[2].batch, 2);
	assert_int_equal(m.samples[2].restart, 0);
	assert_int_equal(m.samples[3].batch, 0);
	assert_int_equal(m.samples[3].restart, 2);
	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	near(r.time_us,
	     11); /* between the medians 2 and 20; of all eight together it would be 12.5 */
	near(r.restarts, 2);
	near(r.samples, 8);
	near(merged_last_median_us(&m), 20);
	near(merged_precision(&m), 0.5); /* of the last restart alone: (30 - 10) / 2 / 20 */
	merged_fini(&m);
}

/* From six restarts on, they are the replicates. */
static void the_interval_of_restarts(void **state)
{
	struct merged m = { 0 };
	struct record r;

	for (int i = 1; i <= 6; i++)
		add(&m, i, (int64_t[]){ 100 * i - 90, 100 * i, 100 * i + 90 }, 3);
	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	near(r.time_us, 350);
	near(r.ci_lo_us, 100); /* six values: the interval is their range, 1 - 2/64 */
	near(r.ci_hi_us, 600);
	near(r.min_us, 10);
	merged_fini(&m);
	for (int i = 1; i <= 5; i++)
		add(&m, i, (int64_t[]){ 100 * i - 90, 100 * i, 100 * i + 90 }, 3);
	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	/* Five restarts: the fifteen batches. 4th smallest and 4th largest: P(Bin(15) < 4) =
	 * 0.0176, < 5 = 0.0592. Sorted they are 10 100 110 190 200 210 290 300 310 390 400 410 490
	 * 500 590. */
	near(r.ci_lo_us, 190);
	near(r.ci_hi_us, 410);
	merged_fini(&m);
}

static void nothing_and_too_little(void **state)
{
	struct merged m = { 0 };
	struct record r;

	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	assert_true(isnan(r.time_us));
	assert_true(isinf(merged_precision(&m)));
	assert_true(isnan(merged_last_median_us(&m)));
	add(&m, 0, (int64_t[]){ 5, 5 }, 2);
	assert_true(isinf(merged_precision(&m)));
	add(&m, 0, (int64_t[]){ 5 }, 1);
	near(merged_precision(&m), 0);
	merged_fini(&m);
	/* A clock that does not move gives no precision, and no division by zero. */
	add(&m, 0, (int64_t[]){ 0, 0, 0 }, 3);
	assert_true(isinf(merged_precision(&m)));
	merged_fini(&m);
}

static void many(void **state)
{
	struct merged m = { 0 };
	struct record r;

	for (int i = 0; i < 1000; i++)
		add(&m, i / 10, (int64_t[]){ i % 10 + 1 }, 1);
	assert_int_equal(m.n, 1000);
	assert_int_equal(m.restarts, 100);
	record_init(&r);
	assert_int_equal(merged_fill(&m, &r), 0);
	near(r.time_us, 5.5);
	near(r.ci_lo_us, 5.5);
	near(r.max_us, 10);
	merged_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_rank_is_the_figure),
		cmocka_unit_test(a_restart_leaves_and_comes_back),
		cmocka_unit_test(the_mean_over_ranks_where_it_is_asked_for),
		cmocka_unit_test(only_those_who_take_part),
		cmocka_unit_test(a_restart_has_one_vote),
		cmocka_unit_test(the_interval_of_restarts),
		cmocka_unit_test(nothing_and_too_little),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
