/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only way to a measurement: counts restarts of each setting, what they cost, and refuses what
 * the budget cannot pay. Does not know what a measurement is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "search/setting.h"

enum { SEARCH_CLASSES = 16, TRIAL_DETAIL = 240 };

struct trial {
	int outcome; /* enum outcome_id; only OUTCOME_OK has times */
	char detail[TRIAL_DETAIL];
	double us[SEARCH_CLASSES]; /* one per class */
	double cost_s;
	bool known; /* of an earlier run: nothing was measured now */
};

/* Measures `s` in fresh workers, for the restart-th time, in limit_s at most; OUTCOME_SKIPPED: that
 * was not enough. 0, or negative: the search ends at once (-EINTR: somebody wants it to). A setting
 * that fails is no error. */
typedef int (*measure_fn)(void *arg, const struct setting *s, int restart, double limit_s,
			  struct trial *out);

struct meter_seen {
	struct setting s;
	int n;
};

struct meter {
	measure_fn measure;
	void *arg;
	double budget_s, spent_s;
	double reserve_s; /* of the budget, not to be touched now */
	double dearest_s; /* of trials that went well */
	size_t n_trials;
	struct meter_seen *seen;
	size_t n_seen;
};

void meter_fini(struct meter *m);
/* 0; 1: the budget cannot pay it; negative. */
int meter_trial(struct meter *m, const struct setting *s, struct trial *out) ATTR_MUST;
/* How many trials as dear as the dearest are left, before the reserve. */
size_t meter_left(const struct meter *m);
