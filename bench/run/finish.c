/* SPDX-License-Identifier: Apache-2.0 */
#include "run/finish.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "report/chart.h"
#include "report/heatmap.h"
#include "report/overlap.h"
#include "report/matrix.h"
#include "report/run_view.h"
#include "report/scaling.h"
#include "report/slow_pairs.h"
#include "report/table.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/compare.h"
#include "run/launch.h"
#include "run/meta.h"
#include "run/notes.h"
#include "run/options.h"
#include "run/progress.h"
#include "spec/outcome.h"
#include "spec/transport.h"

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

/* ---- what the table shows ---- */

struct shown {
	struct view view;
	struct record *rows;
	size_t first[PLAN_COUNTS_MAX + 1]; /* of each number of ranks, in the view's rows */
	int n_counts;
	struct view_pair *pairs;
	struct notes notes;
	char steering[NOTE_LENGTH]; /* the one of them about the user's own variables; "" none */
};

/* The rows of one number of ranks. Peaks and notes stand below the last table. */
static struct view view_of_count(const struct shown *s, int i)
{
	struct view v = s->view;
	bool last = i + 1 == s->n_counts;

	if (s->n_counts == 1)
		return v;
	v.rows += s->first[i];
	v.n_rows = v.n_all = s->first[i + 1] - s->first[i];
	v.ranks = v.n_rows ? v.rows[0].ranks : 0;
	v.n_peaks = last ? v.n_peaks : 0;
	v.n_notes = last ? v.n_notes : 0;
	return v;
}

/* As transports of their own: "shm (tuned)". Where nothing is recommended there is no such row. */
static void add_tuned(const struct campaign *k, struct shown *s)
{
	for (size_t c = 0; c < k->plan.n_configs; c++) {
		const struct plan_config *pc = &k->plan.configs[c];

		for (size_t i = pc->first; pc->arm == 1 && i < pc->first + pc->n; i++) {
			struct record *r = &s->rows[s->view.n_rows];

			if (!k->points[i].done || k->plan.points[i].unavailable)
				continue;
			*r = k->points[i].record;
			snprintf(r->transport, sizeof(r->transport), "%.40s (tuned)",
				 transport_table[pc->transport].name);
			r->arm[0] = '\0';
			s->view.n_rows++;
		}
	}
}

/* Of one number of ranks (0: of all): its rows stand together, so that a table can be of them. */
static void collect_count(const struct campaign *k, int nranks, struct shown *s)
{
	s->first[s->n_counts++] = s->view.n_rows;
	for (size_t c = 0; c < k->plan.n_configs; c++) {
		const struct plan_config *pc = &k->plan.configs[c];

		if (pc->arm != 0 || (nranks && pc->nranks != nranks))
			continue;
		for (size_t i = pc->first; i < pc->first + pc->n; i++)
			if (k->points[i].done)
				s->rows[s->view.n_rows++] = k->points[i].record;
	}
	s->first[s->n_counts] = s->view.n_rows;
}

static int collect_rows(const struct campaign *k, bool tuned, struct shown *s)
{
	s->rows = calloc(k->plan.n_points + 1, sizeof(*s->rows));
	if (!s->rows)
		return -ENOMEM;
	/* The table and most charts are of the first arm, whose rows come first; what the others
	 * change is said after them. */
	for (int i = 0; i < (k->request.n_counts ? k->request.n_counts : 1); i++)
		collect_count(k, k->request.n_counts ? k->request.counts[i] : 0, s);
	if (tuned)
		add_tuned(k, s);
	s->view.n_all = s->view.n_rows;
	for (size_t c = 0; c < k->plan.n_configs; c++) {
		const struct plan_config *pc = &k->plan.configs[c];

		for (size_t i = pc->first; !tuned && pc->arm != 0 && i < pc->first + pc->n; i++)
			if (k->points[i].done)
				s->rows[s->view.n_all++] = k->points[i].record;
	}
	s->view.rows = s->rows;
	s->view.ranks = view_most_ranks(s->rows, s->view.n_rows);
	return 0;
}

static const char *common_timing(const struct view *v)
{
	for (size_t i = 0; i < v->n_rows; i++)
		if (strcmp(v->rows[i].timing, "stream") == 0)
			return "stream";
	return v->n_rows ? v->rows[0].timing : "stream";
}

/* The user's own variables against the best proven transport: what do they cost? */
static void note_steering(const struct view *v, const struct finish *f, struct shown *s)
{
	const char *names[TRANSPORT_COUNT], *timing = common_timing(v);
	uint64_t bytes = view_common_size(v, "all_reduce", timing);
	const struct record *own = view_cell(v, "auto", "all_reduce", bytes, timing), *best = NULL;
	size_t n = view_transports(v, names, TRANSPORT_COUNT);
	struct buf steering = { 0 }, text = { 0 };
	char size[32];

	for (size_t i = 0; i < n; i++) {
		const struct record *r = view_cell(v, names[i], "all_reduce", bytes, timing);

		if (r && strcmp(r->proof, "yes") == 0 && strcmp(names[i], "auto") != 0 &&
		    (!best || r->busbw_gbps > best->busbw_gbps))
			best = r;
	}
	environment_steering(f->inherited, &steering);
	num_format_size(bytes, size, sizeof(size));
	if (own && best && steering.len && best->busbw_gbps > 1.1 * own->busbw_gbps)
		buf_printf(&text,
			   "auto used %s: %s in your environment costs a factor of %.1f against %s "
			   "(all_reduce, %s: %.3g instead "
			   "of %.3g GB/s)",
			   own->used, buf_text(&steering), best->busbw_gbps / own->busbw_gbps,
			   best->transport, size, own->busbw_gbps, best->busbw_gbps);
	else if (own && steering.len)
		buf_printf(&text, "auto ran with %s from your environment", buf_text(&steering));
	snprintf(s->steering, sizeof(s->steering), "%s", buf_text(&text));
	notes_add(&s->notes, s->steering);
	buf_fini(&steering);
	buf_fini(&text);
}

static void note_losses(const struct campaign *k, struct shown *s)
{
	size_t unknown = 0;
	char text[200];

	for (size_t i = 0; i < s->view.n_rows; i++)
		unknown += strcmp(s->rows[i].outcome, "ok") == 0 &&
			   strcmp(s->rows[i].proof, "unknown") == 0;
	if (unknown) {
		snprintf(text, sizeof(text),
			 "%zu measured points are not proven: NCCL's log does not show which "
			 "transport they used",
			 unknown);
		notes_add(&s->notes, text);
	}
	if (k->interrupted && !k->broken)
		notes_add(&s->notes,
			  "interrupted: the points above are complete, the rest was not measured");
}

/* Others on the same GPU, and clocks that were held down, are why figures of two runs differ. */
static void note_cards(const struct campaign *k, const struct finish *f, struct shown *s)
{
	char value[512], line[700];

	for (int i = 0; k->cards && i < k->request.nranks; i++) {
		int device = facts_device(&f->launch->facts, i);

		if (facts_text_get(k->cards[i], "processes", value, sizeof(value)) && value[0]) {
			snprintf(line, sizeof(line), "GPU %d of rank %d is used by others, too: %s",
				 device, i, value);
			notes_add(&s->notes, line);
		}
		if (facts_text_get(k->cards[i], "throttled", value, sizeof(value)) && value[0]) {
			snprintf(line, sizeof(line),
				 "GPU %d of rank %d was held back during the run (%s): see flags "
				 "in samples.csv",
				 device, i, value);
			notes_add(&s->notes, line);
		}
	}
}

/* How pairs were measured, and which of them are slow for the way between them. */
static int note_pairs(const struct campaign *k, struct shown *s)
{
	struct slow_pair *slow = NULL;
	struct buf text = { 0 };
	char line[NOTE_LENGTH], *save = NULL;
	size_t n = 0;
	int r = pairs_classes(k, &s->pairs, &s->view.n_pairs);

	s->view.pairs = s->pairs;
	for (size_t i = 0; i < k->plan.n_configs && r == 0; i++) {
		pairs_say(k, i, line, sizeof(line));
		notes_add(&s->notes, line);
	}
	if (r == 0)
		r = slow_pairs_find(&s->view, &slow, &n);
	if (r == 0)
		slow_pairs_say(&s->view, slow, n, &text);
	for (char *at = text.data ? strtok_r(text.data, "\n", &save) : NULL; at;
	     at = strtok_r(NULL, "\n", &save))
		notes_add(&s->notes, at);
	free(slow);
	buf_fini(&text);
	return r;
}

static int show_init(struct shown *s, const struct campaign *k, const struct finish *f)
{
	int r;

	memset(s, 0, sizeof(*s));
	s->view.notes = s->notes.list;
	launch_titles(f->launch, k->request.nranks, s->view.machine, sizeof(s->view.machine),
		      s->view.versions, sizeof(s->view.versions));
	facts_get(&f->launch->facts, 0, "host", s->view.host, sizeof(s->view.host));
	snprintf(s->view.when, sizeof(s->view.when), "%s", f->when);
	s->view.one_host = f->n_hosts == 1;
	s->view.peaks = k->peaks;
	s->view.n_peaks = k->n_peaks;
	r = collect_rows(k, f->options->tuned != NULL, s);
	if (r < 0)
		return r;
	note_steering(&s->view, f, s);
	note_losses(k, s);
	r = note_pairs(k, s);
	if (r < 0)
		return r;
	notes_add(&s->notes, f->place);
	if (f->options->tuned)
		notes_add(&s->notes, RUN_VIEW_TUNED);
	else if (f->options->matrix)
		notes_add(&s->notes, "the table is of NCCL's own choice; matrix.md has every "
				     "algorithm and protocol");
	else if (f->options->n_channels)
		notes_add(&s->notes,
			  "the table is of NCCL's own number of channels; overlap.md has "
			  "the others");
	else if (k->arms) {
		char line[300];

		snprintf(line, sizeof(line),
			 "the table is of arm %s (%.200s); ab.md compares it with the others",
			 k->arms[0].label,
			 k->arms[0].text[0] ? k->arms[0].text : "the plain environment");
		notes_add(&s->notes, line);
	}
	notes_add(&s->notes, k->no_ceiling);
	note_cards(k, f, s); /* last: of these there can be many */
	notes_close(&s->notes);
	s->view.n_notes = s->notes.n;
	return 0;
}

/* ---- output ---- */

static bool want_color(const struct options *o, bool terminal)
{
	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return terminal && !getenv("NO_COLOR");
}

static int print_table(const struct shown *s, const struct options *o)
{
	struct buf b = { 0 };
	int width = 0, code = NB_EXIT_OK;
	bool terminal = progress_is_terminal(o->json ? STDERR_FILENO : STDOUT_FILENO, &width);

	for (int i = 0; i < s->n_counts; i++) {
		struct view v = view_of_count(s, i);

		buf_puts(&b, i > 0 ? "\n" : "");
		table_text(&b, &v, terminal ? width : 0, want_color(o, terminal));
	}
	b.failed |= scaling_text(&s->view, &b) < 0;
	if (b.failed ||
	    file_write_all(o->json ? STDERR_FILENO : STDOUT_FILENO, buf_text(&b), b.len) < 0) {
		log_error("cannot print the table: %s; it is in report.md of the run directory",
			  b.failed ? "out of memory" : strerror(errno));
		code = NB_EXIT_BROKEN;
	}
	buf_fini(&b);
	return code;
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
	bool terminal = progress_is_terminal(o->json ? STDERR_FILENO : STDOUT_FILENO, &(int){ 0 });
	struct buf text = { 0 };
	char why[800] = "";
	int r = compare_arms(k, want_color(o, terminal), &text, json, why, sizeof(why));

	if (r == 0)
		r = file_write_all(o->json ? STDERR_FILENO : STDOUT_FILENO, buf_text(&text),
				   text.len);
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
	r = text.failed ? -ENOMEM
			: file_write_all(o->json ? STDERR_FILENO : STDOUT_FILENO, buf_text(&text),
					 text.len);
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
		r = file_write_all(o->json ? STDERR_FILENO : STDOUT_FILENO, buf_text(&text),
				   text.len);
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
		struct view v = view_of_count(s, i);

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

	if (!s || show_init(s, k, f) < 0) {
		log_error("out of memory; the rows are in %s/points.csv", k->store.dir);
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
	free(s->rows);
	free(s->pairs);
	free(s);
	return code;
}
