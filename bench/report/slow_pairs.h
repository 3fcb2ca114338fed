/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of ranks whose figure is slow for the way between them (judge/slow.h): which, and how it is
 * said. Classes are the run's; a run that knows none has no slow pair. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct buf;
struct record;
struct view;

struct slow_pair {
	const struct record *row,
	    *median; /* the row whose time is the (lower) median of the class */
	const char *class;
	size_t of; /* pairs of the class that have this figure */
};

/* *out is heap. -ENOMEM. */
int slow_pairs_find(const struct view *v, struct slow_pair **out, size_t *n) ATTR_MUST;
bool slow_pairs_has(const struct slow_pair *s, size_t n, const struct record *row);
/* One line each, no more than a few; the last one tells how many there are besides. */
void slow_pairs_say(const struct view *v, const struct slow_pair *s, size_t n, struct buf *out);
