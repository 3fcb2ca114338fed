/* SPDX-License-Identifier: Apache-2.0 */
/* report RUN: the table and the charts of a run directory again, on a machine that has gnuplot; GPU nodes often do not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "report/chart.h"
#include "report/run_view.h"
#include "report/table.h"
#include "tool/cmd.h"
#include "tool/words.h"

struct choice {
	const char *run, *out;
	bool markdown, charts;
};

static const char *const options[] = { "--help", "--out", "--markdown", "--no-charts" };

static void help(void)
{
	printf("usage: ncclbench report RUN [--out DIR] [--markdown] [--no-charts]\n\n"
	       "Prints the comparison table of a run directory and draws its charts again.\n\n"
	       "  --out DIR     draw into DIR (default RUN/charts)\n"
	       "  --markdown    the table as Markdown\n"
	       "  --no-charts   the table only\n\n"
	       "Example: ncclbench report results/runs/20261130T183213Z-node7\n");
}

static int parse(int argc, char **argv, struct choice *c)
{
	*c = (struct choice){ .charts = true };
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--markdown") == 0)
			c->markdown = true;
		else if (strcmp(argv[i], "--no-charts") == 0)
			c->charts = false;
		else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
			c->out = argv[++i];
		else if (strcmp(argv[i], "--out") == 0)
			return words_refuse("report", "--out", "", "needs a folder");
		else if (argv[i][0] == '-' && argv[i][1])
			return words_unknown("report", argv[i], options, sizeof(*options), N_ELEMENTS(options));
		else if (c->run)
			return words_refuse("report", "a second run", argv[i], "comparing runs is not built yet: name one");
		else
			c->run = argv[i];
	}
	return c->run ? 0 : words_refuse("report", "the run", "", "is missing: name a run directory");
}

static int draw(const struct choice *c, const struct view *v)
{
	char *dir = c->out ? strdup(c->out) : file_join(c->run, "charts");
	struct buf notes = { 0 };
	int r = dir ? file_make_dirs(dir) : -ENOMEM;
	int n = r < 0 ? r : chart_draw_all(v, dir, &notes);

	log_lines(buf_text(&notes));
	if (n > 0)
		log_note("%d charts in %s", n, dir);
	else if (n < 0 && n != -ENOENT && !notes.len)
		log_error("report: cannot draw into %s: %s", dir ? dir : "", strerror(-n));
	buf_fini(&notes);
	free(dir);
	return n < 0 && n != -ENOENT ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static int report(int argc, char **argv)
{
	struct run_view *r = NULL;
	struct choice c;
	struct buf table = { 0 };
	char why[600];
	int code;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return help(), NB_EXIT_OK;
	code = parse(argc, argv, &c);
	if (code != 0)
		return code;
	r = malloc(sizeof(*r));
	if (!r || run_view_load(r, c.run, why, sizeof(why)) < 0) {
		log_error("report: %s", r ? why : "out of memory");
		free(r);
		return NB_EXIT_USAGE;
	}
	if (c.markdown)
		table_markdown(&table, &r->view);
	else
		table_text(&table, &r->view, 0, false);
	code = output_put(&table) < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
	if (code == NB_EXIT_OK && c.charts)
		code = draw(&c, &r->view);
	buf_fini(&table);
	run_view_fini(r);
	free(r);
	return code;
}

const struct cmd cmd_report = { "report", "table and charts of a run directory again", report, false };
