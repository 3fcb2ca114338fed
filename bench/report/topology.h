/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of how GPUs reach each other: DIR/topology.svg (and .png), with its driver beside it.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct doctor;

/* Pictures drawn: 0 with fewer than two GPUs; -ENOENT without gnuplot or scripts; other negative
 * errno. */
int topology_draw(const struct doctor *d, const char *dir, char *why, size_t why_max) ATTR_MUST;
