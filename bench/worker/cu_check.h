/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line about the last thing that went wrong, and the two macros through which every CUDA and
 * NCCL call goes. They return from the calling function: only for functions that leave nothing
 * behind, or whose failure ends the worker (NB_BACKEND_ERROR does).
 */
#pragma once

#include "base/attr.h"
#include "ncclbench/backend.h"

/* Keep a line and a code; returns `status`, so that it can be the operand of return. */
int failure_set(enum nb_backend_status status, int code, const char *fmt, ...) ATTR_PRINTF(3, 4);
const char *failure_text(int *code);

/* `call` is the source text of the call: its name is what stands before the parenthesis. */
int failure_cuda(const char *call, int rc);  /* memory allocation: NB_BACKEND_OOM, else _ERROR */
int failure_nccl(const char *call, int rc);

#define CU_TRY(call)                                                                               \
	do {                                                                                       \
		int cu_rc_ = (int)(call);                                                          \
		if (cu_rc_)                                                                        \
			return failure_cuda(#call, cu_rc_);                                        \
	} while (0)

#define NC_TRY(call)                                                                               \
	do {                                                                                       \
		int nc_rc_ = (int)(call);                                                          \
		if (nc_rc_)                                                                        \
			return failure_nccl(#call, nc_rc_);                                        \
	} while (0)
