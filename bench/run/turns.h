/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order the points of a configuration have their turns with a running crew, and which of
 * them together: pairs at once, held against pairs alone. Collective.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct campaign;
struct crew;
struct fault;

/* Single operations from small to large; config_state.ascended when all had their turn. */
int turns_ascend(struct campaign *k, struct crew *w, size_t config, struct fault *worst,
		 bool *lost) ATTR_MUST;
/* One restart's measurements, shuffled. */
int turns_measure(struct campaign *k, struct crew *w, size_t config, int restart,
		  struct fault *worst, bool *lost) ATTR_MUST;
