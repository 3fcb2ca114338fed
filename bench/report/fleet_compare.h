/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of several machines at sizes that they share, computed once for tables, sentences and
 * terminal. Lays out nothing. What may be ranked: figures of one backend and one timing, proven to
 * be of the transport asked for, and never those of a network over loopback.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "report/summary.h"

struct fleet;

#define FLEET_NONE ((size_t)-1)

struct fleet_row { /* a machine's transport */
	size_t machine;
	struct summary_row s;
	const char *backend;
	double ratio;         /* of bandwidth[0] to the reference machine's same transport; NaN */
	double latency_ratio; /* of latency[0], likewise: below 1 is faster */
	double per_price, per_watt; /* bandwidth[0]; NaN without a price, a power */
	bool champion;              /* the machine's fastest that may be ranked */
	bool impossible; /* more than 5 % above what its link's specification allows: not ranked */
};

/* Machines whose champions may be ranked: one backend, one timing. */
struct fleet_class {
	const char *backend, *timing;
	size_t best, next; /* rows; next: of another machine, or in a class of one machine
			      another transport of it; FLEET_NONE */
	size_t machines;
};

struct fleet_compare {
	struct summary figures; /* of it only bandwidth[] and latency[]: what the columns show */
	struct fleet_row *row;  /* by machine, then in the order of transports */
	size_t n;
	struct fleet_class *class; /* the reference machine's first */
	size_t n_classes;
	bool priced, powered; /* some machine has a price, a power */
};

int fleet_compare_build(struct fleet_compare *c, const struct fleet *f) ATTR_MUST; /* -ENOMEM */
void fleet_compare_fini(struct fleet_compare *c);
/* A machine's row of that transport; NULL. */
const struct fleet_row *fleet_compare_row(const struct fleet_compare *c, size_t machine,
					  const char *backend, const char *transport);
/* The machine's champion; NULL when nothing of it may be ranked. */
const struct fleet_row *fleet_compare_champion(const struct fleet_compare *c, size_t machine);
/* The intervals of two values overlap, or one is unknown: no difference is shown by them. */
bool fleet_compare_overlap(const struct summary_value *a, const struct summary_value *b);
/* The timing in which a transport is shown in a column: the column's, else the first that it has;
 * NULL when it has no measured row of the operation. */
const char *fleet_compare_timing(const struct view *v, const char *transport,
				 const struct summary_figure *f, bool latency);
/* At most `max` sizes that tell a column's curves, ascending: those that most of them have. */
int fleet_compare_sizes(const struct fleet *f, const struct summary_figure *figure, bool latency,
			uint64_t *out, size_t max, size_t *n) ATTR_MUST; /* -ENOMEM */
