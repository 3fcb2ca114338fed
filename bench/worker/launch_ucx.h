/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of operations on host memory: how ranks move the bytes of one operation. No clock, no
 * pattern.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "spec/op.h"
#include "worker/ucx_net.h"
#include "worker/ucx_reduce.h"

struct ucx_job { /* one prepared case on this rank */
	struct ucx_net *net;
	struct op_case c;
	struct op_shape shape;
	struct ucx_group group; /* who takes part */
	const uint8_t *send; /* == recv when in place and both exist; NULL without such a buffer */
	uint8_t *recv;
	uint8_t *scratch; /* launch_scratch_bytes of it */
	size_t element_bytes;
	ucx_reduce_fn *reduce; /* of reductions */
};

/* NULL when this backend has no such operation. */
typedef int launch_fn(struct ucx_job *job);
launch_fn *launch_find(int op);
uint64_t launch_scratch_bytes(const struct op_case *c);
