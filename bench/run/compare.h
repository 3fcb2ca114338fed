/* SPDX-License-Identifier: Apache-2.0 */
/* Arms of a campaign against each other: how many restarts that takes, and what came of it. Rank
 * 0's, without other ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct buf;
struct campaign;
struct plan;

/* Restarts with which the groups of this plan can be told apart at all. */
int compare_restarts(const struct plan *p);
/* Reads the run's files back, writes ab.json and ab.md beside them; the same as text and as JSON
 * for the caller. 0; -errno with a line in `why`. */
int compare_arms(const struct campaign *k, bool color, struct buf *text, struct buf *json,
		 char *why, size_t why_max) ATTR_MUST;
