/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the table, the report and the charts of a finished campaign show: its rows in the order of
 * the tables, and the remarks below them. Prints and writes nothing (finish.c).
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "report/view.h"
#include "run/notes.h"
#include "spec/plan.h"

struct campaign;
struct finish;

struct shown {
	struct view view;
	struct record *rows;
	size_t first[PLAN_COUNTS_MAX + 1]; /* of each number of ranks, in the view's rows */
	int n_counts;
	struct view_pair *pairs;
	struct notes notes;
	char steering[NOTE_LENGTH]; /* the one of them about the user's own variables; "" none */
};

/* 0 or -ENOMEM; in both cases shown_fini releases it. */
int shown_init(struct shown *s, const struct campaign *k, const struct finish *f) ATTR_MUST;
/* The rows of one number of ranks. Peaks and notes stand below the last table. */
struct view shown_of_count(const struct shown *s, int i);
void shown_fini(struct shown *s);
