/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two environments in one run, in turns: which is faster, by how much, how sure. Works on the pairs
 * of restarts (docs/ab.md), so that what the machine did to both cancels. Prints nothing, reads no
 * file, and does not know what an arm sets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct point;
struct pool;
struct series;

enum ab_verdict {
	AB_NONE,
	AB_SAME,
	AB_FASTER,
	AB_SLOWER,
	AB_UNSURE,
	AB_MISSING,
	AB_PATH_CHANGED,
	AB_FAILED,
	AB_COUNT, /* what must be seen first last */
};

struct ab_word {
	const char *name, *help, *mark; /* mark: one sign for Markdown tables */
};

extern const struct ab_word ab_words[AB_COUNT];

struct ab_options {
	double group_limit, point_limit; /* relative: differences below it are none */
	double alpha;                    /* of all groups together, and of all points together */
};

void ab_defaults(struct ab_options *o);

#define AB_WHY 224

struct ab_finding {
	int verdict;      /* AB_PATH_CHANGED comes before what time says */
	int time_verdict; /* AB_NONE when time was not compared */
	size_t pairs;
	double shift, lo,
	    hi;        /* log of the second arm over the first; bounds at the corrected level */
	double within; /* log: no larger difference at 95 %, either way */
	double needed; /* AB_UNSURE: pairs that would decide; NaN: more will not */
	char why[AB_WHY];
};

struct ab_point {
	uint32_t group, label; /* key without bytes: with the arm, and with an empty one */
	uint64_t bytes;
	const struct point *a, *b;
	struct ab_finding f;
};

struct ab_group {
	uint32_t group, label;
	size_t size_class;
	size_t first, n; /* its points */
	struct ab_finding f;
};

struct ab_result {
	struct ab_point *points;
	size_t n_points;
	struct ab_group *groups;
	size_t n_groups;
	size_t n_tested_points, n_tested_groups;
	double alpha_point, alpha_group; /* of one bound */
	size_t n_alone;                  /* points that only one arm has */
};

/* Every arm of the series against `first`. 0 or -ENOMEM; the series must outlive the result. */
int ab_run(struct pool *pool, const struct series *s, const char *first, const struct ab_options *o,
	   struct ab_result *out) ATTR_MUST;
void ab_fini(struct ab_result *r);
/* Restarts with which so many comparisons can be decided at all: even, at least 10. */
size_t ab_restarts_for(size_t comparisons, double alpha);
