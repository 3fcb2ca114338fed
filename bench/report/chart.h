/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of charts. Each writes a data file and a small driver script into the charts folder and
 * runs gnuplot on the script in plots/: the picture can be redone by hand (plots/README.md). Only
 * single-quoted strings reach gnuplot.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct buf;
struct view;

struct chart {
	const char *id;     /* file name without ending: "bandwidth_all_reduce" is id + "_" + op for
			       per-op charts */
	const char *script; /* in plots/ */
	const char *help;
	/* Writes the data file's text and the variables of the script; returns the number of
	 * drawable series, 0 = nothing to draw (skipped). `op` is NULL for charts of the whole run.
	 * -ENOMEM. */
	int (*write)(const struct view *v, const char *op, struct buf *data, struct buf *vars);
	int per_op;        /* one picture per operation of the run */
	unsigned op_flags; /* only operations that have all of these */
};

extern const struct chart chart_table[];
extern const size_t chart_count;

/* Folder of the scripts: $NCCLBENCH_PLOTS, else the installed place, else the source tree's; heap
 * string or NULL. */
char *chart_plots_dir(void) ATTR_MUST;
/* Before gnuplot writes a picture: it would follow a link in its place, out of the folder. */
void chart_remove_old(const char *dir, const char *name, bool links_only);
/* Draws every chart as SVG and PNG into `dir`. Returns the number of pictures; -ENOENT without
 * gnuplot (a note says what to install), other negative errno. One line per chart that failed goes
 * to `notes`. Never takes much above 10 s. */
int chart_draw_all(const struct view *v, const char *dir, struct buf *notes) ATTR_MUST;
