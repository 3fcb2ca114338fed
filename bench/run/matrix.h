/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep --algos --protos: each combination as an arm, beside one that leaves the choice to NCCL.
 * Says which combinations NCCL cannot do, and notices when it did something else than was asked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct arm;
struct plan;
struct scan_tuning;

/* Words as "ring,tree" and "ll,simple", one of them may be NULL; the first arm is NCCL's own
 * choice. 0; -ENOMEM; -EINVAL with a line in `why`: an unknown word, or one that steers multicast.
 */
int matrix_arms(const char *algos, const char *protos, struct arm **out, size_t *n, char *why,
		size_t why_max) ATTR_MUST;
/* The same for numbers of channels: NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS of each. */
int matrix_channels(const int *channels, size_t n_channels, struct arm **out, size_t *n) ATTR_MUST;
/* Marks points of the plan whose combination does not exist for their operation, or not in that
 * version (0: unknown). */
void matrix_plan(struct plan *p, const struct arm *arms, int nccl_version);
/* `t` is of an operation that ran: did it go another way than the arm asked? Unknown counts as no.
 */
bool matrix_declined(const struct arm *a, const struct scan_tuning *t, char *why, size_t why_max);
