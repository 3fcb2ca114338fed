/* SPDX-License-Identifier: Apache-2.0 */
/* See chart.h. All pictures are drawn by one gnuplot; only when that fails is each tried alone. */
#include "report/chart.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "proc/child.h"
#include "report/gnuplot.h"
#include "report/bars.h"
#include "report/curve.h"
#include "report/heatmap.h"
#include "report/script.h"
#include "report/view.h"
#include "spec/op.h"

#define PICTURES_MAX 40
#define PICTURE_BYTES_MAX (16u << 20)

extern char **environ;

const struct chart chart_table[] = {
	{ .id = "bandwidth",
	  .script = "bandwidth.gp",
	  .write = curve_bandwidth,
	  .per_op = 1,
	  .help = "bus bandwidth against message size, a curve per transport" },
	{ .id = "latency",
	  .script = "latency.gp",
	  .write = curve_latency,
	  .per_op = 1,
	  .op_flags = OP_LATENCY,
	  .help = "time against message size, of the operations whose time is a latency" },
	{ .id = "comparison",
	  .script = "comparison.gp",
	  .write = bars_comparison,
	  .help = "bus bandwidth of each transport at the largest common size" },
	{ .id = "algorithms",
	  .script = "heatmap.gp",
	  .write = heatmap_algorithms,
	  .per_op = 1,
	  .op_flags = OP_COLLECTIVE,
	  .help = "fastest algorithm and protocol by size, and where NCCL chose a slower one "
		  "(--algos, --protos)" },
	{ .id = "pairs",
	  .script = "heatmap.gp",
	  .write = heatmap_pairs,
	  .per_op = 1,
	  .op_flags = OP_PAIR,
	  .help = "a figure for every ordered pair of ranks (--pairs all)" },
	{ .id = "overlap",
	  .script = "bandwidth.gp",
	  .write = curve_overlap,
	  .per_op = 1,
	  .help = "bus bandwidth against message size, alone and beside computation (--overlap)" },
	{ .id = "channels",
	  .script = "scaling.gp",
	  .write = curve_channels,
	  .per_op = 1,
	  .help = "how much an operation and computation slow each other against the number of "
		  "channels (--overlap --channels)" },
	{ .id = "scaling",
	  .script = "scaling.gp",
	  .write = curve_scaling,
	  .per_op = 1,
	  .help = "bus bandwidth against the number of ranks, a curve per transport (--ranks)" },
	{ .id = "scaling_latency",
	  .script = "scaling.gp",
	  .write = curve_scaling_latency,
	  .per_op = 1,
	  .op_flags = OP_LATENCY,
	  .help = "time of a small operation against the number of ranks (--ranks)" },
	{ .id = "outcomes",
	  .script = "outcomes.gp",
	  .write = bars_outcomes,
	  .help = "how many points of each transport were measured, skipped, failed" },
};
const size_t chart_count = N_ELEMENTS(chart_table);

static const char *const formats[] = { "svg", "png" };
static const char *const format_ends[] = { "</svg>", "IEND" };

struct pictures {
	char name[PICTURES_MAX][64];
	size_t n;
	char *plots; /* absolute */
	char *dir;   /* absolute: the shell's cd would take "-" and CDPATH seriously */
	struct env env;
};

static char *plots_at(const char *dir)
{
	char *common = file_join(dir, "common.gp");
	bool there = common != NULL && file_exists(common);

	free(common);
	return there ? realpath(dir, NULL) : NULL;
}

char *chart_plots_dir(void)
{
	const char *wanted = getenv("NCCLBENCH_PLOTS");
	char *self, *beside, *found;

	if (wanted != NULL && wanted[0] != '\0')
		return plots_at(wanted);
	self = file_self_dir();
	beside = self != NULL ? file_join(self, "../share/ncclbench/plots") : NULL;
	found = beside != NULL ? plots_at(beside) : NULL;
	free(beside);
	free(self);
	if (found == NULL)
		found = plots_at(NCCLBENCH_PLOTS_INSTALLED);
	return found != NULL ? found : plots_at(NCCLBENCH_PLOTS_SOURCE);
}

static int write_file(const char *dir, const char *name, const char *ending, const struct buf *text)
{
	char file[96];

	snprintf(file, sizeof(file), "%s.%s", name, ending);
	return text->failed ? -ENOMEM : file_put(dir, file, buf_text(text), text->len);
}

/* The driver: everything that a script in plots/ wants to know, so that the picture can be redone
 * from the folder. */
static void write_driver(struct buf *b, const char *plots, const char *name, const char *script,
			 const struct buf *vars)
{
	buf_printf(b, "# Redo the picture, in this folder: gnuplot %s.gp\n", name);
	buf_puts(b, "# Scripts elsewhere: gnuplot -e \"plots = '/path/to/plots'\" ...\n");
	script_prelude(b);
	buf_puts(b, "if (!exists('plots')) plots = ");
	script_quote(b, plots);
	buf_printf(b, "\nout = '%s'\ndata = '%s.dat'\n", name, name);
	buf_add(b, buf_text(vars), vars->len);
	buf_printf(b, "load plots.'/%s'\n", script);
	b->failed |= vars->failed;
}

void chart_remove_old(const char *dir, const char *name, bool links_only)
{
	for (size_t f = 0; f < N_ELEMENTS(formats); f++) {
		char file[96], *path;

		snprintf(file, sizeof(file), "%s.%s", name, formats[f]);
		path = file_join(dir, file);
		if (path != NULL && (!links_only || file_is_link(path)))
			(void)unlink(path); /* usually absent */
		free(path);
	}
}

static int prepare(struct pictures *p, const struct view *v, const struct chart *chart,
		   const char *op)
{
	struct buf data = { 0 }, vars = { 0 }, driver = { 0 };
	char *name = p->name[p->n];
	int rc = chart->write(v, op, &data, &vars);

	if (rc > 0 && p->n < PICTURES_MAX) {
		snprintf(name, sizeof(p->name[0]), "%s%s%s", chart->id, op != NULL ? "_" : "",
			 op != NULL ? op : "");
		write_driver(&driver, p->plots, name, chart->script, &vars);
		chart_remove_old(p->dir, name, false);
		rc = write_file(p->dir, name, "dat", &data);
		if (rc == 0)
			rc = write_file(p->dir, name, "gp", &driver);
		if (rc == 0)
			p->n++;
	}
	buf_fini(&data);
	buf_fini(&vars);
	buf_fini(&driver);
	return rc < 0 ? rc : 0;
}

static int prepare_all(struct pictures *p, const struct view *v)
{
	int rc = 0;

	for (size_t i = 0; i < chart_count && rc == 0; i++) {
		const struct chart *chart = &chart_table[i];

		if (!chart->per_op)
			rc = prepare(p, v, chart, NULL);
		for (int op = 0; chart->per_op && op < OP_COUNT && rc == 0; op++)
			if ((op_table[op].flags & chart->op_flags) == chart->op_flags)
				rc = prepare(p, v, chart, op_table[op].name);
	}
	return rc;
}

static int run_gnuplot(struct pictures *p, size_t first, size_t n, char *out, size_t max)
{
	char file[PICTURES_MAX][80], *argv[PICTURES_MAX + GNUPLOT_WORDS + 1];
	size_t k = GNUPLOT_WORDS;

	gnuplot_words(argv, p->dir);
	for (size_t i = first; i < first + n; i++) {
		snprintf(file[i], sizeof(file[i]), "%s.gp", p->name[i]);
		argv[k++] = file[i];
	}
	argv[k] = NULL;
	out[0] = '\0';
	return child_run(GNUPLOT_SHELL, argv, p->env.vec, GNUPLOT_NS, out, max);
}

/* A gnuplot that dies leaves half a picture, which is removed. */
static bool is_whole(const char *dir, const char *name, size_t format)
{
	char file[96], *path, *text = NULL;
	size_t len = 0, tail;
	bool whole = false;

	snprintf(file, sizeof(file), "%s.%s", name, formats[format]);
	path = file_join(dir, file);
	if (path != NULL && file_exists(path) &&
	    file_read_all(path, PICTURE_BYTES_MAX, &text, &len) == 0) {
		tail = len < 16 ? len : 16;
		whole = memmem(text + len - tail, tail, format_ends[format],
			       strlen(format_ends[format])) != NULL;
		if (!whole)
			(void)unlink(path);
	}
	free(text);
	free(path);
	return whole;
}

static int count_whole(const struct pictures *p, size_t i)
{
	int n = 0;

	for (size_t f = 0; f < N_ELEMENTS(formats); f++)
		n += is_whole(p->dir, p->name[i], f);
	return n;
}

/* gnuplot repeats the line, points at it, then says what is wrong: `"file" line 3: unexpected
 * token`. */
static void note_failure(struct buf *notes, const char *name, int rc, const char *out)
{
	const char *said = strstr(out, "\" line "), *line = said;

	while (line != NULL && line > out && line[-1] != '\n')
		line--;
	if (line == NULL)
		line = out + strspn(out, "\n ");
	if (rc < 0)
		buf_printf(notes, "chart %s: gnuplot: %s\n", name, strerror(-rc));
	else if (rc == 0)
		buf_printf(notes, "chart %s: gnuplot ended well, but left no whole picture\n",
			   name);
	else
		buf_printf(notes, "chart %s: gnuplot exit %d: %.*s\n", name, rc,
			   (int)strcspn(line, "\n"), line);
}

static int draw(struct pictures *p, struct buf *notes)
{
	char out[2048];
	int64_t until = clock_after_ns(GNUPLOT_NS);
	int pictures = 0, rc = run_gnuplot(p, 0, p->n, out, sizeof(out));

	if (rc == 127 || rc == -ENOENT) {
		buf_puts(notes, "charts not drawn: gnuplot not found. Install gnuplot-nox, then "
				"run gnuplot on the .gp "
				"files in the charts folder\n");
		return -ENOENT;
	}
	if (rc == -ETIMEDOUT)
		buf_printf(notes, "charts: gnuplot did not finish in %d s\n",
			   (int)(GNUPLOT_NS / CLOCK_S));
	for (size_t i = 0; i < p->n; i++) {
		int mine = count_whole(p, i), again = rc;

		if (mine == 0 && rc > 0 && p->n > 1 && clock_now_ns() < until) {
			again = run_gnuplot(p, i, 1, out, sizeof(out));
			mine = count_whole(p, i);
		}
		if (mine == 0 && again != -ETIMEDOUT)
			note_failure(notes, p->name[i], again, out);
		pictures += mine;
	}
	return pictures;
}

static int clean_environment(struct env *e)
{
	int rc = env_inherit(e, environ);

	/* the user's own settings of gnuplot are not ours */
	(void)env_drop_prefix(e, "GNUPLOT");
	(void)env_drop(e, "GNUTERM");
	return rc != 0 ? rc : env_set(e, "LC_ALL", "C.UTF-8");
}

static int draw_prepared(struct pictures *p, const struct view *v, const char *dir,
			 struct buf *notes)
{
	int rc;

	p->dir = realpath(dir, NULL);
	rc = p->dir == NULL ? (errno == ENOENT ? -ENOTDIR : -errno) : clean_environment(&p->env);
	if (rc == 0)
		rc = prepare_all(p, v);
	if (rc != 0)
		buf_printf(notes, "charts not drawn: %s: %s\n", dir, strerror(-rc));
	else if (p->n > 0)
		rc = draw(p, notes);
	return rc;
}

int chart_draw_all(const struct view *v, const char *dir, struct buf *notes)
{
	struct pictures p = { .plots = chart_plots_dir() };
	int rc;

	if (p.plots == NULL) {
		buf_puts(notes, "charts not drawn: the folder of gnuplot scripts was not found "
				"(NCCLBENCH_PLOTS names it)\n");
		return -ENOTDIR;
	}
	rc = v->n_rows > 0 ? draw_prepared(&p, v, dir, notes) : 0;
	env_fini(&p.env);
	free(p.dir);
	free(p.plots);
	return rc;
}
