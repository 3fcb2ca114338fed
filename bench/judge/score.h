/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the evidence on a point or a group out of joined series. Decides nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "judge/weigh.h"

struct point;
struct row;
struct series;

struct scorer {
	const struct series *const *used; /* baseline: columns 0 .. n_used - 1 of the rows */
	size_t n_used;
	const size_t *start;  /* number of the machine start of each */
	bool bare, any_batch; /* any_batch: operations per batch may differ */
	size_t stride;        /* restart numbers are below it */
	double *base, *centre, *now, *sum, *scratch, *series; /* room for the worst case */
	unsigned *count;
	bool *in; /* series that take part in what is scored now */
};

/* -ENOMEM. Looks at `now` and `confirm` (may be NULL) for restart numbers too. */
int scorer_init(struct scorer *s, const struct series *const *used, size_t n_used,
		const struct series *now, const struct series *confirm) ATTR_MUST;
void scorer_fini(struct scorer *s);
/* May cell `base` be compared with `now`: both ok, timed with equal batches. */
bool scorer_usable(const struct scorer *s, const struct point *base, const struct point *now);
/* `column`: that of the new side. False: nothing to compare. */
bool score_point(struct scorer *s, const struct row *row, size_t column, struct evidence *e);
/* Rows whose `take` is true. */
bool score_group(struct scorer *s, const struct row *rows, const bool *take, size_t n,
		 size_t column, struct evidence *e);
