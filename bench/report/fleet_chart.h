/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of the report's pictures, of one machine or of several side by side. Each row writes
 * figures and variables for a gnuplot script in plots/; what gnuplot draws is made fit to stand
 * inside a page (figure_svg.h). Judges nothing and writes no page.
 *
 * A page needs fleet_chart_css once in its <style>: without it a picture is black, grey and
 * coloured on white, whatever the page's colours are.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "base/buf.h"

struct fleet;

#define FLEET_CHART_ALT 512

/* What a script is given: the lines of its data file and its variables (plots/README.md). */
struct fleet_drawing {
	const struct fleet *f;
	const char *op; /* NULL for charts of the whole run */
	struct buf data, vars;
	char alt[FLEET_CHART_ALT]; /* the picture in a sentence or two, plain text, cleaned */
	char timing[32];           /* of curves; "" where there is not one for all */
};

struct fleet_chart {
	const char *id;     /* "bandwidth"; a picture's name is id, "_" and op for per-op charts */
	const char *script; /* in plots/ */
	const char *title;  /* heading above the picture(s) */
	const char *help;   /* one line: what it shows and how to read it */
	int per_op;         /* one picture per operation of the runs */
	unsigned op_flags;  /* only operations that have all of these */
	/* Number of drawable series, 0 = nothing to draw; -errno. */
	int (*write)(struct fleet_drawing *d);
};

extern const struct fleet_chart fleet_charts[];
extern const size_t fleet_charts_n;

/* Colours of the pictures, light and dark (prefers-color-scheme) and for print, and that a wide
 * picture scrolls inside its <figure> on a narrow screen instead of shrinking to nothing. Each is a
 * custom property, --chart-...: a page may set them otherwise. */
extern const char fleet_chart_css[];

/*
 * One picture. 1: `svg` holds it, ready to stand in HTML: no prolog, ids that no other picture has,
 * no script, nothing from outside, no background, viewBox and width 100 %, named by `alt`
 * (role="img", aria-label). 0: nothing to draw. -ENOENT: no gnuplot or no scripts; other negative
 * errno.
 */
int fleet_chart_svg(const struct fleet *f, const struct fleet_chart *c, const char *op,
		    struct buf *svg, char *alt, size_t alt_max) ATTR_MUST;

struct fleet_picture {
	const struct fleet_chart *chart;
	const char *op; /* of op_table; NULL for charts of the whole run */
	struct buf svg; /* empty when this one could not be drawn */
	char alt[FLEET_CHART_ALT];
	char timing[32]; /* as in fleet_drawing */
	/* What it was drawn from, for who wants to keep or redo it. */
	struct buf driver, data;
};

struct fleet_pictures {
	struct fleet_picture *list; /* in the order of fleet_charts, operations in op_table's */
	size_t n;
};

/*
 * Every picture there is something to draw of, by two gnuplots side by side: what a report wants.
 * 0; -ENOENT without gnuplot (then `notes` says what to install and the list has no svg); other
 * negative errno. A picture that failed costs only itself and a line in `notes`. Ends within a
 * minute or so, whatever gnuplot does.
 */
int fleet_pictures_draw(const struct fleet *f, struct fleet_pictures *out,
			struct buf *notes) ATTR_MUST;
/* The picture of that chart and operation (NULL: of the whole run), NULL when there is none. */
const struct fleet_picture *fleet_pictures_find(const struct fleet_pictures *p, const char *id,
						const char *op);
void fleet_pictures_fini(struct fleet_pictures *p);
