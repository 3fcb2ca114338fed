/* SPDX-License-Identifier: Apache-2.0 */
/* One point with a running crew: the single operation of the ascending pass, and the measurement.
 * Collective. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "run/campaign.h"

struct fault;

/* The key of a point's row, but for what its arm adds. */
void point_key(int transport, const struct plan_point *p, const char *map, struct record *r);
/* Points that are measured at once: equal but for their pairs, which have no rank in common. Every
 * worker is told its own pair; a fault of one is a fault of all. */
struct point_set {
	const size_t *points;
	size_t n;
};

/* PREPARE, RUN single, CHECK: fills est_us of the points. `once`: one operation instead of two,
 * equal on all ranks. */
int points_probe(struct campaign *k, struct crew *w, size_t config, const struct point_set *set,
		 bool once, struct fault *worst) ATTR_MUST;
int point_probe(struct campaign *k, struct crew *w, size_t config, size_t point, bool once,
		struct fault *worst) ATTR_MUST;
/* PREPARE, RUN in chunks until precise or out of budget, CHECK: adds to merged; *stop says why it
 * ended. */
int points_measure(struct campaign *k, struct crew *w, const struct point_set *set, int restart,
		   const char **stop, struct fault *worst) ATTR_MUST;
int point_measure(struct campaign *k, struct crew *w, size_t config, size_t point, int restart,
		  const char **stop, struct fault *worst) ATTR_MUST;
/* Fills the key, proof, algorithm and metrics of the point's record (rank 0). `worst` may be a
 * fault: then it is an outcome row. */
int point_record(struct campaign *k, const struct crew *w, size_t config, size_t point,
		 const struct fault *worst, const char *stop) ATTR_MUST;
