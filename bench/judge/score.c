/* SPDX-License-Identifier: Apache-2.0 */
/* See score.h. */
#include "judge/score.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/stats.h"
#include "judge/join.h"
#include "judge/series.h"
#include "spec/outcome.h"

static size_t restarts_of(const struct series *s)
{
	size_t most = 1;

	for (size_t i = 0; s && i < s->n; i++)
		if (s->points[i].n_m > 0 && s->points[i].r[s->points[i].n_m - 1] >= most)
			most = (size_t)s->points[i].r[s->points[i].n_m - 1] + 1;
	return most;
}

static size_t *starts_of(const struct series *const *used, size_t n)
{
	size_t *start = calloc(n + 1, sizeof(*start));

	for (size_t i = 0; start && i < n; i++) {
		start[i] = i;
		for (size_t k = 0; k < i; k++)
			if (strcmp(used[k]->facts.boot, used[i]->facts.boot) == 0)
				start[i] = start[k];
	}
	return start;
}

int scorer_init(struct scorer *s, const struct series *const *used, size_t n_used,
		const struct series *now, const struct series *confirm)
{
	size_t stride = restarts_of(now), room;

	for (size_t i = 0; i < n_used; i++)
		stride = stride > restarts_of(used[i]) ? stride : restarts_of(used[i]);
	stride = stride > restarts_of(confirm) ? stride : restarts_of(confirm);
	room = stride * (n_used + 1) + 1;
	*s = (struct scorer){ .used = used, .n_used = n_used, .stride = stride, .bare = now->bare };
	s->start = starts_of(used, n_used);
	s->base = calloc(room, sizeof(double));
	s->sum = calloc(room, sizeof(double));
	s->scratch = calloc(room, sizeof(double));
	s->count = calloc(room, sizeof(unsigned));
	s->now = calloc(stride + 1, sizeof(double));
	s->centre = calloc(n_used + 1, sizeof(double));
	s->series = calloc(n_used + 1, sizeof(double));
	s->in = calloc(n_used + 1, sizeof(bool));
	return s->series && s->in && s->start && s->base && s->sum && s->scratch && s->count &&
		       s->now && s->centre
		   ? 0
		   : -ENOMEM;
}

void scorer_fini(struct scorer *s)
{
	free((void *)(uintptr_t)s->start);
	free(s->base);
	free(s->sum);
	free(s->scratch);
	free(s->count);
	free(s->now);
	free(s->centre);
	free(s->series);
	free(s->in);
	*s = (struct scorer){ 0 };
}

/* Operations per loop are fixed by size and timing and change small figures; how often the loop is
 * replayed (1, 4, 16 ...) follows the time and does not: docs/decisions/0005. The column is their
 * product, so a power of four is replays. */
static bool same_batch(const struct point *a, const struct point *b)
{
	double ratio = (double)a->ops_per_batch / (double)b->ops_per_batch;

	if (isnan(ratio) || isinf(ratio) || ratio <= 0)
		return !(a->ops_per_batch > 0 && b->ops_per_batch > 0) ||
		       a->ops_per_batch == b->ops_per_batch;
	if (ratio < 1)
		ratio = 1 / ratio;
	while (ratio > 2)
		ratio /= 4;
	return fabs(ratio - 1) < 1e-6;
}

bool scorer_usable(const struct scorer *s, const struct point *base, const struct point *now)
{
	if (!base || !now || base->outcome != OUTCOME_OK || now->outcome != OUTCOME_OK)
		return false;
	if (!s->bare && (base->n_m == 0 || now->n_m == 0))
		return false;
	return s->any_batch || same_batch(base, now);
}

/* Machine starts among the series that s->in marks. */
static size_t count_starts(const struct scorer *s)
{
	const bool *in = s->in;
	size_t n = 0;

	for (size_t i = 0; i < s->n_used; i++) {
		size_t k = 0;

		while (k < i && !(in[k] && s->start[k] == s->start[i]))
			k++;
		n += in[i] && k == i;
	}
	return n;
}

static size_t restarts_told(const struct point *p)
{
	return p->n_m > 0                              ? p->n_m
	       : p->restarts >= 1 && p->restarts < 1e6 ? (size_t)p->restarts
						       : 0;
}

static void bare_point(struct scorer *s, const struct row *row, const struct point *now,
		       struct evidence *e)
{
	double *lo = s->sum, *hi = s->scratch;
	size_t n = 0;

	for (size_t h = 0; h < s->n_used; h++) {
		const struct point *p = row->at[h];

		if (!scorer_usable(s, p, now))
			continue;
		s->base[n] = s->centre[n] = p->log_time;
		lo[n] = p->log_lo;
		hi[n] = p->log_hi;
		e->restarts_base += restarts_told(p);
		n++;
	}
	e->n_base = e->n_series = n;
	e->base_lo = stats_median(lo, n);
	e->base_hi = stats_median(hi, n);
	e->now[0] = now->log_time;
	e->now_lo = now->log_lo;
	e->now_hi = now->log_hi;
	e->n_now = 1;
	e->restarts_now = restarts_told(now);
}

/* Pooled over the series: adds one series' squares, and its degrees of freedom. */
static void add_squares(const double *v, size_t n, double *squares, double *freedom)
{
	double mean = stats_mean(v, n);

	for (size_t i = 0; i < n; i++)
		*squares += (v[i] - mean) * (v[i] - mean);
	*freedom += n > 0 ? (double)n - 1 : 0;
}

static void full_point(struct scorer *s, const struct row *row, const struct point *now,
		       struct evidence *e)
{
	double squares = 0, freedom = 0;

	for (size_t h = 0; h < s->n_used; h++) {
		const struct point *p = row->at[h];

		if (!scorer_usable(s, p, now))
			continue;
		memcpy(e->base + e->n_base, p->m, p->n_m * sizeof(*p->m));
		e->n_base += p->n_m;
		e->centre[e->n_series++] = stats_median(p->m, p->n_m);
		add_squares(p->m, p->n_m, &squares, &freedom);
	}
	e->within = freedom > 0 ? sqrt(squares / freedom) : NAN;
	memcpy(e->now, now->m, now->n_m * sizeof(*now->m));
	e->n_now = e->restarts_now = now->n_m;
	e->restarts_base = e->n_base;
}

static void start_evidence(const struct scorer *s, struct evidence *e)
{
	*e = (struct evidence){
		.base = s->base,
		.centre = s->centre,
		.now = s->now,
		.bare = s->bare,
		.within = NAN,
	};
}

bool score_point(struct scorer *s, const struct row *row, size_t column, struct evidence *e)
{
	const struct point *now = row->at[column];

	start_evidence(s, e);
	for (size_t h = 0; h < s->n_used; h++)
		s->in[h] = scorer_usable(s, row->at[h], now);
	e->n_starts = count_starts(s);
	if (e->n_starts == 0)
		return false;
	if (s->bare)
		bare_point(s, row, now, e);
	else
		full_point(s, row, now, e);
	return true;
}

/* ---- groups ---- */

/* Adds the restarts of one cell, from the point's centre, to the sums of a series' row. */
static void add_cell(struct scorer *s, size_t line, const struct point *p, double centre)
{
	double *sum = s->sum + line * s->stride;
	unsigned *count = s->count + line * s->stride;

	for (size_t i = 0; i < p->n_m; i++) {
		sum[p->r[i]] += p->m[i] - centre;
		count[p->r[i]]++;
	}
}

/* Median of the point over all restarts of the baseline. */
static double centre_of(struct scorer *s, const struct row *row, const struct point *now)
{
	size_t n = 0;

	for (size_t h = 0; h < s->n_used; h++) {
		const struct point *p = row->at[h];

		if (!scorer_usable(s, p, now))
			continue;
		memcpy(s->scratch + n, p->m, p->n_m * sizeof(*p->m));
		n += p->n_m;
	}
	return stats_median(s->scratch, n);
}

/* Means of the restarts that have at least half of the points; how many there are. */
static size_t means(const struct scorer *s, size_t line, double *out)
{
	const double *sum = s->sum + line * s->stride;
	const unsigned *count = s->count + line * s->stride;
	unsigned most = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->stride; i++)
		most = count[i] > most ? count[i] : most;
	for (size_t i = 0; i < s->stride; i++)
		if (count[i] > 0 && count[i] * 2 >= most)
			out[n++] = sum[i] / count[i];
	return n;
}

static void full_group(struct scorer *s, const struct row *rows, const bool *take, size_t n,
		       size_t column, struct evidence *e)
{
	size_t lines = s->n_used + 1;
	double squares = 0, freedom = 0;

	memset(s->sum, 0, lines * s->stride * sizeof(*s->sum));
	memset(s->count, 0, lines * s->stride * sizeof(*s->count));
	for (size_t i = 0; i < n; i++) {
		const struct point *now = rows[i].at[column];
		double centre;

		if (!take[i] || !now)
			continue;
		centre = centre_of(s, &rows[i], now);
		if (isnan(centre))
			continue;
		for (size_t h = 0; h < s->n_used; h++)
			if (scorer_usable(s, rows[i].at[h], now))
				add_cell(s, h, rows[i].at[h], centre);
		add_cell(s, s->n_used, now, centre);
	}
	for (size_t h = 0; h < s->n_used; h++) {
		size_t k = means(s, h, e->base + e->n_base);

		if (k > 0)
			e->centre[e->n_series++] = stats_median(e->base + e->n_base, k);
		add_squares(e->base + e->n_base, k, &squares, &freedom);
		e->n_base += k;
	}
	e->within = freedom > 0 ? sqrt(squares / freedom) : NAN;
	e->n_now = e->restarts_now = means(s, s->n_used, e->now);
	e->restarts_base = e->n_base;
}

/* Sums of what bare_point finds, point by point. */
static void bare_group(struct scorer *s, const struct row *rows, const bool *take, size_t n,
		       size_t column, struct evidence *e)
{
	double shift = 0, lo = 0, hi = 0, points = 0, *series = s->series;
	size_t least = SIZE_MAX;

	memset(series, 0, s->n_used * sizeof(*series));
	for (size_t i = 0; i < n; i++) {
		struct evidence one;
		double centre;

		if (!take[i] || !score_point(s, &rows[i], column, &one))
			continue;
		centre = stats_median(one.base, one.n_base);
		shift += one.now[0] - centre;
		lo += one.now_lo - one.base_hi;
		hi += one.now_hi - one.base_lo;
		for (size_t h = 0; h < one.n_series && one.n_series == s->n_used; h++)
			series[h] += one.centre[h] - centre;
		least = one.restarts_now < least ? one.restarts_now : least;
		e->restarts_base = one.restarts_base;
		points++;
	}
	e->restarts_now = points > 0 ? least : 0;
	e->n_base = e->n_now = points > 0;
	e->n_series = points > 0 ? s->n_used : 0;
	for (size_t h = 0; h < e->n_series; h++)
		e->centre[h] = series[h] / points;
	e->base[0] = 0;
	e->now[0] = shift / points;
	e->now_lo = lo / points;
	e->now_hi = hi / points;
	e->base_lo = e->base_hi = 0;
}

bool score_group(struct scorer *s, const struct row *rows, const bool *take, size_t n,
		 size_t column, struct evidence *e)
{
	start_evidence(s, e);
	if (s->bare)
		bare_group(s, rows, take, n, column, e);
	else
		full_group(s, rows, take, n, column, e);
	memset(s->in, 0, s->n_used * sizeof(*s->in));
	for (size_t i = 0; i < n; i++)
		for (size_t h = 0; take[i] && h < s->n_used; h++)
			s->in[h] |= scorer_usable(s, rows[i].at[h], rows[i].at[column]);
	e->n_starts = count_starts(s);
	return e->n_base > 0 && e->n_now > 0;
}
