/* SPDX-License-Identifier: Apache-2.0 */
/* Slow members of a class, medians and bounds worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "judge/slow.h"

static void one_of_four(void **state)
{
	/* Median 100, deviations 0 0 2 40: MAD 1, bound 100 - 5 x 1.4826 = 92.6; 90 % decides. */
	struct slow_item v[] = { { 100, 0 }, { 102, 0 }, { 100, 0 }, { 60, 0 } };

	assert_int_equal(slow_find(v, 4), 0);
	assert_true(v[3].slow && !v[0].slow && !v[1].slow && !v[2].slow);
	assert_true(v[3].median == 100);
	v[3].speed = 90.1;
	assert_int_equal(slow_find(v, 4), 0);
	assert_false(v[3].slow);
	v[3].speed = 89.9;
	assert_int_equal(slow_find(v, 4), 0);
	assert_true(v[3].slow);
}

static void scattered(void **state)
{
	/* Median 100, deviations 20 10 0 10 20: MAD 10, bound 100 - 74.13 = 25.87. */
	struct slow_item v[] = { { 80, 0 }, { 90, 0 }, { 100, 0 }, { 110, 0 }, { 120, 0 } };

	assert_int_equal(slow_find(v, 5), 0);
	for (int i = 0; i < 5; i++)
		assert_false(v[i].slow);
	v[0].speed = 26;
	assert_int_equal(slow_find(v, 5), 0);
	assert_false(v[0].slow);
	v[0].speed = 25.8;
	assert_int_equal(slow_find(v, 5), 0);
	assert_true(v[0].slow);
}

static void against_its_own_class(void **state)
{
	/* Class 1 has half of the speed of class 0 and nothing slow; class 2 and none are too few.
	 */
	struct slow_item v[] = { { 100, 0 }, { 100, 0 }, { 100, 0 }, { 50, 1 },  { 50, 1 },
				 { 50, 1 },  { 30, 1 },  { 100, 2 }, { 10, 2 },  { 1, -1 },
				 { 9, -1 },  { 9, -1 },  { 9, -1 },  { NAN, 0 }, { 0, 0 } };

	assert_int_equal(slow_find(v, 15), 0);
	for (int i = 0; i < 15; i++)
		assert_int_equal(v[i].slow, i == 6);
	assert_true(v[6].median == 50);
	assert_true(isnan(v[8].median));
	assert_true(isnan(v[9].median));
	assert_int_equal(slow_find(v, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_four),
		cmocka_unit_test(scattered),
		cmocka_unit_test(against_its_own_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
