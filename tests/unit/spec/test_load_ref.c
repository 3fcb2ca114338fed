/* SPDX-License-Identifier: Apache-2.0 */
/* The C twins of the loads, against values worked out by hand: what a GPU is then compared with. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "ncclbench/kernels.h"

/* 23 bytes are one vector of four floats; the rest stays. */
static void memory(void **state)
{
	float x[6] = { 0, 1.5F, -1, 1e6F, 7, 8 };

	nb_load_memory_ref(x, 23);
	assert_true(x[0] == 1 && x[1] == 2.5F && x[2] == 0 && x[3] == 1000001);
	assert_true(x[4] == 7 && x[5] == 8);
	nb_load_memory_ref(x, 15);
	assert_true(x[0] == 1);
}

/* x -> 0.999 x + 0.5 has its fixed point at 500 and brings x nearer by 0.999 each time, here 256
 * times: by 0.77404. Thread t starts at t to t + 3, of which the sum is 4 t + 6, and 2000 - (2000 -
 * 6 - 4 t) x 0.77404 in the end: 456.56 for thread 0, 459.65 for thread 1, 2038.70 for 511. */
static void arithmetic(void **state)
{
	static float x[NB_LOAD_THREADS + 3];

	x[NB_LOAD_THREADS + 2] = -1;
	nb_load_arithmetic_kept_ref(x, sizeof(x) - 1);
	assert_true(fabs((double)x[0] - 456.56) < 0.05);
	assert_true(fabs((double)x[1] - 459.65) < 0.05);
	assert_true(fabs((double)x[511] - 2038.70) < 0.05);
	assert_true(x[NB_LOAD_THREADS] == x[0] && x[NB_LOAD_THREADS + 1] == x[1]);
	assert_true(x[NB_LOAD_THREADS + 2] == -1); /* no whole float was left */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory),
		cmocka_unit_test(arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
