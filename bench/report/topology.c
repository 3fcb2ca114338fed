/* SPDX-License-Identifier: Apache-2.0 */
/* See topology.h. One coloured cell per ordered pair; the colour is the kind of path, the word
 * tells it, too. */
#include "report/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "doctor/doctor.h"
#include "proc/child.h"
#include "report/gnuplot.h"
#include "report/chart.h"
#include "report/script.h"

enum { CELL_PX = 64, FRAME_PX = 230 };

static const char *p2p_word(const struct doctor_pair *p)
{
	static const char *const words[] = {
		[P2P_UNTRIED] = "",       [P2P_REFUSED] = "no P2P",       [P2P_OK] = "P2P",
		[P2P_HANG] = "P2P hangs", [P2P_CORRUPT] = "P2P corrupts", [P2P_ERROR] = "P2P fails",
	};

	return p->fact == P2P_UNTRIED && p->cuda == ANSWER_NO ? words[P2P_REFUSED] : words[p->fact];
}

static void add_cells(const struct doctor *d, struct buf *b)
{
	size_t n = (size_t)d->n_gpus;

	script_array(b, "name", n);
	for (size_t i = 0; i < n; i++) {
		char text[160];

		snprintf(text, sizeof(text), "GPU %zu", i);
		script_item_text(b, "name", i, text);
	}
	script_array(b, "word", n * n);
	script_array(b, "p2p", n * n);
	script_array(b, "kind", n * n);
	for (size_t i = 0; i < n * n; i++) {
		const struct doctor_pair *p = &d->pair[i / n][i % n];
		char text[16];

		doctor_path(d, (int)(i / n), (int)(i % n), text, sizeof(text));
		script_item_text(b, "word", i, i / n == i % n ? "" : text);
		script_item_text(b, "p2p", i, i / n == i % n ? "" : p2p_word(p));
		script_item_number(b, "kind", i, p->links > 0 ? PATH_NVL : (double)p->path);
	}
}

static void write_driver(const struct doctor *d, const char *plots, struct buf *b)
{
	char text[400];

	buf_puts(b, "# SPDX-License-Identifier: Apache-2.0\n");
	script_prelude(b);
	if (plots)
		buf_puts(b, "if (!exists('plots')) ");
	script_text(b, "plots", plots ? plots : "");
	script_text(b, "out", "topology");
	snprintf(text, sizeof(text), "How the GPUs of %.100s reach each other", d->host.name);
	script_text(b, "title", text);
	snprintf(text, sizeof(text), "%d x %.90s; driver %.60s", d->n_gpus,
		 d->gpu[0].name[0] ? d->gpu[0].name : "GPU", d->host.driver);
	script_text(b, "sub1", text);
	script_text(b, "sub2",
		    "NVn: n NVLinks. PIX: one PCIe switch. PXB: several. PHB: through the CPU. "
		    "NODE, SYS: between host bridges, sockets.");
	script_text(b, "caption",
		    "row: from, column: to. P2P: what copies with a data check showed");
	script_number(b, "n", d->n_gpus);
	script_number(b, "height", FRAME_PX + CELL_PX * d->n_gpus);
	add_cells(d, b);
	buf_puts(b, "load plots.'/topology.gp'\n");
}

static int run_gnuplot(char *dir, char *out, size_t max)
{
	static char driver[] = "topology.gp";
	char *argv[GNUPLOT_WORDS + 2] = { [GNUPLOT_WORDS] = driver };
	struct env env = { 0 };
	int rc = gnuplot_env(&env);

	gnuplot_words(argv, dir);
	if (rc == 0)
		rc = child_run(GNUPLOT_SHELL, argv, env.vec, GNUPLOT_NS, out, max);
	env_fini(&env);
	return rc;
}

static int draw(const struct doctor *d, char *dir, const char *plots, char *why, size_t why_max)
{
	struct buf b = { 0 };
	char out[1024] = "";
	int rc;

	write_driver(d, plots, &b);
	chart_remove_old(dir, "topology", true);
	rc = b.failed ? -ENOMEM : file_put(dir, "topology.gp", buf_text(&b), b.len);
	if (rc == 0)
		rc = run_gnuplot(dir, out, sizeof(out));
	if (rc > 0 && rc != 127)
		snprintf(why, why_max, "gnuplot exit %d: %.200s", rc, out);
	buf_fini(&b);
	return rc == 0 ? 1 : rc == 127 ? -ENOENT : rc > 0 ? -EIO : rc;
}

int topology_draw(const struct doctor *d, const char *dir, char *why, size_t why_max)
{
	char *plots, *real = NULL;
	int rc;

	why[0] = '\0';
	if (d->n_gpus < 2)
		return 0;
	plots = chart_plots_dir();
	rc = plots ? file_make_dirs(dir) : -ENOENT;
	if (rc == 0) {
		real = realpath(dir, NULL);
		rc = real ? draw(d, real, plots, why, why_max) : -errno;
	}
	free(real);
	free(plots);
	return rc;
}
