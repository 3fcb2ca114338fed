/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of named presets of how much to measure. */
#pragma once

#include <stdint.h>

struct profile {
	const char *name;          /* quick standard gate */
	const char *help;
	int restarts;              /* fresh workers per configuration */
	int64_t single_limit_ns; /* a point whose one operation is predicted above it is skipped */
	int64_t batch_min_ns;      /* replays fill a batch to at least this */
	int64_t point_budget_ns;   /* measuring time per point and restart, batches until then */
	int min_batches, max_batches;
	uint64_t ucx_max_bytes;    /* end of the default size range on UCX */
};

extern const struct profile profile_table[];
extern const int profile_count;
int profile_find(const char *name); /* -1 */
/* Wanted relative half width of the 95 % interval of the median at that size (0.01 / 0.02 / 0.05).
 */
double profile_precision(uint64_t bytes);
