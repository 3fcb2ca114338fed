/* SPDX-License-Identifier: Apache-2.0 */
/* Growable text: growth, failure that is remembered, ownership. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static void empty_is_usable(void **state)
{
	struct buf b = { 0 };

	assert_string_equal(buf_text(&b), "");
	buf_clear(&b);
	buf_add(&b, NULL, 0);
	buf_puts(&b, "");
	buf_printf(&b, "%s", "");
	assert_string_equal(buf_text(&b), "");
	assert_int_equal(b.len, 0);
	assert_false(b.failed);
	buf_fini(&b);
	buf_fini(&b);
}

static void parts_follow_each_other(void **state)
{
	struct buf b = { 0 };

	buf_puts(&b, "one");
	buf_putc(&b, ' ');
	buf_add(&b, "two and more", 3);
	buf_printf(&b, " %d%%", 3);
	assert_string_equal(buf_text(&b), "one two 3%");
	assert_int_equal(b.len, 10);
	buf_clear(&b);
	assert_string_equal(buf_text(&b), "");
	buf_puts(&b, "again");
	assert_string_equal(buf_text(&b), "again");
	buf_fini(&b);
	assert_null(b.data);
}

static void grows_over_every_edge(void **state)
{
	struct buf b = { 0 };

	for (int i = 0; i < 5000; i++) {
		buf_putc(&b, (char)('a' + i % 26));
		assert_int_equal(strlen(b.data), (size_t)i + 1);
	}
	for (int i = 0; i < 5000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
	buf_printf(&b, "%4000s", "end");
	assert_int_equal(b.len, 9000);
	assert_string_equal(b.data + 8996, " end");
	assert_false(b.failed);
	buf_fini(&b);
}

static void bytes_may_be_anything(void **state)
{
	struct buf b = { 0 };

	buf_add(&b, "a\0b", 3);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
	buf_fini(&b);
}

/* A size no machine has makes the allocation fail without touching memory. */
static void failure_is_remembered(void **state)
{
	struct buf b = { 0 };

	buf_puts(&b, "kept");
	buf_add(&b, "x", SIZE_MAX - 2);
	assert_true(b.failed);
	buf_puts(&b, "lost");
	assert_string_equal(buf_text(&b), "kept");
	assert_null(buf_take(&b));
	assert_false(b.failed);
	buf_puts(&b, "usable");
	assert_string_equal(buf_text(&b), "usable");
	buf_fini(&b);
}

static void clear_forgives(void **state)
{
	struct buf b = { 0 };

	buf_add(&b, "x", SIZE_MAX);
	assert_true(b.failed);
	assert_string_equal(buf_text(&b), "");
	buf_clear(&b);
	buf_puts(&b, "fine");
	assert_string_equal(buf_text(&b), "fine");
	buf_fini(&b);
}

static void take_passes_ownership(void **state)
{
	struct buf b = { 0 };
	char *text = buf_take(&b);

	assert_non_null(text); /* the empty text is a text */
	assert_string_equal(text, "");
	free(text);
	buf_puts(&b, "mine");
	text = buf_take(&b);
	assert_string_equal(text, "mine");
	assert_null(b.data);
	assert_int_equal(b.len, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_usable),       cmocka_unit_test(parts_follow_each_other),
		cmocka_unit_test(grows_over_every_edge), cmocka_unit_test(bytes_may_be_anything),
		cmocka_unit_test(failure_is_remembered), cmocka_unit_test(clear_forgives),
		cmocka_unit_test(take_passes_ownership),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
