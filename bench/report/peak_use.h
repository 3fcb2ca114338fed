/* SPDX-License-Identifier: Apache-2.0 */
/* Percent of peak of a record, and how it comes about. Chooses no peak: that is view_peak_of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "report/view.h"

struct peak_use {
	double pct;                   /* NaN: not held against anything */
	double gbps;                  /* the bandwidth that is divided ... */
	const struct view_peak *peak; /* ... and by what; NULL none */
	/* The switch or the network reduces: bus bandwidth counts bytes that never moved, so it is
	 * algorithm bandwidth against the line rate. */
	bool algorithm;
	bool recorded; /* the run computed it itself */
};

void peak_use_of(const struct view *v, const struct record *r, struct peak_use *out);
double peak_use_pct(const struct view *v, const struct record *r);
