/* SPDX-License-Identifier: Apache-2.0 */
/* Section of the report: operations beside computation, for machines that measured them. Draws
 * nothing; the pictures are the run's own. */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_page.h"
#include "report/overlap.h"
#include "report/sheet.h"

static void begin_table(struct sheet_table *t, const char *caption)
{
	sheet_table_begin(t, caption, 2);
	sheet_table_column(t, "size", "", true);
	sheet_table_column(t, "channels", "", false);
	sheet_table_column(t, "alone", "", true);
	for (int load = LOAD_NONE + 1; load < LOAD_COUNT; load++)
		for (size_t i = 0; i < overlap_figures_n; i++) {
			const char *head = overlap_figures[i].head;
			char sub[SHEET_HEAD];

			snprintf(sub, sizeof(sub), "beside %s", load_table[load].name);
			sheet_table_column(t, head[0] ? head : "operation", sub, true);
		}
}

static void write_row(struct sheet_table *t, const struct overlap_row *r)
{
	const struct record *alone = r->at[LOAD_NONE];
	char cell[64];

	sheet_table_row(t, SHEET_ROW);
	num_format_size(alone->bytes, cell, sizeof(cell));
	sheet_table_cell(t, "%s", cell);
	overlap_channels(r, cell, sizeof(cell));
	sheet_table_cell(t, "%s", cell);
	num_format_time(alone->time_us * 1e3, 0, cell, sizeof(cell));
	sheet_table_cell(t, "%s%s", cell, view_unproven(alone) ? " unproven" : "");
	for (int load = LOAD_NONE + 1; load < LOAD_COUNT; load++)
		for (size_t i = 0; i < overlap_figures_n; i++) {
			overlap_cell(&overlap_figures[i], r, load, cell, sizeof(cell));
			sheet_table_cell(t, "%s", cell);
		}
}

static void write_machine(struct sheet *s, const struct fleet_machine *m, bool several)
{
	const struct view *v = &m->run.view;
	struct overlap_row *rows;
	struct sheet_table t;
	size_t n;

	s->out.failed |= overlap_rows(v, &rows, &n) < 0;
	for (size_t i = 0, next; i < n; i = next) {
		struct buf caption = { 0 };

		buf_printf(&caption, "%s%s", several ? m->name : "", several ? ": " : "");
		overlap_title(v, rows, n, &rows[i], &caption);
		begin_table(&t, buf_text(&caption));
		for (next = i; next < n && rows[next].table == rows[i].table; next++)
			write_row(&t, &rows[next]);
		sheet_table_put(s, &t);
		s->out.failed |= caption.failed;
		buf_fini(&caption);
	}
	free(rows);
}

bool fleet_has_overlap(const struct fleet_page *p)
{
	for (size_t m = 0; m < p->f->n; m++)
		if (overlap_any(&p->f->machine[m].run.view))
			return true;
	return false;
}

void fleet_write_overlap(struct sheet *s, const struct fleet_page *p)
{
	for (size_t m = 0; m < p->f->n; m++)
		write_machine(s, &p->f->machine[m], p->f->n > 1);
	s->form->list(s, true);
	for (int load = LOAD_NONE + 1; load < LOAD_COUNT; load++)
		sheet_item(s, "%s: a load that %s", load_table[load].name, load_table[load].help);
	for (size_t i = 0; i < overlap_figures_n; i++)
		sheet_item(s, "%s: %s",
			   overlap_figures[i].head[0] ? overlap_figures[i].head : "operation",
			   overlap_figures[i].help);
	s->form->list(s, false);
	sheet_text(s, SHEET_NOTE,
		   "x: times as long as alone. The tables and pictures of the other sections are "
		   "of rows without a load, and of NCCL's own number of channels.");
}
