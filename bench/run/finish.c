/* SPDX-License-Identifier: Apache-2.0 */
/* See finish.h: what is printed, what is written, and the exit code. What the texts are of is
 * shown.c's. */
#include "run/finish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "report/chart.h"
#include "report/heatmap.h"
#include "report/overlap.h"
#include "report/matrix.h"
#include "report/scaling.h"
#include "report/table.h"
#include "run/campaign.h"
#include "run/compare.h"
#include "run/meta.h"
#include "run/options.h"
#include "run/progress.h"
#include "run/shown.h"
#include "spec/outcome.h"

/* ---- exit code ---- */

static bool transport_met(const struct campaign *k, size_t config)
{
	const struct plan_config *pc = &k->plan.configs[config];
	size_t good = 0;

	for (size_t i = pc->first; i < pc->first + pc->n; i++) {
		const struct record *r = &k->points[i].record;

		if (!k->points[i].done)
			return false;
		if (strcmp(r->outcome, "skipped") == 0)
			continue;
		if (strcmp(r->outcome, "ok") != 0 || strcmp(r->proof, "yes") != 0)
			return false;
		good++;
	}
	return good > 0;
}

/* In a matrix NCCL's own choice must do; combinations that do not exist are no failure. */
static int required_code(const struct campaign *k, unsigned long long required, bool matrix)
{
	unsigned long long met = 0, missed = 0;

	/* In every arm, if there are several. */
	for (size_t i = 0; i < k->plan.n_configs; i++)
		if (!matrix || k->plan.configs[i].arm == 0)
			*(transport_met(k, i) ? &met : &missed) |= 1ULL
								   << k->plan.configs[i].transport;
	return required & ~(met & ~missed) ? NB_EXIT_REQUIRED : NB_EXIT_OK;
}

static int exit_code(const struct campaign *k, const struct finish *f)
{
	int code = NB_EXIT_OK;

	if (k->broken)
		return NB_EXIT_BROKEN;
	if (k->interrupted)
		return NB_EXIT_INTERRUPTED;
	for (size_t i = 0; i < k->plan.n_points; i++) {
		int id = k->points[i].done ? outcome_find(k->points[i].record.outcome) : -1;

		if (id >= 0 && outcome_table[id].exit_code > code)
			code = outcome_table[id].exit_code;
	}
	return code ? code : required_code(k, f->required, f->options->matrix || f->options->tuned);
}

/* ---- output ---- */

static bool want_color(const struct options *o, bool terminal)
{
	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return terminal && !getenv("NO_COLOR");
}

/* With --json standard output is the object's alone. */
static int text_fd(const struct options *o)
{
	return o->json ? STDERR_FILENO : STDOUT_FILENO;
}

/* Where the texts go: its width, 0 when it is no terminal or none is known. */
struct paper {
	int width;
	bool color;
};

static struct paper paper_of(const struct options *o)
{
	int width = 0;
	bool terminal = progress_is_terminal(text_fd(o), &width);

	return (struct paper){ terminal ? width : 0, want_color(o, terminal) };
}

static int put_text(const struct options *o, const struct buf *text)
{
	return text->failed ? -ENOMEM : file_write_all(text_fd(o), buf_text(text), text->len);
}

static int print_table(const struct shown *s, const struct options *o)
{
	struct paper paper = paper_of(o);
	struct buf b = { 0 };
	int r;

	for (int i = 0; i < s->n_counts; i++) {
		struct view v = shown_of_count(s, i);

		buf_puts(&b, i > 0 ? "\n" : "");
		table_text(&b, &v, paper.width, paper.color);
	}
	b.failed |= scaling_text(&s->view, &b) < 0;
	r = put_text(o, &b);
	if (r < 0)
		log_error("cannot print the table: %s; it is in report.md of the run directory",
			  b.failed ? "out of memory" : strerror(-r));
	buf_fini(&b);
	return r < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static int print_json(const struct campaign *k, const struct finish *f, const struct shown *s,
		      const char *comparison, int code)
{
	char *text = meta_sweep_json(k, f, &s->view, comparison, code);
	struct buf b = { .failed = !text };
	int r;

	if (text) {
		buf_puts(&b, text);
		buf_putc(&b, '\n');
	}
	r = output_put(&b);
	buf_fini(&b);
	free(text);
	return r;
}

/* After the table: the first arm's figures, then what the others change. */
static int print_comparison(struct campaign *k, const struct options *o, struct buf *json)
{
	struct buf text = { 0 };
	char why[800] = "";
	int r = compare_arms(k, paper_of(o).color, &text, json, why, sizeof(why));

	if (r == 0)
		r = put_text(o, &text);
	if (r < 0)
		log_error("the comparison of the arms could not be finished: %s",
			  why[0] ? why : strerror(-r));
	buf_fini(&text);
	return r;
}

static int print_pairs(const struct shown *s, const struct options *o)
{
	struct buf text = { 0 };
	int r;

	heatmap_pairs_text(&s->view, &text);
	r = put_text(o, &text);
	buf_fini(&text);
	return r;
}

/* TABLE of what follows the table of a run and has a page of its own. */
static const struct own_page {
	const char *file, *title;
	int (*write)(const struct view *v, struct buf *out);
} matrix_page = { "matrix.md", "Algorithms and protocols", matrix_text },
  overlap_page = { "overlap.md", "Beside computation", overlap_text };

static int print_page(const struct campaign *k, const struct shown *s, const struct options *o,
		      const struct own_page *p)
{
	struct buf text = { 0 }, page = { 0 };
	int r = p->write(&s->view, &text);

	buf_printf(&page, "# %s\n\n```\n%s```\n", p->title, buf_text(&text));
	if (r == 0 && text.len > 0)
		r = page.failed ? -ENOMEM : file_put(k->dir, p->file, buf_text(&page), page.len);
	if (r == 0)
		r = put_text(o, &text);
	if (r < 0)
		log_error("cannot write %s/%s: %s; its figures are in points.csv, too", k->dir,
			  p->file, strerror(-r));
	buf_fini(&page);
	buf_fini(&text);
	return r;
}

/* What follows the table: arms against each other, algorithms, pairs. */
static int print_more(struct campaign *k, const struct shown *s, const struct finish *f,
		      struct buf *comparison)
{
	const struct options *o = f->options;
	int r = 0;

	if (o->matrix)
		r = print_page(k, s, o, &matrix_page);
	else if (k->arms && !o->tuned && !o->n_channels)
		r = print_comparison(k, o, comparison);
	if (r == 0 && (o->overlap || o->n_channels))
		r = print_page(k, s, o, &overlap_page);
	/* A run that was stopped early may have nothing to compare, and that is not why it ends
	 * badly. */
	if (r < 0 && k->interrupted && !o->matrix)
		r = 0;
	return r == 0 && k->request.all_pairs ? print_pairs(s, o) : r;
}

static int write_report(struct campaign *k, const struct shown *s)
{
	struct buf b = { 0 };
	int r;

	for (int i = 0; i < s->n_counts; i++) {
		struct view v = shown_of_count(s, i);

		buf_puts(&b, i > 0 ? "\n" : "");
		table_markdown(&b, &v);
	}
	b.failed |= scaling_markdown(&s->view, &b) < 0;
	r = b.failed ? -ENOMEM : store_text(&k->store, "report.md", buf_text(&b), b.len);
	buf_fini(&b);
	return r;
}

static void draw(const struct campaign *k, const struct shown *s)
{
	char *dir = file_join(k->store.dir, "charts");
	struct buf notes = { 0 };
	int n = dir ? file_make_dirs(dir) : -ENOMEM;

	if (n == 0)
		n = chart_draw_all(&s->view, dir, &notes);
	if (dir)
		(void)rmdir(dir); /* only when nothing came into it */
	log_lines(buf_text(&notes));
	if (n > 0)
		log_note("%d charts in %s", n, dir);
	else if (n < 0 && n != -ENOENT)
		log_note("no charts: %s", strerror(-n));
	buf_fini(&notes);
	free(dir);
}

/* `s`: NULL while nothing was measured. */
static int write_meta(struct campaign *k, const struct finish *f, const struct shown *s,
		      bool complete, int code)
{
	struct meta_end end = { complete, code, s ? s->steering : "" };
	char *text = meta_run_json(k, f, s ? &s->view : NULL, &end);
	int r = text ? store_text(&k->store, "run.json", text, strlen(text)) : -ENOMEM;

	free(text);
	return r;
}

static int save(struct campaign *k, const struct finish *f, const struct shown *s, int code)
{
	int r = write_report(k, s);

	if (r == 0 && f->options->charts && !k->interrupted)
		draw(k, s);
	if (r == 0)
		r = write_meta(k, f, s, true, code);
	if (r == 0)
		r = store_close(&k->store);
	return r;
}

int finish_meta(struct campaign *k, const struct finish *f, bool complete, int code)
{
	return write_meta(k, f, NULL, complete, code);
}

int finish_run(struct campaign *k, const struct finish *f)
{
	struct shown *s = calloc(1, sizeof(*s));
	struct buf comparison = { 0 };
	int code = exit_code(k, f), r;

	if (!s || shown_init(s, k, f) < 0) {
		log_error("out of memory; the rows are in %s/points.csv", k->store.dir);
		if (s)
			shown_fini(s);
		free(s);
		return NB_EXIT_BROKEN;
	}
	if (print_table(s, f->options) != NB_EXIT_OK)
		code = NB_EXIT_BROKEN;
	r = k->broken ? 0 : save(k, f, s, code);
	if (r < 0) {
		log_error("cannot finish %s: %s; the rows in points.csv are complete", k->dir,
			  strerror(-r));
		code = NB_EXIT_BROKEN;
	}
	if (r == 0 && !k->broken && print_more(k, s, f, &comparison) < 0)
		code = NB_EXIT_BROKEN;
	log_note("%s in %.1f s: %s", k->interrupted ? "stopped" : "done", f->seconds, k->dir);
	if (f->options->confirm && r == 0)
		log_note("%zu suspects were measured again; now decide: ncclbench gate BASELINE... "
			 "NEW --confirm %s",
			 k->plan.n_points, k->dir);
	if (f->options->json &&
	    print_json(k, f, s, comparison.len ? buf_text(&comparison) : NULL, code) < 0)
		code = NB_EXIT_BROKEN;
	buf_fini(&comparison);
	shown_fini(s);
	free(s);
	return code;
}
