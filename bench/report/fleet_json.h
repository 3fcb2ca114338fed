/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison as one object for scripts. Keys are added, never renamed. */
#pragma once

#include "base/attr.h"

struct fleet;
struct fleet_compare;

/* Heap text with a newline at its end, or NULL. */
char *fleet_json(const struct fleet *f, const struct fleet_compare *c) ATTR_MUST;
