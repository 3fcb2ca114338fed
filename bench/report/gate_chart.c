/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture per transport, operation and timing: over message size, how far the new run's restarts
 * and the baseline's are from the baseline's median, with the limit of each size class. Worst
 * groups first when there are many.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "data/stats.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "proc/child.h"
#include "report/gnuplot.h"
#include "report/chart.h"
#include "report/gate.h"
#include "report/script.h"
#include "spec/outcome.h"

#define PICTURES_MAX 24
#define BASE_MAX 8192 /* restarts of one point */

extern char **environ;

struct picture {
	char name[64];
	size_t first, end; /* groups of one key */
	int worst;
};

struct drawing {
	const struct gate_view *v;
	struct picture p[PICTURES_MAX];
	size_t n;
	char *dir, *plots;
	double base[BASE_MAX];
	double xmin, xmax, ymax;
};

static int worst_of(const struct gate_view *v, size_t first, size_t end)
{
	int worst = VERDICT_NONE;

	for (size_t i = first; i < end; i++)
		worst = v->j->groups[i].f.verdict > worst ? v->j->groups[i].f.verdict : worst;
	return worst;
}

static size_t drawable(const struct gate_view *v, size_t first, size_t end)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		n += v->j->groups[i].n_tested;
	return n;
}

/* Keeps the worst; insertion into a short list. */
static void offer(struct drawing *d, const struct picture *p)
{
	size_t at = d->n;

	while (at > 0 && d->p[at - 1].worst < p->worst)
		at--;
	if (at == PICTURES_MAX)
		return;
	if (d->n < PICTURES_MAX)
		d->n++;
	memmove(&d->p[at + 1], &d->p[at], (d->n - at - 1) * sizeof(*p));
	d->p[at] = *p;
}

static void choose(struct drawing *d)
{
	const struct judgement *j = d->v->j;

	for (size_t i = 0, end; i < j->n_groups; i = end) {
		struct picture p = { .first = i };

		for (end = i + 1; end < j->n_groups && j->groups[end].group == j->groups[i].group;)
			end++;
		p.end = end;
		p.worst = worst_of(d->v, i, end);
		if (drawable(d->v, i, end) > 0)
			offer(d, &p);
	}
}

/* "gate_03_p2p_all_reduce_graph": nothing but letters, digits and _. */
static void name_picture(struct drawing *d, size_t i)
{
	struct buf label = { 0 };
	char *c;

	group_label(d->v->pool, d->v->j->groups[d->p[i].first].group, &label);
	snprintf(d->p[i].name, sizeof(d->p[i].name), "gate_%02zu_%.48s", i + 1, buf_text(&label));
	for (c = d->p[i].name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
			*c = '_';
	buf_fini(&label);
}

static double percent(double log_shift)
{
	return 100 * expm1(log_shift);
}

/* Restarts of the baseline at that point, or medians where it has no more. */
static size_t gather(struct drawing *d, size_t point)
{
	const struct judgement *j = d->v->j;
	const struct row *row = &j->joined.rows[point];
	size_t n = 0;

	for (size_t h = 0; h < j->n_series; h++) {
		const struct point *p = row->at[h];

		if (!p || p->outcome != OUTCOME_OK)
			continue;
		if (p->n_m == 0 && n < BASE_MAX)
			d->base[n++] = p->log_time;
		for (size_t i = 0; i < p->n_m && n < BASE_MAX; i++)
			d->base[n++] = p->m[i];
	}
	return n;
}

/* Columns: bytes, new median, new from, to, baseline from, to (5th and 95th percentile), limit; all
 * but the first in % of the baseline's median time. */
static void point_line(struct drawing *d, size_t point, const struct finding *group,
		       struct buf *data)
{
	const struct point_finding *p = &d->v->j->points[point];
	size_t n = gather(d, point);
	double centre = stats_median(d->base, n), lo = p->now->log_time, hi = lo;
	double values[7];

	if (p->now->n_m > 0) {
		lo = stats_min(p->now->m, p->now->n_m);
		hi = stats_max(p->now->m, p->now->n_m);
	}
	values[0] = (double)p->bytes;
	values[1] = percent(p->now->log_time - centre);
	values[2] = percent(lo - centre);
	values[3] = percent(hi - centre);
	values[4] = percent(stats_percentile(d->base, n, 5) - centre);
	values[5] = percent(stats_percentile(d->base, n, 95) - centre);
	values[6] = percent(group->tested ? group->limit : p->f.limit);
	for (size_t i = 0; i < N_ELEMENTS(values); i++) {
		script_value(data, values[i]);
		if (i > 0 && isfinite(values[i]))
			d->ymax = fmax(d->ymax, fabs(values[i]));
	}
	buf_putc(data, '\n');
	d->xmin = fmin(d->xmin, values[0]);
	d->xmax = fmax(d->xmax, values[0]);
}

static void write_data(struct drawing *d, const struct picture *p, struct buf *data)
{
	d->xmin = INFINITY;
	d->xmax = 1;
	d->ymax = 1;
	for (size_t i = p->first; i < p->end; i++) {
		const struct group_finding *g = &d->v->j->groups[i];

		for (size_t k = g->first; k < g->first + g->n; k++)
			if (d->v->j->points[k].f.tested)
				point_line(d, k, &g->f, data);
	}
}

/* A line per size class: in one line the last verdict runs out of the picture. */
static void write_verdicts(const struct drawing *d, const struct picture *p, struct buf *b)
{
	struct buf says = { 0 };

	script_array(b, "says", p->end - p->first);
	for (size_t i = p->first; i < p->end; i++) {
		const struct group_finding *g = &d->v->j->groups[i];

		buf_clear(&says);
		buf_printf(&says, "%s: %s ", size_classes[g->size_class].name,
			   verdict_table[g->f.verdict].name);
		gate_figures(&says, &g->f);
		script_item_text(b, "says", i - p->first, buf_text(&says));
	}
	buf_printf(b, "n_says = %zu\n", p->end - p->first);
	b->failed |= says.failed;
	buf_fini(&says);
}

static void write_driver(struct drawing *d, const struct picture *p, struct buf *b)
{
	struct buf title = { 0 };

	group_label(d->v->pool, d->v->j->groups[p->first].group, &title);
	buf_puts(&title, ": time against the baseline");
	buf_printf(b, "# Redo the picture, in this folder: gnuplot %s.gp\n", p->name);
	script_prelude(b);
	buf_puts(b, "if (!exists('plots')) plots = ");
	script_quote(b, d->plots);
	buf_printf(b, "\nout = '%s'\ndata = '%s.dat'\nheight = %zu\nn = 0\n", p->name, p->name,
		   540 + 21 * (p->end - p->first));
	script_text(b, "title", buf_text(&title));
	script_text(b, "sub1", "");
	write_verdicts(d, p, b);
	buf_clear(&title);
	buf_printf(&title, "new: %s   baseline: %zu series of %zu machine starts",
		   d->v->now->path ? d->v->now->path : "", d->v->j->n_series, d->v->j->n_starts);
	script_text(b, "sub2", buf_text(&title));
	script_text(b, "caption",
		    "bars: fastest to slowest restart; band: 5 to 95 % of the baseline's restarts; "
		    "dashed: limit of "
		    "the size class");
	script_number(b, "xmin", d->xmin > 1 ? d->xmin / 1.5 : 0.7);
	script_number(b, "xmax", d->xmax * 1.5);
	script_number(b, "ymax", d->ymax * 1.1);
	buf_puts(b, "load plots.'/gate.gp'\n");
	b->failed |= title.failed;
	buf_fini(&title);
}

static int write_file(const char *dir, const char *name, const char *ending, const struct buf *b)
{
	char file[96];

	snprintf(file, sizeof(file), "%s.%s", name, ending);
	return b->failed ? -ENOMEM : file_put(dir, file, buf_text(b), b->len);
}

static int prepare(struct drawing *d)
{
	int rc = 0;

	for (size_t i = 0; i < d->n && rc == 0; i++) {
		struct buf data = { 0 }, driver = { 0 };

		name_picture(d, i);
		write_data(d, &d->p[i], &data);
		write_driver(d, &d->p[i], &driver);
		chart_remove_old(d->dir, d->p[i].name, true);
		rc = write_file(d->dir, d->p[i].name, "dat", &data);
		if (rc == 0)
			rc = write_file(d->dir, d->p[i].name, "gp", &driver);
		buf_fini(&data);
		buf_fini(&driver);
	}
	return rc;
}

static int run_gnuplot(const struct drawing *d, char *out, size_t max)
{
	char file[PICTURES_MAX][80], *argv[PICTURES_MAX + GNUPLOT_WORDS + 1];
	struct env env = { 0 };
	size_t k = GNUPLOT_WORDS;
	int rc = gnuplot_env(&env);

	gnuplot_words(argv, d->dir);
	for (size_t i = 0; i < d->n; i++) {
		snprintf(file[i], sizeof(file[i]), "%s.gp", d->p[i].name);
		argv[k++] = file[i];
	}
	argv[k] = NULL;
	out[0] = '\0';
	if (rc == 0)
		rc = child_run(GNUPLOT_SHELL, argv, env.vec, GNUPLOT_NS, out, max);
	env_fini(&env);
	return rc;
}

static int draw(struct drawing *d, struct buf *notes)
{
	char out[1024];
	int rc = prepare(d);

	if (rc == 0 && d->n > 0)
		rc = run_gnuplot(d, out, sizeof(out));
	if (rc == 0)
		return (int)d->n;
	if (rc > 0 && rc != 127)
		buf_printf(notes, "gnuplot exit %d: %.200s", rc, out);
	return rc == 127 ? -ENOENT : rc > 0 ? -EIO : rc;
}

int gate_charts(const struct gate_view *v, const char *dir, struct buf *notes)
{
	struct drawing *d = calloc(1, sizeof(*d));
	int rc = d ? file_make_dirs(dir) : -ENOMEM;

	if (rc == 0) {
		d->v = v;
		d->dir = realpath(dir, NULL);
		d->plots = chart_plots_dir();
		rc = !d->plots ? -ENOENT : !d->dir ? -errno : 0;
	}
	if (rc == 0) {
		choose(d);
		rc = draw(d, notes);
	}
	if (d) {
		free(d->dir);
		free(d->plots);
	}
	free(d);
	return rc;
}
