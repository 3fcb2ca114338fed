/* SPDX-License-Identifier: Apache-2.0 */
/* What the two forms make of plain and of hostile text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sheet.h"

static void html(const char *in, const char *want)
{
	struct buf b = { 0 };

	sheet_escape_html(&b, in);
	assert_string_equal(buf_text(&b), want);
	buf_fini(&b);
}

static void markdown(const char *in, const char *want)
{
	struct buf b = { 0 };

	sheet_escape_markdown(&b, in);
	assert_string_equal(buf_text(&b), want);
	buf_fini(&b);
}

static void test_html(void **state)
{
	(void)state;
	html("<script>alert('1')</script>", "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
	html("\" onload=\"x & y", "&quot; onload=&quot;x &amp; y");
	html("a\033[2J\x7f\nb\tc", "a?[2J??b?c");
	html("\xff\xc3", "??");
	html("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	html("\xe2\x80\xaetxt \xe2\x80\x8f \xd8\x9c", "???txt ??? ??"); /* direction marks */
	html("`x` $(y) %s", "`x` $(y) %s");
}

static void test_markdown(void **state)
{
	(void)state;
	markdown("<b>&amp;", "&lt;b&gt;&amp;amp;");
	markdown("`rm` | *x* [a](b) #1 ~~z~~ $m$ \\",
		 "\\`rm\\` \\| \\*x\\* \\[a\\](b) \\#1 \\~\\~z\\~\\~ \\$m\\$ \\\\");
	markdown("a\nb", "a?b");
	markdown("5.50 -", "5.50 -");
}

static void expect(const struct sheet_form *form, void (*write)(struct sheet *s), const char *want)
{
	struct sheet s = { .form = form };

	write(&s);
	assert_false(s.out.failed);
	assert_string_equal(buf_text(&s.out), want);
	buf_fini(&s.out);
}

static void some_table(struct sheet *s)
{
	struct sheet_table t;

	sheet_table_begin(&t, "A <table>", 1);
	sheet_table_column(&t, "name", "", false);
	sheet_table_column(&t, "speed", "GB/s", true);
	sheet_table_column(&t, "note", "", false);
	sheet_table_row(&t, SHEET_ROW_BEST);
	sheet_table_cell(&t, "%s", "a|b");
	sheet_table_number(&t, 326.7, "");
	sheet_table_row(&t, SHEET_ROW_FAINT);
	sheet_table_cell(&t, "c");
	sheet_table_rest(&t, "N/A (no <link>)");
	sheet_table_put(s, &t);
}

static void test_tables(void **state)
{
	(void)state;
	expect(
	    &sheet_html, some_table,
	    "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"A "
	    "&lt;table&gt;\">\n<table>\n"
	    "<caption>A &lt;table&gt;</caption>\n<thead>\n"
	    "<tr><th scope=\"col\">name</th><th scope=\"col\" class=\"r "
	    "u\">speed<small>GB/s</small></th>"
	    "<th scope=\"col\">note</th></tr>\n</thead>\n<tbody>\n"
	    "<tr class=\"best\"><th scope=\"row\">a|b</th><td class=\"r\">327</td><td></td></tr>\n"
	    "<tr class=\"faint\"><th scope=\"row\">c</th><td colspan=\"2\">N/A (no "
	    "&lt;link&gt;)</td></tr>\n"
	    "</tbody>\n</table>\n</div>\n");
	expect(&sheet_markdown, some_table,
	       "\nA &lt;table&gt;:\n\n"
	       "| name | speed (GB/s) | note |\n"
	       "|------|-------------:|------|\n"
	       "| a\\|b |          327 |      |\n"
	       "| c    | N/A (no &lt;link&gt;) |      |\n");
}

static void grouped(struct sheet *s)
{
	static const char *const rows[][2] = { { "a", "x" }, { "a", "y" }, { "b", "x" } };
	struct sheet_table t;

	sheet_table_begin(&t, "g", 2);
	sheet_table_column(&t, "m", "", false);
	sheet_table_column(&t, "t", "", false);
	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		sheet_table_row(&t, SHEET_ROW);
		sheet_table_cell(&t, "%s", rows[i][0]);
		sheet_table_cell(&t, "%s", rows[i][1]);
	}
	sheet_table_put(s, &t);
}

/* The name that several rows share is said once, for a group of its own. */
static void test_groups(void **state)
{
	(void)state;
	expect(&sheet_html, grouped,
	       "<div class=\"box\" role=\"region\" tabindex=\"0\" "
	       "aria-label=\"g\">\n<table>\n<caption>g</caption>\n"
	       "<thead>\n<tr><th scope=\"col\">m</th><th "
	       "scope=\"col\">t</th></tr>\n</thead>\n<tbody>\n"
	       "<tr><th scope=\"rowgroup\" rowspan=\"2\">a</th><th scope=\"row\">x</th></tr>\n"
	       "<tr><th scope=\"row\">y</th></tr>\n</tbody>\n<tbody>\n"
	       "<tr><th scope=\"row\">b</th><th "
	       "scope=\"row\">x</th></tr>\n</tbody>\n</table>\n</div>\n");
}

/* A line that begins like a list, a heading or a block stays a line. */
static void some_lines(struct sheet *s)
{
	sheet_text(s, SHEET_PLAIN, "1. first");
	sheet_text(s, SHEET_PLAIN, "- item");
	s->form->list(s, true);
	sheet_item(s, "+ %d", 5);
	s->form->list(s, false);
	s->form->block(s, "```\n<x>");
}

static void test_lines(void **state)
{
	(void)state;
	expect(&sheet_markdown, some_lines,
	       "\n1\\. first\n\n\\- item\n\n- \\+ 5\n\n    ```\n    <x>\n");
	expect(&sheet_html, some_lines,
	       "<p>1. first</p>\n<p>- item</p>\n<ul>\n<li>+ 5</li>\n</ul>\n<pre "
	       "tabindex=\"0\">```\n&lt;x&gt;</pre>\n");
}

static void pictures(struct sheet *s)
{
	struct sheet_picture p = {
		.svg = "<svg></svg>", .file = "charts/a.svg", .alt = "a ]( <b>", .title = ""
	};

	s->form->picture(s, &p);
	p.file = NULL;
	s->form->picture(s, &p);
}

static void test_pictures(void **state)
{
	(void)state;
	expect(&sheet_markdown, pictures, "\n![a \\]( &lt;b&gt;](charts/a.svg)\n");
	expect(&sheet_html, pictures,
	       "<figure>\n<svg></svg>\n</figure>\n<figure>\n<svg></svg>\n</figure>\n");
}

/* More columns or cells than there is room for are left out, and said. */
static void wide(struct sheet *s)
{
	struct sheet_table t;

	sheet_table_begin(&t, "w", 1);
	for (int i = 0; i < SHEET_COLUMNS_MAX + 2; i++)
		sheet_table_column(&t, "x", "", false);
	sheet_table_row(&t, SHEET_ROW);
	for (int i = 0; i < SHEET_COLUMNS_MAX + 2; i++)
		sheet_table_cell(&t, "%d", i);
	sheet_table_put(s, &t);
}

static void test_wide(void **state)
{
	struct sheet s = { .form = &sheet_markdown };

	(void)state;
	wide(&s);
	assert_non_null(strstr(buf_text(&s.out), "| 71  |\n"));
	assert_null(strstr(buf_text(&s.out), "| 72"));
	assert_non_null(strstr(buf_text(&s.out), "\n2 more columns did not fit into this table."));
	buf_fini(&s.out);
}

static void nothing(struct sheet *s)
{
	struct sheet_table t;

	sheet_table_begin(&t, "w", 1);
	sheet_table_cell(&t, "a cell without a row");
	sheet_table_column(&t, "x", "", false);
	sheet_table_put(s, &t);
}

static void test_empty(void **state)
{
	(void)state;
	expect(&sheet_html, nothing, "");
	expect(&sheet_markdown, nothing, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_html),     cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_tables),   cmocka_unit_test(test_lines),
		cmocka_unit_test(test_pictures), cmocka_unit_test(test_wide),
		cmocka_unit_test(test_empty),    cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
