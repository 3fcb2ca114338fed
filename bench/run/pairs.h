/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured at once in a configuration, and what of it is measured again alone. Decides
 * only: the same on all ranks, from the plan, facts and merged samples; turns.c measures.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "run/pair_path.h"

struct campaign;
struct merged;
struct view_pair;

enum { PAIR_CLASSES_MAX = 24 };

struct pair_task {       /* points that are measured at once; most often one */
	size_t first, n; /* of pairs.order */
	size_t form;     /* tasks of equal operation, size, timing ... have the same number */
	bool alone;      /* its pairs disturbed each other: one after another from now on */
};

struct pairs {
	uint32_t *order; /* points of the configuration, from its first */
	struct pair_task *tasks;
	size_t n_points, n_tasks, n_forms;
	uint32_t *task_of;         /* of each point */
	int n_pairs, rounds, most; /* ordered pairs, their rounds, most pairs of a round */
	char class[PAIR_CLASSES_MAX][PAIR_CLASS_TEXT];
	int n_classes;
	int *class_of; /* class_of[a * ranks + b]; -1 none */
	int ranks;
	bool one_by_one;          /* something failed while pairs were measured at once */
	size_t checked, replaced; /* points measured again alone; rounds that were replaced */
};

/* Of a plan without --pairs: every point is a task, in the plan's order. -ENOMEM. */
int pairs_build(const struct campaign *k, size_t config, bool steered, struct pairs *out) ATTR_MUST;
void pairs_fini(struct pairs *p);
/* Tasks of restart's turn: forms in the order in which they come up in the shuffled tasks `turn`
 * (n_tasks numbers), each form's tasks beside each other. -ENOMEM. */
int pairs_turns(const struct pairs *p, uint32_t *turn) ATTR_MUST;
/*
 * The next point of a form (relative to the configuration) that is to be measured alone: one that
 * is slow for its class, then of each class of which no point was found equal yet the slowest.
 * n_points: none. -ENOMEM. `equal`: of each point, whether it was found equal.
 */
int pairs_suspect(const struct campaign *k, size_t config, size_t form, const bool *equal,
		  size_t *point) ATTR_MUST;
/* 1: the last restart's figures differ by more than both half intervals and 5 %; 0; -ENOMEM. */
int pairs_differ(const struct merged *together, const struct merged *alone) ATTR_MUST;
/* Every two ranks and the class of their way; nothing without --pairs. *out is heap. */
int pairs_classes(const struct campaign *k, struct view_pair **out, size_t *n) ATTR_MUST;
/* One line for the page about each configuration; nothing without --pairs. */
void pairs_say(const struct campaign *k, size_t config, char *out, size_t max);
