/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: factors, bandwidths and geometry against numbers worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/attr.h"
#include "spec/dtype.h"
#include "spec/op.h"
#include "spec/redop.h"

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-12 * fabs(want))
		fail_msg("got %.17g, want %.17g", got, want);
}

static void test_bus_factors(void **state)
{
	/* for 1, 2, 3, 4 and 8 ranks */
	static const int ranks[] = { 1, 2, 3, 4, 8 };
	static const double twice[] = { 0, 1, 4.0 / 3, 1.5, 1.75 };
	static const double share[] = { 0, 0.5, 2.0 / 3, 0.75, 0.875 };
	static const double one[] = { 1, 1, 1, 1, 1 };
	static const double *const want[OP_COUNT] = {
		[OP_ALL_REDUCE] = twice, [OP_BROADCAST] = one,
		[OP_SENDRECV] = one,     [OP_PINGPONG] = one,
		[OP_SEND] = one,         [OP_SEND_BIDIR] = one,
		[OP_ALL_GATHER] = share, [OP_REDUCE_SCATTER] = share,
		[OP_REDUCE] = one,       [OP_ALLTOALL] = share,
		[OP_GATHER] = share,     [OP_SCATTER] = share,
	};

	for (int op = 0; op < OP_COUNT; op++)
		for (size_t i = 0; i < N_ELEMENTS(ranks); i++)
			assert_near(op_table[op].bus_factor(ranks[i]), want[op][i]);
}

static void test_bandwidths(void **state)
{
	/* 1 GiB in 3000 us: 1073741824 / 3e-3 / 1e9 = 357.913941333... */
	assert_near(op_algbw_gbps(1ULL << 30, 3000), 357.91394133333333);
	assert_near(op_busbw_gbps(OP_ALL_REDUCE, 2, 1ULL << 30, 3000), 357.91394133333333);
	assert_near(op_busbw_gbps(OP_ALL_REDUCE, 4, 1ULL << 30, 3000), 536.870912);
	assert_near(op_busbw_gbps(OP_ALL_GATHER, 4, 1000000, 100), 7.5); /* 10 GB/s x 3/4 */
	assert_near(op_busbw_gbps(OP_ALLTOALL, 2, 1000000, 100), 5);
	assert_near(op_busbw_gbps(OP_PINGPONG, 2, 8, 4), 0.002);
	assert_near(op_busbw_gbps(OP_BROADCAST, 8, 1000000, 100), 10);
	assert_true(op_algbw_gbps(8, 0) == 0);
	assert_true(op_algbw_gbps(8, -1) == 0);
	assert_true(op_algbw_gbps(8, NAN) == 0);
	assert_true(op_busbw_gbps(-1, 2, 8, 1) == 0);
	assert_true(op_busbw_gbps(OP_COUNT, 2, 8, 1) == 0);
}

static void test_rounding(void **state)
{
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, DTYPE_FLOAT, 3, 8), 8);
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, DTYPE_FLOAT, 3, 11), 8);
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, DTYPE_DOUBLE, 3, 7), 0);
	assert_int_equal(op_round_bytes(OP_ALL_GATHER, DTYPE_FLOAT, 2, 8), 8);
	assert_int_equal(op_round_bytes(OP_ALL_GATHER, DTYPE_FLOAT, 3, 8), 0);
	assert_int_equal(op_round_bytes(OP_ALL_GATHER, DTYPE_FLOAT, 3, 100), 96);
	assert_int_equal(op_round_bytes(OP_REDUCE_SCATTER, DTYPE_HALF, 4, 31), 24);
	assert_int_equal(op_round_bytes(OP_SCATTER, DTYPE_INT8, 4, 7), 4);
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, DTYPE_FLOAT, 2, UINT64_MAX), UINT64_MAX - 3);
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, DTYPE_FLOAT, 0, 8), 0);
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, DTYPE_COUNT, 2, 8), 0);
	assert_int_equal(op_round_bytes(OP_ALL_REDUCE, -1, 2, 8), 0);
	assert_int_equal(op_round_bytes(OP_COUNT, DTYPE_FLOAT, 2, 8), 0);
}

struct expected_shape {
	int op, nranks, rank;
	bool in_place;
	struct op_shape want;
};

/* 240 bytes; root 1; pair 0,2 (0,1 for two ranks). */
static const struct expected_shape shapes[] = {
	{ OP_ALL_REDUCE, 2, 0, false, { 240, 240, 0, 0, 0, 0, true } },
	{ OP_ALL_REDUCE, 3, 2, true, { 240, 240, 0, 0, 0, 0, true } },
	{ OP_BROADCAST, 2, 0, false, { 0, 240, 1, 0, 0, 0, true } },
	{ OP_BROADCAST, 2, 1, false, { 240, 240, 1, 0, 0, 0, true } },
	{ OP_BROADCAST, 4, 1, true, { 240, 240, 1, 0, 0, 0, true } },
	{ OP_REDUCE, 3, 0, false, { 240, 0, 0, 0, 0, 0, true } },
	{ OP_REDUCE, 3, 1, false, { 240, 240, 0, 0, 0, 0, true } },
	{ OP_SENDRECV, 4, 3, false, { 240, 240, 1, 0, 0, 0, true } },
	{ OP_PINGPONG, 2, 1, false, { 240, 240, 1, 0, 0, 0, true } },
	{ OP_PINGPONG, 3, 1, false, { 0, 0, 0, 0, 0, 0, false } },
	{ OP_PINGPONG, 3, 2, false, { 240, 240, 1, 0, 0, 0, true } },
	{ OP_SEND, 3, 0, false, { 240, 0, 0, 0, 0, 0, true } },
	{ OP_SEND, 3, 1, false, { 0, 0, 0, 0, 0, 0, false } },
	{ OP_SEND, 3, 2, false, { 0, 240, 1, 0, 0, 0, true } },
	{ OP_SEND_BIDIR, 4, 0, false, { 240, 240, 1, 0, 0, 0, true } },
	{ OP_SEND_BIDIR, 4, 3, false, { 0, 0, 0, 0, 0, 0, false } },
	{ OP_ALL_GATHER, 2, 1, false, { 120, 240, 2, 0, 0, 0, true } },
	{ OP_ALL_GATHER, 2, 1, true, { 120, 240, 2, 0, 120, 0, true } },
	{ OP_ALL_GATHER, 3, 2, true, { 80, 240, 3, 0, 160, 0, true } },
	{ OP_ALL_GATHER, 4, 3, false, { 60, 240, 4, 0, 0, 0, true } },
	{ OP_REDUCE_SCATTER, 2, 1, false, { 240, 120, 0, 120, 0, 0, true } },
	{ OP_REDUCE_SCATTER, 3, 1, true, { 240, 80, 0, 80, 0, 80, true } },
	{ OP_REDUCE_SCATTER, 4, 3, true, { 240, 60, 0, 180, 0, 180, true } },
	{ OP_ALLTOALL, 2, 0, false, { 240, 240, 2, 0, 0, 0, true } },
	{ OP_ALLTOALL, 4, 2, false, { 240, 240, 4, 0, 0, 0, true } },
	{ OP_GATHER, 3, 0, false, { 80, 0, 0, 0, 0, 0, true } },
	{ OP_GATHER, 3, 0, true, { 80, 0, 0, 0, 0, 0, true } },
	{ OP_GATHER, 3, 1, false, { 80, 240, 3, 0, 0, 0, true } },
	{ OP_GATHER, 3, 1, true, { 80, 240, 3, 0, 80, 0, true } },
	{ OP_SCATTER, 4, 0, false, { 0, 60, 1, 0, 0, 0, true } },
	{ OP_SCATTER, 4, 1, false, { 240, 60, 1, 0, 0, 0, true } },
	{ OP_SCATTER, 4, 1, true, { 240, 60, 1, 0, 0, 60, true } },
};

static struct op_case case_of(int op, int nranks, bool in_place)
{
	return (struct op_case){ .op = op,
				 .dtype = DTYPE_FLOAT,
				 .in_place = in_place,
				 .nranks = nranks,
				 .root = 1,
				 .a = 0,
				 .b = nranks > 2 ? 2 : 1,
				 .bytes = 240 };
}

static void test_shapes(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(shapes); i++) {
		const struct expected_shape *e = &shapes[i];
		struct op_case c = case_of(e->op, e->nranks, e->in_place);
		struct op_shape got;

		memset(&got, 0xa5, sizeof(got)); /* every field must be written */
		op_table[e->op].shape(&c, e->rank, &got);
		if (got.send_bytes != e->want.send_bytes || got.recv_bytes != e->want.recv_bytes ||
		    got.segments != e->want.segments ||
		    got.reduce_offset != e->want.reduce_offset ||
		    got.alias_send != e->want.alias_send || got.alias_recv != e->want.alias_recv ||
		    got.takes_part != e->want.takes_part)
			fail_msg("%s: shape %zu differs", op_table[e->op].name, i);
	}
}

struct expected_source {
	int op, nranks, rank, seg, src;
	uint64_t offset;
};

static const struct expected_source sources[] = {
	{ OP_BROADCAST, 2, 0, 0, 1, 0 },  { OP_BROADCAST, 3, 1, 0, 1, 0 },
	{ OP_SENDRECV, 2, 0, 0, 1, 0 },   { OP_SENDRECV, 2, 1, 0, 0, 0 },
	{ OP_SENDRECV, 3, 0, 0, 2, 0 },   { OP_SENDRECV, 4, 3, 0, 2, 0 },
	{ OP_PINGPONG, 3, 0, 0, 2, 0 },   { OP_PINGPONG, 3, 2, 0, 0, 0 },
	{ OP_SEND, 3, 2, 0, 0, 0 },       { OP_SEND_BIDIR, 2, 1, 0, 0, 0 },
	{ OP_ALL_GATHER, 4, 0, 3, 3, 0 }, { OP_ALLTOALL, 2, 1, 0, 0, 120 },
	{ OP_ALLTOALL, 3, 2, 1, 1, 160 }, { OP_ALLTOALL, 4, 0, 3, 3, 0 },
	{ OP_GATHER, 3, 1, 2, 2, 0 },     { OP_SCATTER, 2, 0, 0, 1, 0 },
	{ OP_SCATTER, 4, 3, 0, 1, 180 },
};

static void test_sources(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(sources); i++) {
		const struct expected_source *e = &sources[i];
		struct op_case c = case_of(e->op, e->nranks, false);
		uint64_t offset = 99;
		int src = -99;

		op_table[e->op].source(&c, e->rank, e->seg, &src, &offset);
		if (src != e->src || offset != e->offset)
			fail_msg("%s: source %zu differs", op_table[e->op].name, i);
	}
}

/* A segment must lie inside what its source sends, and who sends must be somebody's source. */
static void test_sources_within_shapes(void **state)
{
	for (int op = 0; op < OP_COUNT; op++) {
		for (int n = 2; n <= 4; n++) {
			struct op_case c = case_of(op, n, false);
			bool heard[4] = { false };

			for (int rank = 0; rank < n; rank++) {
				struct op_shape to, from;

				op_table[op].shape(&c, rank, &to);
				for (int seg = 0; seg < to.segments; seg++) {
					uint64_t offset;
					int src;

					op_table[op].source(&c, rank, seg, &src, &offset);
					assert_in_range(src, 0, n - 1);
					op_table[op].shape(&c, src, &from);
					assert_true(offset +
							to.recv_bytes / (uint64_t)to.segments <=
						    from.send_bytes);
					heard[src] = true;
				}
			}
			for (int rank = 0; rank < n && !(op_table[op].flags & OP_REDUCES); rank++) {
				struct op_shape from;

				op_table[op].shape(&c, rank, &from);
				assert_int_equal(heard[rank], from.send_bytes > 0);
			}
		}
	}
}

static void test_flags(void **state)
{
	static const struct {
		unsigned flag;
		unsigned long long want;
	} sets[] = {
		{ OP_REDUCES, 1 << OP_ALL_REDUCE | 1 << OP_REDUCE_SCATTER | 1 << OP_REDUCE },
		{ OP_ROOTED,
		  1 << OP_BROADCAST | 1 << OP_REDUCE | 1 << OP_GATHER | 1 << OP_SCATTER },
		{ OP_PAIR, 1 << OP_PINGPONG | 1 << OP_SEND | 1 << OP_SEND_BIDIR },
		{ OP_LATENCY, 1 << OP_PINGPONG | 1 << OP_ALL_REDUCE },
		{ OP_DEFAULT,
		  1 << OP_ALL_REDUCE | 1 << OP_BROADCAST | 1 << OP_SENDRECV | 1 << OP_PINGPONG },
		{ OP_SHARED, 1 << OP_ALL_GATHER | 1 << OP_REDUCE_SCATTER | 1 << OP_ALLTOALL |
				 1 << OP_GATHER | 1 << OP_SCATTER },
		{ OP_IN_PLACE, 1 << OP_ALL_REDUCE | 1 << OP_BROADCAST | 1 << OP_ALL_GATHER |
				   1 << OP_REDUCE_SCATTER | 1 << OP_REDUCE | 1 << OP_GATHER |
				   1 << OP_SCATTER },
		{ OP_UCX, 1 << OP_ALL_REDUCE | 1 << OP_BROADCAST | 1 << OP_SENDRECV | 1 << OP_SEND |
			      1 << OP_PINGPONG | 1 << OP_SEND_BIDIR },
		{ OP_MULTICAST, 1 << OP_ALL_REDUCE | 1 << OP_ALL_GATHER | 1 << OP_REDUCE_SCATTER },
	};

	for (size_t i = 0; i < N_ELEMENTS(sets); i++)
		for (int op = 0; op < OP_COUNT; op++)
			if (!(op_table[op].flags & sets[i].flag) != !(sets[i].want >> op & 1))
				fail_msg("%s: flag %#x", op_table[op].name, sets[i].flag);
}

static void test_table_complete(void **state)
{
	for (int op = 0; op < OP_COUNT; op++) {
		const struct op *o = &op_table[op];

		assert_non_null(o->name);
		assert_non_null(o->help);
		assert_true(o->bus_factor && o->shape && o->source);
		assert_true(o->time_scale == (op == OP_PINGPONG ? 0.5 : 1));
		assert_int_equal(o->default_max_bytes, op == OP_PINGPONG ? 1048576 : 0);
		assert_int_equal(o->nccl_name != NULL, (o->flags & OP_COLLECTIVE) != 0);
		assert_int_equal(op_find(o->name), op);
	}
	assert_string_equal(op_table[OP_REDUCE_SCATTER].nccl_name, "ReduceScatter");
	assert_int_equal(op_find("allreduce"), -1);
	assert_int_equal(op_find(""), -1);
	assert_int_equal(op_find(NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bus_factors), cmocka_unit_test(test_bandwidths),
		cmocka_unit_test(test_rounding),    cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_sources),     cmocka_unit_test(test_sources_within_shapes),
		cmocka_unit_test(test_flags),       cmocka_unit_test(test_table_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
