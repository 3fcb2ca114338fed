/* SPDX-License-Identifier: Apache-2.0 */
/* Small series for tests: a row, its restarts, a run.json, all as text that the readers read. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "data/record.h"
#include "judge/pool.h"
#include "judge/series.h"

struct text_run {
	struct buf points, samples, json;
};

static inline void run_start(struct text_run *t, const char *boot, const char *nccl)
{
	static int second; /* each is another measurement */

	memset(t, 0, sizeof(*t));
	record_header(&t->points, 0);
	record_header(&t->samples, 1);
	buf_printf(&t->json,
		   "{\"schema\":1,\"ncclbench\":\"0.1.0\",\"started\":\"2026-11-30T10:00:%02dZ\","
		   "\"complete\":true,\"backend\":\"nccl\","
		   "\"machine\":\"2 x GPU\",\"versions\":\"NCCL "
		   "%s\",\"nranks\":2,\"profile\":\"gate\",\"ranks\":[{\"machine_id\":\"m1\","
		   "\"boot\":\"%s\",\"lib_version\":\"%s\",\"driver_version\":\"580\",\"kernel\":"
		   "\"6.1\"}]}",
		   second++ % 60, nccl, boot, nccl);
}

static inline void run_fini(struct text_run *t)
{
	buf_fini(&t->points);
	buf_fini(&t->samples);
	buf_fini(&t->json);
}

static inline void row_start(struct record *r, const char *transport, uint64_t bytes)
{
	record_init(r);
	record_set(r->backend, sizeof(r->backend), "nccl");
	record_set(r->transport, sizeof(r->transport), transport);
	record_set(r->variant, sizeof(r->variant), "plain");
	record_set(r->op, sizeof(r->op), "all_reduce");
	record_set(r->dtype, sizeof(r->dtype), "float");
	record_set(r->redop, sizeof(r->redop), "sum");
	record_set(r->timing, sizeof(r->timing), "graph");
	record_set(r->outcome, sizeof(r->outcome), "ok");
	record_set(r->used, sizeof(r->used), "P2P/CUMEM");
	record_set(r->algo, sizeof(r->algo), "RING");
	r->root = 0;
	r->ranks = 2;
	r->bytes = bytes;
	r->ops_per_batch = 20;
}

/* The row with `restarts` restarts of 3 batches around `us`: restart i is (i - middle) * spread
 * off. */
static inline void row_finish(struct text_run *t, struct record *r, double us, double spread,
			      int restarts)
{
	for (int i = 0; i < restarts; i++)
		for (int b = 0; b < 3; b++) {
			double v =
			    us * (1 + spread * (i - (restarts - 1) / 2.0)) * (1 + 0.001 * (b - 1));
			struct sample s = { .restart = i,
					    .batch = b,
					    .ops_per_batch = 20,
					    .max_us = v,
					    .mean_us = v,
					    .min_us = v };

			sample_write(&t->samples, r, &s);
		}
	r->time_us = us;
	r->ci_lo_us = us * .99;
	r->ci_hi_us = us * 1.01;
	r->restarts = restarts;
	r->samples = 3 * restarts;
	record_write(&t->points, r);
}

static inline void run_row(struct text_run *t, const char *transport, uint64_t bytes, double us)
{
	struct record r;

	row_start(&r, transport, bytes);
	row_finish(t, &r, us, 0.001, 7);
}

/* A row without figures. */
static inline void run_outcome(struct text_run *t, const char *transport, uint64_t bytes,
			       const char *outcome, const char *detail)
{
	struct record r;

	row_start(&r, transport, bytes);
	record_set(r.outcome, sizeof(r.outcome), outcome);
	record_set(r.detail, sizeof(r.detail), detail);
	record_set(r.used, sizeof(r.used), "");
	record_write(&t->points, &r);
}

static inline int run_parse(struct pool *pool, const struct text_run *t, struct series *out,
			    char *why, size_t max)
{
	return series_parse(pool, t->points.data, t->points.len, t->samples.data, t->samples.len,
			    t->json.data, t->json.len, out, why, max);
}
