/* SPDX-License-Identifier: Apache-2.0 */
/* Which baseline series may be compared with the new one: same machine, versions, method. Says
 * which fact keeps one out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct series;

/* The first fact that differs and must not, as words ("nccl: 2.27.7 in the baseline, 2.28.3 now");
 * false when none does. */
bool admit_differs(const struct series *base, const struct series *now, unsigned across, char *why,
		   size_t why_max);
/* What differs and may, what nobody knows: lines for the notes. */
void admit_notes(const struct series *base, const struct series *now, unsigned across,
		 struct buf *notes);
/* Machine starts behind the series: distinct boots; all that tell none count as one. */
size_t admit_starts(const struct series *const *s, size_t n);
