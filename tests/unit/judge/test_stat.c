/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics against values worked out by hand, by counting, and from published tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/attr.h"
#include "judge/stat.h"

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* 5 against 5: 252 ways to choose; 1, 1, 2, 3, 5 of them have U = 0, 1, 2, 3, 4 (partitions of U
 * into at most 5 parts of at most 5: 1, 1, 2, 3, 5). */
static void tails_of_five_against_five(void **state)
{
	static const double ways[] = { 1, 2, 4, 7, 12 };

	for (size_t u = 0; u < N_ELEMENTS(ways); u++)
		NEAR(stat_mwu_cdf(5, 5, u), ways[u] / 252, 1e-14);
	NEAR(stat_mwu_cdf(5, 5, 12), 0.5, 1e-14); /* symmetric about 12.5 */
	NEAR(stat_mwu_cdf(5, 5, 24), 251.0 / 252, 1e-14);
	assert_true(stat_mwu_cdf(5, 5, 25) == 1);
}

/* Every way to place n values among n + m, counted one by one. */
static double by_counting(unsigned n, unsigned m, size_t u)
{
	double hits = 0, all = 0;

	for (unsigned set = 0; set < 1u << (n + m); set++) {
		size_t beats = 0, others = 0;

		if ((unsigned)__builtin_popcount(set) != n)
			continue;
		for (unsigned i = 0; i < n + m; i++) {
			if (set & 1u << i)
				beats += others;
			else
				others++;
		}
		hits += beats <= u;
		all++;
	}
	return hits / all;
}

static void tails_of_unequal_sizes_by_counting(void **state)
{
	static const unsigned sizes[][2] = { { 1, 1 }, { 1, 9 }, { 3, 4 }, { 4, 3 },
					     { 6, 2 }, { 5, 7 }, { 8, 8 } };

	for (size_t i = 0; i < N_ELEMENTS(sizes); i++)
		for (size_t u = 0; u < sizes[i][0] * sizes[i][1]; u += 1 + u / 5)
			NEAR(stat_mwu_cdf(sizes[i][0], sizes[i][1], u),
			     by_counting(sizes[i][0], sizes[i][1], u), 1e-13);
}

/* Number of subsets is the binomial coefficient: the smallest tail is one of them. */
static void smallest_tails(void **state)
{
	NEAR(stat_mwu_cdf(7, 7, 0) * 3432, 1, 1e-11);            /* C(14, 7) */
	NEAR(stat_mwu_cdf(10, 10, 0) * 184756, 1, 1e-11);        /* C(20, 10) */
	NEAR(stat_mwu_cdf(10, 60, 0) * 396704524216.0, 1, 1e-9); /* C(70, 10) */
}

/* One-sided critical values of U as printed in tables of the test (n1 = n2 = n, reject at U <=
 * value): alpha .05: 5 -> 4, 7 -> 11, 10 -> 27, 20 -> 138; alpha .01: 5 -> 1, 7 -> 6, 10 -> 19, 20
 * -> 114. */
static void cuts_are_those_of_the_tables(void **state)
{
	static const struct {
		size_t n, at05, at01;
	} table[] = { { 5, 4, 1 }, { 7, 11, 6 }, { 10, 27, 19 }, { 20, 138, 114 } };

	for (size_t i = 0; i < N_ELEMENTS(table); i++) {
		assert_int_equal(stat_mwu_cut(table[i].n, table[i].n, 0.05), table[i].at05 + 1);
		assert_int_equal(stat_mwu_cut(table[i].n, table[i].n, 0.01), table[i].at01 + 1);
	}
	assert_int_equal(stat_mwu_cut(5, 5, 0.001), 0); /* 1/252 is the least there is */
	assert_int_equal(stat_mwu_cut(5, 5, 1.0 / 252), 1);
	assert_int_equal(stat_mwu_cut(0, 5, 0.05), 0);
	assert_false(stat_mwu_reaches(5, 5, 0.001));
	assert_true(stat_mwu_reaches(5, 5, 1.0 / 252));
	assert_false(stat_mwu_reaches(0, 5, 0.05));
	assert_false(stat_mwu_reaches(1, 1, 0.5)); /* two orders: no one-sided bound in between */
	assert_true(stat_mwu_reaches(7, 21, 0.05 / 36)); /* 1 / 1184040 */
	assert_false(stat_mwu_reaches(7, 21, 8e-7));
}

static void large_samples_are_normal(void **state)
{
	/* 200 x 200: mean 20000, sd sqrt(40000 * 401 / 12) = 1156.14; 1.6449 sd below: 18098 */
	size_t cut = stat_mwu_cut(200, 200, 0.05);

	assert_in_range(cut, 18093, 18103);
	/* where both ways exist they agree: 100 x 110 is exact, 110 x 110 is not */
	NEAR(stat_mwu_cdf(100, 110, 5000),
	     stat_normal_cdf((5000.5 - 5500) / sqrt(11000.0 * 211 / 12)), 5e-4);
}

/* a = {1,2,3,4,5}, b = a + 10: 25 differences 6, 7 7, 8 8 8, 9 x 4, 10 x 5, 11 x 4 ... 14. */
static void shift_of_a_moved_sample(void **state)
{
	static const double a[] = { 3, 1, 5, 2, 4 }, b[] = { 15, 14, 13, 12, 11 };
	struct stat_cuts cuts = { 0 };
	struct stat_shift s;

	assert_int_equal(stat_shift(a, 5, b, 5, 1.0 / 252, &cuts, &s), 0);
	NEAR(s.hl, 10, 0);
	NEAR(s.lo, 6, 0); /* one may be left out: the least itself is the bound */
	NEAR(s.hi, 14, 0);
	NEAR(s.lo95, 8, 0); /* cut 5: the fifth of 6 7 7 8 8 8 */
	NEAR(s.hi95, 12, 0);
	assert_int_equal(stat_shift(a, 5, b, 5, 0.001, &cuts, &s), 0);
	assert_true(isinf(s.lo) && s.lo < 0 && isinf(s.hi) && s.hi > 0);
}

/* By hand: a = {1.1, 2.3, 0.7}, b = {3.0, 4.4}: differences 1.9 0.7 2.3 3.3 2.1 3.7, sorted
 * .7 1.9 2.1 2.3 3.3 3.7, median 2.2. Of C(5,2) = 10 orders one has U = 0, two U <= 1: at .1 the
 * bound is .7, at .2 it is 1.9. */
static void shift_by_hand(void **state)
{
	static const double a[] = { 1.1, 2.3, 0.7 }, b[] = { 3.0, 4.4 };
	struct stat_cuts cuts = { 0 };
	struct stat_shift s;

	assert_int_equal(stat_shift(a, 3, b, 2, 0.1, &cuts, &s), 0);
	NEAR(s.hl, 2.2, 1e-12);
	NEAR(s.lo, 0.7, 1e-12);
	NEAR(s.hi, 3.7, 1e-12);
	assert_int_equal(stat_shift(a, 3, b, 2, 0.2, &cuts, &s), 0);
	NEAR(s.lo, 1.9, 1e-12);
	NEAR(s.hi, 3.3, 1e-12);
	assert_true(isinf(s.lo95)); /* .1 is the least level of 3 against 2 */
	assert_int_equal(stat_shift(a, 0, b, 2, 0.2, &cuts, &s), -EINVAL);
}

static int up(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static void selection_is_sorting(void **state)
{
	uint64_t seed = 7;

	for (size_t n = 1; n < 60; n++) {
		double v[60], w[60], sorted[60];

		for (size_t i = 0; i < n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			v[i] = sorted[i] =
			    (double)((seed >> 40) % (n % 2 ? 5 : 1000)); /* ties too */
		}
		qsort(sorted, n, sizeof(*sorted), up);
		for (size_t k = 0; k < n; k++) {
			for (size_t i = 0; i < n; i++)
				w[i] = v[i];
			assert_true(stat_nth(w, n, k) == sorted[k]);
		}
	}
}

/* Printed tables of Student's t: one-sided 5 %, 1 %, 0.1 %. */
static void quantiles_of_t(void **state)
{
	static const struct {
		int df;
		double p95, p99, p999;
	} table[] = {
		{ 1, 6.3138, 31.8205, 318.309 }, { 2, 2.9200, 6.9646, 22.3271 },
		{ 3, 2.3534, 4.5407, 10.2145 },  { 5, 2.0150, 3.3649, 5.8934 },
		{ 10, 1.8125, 2.7638, 4.1437 },  { 30, 1.6973, 2.4573, 3.3852 },
	};

	for (size_t i = 0; i < N_ELEMENTS(table); i++) {
		NEAR(stat_t_quantile(0.95, table[i].df), table[i].p95, 6e-5);
		NEAR(stat_t_quantile(0.99, table[i].df), table[i].p99, 6e-5);
		NEAR(stat_t_quantile(0.999, table[i].df), table[i].p999, 6e-4);
		NEAR(stat_t_quantile(0.05, table[i].df), -table[i].p95, 6e-5);
		NEAR(stat_t_cdf(0, table[i].df), 0.5, 1e-15);
	}
	NEAR(stat_normal_quantile(0.975), 1.959964, 1e-6);
}

/* {1, 2, 3, 4}: sd sqrt(5/3) = 1.29099; t(.95; 3) = 2.35336; sqrt(1.25) = 1.118034:
 * product 3.39679. */
static void prediction_limit(void **state)
{
	static const double v[] = { 1, 2, 3, 4 };

	NEAR(stat_sd(v, 4), 1.290994, 1e-6);
	NEAR(stat_variance(v, 4, 4), 5. / 3, 1e-12);
	NEAR(stat_prediction(5. / 3, 3, 4, 0.05), 3.396786, 1e-5);
	NEAR(stat_prediction(5. / 3, 3.9, 4, 0.05), 3.396786, 1e-5); /* rounded down */
	/* in two starts of two: variance times 3 / (4 - 2) */
	NEAR(stat_variance(v, 4, 2), 2.5, 1e-12);
	assert_true(isinf(stat_prediction(1, 0.5, 4, 0.05)));
	assert_true(isnan(stat_variance(v, 1, 1)));
	assert_true(isnan(stat_sd(v, 1)));
}

/* None of n: 1 - alpha^(1/n). 1 of 10 at 5 %: 0.3942 (printed tables). */
static void upper_bound_of_a_rate(void **state)
{
	NEAR(stat_rate_upper(0, 100, 0.05), 1 - pow(0.05, 0.01), 1e-9);
	NEAR(stat_rate_upper(1, 10, 0.05), 0.3942, 5e-5);
	assert_true(stat_rate_upper(5, 5, 0.05) == 1);
}

/* Subsets of {1 .. n} by their sum, counted by hand: n = 3: 1 1 1 2 1 1 1; of {1 .. 10} with sums 0
 * .. 8: 1 1 1 2 2 3 4 5 6 (partitions into distinct parts), 25 together: the printed critical value
 * for n = 10 at 2.5 % is 8. */
static void signed_rank_tails(void **state)
{
	static const double three[] = { 1, 2, 3, 5, 6, 7, 8 },
			    ten[] = { 1, 2, 3, 5, 7, 10, 14, 19, 25 };

	for (size_t w = 0; w < N_ELEMENTS(three); w++)
		NEAR(stat_signed_cdf(3, w), three[w] / 8, 1e-15);
	for (size_t w = 0; w < N_ELEMENTS(ten); w++)
		NEAR(stat_signed_cdf(10, w), ten[w] / 1024, 1e-15);
	NEAR(stat_signed_cdf(1, 0), 0.5, 1e-15);
	assert_true(stat_signed_cdf(1, 1) == 1);
	assert_true(stat_signed_cdf(0, 0) == 1);
	/* R's wilcox.test of the depression scores (Hollander and Wolfe, 1973): V = 40 of 45, p =
	 * 0.01953. */
	NEAR(stat_signed_cdf(9, 45 - 40), 0.01953, 5e-6);
	/* Beyond the exact form: symmetric, and near it at the border. */
	NEAR(stat_signed_cdf(65, 65 * 66 / 4), 0.5, 0.002);
	NEAR(stat_signed_cdf(64, 700), stat_signed_cdf(65, 732), 0.01);
}

/* One-sided critical values as printed: .05: n = 5 -> 0, 8 -> 5, 10 -> 10, 20 -> 60; .01: 7 -> 0,
 * 10 -> 5, 20 -> 43. */
static void signed_rank_cuts_are_those_of_the_tables(void **state)
{
	static const struct {
		size_t n;
		double alpha;
		size_t critical;
	} table[] = { { 5, .05, 0 }, { 8, .05, 5 },  { 10, .05, 10 }, { 20, .05, 60 },
		      { 7, .01, 0 }, { 10, .01, 5 }, { 20, .01, 43 } };

	for (size_t i = 0; i < N_ELEMENTS(table); i++)
		assert_int_equal(stat_signed_cut(table[i].n, table[i].alpha),
				 table[i].critical + 1);
	assert_int_equal(stat_signed_cut(4, .05), 0);      /* 1/16 is more */
	assert_int_equal(stat_signed_cut(4, 1.0 / 16), 1); /* reached exactly */
	assert_int_equal(stat_signed_cut(0, .05), 0);
}

static void paired_shift_by_hand(void **state)
{
	/* Walsh averages 1, 1.5, 2, 2.5, 3, 4: the median is between the third and the fourth. */
	static const double three[] = { 4, 1, 2 };
	/* 1 .. 5: Walsh averages 1, 1.5, 2 x2, 2.5 x2, 3 x3, 3.5 x2, 4 x2, 4.5, 5: the eighth of 15
	 * is 3. */
	static const double five[] = { 5, 3, 1, 2, 4 };
	/* Depression scores, x - y (Hollander and Wolfe): the estimate is 0.46; of 45 averages
	 * those at 6th place from each end. */
	static const double nine[] = { .952, -.147, 1.022, .43, .62, .59, .49, -.08, .01 };
	struct stat_shift s;

	assert_int_equal(stat_paired(three, 3, 1.0 / 8, &s), 0);
	NEAR(s.hl, 2.25, 1e-15);
	NEAR(s.lo, 1, 1e-15);
	NEAR(s.hi, 4, 1e-15);
	assert_true(isinf(s.lo95) && s.lo95 < 0 && isinf(s.hi95) &&
		    s.hi95 > 0); /* 3 pairs: at best 1/8 */
	assert_int_equal(stat_paired(five, 5, 3.0 / 32, &s), 0);
	NEAR(s.hl, 3, 1e-15);
	NEAR(s.lo, 2, 1e-15); /* P(W <= 2) = 3/32: the third smallest */
	NEAR(s.hi, 4, 1e-15);
	NEAR(s.lo95, 1, 1e-15); /* 1/32 <= 5 % < 2/32 */
	NEAR(s.hi95, 5, 1e-15);
	assert_int_equal(stat_paired(nine, 9, 10.0 / 512, &s), 0);
	NEAR(s.hl, 0.46, 1e-12);
	NEAR(s.lo, 0.01, 1e-12);
	NEAR(s.hi, 0.786, 1e-12);
	assert_int_equal(stat_paired(nine, 0, .05, &s), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signed_rank_tails),
		cmocka_unit_test(signed_rank_cuts_are_those_of_the_tables),
		cmocka_unit_test(paired_shift_by_hand),
		cmocka_unit_test(tails_of_five_against_five),
		cmocka_unit_test(tails_of_unequal_sizes_by_counting),
		cmocka_unit_test(smallest_tails),
		cmocka_unit_test(cuts_are_those_of_the_tables),
		cmocka_unit_test(large_samples_are_normal),
		cmocka_unit_test(shift_of_a_moved_sample),
		cmocka_unit_test(shift_by_hand),
		cmocka_unit_test(selection_is_sorting),
		cmocka_unit_test(quantiles_of_t),
		cmocka_unit_test(prediction_limit),
		cmocka_unit_test(upper_bound_of_a_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
