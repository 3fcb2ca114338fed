/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up machine for tests of the gate: series of 4 transports x 12 sizes whose restarts differ
 * as those of real ones do. The sds are inputs, in a table; what the gate makes of them is the
 * test.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/record.h"
#include "judge/facts.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "spec/outcome.h"

#define WORLD_TRANSPORTS 4
#define WORLD_SIZES 12
#define WORLD_POINTS (WORLD_TRANSPORTS * WORLD_SIZES)

struct world_noise { /* of one point: sd of logs, by level */
	double series, restart, batch;
	double outlier_rate, outlier_size; /* of batches; mean size, log */
};

struct world {
	struct world_noise noise[WORLD_TRANSPORTS][3]; /* small, mid, large: 4 sizes each */
	double drift;                                  /* factor on the series' sd */
	double shared; /* part of the restart's variance that a transport's points share */
	double slow_rate, slow_size; /* restarts of a whole transport that are slow */
	double common;               /* part of the series' variance that all points share */
	int restarts, batches;
	uint64_t seed;
	double spare;
	int have_spare;
	struct pool pool;
	uint32_t group[WORLD_TRANSPORTS];
};

struct world_session {
	double effect[WORLD_POINTS];
};

static inline double world_uniform(struct world *w)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (double)(w->seed >> 11) * 0x1p-53;
}

static inline double world_normal(struct world *w)
{
	double u, v, s;

	if (w->have_spare) {
		w->have_spare = 0;
		return w->spare;
	}
	do {
		u = 2 * world_uniform(w) - 1;
		v = 2 * world_uniform(w) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s <= 0);
	s = sqrt(-2 * log(s) / s);
	w->spare = v * s;
	w->have_spare = 1;
	return u * s;
}

static inline int world_init(struct world *w, uint64_t seed)
{
	static const char *const names[WORLD_TRANSPORTS] = { "auto", "p2p", "shm", "socket" };
	int rc = 0;

	w->seed = seed;
	for (int t = 0; t < WORLD_TRANSPORTS && rc == 0; t++) {
		struct record key;
		char text[SERIES_KEY_MAX];

		record_init(&key);
		record_set(key.backend, sizeof(key.backend), "nccl");
		record_set(key.transport, sizeof(key.transport), names[t]);
		record_set(key.op, sizeof(key.op), "all_reduce");
		record_set(key.dtype, sizeof(key.dtype), "float");
		record_set(key.timing, sizeof(key.timing), "graph");
		key.ranks = 2;
		series_group_text(&key, text, sizeof(text));
		rc = pool_add(&w->pool, text, &w->group[t]);
	}
	return rc;
}

static inline uint64_t
world_bytes(int size) /* 8 sizes up to 64 KiB would be usual; 4 per class here */
{
	static const uint64_t bytes[WORLD_SIZES] = {
		8,       1 << 10,  16 << 10, 64 << 10, 128 << 10, 1 << 20,
		4 << 20, 16 << 20, 32 << 20, 64 << 20, 256 << 20, 1 << 30,
	};

	return bytes[size];
}

static inline const struct world_noise *world_noise_of(const struct world *w, int p)
{
	return &w->noise[p / WORLD_SIZES][p % WORLD_SIZES / 4];
}

static inline void world_session(struct world *w, struct world_session *s)
{
	double all = world_normal(w);

	for (int p = 0; p < WORLD_POINTS; p++)
		s->effect[p] = w->drift * world_noise_of(w, p)->series *
			       (sqrt(w->common) * all + sqrt(1 - w->common) * world_normal(w));
}

static inline int world_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline double world_median(struct world *w, const struct world_noise *n, double centre)
{
	double v[64];
	int k = w->batches;

	for (int b = 0; b < k; b++) {
		v[b] = n->batch * world_normal(w);
		if (n->outlier_rate > 0 && world_uniform(w) < n->outlier_rate)
			v[b] -= n->outlier_size * log(1 - world_uniform(w));
		for (int i = b; i > 0 && v[i] < v[i - 1]; i--) {
			double t = v[i];

			v[i] = v[i - 1];
			v[i - 1] = t;
		}
	}
	return centre + (k % 2 ? v[k / 2] : (v[k / 2 - 1] + v[k / 2]) / 2);
}

/* A series of that session with `effect` (log, per point; NULL none) on top. */
static inline int world_series(struct world *w, const struct world_session *session,
			       const double *effect, int start, struct series *out)
{
	size_t n = WORLD_POINTS, total = n * (size_t)w->restarts;
	struct series s = {
		.points = calloc(n, sizeof(*s.points)),
		.n = n,
		.m = calloc(total, sizeof(*s.m)),
		.r = calloc(total, sizeof(*s.r)),
	};

	if (!s.points || !s.m || !s.r)
		return -1;
	snprintf(s.facts.boot, sizeof(s.facts.boot), "start%d", start);
	for (int p = 0; p < WORLD_POINTS; p++)
		s.points[p] = (struct point){
			.group = w->group[p / WORLD_SIZES],
			.bytes = world_bytes(p % WORLD_SIZES),
			.outcome = OUTCOME_OK,
			.channels = NAN,
			.ops_per_batch = 20,
			.peak_pct = NAN,
			.m = s.m + (size_t)(p * w->restarts),
			.r = s.r + (size_t)(p * w->restarts),
			.n_m = (size_t)w->restarts,
		};
	for (int r = 0; r < w->restarts; r++) {
		double shared[WORLD_TRANSPORTS], slow[WORLD_TRANSPORTS];

		for (int t = 0; t < WORLD_TRANSPORTS; t++) {
			shared[t] = world_normal(w);
			slow[t] =
			    w->slow_rate > 0 && world_uniform(w) < w->slow_rate ? w->slow_size : 0;
		}
		for (int p = 0; p < WORLD_POINTS; p++) {
			const struct world_noise *noise = world_noise_of(w, p);
			int t = p / WORLD_SIZES;
			double restart = noise->restart * (sqrt(w->shared) * shared[t] +
							   sqrt(1 - w->shared) * world_normal(w));

			s.points[p].r[r] = (uint16_t)r;
			s.points[p].m[r] = world_median(w, noise,
							4 + session->effect[p] + restart + slow[t] +
							    (effect ? effect[p] : 0));
		}
	}
	for (int p = 0; p < WORLD_POINTS; p++) {
		double v[64];

		memcpy(v, s.points[p].m, (size_t)w->restarts * sizeof(*v));
		qsort(v, (size_t)w->restarts, sizeof(*v), world_by_value);
		s.points[p].log_time = v[w->restarts / 2];
		s.points[p].log_lo = s.points[p].log_hi = NAN;
	}
	*out = s;
	return 0;
}
