/* SPDX-License-Identifier: Apache-2.0 */
/* See confirm.h. */
#include "search/confirm.h"

#include <math.h>
#include <string.h>

#include "judge/stat.h"
#include "spec/outcome.h"

#define SHOWN_ALPHA 0.025 /* each side of a 95 % interval */

size_t confirm_restarts(double alpha)
{
	size_t n = 5;

	while (n < CONFIRM_RESTARTS_MAX && stat_mwu_cut(n, n, alpha) < 2)
		n++;
	return n;
}

static int measure_one(struct confirmation *c, struct confirmed *what, struct meter *m)
{
	struct trial t;
	int rc;

	if (what->outcome != OUTCOME_OK)
		return 0;
	rc = meter_trial(m, &what->s, &t);
	if (rc != 0)
		return rc;
	if (t.outcome != OUTCOME_OK) {
		what->outcome = t.outcome;
		memcpy(what->detail, t.detail, sizeof(t.detail));
		return 0;
	}
	for (size_t k = 0; k < c->n_classes; k++)
		what->log_us[what->n][k] = log(t.us[k]);
	what->n++;
	return 0;
}

/* There when i is even, back when it is odd. */
static int measure_pass(struct confirmation *c, struct meter *m, size_t i)
{
	size_t n = c->n_arms + 1;
	int rc = 0;

	for (size_t at = 0; at < n && rc == 0 && c->control.outcome == OUTCOME_OK; at++) {
		size_t who = i % 2 ? n - 1 - at : at;

		rc = measure_one(c, who == 0 ? &c->control : &c->arm[who - 1], m);
	}
	return rc;
}

static bool anybody_left(const struct confirmation *c)
{
	for (size_t i = 0; i < c->n_arms; i++)
		if (c->arm[i].outcome == OUTCOME_OK)
			return c->control.outcome == OUTCOME_OK;
	return false;
}

static int weigh_arm(const struct confirmation *c, struct confirmed *arm, struct stat_cuts *cuts)
{
	int rc = 0;

	for (size_t k = 0; k < c->n_classes && rc == 0 && arm->n && c->control.n; k++) {
		double a[CONFIRM_RESTARTS_MAX], b[CONFIRM_RESTARTS_MAX];
		struct stat_shift shown = { 0 }, sure = { 0 };

		for (size_t i = 0; i < c->control.n; i++)
			a[i] = c->control.log_us[i][k];
		for (size_t i = 0; i < arm->n; i++)
			b[i] = arm->log_us[i][k];
		rc = stat_shift(a, c->control.n, b, arm->n, SHOWN_ALPHA, cuts, &shown);
		if (rc == 0)
			rc = stat_shift(a, c->control.n, b, arm->n, c->alpha, cuts, &sure);
		arm->effect[k] = (struct effect){ rc == 0, shown.hl, shown.lo, shown.hi, sure.hi };
	}
	return rc;
}

int confirm_run(struct confirmation *c, struct meter *m)
{
	struct stat_cuts cuts = { 0 };
	int rc = 0;

	c->control.outcome = OUTCOME_OK;
	for (size_t i = 0; i < c->n_arms; i++)
		c->arm[i].outcome = OUTCOME_OK;
	for (size_t i = 0; i < c->wanted && rc == 0 && anybody_left(c); i++)
		rc = measure_pass(c, m, i);
	c->cut_short = rc > 0;
	for (size_t i = 0; i < c->n_arms && rc >= 0; i++)
		if (c->arm[i].outcome == OUTCOME_OK)
			rc = weigh_arm(c, &c->arm[i], &cuts);
	return rc < 0 ? rc : 0;
}
