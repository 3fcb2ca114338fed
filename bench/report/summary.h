/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the comparison, computed once for the table and the bar chart. Neither text layout
 * nor drawing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "report/view.h"

#define SUMMARY_OPS 2

struct summary_figure { /* one column of figures; op NULL: the run has none */
	const char *op;
	uint64_t bytes;
	const char *timing;
};

struct summary_value {
	double value;       /* GB/s or us; NaN when not measured at that size */
	double lo, hi;      /* its 95 % interval; NaN unknown */
	const char *timing; /* differs from the column's when the transport has no such timing */
	uint64_t bytes;     /* differs from the column's for loopback that has no such size */
	bool unproven;
};

struct summary_row {
	const char *transport;        /* as in the CSV */
	const char *label;            /* as people read it */
	char used[96];                /* "P2P/CUMEM (yes)"; "" when nothing was measured */
	char why[RECORD_DETAIL + 64]; /* not empty: no figures, this instead */
	struct summary_value bandwidth[SUMMARY_OPS], latency[SUMMARY_OPS];
	double peak_pct,
	    ratio; /* of bandwidth[0]: per cent of the link's peak, against auto; NaN unknown */
	bool loopback;
	bool unproven, best; /* best: highest proven bandwidth[0] of those that are not loopback */
};

struct summary {
	struct summary_figure bandwidth[SUMMARY_OPS], latency[SUMMARY_OPS];
	const char *backend; /* "" in an empty run */
	int ranks;
	size_t n;
	struct summary_row row[VIEW_TRANSPORTS_MAX];
};

void summary_build(struct summary *s, const struct view *v);
/* The same at figures that somebody else chose: those of *figures, whose rows are not read. */
void summary_build_at(struct summary *s, const struct view *v, const struct summary *figures);
/* Operations whose figures are shown, in order. */
extern const int summary_bandwidth_ops[SUMMARY_OPS], summary_latency_ops[SUMMARY_OPS];
/* " at 128 MiB" where the value is of another size than its column; else "". */
const char *summary_other_size(const struct summary_figure *f, const struct summary_value *v,
			       char *out, size_t max);
bool summary_comparable(const struct summary_value *a, const struct summary_value *b);
