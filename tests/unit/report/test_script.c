/* SPDX-License-Identifier: Apache-2.0 */
/* What reaches gnuplot: quoting, wrapping, numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/attr.h"
#include "base/buf.h"
#include "report/script.h"

static void expect(struct buf *b, const char *want)
{
	assert_string_equal(buf_text(b), want);
	buf_fini(b);
}

static void test_quotes(void **state)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "''" },
		{ "plain", "'plain'" },
		{ "it's", "'it'.q.'s'" },
		{ "''", "q.q" },
		{ "'a'", "q.'a'.q" },
		{ "`touch x`", "'`touch x`'" },
		{ "\"dq\" \\ %d @m #c", "'\"dq\" \\ %d @m #c'" },
		{ "a\nload 'x'", "'a?load '.q.'x'.q" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		script_quote(&b, cases[i].in);
		expect(&b, cases[i].want);
	}
}

static void test_numbers(void **state)
{
	struct buf b = { 0 };

	(void)state;
	script_number(&b, "x", 1073741824);
	script_number(&b, "y", 0.25);
	script_number(&b, "z", NAN);
	script_number(&b, "w", INFINITY);
	expect(&b, "x = 1073741824.0\ny = 0.25\nz = NaN\nw = NaN\n");
}

static void test_wrapped(void **state)
{
	struct buf b = { 0 };

	(void)state;
	script_wrapped(&b, "", 10, 2);
	expect(&b, "''");
	script_wrapped(&b, "one two three", 8, 2);
	expect(&b, "'one two'.nl.'three'");
	script_wrapped(&b, "one two three four", 8, 2);
	expect(&b, "'one two'.nl.'three...'");
	script_wrapped(&b, "one two three four", 12, 1);
	expect(&b, "'one two...'");
}

static void test_arrays(void **state)
{
	struct buf b = { 0 };

	(void)state;
	script_array(&b, "a", 0);
	script_array(&b, "b", 2);
	script_item_text(&b, "b", 0, "x");
	script_item_number(&b, "b", 1, 2);
	expect(&b, "array a[1]\narray b[2]\nb[1] = 'x'\nb[2] = 2.0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
