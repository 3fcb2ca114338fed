/* SPDX-License-Identifier: Apache-2.0 */
/* See admit.h. */
#include "judge/admit.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "judge/facts.h"
#include "judge/series.h"

static bool differs(const struct series *a, const struct series *b, int fact)
{
	const char *x = a->facts.value[fact], *y = b->facts.value[fact];

	return x[0] && y[0] && strcmp(x, y) != 0;
}

bool admit_differs(const struct series *base, const struct series *now, unsigned across, char *why,
		   size_t why_max)
{
	for (int i = 0; i < FACT_COUNT; i++) {
		if (!fact_table[i].must || (across & 1u << i) || !differs(base, now, i))
			continue;
		snprintf(why, why_max, "%s: '%.70s' in the baseline, '%.70s' now",
			 fact_table[i].name, base->facts.value[i], now->facts.value[i]);
		return true;
	}
	return false;
}

void admit_notes(const struct series *base, const struct series *now, unsigned across,
		 struct buf *notes)
{
	for (int i = 0; i < FACT_COUNT; i++)
		if ((!fact_table[i].must || (across & 1u << i)) && differs(base, now, i))
			buf_printf(notes, "%s differs: '%s' in the baseline, '%s' now\n",
				   fact_table[i].name, base->facts.value[i], now->facts.value[i]);
	if (!base->facts.known || !now->facts.known)
		buf_printf(notes,
			   "no run.json %s: machine, versions and method were not compared\n",
			   base->facts.known  ? "beside the new points"
			   : now->facts.known ? "beside the baseline's points"
					      : "on either side");
}

size_t admit_starts(const struct series *const *s, size_t n)
{
	size_t starts = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < i && strcmp(s[k]->facts.boot, s[i]->facts.boot) != 0)
			k++;
		starts += k == i;
	}
	return starts;
}
