/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which round each ordered pair of ranks is measured. Pure arithmetic: which pairs may be
 * measured at once is asked of the caller, for pairs of four different ranks only.
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"

/* May a->b and c->d be measured at once? Must be symmetric. */
typedef bool rounds_apart_fn(const void *arg, int a, int b, int c, int d);

struct rounds {
	int ranks, n; /* n rounds */
	int *of;      /* of[a * ranks + b]: the round of a->b, from 0; -1 for a == b */
};

/*
 * Pairs are taken in the order of a round-robin tournament and put into the first round where all
 * are apart; of many ranks into the first of the latest rounds. When all pairs are apart, that
 * gives the fewest rounds there can be: 2(n-1) for an even number of ranks, 2n for an odd one.
 * *out is empty unless 0 is returned. -ENOMEM; -EINVAL: fewer than two ranks.
 */
int rounds_build(int ranks, rounds_apart_fn *apart, const void *arg, struct rounds *out) ATTR_MUST;
/* The same where no two pairs are apart, and where all are: neither has to search. */
int rounds_alone(int ranks, struct rounds *out) ATTR_MUST;
int rounds_together(int ranks, struct rounds *out) ATTR_MUST;
void rounds_fini(struct rounds *r);
