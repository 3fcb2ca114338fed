/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: points counted by hand, their order, what is impossible, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/attr.h"
#include "spec/dtype.h"
#include "spec/plan.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define BIT(i) (1ULL << (i))
#define FINGERPRINT_BY_HAND 0x501c7458a58b6f67ULL

static struct plan_request two_ranks(int backend)
{
	return (struct plan_request){ .backend = backend, .nranks = 2, .b = 1 };
}

static struct plan build(const struct plan_request *r)
{
	struct plan p = { 0 };
	char why[200] = "";

	if (plan_build(r, &p, why, sizeof(why)))
		fail_msg("%s", why);
	return p;
}

static size_t count_impossible(const struct plan *p, const char *word)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_points; i++)
		n += p->points[i].impossible && strstr(p->points[i].impossible, word);
	return n;
}

static void test_default_nccl(void **state)
{
	static const int transports[] = { TRANSPORT_AUTO, TRANSPORT_P2P, TRANSPORT_SHM,
					  TRANSPORT_SOCKET, TRANSPORT_IB };
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p = build(&r);

	/* 8 B..1 GiB by 2: 28 sizes of three operations; pingpong 8 B..1 MiB: 18. Graph and stream.
	 * (3 x 28 + 18) x 2 = 204 per transport. */
	assert_int_equal(p.n_configs, 4);
	assert_int_equal(p.n_points, 4 * 204);
	assert_int_equal(p.restarts, 1);
	for (size_t i = 0; i < p.n_configs; i++) {
		assert_int_equal(p.configs[i].transport, transports[i]);
		assert_int_equal(p.configs[i].first, i * 204);
		assert_int_equal(p.configs[i].n, 204);
	}
	assert_int_equal(count_impossible(&p, ""), 0);
	plan_fini(&p);
	assert_null(p.points);
	r.have_ib = true;
	p = build(&r);
	assert_int_equal(p.n_configs, 5);
	assert_int_equal(p.configs[4].transport, TRANSPORT_IB);
	assert_int_equal(p.n_points, 5 * 204);
	plan_fini(&p);
}

static void test_default_ucx(void **state)
{
	struct plan_request r = two_ranks(BACKEND_UCX);
	struct plan p = build(&r);

	/* quick ends at 64 MiB: 24 sizes; (3 x 24 + 18) points of timing host on each of three
	 * transports */
	assert_int_equal(p.n_configs, 3);
	assert_int_equal(p.n_points, 3 * 90);
	assert_int_equal(p.configs[0].transport, TRANSPORT_UCX_CMA);
	for (size_t i = 0; i < p.n_points; i++)
		assert_int_equal(p.points[i].timing, TIMING_HOST);
	plan_fini(&p);
	r.profile = 1; /* standard: to 256 MiB, two sizes more, three restarts */
	p = build(&r);
	assert_int_equal(p.n_points, 3 * 96);
	assert_int_equal(p.restarts, 3);
	plan_fini(&p);
}

static void test_order(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;
	const struct plan_point *q;

	r.transports = BIT(TRANSPORT_SHM);
	r.ops = BIT(OP_ALL_REDUCE) | BIT(OP_BROADCAST);
	r.begin = 8;
	r.end = 32;
	r.dtypes = BIT(DTYPE_HALF) | BIT(DTYPE_FLOAT);
	r.redops = BIT(REDOP_SUM) | BIT(REDOP_MAX);
	r.in_place = 3;
	p = build(&r);
	/* all_reduce: 2 types x 2 reductions x 2 forms x 3 sizes x 2 timings = 48; broadcast
	 * without reductions: 24 */
	assert_int_equal(p.n_points, 72);
	q = p.points;
	assert_int_equal(q[0].c.bytes, 8);
	assert_int_equal(q[0].timing, TIMING_GRAPH);
	assert_int_equal(q[1].c.bytes, 8);
	assert_int_equal(q[1].timing, TIMING_STREAM);
	assert_int_equal(q[2].c.bytes, 16);
	assert_int_equal(q[5].c.bytes, 32);
	assert_false(q[5].c.in_place);
	assert_true(q[6].c.in_place);
	assert_int_equal(q[6].c.bytes, 8);
	assert_int_equal(q[12].c.redop, REDOP_MAX);
	assert_int_equal(q[23].c.dtype, DTYPE_HALF);
	assert_int_equal(q[24].c.dtype, DTYPE_FLOAT);
	assert_int_equal(q[48].c.op, OP_BROADCAST);
	for (size_t i = 48; i < 72; i++)
		assert_int_equal(q[i].c.redop, REDOP_SUM);
	plan_fini(&p);
}

static void test_sizes(void **state)
{
	static const uint64_t listed[] = { 4096, 10, 8, 8, 9, 3 };
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.transports = BIT(TRANSPORT_AUTO);
	r.timings = BIT(TIMING_STREAM);
	r.ops = BIT(OP_ALL_REDUCE);
	r.begin = 1024;
	r.end = 5000;
	r.step = 1024; /* 1024 2048 3072 4096 */
	p = build(&r);
	assert_int_equal(p.n_points, 4);
	assert_int_equal(p.points[3].c.bytes, 4096);
	plan_fini(&p);
	r.step = 0;
	r.factor = 3; /* 1024 3072 */
	p = build(&r);
	assert_int_equal(p.n_points, 2);
	assert_int_equal(p.points[1].c.bytes, 3072);
	plan_fini(&p);
	r.sizes = listed; /* sorted; 9 and 10 round to 8 as well and would be the same row */
	r.n_sizes = N_ELEMENTS(listed);
	p = build(&r);
	assert_int_equal(p.n_points, 3);
	assert_int_equal(p.points[0].asked_bytes, 3);
	assert_int_equal(p.points[0].c.bytes, 0);
	assert_non_null(strstr(p.points[0].impossible, "too small"));
	assert_int_equal(p.points[1].asked_bytes, 8);
	assert_int_equal(p.points[2].c.bytes, 4096);
	plan_fini(&p);
}

static void test_end_of_range(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.transports = BIT(TRANSPORT_AUTO);
	r.timings = BIT(TIMING_STREAM);
	r.ops = BIT(OP_PINGPONG);
	r.begin = 1 << 19;
	p = build(&r); /* its own default end, 1 MiB */
	assert_int_equal(p.n_points, 2);
	plan_fini(&p);
	r.end = 4 << 20; /* the user's word goes further */
	p = build(&r);
	assert_int_equal(p.n_points, 4);
	plan_fini(&p);
	r.ops |= BIT(OP_SENDRECV); /* above pingpong's default only sendrecv is left */
	r.begin = 1 << 29;
	r.end = 0;
	p = build(&r);
	assert_int_equal(p.n_points, 2);
	assert_int_equal(p.points[0].c.op, OP_SENDRECV);
	plan_fini(&p);
	r.begin = r.end = UINT64_MAX - 3; /* must not wrap */
	p = build(&r);
	assert_int_equal(p.n_points, 2);
	plan_fini(&p);
}

static void test_ranks_of_points(void **state)
{
	struct plan_request r = { .backend = BACKEND_NCCL,
				  .nranks = 4,
				  .root = 2,
				  .a = 3,
				  .b = 1,
				  .begin = 64,
				  .end = 64,
				  .timings = BIT(TIMING_STREAM),
				  .transports = BIT(TRANSPORT_AUTO) };
	struct plan p;

	r.ops = BIT(OP_ALL_REDUCE) | BIT(OP_BROADCAST) | BIT(OP_PINGPONG);
	p = build(&r);
	assert_int_equal(p.n_points, 3);
	assert_int_equal(p.points[0].c.root, 0); /* all_reduce has none: one key for it */
	assert_int_equal(p.points[1].c.root, 2);
	assert_int_equal(p.points[2].c.a, 3);
	assert_int_equal(p.points[2].c.b, 1);
	assert_int_equal(p.points[2].c.nranks, 4);
	plan_fini(&p);
}

static void test_copy_engine_has_no_graph(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.transports = BIT(TRANSPORT_P2P) | BIT(TRANSPORT_P2P_CE);
	p = build(&r);
	assert_int_equal(p.configs[0].n, 204);
	assert_int_equal(p.configs[1].n, 102);
	for (size_t i = 0; i < p.configs[1].n; i++)
		assert_int_equal(p.points[p.configs[1].first + i].timing, TIMING_STREAM);
	plan_fini(&p);
	r.timings = BIT(TIMING_GRAPH); /* asked for nothing else: rows that say why not */
	p = build(&r);
	assert_int_equal(p.configs[1].n, 102);
	assert_int_equal(count_impossible(&p, "captured graph"), 102);
	plan_fini(&p);
}

static void test_impossible_on_ucx(void **state)
{
	struct plan_request r = two_ranks(BACKEND_UCX);
	struct plan p;

	r.transports = BIT(TRANSPORT_UCX_CMA);
	r.begin = r.end = 64;
	r.ops = BIT(OP_ALL_REDUCE) | BIT(OP_ALL_GATHER);
	p = build(&r);
	assert_int_equal(p.n_points, 2);
	assert_null(p.points[0].impossible);
	assert_non_null(strstr(p.points[1].impossible, "operation"));
	plan_fini(&p);

	r.ops = BIT(OP_ALL_REDUCE);
	r.dtypes = BIT(DTYPE_INT32) | BIT(DTYPE_HALF);
	r.redops = BIT(REDOP_SUM) | BIT(REDOP_AVG);
	p = build(&r);
	assert_int_equal(p.n_points, 4); /* int32 sum, int32 avg, half sum, half avg */
	assert_null(p.points[0].impossible);
	assert_non_null(strstr(p.points[1].impossible, "reductions"));
	assert_int_equal(count_impossible(&p, "int64, float"), 2);
	plan_fini(&p);

	r.ops = BIT(OP_BROADCAST); /* copies know no types */
	p = build(&r);
	assert_int_equal(p.n_points, 2);
	assert_int_equal(count_impossible(&p, ""), 0);
	plan_fini(&p);

	r.ops = BIT(OP_ALL_REDUCE);
	r.dtypes = r.redops = 0;
	r.timings = BIT(TIMING_GRAPH) | BIT(TIMING_HOST);
	r.variants = BIT(VARIANT_PLAIN) | BIT(VARIANT_USER);
	p = build(&r);
	assert_int_equal(p.n_points, 4);
	assert_int_equal(count_impossible(&p, ""), 3);
	plan_fini(&p);
}

/* Three ranks have six ordered pairs; an operation of all ranks stays one. */
static void test_all_pairs(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;
	size_t n = 0;

	r.nranks = 3;
	r.transports = BIT(TRANSPORT_P2P);
	r.timings = BIT(TIMING_STREAM);
	r.begin = 8;
	r.end = 16;
	r.ops = BIT(OP_SEND) | BIT(OP_PINGPONG) | BIT(OP_ALL_REDUCE);
	r.all_pairs = true;
	p = build(&r);
	assert_int_equal(p.n_points, 2 * 6 * 2 + 2);
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 3; b++)
			for (size_t i = 0; i < p.n_points; i++)
				n += p.points[i].c.op == OP_SEND && p.points[i].c.a == a &&
				     p.points[i].c.b == b;
	assert_int_equal(n, 6 * 2);
	for (size_t i = 0; i < p.n_points; i++)
		assert_true(p.points[i].c.op == OP_ALL_REDUCE ||
			    p.points[i].c.a != p.points[i].c.b);
	plan_fini(&p);
}

static void test_impossible_forms(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.transports = BIT(TRANSPORT_P2P);
	r.timings = BIT(TIMING_STREAM);
	r.begin = r.end = 8;
	r.ops = BIT(OP_COUNT) - 1;
	r.in_place = 2;
	p = build(&r);
	assert_int_equal(p.n_points, 12);
	assert_int_equal(count_impossible(&p, "in-place"),
			 5); /* sendrecv pingpong send send_bidir alltoall */
	plan_fini(&p);

	r.in_place = 1;
	r.nranks =
	    3; /* 8 B are two floats: no share for three ranks in the five shared operations */
	p = build(&r);
	assert_int_equal(count_impossible(&p, "too small"), 5);
	plan_fini(&p);

	r.nranks = 1;
	p = build(&r);
	assert_int_equal(count_impossible(&p, "two ranks"), 3);
	plan_fini(&p);
}

static void test_variants(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.transports = BIT(TRANSPORT_AUTO) | BIT(TRANSPORT_SHM);
	r.begin = r.end = 8;
	r.ops = BIT(OP_ALL_REDUCE);
	r.variants = BIT(VARIANT_COUNT) - 1;
	p = build(&r);
	assert_int_equal(p.n_points, 20); /* five kinds of memory x two timings x two transports */
	/* on both: variant graph with timing stream; on shm besides: graph/graph, symmetric x 2 */
	assert_int_equal(count_impossible(&p, "captured graph"), 2);
	assert_int_equal(count_impossible(&p, "bypass"), 3);
	plan_fini(&p);
}

static void test_nvls(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.transports = BIT(TRANSPORT_NVLS);
	r.begin = r.end = 1024;
	p = build(&r);
	assert_int_equal(p.n_points, 8);
	assert_int_equal(count_impossible(&p, "NVLS"), 6); /* all but all_reduce */
	plan_fini(&p);
}

/* Three transports x three arms: transports rotate from restart to restart, arms go there and back.
 */
static void test_turns(void **state)
{
	static const size_t expected[2][9] = { { 0, 1, 2, 3, 4, 5, 6, 7, 8 },
					       { 5, 4, 3, 8, 7, 6, 2, 1, 0 } };
	struct plan_request r = {
		.backend = BACKEND_UCX,
		.nranks = 2,
		.b = 1,
		.ops = 1ULL << OP_ALL_REDUCE,
		.begin = 8,
		.end = 16,
		.n_arms = 3,
	};
	struct plan p = build(&r), one;

	assert_int_equal(p.n_arms, 3);
	assert_int_equal(p.n_configs, 9);
	assert_int_equal(p.n_points, 9 * 2);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(p.configs[i].arm, i % 3);
		assert_int_equal(p.configs[i].transport, p.configs[i - i % 3].transport);
		for (int restart = 0; restart < 2; restart++)
			assert_int_equal(plan_turn(&p, restart, i), expected[restart][i]);
	}
	r.n_arms = 0;
	one = build(&r);
	assert_int_equal(one.n_arms, 1);
	assert_int_equal(one.n_configs, 3);
	assert_true(one.fingerprint != p.fingerprint);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(plan_turn(&one, 4, i), (i + 4) % 3);
	plan_fini(&p);
	plan_fini(&one);
}

/* Sizes that are shared among the ranks are rounded for each number of them: 12 B of floats are 8 B
 * of 2 ranks, 12 B of 3, and not one element each of 8. */
static void test_counts(void **state)
{
	static const uint64_t sizes[] = { 12, 1024 };
	static const int ranks[4] = { 2, 3, 8, 2 };
	static const uint64_t bytes[3][4] = { { 12, 1024, 8, 1024 },
					      { 12, 1024, 12, 1020 },
					      { 12, 1024, 0, 1024 } };
	struct plan_request r = {
		.backend = BACKEND_NCCL,
		.nranks = 8,
		.b = 1,
		.counts = { 2, 3, 8 },
		.n_counts = 3,
		.sizes = sizes,
		.n_sizes = 2,
		.timings = BIT(TIMING_STREAM),
		.transports = BIT(TRANSPORT_P2P) | BIT(TRANSPORT_SHM),
		.ops = BIT(OP_ALL_REDUCE) | BIT(OP_ALL_GATHER),
	};
	struct plan p = build(&r), one;

	assert_int_equal(p.n_configs, 6);
	assert_int_equal(p.n_points, 24);
	for (size_t c = 0; c < 4; c++)
		assert_int_equal(p.configs[c].nranks, ranks[c]);
	assert_int_equal(p.configs[2].transport, TRANSPORT_P2P);
	assert_int_equal(p.configs[3].transport, TRANSPORT_SHM);
	for (size_t i = 0; i < 12; i++) {
		assert_int_equal(p.points[i].c.nranks, ranks[i / 4]);
		assert_true(p.points[i].c.bytes == bytes[i / 4][i % 4]);
	}
	assert_int_equal(count_impossible(&p, "not one element for each rank"), 2);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(plan_turn(&p, 2, i), (i + 2) % 6);
	r.n_counts = 0;
	one = build(&r);
	assert_int_equal(one.n_configs, 2);
	assert_int_equal(one.configs[1].nranks, 8);
	assert_true(one.fingerprint != p.fingerprint);
	plan_fini(&one);
	plan_fini(&p);
}

static void test_fingerprint(void **state)
{
	struct plan_request r = { .backend = BACKEND_NCCL,
				  .nranks = 3,
				  .root = 2,
				  .a = 0,
				  .b = 1,
				  .begin = 13,
				  .end = 13,
				  .timings = BIT(TIMING_STREAM),
				  .restarts = 4,
				  .transports = BIT(TRANSPORT_AUTO),
				  .ops = BIT(OP_BROADCAST) };
	struct plan p = build(&r);
	uint64_t first = p.fingerprint;

	assert_int_equal(p.n_points, 1);
	assert_true(first == FINGERPRINT_BY_HAND); /* FNV-1a worked out by another program */
	plan_fini(&p);
	p = build(&r);
	assert_true(p.fingerprint == first);
	plan_fini(&p);
	r.root = 1;
	p = build(&r);
	assert_true(p.fingerprint != first);
	plan_fini(&p);
	r.root = 2;
	r.restarts = 5;
	p = build(&r);
	assert_true(p.fingerprint != first);
	plan_fini(&p);
}

static void test_refusals(void **state)
{
	static const uint64_t one[] = { 8 };
	static const struct {
		struct plan_request r;
		const char *word;
	} bad[] = {
		{ { .nranks = 2, .b = 1, .begin = 64, .end = 32 }, "raise -e" },
		{ { .nranks = 2, .b = 1, .end = 4 }, "the first size (8 B)" },
		{ { .nranks = 2, .b = 1, .factor = 1 }, "factor 1" },
		{ { .nranks = 2, .b = 1, .factor = 2, .step = 8 }, "contradict" },
		{ { .nranks = 2, .b = 1, .root = 2 }, "root 2" },
		{ { .nranks = 2, .b = 1, .root = -1 }, "root -1" },
		{ { .nranks = 2, .a = 1, .b = 1 }, "twice" },
		{ { .nranks = 2, .a = 0, .b = 2 }, "pair 0,2" },
		{ { .nranks = 2, .a = -1, .b = 1 }, "pair -1,1" },
		{ { .nranks = 0, .b = 1 }, "ranks" },
		{ { .nranks = 4, .b = 1, .counts = { 1, 2 }, .n_counts = 2 }, "1 rank has nobody" },
		{ { .nranks = 4, .b = 1, .counts = { 2, 2 }, .n_counts = 2 }, "2 comes after 2" },
		{ { .nranks = 4, .b = 1, .counts = { 4, 2 }, .n_counts = 2 }, "2 comes after 4" },
		{ { .nranks = 4, .b = 1, .counts = { 2, 8 }, .n_counts = 2 },
		  "8 ranks were asked for, but 4 were started; start mpirun -np 8" },
		{ { .nranks = 4, .b = 1, .n_counts = PLAN_COUNTS_MAX + 1 }, "more than 32" },
		{ { .nranks = 4, .b = 3, .counts = { 2, 4 }, .n_counts = 2 },
		  "pair 0,3 is not within the fewest that are measured, 2 ranks" },
		{ { .nranks = 4, .b = 1, .root = 2, .counts = { 2, 4 }, .n_counts = 2 },
		  "there are once only 2" },
		{ { .nranks = 2, .b = 1, .restarts = -1 }, "restarts" },
		{ { .nranks = 2, .b = 1, .profile = 3 }, "profile" },
		{ { .nranks = 2, .b = 1, .backend = 2 }, "backend" },
		{ { .nranks = 2, .b = 1, .ops = BIT(OP_COUNT) }, "operation" },
		{ { .nranks = 2, .b = 1, .dtypes = BIT(31) }, "data type" },
		{ { .nranks = 2, .b = 1, .in_place = 4 }, "in-place" },
		{ { .nranks = 2, .b = 1, .transports = BIT(TRANSPORT_UCX_SHM) },
		  "belongs to backend ucx" },
		{ { .nranks = 2, .b = 1, .sizes = one, .n_sizes = 0 }, "empty" },
		{ { .nranks = 2, .b = 1, .n_sizes = 3 }, "empty" },
		{ { .nranks = 2, .b = 1, .begin = 2ULL << 30 }, "give -e" },
		{ { .nranks = 2, .b = 1, .begin = 8, .end = 1 << 30, .step = 1 },
		  "more than 100000 sizes" },
		{ { .nranks = 2, .b = 1, .begin = 8, .end = 300000, .step = 4, .in_place = 3 },
		  "points" },
	};

	for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
		struct plan p = { .restarts = 77 };
		char why[200] = "";

		assert_int_equal(plan_build(&bad[i].r, &p, why, sizeof(why)), -EINVAL);
		if (!strstr(why, bad[i].word))
			fail_msg("row %zu says: %s", i, why);
		assert_null(strchr(why, '\n'));
		assert_int_equal(p.restarts, 77); /* untouched */
	}
}

static void test_root_needs_rooted_operation(void **state)
{
	struct plan_request r = two_ranks(BACKEND_NCCL);
	struct plan p;

	r.root = 9;
	r.ops = BIT(OP_ALL_REDUCE);
	p = build(&r);
	assert_int_equal(p.points[0].c.root, 0);
	plan_fini(&p);
}

static void test_shuffle(void **state)
{
	uint32_t a[100], b[100];
	bool seen[100] = { false };
	size_t moved = 0, equal = 0;

	assert_int_equal(plan_shuffle(7, 0, 0, 100, a), 0);
	for (uint32_t i = 0; i < 100; i++) {
		assert_in_range(a[i], 0, 99);
		assert_false(seen[a[i]]);
		seen[a[i]] = true;
		moved += a[i] != i;
	}
	assert_true(moved > 80);
	assert_int_equal(plan_shuffle(7, 0, 0, 100, b), 0);
	assert_memory_equal(a, b, sizeof(a));
	assert_int_equal(plan_shuffle(7, 1, 0, 100, b),
			 0); /* other restart, config, seed: other order */
	for (size_t i = 0; i < 100; i++)
		equal += a[i] == b[i];
	assert_true(equal < 20);
	assert_int_equal(plan_shuffle(7, 0, 1, 100, b), 0);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_int_equal(plan_shuffle(8, 0, 0, 100, b), 0);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_int_equal(plan_shuffle(7, 0, 0, 0, NULL), 0);
	assert_int_equal(plan_shuffle(7, 0, 0, 1, NULL), -EINVAL);
	assert_int_equal(plan_shuffle(7, -1, 0, 1, b), -EINVAL);
}

/* Each of the 6 orders of 3 about equally often over 6000 seeds (1000 +- 29; five sigma allowed).
 */
static void test_shuffle_is_fair(void **state)
{
	int count[27] = { 0 };
	uint32_t o[3];
	int orders = 0;

	for (uint64_t seed = 0; seed < 6000; seed++) {
		assert_int_equal(plan_shuffle(seed, 0, 0, 3, o), 0);
		count[o[0] * 9 + o[1] * 3 + o[2]]++;
	}
	for (size_t i = 0; i < N_ELEMENTS(count); i++) {
		if (!count[i])
			continue;
		orders++;
		assert_in_range(count[i], 855, 1145);
	}
	assert_int_equal(orders, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_nccl),
		cmocka_unit_test(test_default_ucx),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_end_of_range),
		cmocka_unit_test(test_ranks_of_points),
		cmocka_unit_test(test_copy_engine_has_no_graph),
		cmocka_unit_test(test_impossible_on_ucx),
		cmocka_unit_test(test_all_pairs),
		cmocka_unit_test(test_impossible_forms),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_nvls),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_root_needs_rooted_operation),
		cmocka_unit_test(test_shuffle),
		cmocka_unit_test(test_shuffle_is_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
