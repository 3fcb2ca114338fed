/* SPDX-License-Identifier: Apache-2.0 */
/* See table.h. Layout only: the figures come from summary.c, the lines below the table from
 * remarks.c. */
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "report/remarks.h"
#include "report/summary.h"
#include "report/text.h"
#include "report/view.h"

#define CELL 112
#define HEADS 3

enum source { FROM_NAME, FROM_USED, FROM_BANDWIDTH, FROM_LATENCY, FROM_PEAK, FROM_RATIO };

/* TABLE of the columns. A column without a single figure in the run is left out. */
static const struct layout {
	int source, index;
	bool right;
	const char *head[2]; /* NULL: from the figure */
} layout[] = {
	{ .source = FROM_NAME, .head = { "transport", "" } },
	{ .source = FROM_USED, .head = { "really used (proof)", "" } },
	{ .source = FROM_BANDWIDTH, .index = 0, .right = true },
	{ .source = FROM_BANDWIDTH, .index = 1, .right = true },
	{ .source = FROM_LATENCY, .index = 0, .right = true },
	{ .source = FROM_LATENCY, .index = 1, .right = true },
	{ .source = FROM_PEAK, .right = true, .head = { "% of", "peak" } },
	{ .source = FROM_RATIO, .right = true, .head = { "vs", "auto" } },
};

#define COLUMNS N_ELEMENTS(layout)

struct grid {
	const struct layout *column[COLUMNS];
	char head[COLUMNS][HEADS][64];
	char cell[VIEW_TRANSPORTS_MAX][COLUMNS][CELL];
	int width[COLUMNS];
	size_t n;    /* columns that are shown */
	bool marked; /* some cell has a '*' */
};

static const struct summary_figure *figure_of(const struct summary *s, const struct layout *l)
{
	return l->source == FROM_BANDWIDTH ? &s->bandwidth[l->index]
	       : l->source == FROM_LATENCY ? &s->latency[l->index]
					   : NULL;
}

static bool is_shown(const struct summary *s, const struct layout *l)
{
	const struct summary_figure *f = figure_of(s, l);
	size_t i;

	if (f != NULL)
		return f->op != NULL;
	if (l->source != FROM_PEAK && l->source != FROM_RATIO)
		return true;
	for (i = 0;
	     i < s->n && !isfinite(l->source == FROM_PEAK ? s->row[i].peak_pct : s->row[i].ratio);
	     i++)
		;
	return i < s->n;
}

static void write_head(char head[HEADS][64], const struct summary *s, const struct layout *l,
		       bool utf8)
{
	const struct summary_figure *f = figure_of(s, l);
	bool latency = l->source == FROM_LATENCY;
	char size[32];

	head[2][0] = '\0';
	if (f == NULL) {
		snprintf(head[0], 64, "%s", l->head[0]);
		snprintf(head[1], 64, "%s", l->head[1]);
		return;
	}
	num_format_size(f->bytes, size, sizeof(size));
	snprintf(head[0], 64, "%s%s", f->op, latency && strcmp(f->op, "pingpong") == 0 ? "/2" : "");
	snprintf(head[1], 64, "%s @ %s", !latency ? "GB/s" : utf8 ? "\302\265s" : "us", size);
	snprintf(head[2], 64, "%s", f->timing);
}

static void write_value(char *out, const struct summary_value *value,
			const struct summary_figure *f, bool *marked)
{
	bool other = value->timing != NULL && strcmp(value->timing, f->timing) != 0;
	char number[32], size[40];

	text_number(value->value, number, sizeof(number));
	snprintf(out, CELL, "%s%s%s", number, other ? "*" : "",
		 summary_other_size(f, value, size, sizeof(size)));
	*marked |= other;
}

static void write_cell(char *out, const struct summary *s, const struct summary_row *row,
		       const struct layout *l, bool *marked)
{
	char number[32];

	switch ((enum source)l->source) {
	case FROM_NAME:
		text_clean(row->label, out, CELL);
		return;
	case FROM_USED:
		snprintf(out, CELL, "%s", row->used);
		return;
	case FROM_BANDWIDTH:
		write_value(out, &row->bandwidth[l->index], &s->bandwidth[l->index], marked);
		return;
	case FROM_LATENCY:
		write_value(out, &row->latency[l->index], &s->latency[l->index], marked);
		return;
	case FROM_PEAK:
		text_number(row->peak_pct, number, sizeof(number));
		snprintf(out, CELL, "%s%s", number, isfinite(row->peak_pct) ? "%" : "");
		return;
	case FROM_RATIO:
		text_number(row->ratio, number, sizeof(number));
		snprintf(out, CELL, "%s%s", number, isfinite(row->ratio) ? "x" : "");
		return;
	}
}

static int widest(int width, const char *text)
{
	int mine = text_width(text);

	return mine > width ? mine : width;
}

static void grid_build(struct grid *g, const struct summary *s, bool utf8)
{
	memset(g, 0, sizeof(*g));
	for (size_t k = 0; k < COLUMNS; k++) {
		size_t c = g->n;

		if (!is_shown(s, &layout[k]))
			continue;
		g->column[g->n++] = &layout[k];
		write_head(g->head[c], s, &layout[k], utf8);
		for (int h = 0; h < HEADS; h++)
			g->width[c] = widest(g->width[c], g->head[c][h]);
		for (size_t i = 0; i < s->n; i++) {
			write_cell(g->cell[i][c], s, &s->row[i], &layout[k], &g->marked);
			g->width[c] = widest(g->width[c], g->cell[i][c]);
		}
	}
}

static void pad(struct buf *b, int n)
{
	while (n-- > 0)
		buf_putc(b, ' ');
}

static void colored(struct buf *b, const char *code, bool color)
{
	if (color)
		buf_puts(b, code);
}

/* Blanks at the end of a line are not written. */
static void add_line(struct buf *b, const struct grid *g, const char *const *texts)
{
	int owed = 0;

	for (size_t c = 0; c < g->n; c++) {
		int gap = g->width[c] - text_width(texts[c]);

		if (texts[c][0] != '\0') {
			pad(b, owed + (g->column[c]->right ? gap : 0));
			buf_puts(b, texts[c]);
			owed = g->column[c]->right ? 0 : gap;
		} else {
			owed += g->width[c];
		}
		owed += 2;
	}
	buf_putc(b, '\n');
}

static void add_heads(struct buf *b, const struct grid *g, bool color)
{
	const char *texts[COLUMNS];
	int total = -2;

	colored(b, "\033[1m", color);
	for (int h = 0; h < HEADS; h++) {
		for (size_t c = 0; c < g->n; c++)
			texts[c] = g->head[c][h];
		add_line(b, g, texts);
	}
	colored(b, "\033[0m", color);
	for (size_t c = 0; c < g->n; c++)
		total += g->width[c] + 2;
	for (int i = 0; i < total; i++)
		buf_putc(b, '-');
	buf_putc(b, '\n');
}

static void add_row(struct buf *b, const struct grid *g, const struct summary_row *row, size_t i,
		    int width, bool color)
{
	const char *texts[COLUMNS];

	if (row->why[0] != '\0') {
		buf_puts(b, g->cell[i][0]);
		pad(b, g->width[0] - text_width(g->cell[i][0]) + 2);
		colored(b, strncmp(row->why, "N/A", 3) == 0 ? "\033[2m" : "\033[31m", color);
		remarks_wrap(b, row->why, g->width[0] + 2, width);
		colored(b, "\033[0m", color);
		return;
	}
	for (size_t c = 0; c < g->n; c++)
		texts[c] = g->cell[i][c];
	colored(b, row->unproven ? "\033[33m" : row->best ? "\033[32m" : "", color);
	add_line(b, g, texts);
	colored(b, row->unproven || row->best ? "\033[0m" : "", color);
}

void table_text(struct buf *b, const struct view *v, int width, bool color)
{
	struct summary s;
	struct grid g;

	summary_build(&s, v);
	grid_build(&g, &s, text_utf8());
	remarks_title(b, v, &s, width);
	buf_putc(b, '\n');
	add_heads(b, &g, color);
	for (size_t i = 0; i < s.n; i++)
		add_row(b, &g, &s.row[i], i, width, color);
	if (g.marked)
		buf_puts(b, "* in another timing: this transport has none in that of the column\n");
	remarks_peaks(b, v);
	remarks_counts(b, v);
	remarks_bad(b, v, width);
	remarks_notes(b, v, width);
}

/* What Markdown or HTML would take for its own is escaped. */
static void escaped(struct buf *b, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '<')
			buf_puts(b, "&lt;");
		else if (*text == '&')
			buf_puts(b, "&amp;");
		else if (strchr("|`\\*_[]~#", *text) != NULL)
			buf_printf(b, "\\%c", *text);
		else
			buf_putc(b, *text);
	}
}

/* The text form of a block as Markdown: each line an item. */
static void add_list(struct buf *b, const struct buf *lines)
{
	const char *p = buf_text(lines);

	if (*p != '\0')
		buf_putc(b, '\n');
	while (*p != '\0') {
		struct buf line = { 0 };
		size_t n = strcspn(p, "\n");

		buf_add(&line, p, n);
		buf_puts(b, "- ");
		escaped(b, buf_text(&line) + strspn(buf_text(&line), " "));
		buf_putc(b, '\n');
		buf_fini(&line);
		p += n + (p[n] == '\n');
	}
}

static void add_cells(struct buf *b, const struct grid *g, const struct summary_row *row, size_t i)
{
	buf_puts(b, "| ");
	escaped(b, g->cell[i][0]);
	for (size_t c = 1; c < g->n; c++) {
		buf_puts(b, " | ");
		escaped(b, row->why[0] == '\0' ? g->cell[i][c] : c == 1 ? row->why : "");
	}
	buf_puts(b, " |\n");
}

static void add_markdown_head(struct buf *b, const struct grid *g)
{
	buf_putc(b, '|');
	for (size_t c = 0; c < g->n; c++) {
		buf_putc(b, ' ');
		escaped(b, g->head[c][0]);
		buf_puts(b, g->head[c][1][0] != '\0' ? " " : "");
		escaped(b, g->head[c][1]);
		if (g->head[c][2][0] != '\0')
			buf_printf(b, " (%s)", g->head[c][2]);
		buf_puts(b, " |");
	}
	buf_puts(b, "\n|");
	for (size_t c = 0; c < g->n; c++)
		buf_puts(b, g->column[c]->right ? "---:|" : "---|");
	buf_putc(b, '\n');
}

void table_markdown(struct buf *b, const struct view *v)
{
	struct summary s;
	struct grid g;
	struct buf lines = { 0 };

	summary_build(&s, v);
	grid_build(&g, &s, true);
	remarks_title(&lines, v, &s, 0);
	add_list(b, &lines);
	buf_clear(&lines);
	buf_putc(b, '\n');
	add_markdown_head(b, &g);
	for (size_t i = 0; i < s.n; i++)
		add_cells(b, &g, &s.row[i], i);
	if (g.marked)
		buf_puts(&lines,
			 "* in another timing: this transport has none in that of the column\n");
	remarks_peaks(&lines, v);
	remarks_counts(&lines, v);
	remarks_bad(&lines, v, 0);
	remarks_notes(&lines, v, 0);
	add_list(b, &lines);
	b->failed |= lines.failed;
	buf_fini(&lines);
}
