/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of one point: the steps that turns.c puts in order, and its row. Functions that
 * return int are collective; *lost: the workers cannot be used any more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct campaign;
struct crew;
struct fault;

void step_show(struct campaign *k, size_t config, size_t point, size_t at_once);
/* Before asking any worker: 1 when the point is settled. */
int step_settle_unasked(struct campaign *k, size_t config, size_t point) ATTR_MUST;
/* 1: NCCL took another algorithm than was asked for, and the point is settled. */
int step_settle_declined(struct campaign *k, struct crew *w, size_t config, size_t point) ATTR_MUST;
/* One operation tells enough of a long one whose smaller size this worker ran. Equal on all ranks.
 */
bool step_one_is_enough(const struct campaign *k, const struct crew *w, size_t first, size_t point);
bool step_connected(const struct campaign *k, size_t first, size_t point); /* after such a one */
int step_probe(struct campaign *k, struct crew *w, size_t config, size_t point, struct fault *worst,
	       bool *lost) ATTR_MUST;
int step_measure(struct campaign *k, struct crew *w, size_t config, size_t point, int restart,
		 struct fault *worst, bool *lost) ATTR_MUST;
/* After a bad answer: the row, and whether the crew can go on. */
int step_fault(struct campaign *k, struct crew *w, size_t config, size_t point,
	       const struct fault *worst, bool *lost) ATTR_MUST;
/* A row without a measurement. `w`: the crew whose log may know why; NULL. */
int step_fail(struct campaign *k, const struct crew *w, size_t config, size_t point,
	      const struct fault *fault) ATTR_MUST;
/* Not final, and all that was measured so far is in its record. */
bool step_has_figures(const struct campaign *k, size_t point);
/* The first point whose row is not final. */
bool step_first_open(const struct campaign *k, size_t config, size_t *point);
void step_store_samples(struct campaign *k, size_t point);
void step_finish(struct campaign *k, size_t point);
