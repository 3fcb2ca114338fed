/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of ordered pairs against tournaments worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "spec/rounds.h"

static bool always(const void *arg, int a, int b, int c, int d)
{
	return true;
}

static bool never(const void *arg, int a, int b, int c, int d)
{
	return false;
}

/* Ranks 0 1 and 2 3 are two islands; the ways between them are shared by all. */
static bool islands(const void *arg, int a, int b, int c, int d)
{
	return a / 2 == b / 2 && c / 2 == d / 2 && a / 2 != c / 2;
}

/* Every pair has one round, no rank is in two pairs of one. Returns the number of rounds. */
static int valid(int ranks, rounds_apart_fn *apart)
{
	struct rounds r;
	int n;

	assert_int_equal(rounds_build(ranks, apart, NULL, &r), 0);
	assert_int_equal(r.ranks, ranks);
	for (int round = 0; round < r.n; round++) {
		bool busy[ROUNDS_RANKS_MAX + 1] = { false };
		int pairs = 0;

		for (int i = 0; i < ranks * ranks; i++) {
			if (r.of[i] != round)
				continue;
			assert_false(busy[i / ranks] || busy[i % ranks]);
			busy[i / ranks] = busy[i % ranks] = true;
			pairs++;
		}
		assert_true(pairs > 0);
	}
	for (int i = 0; i < ranks * ranks; i++)
		assert_true(i / ranks == i % ranks ? r.of[i] == -1 : r.of[i] >= 0 && r.of[i] < r.n);
	n = r.n;
	rounds_fini(&r);
	assert_null(r.of);
	return n;
}

static void fewest(void **state)
{
	assert_int_equal(valid(2, always), 2);
	assert_int_equal(valid(3, always), 6); /* one pair at a time */
	assert_int_equal(valid(4, always), 6);
	assert_int_equal(valid(5, always), 10);
	assert_int_equal(valid(6, always), 10);
	assert_int_equal(valid(8, always), 14); /* of 56 pairs */
	assert_int_equal(valid(64, always), 126);
}

static void one_after_another(void **state)
{
	assert_int_equal(valid(2, never), 2);
	assert_int_equal(valid(4, never), 12);
	assert_int_equal(valid(8, never), 56);
	/* Too many ranks for the table. */
	assert_int_equal(valid(ROUNDS_RANKS_MAX + 1, always), 129 * 128);
}

static void of_three(void **state)
{
	static const int want[3][3] = { { -1, 4, 3 }, { 5, -1, 0 }, { 2, 1, -1 } };
	struct rounds r;

	assert_int_equal(rounds_build(3, always, NULL, &r), 0);
	for (int i = 0; i < 9; i++)
		assert_int_equal(r.of[i], want[i / 3][i % 3]);
	rounds_fini(&r);
}

/* 0-3 1-2, then the circle 0 1 2 turns: 1-3 2-0, 2-3 0-1; the way back follows each. */
static void of_four(void **state)
{
	static const int want[4][4] = {
		{ -1, 4, 3, 0 }, { 5, -1, 0, 2 }, { 2, 1, -1, 4 }, { 1, 3, 5, -1 }
	};
	struct rounds r;

	assert_int_equal(rounds_build(4, always, NULL, &r), 0);
	for (int i = 0; i < 16; i++)
		assert_int_equal(r.of[i], want[i / 4][i % 4]);
	rounds_fini(&r);
}

/* 4 pairs inside of islands in 2 rounds, 8 between them alone. */
static void with_topology(void **state)
{
	struct rounds r;

	assert_int_equal(valid(4, islands), 10);
	assert_int_equal(rounds_build(4, islands, NULL, &r), 0);
	assert_int_equal(r.of[0 * 4 + 1], r.of[2 * 4 + 3]);
	assert_int_equal(r.of[1 * 4 + 0], r.of[3 * 4 + 2]);
	assert_int_not_equal(r.of[0 * 4 + 3], r.of[1 * 4 + 2]);
	rounds_fini(&r);
}

static void no_pair(void **state)
{
	struct rounds r;

	assert_int_equal(rounds_build(1, always, NULL, &r), -EINVAL);
	assert_int_equal(rounds_build(0, always, NULL, &r), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewest),        cmocka_unit_test(one_after_another),
		cmocka_unit_test(of_three),      cmocka_unit_test(of_four),
		cmocka_unit_test(with_topology), cmocka_unit_test(no_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
