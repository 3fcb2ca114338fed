/* SPDX-License-Identifier: Apache-2.0 */
/* Lays sorted series beside each other: one row per key, one cell per series. n log n in all. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct point;
struct series;

struct row {
	uint32_t group;
	uint64_t bytes;
	const struct point **at; /* one per series; NULL: the series has no such point */
};

struct joined {
	struct row *rows; /* by group, then bytes */
	size_t n;
	const struct point **cells;
};

void join_fini(struct joined *j);
int join_series(const struct series *const *s, size_t n_series,
		struct joined *out) ATTR_MUST; /* -ENOMEM */
