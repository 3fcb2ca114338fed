/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong with a worker, as data: it becomes a row, never an error return. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "data/record.h"

struct coord;

struct fault {
	int outcome;      /* OUTCOME_OK: nothing */
	int phase;        /* phase_id at which it happened */
	int code;         /* the library's own number, 0 if none */
	bool fatal; /* the worker said that it ends; after fault_agree: some rank's worker cannot be
		       used */
	char detail[RECORD_DETAIL];
};

void fault_clear(struct fault *f);
void fault_set(struct fault *f, int outcome, int phase, const char *fmt, ...) ATTR_PRINTF(4, 5);
bool fault_is(const struct fault *f);           /* anything but ok */
bool fault_lost_worker(const struct fault *f);  /* the worker cannot be used after it */

/*
 * One round: all ranks learn the worst fault (severity, then lowest rank) and the element-wise
 * maximum of `extra`. *worst_rank is -1 when all are well. Negative only when the run itself cannot
 * go on.
 */
int fault_agree(struct coord *c, const struct fault *mine, int64_t *extra, int n_extra,
		struct fault *worst, int *worst_rank) ATTR_MUST;
