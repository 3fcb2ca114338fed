/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Successive halving: all candidates once, the better half again, and so on, between controls that
 * take drift out. Good ones are joined and moved a step on the way. Ends with a guess per target
 * class, which proves nothing: confirm.h does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "search/meter.h"

struct space;

struct search_class {
	char name[64];
	bool target; /* wanted faster; the others are watched */
};

struct candidate {
	struct setting s;
	bool live;
	int outcome;                /* the first bad one decides */
	char detail[TRIAL_DETAIL];  /* of it */
	size_t n;                   /* restarts */
	double sum[SEARCH_CLASSES]; /* of log time minus that of the controls around it */
};

struct race {
	const struct space *space;
	const struct search_class *classes;
	size_t n_classes;
	struct candidate *c;
	size_t n, cap;
	size_t rounds;
	double control[SEARCH_CLASSES]; /* log time of the last control */
	bool have_control;
	size_t n_controls, n_steps; /* steps: between two controls that follow each other */
	double step_squares[SEARCH_CLASSES];
	int control_outcome;
	char control_detail[TRIAL_DETAIL];
};

/* 0, also when the budget ended it or the control failed (control_outcome); negative. */
int race_run(struct race *r, struct meter *m) ATTR_MUST;
void race_fini(struct race *r);
double race_mean(const struct candidate *c, size_t k);
/* Standard error of that mean, from how the controls differ. */
double race_error(const struct race *r, const struct candidate *c, size_t k);
/* The one to confirm for class k, or NULL: none looks faster. The simplest of those as good as the
 * best. With `harm` (log) only of those that do not look slower by more on any other class;
 * INFINITY: of all. */
const struct candidate *race_best(const struct race *r, size_t k, double harm);
/* Looks slower by more than `harm` on some class but k. */
bool race_harms(const struct race *r, const struct candidate *c, size_t k, double harm);
