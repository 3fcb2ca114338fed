/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement for a comment on a change or a job's summary page. Texts of a run are data: what
 * Markdown or HTML would take as its own is escaped. */
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/visible.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "report/gate.h"
#include "report/text.h"

#define ROWS_MAX 60 /* a comment may have 65536 characters */

static void row(struct buf *b, const char *where, const struct finding *f)
{
	struct buf said = { 0 };

	gate_sentence(&said, f);
	buf_printf(b, "| %s %s | ", verdict_table[f->verdict].mark, verdict_table[f->verdict].name);
	text_markdown(b, where);
	buf_puts(b, " | ");
	text_markdown(b, buf_text(&said));
	buf_puts(b, " |\n");
	buf_fini(&said);
}

static void group_rows(struct buf *b, const struct gate_view *v, const struct group_finding *g,
		       size_t *n)
{
	struct buf name = { 0 };
	size_t at;

	gate_group_name(&name, v, g);
	at = name.len;
	if ((v->all || gate_group_matters(g)) && (*n)++ < ROWS_MAX)
		row(b, buf_text(&name), &g->f);
	for (size_t i = 0; i < g->n; i++) {
		const struct point_finding *p = &v->j->points[g->first + i];
		char size[32];

		if (!(v->all || gate_point_matters(g, p)) || (*n)++ >= ROWS_MAX)
			continue;
		num_format_size(p->bytes, size, sizeof(size));
		buf_printf(&name, ": %s", size);
		row(b, buf_text(&name), &p->f);
		name.len = at;
		if (name.data)
			name.data[at] = '\0';
	}
	buf_fini(&name);
}

static void list_notes(struct buf *b, const struct judgement *j)
{
	const char *p = buf_text(&j->notes);

	while (*p) {
		size_t n = strcspn(p, "\n");
		struct buf one = { 0 }, shown = { 0 };

		buf_add(&one, p, n);
		visible_add(&shown, buf_text(&one));
		buf_puts(b, "- ");
		text_markdown(b, buf_text(&shown));
		buf_putc(b, '\n');
		buf_fini(&one);
		buf_fini(&shown);
		p += n + (p[n] == '\n');
	}
}

void gate_markdown(struct buf *b, const struct gate_view *v)
{
	const struct judgement *j = v->j;
	size_t n = 0;

	buf_puts(b, "### ncclbench gate: ");
	gate_headline(b, v);
	buf_printf(b,
		   "\n\n%zu groups and %zu points tested against %zu baseline series of %zu "
		   "machine start%s.\n\n",
		   j->n_tested_groups, j->n_tested_points, j->n_series, j->n_starts,
		   j->n_starts == 1 ? "" : "s");
	buf_puts(b, "| verdict | where | change of time (+ is slower) |\n|---|---|---|\n");
	for (size_t i = 0; i < j->n_groups; i++)
		group_rows(b, v, &j->groups[i], &n);
	if (n == 0)
		row(b, "everything", &(struct finding){ .verdict = VERDICT_PASS });
	if (n > ROWS_MAX)
		buf_printf(b, "\n%zu more rows are in the JSON.\n", n - ROWS_MAX);
	buf_putc(b, '\n');
	list_notes(b, j);
}
