/* SPDX-License-Identifier: Apache-2.0 */
/* Test data in, verdict out, for a prepared job on host memory. Nothing here is ever timed. */
#pragma once

#include "base/attr.h"
#include "ncclbench/backend.h"
#include "worker/launch_ucx.h"

#define UCX_POISON 0xA5

/* This rank's input of the case into `dst`, from byte `from` (a multiple of 8) to the end. */
void ucx_verify_fill(const struct ucx_job *job, uint8_t *dst, uint64_t from);
/* Compares the receive buffer with what the operation must give. */
void ucx_verify_check(const struct ucx_job *job, struct nb_check *out);
