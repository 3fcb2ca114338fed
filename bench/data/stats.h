/* SPDX-License-Identifier: Apache-2.0 */
/* Order statistics. All take unsorted input and do not change it; NaN when n is 0. */
#pragma once

#include <stddef.h>

double stats_median(const double *v, size_t n);
double stats_percentile(const double *v, size_t n,
			double p); /* 0..100, linear between ranks (type 7) */
double stats_min(const double *v, size_t n);
double stats_max(const double *v, size_t n);
double stats_mean(const double *v, size_t n);
/* 95 % order-statistic interval of the median (binomial, exact for n <= 1000); for n < 6 the range,
 * and the coverage really reached is returned (0.95 or above when reached). */
double stats_median_ci(const double *v, size_t n, double *lo, double *hi);
/* Median of restart medians, given each restart's samples; per_restart[i] samples each, laid end to
 * end. */
double stats_median_of_medians(const double *v, const size_t *per_restart, size_t restarts);
