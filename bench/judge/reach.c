/* SPDX-License-Identifier: Apache-2.0 */
/* See reach.h. Normal theory on top of the measured spreads; tests/unit/judge/test_rates.c holds it
 * to what is found. */
#include "judge/reach.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "judge/admit.h"
#include "judge/groups.h"
#include "judge/join.h"
#include "judge/judge.h"
#include "judge/score.h"
#include "judge/series.h"
#include "judge/stat.h"
#include "judge/weigh.h"
#include "spec/outcome.h"

#define HL_COST 1.0472 /* variance of the Hodges-Lehmann shift over that of a mean: pi / 3 */

void reach_fini(struct reaches *r)
{
	free(r->v);
	*r = (struct reaches){ 0 };
}

/* Half width of the interval at one-sided alpha; INFINITY when so few restarts cannot reach the
 * level. */
static double half_width(const struct reach *r, size_t restarts, size_t series, double alpha)
{
	double n = (double)restarts, m = (double)(restarts * series);

	if (!stat_mwu_reaches(restarts, restarts * series, alpha))
		return INFINITY;
	return stat_normal_quantile(1 - alpha) * r->within * sqrt(HL_COST * (1 / n + 1 / m));
}

/* Variance that restarts alone make of the centre of a series. */
static double of_restarts(double within, double restarts)
{
	double v = spread_expected(within, fmax(restarts, 1));

	return isnan(v) ? 0 : v;
}

/* sd of the centre of one series of that many restarts. */
static double centre_sd(const struct reach *r, size_t restarts)
{
	double differ = isnan(r->differ) ? 0 : r->differ;

	return sqrt(differ * differ + of_restarts(r->within, (double)restarts));
}

static double freedom(const struct reach *r, size_t series)
{
	return (double)series - 1 + r->lent;
}

/* The spread is itself an estimate from so many series: Student's t, or the promise is broken in 8
 * % of builds, not in 5. */
static double found_at(const struct reach *r, double limit, size_t restarts, size_t series,
		       double alpha)
{
	double spread = centre_sd(r, restarts) * sqrt(1 + 1 / (double)series);
	double z = series > 1 ? stat_t_quantile(REACH_POWER, (int)(freedom(r, series)))
			      : stat_normal_quantile(REACH_POWER);

	return fmax(limit, half_width(r, restarts, series, alpha)) + z * spread;
}

double reach_at(const struct reach *r, size_t restarts, size_t series, double alpha)
{
	const struct judge_rule *rule =
	    &judge_rules[series >= judge_rules[0].min_series ? 0 : n_judge_rules - 1];
	double limit = log1p(rule->group_floor);

	if (series >= judge_rules[0].min_series)
		limit = fmax(limit, stat_prediction(pow(centre_sd(r, restarts), 2),
						    freedom(r, series), series, alpha));
	return found_at(r, limit, restarts, series, alpha);
}

/* sd of series beyond what their restarts make of them. */
static double beyond(double variance, double restarts)
{
	return isnan(variance) ? NAN : sqrt(fmax(0, variance - restarts));
}

static void fill(struct reach *r, const struct evidence *e)
{
	r->n_series = e->n_series;
	r->n_starts = e->n_starts;
	r->restarts = e->n_series ? e->n_base / e->n_series : 0;
	r->within = isnan(e->within) ? 0 : e->within;
	r->between = beyond(stat_variance(e->centre, e->n_series, e->n_starts),
			    of_restarts(r->within, (double)r->restarts));
}

static void borrow(struct reach *r, const struct evidence *e)
{
	struct spread s = weigh_spread(e);

	r->lent = spread_freedom(&s, e->lent) - (double)s.freedom;
	r->differ =
	    beyond(spread_variance(&s, e->lent), of_restarts(r->within, (double)r->restarts));
}

static size_t group_end(const struct joined *j, size_t first)
{
	size_t end = first + 1;

	while (end < j->n && j->rows[end].group == j->rows[first].group &&
	       size_class_of(j->rows[end].bytes) == size_class_of(j->rows[first].bytes))
		end++;
	return end;
}

static void mark(const struct scorer *s, const struct joined *j, size_t column, bool *take)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct point *now = j->rows[i].at[column];

		take[i] = scorer_usable(s, now, now);
	}
}

static void each_group(struct scorer *s, const struct joined *j, const bool *take, size_t column,
		       struct spread *spreads, struct reaches *out)
{
	for (size_t i = 0, end; i < j->n; i = end) {
		struct reach *r = &out->v[out->n];
		struct evidence e;

		end = group_end(j, i);
		if (!score_group(s, j->rows + i, take + i, end - i, column, &e))
			continue;
		*r = (struct reach){ .group = j->rows[i].group,
				     .size_class = size_class_of(j->rows[i].bytes) };
		for (size_t k = i; k < end; k++)
			r->n_points += take[k];
		fill(r, &e);
		spreads[out->n++] = weigh_spread(&e);
	}
	spread_fit(spreads, out->n, &out->prior);
}

/* Second pass: limits need the number of groups, and the evidence again. */
static void set_limits(struct scorer *s, const struct joined *j, const bool *take, size_t column,
		       const struct judge_options *o, struct reaches *out)
{
	size_t k = 0;

	out->alpha = o->alpha / (double)(out->n ? out->n : 1);
	for (size_t i = 0, end; i < j->n && k < out->n; i = end) {
		struct reach *r = &out->v[k];
		struct evidence e;

		end = group_end(j, i);
		if (!score_group(s, j->rows + i, take + i, end - i, column, &e))
			continue;
		e.lent = &out->prior;
		borrow(r, &e);
		r->limit = weigh_limit(&e, true, out->alpha, o, &r->rule);
		r->smallest =
		    found_at(r, r->limit, r->restarts ? r->restarts : 1, r->n_series, out->alpha);
		k++;
	}
}

int reach_find(const struct pool *pool, const struct series *const *base, size_t n,
	       const struct judge_options *o, struct reaches *out)
{
	const struct series **columns = calloc(n + 1, sizeof(*columns));
	struct joined j = { 0 };
	struct scorer s = { 0 };
	struct reaches r = { 0 };
	struct spread *spreads = NULL;
	bool *take = NULL;
	int rc = columns ? 0 : -ENOMEM;

	(void)pool;
	for (size_t i = 0; i < n && rc == 0; i++) {
		columns[i] = base[i];
		rc = base[i]->bare ? -EINVAL : 0;
	}
	if (rc == 0) {
		columns[n] = base[n - 1];
		rc = join_series(columns, n + 1, &j);
	}
	if (rc == 0)
		rc = scorer_init(&s, columns, n, columns[n], NULL);
	if (rc == 0) {
		take = calloc(j.n + 1, sizeof(*take));
		r.v = calloc(j.n + 1, sizeof(*r.v));
		spreads = calloc(j.n + 1, sizeof(*spreads));
		rc = take && r.v && spreads ? 0 : -ENOMEM;
	}
	if (rc == 0) {
		mark(&s, &j, n, take);
		each_group(&s, &j, take, n, spreads, &r);
		set_limits(&s, &j, take, n, o, &r);
	}
	free(take);
	free(spreads);
	free((void *)columns);
	scorer_fini(&s);
	join_fini(&j);
	if (rc) {
		reach_fini(&r);
		return rc;
	}
	*out = r;
	return 0;
}
