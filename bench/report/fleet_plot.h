/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture over message size while it is made: its panels, curves and points. fleet_gather.c fills
 * it from runs, fleet_curves.c lays it out and writes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "report/fleet_draw.h"

struct record;
struct view;

enum { PLOT_PANELS_MAX = 16, PLOT_CURVES_MAX = 256 };

struct place {
	double x, y, lo, hi;
};

struct curve {
	size_t panel, machine, n;
	int style;
	bool unproven;
	const char *timing;
	struct place *p;
};

struct panel {
	const char *backend, *transport;
	const char *timing; /* that all its curves have; NULL: each its own */
	char title[200];
	size_t first, n; /* its curves */
	double left, right, top, bottom;
};

struct plot;

/* TABLE row: what differs between the kinds of pictures. */
struct kind {
	const char *what; /* after the operation */
	void (*place)(const struct record *r, struct place *p);
	void (*name)(double y, char *out, size_t max);
	void (*ticks)(const struct plot *s, struct draw_ticks *t);
	const char *end_unit;
	bool peaks, against;
};

struct plot {
	struct fleet_drawing *d;
	const struct fleet *f;
	const struct kind *kind;
	const char *op;
	struct panel panel[PLOT_PANELS_MAX];
	size_t n_panels;
	struct curve curve[PLOT_CURVES_MAX];
	size_t n;
	struct {
		size_t panel;
		double y;
	} line[PLOT_CURVES_MAX];
	size_t n_lines;
	double xmin, xmax, ymin, ymax, largest; /* largest: size; the axis may end beyond it */
	int ranks_least, ranks_most;
	struct draw_texts texts;
	struct draw_keys keys;
};

const struct view *plot_view(const struct plot *s, size_t machine);
/* Name of the curve's transport, as in the CSV. */
const char *plot_transport(const struct plot *s, const struct curve *c);
/* Curves of plot->op by plot->kind: one machine's transports in one panel, else a panel per
 * transport. 0, -ENOMEM; the curves have something to free either way. */
int plot_gather(struct plot *s) ATTR_MUST;
/* Every curve against the reference's in its panel; panels and curves without a pair go. */
void plot_compare(struct plot *s);
void plot_fini(struct plot *s); /* the points of its curves */
