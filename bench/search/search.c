/* SPDX-License-Identifier: Apache-2.0 */
/* See search.h. */
#include "search/search.h"

#include <math.h>
#include <string.h>

#include "search/space.h"
#include "spec/outcome.h"

/* Of a budget, at most, for confirming one guess per target, and where there is plenty one more
 * that costs nothing elsewhere. What the race leaves is the confirmation's, too. */
#define CONFIRM_SHARE 0.5
#define PLENTY_SHARE 0.3

const char *const found_names[FOUND_COUNT] = {
	[FOUND_DEFAULT] = "default",       [FOUND_GAIN] = "gain",
	[FOUND_TRADE] = "trade",           [FOUND_UNCONFIRMED] = "unconfirmed",
	[FOUND_FAILED] = "failed",         [FOUND_NO_BUDGET] = "no-budget",
	[FOUND_NO_CONTROL] = "no-control",
};

double search_gain(double log_shift)
{
	return expm1(-log_shift);
}

static size_t count_targets(const struct search_problem *p)
{
	size_t n = 0;

	for (size_t k = 0; k < p->n_classes; k++)
		n += p->classes[k].target;
	return n;
}

static double confirm_cost(const struct search_result *out, const struct meter *m, size_t arms)
{
	arms = arms < CONFIRM_MAX ? arms : CONFIRM_MAX;
	return (double)(arms + 1) * (double)out->confirmation.wanted * m->dearest_s;
}

/* What confirming will cost is known from the first control on. */
static int run_race(const struct search_problem *p, struct search_result *out, struct meter *m)
{
	size_t targets = count_targets(p);
	struct race *r = &out->race;
	struct space none = { 0 };
	int rc;

	/* A race without candidates is one control. */
	r->space = &none;
	rc = race_run(r, m);
	r->space = p->space;
	if (rc < 0 || !r->have_control)
		return rc;
	m->reserve_s = confirm_cost(out, m, targets);
	if (m->reserve_s > CONFIRM_SHARE * p->budget_s)
		m->reserve_s = CONFIRM_SHARE * p->budget_s;
	if (confirm_cost(out, m, 2 * targets) < PLENTY_SHARE * p->budget_s)
		m->reserve_s = confirm_cost(out, m, 2 * targets);
	rc = race_run(r, m);
	m->reserve_s = 0;
	return rc;
}

/* The number of its arm, a new one if need be; -1: too many. */
static int arm_for(struct confirmation *c, const struct candidate *guess)
{
	size_t i = 0;

	while (i < c->n_arms && !setting_equal(&c->arm[i].s, &guess->s))
		i++;
	if (i == CONFIRM_MAX)
		return -1;
	c->arm[i].s = guess->s;
	c->n_arms = i == c->n_arms ? i + 1 : c->n_arms;
	return (int)i;
}

/* The best guess; where it looks like a trade, also the best one that does not. */
static void choose_arms(const struct search_problem *p, struct search_result *out,
			const struct meter *m)
{
	struct confirmation *c = &out->confirmation;
	double harm = log1p(CONFIRM_HARM);

	for (size_t k = 0; k < p->n_classes; k++) {
		const struct candidate *best = p->classes[k].target
						   ? race_best(&out->race, k, INFINITY)
						   : NULL,
				       *safe;
		struct finding_of *f = &out->found[k];

		*f = (struct finding_of){ .id = FOUND_DEFAULT, .arm = -1, .trade = -1 };
		if (!best)
			continue;
		f->arm = arm_for(c, best);
		f->id = f->arm < 0 ? FOUND_NO_BUDGET : FOUND_DEFAULT;
		safe =
		    race_harms(&out->race, best, k, harm) ? race_best(&out->race, k, harm) : NULL;
		if (!safe || f->arm < 0 || meter_left(m) < (c->n_arms + 2) * c->wanted)
			continue;
		f->trade = f->arm;
		f->arm = arm_for(c, safe);
		if (f->arm < 0) {
			f->arm = f->trade;
			f->trade = -1;
		}
	}
}

static enum found_id judge(const struct search_result *out, const struct confirmed *arm, size_t k,
			   bool *harms)
{
	const struct confirmation *c = &out->confirmation;
	const struct effect *e = &arm->effect[k];
	bool any = false;

	if (arm->outcome != OUTCOME_OK)
		return FOUND_FAILED;
	if (c->control.outcome != OUTCOME_OK)
		return FOUND_NO_CONTROL;
	if (!e->tested || (c->cut_short && !(e->surely < 0)))
		return FOUND_NO_BUDGET;
	if (!(e->surely < 0) || e->shift > -log1p(CONFIRM_GAIN))
		return FOUND_UNCONFIRMED;
	for (size_t i = 0; i < c->n_classes; i++) {
		harms[i] = i != k && arm->effect[i].shift > log1p(CONFIRM_HARM);
		any |= harms[i];
	}
	return any ? FOUND_TRADE : FOUND_GAIN;
}

/* What costs nothing elsewhere comes first; what gains more at a price is told beside it, or alone
 * where the other did not hold. */
static void judge_pair(const struct search_result *out, size_t k, struct finding_of *f)
{
	const struct confirmed *arms = out->confirmation.arm;
	enum found_id trade = FOUND_DEFAULT;

	f->id = judge(out, &arms[f->arm], k, f->harms);
	if (f->trade >= 0)
		trade = judge(out, &arms[f->trade], k, f->trade_harms);
	if (f->id != FOUND_GAIN && (trade == FOUND_GAIN || trade == FOUND_TRADE)) {
		f->id = trade;
		f->arm = f->trade;
		memcpy(f->harms, f->trade_harms, sizeof(f->harms));
		f->trade = -1;
	} else if (f->id == FOUND_GAIN && trade == FOUND_GAIN &&
		   arms[f->trade].effect[k].shift < arms[f->arm].effect[k].shift) {
		/* It cost nothing after all. */
		f->arm = f->trade;
		f->trade = -1;
	} else if (f->id != FOUND_GAIN || trade != FOUND_TRADE ||
		   arms[f->trade].effect[k].shift >= arms[f->arm].effect[k].shift) {
		f->trade = -1;
	}
}

static void judge_all(const struct search_problem *p, struct search_result *out)
{
	bool searched = out->race.n_controls > 0 && (out->race.n == 0 || out->race.n_steps > 0);

	for (size_t k = 0; k < p->n_classes; k++) {
		struct finding_of *f = &out->found[k];

		if (!p->classes[k].target)
			continue;
		if (out->race.control_outcome != OUTCOME_OK)
			f->id = FOUND_NO_CONTROL;
		else if (f->arm >= 0)
			judge_pair(out, k, f);
		else if (!searched)
			f->id = FOUND_NO_BUDGET;
	}
}

int search_run(const struct search_problem *p, struct search_result *out)
{
	struct meter m = { .measure = p->measure, .arg = p->arg, .budget_s = p->budget_s };
	struct confirmation *c = &out->confirmation;
	int rc;

	memset(out, 0, sizeof(*out));
	out->race = (struct race){ .classes = p->classes,
				   .n_classes = p->n_classes,
				   .control_outcome = OUTCOME_OK };
	c->n_classes = p->n_classes;
	c->alpha = CONFIRM_ALPHA / (double)(p->comparisons ? p->comparisons : 1);
	c->wanted = confirm_restarts(c->alpha);
	rc = run_race(p, out, &m);
	choose_arms(p, out, &m);
	if (rc == 0 && c->n_arms && out->race.control_outcome == OUTCOME_OK)
		rc = confirm_run(c, &m);
	judge_all(p, out);
	out->spent_s = m.spent_s;
	out->n_trials = m.n_trials;
	meter_fini(&m);
	return rc;
}

void search_fini(struct search_result *r)
{
	race_fini(&r->race);
}
