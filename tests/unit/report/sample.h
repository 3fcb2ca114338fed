/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up runs for the tests of this room: a row at a time, or a whole sweep from a start-up time
 * and a peak. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/record.h"
#include "report/view.h"

#define SAMPLE_ROWS 4096

struct sample_run {
	struct record row[SAMPLE_ROWS];
	size_t n;
};

static inline struct record *sample_row(struct sample_run *s, const char *transport, const char *op,
					uint64_t bytes, const char *timing)
{
	struct record *r = &s->row[s->n++];

	record_init(r);
	record_set(r->backend, sizeof(r->backend), "nccl");
	record_set(r->transport, sizeof(r->transport), transport);
	record_set(r->variant, sizeof(r->variant), "plain");
	record_set(r->op, sizeof(r->op), op);
	record_set(r->dtype, sizeof(r->dtype), "float");
	record_set(r->redop, sizeof(r->redop), "sum");
	record_set(r->timing, sizeof(r->timing), timing);
	record_set(r->outcome, sizeof(r->outcome), "ok");
	r->in_place = 0;
	r->root = 0;
	r->ranks = 2;
	r->bytes = bytes;
	return r;
}

/* A measured row; busbw at 2 ranks equals bytes/time for every operation used here. */
static inline struct record *sample_ok(struct sample_run *s, const char *transport, const char *op,
				       uint64_t bytes, const char *timing, double time_us)
{
	struct record *r = sample_row(s, transport, op, bytes, timing);

	record_set(r->used, sizeof(r->used), "P2P/CUMEM");
	record_set(r->proof, sizeof(r->proof), "yes");
	r->time_us = time_us;
	r->ci_lo_us = time_us * 0.93;
	r->ci_hi_us = time_us * 1.1;
	r->busbw_gbps = r->algbw_gbps = (double)bytes / time_us / 1e3;
	r->restarts = 3;
	return r;
}

static inline void sample_bad(struct sample_run *s, const char *transport, const char *op,
			      uint64_t bytes, const char *timing, const char *outcome,
			      const char *phase, const char *detail)
{
	struct record *r = sample_row(s, transport, op, bytes, timing);

	record_set(r->outcome, sizeof(r->outcome), outcome);
	record_set(r->phase, sizeof(r->phase), phase);
	record_set(r->detail, sizeof(r->detail), detail);
}

/* first..last by 2, time = start + bytes/peak. */
static inline void sample_sweep(struct sample_run *s, const char *transport, const char *used,
				const char *op, uint64_t first, uint64_t last, double start_us,
				double gbps)
{
	static const char *const timings[] = { "graph", "stream" };

	for (int t = 0; t < 2; t++)
		for (uint64_t b = first; b <= last; b *= 2) {
			struct record *r =
			    sample_ok(s, transport, op, b, timings[t],
				      start_us * (t == 0 ? 1 : 1.4) + (double)b / gbps / 1e3);

			record_set(r->used, sizeof(r->used), used);
		}
}
