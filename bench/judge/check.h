/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of what is asked of a row before any statistics: is the result right, is it possible, is it
 * there, did the data take the same path, was it timed alike. The first that finds something
 * decides.
 */
#pragma once

#include <stddef.h>

struct finding;
struct pool;
struct row;
struct scorer;

/* Sets verdict and why of f; VERDICT_NONE with why "" means that statistics may decide. True:
 * decided. */
int check_row(const struct pool *pool, const struct scorer *s, const struct row *row, size_t column,
	      struct finding *f);
/* Adds to f->why what changed without being a matter: protocol, channels. */
void check_remarks(const struct pool *pool, const struct scorer *s, const struct row *row,
		   size_t column, struct finding *f);
/* The newest baseline cell that is ok and comparable, else the newest that is ok, else NULL. */
const struct point *check_reference(const struct scorer *s, const struct row *row,
				    const struct point *now);
