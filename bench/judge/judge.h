/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baseline series and a new one in, verdicts out. Order: machine and versions, then path, then
 * correctness, then coverage, then statistics (docs/gate.md). Prints nothing, reads no file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "judge/join.h"
#include "judge/spread.h"

struct expectations;
struct pool;
struct series;

struct judge_rule { /* TABLE: the first row whose needs are met */
	const char *name, *help;
	size_t min_series, min_starts;   /* baseline series, and machine starts they come from */
	double group_floor, point_floor; /* relative: 0.02 is 2 % */
};

extern const struct judge_rule judge_rules[];
extern const size_t n_judge_rules;

struct judge_options {
	unsigned across;    /* bit per fact_id that may differ */
	bool allow_weak;    /* fewer restarts than min_restarts may decide */
	bool missing_warns; /* MISSING does not change the exit code */
	bool inconclusive_passes;
	int min_restarts, min_series;
	double group_floor, point_floor; /* relative; NaN: the rule's */
	double alpha;                    /* of all groups together, and of all points together */
	const struct expectations *expected; /* NULL: none */
	const char *today;                   /* "2026-11-30", for expectations */
};

void judge_defaults(struct judge_options *o);

#define FINDING_WHY 224

struct finding {
	int verdict;
	bool tested;                 /* statistics were possible: the figures below are set */
	bool confirmed, unconfirmed; /* by the confirming run, if there was one */
	const char *expected;        /* reason of an expected failure in force; NULL: none */
	const struct judge_rule *rule;
	double shift, lo, hi;   /* log; one-sided bounds at the corrected level */
	double hi95;            /* one-sided 95 %: a slow-down above it is excluded */
	double limit;           /* log */
	double base_us, now_us; /* points only: medians */
	size_t n_base, n_now, n_series,
	    n_starts;  /* restarts of each side, baseline series, machine starts */
	double needed; /* INCONCLUSIVE: restarts that would decide; NaN: more will not */
	char why[FINDING_WHY];
};

struct point_finding {
	uint32_t group;
	uint64_t bytes;
	const struct point *base, *now; /* base: the newest that has it; either may be NULL */
	struct finding f;
};

struct group_finding {
	uint32_t group;
	size_t size_class;
	size_t first, n; /* its points */
	size_t n_tested;
	struct finding f;
};

struct judgement {
	struct point_finding *points;
	size_t n_points;
	struct group_finding *groups;
	size_t n_groups;
	size_t n_tested_points, n_tested_groups;
	double alpha_point, alpha_group;
	size_t n_series, n_starts; /* of the baseline, admitted */
	struct spread_prior lent_points,
	    lent_groups; /* what all of them say of how series differ */
	size_t n_left_out;
	bool bare;                  /* medians only */
	int exit_code;              /* enum nb_exit */
	struct buf notes;           /* one line each */
	const struct series **used; /* admitted baseline series, oldest first as given */
	struct joined joined;       /* columns: used, then the new one, then the confirming one */
};

/* `confirm` may be NULL. 0 or -ENOMEM; the series must outlive the judgement. */
int judge_run(const struct pool *pool, const struct series *const *base, size_t n_base,
	      const struct series *now, const struct series *confirm, const struct judge_options *o,
	      struct judgement *out) ATTR_MUST;
void judge_fini(struct judgement *j);
