/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ncclbench tune`: the search of bench/search over real workers. Rank 0 searches, the other ranks
 * measure what it asks for. Trials go to trials.jsonl, from which an interrupted search goes on.
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "run/tune_class.h"
#include "search/journal.h"
#include "search/search.h"
#include "search/space.h"

struct campaign;
struct finish;
struct launch;
struct options;
struct plan;
struct plan_request;

struct tune_part { /* one transport */
	int transport;
	size_t config;
	char why[400]; /* it cannot be searched here; "" */
	char used[64]; /* what carried the default's data, as far as is known */
	struct tune_classes classes;
	struct space space;
	struct search_result result;
	bool searched, interrupted;
};

struct tune {
	struct campaign *k;
	const struct finish *finish;
	struct tune_part *parts;
	size_t n_parts;
	struct journal before;
	int journal_fd; /* rank 0 */
	int attempts;   /* trials started, for log names */
	double dearest_s, budget_s, spent_s;
	size_t n_known; /* trials taken from the journal */
	bool broken;    /* rank 0: the journal cannot be written */
	struct tune_part *now;
};

/* Fills what the objective asks for; what the user gave stays. A new *sizes is heap and the
 * caller's. -EINVAL with a line. */
int tune_request(const struct options *o, struct plan_request *q, uint64_t **sizes, char *why,
		 size_t why_max) ATTR_MUST;
/* The plan holds what the objective needs: 0 or -EINVAL with a line. */
int tune_check(const struct options *o, const struct plan *plan, char *why,
	       size_t why_max) ATTR_MUST;
/* Collective, the run directory is open. *code: the exit code, on rank 0. Negative when the ranks
 * can no longer agree. */
int tune_run(struct tune *t, struct campaign *k, const struct finish *f, int *code) ATTR_MUST;
void tune_fini(struct tune *t);
/* --dry-run: what would be tried on each transport. */
void tune_print_space(struct campaign *k, const struct options *o, const struct launch *l,
		      char *const *environment);
