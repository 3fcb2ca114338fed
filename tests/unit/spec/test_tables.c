/* SPDX-License-Identifier: Apache-2.0 */
/* The small tables: complete, names unique, numbers as the documents give them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/attr.h"
#include "ncclbench/pattern.h"
#include "spec/dtype.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"

static void test_dtypes(void **state)
{
	/* ncclDataType_t of nccl.h */
	static const struct {
		const char *name;
		int number;
		uint32_t bytes;
	} want[] = {
		{ "int8", 0, 1 },   { "uint8", 1, 1 },    { "int32", 2, 4 },   { "uint32", 3, 4 },
		{ "int64", 4, 8 },  { "uint64", 5, 8 },   { "half", 6, 2 },    { "float", 7, 4 },
		{ "double", 8, 8 }, { "bfloat16", 9, 2 }, { "f8e4m3", 10, 1 }, { "f8e5m2", 11, 1 },
	};

	assert_int_equal(N_ELEMENTS(want), DTYPE_COUNT);
	for (size_t i = 0; i < N_ELEMENTS(want); i++) {
		const struct dtype *d = &dtype_table[want[i].number];

		assert_string_equal(d->name, want[i].name);
		assert_int_equal(d->bytes, want[i].bytes);
		assert_int_equal(dtype_find(want[i].name), want[i].number);
		assert_true(d->nccl_since >= 2000);
		for (size_t j = 0; d->alias && j < DTYPE_COUNT; j++)
			assert_string_not_equal(d->alias, dtype_table[j].name);
		assert_true(!d->alias || dtype_find(d->alias) == want[i].number);
	}
	assert_int_equal(dtype_find("float32"), DTYPE_FLOAT);
	assert_int_equal(dtype_find("bf16"), DTYPE_BFLOAT16);
	assert_int_equal(dtype_find("Float"), -1);
	assert_int_equal(dtype_find(NULL), -1);
	assert_int_equal(dtype_table[DTYPE_BFLOAT16].nccl_since, 21003);
	assert_int_equal(dtype_table[DTYPE_FP8E5M2].nccl_since, 22400);
}

/* Kernels cannot see spec's tables: pattern.h repeats numbers that must stay equal. */
static void test_dtypes_equal_pattern(void **state)
{
	assert_int_equal(NB_FP8E5M2, DTYPE_FP8E5M2);
	assert_int_equal(NB_FLOAT, DTYPE_FLOAT);
	assert_int_equal(NB_UINT64, DTYPE_UINT64);
	assert_int_equal(NB_AVG, REDOP_AVG);
	assert_int_equal(NB_MAX, REDOP_MAX);
	for (int d = 0; d < DTYPE_COUNT; d++) {
		assert_int_equal(nb_dtype_bytes(d), dtype_table[d].bytes);
		assert_true(nb_pattern_tolerance(d, NB_AVG) == dtype_table[d].tolerance);
		for (int op = NB_SUM; op < NB_AVG; op++)
			assert_true(nb_pattern_tolerance(d, op) == 0);
		assert_int_equal(nb_dtype_is_integer(d),
				 strstr(dtype_table[d].name, "int") != NULL);
	}
	assert_int_equal(nb_dtype_bytes(DTYPE_COUNT), 0);
}

static void test_redops(void **state)
{
	/* ncclRedOp_t of nccl.h */
	static const char *const want[] = { "sum", "prod", "max", "min", "avg" };

	assert_int_equal(N_ELEMENTS(want), REDOP_COUNT);
	for (int i = 0; i < REDOP_COUNT; i++) {
		assert_string_equal(redop_table[i].name, want[i]);
		assert_non_null(redop_table[i].help);
		assert_int_equal(redop_find(want[i]), i);
	}
	assert_int_equal(redop_find("mean"), -1);
}

static void test_timings(void **state)
{
	for (int i = 0; i < TIMING_COUNT; i++) {
		assert_non_null(timing_table[i].help);
		assert_int_equal(timing_find(timing_table[i].name), i);
	}
	for (int i = 0; i < VARIANT_COUNT; i++) {
		assert_non_null(variant_table[i].help);
		assert_int_equal(variant_find(variant_table[i].name), i);
	}
	assert_int_equal(timing_find("graph"), TIMING_GRAPH);
	assert_int_equal(variant_find("graph"), VARIANT_GRAPH);
	assert_int_equal(timing_find("cuda"), -1);
	assert_int_equal(variant_find(""), -1);
}

static void test_ops_per_loop(void **state)
{
	static const struct {
		int timing;
		unsigned long long bytes;
		int ops;
	} want[] = {
		{ TIMING_GRAPH, 8, 20 },
		{ TIMING_GRAPH, 1048576, 20 },
		{ TIMING_GRAPH, 1048577, 10 },
		{ TIMING_GRAPH, 4194304, 10 },
		{ TIMING_GRAPH, 4194305, 4 },
		{ TIMING_GRAPH, 16777216, 4 },
		{ TIMING_GRAPH, 67108864, 2 },
		{ TIMING_GRAPH, 67108865, 1 },
		{ TIMING_GRAPH, ~0ULL, 1 },
		{ TIMING_STREAM, 8, 20 },
		{ TIMING_STREAM, 1048576, 20 },
		{ TIMING_STREAM, 2097152, 8 },
		{ TIMING_STREAM, 4194304, 8 },
		{ TIMING_STREAM, 4194305, 2 },
		{ TIMING_STREAM, 16777216, 2 },
		{ TIMING_STREAM, 16777217, 1 },
		{ TIMING_HOST, 1048576, 20 },
		{ TIMING_HOST, 2097152, 8 },
		{ TIMING_HOST, 16777216, 2 },
		{ TIMING_HOST, 1ULL << 30, 1 },
		{ TIMING_BLOCKING, 8, 1 },
		{ TIMING_BLOCKING, 1ULL << 30, 1 },
		{ TIMING_COUNT, 8, 1 },
		{ -1, 8, 1 },
	};

	for (size_t i = 0; i < N_ELEMENTS(want); i++)
		assert_int_equal(timing_ops_per_loop(want[i].timing, want[i].bytes), want[i].ops);
}

static void test_outcomes(void **state)
{
	/* from harmless to worst */
	static const int order[] = {
		OUTCOME_OK,          OUTCOME_UNPROVEN, OUTCOME_SKIPPED, OUTCOME_ABORTED,
		OUTCOME_UNAVAILABLE, OUTCOME_OOM,      OUTCOME_ERROR,   OUTCOME_HANG,
		OUTCOME_CRASH,       OUTCOME_CORRUPT,
	};
	const unsigned broken =
	    1 << OUTCOME_CORRUPT | 1 << OUTCOME_HANG | 1 << OUTCOME_CRASH | 1 << OUTCOME_ERROR;
	const unsigned lost =
	    1 << OUTCOME_HANG | 1 << OUTCOME_CRASH | 1 << OUTCOME_ERROR | 1 << OUTCOME_ABORTED;

	assert_int_equal(N_ELEMENTS(order), OUTCOME_COUNT);
	assert_int_equal(outcome_table[OUTCOME_OK].severity, 0);
	for (int i = 1; i < OUTCOME_COUNT; i++)
		assert_true(outcome_table[order[i]].severity >
			    outcome_table[order[i - 1]].severity);
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		assert_int_equal(outcome_table[i].exit_code, broken >> i & 1 ? 5 : 0);
		assert_int_equal(outcome_table[i].worker_lost, lost >> i & 1);
		assert_non_null(outcome_table[i].help);
		assert_int_equal(outcome_find(outcome_table[i].name), i);
		assert_true(strlen(outcome_table[i].name) < 16); /* the CSV column's room */
	}
	assert_int_equal(outcome_find("out-of-memory"), OUTCOME_OOM);
	assert_int_equal(outcome_find("oom"), -1);
}

static void test_phases(void **state)
{
	for (int i = 0; i < PHASE_COUNT; i++) {
		assert_non_null(phase_names[i]);
		assert_int_equal(phase_find(phase_names[i]), i);
	}
	assert_int_equal(phase_find("prepare"), PHASE_PREPARE);
	assert_int_equal(phase_find("x"), -1);
	assert_int_equal(phase_find(NULL), -1);
}

static void test_profiles(void **state)
{
	static const struct profile want[] = {
		{ "quick", "", 1, 50000000, 300000, 8000000, 3, 40, 67108864 },
		{ "standard", "", 3, 500000000, 1000000, 100000000, 8, 100, 268435456 },
		{ "gate", "", 10, 1000000000, 2000000, 100000000, 8, 100, 268435456 },
	};

	assert_int_equal(profile_count, 3);
	for (int i = 0; i < profile_count; i++) {
		const struct profile *p = &profile_table[i];

		assert_int_equal(profile_find(want[i].name), i);
		assert_int_equal(p->restarts, want[i].restarts);
		assert_true(p->single_limit_ns == want[i].single_limit_ns);
		assert_true(p->batch_min_ns == want[i].batch_min_ns);
		assert_true(p->point_budget_ns == want[i].point_budget_ns);
		assert_int_equal(p->min_batches, want[i].min_batches);
		assert_int_equal(p->max_batches, want[i].max_batches);
		assert_int_equal(p->ucx_max_bytes, want[i].ucx_max_bytes);
		assert_non_null(p->help);
	}
	assert_int_equal(profile_find("fast"), -1);
}

static void test_precision(void **state)
{
	assert_true(profile_precision(0) == 0.05);
	assert_true(profile_precision(65536) == 0.05);
	assert_true(profile_precision(131072) == 0.02);
	assert_true(profile_precision(33554431) == 0.02);
	assert_true(profile_precision(33554432) == 0.01);
	assert_true(profile_precision(UINT64_MAX) == 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dtypes),       cmocka_unit_test(test_dtypes_equal_pattern),
		cmocka_unit_test(test_redops),       cmocka_unit_test(test_timings),
		cmocka_unit_test(test_ops_per_loop), cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_phases),       cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_precision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
