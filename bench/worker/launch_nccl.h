/* SPDX-License-Identifier: Apache-2.0 */
/* Puts one operation into a stream: the only place that knows which NCCL calls an op_id means. */
#pragma once

#include <stddef.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "spec/op.h"

struct launch_args {
	const struct op_case *c;
	int rank;
	const void *send; /* NULL when this rank sends nothing */
	void *recv;       /* NULL when it receives nothing */
	size_t count;     /* elements of one message: the whole, or one rank's share (OP_SHARED) */
	size_t elem_bytes;
	ncclDataType_t type;
	ncclRedOp_t redop;
	ncclComm_t comm;
	cudaStream_t stream;
};

/* NB_BACKEND_OK or NB_BACKEND_ERROR with its text kept. A rank that takes no part does nothing. */
int launch_op(const struct launch_args *a);
