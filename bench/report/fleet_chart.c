/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See fleet_chart.h. A picture is drawn in a temporary folder: its figures and a driver are
 * written, gnuplot makes an SVG, which is made fit for a page. Two gnuplots share the pictures;
 * what they leave out because one of them stopped at a fault is tried alone.
 */
#include "report/fleet_chart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "proc/child.h"
#include "report/gnuplot.h"
#include "proc/hold.h"
#include "report/chart.h"
#include "report/figure_svg.h"
#include "report/fleet_draw.h"
#include "report/script.h"
#include "spec/op.h"

#define LOOK_NS (CLOCK_S / 10) /* for a signal that is held */
#define PICTURE_BYTES_MAX (16u << 20)
enum { GNUPLOTS = 2, PICTURES_MAX = 64, NAME_MAX_BYTES = 64 };

extern char **environ;

const struct fleet_chart fleet_charts[] = {
	{ .id = "comparison",
	  .script = "fleet_rows.gp",
	  .write = fleet_comparison,
	  .title = "Bandwidth and latency by transport",
	  .help = "Longer is better on the left, shorter on the right. Hatched: the best that the "
		  "hardware could do in theory." },
	{ .id = "topology",
	  .script = "fleet_topology.gp",
	  .write = fleet_topology,
	  .title = "How the GPUs reach each other",
	  .help = "A cell per pair of GPUs, row to column: whether CUDA lets one read the other's "
		  "memory directly (P2P)." },
	{ .id = "bandwidth",
	  .script = "fleet_panels.gp",
	  .write = fleet_bandwidth,
	  .per_op = 1,
	  .title = "Bandwidth by message size",
	  .help = "Bus bandwidth; both axes are logarithmic. Bands: 95 % interval of the median. "
		  "Dotted: what the link itself can carry." },
	{ .id = "latency",
	  .script = "fleet_panels.gp",
	  .write = fleet_latency,
	  .per_op = 1,
	  .op_flags = OP_LATENCY,
	  .title = "Latency by message size",
	  .help = "Time of one operation; both axes are logarithmic. Bands: 95 % interval of the "
		  "median." },
	{ .id = "ratio",
	  .script = "fleet_panels.gp",
	  .write = fleet_ratio,
	  .per_op = 1,
	  .title = "Bandwidth against the reference machine",
	  .help = "2 is twice as fast as the reference at that size, 1 the same. Bands: the "
		  "intervals of both at their widest." },
	{ .id = "communicator",
	  .script = "fleet_rows.gp",
	  .write = fleet_communicator,
	  .title = "Time to create a communicator",
	  .help =
	      "From the start of a rank to the end of its first operation, in the order in which "
	      "it happens." },
	{ .id = "outcomes",
	  .script = "fleet_rows.gp",
	  .write = fleet_outcomes,
	  .title = "What became of each transport's points",
	  .help = "A point is one operation at one size and timing." },
	{ .id = "value",
	  .script = "fleet_rows.gp",
	  .write = fleet_value,
	  .title = "Bandwidth for money and power",
	  .help =
	      "Of the fastest proven transport that is no loopback, by the prices and watts given "
	      "for the whole machine." },
};
const size_t fleet_charts_n = N_ELEMENTS(fleet_charts);

#define LIGHT                                                                                     \
	"--chart-faint:#565656;--chart-rule:#d9d9d9;--chart-1:#0072b2;--chart-2:#d55e00;"         \
	"--chart-3:#009e73;--chart-4:#b5548a;--chart-5:#000;--chart-6:#a66f00;--chart-7:#2e8fc7;" \
	"--chart-8:#7a6a00;--chart-9:#666"
#define DARK                                                                           \
	"--chart-faint:#b4b4b4;--chart-rule:#444;--chart-1:#4aa3f0;--chart-2:#ff8a3d;" \
	"--chart-3:#2cc29b;--chart-4:#e39ac4;--chart-5:#f4f4f4;--chart-6:#e6b23c;"     \
	"--chart-7:#a6e1ff;--chart-8:#d8c94a;--chart-9:#a8a8a8"

const char fleet_chart_css[] =
    ":root{" LIGHT "}\n"
    "@media (prefers-color-scheme:dark){:root{" DARK "}}\n"
    "@media print{:root{" LIGHT "}}\n"
    "svg.chart{display:block;max-width:860px;height:auto}\n"
    /* on a phone a picture keeps a size that can be read and scrolls inside its figure */
    "figure{max-width:100%;overflow-x:auto}\n"
    "@media screen and (max-width:600px){svg.chart{width:620px}}\n"
    "@media print{figure{break-inside:avoid}}\n";

struct studio {
	char dir[256]; /* temporary */
	char *plots;
	struct env env;
	struct child gnuplot[GNUPLOTS];
};

static void picture_name(const struct fleet_picture *p, char *out, size_t max)
{
	snprintf(out, max, "%s%s%s", p->chart->id, p->op != NULL ? "_" : "",
		 p->op != NULL ? p->op : "");
}

static void picture_fini(struct fleet_picture *p)
{
	buf_fini(&p->svg);
	buf_fini(&p->driver);
	buf_fini(&p->data);
}

void fleet_pictures_fini(struct fleet_pictures *p)
{
	for (size_t i = 0; i < p->n; i++)
		picture_fini(&p->list[i]);
	free(p->list);
	*p = (struct fleet_pictures){ 0 };
}

const struct fleet_picture *fleet_pictures_find(const struct fleet_pictures *p, const char *id,
						const char *op)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->list[i].chart->id, id) == 0 &&
		    (op == NULL ? p->list[i].op == NULL
				: p->list[i].op != NULL && strcmp(p->list[i].op, op) == 0))
			return &p->list[i];
	return NULL;
}

/* Everything that the script wants to know, so that the picture can be redone from the folder. */
static void write_driver(struct fleet_picture *p, const char *plots, const struct buf *vars)
{
	char name[NAME_MAX_BYTES];

	picture_name(p, name, sizeof(name));
	buf_printf(&p->driver, "# Redo the picture, in this folder: gnuplot %s.gp\n", name);
	buf_puts(&p->driver, "# As a PNG, too: gnuplot -e \"formats = 'svg png'\" ...\n");
	script_prelude(&p->driver);
	buf_puts(&p->driver, "if (!exists('plots')) plots = ");
	script_quote(&p->driver, plots != NULL ? plots : "");
	buf_printf(&p->driver, "\nout = '%s'\ndata = '%s.dat'\n", name, name);
	buf_add(&p->driver, buf_text(vars), vars->len);
	buf_printf(&p->driver, "load plots.'/%s'\n", p->chart->script);
	p->driver.failed |= vars->failed;
}

/* Figures, driver and words of one picture: 1, 0 nothing to draw, -errno. */
static int compose(struct fleet_picture *p, const struct fleet *f, const char *plots)
{
	struct fleet_drawing *d = calloc(1, sizeof(*d));
	int rc;

	if (d == NULL)
		return -ENOMEM;
	d->f = f;
	d->op = p->op;
	rc = p->chart->write(d);
	if (rc > 0) {
		write_driver(p, plots, &d->vars);
		buf_fini(&p->data);
		p->data = d->data;
		d->data = (struct buf){ 0 };
		snprintf(p->alt, sizeof(p->alt), "%s", d->alt);
		snprintf(p->timing, sizeof(p->timing), "%s", d->timing);
		rc = p->driver.failed || p->data.failed ? -ENOMEM : 1;
	}
	buf_fini(&d->data);
	buf_fini(&d->vars);
	free(d);
	return rc;
}

static int compose_all(struct fleet_pictures *out, const struct fleet *f, const char *plots)
{
	int rc = 0;

	out->list = calloc(PICTURES_MAX, sizeof(*out->list));
	if (out->list == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < fleet_charts_n; i++)
		for (int op = 0; op < (fleet_charts[i].per_op ? OP_COUNT : 1); op++) {
			struct fleet_picture *p = &out->list[out->n];
			unsigned flags = fleet_charts[i].op_flags;

			if (out->n == PICTURES_MAX || (op_table[op].flags & flags) != flags)
				continue;
			*p = (struct fleet_picture){ .chart = &fleet_charts[i] };
			p->op = fleet_charts[i].per_op ? op_table[op].name : NULL;
			rc = compose(p, f, plots);
			if (rc <= 0)
				picture_fini(p);
			if (rc < 0)
				return rc;
			out->n += rc > 0;
		}
	return 0;
}

static char *studio_path(const struct studio *s, const char *name, const char *ending)
{
	char file[NAME_MAX_BYTES + 8];

	snprintf(file, sizeof(file), "%s.%s", name, ending);
	return file_join(s->dir, file);
}

static int write_file(const struct studio *s, const char *name, const char *ending,
		      const struct buf *text)
{
	char *path = studio_path(s, name, ending);
	int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	int rc = path == NULL ? -ENOMEM : fd < 0 ? -errno : 0;

	if (rc == 0)
		rc = file_write_all(fd, buf_text(text), text->len);
	if (fd >= 0 && close(fd) != 0 && rc == 0)
		rc = -errno;
	free(path);
	return rc;
}

static void remove_file(const struct studio *s, const char *name, const char *ending)
{
	char *path = studio_path(s, name, ending);

	if (path != NULL)
		(void)unlink(path); /* may never have been made */
	free(path);
}

static int studio_open(struct studio *s)
{
	const char *tmp = getenv("TMPDIR");

	for (int i = 0; i < GNUPLOTS; i++)
		child_init(&s->gnuplot[i]);
	s->plots = chart_plots_dir();
	if (s->plots == NULL)
		return -ENOENT;
	tmp = tmp != NULL && tmp[0] == '/' && strlen(tmp) < 200 ? tmp : "/tmp";
	snprintf(s->dir, sizeof(s->dir), "%s/ncclbench-XXXXXX", tmp);
	if (mkdtemp(s->dir) == NULL) {
		s->dir[0] = '\0';
		return -errno;
	}
	return gnuplot_env(&s->env);
}

static void studio_close(struct studio *s, const struct fleet_pictures *p)
{
	static const char *const endings[] = { "dat", "gp", "svg" };
	char name[NAME_MAX_BYTES];

	for (int i = 0; i < GNUPLOTS; i++) {
		child_fini(&s->gnuplot[i]);
		snprintf(name, sizeof(name), "said-%d", i);
		if (s->dir[0] != '\0')
			remove_file(s, name, "log");
	}
	for (size_t i = 0; s->dir[0] != '\0' && i < p->n; i++)
		for (size_t e = 0; e < N_ELEMENTS(endings); e++) {
			picture_name(&p->list[i], name, sizeof(name));
			remove_file(s, name, endings[e]);
		}
	if (s->dir[0] != '\0')
		(void)rmdir(s->dir);
	env_fini(&s->env);
	free(s->plots);
}

/* Starts one gnuplot on every `step`th picture from `first` on. The shell changes the folder; no
 * name of a run is in its script. */
static int start(struct studio *s, int slot, const struct fleet_pictures *p, size_t first,
		 size_t step)
{
	char file[PICTURES_MAX][NAME_MAX_BYTES + 4], *argv[PICTURES_MAX + GNUPLOT_WORDS + 1],
	    said[16];
	char *log;
	size_t k = GNUPLOT_WORDS;
	int fd, rc;

	snprintf(said, sizeof(said), "said-%d", slot);
	log = studio_path(s, said, "log");
	fd = log != NULL ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	free(log);
	if (fd < 0)
		return -errno;
	gnuplot_words(argv, s->dir);
	for (size_t i = first; i < p->n; i += step) {
		picture_name(&p->list[i], file[i], NAME_MAX_BYTES);
		strcat(file[i], ".gp");
		argv[k++] = file[i];
	}
	argv[k] = NULL;
	struct child_fd fds[] = { { fd, 1 }, { fd, 2 } };
	struct child_spec spec = { .path = GNUPLOT_SHELL, .argv = argv, .envp = s->env.vec };

	spec.fds = fds;
	spec.n_fds = N_ELEMENTS(fds);
	child_fini(&s->gnuplot[slot]);
	child_init(&s->gnuplot[slot]);
	rc = child_spawn(&s->gnuplot[slot], &spec);
	(void)close(fd); /* ours only to pass on */
	return rc;
}

/* Exit status of the gnuplot in that slot (127: there is none), 128 + signal, -ETIMEDOUT, -EINTR.
 */
static int finish(struct studio *s, int slot, int64_t until)
{
	struct child *c = &s->gnuplot[slot];
	int status;

	while (!child_wait(c, until < clock_after_ns(LOOK_NS) ? until : clock_after_ns(LOOK_NS))) {
		if (clock_now_ns() < until && !hold_interrupted())
			continue;
		child_stop(c, CLOCK_S / 5);
		return hold_interrupted() ? -EINTR : -ETIMEDOUT;
	}
	status = c->wait_status;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int fetch(const struct studio *s, struct fleet_picture *p)
{
	char name[NAME_MAX_BYTES], *path, *text = NULL;
	size_t len = 0;
	int rc;

	picture_name(p, name, sizeof(name));
	path = studio_path(s, name, "svg");
	rc = path != NULL ? file_read_all(path, PICTURE_BYTES_MAX, &text, &len) : -ENOMEM;
	if (rc == 0)
		rc = figure_svg(text, len, name, p->alt, &p->svg);
	if (rc != 0)
		buf_fini(&p->svg);
	free(text);
	free(path);
	return rc;
}

/* The line of gnuplot's that says what is wrong: `"file" line 3: unexpected token`. */
static void note_failure(const struct studio *s, const struct fleet_picture *p, int slot, int rc,
			 struct buf *notes)
{
	char name[NAME_MAX_BYTES], *path, *text = NULL;
	const char *said, *line;
	size_t len;

	snprintf(name, sizeof(name), "said-%d", slot);
	path = studio_path(s, name, "log");
	picture_name(p, name, sizeof(name));
	buf_printf(notes, "picture %s: ", name);
	if (rc < 0 || path == NULL || file_read_all(path, 1 << 20, &text, &len) != 0) {
		buf_printf(notes, "gnuplot: %s\n", rc < 0 ? strerror(-rc) : "said nothing");
	} else {
		said = strstr(text, "\" line ");
		line = said != NULL ? said : text + strspn(text, "\n ");
		while (said != NULL && line > text && line[-1] != '\n')
			line--;
		buf_printf(notes, "gnuplot exit %d: %.*s\n", rc, (int)strcspn(line, "\n"), line);
	}
	free(text);
	free(path);
}

static void note(struct buf *notes, const struct fleet_picture *p, const char *what)
{
	char name[NAME_MAX_BYTES];

	picture_name(p, name, sizeof(name));
	buf_printf(notes, "picture %s: %s\n", name, what);
}

/* A picture that is not there: alone, so that the fault of one costs only that one. */
static int again(struct studio *s, struct fleet_pictures *p, size_t i, int64_t until,
		 struct buf *notes)
{
	int rc = start(s, 0, p, i, PICTURES_MAX);

	if (rc == 0)
		rc = finish(s, 0, until);
	if (rc != 0 && rc != -ENOMEM) {
		note_failure(s, &p->list[i], 0, rc, notes);
	} else if (rc == 0) {
		rc = fetch(s, &p->list[i]);
		if (rc != 0 && rc != -ENOMEM)
			note(notes, &p->list[i], "gnuplot ended well, but left no whole picture");
	}
	return rc == -ENOMEM ? rc : 0;
}

static int draw(struct studio *s, struct fleet_pictures *p, struct buf *notes)
{
	int64_t until = clock_after_ns(GNUPLOT_NS);
	int rc = 0, status[GNUPLOTS] = { 0 };
	size_t gnuplots = p->n < GNUPLOTS ? p->n : GNUPLOTS;

	for (size_t i = 0; i < gnuplots && rc == 0; i++)
		rc = start(s, (int)i, p, i, gnuplots);
	for (size_t i = 0; i < gnuplots && rc == 0; i++)
		status[i] = finish(s, (int)i, until);
	if (rc == 0 && status[0] == 127)
		rc = -ENOENT;
	if (hold_interrupted())
		rc = -EINTR;
	for (size_t i = 0; i < p->n && rc == 0; i++) {
		int got = fetch(s, &p->list[i]);

		if (got == -ENOMEM)
			rc = got;
		else if (got != 0 && clock_now_ns() < until)
			rc = again(s, p, i, until, notes);
		else if (got != 0)
			note(notes, &p->list[i], "gnuplot did not finish in 60 s");
	}
	return rc;
}

static int write_all(const struct studio *s, const struct fleet_pictures *p)
{
	char name[NAME_MAX_BYTES];
	int rc = 0;

	for (size_t i = 0; i < p->n && rc == 0; i++) {
		picture_name(&p->list[i], name, sizeof(name));
		rc = write_file(s, name, "dat", &p->list[i].data);
		if (rc == 0)
			rc = write_file(s, name, "gp", &p->list[i].driver);
	}
	return rc;
}

static int draw_composed(struct studio *s, struct fleet_pictures *p, struct buf *notes)
{
	int rc = write_all(s, p);

	if (rc == 0 && p->n > 0)
		rc = draw(s, p, notes);
	if (rc == -ENOENT)
		buf_puts(notes, "pictures not drawn: gnuplot not found. Install gnuplot-nox and "
				"make the report again\n");
	else if (rc != 0)
		buf_printf(notes, "pictures not drawn: %s: %s\n", s->dir, strerror(-rc));
	return rc;
}

int fleet_pictures_draw(const struct fleet *f, struct fleet_pictures *out, struct buf *notes)
{
	struct studio s = { 0 };
	int rc = studio_open(&s), composed;

	*out = (struct fleet_pictures){ 0 };
	composed = compose_all(out, f, s.plots);
	if (composed != 0)
		rc = composed;
	else if (rc == -ENOENT && s.plots == NULL)
		buf_puts(notes, "pictures not drawn: the folder of gnuplot scripts was not found "
				"(NCCLBENCH_PLOTS names it)\n");
	else if (rc != 0)
		buf_printf(notes,
			   "pictures not drawn: no temporary folder: %s (TMPDIR names its "
			   "place)\n",
			   strerror(-rc));
	else
		rc = draw_composed(&s, out, notes);
	studio_close(&s, out);
	return rc;
}

int fleet_chart_svg(const struct fleet *f, const struct fleet_chart *c, const char *op,
		    struct buf *svg, char *alt, size_t alt_max)
{
	struct fleet_picture one = { .chart = c, .op = op };
	struct fleet_pictures p = { .list = &one, .n = 1 };
	struct buf notes = { 0 };
	struct studio s = { 0 };
	int rc = studio_open(&s);

	if (rc == 0)
		rc = compose(&one, f, s.plots);
	if (rc > 0)
		rc = draw_composed(&s, &p, &notes);
	if (rc == 0 && one.driver.len > 0)
		rc = one.svg.len > 0 ? 1 : -EIO;
	if (rc > 0) {
		buf_add(svg, buf_text(&one.svg), one.svg.len);
		snprintf(alt, alt_max, "%s", one.alt);
	}
	studio_close(&s, &p);
	picture_fini(&one);
	buf_fini(&notes);
	return rc;
}
