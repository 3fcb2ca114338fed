/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithms and protocols beside each other: the fastest of each size, and where NCCL's own choice
 * is another, slower one. From rows of arms whose algo_req or proto_req is set. Decides by
 * intervals within a run: an indication, which --ab or tune confirms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct buf;
struct record;
struct view;

#define MATRIX_WORSE 0.02 /* less is no difference */

struct matrix_cell { /* one transport, operation, timing, size */
	const struct record *own,
	    *best;   /* own NULL: not measured; best: of the requested ones, NULL: none */
	double gain; /* of best over own, in speed: 0.1 is 10 %; NaN */
	bool worse;  /* own is another one and slower by more than MATRIX_WORSE, intervals apart */
	size_t measured, declined; /* combinations */
};

/* By transport (as rows come), operation, timing, bytes. *out is heap, NULL when the run has no
 * such rows. */
int matrix_cells(const struct view *v, struct matrix_cell **out, size_t *n) ATTR_MUST;
/* "tree/ll" of a row of an arm; of NCCL's own choice what the log says. */
void matrix_name(const struct record *r, char *out, size_t max);
/* Tables of crossovers. -ENOMEM. */
int matrix_text(const struct view *v, struct buf *out) ATTR_MUST;
