/* SPDX-License-Identifier: Apache-2.0 */
/* Local reductions and the buffers' limit: what the UCX worker does without UCX. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "spec/dtype.h"
#include "spec/redop.h"
#include "worker/ucx_memory.h"
#include "worker/ucx_reduce.h"

static void test_floats(void **state)
{
	float d[3] = { 1, -2, 0.5f }, e[3] = { 1, -2, 0.5f };
	const float s[3] = { 2, 3, -0.25f };

	ucx_reduce_find(DTYPE_FLOAT, REDOP_SUM)(d, s, 3);
	assert_true(d[0] == 3 && d[1] == 1 && d[2] == 0.25f);
	ucx_reduce_find(DTYPE_FLOAT, REDOP_MAX)(e, s, 3);
	assert_true(e[0] == 2 && e[1] == 3 && e[2] == 0.5f);
}

static void test_integers(void **state)
{
	int32_t d[2] = { INT32_MAX, -5 }, e[2] = { -1, 7 };
	const int32_t s[2] = { 1, 3 };

	ucx_reduce_find(DTYPE_INT32, REDOP_SUM)(d, s, 2);
	assert_int_equal(d[0], INT32_MIN); /* wraps, and is defined to */
	assert_int_equal(d[1], -2);
	ucx_reduce_find(DTYPE_INT32, REDOP_MIN)(e, s, 2);
	assert_int_equal(e[0], -1);
	assert_int_equal(e[1], 3);
	ucx_reduce_find(DTYPE_INT32, REDOP_PROD)(e, s, 2);
	assert_int_equal(e[1], 9);
}

static void test_no_such_row(void **state)
{
	assert_null(ucx_reduce_find(DTYPE_HALF, REDOP_SUM));
	assert_null(ucx_reduce_find(DTYPE_FLOAT, REDOP_AVG));
	assert_null(ucx_reduce_find(-1, 0));
	assert_null(ucx_reduce_find(DTYPE_COUNT, 0));
	assert_null(ucx_reduce_find(0, REDOP_COUNT));
}

static void test_memory_grows_and_stays(void **state)
{
	struct ucx_memory m = { 0 };
	uint64_t want[UCX_AREA_COUNT] = { 100, 8192, 0 }, need, limit;
	uint8_t *recv;

	assert_int_equal(ucx_memory_fit(&m, want, 2, &need, &limit), 0);
	assert_non_null(m.base[UCX_AREA_SEND]);
	assert_int_equal((uintptr_t)m.base[UCX_AREA_RECV] % 4096, 0);
	assert_null(m.base[UCX_AREA_SCRATCH]);
	assert_int_equal(need, 8292);
	recv = m.base[UCX_AREA_RECV];
	want[UCX_AREA_RECV] = 4096;
	want[UCX_AREA_SCRATCH] = 64;
	assert_int_equal(ucx_memory_fit(&m, want, 2, &need, &limit), 0);
	assert_ptr_equal(m.base[UCX_AREA_RECV], recv);
	assert_int_equal(m.size[UCX_AREA_RECV], 8192);
	ucx_memory_fini(&m);
	assert_int_equal(m.size[UCX_AREA_RECV], 0);
}

static void test_memory_limit(void **state)
{
	struct ucx_memory m = { 0 };
	uint64_t available = ucx_memory_available(), need, limit;
	uint64_t want[UCX_AREA_COUNT] = { available / 4, available, 0 };

	if (!available)
		skip();
	assert_int_equal(ucx_memory_fit(&m, want, 1, &need, &limit), -ENOMEM);
	assert_int_equal(need, available / 4 + available);
	assert_in_range(limit, 1, need);
	assert_null(m.base[UCX_AREA_SEND]); /* refused before anything is taken */
	want[UCX_AREA_SEND] = want[UCX_AREA_RECV] = UINT64_MAX;
	assert_int_equal(ucx_memory_fit(&m, want, 1, &need, &limit), -ENOMEM);
	ucx_memory_fini(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_floats),       cmocka_unit_test(test_integers),
		cmocka_unit_test(test_no_such_row),  cmocka_unit_test(test_memory_grows_and_stays),
		cmocka_unit_test(test_memory_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
