/* SPDX-License-Identifier: Apache-2.0 */
/* CSV in and out: quoting, line counting, and everything that must be refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "data/csv.h"

static void written(const char *text, const char *want)
{
	struct buf b = { 0 };

	csv_field(&b, text, 1);
	assert_string_equal(buf_text(&b), want);
	buf_fini(&b);
}

static void test_write(void **state)
{
	struct buf b = { 0 };

	written("plain", "plain");
	written("", "");
	written(NULL, "");
	written("a,b", "\"a,b\"");
	written("say \"no\"", "\"say \"\"no\"\"\"");
	written("two\nlines", "\"two\nlines\"");
	written("a\tb", "a\tb");
	written("bell\a esc\033 cr\r del\177", "bell? esc? cr? del?");
	written("#1", "\"#1\"");
	written("-1.5", "-1.5");
	written("\xc2\xb5s", "\xc2\xb5s");
	csv_field(&b, "a", 1);
	csv_field(&b, "", 0);
	csv_field(&b, "c", 0);
	assert_string_equal(buf_text(&b), "a,,c");
	buf_fini(&b);
}

static void row_is(struct csv_reader *r, size_t line, size_t n, const char *const *want)
{
	assert_int_equal(csv_next(r), 1);
	assert_int_equal(r->row.line, line);
	assert_int_equal(r->row.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(r->row.field[i], want[i]);
}

static void test_read(void **state)
{
	static const char text[] = "\xef\xbb\xbf# comment, \"with a quote\n"
				   "# another\n"
				   "name,\"quoted, name\",\r\n"
				   "\n"
				   "#5,\"two\nlines and \"\"quotes\"\"\",x\r\n"
				   ",,\n"
				   "last,\"\",y";
	static const char *const header[] = { "name", "quoted, name", "" };
	static const char *const second[] = { "#5", "two\nlines and \"quotes\"", "x" };
	static const char *const third[] = { "", "", "" };
	static const char *const fourth[] = { "last", "", "y" };
	struct csv_reader r;

	csv_open(&r, text, sizeof(text) - 1);
	row_is(&r, 3, 3, header);
	row_is(&r, 5, 3, second);
	row_is(&r, 7, 3, third);
	row_is(&r, 8, 3, fourth);
	assert_int_equal(csv_next(&r), 0);
	assert_int_equal(csv_next(&r), 0);
	csv_close(&r);
}

static void test_nothing_to_read(void **state)
{
	static const char *const texts[] = { "", "\n\r\n\n", "# only\n# comments", "\xef\xbb\xbf" };
	struct csv_reader r;

	for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
		csv_open(&r, texts[i], strlen(texts[i]));
		assert_int_equal(csv_next(&r), 0);
		csv_close(&r);
	}
}

static void refused(const char *text, size_t len, const char *why, size_t line, size_t field)
{
	struct csv_reader r;
	int rc;

	csv_open(&r, text, len);
	while ((rc = csv_next(&r)) == 1)
		;
	assert_int_equal(rc, -EBADMSG);
	assert_string_equal(r.why, why);
	assert_int_equal(r.line, line);
	assert_int_equal(r.why_field, field);
	csv_close(&r);
}
#define REFUSED(text, why, line, field) refused(text, sizeof(text) - 1, why, line, field)

static void test_refused(void **state)
{
	REFUSED("a,b\n1,\"2\n3\n", "the quote is never closed", 2, 1);
	REFUSED("\"", "the quote is never closed", 1, 0);
	REFUSED("a,b\n1,2\0\n", "NUL byte", 2, 1);
	REFUSED("a,\"b\n\0\"", "NUL byte", 2, 1);
	REFUSED("a,b\n\"1\"x,2\n", "text after the closing quote", 2, 0);
	REFUSED("a,b\"c\n", "a quote inside an unquoted field", 1, 1);
}

/* What is written is read back, for every byte that survives writing. */
static void test_round_trip(void **state)
{
	char text[256];
	struct buf b = { 0 };
	struct csv_reader r;
	size_t n = 0;

	for (int c = 1; c < 256; c++)
		if (c >= 0x20 || c == '\t' || c == '\n')
			text[n++] = (char)(c == 0x7f ? '?' : c);
	text[n] = '\0';
	csv_field(&b, text, 1);
	csv_field(&b, text, 0);
	csv_open(&r, buf_text(&b), b.len);
	assert_int_equal(csv_next(&r), 1);
	assert_int_equal(r.row.n, 2);
	assert_string_equal(r.row.field[0], text);
	assert_string_equal(r.row.field[1], text);
	csv_close(&r);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write),           cmocka_unit_test(test_read),
		cmocka_unit_test(test_nothing_to_read), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
