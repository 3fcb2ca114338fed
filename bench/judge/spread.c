/* SPDX-License-Identifier: Apache-2.0 */
/* See spread.h. */
#include "judge/spread.h"

#include <math.h>
#include <stdbool.h>

#include "judge/stat.h"

/* Below it a ratio says the same, but would count for more and more. One in a hundred of three
 * series that do not differ lies there. */
#define RATIO_LEAST 0.01

/* Restarts that are equal to the last bits come of a coarse clock, or were made up: they tell no
 * spread. */
#define WITHIN_LEAST 1e-9

double spread_expected(double within, double restarts)
{
	return restarts >= 1 && within >= WITHIN_LEAST ? M_PI_2 * within * within / restarts : NAN;
}

static bool tells(const struct spread *s)
{
	return s->freedom > 0 && s->seen >= 0 && s->expected > 0;
}

/* Log of the observed ratio, freed of the bias of the log of a chi-square mean. */
static double log_ratio(const struct spread *s)
{
	double half = (double)s->freedom / 2;

	return log(fmax(s->seen / s->expected, RATIO_LEAST)) - stat_digamma(half) + log(half);
}

void spread_fit(const struct spread *v, size_t n, struct spread_prior *out)
{
	double sum = 0, squares = 0, noise = 0, count = 0, mean, own, half = INFINITY, bias = 0;

	*out = (struct spread_prior){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (!tells(&v[i]))
			continue;
		sum += log_ratio(&v[i]);
		noise += stat_trigamma((double)v[i].freedom / 2);
		count++;
	}
	if (count < SPREAD_UNITS_LEAST)
		return;
	mean = sum / count;
	for (size_t i = 0; i < n; i++)
		if (tells(&v[i]))
			squares += (log_ratio(&v[i]) - mean) * (log_ratio(&v[i]) - mean);
	own = squares / (count - 1) - noise / count;
	/* No more different than chance makes them: they all have the same ratio. */
	if (own > 0) {
		half = stat_trigamma_inverse(own);
		bias = stat_digamma(half) - log(half);
	}
	*out = (struct spread_prior){
		.freedom = fmin(2 * half, SPREAD_LENT_MOST),
		.ratio = exp(mean + bias),
		.units = (size_t)count,
	};
}

static double lent(const struct spread *s, const struct spread_prior *p)
{
	return p && s->expected > 0 ? p->freedom : 0;
}

double spread_freedom(const struct spread *s, const struct spread_prior *p)
{
	return (double)s->freedom + lent(s, p);
}

double spread_variance(const struct spread *s, const struct spread_prior *p)
{
	double of_all = lent(s, p), own = s->freedom > 0 ? (double)s->freedom * s->seen : 0;

	if (of_all <= 0)
		return s->seen;
	return (own + of_all * p->ratio * s->expected) / spread_freedom(s, p);
}
