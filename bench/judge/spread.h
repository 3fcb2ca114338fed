/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far series of one machine differ, when few are known: what many groups (or points) show
 * together is lent to each. Pure functions; knows no runs and decides nothing.
 *
 * Two to five series say little about one group's spread. But the ratio of that spread to the one
 * that its restarts alone would make is alike from group to group. With the true ratio distributed
 * over groups as scaled inverse chi-square, its parameters follow from the mean and the variance of
 * the logarithm of the observed ratios, and each group's variance is its own and the common one,
 * weighted by their degrees of freedom. Source: G. K. Smyth, Linear models and empirical Bayes
 * methods (2004), section 6.2; docs/decisions/0019 says why here and how it was tried.
 */
#pragma once

#include <stddef.h>

/* What is lent is trusted like so many series more, never further: groups share their machine
 * starts, so that they are not as many witnesses as there are groups. */
#define SPREAD_LENT_MOST 4
#define SPREAD_UNITS_LEAST 6 /* groups or points from which something is learnt */

struct spread {          /* of one group or point; variances of logarithms */
	double seen;     /* of the centres of its series */
	double expected; /* of those centres if series did not differ, from its restarts */
	size_t freedom;  /* series - 1 */
};

struct spread_prior {
	double freedom; /* degrees of freedom lent; 0: nothing */
	double ratio;   /* of seen to expected, typical */
	size_t units;   /* learnt from so many */
};

/* Variance of the median of so many restarts with that sd: pi/2 times that of their mean (normal
 * theory). NaN where unknown, also where restarts do not differ at all. */
double spread_expected(double within, double restarts);
/* Units with nothing to say (no freedom, no spread of restarts) are left out. */
void spread_fit(const struct spread *v, size_t n, struct spread_prior *out);
/* Degrees of freedom, and variance of the centre of one series of that unit. */
double spread_freedom(const struct spread *s, const struct spread_prior *p);
double spread_variance(const struct spread *s, const struct spread_prior *p);
