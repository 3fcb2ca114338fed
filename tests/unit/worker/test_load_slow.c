/* SPDX-License-Identifier: Apache-2.0 */
/* Computation beside a batch: groups, and slow-downs worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "worker/load_slow.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void plan_is(double pieces, int step, int groups)
{
	struct load_plan p = load_plan(pieces);

	assert_int_equal(load_steps[p.step], step);
	assert_int_equal(p.groups, groups);
}

/* Steps of 1 to 16 pieces; 60 groups at most, so 960 pieces; a part of a group is a whole one. */
static void plans(void **state)
{
	plan_is(-3, 1, 1);
	plan_is(0, 1, 1);
	plan_is(26.5, 1, 27);
	plan_is(60, 1, 60);
	plan_is(60.5, 2, 31);
	plan_is(120, 2, 60);
	plan_is(121, 4, 31);
	plan_is(240, 4, 60);
	plan_is(241, 8, 31);
	plan_is(480, 8, 60);
	plan_is(481, 16, 31);
	plan_is(960, 16, 60);
	plan_is(961, 16, 60);
	plan_is(1e12, 16, 60);
	plan_is(INFINITY, 16, 60);
}

/* Alone 100 a group. Before the batch 100 each, within it 150, after it 100. The batch begins at
 * 250 and ends at 1020: wholly within it are those that end at 450, 600, 750, 900, so four from 300
 * on: the one from 200 to 300 began before it, the one from 900 to 1050 ended after it. */
static void whole_groups_only(void **state)
{
	static const double mark[] = { 0, 100, 200, 300, 450, 600, 750, 900, 1050, 1150, 1250 };

	NEAR(load_slowdown(mark, 10, 250, 1020, 100), 1.5);
	/* What the edges took does not matter. */
	NEAR(load_slowdown(mark, 10, 201, 1049, 100), 1.5);
	/* A mark at either end is within. */
	NEAR(load_slowdown(mark, 10, 300, 900, 100), 1.5);
	/* From 200 to 1050: 850 for six groups. */
	NEAR(load_slowdown(mark, 10, 200, 1050, 100), 850. / 600);
	/* Groups of another kind, 125 alone. */
	NEAR(load_slowdown(mark, 10, 250, 1020, 125), 1.2);
}

static void too_few(void **state)
{
	static const double mark[] = { 0, 100, 200, 300, 400 };

	NEAR(load_slowdown(mark, 4, 50, 400, 50), 2);             /* three: 100 to 400 */
	assert_true(isnan(load_slowdown(mark, 4, 50, 399, 50)));  /* two */
	assert_true(isnan(load_slowdown(mark, 4, 120, 180, 50))); /* shorter than a group */
	assert_true(isnan(load_slowdown(mark, 4, 500, 900, 50))); /* after all of them */
	assert_true(isnan(load_slowdown(mark, 4, -9, -1, 50)));   /* before all of them */
	assert_true(isnan(load_slowdown(mark, 4, 0, 400, 0)));    /* not timed alone */
	assert_true(isnan(load_slowdown(mark, 4, 0, 400, NAN)));
}

static void median(void **state)
{
	double three[] = { 1.3, 1.1, 1.2 }, two[] = { 1.4, 1.2 }, one[] = { 1.5 };

	NEAR(load_typical(three, 3, 3, 5), 1.2);
	NEAR(load_typical(two, 2, 2, 3), 1.4);
	assert_true(isnan(load_typical(two, 2, 2, 4))); /* half of the batches tell nothing */
	NEAR(load_typical(one, 1, 1, 1), 1.5);
	assert_true(isnan(load_typical(one, 0, 0, 1)));
	assert_true(isnan(load_typical(one, 0, 0, 0)));
	NEAR(load_typical(three, 3, 100, 120), 1.2); /* the latest three of 100 were kept */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans),
		cmocka_unit_test(whole_groups_only),
		cmocka_unit_test(too_few),
		cmocka_unit_test(median),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
