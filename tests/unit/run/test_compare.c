/* SPDX-License-Identifier: Apache-2.0 */
/* How many restarts a comparison of arms needs. What it says of them: tests/unit/judge/test_ab.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/compare.h"
#include "spec/op.h"
#include "spec/plan.h"
#include "spec/profile.h"
#include "spec/transport.h"

static int restarts_of(struct plan_request *q)
{
	struct plan p = { 0 };
	char why[300] = "";
	int n;

	q->backend = BACKEND_UCX;
	q->transports = 1ULL << TRANSPORT_UCX_SHM;
	q->b = 1;
	q->n_arms = 2;
	q->profile = profile_find("quick");
	assert_int_equal(plan_build(q, &p, why, sizeof(why)), 0);
	n = compare_restarts(&p);
	plan_fini(&p);
	return n;
}

/* 4 ranks are 12 ordered pairs, each a group of its own in each of three operations: 36 groups.
 * 0.05 / 2 / 36 is 0.00069; 2^-10 is 0.00098, 2^-12 is 0.00024. */
static void each_pair_is_a_group(void **state)
{
	static const uint64_t small[] = { 8 };
	struct plan_request q = {
		.nranks = 4,
		.ops = 1ULL << OP_PINGPONG | 1ULL << OP_SEND | 1ULL << OP_SEND_BIDIR,
		.sizes = small,
		.n_sizes = 1,
		.all_pairs = true,
	};

	assert_int_equal(restarts_of(&q), 12);
	q.all_pairs = false;
	assert_int_equal(restarts_of(&q), 10);
}

/* Sizes of one class are one group. */
static void sizes_of_a_class_are_one(void **state)
{
	static const uint64_t sizes[] = { 8, 16, 1024, 1 << 20, 2 << 20 };
	struct plan_request q = {
		.nranks = 2, .ops = 1ULL << OP_ALL_REDUCE, .sizes = sizes, .n_sizes = 5
	};

	assert_int_equal(restarts_of(&q), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pair_is_a_group),
		cmocka_unit_test(sizes_of_a_class_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
