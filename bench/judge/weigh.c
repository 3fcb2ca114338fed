/* SPDX-License-Identifier: Apache-2.0 */
/* See weigh.h. */
#include "judge/weigh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "data/stats.h"
#include "judge/judge.h"
#include "judge/stat.h"
#include "judge/verdict.h"

/* A point is predicted at 99.5 %, a group at the corrected level. At 99 % points alone failed 9 %
 * of unchanged builds on a machine with three times the drift; at 99.9 % a slow-down of 20 % of one
 * noisy point was missed in half of them. */
#define POINT_PREDICTION 0.005

/* Floors are what the simulation in tests/unit/judge showed to keep unchanged builds from failing.
 */
const struct judge_rule judge_rules[] = {
	{ "series", "limits from how the baseline's series differ", 3, 2, 0.02, 0.05 },
	{ "one series", "no spread between machine starts is known: wider fixed limits", 1, 1, 0.05,
	  0.08 },
};
const size_t n_judge_rules = N_ELEMENTS(judge_rules);

void judge_defaults(struct judge_options *o)
{
	*o = (struct judge_options){
		.min_restarts = 7,
		.min_series = 1,
		.group_floor = NAN,
		.point_floor = NAN,
		.alpha = 0.05,
		.today = "0000-00-00",
	};
}

static const struct judge_rule *rule_for(const struct evidence *e)
{
	size_t i = 0;

	while (i + 1 < n_judge_rules && (e->bare || e->n_series < judge_rules[i].min_series ||
					 e->n_starts < judge_rules[i].min_starts))
		i++;
	return &judge_rules[i];
}

struct spread weigh_spread(const struct evidence *e)
{
	double restarts = e->bare || e->n_series == 0 ? 0 : (double)e->n_base / (double)e->n_series;

	return (struct spread){
		.seen = stat_variance(e->centre, e->n_series, e->n_starts),
		.expected = spread_expected(e->within, restarts),
		.freedom = e->n_series > 0 ? e->n_series - 1 : 0,
	};
}

double weigh_limit(const struct evidence *e, bool group, double alpha,
		   const struct judge_options *o, const struct judge_rule **rule)
{
	const struct judge_rule *r = rule_for(e);
	double asked = group ? o->group_floor : o->point_floor;
	double floor = log1p(!isnan(asked) ? asked : group ? r->group_floor : r->point_floor);
	struct spread s = weigh_spread(e);

	*rule = r;
	if (e->n_series < judge_rules[0].min_series)
		return floor;
	return fmax(floor,
		    stat_prediction(spread_variance(&s, e->lent), spread_freedom(&s, e->lent),
				    e->n_series, group ? alpha : POINT_PREDICTION));
}

/* Without restarts: the shift of medians; intervals that do not overlap. */
static void shift_bare(const struct evidence *e, struct stat_shift *s)
{
	s->hl = e->now[0] - stats_median(e->base, e->n_base);
	s->lo = e->now_lo - e->base_hi;
	s->hi = e->now_hi - e->base_lo;
	if (isnan(s->lo) || isnan(s->hi)) {
		s->lo = -INFINITY;
		s->hi = INFINITY;
	}
	s->lo95 = s->lo;
	s->hi95 = s->hi;
}

/* Passed: no slow-down as large as the limit is seen, and one twice as large is excluded. To ask
 * that the limit itself be excluded left a third of unchanged builds undecided where some restarts
 * are slow. */
#define EXCLUDED 2

static int decide(const struct stat_shift *s, double limit)
{
	if (s->lo > 0 && s->hl >= limit)
		return VERDICT_REGRESSED;
	if (s->hi < 0 && s->hl <= -limit)
		return VERDICT_IMPROVED;
	return s->hl < limit && s->hi95 < EXCLUDED * limit ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
}

static double percent(double log_shift)
{
	return 100 * expm1(log_shift);
}

#define RESTARTS_SAID 200 /* nobody measures more */

/* The interval narrows with the root of the restarts. */
static void say_inconclusive(const struct stat_shift *s, const struct evidence *e,
			     struct finding *f)
{
	double ratio = (s->hi95 - s->hl) / (EXCLUDED * f->limit - s->hl);

	f->needed = s->hl < f->limit && isfinite(ratio)
			? ceil((double)e->restarts_now * ratio * ratio)
			: NAN;
	if (f->needed <= RESTARTS_SAID)
		snprintf(f->why, sizeof(f->why),
			 "could be %+.1f %%, the limit is %.1f %%: about %.0f restarts would tell",
			 percent(s->hi95), percent(f->limit), f->needed);
	else
		snprintf(f->why, sizeof(f->why),
			 "%+.1f %% (95 %%: up to %+.1f %%), the limit is %.1f %%: too noisy",
			 percent(s->hl), percent(s->hi95), percent(f->limit));
}

static bool too_few(const struct evidence *e, const struct judge_options *o, struct finding *f)
{
	size_t least = (size_t)o->min_restarts;
	bool new_side = e->restarts_now < least;

	if (o->allow_weak || (!new_side && e->restarts_base >= least))
		return false;
	f->verdict = VERDICT_INCONCLUSIVE;
	f->needed = (double)least;
	snprintf(f->why, sizeof(f->why),
		 "%zu restarts %s; at least %zu are needed (--allow-weak decides anyway)",
		 new_side ? e->restarts_now : e->restarts_base,
		 new_side ? "now" : "in the baseline", least);
	return true;
}

int weigh(const struct evidence *e, bool group, double alpha, const struct judge_options *o,
	  struct stat_cuts *cuts, struct finding *f)
{
	struct stat_shift s;
	int rc = 0;

	if (e->bare)
		shift_bare(e, &s);
	else
		rc = stat_shift(e->base, e->n_base, e->now, e->n_now, alpha, cuts, &s);
	if (rc)
		return rc;
	f->tested = true;
	f->limit = weigh_limit(e, group, alpha, o, &f->rule);
	f->shift = s.hl;
	f->lo = s.lo;
	f->hi = s.hi;
	f->hi95 = s.hi95;
	f->n_base = e->restarts_base;
	f->n_now = e->restarts_now;
	f->n_series = e->n_series;
	f->n_starts = e->n_starts;
	f->needed = NAN;
	f->why[0] = '\0';
	if (too_few(e, o, f))
		return 0;
	f->verdict = decide(&s, f->limit);
	if (f->verdict == VERDICT_INCONCLUSIVE)
		say_inconclusive(&s, e, f);
	return 0;
}
