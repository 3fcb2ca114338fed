/* SPDX-License-Identifier: Apache-2.0 */
/* The decision on one point or one group, from its restarts on both sides. Knows no keys and no
 * files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "judge/spread.h"

struct finding;
struct judge_options;
struct judge_rule;
struct stat_cuts;

struct evidence {     /* logarithms; the arrays are the caller's */
	double *base; /* restarts of all baseline series, end to end */
	size_t n_base;
	double *centre; /* one per baseline series */
	size_t n_series, n_starts;
	double *now;
	size_t n_now;
	/* Medians only: base and now hold one value per series; 95 % intervals stand in for
	 * restarts. */
	bool bare;
	double base_lo, base_hi, now_lo, now_hi;
	size_t restarts_base, restarts_now;
	double within; /* sd of a restart around its own series; NaN unknown */
	const struct spread_prior
	    *lent; /* what all groups, or points, say of series; NULL: nothing */
};

/* How its series differ. */
struct spread weigh_spread(const struct evidence *e);

/* Limit of what counts as slower, log: the rule's floor, or the prediction limit if that is larger.
 */
double weigh_limit(const struct evidence *e, bool group, double alpha,
		   const struct judge_options *o, const struct judge_rule **rule);
/* Sets verdict and figures of f. -ENOMEM. */
int weigh(const struct evidence *e, bool group, double alpha, const struct judge_options *o,
	  struct stat_cuts *cuts, struct finding *f) ATTR_MUST;
