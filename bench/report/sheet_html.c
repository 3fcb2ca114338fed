/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See sheet.h. One file that needs nothing else: no script, no picture or font from outside. Light
 * and dark by what the reader's system says, from a phone's 360 px to A4; wide tables and pictures
 * scroll in a box of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "report/sheet.h"
#include "report/text.h"

/* Contrast of every text is at least 4.5 to 1 on its ground, in both schemes. */
static const char css[] =
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1b1f23;--faint:#57606a;--line:#d0d7de;"
    "--link:#0550ae;--shade:#f3f5f7;--best:#dff3e4}\n"
    "@media (prefers-color-scheme:dark){:root{--ground:#14171a;--ink:#e6e8ea;--faint:#a9b3bd;"
    "--line:#3a424a;--link:#8ec1ff;--shade:#1e2328;--best:#173a23}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:0 1rem 3rem;max-width:72rem;background:var(--ground);"
    "color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:1.2rem 0 .2rem}\n"
    "h2{font-size:1.25rem;margin:2.2rem 0 .5rem;border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1.05rem;margin:1.4rem 0 .3rem}\n"
    "p{margin:.5rem 0}.sub,.note,figcaption{color:var(--faint)}.lead{font-size:1.15rem}\n"
    "a{color:var(--link)}:focus-visible{outline:3px solid var(--link);outline-offset:2px}\n"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;padding:.4rem .8rem;"
    "background:var(--ground)}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;margin:.6rem 0;list-style:none;"
    "font-size:.9rem}\n"
    "@media (max-width:40rem){nav ul{flex-wrap:nowrap;overflow-x:auto}nav li{white-space:nowrap}}\n"
    ".box{overflow-x:auto;margin:.8rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--faint);padding:.2rem 0}\n"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top;overflow-wrap:normal}\n"
    /* a host's name of 60 characters breaks; without a least width it breaks after each letter */
    "@media screen{th{overflow-wrap:anywhere;min-width:5.5rem}tbody th{min-width:9rem}}\n"
    "td{min-width:3.5rem;max-width:36rem}th{font-weight:600;max-width:18rem}thead "
    "th{background:var(--shade);vertical-align:bottom}\n"
    "th.u{overflow-wrap:normal}thead small{display:block;font-weight:400;color:var(--faint)}\n"
    ".r{text-align:right}td.r{white-space:nowrap}.best>:not([rowspan]){background:var(--best)}."
    "faint>:not([rowspan]){color:var(--faint)}\n"
    "figure{margin:1rem 0}figure svg{height:auto}\n"
    "pre{overflow-x:auto;background:var(--shade);padding:.6rem;font-size:.85rem}\n"
    "@media print{:root{color-scheme:light;--ground:#fff;--ink:#000;--faint:#444;--line:#999;"
    "--link:#000;--shade:#f0f0f0;--best:#e4efe6}@page{size:A4;margin:14mm}"
    "body{max-width:none;padding:0;font-size:9.5pt}nav,.skip{display:none}"
    ".box{overflow:visible}table{font-size:7.5pt;width:100%}th,td{padding:.15rem;min-width:0;"
    "overflow-wrap:anywhere}td.r{white-space:normal}th.u{overflow-wrap:normal}"
    /* twelve columns on a sheet of A4, with words that stay whole */
    "thead th,thead small{font-size:6pt}tbody th,td:not(.r){min-width:1.7cm}"
    "figure,tr{break-inside:avoid}h2,h3,caption{break-after:avoid}pre{white-space:pre-wrap}}\n";

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void sheet_escape_html(struct buf *b, const char *text)
{
	size_t max = strlen(text) + 1;
	char *clean = malloc(max); /* cleaning never makes it longer */

	if (!clean) {
		b->failed = true;
		return;
	}
	text_clean(text, clean, max);
	for (const char *p = clean; *p; p++) {
		const char *e = entity(*p);

		if (e)
			buf_puts(b, e);
		else
			buf_putc(b, *p);
	}
	free(clean);
}

/* <tag>text</tag>; `open` holds the tag with its attributes. */
static void element(struct sheet *s, const char *open, const char *text)
{
	buf_printf(&s->out, "<%s>", open);
	sheet_escape_html(&s->out, text);
	buf_printf(&s->out, "</%.*s>", (int)strcspn(open, " "), open);
}

static void begin(struct sheet *s, const char *title, const char *sub)
{
	buf_puts(&s->out,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		 "style-src 'unsafe-inline'\">\n");
	element(s, "title", title);
	buf_puts(&s->out, "\n<style>\n");
	buf_puts(&s->out, s->css ? s->css : "");
	buf_puts(&s->out, css);
	buf_puts(&s->out, "</style>\n</head>\n<body>\n"
			  "<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n<header>\n");
	element(s, "h1", title);
	buf_putc(&s->out, '\n');
	element(s, "p class=\"sub\"", sub);
	buf_puts(&s->out, "\n</header>\n");
}

static void contents(struct sheet *s, const struct sheet_link *link, size_t n)
{
	buf_puts(&s->out, "<nav aria-label=\"Contents\">\n<ul>\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(&s->out, "<li><a href=\"#%s\">", link[i].id);
		sheet_escape_html(&s->out, link[i].title);
		buf_puts(&s->out, "</a></li>\n");
	}
	buf_puts(&s->out, "</ul>\n</nav>\n<main id=\"main\">\n");
}

static void end_section(struct sheet *s)
{
	buf_puts(&s->out, s->in_section ? "</section>\n" : "");
	s->in_section = false;
}

static void section(struct sheet *s, const char *id, const char *title)
{
	end_section(s);
	buf_printf(&s->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
	sheet_escape_html(&s->out, title);
	buf_puts(&s->out, "</h2>\n");
	s->in_section = true;
}

static void heading(struct sheet *s, const char *title)
{
	element(s, "h3", title);
	buf_putc(&s->out, '\n');
}

static void text(struct sheet *s, enum sheet_tone tone, const char *words)
{
	static const char *const open[] = {
		[SHEET_PLAIN] = "p",
		[SHEET_LEAD] = "p class=\"lead\"",
		[SHEET_NOTE] = "p class=\"note\"",
	};

	element(s, open[tone], words);
	buf_putc(&s->out, '\n');
}

static void list(struct sheet *s, bool begins)
{
	buf_puts(&s->out, !begins && s->in_list ? "</ul>\n" : "");
	s->in_list = false;
}

static void item(struct sheet *s, const char *words)
{
	buf_puts(&s->out, s->in_list ? "" : "<ul>\n");
	s->in_list = true;
	element(s, "li", words);
	buf_putc(&s->out, '\n');
}

static void block(struct sheet *s, const char *lines)
{
	const char *p = lines;

	buf_puts(&s->out, "<pre tabindex=\"0\">");
	while (*p) {
		struct buf line = { 0 };
		size_t n = strcspn(p, "\n");

		buf_add(&line, p, n);
		sheet_escape_html(&s->out, buf_text(&line));
		buf_puts(&s->out, p[n] ? "\n" : "");
		s->out.failed |= line.failed;
		buf_fini(&line);
		p += n + (p[n] != '\0');
	}
	buf_puts(&s->out, "</pre>\n");
}

static void table_head(struct sheet *s, const struct sheet_table *t)
{
	buf_puts(&s->out, "<thead>\n<tr>");
	for (size_t c = 0; c < t->n_columns; c++) {
		/* words of ours are not broken within, names of machines may be */
		buf_printf(&s->out, "<th scope=\"col\"%s>",
			   !t->column[c].right   ? ""
			   : t->column[c].sub[0] ? " class=\"r u\""
						 : " class=\"r\"");
		sheet_escape_html(&s->out, t->column[c].head);
		if (t->column[c].sub[0])
			element(s, "small", t->column[c].sub);
		buf_puts(&s->out, "</th>");
	}
	buf_puts(&s->out, "</tr>\n</thead>\n<tbody>\n");
}

/* Rows from this one on that have the same first name, where a second one tells them apart: a name
 * is said once for all of them. 0: the row before has said it. */
static size_t rows_named_alike(const struct sheet_table *t, size_t row)
{
	const char *name = sheet_table_text(t, &t->row[row], 0);
	size_t n = 1;

	if (t->heads < 2)
		return 1;
	if (row > 0 && strcmp(name, sheet_table_text(t, &t->row[row - 1], 0)) == 0)
		return 0;
	while (row + n < t->n_rows && strcmp(name, sheet_table_text(t, &t->row[row + n], 0)) == 0)
		n++;
	return n;
}

static void group_name(struct sheet *s, const struct sheet_table *t, size_t row, size_t n)
{
	if (n == 0)
		return;
	buf_printf(&s->out, "<th scope=\"rowgroup\" rowspan=\"%zu\">", n);
	sheet_escape_html(&s->out, sheet_table_text(t, &t->row[row], 0));
	buf_puts(&s->out, "</th>");
}

static void table_row(struct sheet *s, const struct sheet_table *t, size_t row)
{
	const struct sheet_row *r = &t->row[row];
	size_t alike = rows_named_alike(t, row);
	static const char *const kind[] = {
		[SHEET_ROW] = "",
		[SHEET_ROW_BEST] = " class=\"best\"",
		[SHEET_ROW_FAINT] = " class=\"faint\"",
	};

	buf_printf(&s->out, "<tr%s>", kind[r->kind]);
	if (alike != 1)
		group_name(s, t, row, alike);
	for (size_t c = alike != 1; c < t->n_columns; c++) {
		bool head = c < t->heads, last = r->spans && c + 1 == r->n;

		buf_puts(&s->out, head ? "<th scope=\"row\"" : "<td");
		if (last && t->n_columns - c > 1)
			buf_printf(&s->out, " colspan=\"%zu\"", t->n_columns - c);
		buf_puts(&s->out, t->column[c].right && !last ? " class=\"r\">" : ">");
		sheet_escape_html(&s->out, sheet_table_text(t, r, c));
		buf_puts(&s->out, head ? "</th>" : "</td>");
		if (last)
			break;
	}
	buf_puts(&s->out, "</tr>\n");
}

static void table(struct sheet *s, const struct sheet_table *t)
{
	buf_puts(&s->out, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"");
	sheet_escape_html(&s->out, t->caption);
	buf_puts(&s->out, "\">\n<table>\n");
	element(s, "caption", t->caption);
	buf_putc(&s->out, '\n');
	table_head(s, t);
	for (size_t i = 0; i < t->n_rows; i++) {
		/* what a heading of several rows is the name of ends with its group */
		if (i > 0 && t->heads > 1 && rows_named_alike(t, i) > 0)
			buf_puts(&s->out, "</tbody>\n<tbody>\n");
		table_row(s, t, i);
	}
	buf_puts(&s->out, "</tbody>\n</table>\n</div>\n");
}

static void picture(struct sheet *s, const struct sheet_picture *p)
{
	buf_puts(&s->out, "<figure>\n");
	buf_puts(&s->out, p->svg);
	if (p->title[0])
		element(s, "figcaption", p->title);
	buf_puts(&s->out, "\n</figure>\n");
}

static void end(struct sheet *s)
{
	end_section(s);
	buf_puts(&s->out, "</main>\n</body>\n</html>\n");
}

const struct sheet_form sheet_html = {
	.name = "html",
	.file = "report.html",
	.begin = begin,
	.contents = contents,
	.section = section,
	.heading = heading,
	.text = text,
	.list = list,
	.item = item,
	.block = block,
	.table = table,
	.picture = picture,
	.end = end,
};
