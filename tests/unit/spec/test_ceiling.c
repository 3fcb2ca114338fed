/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ceilings is complete, and its names are the ones that results and readers know. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "spec/ceiling.h"

static void rows_are_complete(void **state)
{
	for (int i = 0; i < CEILING_COUNT; i++) {
		const struct ceiling *c = &ceiling_table[i];

		assert_non_null(c->name);
		assert_int_equal(ceiling_find(c->name), i);
		assert_non_null(c->how);
		assert_non_null(c->bounds);
		assert_non_null(strstr(c->title, "(measured)"));
		assert_true(strlen(c->title) < 64); /* struct view_peak */
		if (c->needs & CEILING_NEEDS_TCP) {
			assert_true(c->bytes == 0 && c->streams >= 0);
			assert_int_equal(c->needs, CEILING_NEEDS_TCP);
		} else {
			assert_true(c->bytes > 0 && c->copies > 0);
		}
		if (c->needs & CEILING_NEEDS_PEER)
			assert_true(c->needs & CEILING_NEEDS_GPU);
	}
	assert_int_equal(ceiling_find("ce"), -1);
	assert_int_equal(ceiling_find(""), -1);
}

static void names(void **state)
{
	assert_string_equal(ceiling_table[CEILING_CE_WRITE].title, "copy engine write (measured)");
	assert_string_equal(ceiling_table[CEILING_CE_READ].title, "copy engine read (measured)");
	assert_string_equal(ceiling_table[CEILING_HOST_TO_GPU].title,
			    "pinned host to GPU (measured)");
	assert_int_equal(ceiling_find("tcp-16"), CEILING_TCP_16);
	assert_int_equal(ceiling_table[CEILING_TCP_1].streams, 1);
	assert_int_equal(ceiling_table[CEILING_TCP_4].streams, 4);
	assert_int_equal(ceiling_table[CEILING_TCP_16].streams, 16);
	assert_int_equal(ceiling_table[CEILING_TCP_BOTH].streams, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_are_complete),
					    cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
