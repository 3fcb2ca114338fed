/* SPDX-License-Identifier: Apache-2.0 */
/* A run directory read back as what the table and the charts look at. Judges nothing. */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "report/view.h"

#define RUN_VIEW_PEAKS 64
#define RUN_VIEW_NOTES 16
#define RUN_VIEW_NOTE 400
#define RUN_VIEW_TUNED "(tuned) has the settings that the tune recommends (run.json: arms)"

struct json_t; /* jansson's */

struct run_view {
	struct view view;
	struct record *rows;
	struct view_pair *pairs;
	struct view_peak peaks[RUN_VIEW_PEAKS];
	char hows[RUN_VIEW_PEAKS][160];
	char note[RUN_VIEW_NOTES]
		 [RUN_VIEW_NOTE]; /* what the run says about itself: cut, interrupted, throttled */
	const char *note_list[RUN_VIEW_NOTES];
	struct json_t *meta; /* run.json; NULL where the folder has none */
};

/*
 * Reads DIR/points.csv and, where it is there, DIR/run.json; of a run that did not come to its end
 * also DIR/samples.csv, for points without a row. A last row that was cut, no row at
 * all, a missing run.json are notes of the view. 0; -errno with one line in `why` that names the
 * file and, for bad text, the place. A name that is empty is -EINVAL.
 */
int run_view_load(struct run_view *r, const char *dir, char *why, size_t why_max) ATTR_MUST;
/* DIR/run.json as an object to be given back; *out stays where the folder has none. 0; negative
 * errno with one line in `why` that names the file and the place: no JSON, no object, a newer
 * schema. */
int run_view_meta(const char *dir, struct json_t **out, char *why, size_t why_max) ATTR_MUST;
/* A string of run.json, or of an object in it; "" when it is not there. */
const char *run_view_text(const struct json_t *o, const char *key);
void run_view_fini(struct run_view *r);
