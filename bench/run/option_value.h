/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to option_values.c and option_points.c: a row of the table of values, and the values of
 * options that choose points and are like no others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct options;
struct word_table;

struct option_value {
	int key;
	const char *option; /* as messages name it */
	int (*take)(const struct option_value *v, struct options *o, const char *text);
	size_t at;    /* the member that it fills */
	size_t given; /* a bool that it sets, too; 0: none */
	const struct word_table *words;
	int64_t min, max;  /* of a number; `min` alone is what a switch sets */
	const char *range; /* the same of a duration, in words */
};

/* Of the type of `take`. 0; -ENOMEM; -EINVAL after one line. */
int option_sizes(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
int option_place(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
int option_channels(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
int option_overlap(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
int option_pair(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
int option_pairs(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
int option_counts(const struct option_value *v, struct options *o, const char *text) ATTR_MUST;
