/* SPDX-License-Identifier: Apache-2.0 */
/* See sheet.h. GitHub's Markdown; tables are padded, so that they can be read as they are. */
#include <stdlib.h>
#include <string.h>

#include "report/sheet.h"
#include "report/text.h"

#define PAD_MAX 40 /* a cell that is wider does not widen the others */

/* "-", "+", "12." at the beginning of a line make a list, "=" a heading of the line above. */
static size_t starts_list(const char *text)
{
	size_t n = strspn(text, "0123456789");

	if (n > 0)
		return text[n] == '.' || text[n] == ')' ? n : (size_t)-1;
	return strchr("-+=", text[0]) && text[0] ? 0 : (size_t)-1;
}

static void escape(struct buf *b, const char *text, bool begins_line)
{
	size_t max = strlen(text) + 1;
	char *clean = malloc(max); /* cleaning never makes it longer */
	size_t mark;

	if (!clean) {
		b->failed = true;
		return;
	}
	text_clean(text, clean, max);
	mark = begins_line ? starts_list(clean) : (size_t)-1;
	for (size_t i = 0; clean[i]; i++) {
		if (clean[i] == '<')
			buf_puts(b, "&lt;");
		else if (clean[i] == '>')
			buf_puts(b, "&gt;");
		else if (clean[i] == '&')
			buf_puts(b, "&amp;");
		else if (i == mark)
			buf_printf(b, "\\%c", clean[i]);
		else if (strchr("|`\\*_[]~#$", clean[i]))
			buf_printf(b, "\\%c", clean[i]);
		else
			buf_putc(b, clean[i]);
	}
	free(clean);
}

void sheet_escape_markdown(struct buf *b, const char *text)
{
	escape(b, text, false);
}

static void line(struct sheet *s, const char *before, const char *words, const char *after)
{
	buf_puts(&s->out, before);
	escape(&s->out, words, true);
	buf_puts(&s->out, after);
}

static void begin(struct sheet *s, const char *title, const char *sub)
{
	line(s, "# ", title, "\n\n");
	line(s, "", sub, "\n");
}

static void contents(struct sheet *s, const struct sheet_link *link, size_t n)
{
	(void)s;
	(void)link;
	(void)n; /* who shows Markdown shows its headings */
}

static void section(struct sheet *s, const char *id, const char *title)
{
	(void)id;
	line(s, "\n## ", title, "\n");
}

static void heading(struct sheet *s, const char *title)
{
	line(s, "\n### ", title, "\n");
}

static void text(struct sheet *s, enum sheet_tone tone, const char *words)
{
	line(s, tone == SHEET_LEAD ? "\n**" : "\n", words, tone == SHEET_LEAD ? "**\n" : "\n");
}

static void list(struct sheet *s, bool begins)
{
	(void)begins;
	s->in_list = false;
}

static void item(struct sheet *s, const char *words)
{
	line(s, s->in_list ? "- " : "\n- ", words, "\n");
	s->in_list = true;
}

/* Indented, since a fence could be ended by the text. */
static void block(struct sheet *s, const char *lines)
{
	buf_putc(&s->out, '\n');
	while (*lines) {
		size_t n = strcspn(lines, "\n"), max = n + 1;
		char *one = strndup(lines, n), *clean = malloc(max);

		if (one && clean) {
			text_clean(one, clean, max);
			buf_printf(&s->out, "    %s\n", clean);
		} else {
			s->out.failed = true;
		}
		free(one);
		free(clean);
		lines += n + (lines[n] != '\0');
	}
}

/* ---- tables ---- */

static void cell_text(struct buf *b, const struct sheet_table *t, const struct sheet_row *r,
		      size_t c)
{
	buf_clear(b);
	if (r) {
		sheet_escape_markdown(b, sheet_table_text(t, r, c));
		return;
	}
	sheet_escape_markdown(b, t->column[c].head);
	if (t->column[c].sub[0]) {
		buf_puts(b, " (");
		sheet_escape_markdown(b, t->column[c].sub);
		buf_putc(b, ')');
	}
}

static int column_width(const struct sheet_table *t, size_t c)
{
	struct buf b = { 0 };
	int width = 3;

	for (size_t i = 0; i <= t->n_rows; i++) {
		const struct sheet_row *r = i ? &t->row[i - 1] : NULL;
		int mine;

		if (r && r->spans && c + 1 == r->n)
			continue;
		cell_text(&b, t, r, c);
		mine = text_width(buf_text(&b));
		width = mine > width && mine <= PAD_MAX ? mine : width;
	}
	buf_fini(&b);
	return width;
}

static void pad(struct buf *b, int n, char c)
{
	while (n-- > 0)
		buf_putc(b, c);
}

static void table_line(struct sheet *s, const struct sheet_table *t, const int *width,
		       const struct sheet_row *r)
{
	struct buf b = { 0 };

	for (size_t c = 0; c < t->n_columns; c++) {
		int gap;

		cell_text(&b, t, r, c);
		gap = width[c] - text_width(buf_text(&b));
		buf_puts(&s->out, "| ");
		pad(&s->out, t->column[c].right ? gap : 0, ' ');
		buf_puts(&s->out, buf_text(&b));
		pad(&s->out, t->column[c].right ? 1 : (gap > 0 ? gap : 0) + 1, ' ');
		s->out.failed |= b.failed;
	}
	buf_puts(&s->out, "|\n");
	buf_fini(&b);
}

static void table(struct sheet *s, const struct sheet_table *t)
{
	int width[SHEET_COLUMNS_MAX];

	line(s, "\n", t->caption, ":\n\n");
	for (size_t c = 0; c < t->n_columns; c++)
		width[c] = column_width(t, c);
	table_line(s, t, width, NULL);
	for (size_t c = 0; c < t->n_columns; c++) {
		buf_puts(&s->out, "|");
		pad(&s->out, width[c] + 1, '-');
		buf_puts(&s->out, t->column[c].right ? ":" : "-");
	}
	buf_puts(&s->out, "|\n");
	for (size_t i = 0; i < t->n_rows; i++)
		table_line(s, t, width, &t->row[i]);
}

static void picture(struct sheet *s, const struct sheet_picture *p)
{
	if (!p->file)
		return;
	buf_puts(&s->out, "\n![");
	sheet_escape_markdown(&s->out, p->alt);
	buf_puts(&s->out, "](");
	buf_puts(&s->out, p->file); /* ours: letters, digits, '_', '/', '.' */
	buf_puts(&s->out, ")\n");
	if (p->title[0])
		text(s, SHEET_NOTE, p->title);
}

static void end(struct sheet *s)
{
	(void)s;
}

const struct sheet_form sheet_markdown = {
	.name = "markdown",
	.file = "report.md",
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
