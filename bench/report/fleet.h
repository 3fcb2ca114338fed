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
#define FLEET_MACHINES_MAX 64

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
	char currency[16]; /* of the prices; "" when the user named none */
};

/* Reads every run directory. 0; -errno with one line in `why` that names file and place. */
int fleet_load(struct fleet *f, const char *const *paths, size_t n, char *why,
	       size_t why_max) ATTR_MUST;
void fleet_fini(struct fleet *f);
/* Gives machine i that name, cleaned, with " (2)" and so on where another one has it. */
void fleet_name(struct fleet *f, size_t i, const char *name);
/* The machine whose path or last part of it is the beginning of `word`, up to an '=': "RUN=value";
 * *rest is what follows it. f->n when there is none. An exact path wins over a last part. */
size_t fleet_find(const struct fleet *f, const char *word, const char **rest);
