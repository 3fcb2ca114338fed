/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's judgement for the terminal: what matters first, counts and notes last. */
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "report/gate.h"
#include "report/text.h"

#define POINT_LINES 60 /* without --all */
#define NAME_COLUMNS 46

static const char *colour(const struct gate_view *v, int verdict)
{
	if (!v->color || verdict == VERDICT_PASS || verdict == VERDICT_NONE)
		return "";
	return verdict_table[verdict].exit_group == 0 ? "\033[32m"
	       : verdict == VERDICT_INCONCLUSIVE      ? "\033[33m"
						      : "\033[31m";
}

static void line(struct buf *b, const struct gate_view *v, const char *name,
		 const struct finding *f)
{
	const char *on = colour(v, f->verdict);
	int pad = NAME_COLUMNS - text_width(name);

	buf_printf(b, "%s%*s %s%-12s%s ", name, pad > 0 ? pad : 0, "", on,
		   verdict_table[f->verdict].name, *on ? "\033[0m" : "");
	gate_sentence(b, f);
	buf_putc(b, '\n');
}

static void write_points(struct buf *b, const struct gate_view *v, const struct group_finding *g,
			 size_t *left)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct point_finding *p = &v->j->points[g->first + i];
		char size[32], name[48];

		if (!v->all && !gate_point_matters(g, p))
			continue;
		if (!v->all && *left == 0)
			continue;
		*left -= *left > 0;
		num_format_size(p->bytes, size, sizeof(size));
		snprintf(name, sizeof(name), "    %s", size);
		line(b, v, name, &p->f);
	}
}

static bool any_point(const struct gate_view *v, const struct group_finding *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (gate_point_matters(g, &v->j->points[g->first + i]))
			return true;
	return false;
}

static void write_groups(struct buf *b, const struct gate_view *v)
{
	size_t left = POINT_LINES;

	for (size_t i = 0; i < v->j->n_groups; i++) {
		const struct group_finding *g = &v->j->groups[i];
		struct buf name = { 0 };

		if (!v->all && !gate_group_matters(g) && !any_point(v, g))
			continue;
		gate_group_name(&name, v, g);
		if (g->n_tested == 0)
			buf_printf(&name, " (%zu point%s)", g->n, g->n == 1 ? "" : "s");
		line(b, v, buf_text(&name), &g->f);
		buf_fini(&name);
		write_points(b, v, g, &left);
	}
	if (left == 0 && !v->all)
		buf_puts(b, "    ... --all prints the rest\n");
}

static void counts(struct buf *b, const char *what, size_t n, const size_t by[VERDICT_COUNT])
{
	const char *sep = ": ";

	buf_printf(b, "%zu %s%s", n, what, n == 1 ? "" : "s");
	for (int i = 0; i < VERDICT_COUNT; i++) {
		if (by[i] == 0)
			continue;
		buf_printf(b, "%s%zu %s", sep, by[i], verdict_table[i].name);
		sep = ", ";
	}
	buf_putc(b, '\n');
}

static void write_counts(struct buf *b, const struct gate_view *v)
{
	size_t groups[VERDICT_COUNT] = { 0 }, points[VERDICT_COUNT] = { 0 };

	for (size_t i = 0; i < v->j->n_groups; i++)
		groups[v->j->groups[i].f.verdict]++;
	for (size_t i = 0; i < v->j->n_points; i++)
		points[v->j->points[i].f.verdict]++;
	counts(b, "group", v->j->n_groups, groups);
	counts(b, "point", v->j->n_points, points);
}

static void write_sides(struct buf *b, const struct gate_view *v)
{
	buf_puts(b, "new       ");
	gate_clean(b, v->now->path ? v->now->path : "");
	if (v->now->facts.versions[0]) {
		buf_puts(b, "  (");
		gate_clean(b, v->now->facts.versions);
		buf_putc(b, ')');
	}
	buf_printf(b, "\nbaseline  %zu series of %zu machine start%s", v->j->n_series,
		   v->j->n_starts, v->j->n_starts == 1 ? "" : "s");
	if (v->j->n_left_out > 0)
		buf_printf(b, ", %zu left out", v->j->n_left_out);
	buf_puts(b, "\n\n");
}

static void write_notes(struct buf *b, const struct gate_view *v)
{
	const char *p = buf_text(&v->j->notes);

	while (*p) {
		size_t n = strcspn(p, "\n");
		char one[512];

		snprintf(one, sizeof(one), "%.*s", (int)(n < sizeof(one) ? n : sizeof(one) - 1), p);
		buf_puts(b, "note: ");
		gate_clean(b, one);
		buf_putc(b, '\n');
		p += n + (p[n] == '\n');
	}
}

void gate_text(struct buf *b, const struct gate_view *v)
{
	write_sides(b, v);
	write_groups(b, v);
	write_counts(b, v);
	if (v->j->n_tested_groups > 0)
		buf_printf(b,
			   "changes are of time (+ is slower), intervals hold together at %g %%; a "
			   "limit is the smallest "
			   "change that counts\n",
			   100 * (1 - v->o->alpha));
	write_notes(b, v);
	buf_puts(b, "gate: ");
	gate_headline(b, v);
	buf_printf(b, " (exit %d)\n", v->j->exit_code);
}
