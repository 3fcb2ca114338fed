/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a UCX worker itself says of the way its data took, from its answer into the points: the
 * worst of all ranks, passes and restarts. NCCL's workers say nothing; their proof is the log
 * (evidence.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "data/record.h"

struct campaign;
struct crew;
struct point_set;
struct words;

#define TOLD_WORDS 3

extern const char *const told_words[TOLD_WORDS]; /* column proof, by badness */

struct told {
	int badness; /* index of told_words */
	char used[RECORD_TEXT], detail[200];
};

bool told_by_worker(const struct crew *w);
/* Returns the badness with the rank below it, so that the maximum over ranks is the worst, of the
 * lowest rank. */
int64_t told_read(const struct words *answer, int rank, struct told *t);
/* Collective: `packed` is the maximum of told_read; into the states of the points. */
int told_keep(struct campaign *k, struct crew *w, const struct point_set *set, int64_t packed,
	      struct told *mine) ATTR_MUST;
