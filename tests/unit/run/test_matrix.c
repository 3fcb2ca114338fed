/* SPDX-License-Identifier: Apache-2.0 */
/* --algos and --protos: the arms they become, the words they refuse, what does not exist, what NCCL
 * declined. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ncclog/scan.h"
#include "run/arm.h"
#include "run/matrix.h"
#include "spec/op.h"
#include "spec/plan.h"

static void arms(void **state)
{
	struct arm *a;
	char why[300];
	size_t n;

	assert_int_equal(matrix_arms("ring,Tree", "ll,simple", &a, &n, why, sizeof(why)), 0);
	assert_int_equal(n, 5);
	assert_string_equal(a[0].label, "");
	assert_int_equal(a[0].n, 0);
	assert_string_equal(a[1].label, "ring/ll");
	assert_string_equal(arm_value(&a[1], "NCCL_ALGO"), "Ring");
	assert_string_equal(arm_value(&a[1], "NCCL_PROTO"), "LL");
	assert_string_equal(a[4].label, "tree/simple");
	assert_string_equal(a[4].algo_req, "tree");
	assert_string_equal(a[4].proto_req, "simple");
	arms_free(a, n);
	assert_int_equal(matrix_arms(NULL, "ll128", &a, &n, why, sizeof(why)), 0);
	assert_int_equal(n, 2);
	assert_string_equal(a[1].label, "ll128");
	assert_null(arm_value(&a[1], "NCCL_ALGO"));
	arms_free(a, n);
}

static void refused_words(void **state)
{
	static const struct {
		const char *algos, *protos, *says;
	} bad[] = {
		/* Fixed: no option steers multicast. */
		{ "ring,nvls", NULL, "--algos: 'nvls' steers NVLink multicast" },
		{ "NVLSTree", NULL, "steers NVLink multicast" },
		{ "collnet", NULL, "steers" },
		{ "CollnetDirect", NULL, "steers" },
		{ "rng", NULL, "did you mean ring;" },
		{ "simple", NULL, "--algos: unknown word 'simple'" }, /* a protocol */
		{ NULL, "ring", "--protos: unknown word 'ring'" },
		{ "^ring", NULL, "unknown word" },
		{ "ring,ring", NULL, "'ring' is named twice" },
		{ ",", NULL, "the list is empty" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct arm *a = NULL;
		char why[300] = "";
		size_t n;

		assert_int_equal(matrix_arms(bad[i].algos, bad[i].protos, &a, &n, why, sizeof(why)),
				 -EINVAL);
		if (!strstr(why, bad[i].says))
			fail_msg("'%s' is not '%s'", why, bad[i].says);
		assert_null(a);
	}
}

static void what_does_not_exist(void **state)
{
	struct plan_point points[] = {
		{ .c = { .op = OP_ALL_REDUCE } },     { .c = { .op = OP_BROADCAST } },
		{ .c = { .op = OP_SENDRECV } },       { .c = { .op = OP_ALL_GATHER } },
		{ .c = { .op = OP_REDUCE_SCATTER } }, { .impossible = "too small" }
	};
	struct plan_config configs[2] = { { .arm = 0, .first = 0, .n = 0 },
					  { .arm = 1, .first = 0, .n = 6 } };
	struct plan p = { .points = points, .n_points = 6, .configs = configs, .n_configs = 2 };
	/* tree: all_reduce only. pat: all_gather and reduce_scatter, since 2.23. */
	static const struct {
		const char *algos;
		int version;
		const char *possible;
	} want[] = { { "tree", 22803, "100000" },
		     { "pat", 22803, "000110" },
		     { "pat", 22005, "000000" },
		     { "pat", 0, "000110" },
		     { "ring", 22803, "110110" } };

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct arm *a;
		char why[300], got[7] = "";
		size_t n;

		for (size_t k = 0; k < 5; k++) {
			points[k].impossible = NULL;
			points[k].unavailable = false;
		}
		assert_int_equal(matrix_arms(want[i].algos, NULL, &a, &n, why, sizeof(why)), 0);
		matrix_plan(&p, a, want[i].version);
		for (size_t k = 0; k < 6; k++)
			got[k] = points[k].impossible ? '0' : '1';
		assert_string_equal(got, want[i].possible);
		assert_string_equal(points[5].impossible, "too small");
		assert_false(points[5].unavailable);
		assert_true(points[2].unavailable);
		arms_free(a, n);
	}
}

static void what_was_declined(void **state)
{
	struct scan_tuning t = { .algo = "RING", .proto = "SIMPLE" }, unknown = { .algo = "" };
	struct arm a = { .algo_req = "ring", .proto_req = "simple" };
	char why[200];

	assert_false(matrix_declined(&a, &t, why, sizeof(why)));
	assert_false(matrix_declined(&a, &unknown, why, sizeof(why)));
	strcpy(a.proto_req, "ll128");
	assert_true(matrix_declined(&a, &t, why, sizeof(why)));
	assert_string_equal(why, "NCCL declined: it took RING/SIMPLE, asked for ring/ll128");
	a.proto_req[0] = '\0';
	assert_false(matrix_declined(&a, &t, why, sizeof(why)));
	strcpy(a.algo_req, "tree");
	assert_true(matrix_declined(&a, &t, why, sizeof(why)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arms),
		cmocka_unit_test(refused_words),
		cmocka_unit_test(what_does_not_exist),
		cmocka_unit_test(what_was_declined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
