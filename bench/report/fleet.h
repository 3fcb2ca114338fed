/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several machines' runs side by side: what the pages and the pictures of `report` look at. Holds
 * what was read and what the user said (names, prices, power); computes no comparison, lays out
 * nothing.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "report/run_view.h"

#define FLEET_NAME 64

struct fleet_machine {
	struct run_view run;
	const char *path;      /* as the user named it */
	char name[FLEET_NAME]; /* the user's, else the host, made unique; hostile text */
	double price, power;   /* of the whole machine: currency units, watts; NaN: not given */
};

struct fleet {
	struct fleet_machine *machine;
	size_t n;         /* >= 1 */
	size_t reference; /* ratios are against this one */
};

/* Reads every run directory. 0; -errno with one line in `why` that names file and place. */
int fleet_load(struct fleet *f, const char *const *paths, size_t n, char *why,
	       size_t why_max) ATTR_MUST;
void fleet_fini(struct fleet *f);
