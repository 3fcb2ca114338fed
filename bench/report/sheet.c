/* SPDX-License-Identifier: Apache-2.0 */
/* See sheet.h: what all forms share. */
#include "report/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

#define LINE 4096

const struct sheet_form *const sheet_forms[] = { &sheet_html, &sheet_markdown };
const size_t sheet_forms_n = N_ELEMENTS(sheet_forms);

void sheet_table_begin(struct sheet_table *t, const char *caption, size_t heads)
{
	*t = (struct sheet_table){ .caption = caption, .heads = heads };
}

void sheet_table_column(struct sheet_table *t, const char *head, const char *sub, bool right)
{
	struct sheet_column *c = &t->column[t->n_columns];

	if (t->n_columns == SHEET_COLUMNS_MAX) {
		t->dropped++;
		return;
	}
	text_clean(head, c->head, sizeof(c->head));
	text_clean(sub, c->sub, sizeof(c->sub));
	c->right = right;
	t->n_columns++;
}

void sheet_table_row(struct sheet_table *t, enum sheet_row_kind kind)
{
	struct sheet_row *grown = reallocarray(t->row, t->n_rows + 1, sizeof(*grown));

	if (!grown) {
		t->failed = true;
		return;
	}
	t->row = grown;
	t->row[t->n_rows++] = (struct sheet_row){ .kind = kind, .first = t->n_cells };
}

static void add_cell(struct sheet_table *t, const char *text, bool spans)
{
	struct sheet_row *r = t->n_rows ? &t->row[t->n_rows - 1] : NULL;
	size_t *grown;

	if (!r || r->n == t->n_columns)
		return;
	grown = reallocarray(t->cell, t->n_cells + 1, sizeof(*grown));
	if (!grown) {
		t->failed = true;
		return;
	}
	t->cell = grown;
	t->cell[t->n_cells++] = t->text.len;
	buf_add(&t->text, text, strlen(text) + 1);
	r->n++;
	r->spans = spans;
}

void sheet_table_cell(struct sheet_table *t, const char *fmt, ...)
{
	char text[LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	add_cell(t, text, false);
}

void sheet_table_number(struct sheet_table *t, double v, const char *unit)
{
	char number[32];

	text_number(v, number, sizeof(number));
	sheet_table_cell(t, "%s%s", number, v == v ? unit : "");
}

void sheet_table_rest(struct sheet_table *t, const char *text)
{
	add_cell(t, text, true);
}

const char *sheet_table_text(const struct sheet_table *t, const struct sheet_row *r, size_t c)
{
	return c < r->n ? buf_text(&t->text) + t->cell[r->first + c] : "";
}

void sheet_table_put(struct sheet *s, struct sheet_table *t)
{
	if (t->failed || t->text.failed)
		s->out.failed = true;
	else if (t->n_rows > 0)
		s->form->table(s, t);
	if (t->dropped > 0)
		sheet_text(s, SHEET_NOTE, "%zu more columns did not fit into this table.",
			   t->dropped);
	free(t->row);
	free(t->cell);
	buf_fini(&t->text);
	*t = (struct sheet_table){ 0 };
}

void sheet_text(struct sheet *s, enum sheet_tone tone, const char *fmt, ...)
{
	char text[LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (text[0])
		s->form->text(s, tone, text);
}

void sheet_item(struct sheet *s, const char *fmt, ...)
{
	char text[LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	s->form->item(s, text);
}
