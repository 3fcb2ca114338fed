/* SPDX-License-Identifier: Apache-2.0 */
/* Private to spec: a plan's request with its defaults filled in and its contradictions refused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "spec/op.h"
#include "spec/plan.h"
#include "spec/transport.h"

struct choice_limits {           /* what a backend can do; the rest is said in each point's row */
	unsigned op_flag;        /* operations must have it; 0: all */
	unsigned dtypes, redops; /* of reductions; copies know no types */
	unsigned timings, variants;
	unsigned default_timings;
};

extern const struct choice_limits choice_limits[BACKEND_COUNT];

struct choice {
	const struct plan_request *r;
	unsigned long long ops, transports; /* sets of ids, none empty */
	unsigned dtypes, redops, in_place, timings, variants;
	uint64_t *sizes[OP_COUNT]; /* ascending, without doubles; owned */
	size_t n_sizes[OP_COUNT];
};

/* 0, -ENOMEM, or -EINVAL with a line in `why`; `out` changes only on success. */
int choice_make(const struct plan_request *r, struct choice *out, char *why, size_t max) ATTR_MUST;
void choice_fini(struct choice *c);
int choice_refuse(char *why, size_t max, const char *fmt, ...) ATTR_PRINTF(3, 4); /* -EINVAL */

static inline bool choice_has(unsigned long long set, int bit)
{
	return set >> bit & 1;
}
