/* SPDX-License-Identifier: Apache-2.0 */
/* What a baseline can see: the smallest change of a group that a gate against it finds, and what a
 * smaller one would need. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "judge/spread.h"

struct judge_options;
struct judge_rule;
struct pool;
struct series;

/* How often a change of that size is found. */
#define REACH_POWER 0.95

struct reach {
	uint32_t group;
	size_t size_class, n_points;
	size_t n_series, n_starts, restarts; /* restarts: of one series, on average */
	const struct judge_rule *rule;
	double within;          /* sd of restarts in one series, log */
	double between;         /* sd of series beyond that, of this group alone; NaN unknown */
	double differ;          /* the same with what all groups lend; NaN unknown */
	double lent;            /* degrees of freedom that they lend */
	double limit, smallest; /* log */
};

struct reaches {
	struct reach *v;
	size_t n;
	double alpha; /* per group */
	struct spread_prior prior;
};

void reach_fini(struct reaches *r);
/* Series as for judge_run; the newest says which points count. -ENOMEM, -EINVAL when they are bare.
 */
int reach_find(const struct pool *pool, const struct series *const *base, size_t n,
	       const struct judge_options *o, struct reaches *out) ATTR_MUST;
/* Smallest change found with that many restarts (each side) and series; INFINITY when out of reach.
 */
double reach_at(const struct reach *r, size_t restarts, size_t series, double alpha);
