/* SPDX-License-Identifier: Apache-2.0 */
/* The generated README has one table row per column and is well formed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "data/columns_doc.h"
#include "data/record.h"

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = strstr(text, what); p != NULL; p = strstr(p + 1, what))
		n++;
	return n;
}

static void test_every_column(void **state)
{
	struct buf b = { 0 };
	char row[64];

	columns_markdown(&b);
	assert_false(b.failed);
	for (size_t i = 0; i < record_n_columns; i++) {
		snprintf(row, sizeof(row), "\n| `%s` | ", record_columns[i].name);
		assert_true(count(buf_text(&b), row) >= 1);
	}
	for (size_t i = 0; i < sample_n_columns; i++) {
		snprintf(row, sizeof(row), "\n| `%s` | ", sample_columns[i].name);
		assert_true(count(buf_text(&b), row) >= 1);
	}
	assert_int_equal(count(buf_text(&b), " | key | "), 17);
	assert_int_equal(count(buf_text(&b), "| column | unit | role | meaning |\n"), 2);
	assert_int_equal(count(buf_text(&b), "| `time_us` | us | metric | "), 1);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_column) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
