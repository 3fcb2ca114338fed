/* SPDX-License-Identifier: Apache-2.0 */
/* Operations beside computation, from rows whose column load is set: how much each slows the other,
 * by size and number of channels (docs/overlap.md). */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "spec/load.h"

struct buf;
struct record;
struct view;

#define OVERLAP_CHANNELS " channels" /* end of the label of an arm of --channels */

struct overlap_row { /* one transport, operation, timing, arm, size */
	const struct record *at[LOAD_COUNT]; /* measured; NULL: not. LOAD_NONE is never NULL */
};

/* In the order of the rows without load. *out is heap, NULL when the run has neither
 * loads nor arms of --channels. */
int overlap_rows(const struct view *v, struct overlap_row **out, size_t *n) ATTR_MUST;
/* How many times as long the operation took beside that load as alone; NaN when not measured. */
double overlap_slowed(const struct overlap_row *r, int load);
/* Tables; nothing without loads. -ENOMEM. */
int overlap_text(const struct view *v, struct buf *out) ATTR_MUST;
