/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a series the same measurement as another, under whatever name: a copy proves nothing that the
 * original did not. Does not ask whether two series may be compared (admit.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct series;

/* Equal time of start, seed, machine start and machine; where one side does not tell them, equal
 * rows. */
bool identity_same(const struct series *a, const struct series *b);
/* Index of the first of n that is the same measurement as s; n: none is. */
size_t identity_find(const struct series *const *v, size_t n, const struct series *s);
/* May `again` confirm what `now` says: measured after it, and neither it nor a series of the
 * baseline. False: `why` says what it is instead. */
bool identity_confirms(const struct series *const *base, size_t n, const struct series *now,
		       const struct series *again, char *why, size_t why_max);
