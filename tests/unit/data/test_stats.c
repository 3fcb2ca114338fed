/* SPDX-License-Identifier: Apache-2.0 */
/* Order statistics against values worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/attr.h"
#include "data/stats.h"

#define near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* n..1: the value of a rank is the rank, and the input is not sorted */
static void backwards(double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (double)(n - i);
}

static void test_percentiles(void **state)
{
	const double v[] = { 40, 10, 30, 20 };

	near(stats_median(v, 4), 25);
	near(stats_median(v, 3), 30); /* 40 10 30 */
	near(stats_percentile(v, 4, 0), 10);
	near(stats_percentile(v, 4, 100), 40);
	near(stats_percentile(v, 4, 25), 17.5); /* h = 0.75: 10 + 0.75 x 10 */
	near(stats_percentile(v, 4, 95), 38.5); /* h = 2.85: 30 + 0.85 x 10 */
	near(stats_percentile(v, 4, 250), 40);
	near(stats_percentile(v, 4, -1), 10);
	near(stats_min(v, 4), 10);
	near(stats_max(v, 4), 40);
	near(stats_mean(v, 4), 25);
	near(v[0], 40); /* the input stays as it was */
	near(stats_percentile(v, 1, 99), 40);
}

static void test_empty_is_unknown(void **state)
{
	double lo = 0, hi = 0;
	const size_t none[] = { 0, 0 };

	assert_true(isnan(stats_median(NULL, 0)));
	assert_true(isnan(stats_percentile(NULL, 0, 5)));
	assert_true(isnan(stats_min(NULL, 0)));
	assert_true(isnan(stats_max(NULL, 0)));
	assert_true(isnan(stats_mean(NULL, 0)));
	assert_true(isnan(stats_median_ci(NULL, 0, &lo, &hi)));
	assert_true(isnan(lo) && isnan(hi));
	assert_true(isnan(stats_median_of_medians(NULL, NULL, 0)));
	assert_true(isnan(stats_median_of_medians(NULL, none, 2)));
}

static void test_nan_in_the_input(void **state)
{
	const double v[] = { NAN, 3, 1, NAN, 2 };

	near(stats_min(v, 5), 1);
	near(stats_max(v, 5), 3);
	near(stats_median(v, 5), 3); /* sorted: 1 2 3 NaN NaN */
	assert_true(isnan(stats_mean(v, 5)));
	assert_true(isnan(stats_percentile(v, 5, NAN)));
}

/*
 * Ranks and coverage from the binomial table: P(Bin(10) < 2) = 11/1024; P(Bin(6) < 1) = 1/64;
 * P(Bin(20) < 6) = 21700/2^20; n = 9: 10/512 with k = 2; n = 5: even the extremes miss with 1/32.
 */
static void test_median_interval(void **state)
{
	static const struct {
		size_t n;
		double lo, hi, coverage;
	} want[] = {
		{ 1, 1, 1, 0 },
		{ 2, 1, 2, 0.5 },
		{ 5, 1, 5, 0.9375 },
		{ 6, 1, 6, 0.96875 },
		{ 8, 1, 8, 1 - 2.0 / 256 },
		{ 9, 2, 8, 1 - 20.0 / 512 },
		{ 10, 2, 9, 1 - 22.0 / 1024 },
		{ 20, 6, 15, 1 - 2 * 21700.0 / 1048576 },
		{ 100, 40, 61, 0.9647997997822991 },
	};
	double v[100], lo, hi;

	for (size_t i = 0; i < N_ELEMENTS(want); i++) {
		backwards(v, want[i].n);
		near(stats_median_ci(v, want[i].n, &lo, &hi), want[i].coverage);
		near(lo, want[i].lo);
		near(hi, want[i].hi);
	}
}

static void test_median_interval_large(void **state)
{
	static double v[5000];
	double lo, hi, coverage;

	backwards(v, 1000);
	coverage = stats_median_ci(v, 1000, &lo, &hi);
	near(lo, 469); /* the binomial sum in whole numbers: coverage 0.95371 */
	near(hi, 532);
	assert_true(fabs(coverage - 0.9537088026395019) < 1e-9);
	backwards(v, 5000); /* 2^-5000 is no double */
	coverage = stats_median_ci(v, 5000, &lo, &hi);
	near(lo, 2431); /* 2500 - 1.96 x 35.36 = 2430.7 */
	near(hi, 2570);
	assert_true(fabs(coverage - 0.9506841418958282) < 1e-9);
}

static void test_median_of_medians(void **state)
{
	/* medians 2, 20, 5: a restart with many samples has one vote like the others */
	const double v[] = { 1, 2, 3, 20, 20, 20, 20, 20, 5 };
	const size_t per_restart[] = { 3, 5, 0, 1 };

	near(stats_median_of_medians(v, per_restart, 4), 5);
	near(stats_median_of_medians(v, per_restart, 2), 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_empty_is_unknown),
		cmocka_unit_test(test_nan_in_the_input),
		cmocka_unit_test(test_median_interval),
		cmocka_unit_test(test_median_interval_large),
		cmocka_unit_test(test_median_of_medians),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
