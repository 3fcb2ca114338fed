/* SPDX-License-Identifier: Apache-2.0 */
/* What groups lend each other, worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "judge/spread.h"
#include "judge/stat.h"

#define EULER 0.57721566490153286
#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

/* Abramowitz and Stegun, tables 6.1 and 6.3, 6.4.2 and 6.4.4. */
static void derivatives_of_log_gamma(void **state)
{
	NEAR(stat_digamma(1), -EULER, 1e-12);
	NEAR(stat_digamma(0.5), -EULER - 2 * log(2), 1e-12);
	NEAR(stat_digamma(5), 25. / 12 - EULER, 1e-12); /* 1 + 1/2 + 1/3 + 1/4 */
	NEAR(stat_trigamma(1), M_PI * M_PI / 6, 1e-12);
	NEAR(stat_trigamma(0.5), M_PI * M_PI / 2, 1e-12);
	NEAR(stat_trigamma(2), M_PI * M_PI / 6 - 1, 1e-12);
	NEAR(stat_trigamma_inverse(M_PI * M_PI / 6), 1, 1e-9);
	NEAR(stat_trigamma_inverse(M_PI * M_PI / 2), 0.5, 1e-9);
}

/* pi/2 x 0.02^2 / 8 */
static void what_restarts_make(void **state)
{
	NEAR(spread_expected(0.02, 8), 7.853982e-5, 1e-10);
	assert_true(isnan(spread_expected(0.02, 0)));
	assert_true(isnan(spread_expected(NAN, 8)));
	assert_true(isnan(spread_expected(1e-16, 8))); /* equal to the last bits */
}

/* Six ratios of 3 are more alike than chance would make them: all have one ratio. The mean of the
 * log of a chi-square of 2, halved, is -Euler: 3 e^Euler. */
static void alike(void **state)
{
	struct spread v[6];
	struct spread_prior p;

	for (int i = 0; i < 6; i++)
		v[i] = (struct spread){ 3 * (i + 1), i + 1, 2 };
	spread_fit(v, 6, &p);
	NEAR(p.freedom, SPREAD_LENT_MOST, 0);
	NEAR(p.ratio, 3 * exp(EULER), 1e-9);
	assert_int_equal(p.units, 6);
	/* (2 x 3 + 4 x 3 e^Euler) / 6 */
	NEAR(spread_variance(&v[0], &p), 1 + 2 * exp(EULER), 1e-9);
	NEAR(spread_freedom(&v[0], &p), 6, 0);
	/* (2 x 6 + 4 x 3 e^Euler x 2) / 6 */
	NEAR(spread_variance(&v[1], &p), 2 + 4 * exp(EULER), 1e-9);
	/* One series knows nothing of itself: all of it is lent. */
	NEAR(spread_variance(&(struct spread){ NAN, 2, 0 }, &p), 6 * exp(EULER), 1e-9);
	NEAR(spread_freedom(&(struct spread){ NAN, 2, 0 }, &p), 4, 0);
}

/* Logs of the ratios +-L: their variance is 6/5 L^2. With L^2 = pi^2/3.6 that is pi^2/3, of which
 * the chi-square of 2 makes pi^2/6; what is left is trigamma(1): 2 degrees. The ratio is
 * exp(Euler + digamma(1) - log(1)) = 1. */
static void unlike(void **state)
{
	double l = M_PI / sqrt(3.6);
	struct spread v[8];
	struct spread_prior p;

	for (int i = 0; i < 6; i++)
		v[i] = (struct spread){ exp(i % 2 ? l : -l), 1, 2 };
	v[6] = (struct spread){ 100, NAN, 2 }; /* these two tell nothing */
	v[7] = (struct spread){ 100, 1, 0 };
	spread_fit(v, 8, &p);
	NEAR(p.freedom, 2, 1e-6);
	NEAR(p.ratio, 1, 1e-6);
	assert_int_equal(p.units, 6);
	/* (2 x 4 + 2 x 1) / 4 */
	NEAR(spread_variance(&(struct spread){ 4, 1, 2 }, &p), 2.5, 1e-5);
	NEAR(spread_freedom(&(struct spread){ 4, 1, 2 }, &p), 4, 1e-6);
	/* Whose own restarts are unknown can borrow nothing. */
	NEAR(spread_variance(&v[6], &p), 100, 0);
	NEAR(spread_freedom(&v[6], &p), 2, 0);
}

static void too_few(void **state)
{
	struct spread v[SPREAD_UNITS_LEAST];
	struct spread_prior p;

	for (int i = 0; i < SPREAD_UNITS_LEAST; i++)
		v[i] = (struct spread){ 1, 1, 2 };
	spread_fit(v, SPREAD_UNITS_LEAST - 1, &p);
	assert_true(p.freedom == 0);
	NEAR(spread_variance(&(struct spread){ 4, 1, 2 }, &p), 4, 0);
	NEAR(spread_variance(&(struct spread){ 4, 1, 2 }, NULL), 4, 0);
	spread_fit(v, SPREAD_UNITS_LEAST, &p);
	assert_true(p.freedom > 0);
	/* A spread of exactly 0 is no reason to believe in none. */
	for (int i = 0; i < SPREAD_UNITS_LEAST; i++)
		v[i].seen = 0;
	spread_fit(v, SPREAD_UNITS_LEAST, &p);
	NEAR(p.ratio, 0.01 * exp(EULER), 1e-9);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(derivatives_of_log_gamma),
		cmocka_unit_test(what_restarts_make),
		cmocka_unit_test(alike),
		cmocka_unit_test(unlike),
		cmocka_unit_test(too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
