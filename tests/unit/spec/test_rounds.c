/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of ordered pairs against tournaments worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
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

/* 64 hosts of eight: pairs that leave their host share its cards. Inside all are apart. */
static bool hosts(const void *arg, int a, int b, int c, int d)
{
	const int one[] = { a / 8, b / 8 }, other[] = { c / 8, d / 8 };

	for (int i = 0; i < 4; i++)
		if (one[i / 2] == other[i % 2])
			return one[0] == one[1] || other[0] == other[1];
	return true;
}

/* Every pair has one round, no rank is in two pairs of one. Returns the number of rounds. */
static int check(struct rounds *r, int ranks)
{
	size_t cells = (size_t)ranks * (size_t)ranks;
	int n = r->n, pairs = 0;
	/* Pairs of a round are a list: its first one, then next of each. */
	int *first = malloc((size_t)n * sizeof(*first)), *next = malloc(cells * sizeof(*next));
	int *busy = calloc((size_t)ranks, sizeof(*busy)); /* 1 + the round it was last seen in */

	assert_true(first && next && busy);
	assert_int_equal(r->ranks, ranks);
	for (int i = 0; i < n; i++)
		first[i] = -1;
	for (int i = 0; i < (int)cells; i++) {
		if (i / ranks == i % ranks) {
			assert_int_equal(r->of[i], -1);
			continue;
		}
		assert_in_range(r->of[i], 0, n - 1);
		next[i] = first[r->of[i]];
		first[r->of[i]] = i;
	}
	for (int round = 0; round < n; round++) {
		assert_true(first[round] >= 0);
		for (int i = first[round]; i >= 0; i = next[i], pairs++) {
			assert_true(busy[i / ranks] != round + 1 && busy[i % ranks] != round + 1);
			busy[i / ranks] = busy[i % ranks] = round + 1;
		}
	}
	assert_int_equal(pairs, ranks * (ranks - 1));
	free(first);
	free(next);
	free(busy);
	rounds_fini(r);
	assert_null(r->of);
	return n;
}

static int valid(int ranks, rounds_apart_fn *apart)
{
	struct rounds r;

	assert_int_equal(rounds_build(ranks, apart, NULL, &r), 0);
	return check(&r, ranks);
}

static int alone(int ranks)
{
	struct rounds r;

	assert_int_equal(rounds_alone(ranks, &r), 0);
	return check(&r, ranks);
}

static int together(int ranks)
{
	struct rounds r;

	assert_int_equal(rounds_together(ranks, &r), 0);
	return check(&r, ranks);
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
	assert_int_equal(together(2), 2);
	assert_int_equal(together(5), 10);
	assert_int_equal(together(8), 14);
}

static void one_after_another(void **state)
{
	assert_int_equal(valid(2, never), 2);
	assert_int_equal(valid(4, never), 12);
	assert_int_equal(valid(8, never), 56);
	assert_int_equal(alone(2), 2);
	assert_int_equal(alone(5), 20);
	assert_int_equal(alone(8), 56);
}

/* The search finds what the rules without one know. */
static void without_a_search(void **state)
{
	for (int ranks = 2; ranks < 20; ranks++) {
		struct rounds searched, known;
		size_t bytes = (size_t)ranks * (size_t)ranks * sizeof(*known.of);

		assert_int_equal(rounds_build(ranks, always, NULL, &searched), 0);
		assert_int_equal(rounds_together(ranks, &known), 0);
		assert_memory_equal(searched.of, known.of, bytes);
		rounds_fini(&searched);
		rounds_fini(&known);
		assert_int_equal(rounds_build(ranks, never, NULL, &searched), 0);
		assert_int_equal(rounds_alone(ranks, &known), 0);
		assert_memory_equal(searched.of, known.of, bytes);
		rounds_fini(&searched);
		rounds_fini(&known);
	}
}

/* 512 x 511 ordered pairs. A host takes part in 8 x 504 x 2 pairs that leave it, one at a time. */
static void of_512(void **state)
{
	assert_int_equal(alone(512), 261632);
	assert_int_equal(together(512), 1022);
	assert_int_equal(together(511), 1022);
	assert_int_equal(valid(512, always), 1022);
	assert_int_equal(valid(512, never), 261632);
	assert_in_range(valid(512, hosts), 8064, 3 * 8064 / 2);
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
	assert_int_equal(rounds_alone(1, &r), -EINVAL);
	assert_int_equal(rounds_together(-1, &r), -EINVAL);
}

/* ---- how long it takes: meson test --benchmark ---- */

static void say(const char *what, int (*plan)(int ranks, struct rounds *out))
{
	int64_t start = clock_now_ns();
	struct rounds r;
	int rounds;

	assert_int_equal(plan(512, &r), 0);
	rounds = r.n;
	rounds_fini(&r);
	printf("512 ranks, %s: %d rounds, planned in %.0f ms\n", what, rounds,
	       (double)(clock_now_ns() - start) / CLOCK_MS);
}

static int on_one_host(int ranks, struct rounds *out)
{
	return rounds_build(ranks, never, NULL, out);
}

static int on_64_hosts(int ranks, struct rounds *out)
{
	return rounds_build(ranks, hosts, NULL, out);
}

static int benchmark(void)
{
	say("each pair alone", rounds_alone);
	say("all together", rounds_together);
	say("found out: one host", on_one_host);
	say("found out: 64 hosts", on_64_hosts);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewest),           cmocka_unit_test(one_after_another),
		cmocka_unit_test(without_a_search), cmocka_unit_test(of_512),
		cmocka_unit_test(of_three),         cmocka_unit_test(of_four),
		cmocka_unit_test(with_topology),    cmocka_unit_test(no_pair),
	};

	if (argc > 1 && strcmp(argv[1], "--benchmark") == 0)
		return benchmark();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
