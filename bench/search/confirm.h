/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does it hold? The guesses of a race against the control, in fresh restarts, there and back again
 * (control a b, b a control): the gate's Hodges-Lehmann shift with exact bounds. Nothing measured
 * before counts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "search/meter.h"

struct stat_cuts;

#define CONFIRM_ALPHA                                                                      \
	0.005 /* false gains of a whole run, all its comparisons together: half of what is \
		 promised */
#define CONFIRM_GAIN 0.01 /* less is not recommended */
#define CONFIRM_HARM 0.02 /* more elsewhere makes it a trade */

enum { CONFIRM_MAX = 4, CONFIRM_RESTARTS_MAX = 16 };

struct effect { /* of one setting on one class; log of the time's ratio, negative is faster */
	bool tested;
	double shift, lo, hi; /* 95 %, both sides together */
	double surely;        /* upper bound at the corrected level: below 0 is a gain */
};

struct confirmed {
	struct setting s;
	int outcome;
	char detail[TRIAL_DETAIL];
	size_t n; /* restarts */
	double log_us[CONFIRM_RESTARTS_MAX][SEARCH_CLASSES];
	struct effect effect[SEARCH_CLASSES];
};

struct confirmation {
	size_t n_classes;
	struct confirmed control;
	struct confirmed arm[CONFIRM_MAX];
	size_t n_arms;
	double alpha;   /* one-sided, per comparison */
	size_t wanted;  /* restarts of each */
	bool cut_short; /* the budget ended it */
};

/* Restarts of each side that can reach that level, one unlucky restart included. */
size_t confirm_restarts(double alpha);
/* arm[].s, n_arms, n_classes, alpha and wanted are the caller's. 0 or negative. */
int confirm_run(struct confirmation *c, struct meter *m) ATTR_MUST;
