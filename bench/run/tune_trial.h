/* SPDX-License-Identifier: Apache-2.0 */
/* One trial of a tune: a setting in fresh workers on all ranks, every point checked and timed once.
 * Decides nothing. */
#pragma once

#include "base/attr.h"
#include "search/meter.h"

struct campaign;
struct tune_classes;

struct tune_order { /* rank 0 to all */
	int what;   /* enum tune_what */
	int attempt;
	size_t config;
	struct setting s;
	double limit_s;
};

enum tune_what { TUNE_END, TUNE_MEASURE };

/* Collective. *out is complete on rank 0, with the time it took. `used` (on rank 0): what carried
 * the data. -EINTR: interrupted. */
int tune_trial(struct campaign *k, const struct tune_classes *c, const struct tune_order *o,
	       struct trial *out, char *used, size_t used_max) ATTR_MUST;
