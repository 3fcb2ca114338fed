/* SPDX-License-Identifier: Apache-2.0 */
/* See identity.h. */
#include "judge/identity.h"

#include <stdio.h>
#include <string.h>

#include "judge/facts.h"
#include "judge/series.h"

/* Bit by bit: both may be no number. */
static bool same_figure(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool same_rows(const struct series *a, const struct series *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct point *p = &a->points[i], *q = &b->points[i];

		if (series_order(p, q) != 0 || p->outcome != q->outcome ||
		    !same_figure(p->log_time, q->log_time) || !same_figure(p->log_lo, q->log_lo) ||
		    !same_figure(p->log_hi, q->log_hi))
			return false;
	}
	return true;
}

/* What only one side tells is no difference, but no proof either. */
static bool differs(const char *a, const char *b, bool *told)
{
	if ((a[0] == '\0') != (b[0] == '\0'))
		*told = false;
	else if (strcmp(a, b) != 0)
		return true;
	return false;
}

bool identity_same(const struct series *a, const struct series *b)
{
	const struct run_facts *x = &a->facts, *y = &b->facts;
	/* Without a machine start, others may have started in the same second. */
	bool told = x->started[0] && y->started[0] && x->boot[0] && y->boot[0];

	/* The seed, of the clock unless it was given, tells runs of one second apart. */
	if (differs(x->started, y->started, &told) || differs(x->seed, y->seed, &told) ||
	    differs(x->boot, y->boot, &told) ||
	    differs(x->value[FACT_MACHINE], y->value[FACT_MACHINE], &told))
		return false;
	return told || same_rows(a, b);
}

size_t identity_find(const struct series *const *v, size_t n, const struct series *s)
{
	size_t i = 0;

	while (i < n && !identity_same(v[i], s))
		i++;
	return i;
}

bool identity_confirms(const struct series *const *base, size_t n, const struct series *now,
		       const struct series *again, char *why, size_t why_max)
{
	size_t at = identity_find(base, n, again);

	why[0] = '\0';
	if (identity_same(now, again))
		snprintf(why, why_max, "is the new run itself");
	else if (at < n)
		snprintf(why, why_max, "is a series of the baseline (%.200s)",
			 base[at]->path ? base[at]->path : "");
	else if (now->facts.started[0] && !again->facts.started[0])
		snprintf(why, why_max, "does not tell when it was measured (no run.json?)");
	else if (!again->facts.confirms && strcmp(again->facts.started, now->facts.started) < 0)
		snprintf(why, why_max, "started at %.39s, before the new run (%.39s)",
			 again->facts.started, now->facts.started);
	return why[0] == '\0';
}
