/* SPDX-License-Identifier: Apache-2.0 */
/* The environment a child gets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/env.h"

static char *const ours[] = {
	(char *)"PATH=/bin", (char *)"NCCL_DEBUG=INFO",    (char *)"EMPTY=",
	(char *)"EQ=a=b",    (char *)"NCCL_DEBUG=WARN",    (char *)"garbage",
	(char *)"=x",        (char *)"NCCL_DEBUG_FILE=/x", NULL,
};

static void inherit_copies(void **state)
{
	struct env e = { 0 };

	assert_int_equal(env_inherit(&e, ours), 0);
	assert_int_equal(e.n, 5);
	assert_null(e.vec[5]);
	assert_string_equal(e.vec[0], "PATH=/bin");
	assert_ptr_not_equal(e.vec[0], ours[0]);
	assert_string_equal(env_get(&e, "NCCL_DEBUG"), "INFO"); /* the first, as getenv sees it */
	assert_string_equal(env_get(&e, "EMPTY"), "");
	assert_string_equal(env_get(&e, "EQ"), "a=b");
	assert_null(env_get(&e, "NCCL"));
	assert_null(env_get(&e, "NCCL_DEBUG_"));
	assert_null(env_get(&e, "garbage"));
	assert_null(env_get(&e, ""));
	env_fini(&e);
	assert_null(e.vec);
	assert_int_equal(e.n, 0);
	env_fini(&e);
}

static void inherit_does_not_override(void **state)
{
	struct env e = { 0 };

	assert_int_equal(env_set(&e, "PATH", "/mine"), 0);
	assert_int_equal(env_inherit(&e, ours), 0);
	assert_string_equal(env_get(&e, "PATH"), "/mine");
	assert_int_equal(e.n, 5);
	env_fini(&e);
}

static void nothing_to_inherit(void **state)
{
	struct env e = { 0 };
	char *const none[] = { NULL };

	assert_int_equal(env_inherit(&e, NULL), 0);
	assert_int_equal(env_inherit(&e, none), 0);
	assert_null(e.vec);
	assert_null(env_get(&e, "PATH"));
	assert_false(env_drop(&e, "PATH"));
	assert_int_equal(env_drop_prefix(&e, ""), 0);
}

static void set_replaces_in_place(void **state)
{
	struct env e = { 0 };

	assert_int_equal(env_set(&e, "A", "1"), 0);
	assert_int_equal(env_set(&e, "AB", "2"), 0);
	assert_int_equal(env_set(&e, "A", "x=y z"), 0);
	assert_int_equal(e.n, 2);
	assert_string_equal(e.vec[0], "A=x=y z");
	assert_string_equal(e.vec[1], "AB=2");
	assert_null(e.vec[2]);
	assert_int_equal(env_set(&e, "A", ""), 0);
	assert_string_equal(env_get(&e, "A"), "");
	env_fini(&e);
}

static void set_refuses_names(void **state)
{
	struct env e = { 0 };

	assert_int_equal(env_set(&e, "", "1"), -EINVAL);
	assert_int_equal(env_set(&e, "A=B", "1"), -EINVAL);
	assert_null(e.vec);
}

static void drop_keeps_order(void **state)
{
	struct env e = { 0 };

	assert_int_equal(env_set(&e, "A", "1"), 0);
	assert_int_equal(env_set(&e, "B", "2"), 0);
	assert_int_equal(env_set(&e, "C", "3"), 0);
	assert_true(env_drop(&e, "A"));
	assert_false(env_drop(&e, "A"));
	assert_int_equal(e.n, 2);
	assert_string_equal(e.vec[0], "B=2");
	assert_string_equal(e.vec[1], "C=3");
	assert_null(e.vec[2]);
	assert_true(env_drop(&e, "C"));
	assert_true(env_drop(&e, "B"));
	assert_null(e.vec);
	assert_int_equal(env_set(&e, "D", "4"), 0);
	assert_string_equal(e.vec[0], "D=4");
	env_fini(&e);
}

static void drop_by_prefix(void **state)
{
	struct env e = { 0 };

	assert_int_equal(env_inherit(&e, ours), 0);
	assert_int_equal(env_drop_prefix(&e, "NCCL_"), 2);
	assert_int_equal(e.n, 3);
	assert_null(env_get(&e, "NCCL_DEBUG"));
	assert_string_equal(env_get(&e, "EQ"), "a=b");
	assert_int_equal(env_drop_prefix(&e, "NCCL_"), 0);
	assert_int_equal(env_drop_prefix(&e, ""), 3);
	assert_null(e.vec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inherit_copies),     cmocka_unit_test(inherit_does_not_override),
		cmocka_unit_test(nothing_to_inherit), cmocka_unit_test(set_replaces_in_place),
		cmocka_unit_test(set_refuses_names),  cmocka_unit_test(drop_keeps_order),
		cmocka_unit_test(drop_by_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
