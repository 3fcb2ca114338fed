/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an operation's figure grows with the number of ranks (sweep --ranks): a table per operation,
 * of bus bandwidth at the largest size, of time at the smallest. Figures and text; the picture is
 * curve.c's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "report/view.h"

struct buf;
struct json_t;

#define SCALING_COUNTS_MAX 32

struct scaling_row {
	const char *transport, *timing;
	const struct record *at[SCALING_COUNTS_MAX]; /* by number of ranks; NULL: not measured */
};

struct scaling {
	const char *op;
	bool latency;   /* figures are times, else bus bandwidth */
	uint64_t bytes; /* with most ranks; operations that share their size among the ranks round
			   it, so it may be less than 1 % off with fewer */
	int counts[SCALING_COUNTS_MAX], n_counts; /* ascending */
	size_t n;
	struct scaling_row row[VIEW_TRANSPORTS_MAX];
};

/* true when the run measured the operation with more than one number of ranks. Operations of a pair
 * do not grow: false. */
bool scaling_build(const struct view *v, int op, bool latency, struct scaling *out);
/* GB/s or us; NaN when not measured. */
double scaling_value(const struct scaling *s, size_t row, int count);
/* Bandwidth: share of the bus bandwidth with fewest ranks. Time: multiple of that with fewest. NaN
 * when either is not measured or not proven. */
double scaling_ratio(const struct scaling *s, size_t row, int count);
/* All tables; nothing for a run of one number of ranks. -ENOMEM. */
int scaling_text(const struct view *v, struct buf *out) ATTR_MUST;
/* The same under a heading. */
int scaling_markdown(const struct view *v, struct buf *out) ATTR_MUST;
bool scaling_any(const struct view *v);
/* The same as a list of {op, quantity, bytes, rows: [{transport, timing, by_ranks: [...]}]}; empty
 * for a run of one number of ranks. */
struct json_t *scaling_json(const struct view *v);
