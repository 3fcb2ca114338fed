/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between GPUs, within one, and to and from pinned host memory, timed by events: what the
 * links can do without NCCL. One process does both ends, so it must see both GPUs.
 */
#pragma once

#include "ncclbench/backend.h"

/* NB_BACKEND_*; elapsed ns of each sample. Buffers and streams are kept for the next ceiling, and
 * end with the process. */
int ceiling_nccl(const struct nb_ceiling *c, int64_t *ns);
