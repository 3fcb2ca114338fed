/* SPDX-License-Identifier: Apache-2.0 */
/* Section of the report: how figures grow with the number of ranks, for machines that measured
 * several. Draws nothing; the pictures are the run's own. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_page.h"
#include "report/scaling.h"
#include "report/sheet.h"
#include "report/text.h"
#include "spec/op.h"

static void write_cell(struct sheet_table *t, const struct scaling *s, size_t row, int count)
{
	double value = scaling_value(s, row, count), ratio = scaling_ratio(s, row, count);
	char number[32], share[32] = "";

	if (isnan(value)) {
		sheet_table_cell(t, "-");
		return;
	}
	text_number(value, number, sizeof(number));
	if (count > 0 && isfinite(ratio))
		snprintf(share, sizeof(share), s->latency ? " (%.3gx)" : " (%.0f %%)",
			 s->latency ? ratio : 100 * ratio);
	sheet_table_cell(t, "%s%s%s", number,
			 view_unproven(s->row[row].at[count]) ? " unproven" : "", share);
}

static bool has_figure(const struct scaling *s, size_t row)
{
	for (int i = 0; i < s->n_counts; i++)
		if (s->row[row].at[i])
			return true;
	return false;
}

static void write_table(struct sheet *s, const struct fleet_machine *m, bool several,
			const struct scaling *g)
{
	const struct view *v = &m->run.view;
	struct sheet_table t;
	char caption[240], size[32], head[32];

	num_format_size(g->bytes, size, sizeof(size));
	snprintf(caption, sizeof(caption), "%s%s%s at %s, %s; in brackets against %d ranks",
		 several ? m->name : "", several ? ": " : "", g->op, size,
		 g->latency ? "time in us" : "bus bandwidth in GB/s", g->counts[0]);
	sheet_table_begin(&t, caption, 1);
	sheet_table_column(&t, "transport", "", false);
	for (int i = 0; i < g->n_counts; i++) {
		snprintf(head, sizeof(head), "%d ranks", g->counts[i]);
		sheet_table_column(&t, head, "", true);
	}
	sheet_table_column(&t, "timing", "", false);
	for (size_t k = 0; k < g->n; k++) {
		if (!has_figure(g, k))
			continue;
		sheet_table_row(&t, SHEET_ROW);
		sheet_table_cell(&t, "%s",
				 view_transport_label(v, v->rows[0].backend, g->row[k].transport));
		for (int i = 0; i < g->n_counts; i++)
			write_cell(&t, g, k, i);
		sheet_table_cell(&t, "%s", g->row[k].timing);
	}
	sheet_table_put(s, &t);
}

bool fleet_has_scaling(const struct fleet_page *p)
{
	for (size_t m = 0; m < p->f->n; m++)
		if (scaling_any(&p->f->machine[m].run.view))
			return true;
	return false;
}

void fleet_write_scaling(struct sheet *s, const struct fleet_page *p)
{
	struct scaling g;

	for (size_t m = 0; m < p->f->n; m++)
		for (int op = 0; op < OP_COUNT; op++) {
			const struct fleet_machine *machine = &p->f->machine[m];

			if (scaling_build(&machine->run.view, op, false, &g))
				write_table(s, machine, p->f->n > 1, &g);
			if (op_table[op].flags & OP_LATENCY &&
			    scaling_build(&machine->run.view, op, true, &g))
				write_table(s, machine, p->f->n > 1, &g);
		}
	sheet_text(s, SHEET_NOTE,
		   "Communicators over the first ranks of one run, the others idle. The tables and "
		   "pictures of the other sections are of the most ranks that were measured.");
}
