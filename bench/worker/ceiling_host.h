/* SPDX-License-Identifier: Apache-2.0 */
/* The one ceiling that needs no GPU: a copy within host memory by one thread. */
#pragma once

#include "base/attr.h"
#include "ncclbench/backend.h"

/* Elapsed ns of each sample; 0 or -ENOMEM. */
int ceiling_host(const struct nb_ceiling *c, int64_t *ns) ATTR_MUST;
