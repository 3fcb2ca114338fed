/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations beside computation, from rows whose column load is set: how much each slows the other,
 * by size and number of channels (docs/overlap.md). Figures and text; pictures are curve.c's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "spec/load.h"

struct buf;
struct json_t;
struct record;
struct view;

#define OVERLAP_CHANNELS " channels" /* end of the label of an arm of --channels */

struct overlap_row {                         /* one point of one arm */
	const struct record *at[LOAD_COUNT]; /* measured; NULL: not. LOAD_NONE is never NULL */
	/* Rows that differ in size, load and arm at most have the same: they make a table. */
	size_t table;
};

/* TABLE of the figures of a row beside one load. */
struct overlap_figure {
	const char *id;   /* in JSON */
	const char *head; /* "": the load's name */
	const char *help;
	double (*value)(const struct overlap_row *r, int load); /* NaN when not measured */
	void (*text)(double value, char *out, size_t max);
};
extern const struct overlap_figure overlap_figures[];
extern const size_t overlap_figures_n;

/* Table by table, ascending in size. *out is heap, NULL when the run has neither loads nor arms of
 * --channels. */
int overlap_rows(const struct view *v, struct overlap_row **out, size_t *n) ATTR_MUST;
/* How many times as long the operation took beside that load as alone; NaN when not measured. */
double overlap_slowed(const struct overlap_row *r, int load);
/* The same of the load meanwhile. */
double overlap_load_slowed(const struct overlap_row *r, int load);
/* Of two slow-downs, of the operation and of the load: the share of the time that could be hidden
 * which was. 1 all of it, 0 as if in turns, below 0 worse than that. NaN when either is unknown. */
double overlap_hidden_of(double slowed, double load_slowed);
double overlap_hidden(const struct overlap_row *r, int load);
/* "p2p, all_reduce, stream", and the key columns in which the run's tables differ. */
void overlap_title(const struct view *v, const struct overlap_row *rows, size_t n,
		   const struct overlap_row *r, struct buf *out);
/* "4", "NCCL's 24", "NCCL's own". */
void overlap_channels(const struct overlap_row *r, char *out, size_t max);
/* The number that an arm of --channels asked for; 0 for NCCL's own choice and other arms. */
int overlap_asked(const struct record *r);
/* A figure as a cell; "-" for NaN. */
void overlap_cell(const struct overlap_figure *f, const struct overlap_row *r, int load, char *out,
		  size_t max);
/* Tables; nothing without loads or arms of --channels. -ENOMEM. */
int overlap_text(const struct view *v, struct buf *out) ATTR_MUST;
/* The same under a heading. */
int overlap_markdown(const struct view *v, struct buf *out) ATTR_MUST;
bool overlap_any(const struct view *v);
/* The same as a list of tables; empty for a run without. NULL: out of memory. */
struct json_t *overlap_json(const struct view *v);
