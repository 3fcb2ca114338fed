/* SPDX-License-Identifier: Apache-2.0 */
/* Elapsed times of all ranks -> samples -> the metrics of one record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "data/record.h"
#include "spec/op.h"

struct merged { /* grows over chunks and restarts */
	struct sample *samples;
	size_t n, cap;
	size_t written;      /* samples already in samples.csv */
	size_t *per_restart; /* samples of each restart that has any */
	size_t restarts;
	bool
	    mean; /* a batch counts as the mean over ranks, not as the slowest: timing nccl-tests */
};

void merged_fini(struct merged *m);
/* ns[rank * stride + i]: elapsed ns of batch i on each rank; `ops` operations were in each. Ranks
 * that take no part are left out. */
int merged_add(struct merged *m, const struct op_case *c, int restart, const int64_t *ns,
	       size_t stride, size_t batches, double ops) ATTR_MUST;
/* A sample that was read back, behind those of its restart or the first of the next. 0; -EINVAL:
 * another order; -ENOMEM. */
int merged_put(struct merged *m, const struct sample *s) ATTR_MUST;
/* The last restart's samples leave `m` (none may be written yet) and become all of `out`; the way
 * back. -ENOMEM changes nothing. */
int merged_take_last(struct merged *m, struct merged *out) ATTR_MUST;
int merged_append(struct merged *m, const struct merged *last) ATTR_MUST;
/* Column `flags` of the last n samples; "" changes nothing. */
void merged_flag(struct merged *m, size_t n, const char *flags);
/* Relative half width of the 95 % interval of the median of the last restart's samples; infinity
 * below 3 samples, NaN without memory. */
double merged_precision(const struct merged *m);
double merged_last_median_us(const struct merged *m);
/* time_us and its companions, ops_per_batch, samples, restarts. */
int merged_fill(const struct merged *m, struct record *r) ATTR_MUST;
