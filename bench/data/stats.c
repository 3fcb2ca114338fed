/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order statistics over a sorted copy. Not a general statistics library: nothing here assumes a
 * normal distribution, because times of communication have a long tail on one side.
 */
#include "data/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NaN goes last, so that the order stays total whatever the input holds. */
static int compare(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

static double *sorted_copy(const double *v, size_t n)
{
	double *copy = n ? reallocarray(NULL, n, sizeof(*copy)) : NULL;

	if (copy == NULL)
		return NULL;
	memcpy(copy, v, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare);
	return copy;
}

/* Type 7: rank h = (n-1)p counted from 0, linear between its neighbours. */
static double sorted_percentile(const double *s, size_t n, double p)
{
	double h = (double)(n - 1) * fmin(fmax(p, 0), 100) / 100;
	size_t below = (size_t)h;
	double part = h - (double)below;

	if (part == 0 || below + 1 >= n)
		return s[below];
	return s[below] + part * (s[below + 1] - s[below]);
}

double stats_percentile(const double *v, size_t n, double p)
{
	double *s = sorted_copy(v, n);
	double value;

	if (s == NULL || isnan(p)) {
		free(s);
		return NAN;
	}
	value = sorted_percentile(s, n, p);
	free(s);
	return value;
}

double stats_median(const double *v, size_t n)
{
	return stats_percentile(v, n, 50);
}

double stats_min(const double *v, size_t n)
{
	double best = NAN;

	for (size_t i = 0; i < n; i++)
		best = fmin(best, v[i]); /* fmin ignores one NaN: also the first */
	return best;
}

double stats_max(const double *v, size_t n)
{
	double best = NAN;

	for (size_t i = 0; i < n; i++)
		best = fmax(best, v[i]);
	return best;
}

double stats_mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : NAN;
}

/*
 * Largest k with P(Bin(n, 1/2) < k) <= 0.025, and that probability in *tail; k is 0 while even the
 * extremes are not rare enough (n < 6). In logarithms, because 2^-n leaves the range of double at
 * 1075.
 */
static size_t binomial_rank(size_t n, double *tail)
{
	double log_term = -(double)n * M_LN2; /* of P(Bin = k) */
	double below = 0;                     /* P(Bin < k) */
	size_t k = 0;

	while (k < n) {
		double next = below + exp(log_term);

		if (next > 0.025)
			break;
		below = next;
		log_term += log((double)(n - k) / (double)(k + 1));
		k++;
	}
	*tail = below;
	return k;
}

double stats_median_ci(const double *v, size_t n, double *lo, double *hi)
{
	double *s = sorted_copy(v, n);
	double tail;
	size_t k;

	if (s == NULL) {
		*lo = *hi = NAN;
		return NAN;
	}
	k = binomial_rank(n, &tail);
	if (k == 0) { /* the range is all there is; each end misses with 2^-n */
		k = 1;
		tail = ldexp(1, -(int)n);
	}
	*lo = s[k - 1];
	*hi = s[n - k];
	free(s);
	return 1 - 2 * tail;
}

double stats_median_of_medians(const double *v, const size_t *per_restart, size_t restarts)
{
	double *medians = restarts ? reallocarray(NULL, restarts, sizeof(*medians)) : NULL;
	size_t n = 0;
	double value;

	if (medians == NULL)
		return NAN;
	for (size_t i = 0; i < restarts; i++) {
		if (per_restart[i] > 0) /* a restart that failed has no samples and no vote */
			medians[n++] = stats_median(v, per_restart[i]);
		v += per_restart[i];
	}
	value = stats_median(medians, n);
	free(medians);
	return value;
}
