/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions that a point consists of, PREPARE, RUN and CHECK, put to a running crew.
 * Collective. Private to the sources of point.h and told.h, which know why they ask.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/clock.h"

#define POINT_GATHER_NS (900 * CLOCK_S)

struct campaign;
struct crew;
struct fault;
struct msg;
struct plan_point;
struct point_set;

/* The point that this rank has a part in; of none, the first one, which it sits out. */
const struct plan_point *point_own(const struct campaign *k, const struct point_set *set);
int point_prepare(struct crew *w, const struct plan_point *p, int timing, bool quiet,
		  size_t at_once, struct fault *worst) ATTR_MUST;
/* Begins the message of a RUN; the caller adds and asks. */
void point_begin_run(struct msg *m, const char *mode, int batches, int ops, int replays,
		     int warmup);
/* *wrong: wrong elements over all ranks, when there are any. */
int point_check(struct crew *w, double *wrong, struct fault *worst) ATTR_MUST;
/* `size` bytes of every rank, in the order of ranks, for the caller to free; NULL with *r negative.
 */
void *point_gather(struct crew *w, const void *mine, size_t size, int *r) ATTR_MUST;
