/* SPDX-License-Identifier: Apache-2.0 */
/* What of a hostile text may be shown: each row's two forms are worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/visible.h"

static const struct {
	const char *text, *marked, *escaped;
} rows[] = {
	{ "", "", "" },
	{ "plain ~", "plain ~", "plain ~" },
	{ "a\nb\tc", "a?b?c", "a\\x0ab\\x09c" },
	{ "\x1b[31m", "?[31m", "\\x1b[31m" },
	{ "\x7f", "?", "\\x7f" },
	{ "\xc2\x80,\xc2\x9b,\xc2\x9f", "??,??,??", "\\xc2\\x80,\\xc2\\x9b,\\xc2\\x9f" },
	{ "\xc2\xa0\xc2\xb5", "\xc2\xa0\xc2\xb5", "\xc2\xa0\xc2\xb5" }, /* U+00A0, micro */
	{ "\xc2\xad", "??", "\\xc2\\xad" },                             /* soft hyphen */
	{ "\xd8\x9c", "??", "\\xd8\\x9c" },                             /* U+061C */
	{ "\xe2\x80\x8a", "\xe2\x80\x8a", "\xe2\x80\x8a" },             /* U+200A has a width */
	{ "\xe2\x80\x8b", "???", "\\xe2\\x80\\x8b" },                   /* U+200B */
	{ "\xe2\x80\x8f", "???", "\\xe2\\x80\\x8f" },                   /* U+200F */
	{ "\xe2\x80\x90", "\xe2\x80\x90", "\xe2\x80\x90" },             /* U+2010, a hyphen */
	{ "\xe2\x80\xa8", "???", "\\xe2\\x80\\xa8" },                   /* U+2028 */
	{ "\xe2\x80\xaa", "???", "\\xe2\\x80\\xaa" },                   /* U+202A */
	{ "\xe2\x80\xae", "???", "\\xe2\\x80\\xae" },                   /* U+202E */
	{ "\xe2\x80\xaf", "\xe2\x80\xaf", "\xe2\x80\xaf" },             /* U+202F, a space */
	{ "\xe2\x81\xa0", "???", "\\xe2\\x81\\xa0" },                   /* U+2060 */
	{ "\xe2\x81\xa6\xe2\x81\xa9", "??????", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9" },
	{ "\xef\xbb\xbf", "???", "\\xef\\xbb\\xbf" },       /* U+FEFF */
	{ "\xef\xbf\xbd", "\xef\xbf\xbd", "\xef\xbf\xbd" }, /* U+FFFD */
	{ "\xef\xbf\xbe", "???", "\\xef\\xbf\\xbe" },       /* U+FFFE */
	{ "\xf0\x9f\x8c\x8d", "\xf0\x9f\x8c\x8d", "\xf0\x9f\x8c\x8d" },
	{ "\xf3\xa0\x81\x81", "????", "\\xf3\\xa0\\x81\\x81" }, /* U+E0041, a tag */
	{ "\xc0\x8a", "??", "\\xc0\\x8a" },                     /* overlong newline */
	{ "\xed\xa0\x80", "???", "\\xed\\xa0\\x80" },           /* surrogate */
	{ "\xf4\x90\x80\x80", "????", "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
	{ "cut \xe2\x82", "cut ??", "cut \\xe2\\x82" },
	{ "\xff\x9b", "??", "\\xff\\x9b" },
};

static void both_forms(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		struct buf b = { 0 };
		char out[64], same[64];

		visible_copy(rows[i].text, out, sizeof(out));
		assert_string_equal(out, rows[i].marked);
		strcpy(same, rows[i].text);
		visible_copy(same, same, sizeof(same));
		assert_string_equal(same, rows[i].marked);
		visible_add(&b, rows[i].text);
		assert_string_equal(buf_text(&b), rows[i].marked);
		buf_clear(&b);
		visible_escape(&b, rows[i].text);
		assert_string_equal(buf_text(&b), rows[i].escaped);
		buf_fini(&b);
	}
}

static void length_of_one(void **state)
{
	assert_int_equal(visible_char(""), 0);
	assert_int_equal(visible_char("ab"), 1);
	assert_int_equal(visible_char("\xc2\xb5s"), 2);
	assert_int_equal(visible_char("\xe2\x82\xac"), 3);
	assert_int_equal(visible_char("\xf0\x9f\x8c\x8d"), 4);
}

static void copies_are_cut_between_characters(void **state)
{
	char out[4] = "zzz";

	visible_copy("abcdef", out, sizeof(out));
	assert_string_equal(out, "abc");
	visible_copy("ab\xc2\xb5", out, sizeof(out));
	assert_string_equal(out, "ab");
	visible_copy("x", out, 1);
	assert_string_equal(out, "");
	out[0] = 'k';
	visible_copy("x", out, 0);
	assert_int_equal(out[0], 'k');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms),
		cmocka_unit_test(length_of_one),
		cmocka_unit_test(copies_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
