/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One configuration in one restart: as many crews as it takes until its points had their turn or it
 * is given up, and what becomes of its points then. Collective.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct campaign;
struct config_state;

int shift_run(struct campaign *k, size_t config, int restart) ATTR_MUST;
/* Nothing more can be measured: what the rest of its points become, and why. */
void shift_give_up(struct config_state *cs, int outcome, const char *why);
