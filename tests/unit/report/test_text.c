/* SPDX-License-Identifier: Apache-2.0 */
/* Cleaning, widths, wrapping and three-digit numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "report/text.h"

static void test_clean(void **state)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "plain", "plain" },
		{ "", "" },
		{ "a\033[31mb\n", "a?[31mb?" },
		{ "\302\265s", "\302\265s" },
		{ "\302\205", "??" }, /* C1 control: next line */
		{ "\377\376", "??" },
		{ "\300\257", "??" },        /* overlong '/' */
		{ "\355\240\200", "???" },   /* half of a surrogate pair */
		{ "\342\200\256x", "???x" }, /* right-to-left override */
		{ "\357\277\277", "???" },   /* U+FFFF is not XML */
		{ "\360\237\230\200", "\360\237\230\200" },
		{ "\342\202", "??" }, /* cut short */
		{ "\177", "?" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		text_clean(cases[i].in, out, sizeof(out));
		assert_string_equal(out, cases[i].want);
	}
}

static void test_clean_is_bounded_between_characters(void **state)
{
	char out[4];

	(void)state;
	text_clean("abcdef", out, sizeof(out));
	assert_string_equal(out, "abc");
	text_clean("ab\302\265", out, sizeof(out));
	assert_string_equal(out, "ab");
	text_clean("x", out, 1);
	assert_string_equal(out, "");
}

static void test_width_counts_characters(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("\302\265s @ 8 B"), 8);
}

static void test_line(void **state)
{
	(void)state;
	assert_int_equal(text_line("one two three", 0), 13);
	assert_int_equal(text_line("one two three", 13), 13);
	assert_int_equal(text_line("one two three", 12), 7);
	assert_int_equal(text_line("one two three", 7), 7);
	assert_int_equal(text_line("one two three", 5), 3);
	assert_int_equal(text_line("onetwothree", 4), 4);
	assert_int_equal(text_line("\302\265\302\265\302\265", 2), 4);
}

static void test_number(void **state)
{
	static const struct {
		double v;
		const char *want;
	} cases[] = {
		{ 326.7, "327" },    { 48.96, "49.0" },      { 3.2, "3.20" },
		{ 10437, "10400" },  { 0.00123, "0.00123" }, { 999.6, "1000" },
		{ 99.96, "100" },    { 9.996, "10.0" },      { 0.0009996, "0.00100" },
		{ 0, "0" },          { 1, "1.00" },          { 1e8, "100000000" },
		{ 1e9, "1.00e+09" }, { 1e-12, "1.00e-12" },  { -3.14159, "-3.14" },
		{ NAN, "-" },        { INFINITY, "inf" },
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		text_number(cases[i].v, out, sizeof(out));
		assert_string_equal(out, cases[i].want);
	}
}

static void test_utf8_by_environment(void **state)
{
	(void)state;
	setenv("LANG", "de_DE.UTF-8", 1);
	unsetenv("LC_ALL");
	unsetenv("LC_CTYPE");
	assert_true(text_utf8());
	setenv("LC_CTYPE", "C", 1);
	assert_false(text_utf8());
	setenv("LC_ALL", "C.utf8", 1);
	assert_true(text_utf8());
	setenv("LC_ALL", "", 1);
	assert_false(text_utf8());
	unsetenv("LC_CTYPE");
	unsetenv("LANG");
	assert_false(text_utf8());
}

static void nothing_in_a_cell_is_markup(void **state)
{
	struct buf b = { 0 };

	text_markdown(&b, "a|b`c` <i>&@x\n#1 [t](u) _e_ ~~ !\\");
	assert_string_equal(buf_text(&b),
			    "a\\|b\\`c\\` &lt;i&gt;&amp;@&#8203;x \\#1 \\[t\\](u) \\_e\\_ "
			    "\\~\\~ \\!\\\\");
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_in_a_cell_is_markup),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_clean_is_bounded_between_characters),
		cmocka_unit_test(test_width_counts_characters),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_utf8_by_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
