/* SPDX-License-Identifier: Apache-2.0 */
/* A run directory read back as what the table and the charts look at. Judges nothing. */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "report/view.h"

#define RUN_VIEW_PEAKS 64

struct run_view {
	struct view view;
	struct record *rows;
	struct view_peak peaks[RUN_VIEW_PEAKS];
	char hows[RUN_VIEW_PEAKS][160];
};

/* Reads DIR/points.csv and DIR/run.json. 0; -errno with one line in `why` that names the file and, for bad text, the place. */
int run_view_load(struct run_view *r, const char *dir, char *why, size_t why_max) ATTR_MUST;
void run_view_fini(struct run_view *r);
