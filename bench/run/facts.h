/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ranks know about their machines: lines of key=value, gathered once. Keys of the worker's
 * --probe (protocol.h, HELLO) plus this room's own: host, rank, local_rank, machine_id, boot,
 * kernel, os, cpu, cpus, shm_bytes, ib.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct coord;

struct facts {
	char **text; /* one per rank */
	int n;
};

/* Value of the first line `key=` in a text; false when absent. */
bool facts_text_get(const char *text, const char *key, char *out, size_t max);
bool facts_get(const struct facts *f, int rank, const char *key, char *out, size_t max);
int64_t facts_int(const struct facts *f, int rank, const char *key, int64_t absent);
/* Fact of the device that the rank uses: "gpu<device>.<key>". */
bool facts_gpu(const struct facts *f, int rank, const char *key, char *out, size_t max);
int facts_device(const struct facts *f, int rank);
/* Both ranks on one host? */
bool facts_same_host(const struct facts *f, int a, int b);
void facts_free(struct facts *f);

/* In `why`, of a worker that is there and did not end by itself. */
#define FACTS_PROBE_DIED "was killed"
#define FACTS_PROBE_HUNG "did not answer"
/* Runs `worker --probe` with a deadline: its lines in *text (heap), or false with one line of why.
 * `nccl_lib` is preloaded when given. */
bool facts_probe(const char *worker, const char *nccl_lib, int64_t timeout_ns, char **text,
		 char *why, size_t why_max) ATTR_MUST;
