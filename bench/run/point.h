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
/* PREPARE, RUN single, CHECK: fills est_us of the point. `once`: one operation instead of two,
 * equal on all ranks. */
int point_probe(struct campaign *k, struct crew *w, size_t config, size_t point, bool once,
		struct fault *worst) ATTR_MUST;
/* PREPARE, RUN in chunks until precise or out of budget, CHECK: adds to merged; *stop says why it
 * ended. */
int point_measure(struct campaign *k, struct crew *w, size_t config, size_t point, int restart,
		  const char **stop, struct fault *worst) ATTR_MUST;
/* Fills the key, proof, algorithm and metrics of the point's record (rank 0). `worst` may be a
 * fault: then it is an outcome row. */
int point_record(struct campaign *k, const struct crew *w, size_t config, size_t point,
		 const struct fault *worst, const char *stop) ATTR_MUST;
