/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of operations as other tools name them, and what their bandwidths mean. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum import_share { SHARE_WHOLE, SHARE_OLD, SHARE_REST };

struct import_op {
	const char *name;  /* nccl-tests: NAME_perf */
	const char *ours;  /* spec/op.h; NULL: not an operation of ours */
	const char *alias; /* spelled without underscores and as OSU does, or NULL */
	double (*factor)(int ranks);
	/* algbw: OLD: up to 2.8 computed from the bytes that travel, so that it equalled busbw;
	 * REST: still is. */
	enum import_share share;
	bool in_place_invalid; /* the tool times an in-place form that gives wrong data: not a
				  measurement */
};

extern const struct import_op import_ops[];
extern const size_t import_n_ops;

/* By exact name or alias; NULL. */
const struct import_op *import_op_find(const char *name, size_t len);
/* By a word that holds the name: "results/allreduce-2x.txt"; the longest name wins. NULL. */
const struct import_op *import_op_within(const char *text);
