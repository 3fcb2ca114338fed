/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statistics of the gate: exact Mann-Whitney, Hodges-Lehmann shift and its interval, prediction
 * limit of a new series. Pure functions; knows nothing of runs. docs/gate.md says why these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* Up to this product of the two sample sizes the null distribution is exact, above it normal. */
#define STAT_EXACT_MAX 12000

/* P(U <= u) when both samples come from one distribution; -1 when out of memory. */
double stat_mwu_cdf(size_t n, size_t m, size_t u);
/* How many of the n*m differences may be left out at one end so that what is left is a one-sided
 * bound at `alpha`: the largest k with P(U <= k - 1) <= alpha. 0: that level cannot be reached. */
size_t stat_mwu_cut(size_t n, size_t m, double alpha);
/* Whether that is above 0, without the table of all tails. */
bool stat_mwu_reaches(size_t n, size_t m, double alpha);

/* Remembers cuts: a run asks for few (n, m, alpha) many times. Starts zeroed, owns nothing. */
#define STAT_CUTS 64
struct stat_cuts {
	struct {
		size_t n, m, cut;
		double alpha;
	} known[STAT_CUTS];
	size_t n;
};

struct stat_shift {
	double hl; /* median of all differences b - a */
	double lo,
	    hi; /* one-sided bounds at `alpha` each; -INFINITY, INFINITY when not reachable */
	double lo95, hi95; /* one-sided 5 % bounds, for "a change this large is excluded" */
};

/* P(W <= w) of the signed-rank sum of n differences that are symmetric around 0. */
double stat_signed_cdf(size_t n, size_t w);
/* How many of the n(n+1)/2 Walsh averages may be left out at one end: as stat_mwu_cut. */
size_t stat_signed_cut(size_t n, double alpha);
/* Shift of paired differences: the median of their Walsh averages, bounds by the exact Wilcoxon
 * signed-rank test. -EINVAL for none, -ENOMEM. */
int stat_paired(const double *diff, size_t n, double alpha, struct stat_shift *out) ATTR_MUST;

/* Shift from sample a to sample b. -EINVAL for an empty sample, -ENOMEM. */
int stat_shift(const double *a, size_t n, const double *b, size_t m, double alpha,
	       struct stat_cuts *cuts, struct stat_shift *out) ATTR_MUST;

double stat_t_cdf(double t, int df);      /* Student's t, whole degrees of freedom */
double stat_t_quantile(double p, int df); /* 0 < p < 1 */
double stat_normal_cdf(double z);
double stat_normal_quantile(double p);     /* 0 < p < 1 */
double stat_sd(const double *v, size_t n); /* with n - 1; NaN for n < 2 */
/* Variance, with n - 1. Values that come in `clusters` (machine starts) understate the spread by
 * the missing between-cluster part; n/(clusters) each is assumed and made good. NaN for n < 2. */
double stat_variance(const double *v, size_t n, size_t clusters);
/* Upper prediction limit, from their mean, of one more value of which n are known, whose variance
 * is known with that many degrees of freedom (rounded down): t(1 - alpha; freedom) sqrt(variance (1
 * + 1/n)). INFINITY below 1 degree. */
double stat_prediction(double variance, double freedom, size_t n, double alpha);
/* Derivatives of log gamma, first and second, for x > 0; and the x of a second one y > 0. */
double stat_digamma(double x);
double stat_trigamma(double x);
double stat_trigamma_inverse(double y);
/* Clopper-Pearson: the largest rate that still gives k or fewer of n with probability `alpha`. */
double stat_rate_upper(size_t k, size_t n, double alpha);
double stat_nth(double *v, size_t n, size_t k); /* k-th smallest, from 0; reorders v */
