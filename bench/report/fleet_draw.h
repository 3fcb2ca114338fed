/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writers of the report's pictures share: places of texts and keys in pixels, names of
 * machines that fit, axis ends and ticks. Reads no run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "report/fleet_chart.h"

struct view;

enum {
	DRAW_WIDTH = 760, /* pixels of every picture */
	DRAW_LINE = 15,   /* from one line of text to the next */
	DRAW_TEXTS = 1024,
	DRAW_KEYS = 24,
	DRAW_TICKS = 64,
};

enum draw_align { DRAW_LEFT, DRAW_CENTER, DRAW_RIGHT };
enum draw_tone { DRAW_PLAIN = 1, DRAW_FAINT, DRAW_HEAD, DRAW_TITLE };
enum draw_key { DRAW_KEY_LINE = 1, DRAW_KEY_BOX };

struct draw_texts { /* where on the picture: from the top left corner; y is a line's middle */
	struct {
		double x, y;
		enum draw_align align;
		enum draw_tone tone;
		char text[160];
	} list[DRAW_TEXTS];
	size_t n;
};

struct draw_keys {
	struct {
		enum draw_key kind;
		int colour, fill; /* of plots/fleet_common.gp; gnuplot's pattern */
		char text[128];
	} list[DRAW_KEYS];
	size_t n;
};

struct draw_ticks {
	double at[DRAW_TICKS];
	char text[DRAW_TICKS][24];
	size_t n;
};

void draw_text(struct draw_texts *t, double x, double y, enum draw_align align, enum draw_tone tone,
	       const char *text);
/* Pixels that a text takes in the font of that tone, rather too many than too few. */
double draw_text_width(const char *text, enum draw_tone tone);
/* What fits that many pixels: whole, else without its middle: "node-a…17.example". Cleaned. */
void draw_fit(const char *text, double pixels, enum draw_tone tone, char *out, size_t max);
/* The same for sentences: their end goes. */
void draw_cut(const char *text, double pixels, enum draw_tone tone, char *out, size_t max);
/* "2: node-a…17": number and name of a machine; only the name when there is just one. */
void draw_machine(const struct fleet *f, size_t machine, double pixels, char *out, size_t max);

void draw_key(struct draw_keys *k, enum draw_key kind, int colour, int fill, const char *text);
/* Lays the key out from y down, writes its variables and texts; returns the y below it. */
double draw_keys(const struct draw_keys *k, double y, struct draw_texts *t, struct buf *vars);
/* Texts, title (first line at the top) and size of the picture. */
void draw_page(const struct draw_texts *t, double height, struct buf *vars);

/* 0, step, 2 step ... up to `max`, a round step, about `wanted` of them. */
void draw_linear_ticks(struct draw_ticks *t, double max, size_t wanted);
/* The next 1, 2 or 5 times a power of ten. */
double draw_nice(double v, bool up);
void draw_ticks_write(const struct draw_ticks *t, const char *name, struct buf *vars);

/* Places of n texts on a line from 0 to `length`, at least `gap` apart and as near as may be to
 * where they want to be; ascending `place` in, moved out. */
void draw_spread(double *place, size_t n, double gap, double length);

/* "p2p", "socket (loopback TCP)"; with several backends in the fleet "ucx: shm". */
void draw_transport(const struct fleet *f, const struct view *v, const char *transport, char *out,
		    size_t max);
/* Adds to the picture's words, up to their bound. */
void draw_say(struct fleet_drawing *d, const char *fmt, ...) ATTR_PRINTF(2, 3);

int fleet_bandwidth(struct fleet_drawing *d);
int fleet_latency(struct fleet_drawing *d);
int fleet_ratio(struct fleet_drawing *d);
int fleet_comparison(struct fleet_drawing *d);
int fleet_communicator(struct fleet_drawing *d);
int fleet_outcomes(struct fleet_drawing *d);
int fleet_value(struct fleet_drawing *d);
int fleet_topology(struct fleet_drawing *d);
