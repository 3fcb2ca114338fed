/* SPDX-License-Identifier: Apache-2.0 */
#include "data/merge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/stats.h"

/* Below it the batches of a restart are the only replicates; from it on restarts are (they differ
 * far more than batches do). */
#define RESTARTS_FOR_INTERVAL 6

void merged_fini(struct merged *m)
{
	free(m->samples);
	free(m->per_restart);
	memset(m, 0, sizeof(*m));
}

static int reserve(struct merged *m, size_t more)
{
	size_t cap = m->cap ? m->cap : 16;
	struct sample *grown;

	while (cap < m->n + more)
		cap *= 2;
	if (cap == m->cap)
		return 0;
	grown = realloc(m->samples, cap * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	m->samples = grown;
	m->cap = cap;
	return 0;
}

static int count_restart(struct merged *m, int restart, size_t batches)
{
	size_t *grown;

	if (m->n > 0 && m->samples[m->n - 1].restart == restart) {
		m->per_restart[m->restarts - 1] += batches;
		return 0;
	}
	grown = realloc(m->per_restart, (m->restarts + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	m->per_restart = grown;
	m->per_restart[m->restarts++] = batches;
	return 0;
}

static void one_sample(struct sample *s, const struct op_case *c, const int64_t *ns, size_t stride,
		       double ops)
{
	double sum = 0, max = 0, min = INFINITY;
	int n = 0;

	for (int rank = 0; rank < c->nranks; rank++) {
		struct op_shape shape;
		double us;

		op_table[c->op].shape(c, rank, &shape);
		if (!shape.takes_part)
			continue;
		us = (double)ns[(size_t)rank * stride] / 1e3 / ops * op_table[c->op].time_scale;
		if (us > max || n == 0) {
			max = us;
			s->slowest_rank = rank;
		}
		min = us < min ? us : min;
		sum += us;
		n++;
	}
	s->max_us = max;
	s->min_us = n ? min : 0;
	s->mean_us = n ? sum / n : 0;
	s->ops_per_batch = ops;
}

int merged_add(struct merged *m, const struct op_case *c, int restart, const int64_t *ns,
	       size_t stride, size_t batches, double ops)
{
	int r = reserve(m, batches);

	if (r == 0)
		r = count_restart(m, restart, batches);
	if (r < 0)
		return r;
	for (size_t i = 0; i < batches; i++) {
		struct sample *s = &m->samples[m->n + i];

		memset(s, 0, sizeof(*s));
		s->restart = restart;
		s->batch = (int)(m->per_restart[m->restarts - 1] - batches + i);
		one_sample(s, c, ns + i, stride, ops);
	}
	m->n += batches;
	return 0;
}

int merged_put(struct merged *m, const struct sample *s)
{
	int r;

	if (m->n > 0 && s->restart < m->samples[m->n - 1].restart)
		return -EINVAL;
	r = reserve(m, 1);
	if (r == 0)
		r = count_restart(m, s->restart, 1);
	if (r == 0)
		m->samples[m->n++] = *s;
	return r;
}

static size_t last_restart(const struct merged *m)
{
	return m->restarts ? m->n - m->per_restart[m->restarts - 1] : 0;
}

int merged_append(struct merged *m, const struct merged *last)
{
	int r = last->n ? reserve(m, last->n) : 0;

	if (r == 0 && last->n)
		r = count_restart(m, last->samples[0].restart, last->n);
	if (r < 0 || last->n == 0)
		return r;
	memcpy(m->samples + m->n, last->samples, last->n * sizeof(*last->samples));
	m->n += last->n;
	return 0;
}

int merged_take_last(struct merged *m, struct merged *out)
{
	size_t from = last_restart(m);
	const struct merged last = { .samples = m->samples + from, .n = m->n - from };
	struct merged taken = { .mean = m->mean };
	int r = m->n ? merged_append(&taken, &last) : 0;

	if (r < 0) {
		merged_fini(&taken);
		return r;
	}
	m->restarts -= m->n > 0;
	m->n = from;
	*out = taken;
	return 0;
}

void merged_flag(struct merged *m, size_t n, const char *flags)
{
	for (size_t i = n < m->n ? m->n - n : 0; *flags && i < m->n; i++)
		record_set(m->samples[i].flags, sizeof(m->samples[i].flags), flags);
}

static double *times(const struct merged *m, size_t from)
{
	double *v = malloc((m->n - from + 1) * sizeof(*v));

	for (size_t i = from; v && i < m->n; i++)
		v[i - from] = m->mean ? m->samples[i].mean_us : m->samples[i].max_us;
	return v;
}

double merged_precision(const struct merged *m)
{
	size_t from = last_restart(m), n = m->n - from;
	double *v = n >= 3 ? times(m, from) : NULL;
	double lo, hi, median;

	if (!v)
		return n >= 3 ? NAN : INFINITY;
	stats_median_ci(v, n, &lo, &hi);
	median = stats_median(v, n);
	free(v);
	return median <= 0 ? INFINITY : (hi - lo) / 2 / median;
}

double merged_last_median_us(const struct merged *m)
{
	size_t from = last_restart(m);
	double *v = m->n > from ? times(m, from) : NULL;
	double median = v ? stats_median(v, m->n - from) : NAN;

	free(v);
	return median;
}

static void interval(const struct merged *m, const double *v, struct record *r)
{
	double medians[1024];
	size_t at = 0, n = m->restarts < 1024 ? m->restarts : 1024;

	if (m->restarts < RESTARTS_FOR_INTERVAL) {
		stats_median_ci(v, m->n, &r->ci_lo_us, &r->ci_hi_us);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		medians[i] = stats_median(v + at, m->per_restart[i]);
		at += m->per_restart[i];
	}
	stats_median_ci(medians, n, &r->ci_lo_us, &r->ci_hi_us);
}

int merged_fill(const struct merged *m, struct record *r)
{
	double *v;

	if (m->n == 0)
		return 0;
	v = times(m, 0);
	if (!v)
		return -ENOMEM;
	r->time_us = stats_median_of_medians(v, m->per_restart, m->restarts);
	interval(m, v, r);
	r->p5_us = stats_percentile(v, m->n, 5);
	r->p95_us = stats_percentile(v, m->n, 95);
	r->p99_us = stats_percentile(v, m->n, 99);
	r->min_us = stats_min(v, m->n);
	r->max_us = stats_max(v, m->n);
	r->ops_per_batch = m->samples[0].ops_per_batch;
	r->samples = (double)m->n;
	r->restarts = (double)m->restarts;
	free(v);
	return 0;
}
