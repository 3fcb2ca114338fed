/* SPDX-License-Identifier: Apache-2.0 */
/* See stat.h. */
#include "judge/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_SLACK 1e-12 /* 1/252 summed in doubles may come out a hair above 1/252 */
#define BISECTIONS 200

/* ---- the null distribution of U ---- */

/*
 * Probabilities, not counts: every term is positive, so nothing cancels. The largest of i + j
 * values is one of the first sample with probability i/(i+j), and then beats all j of the second.
 * Row i of `f` holds the distribution for (i, j), i*m + 1 values apart; j grows from 0 to m.
 */
static void null_step(double *f, size_t stride, size_t n, size_t j)
{
	for (size_t i = 0; i <= n; i++) {
		double *row = f + i * stride;
		double of_first = i + j > 0 ? (double)i / (double)(i + j) : 0;

		if (i == 0) {
			row[0] = 1;
			continue;
		}
		for (size_t u = i * j + 1; u-- > 0;) {
			double old = j > 0 && u <= i * (j - 1) ? row[u] : 0;
			double beats = u >= j && u - j <= (i - 1) * j ? (row - stride)[u - j] : 0;

			row[u] = of_first * beats + (1 - of_first) * old;
		}
	}
}

/* n*m + 1 probabilities of U; heap or NULL. */
static double *null_exact(size_t n, size_t m)
{
	size_t stride = n * m + 1;
	double *f = calloc((n + 1) * stride, sizeof(*f)), *out;

	if (f == NULL)
		return NULL;
	for (size_t j = 0; j <= m; j++)
		null_step(f, stride, n, j);
	out = malloc(stride * sizeof(*out));
	if (out != NULL)
		memcpy(out, f + n * stride, stride * sizeof(*out));
	free(f);
	return out;
}

double stat_normal_cdf(double z)
{
	return 0.5 * erfc(-z / M_SQRT2);
}

static double normal_cdf_u(size_t n, size_t m, size_t u)
{
	double nm = (double)n * (double)m, sd = sqrt(nm * (double)(n + m + 1) / 12);

	return stat_normal_cdf(((double)u + 0.5 - nm / 2) / sd);
}

double stat_mwu_cdf(size_t n, size_t m, size_t u)
{
	double sum = 0, *p;

	if (n == 0 || m == 0 || u >= n * m)
		return 1;
	if (n > STAT_EXACT_MAX / m)
		return normal_cdf_u(n, m, u);
	p = n < m ? null_exact(n, m) : null_exact(m, n);
	if (p == NULL)
		return -1;
	for (size_t i = 0; i <= u; i++)
		sum += p[i];
	free(p);
	return sum;
}

static size_t cut_normal(size_t n, size_t m, double alpha)
{
	size_t k = 0;

	while (k < n * m / 2 && normal_cdf_u(n, m, k) <= alpha)
		k++;
	return k;
}

size_t stat_mwu_cut(size_t n, size_t m, double alpha)
{
	double sum = 0, *p;
	size_t k = 0;

	if (n == 0 || m == 0)
		return 0;
	if (n > STAT_EXACT_MAX / m)
		return cut_normal(n, m, alpha);
	p = n < m ? null_exact(n, m) : null_exact(m, n);
	while (p != NULL && k < n * m / 2 && (sum += p[k]) <= alpha + LEVEL_SLACK)
		k++;
	free(p);
	return k;
}

/* The smallest tail is one order of all C(n + m, n). */
bool stat_mwu_reaches(size_t n, size_t m, double alpha)
{
	if (n * m < 2)
		return false;
	return lgamma((double)n + 1) + lgamma((double)m + 1) - lgamma((double)(n + m) + 1) <=
	       log(alpha + LEVEL_SLACK);
}

static size_t cut_known(struct stat_cuts *c, size_t n, size_t m, double alpha)
{
	size_t at;

	for (size_t i = 0; i < STAT_CUTS && i < c->n; i++)
		if (c->known[i].n == n && c->known[i].m == m && c->known[i].alpha == alpha)
			return c->known[i].cut;
	at = c->n++ % STAT_CUTS;
	c->known[at].n = n;
	c->known[at].m = m;
	c->known[at].alpha = alpha;
	c->known[at].cut = stat_mwu_cut(n, m, alpha);
	return c->known[at].cut;
}

/* ---- shift ---- */

/* Hoare's selection with a pivot in the middle: no recursion, hostile orders only cost time. */
double stat_nth(double *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			double t;

			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			t = v[i];
			v[i++] = v[j];
			v[j--] = t;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return v[k];
}

static double lower_bound(double *d, size_t nm, size_t cut)
{
	return cut > 0 ? stat_nth(d, nm, cut - 1) : -INFINITY;
}

static double upper_bound(double *d, size_t nm, size_t cut)
{
	return cut > 0 ? stat_nth(d, nm, nm - cut) : INFINITY;
}

int stat_shift(const double *a, size_t n, const double *b, size_t m, double alpha,
	       struct stat_cuts *cuts, struct stat_shift *out)
{
	size_t nm = n * m, cut, cut95;
	double *d;

	if (n == 0 || m == 0)
		return -EINVAL;
	d = reallocarray(NULL, nm, sizeof(*d));
	if (d == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			d[i * m + j] = b[j] - a[i];
	cut = cut_known(cuts, n, m, alpha);
	cut95 = cut_known(cuts, n, m, 0.05);
	out->hl = stat_nth(d, nm, nm / 2);
	if (nm % 2 == 0)
		out->hl = (out->hl + stat_nth(d, nm, nm / 2 - 1)) / 2;
	out->lo = lower_bound(d, nm, cut);
	out->hi = upper_bound(d, nm, cut);
	out->lo95 = lower_bound(d, nm, cut95);
	out->hi95 = upper_bound(d, nm, cut95);
	free(d);
	return 0;
}

/* ---- signed ranks ---- */

#define SIGNED_EXACT_MAX 64 /* from there on the normal form is right to five digits */

static double signed_normal(size_t n, size_t w)
{
	double count = (double)n, mean = count * (count + 1) / 4;

	return stat_normal_cdf(((double)w + 0.5 - mean) / sqrt(mean * (2 * count + 1) / 6));
}

/* Each rank is in the sum or not, with probability one half: `p` becomes the distribution of the
 * sum of ranks 1 .. n. */
static void signed_exact(double *p, size_t n)
{
	size_t most = 0;

	p[0] = 1;
	for (size_t rank = 1; rank <= n; rank++) {
		most += rank;
		for (size_t w = most + 1; w-- > 0;)
			p[w] = (p[w] + (w >= rank ? p[w - rank] : 0)) / 2;
	}
}

double stat_signed_cdf(size_t n, size_t w)
{
	double p[SIGNED_EXACT_MAX * (SIGNED_EXACT_MAX + 1) / 2 + 1] = { 0 }, sum = 0;

	if (w >= n * (n + 1) / 2)
		return 1;
	if (n > SIGNED_EXACT_MAX)
		return signed_normal(n, w);
	signed_exact(p, n);
	for (size_t i = 0; i <= w; i++)
		sum += p[i];
	return sum;
}

size_t stat_signed_cut(size_t n, double alpha)
{
	double p[SIGNED_EXACT_MAX * (SIGNED_EXACT_MAX + 1) / 2 + 1] = { 0 }, sum = 0;
	size_t half = n * (n + 1) / 4, k = 0;

	if (n <= SIGNED_EXACT_MAX)
		signed_exact(p, n);
	while (k < half) {
		sum = n <= SIGNED_EXACT_MAX ? sum + p[k] : signed_normal(n, k);
		if (sum > alpha + LEVEL_SLACK)
			break;
		k++;
	}
	return k;
}

int stat_paired(const double *diff, size_t n, double alpha, struct stat_shift *out)
{
	size_t walsh = n * (n + 1) / 2, cut, cut95, at = 0;
	double *v;

	if (n == 0)
		return -EINVAL;
	v = reallocarray(NULL, walsh, sizeof(*v));
	if (v == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			v[at++] = (diff[i] + diff[k]) / 2;
	cut = stat_signed_cut(n, alpha);
	cut95 = stat_signed_cut(n, 0.05);
	out->hl = stat_nth(v, walsh, walsh / 2);
	if (walsh % 2 == 0)
		out->hl = (out->hl + stat_nth(v, walsh, walsh / 2 - 1)) / 2;
	out->lo = lower_bound(v, walsh, cut);
	out->hi = upper_bound(v, walsh, cut);
	out->lo95 = lower_bound(v, walsh, cut95);
	out->hi95 = upper_bound(v, walsh, cut95);
	free(v);
	return 0;
}

/* ---- Student's t ---- */

/* The finite sums that hold for whole degrees of freedom, in the angle atan(t / sqrt(df)). */
double stat_t_cdf(double t, int df)
{
	double angle = atan(t / sqrt(df)), c = cos(angle), c2 = c * c, term, sum, a;

	if (df % 2) {
		term = c;
		sum = df > 1 ? term : 0;
		for (int i = 3; i < df; i += 2)
			sum += term *= c2 * (i - 1) / i;
		a = 2 / M_PI * (angle + sin(angle) * sum);
	} else {
		term = 1;
		sum = 1;
		for (int i = 2; i < df; i += 2)
			sum += term *= c2 * (i - 1) / i;
		a = sin(angle) * sum;
	}
	return 0.5 + a / 2;
}

static double cdf_of(double x, int df)
{
	return df > 0 ? stat_t_cdf(x, df) : stat_normal_cdf(x);
}

/* df 0: the normal distribution. */
static double quantile(double p, int df)
{
	double lo = -1, hi = 1;

	while (cdf_of(hi, df) < p && hi < 1e12)
		hi *= 2;
	while (cdf_of(lo, df) > p && lo > -1e12)
		lo *= 2;
	for (int i = 0; i < BISECTIONS && hi - lo > 1e-12 * fabs(hi); i++) {
		double mid = lo + (hi - lo) / 2;

		if (cdf_of(mid, df) < p)
			lo = mid;
		else
			hi = mid;
	}
	return lo + (hi - lo) / 2;
}

double stat_t_quantile(double p, int df)
{
	return quantile(p, df);
}

double stat_normal_quantile(double p)
{
	return quantile(p, 0);
}

double stat_sd(const double *v, size_t n)
{
	double mean = 0, sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

double stat_variance(const double *v, size_t n, size_t clusters)
{
	double count = (double)n, spread = 1, sd = stat_sd(v, n);

	/* n values in c clusters of n/c: the mean square is short of the whole variance by the
	 * factor (n - n/c)/(n - 1) in its between-cluster part. */
	if (clusters > 1 && clusters < n)
		spread = (count - 1) / (count - count / (double)clusters);
	return sd * sd * spread;
}

double stat_prediction(double variance, double freedom, size_t n, double alpha)
{
	if (freedom < 1)
		return INFINITY;
	return stat_t_quantile(1 - alpha, (int)freedom) * sqrt(variance * (1 + 1 / (double)n));
}

/* ---- derivatives of log gamma ---- */

#define FAR 10 /* from here on the series below are exact to 1e-12 */

double stat_digamma(double x)
{
	double below = 0, i2;

	for (; x < FAR; x++)
		below += 1 / x;
	i2 = 1 / (x * x);
	return log(x) - 0.5 / x -
	       i2 * (1. / 12 - i2 * (1. / 120 - i2 * (1. / 252 - i2 * (1. / 240 - i2 / 132)))) -
	       below;
}

double stat_trigamma(double x)
{
	double below = 0, i2;

	for (; x < FAR; x++)
		below += 1 / (x * x);
	i2 = 1 / (x * x);
	return 1 / x + i2 / 2 +
	       i2 / x * (1. / 6 - i2 * (1. / 30 - i2 * (1. / 42 - i2 * (1. / 30 - i2 * 5. / 66)))) +
	       below;
}

/* It falls from infinity to 0: bisection of the logarithm. */
double stat_trigamma_inverse(double y)
{
	double lo = -30, hi = 30;

	for (int i = 0; i < BISECTIONS; i++) {
		double mid = (lo + hi) / 2;

		if (stat_trigamma(exp(mid)) > y)
			lo = mid;
		else
			hi = mid;
	}
	return exp((lo + hi) / 2);
}

/* ---- rates ---- */

static double binomial_cdf(size_t k, size_t n, double p)
{
	double sum = 0;

	for (size_t i = 0; i <= k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
			   lgamma((double)(n - i) + 1) + (double)i * log(p) +
			   (double)(n - i) * log1p(-p));
	return sum;
}

double stat_rate_upper(size_t k, size_t n, double alpha)
{
	double lo = 0, hi = 1;

	if (k >= n)
		return 1;
	for (int i = 0; i < 60; i++) {
		double mid = (lo + hi) / 2;

		if (binomial_cdf(k, n, mid) > alpha)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}
