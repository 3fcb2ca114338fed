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

/* Anything of what the ranks say about themselves. */
static bool tells(const struct run_facts *f)
{
	for (int i = 0; i < FACT_COUNT; i++)
		if (fact_table[i].must && fact_table[i].rank_key && f->value[i][0])
			return true;
	return false;
}

static void note_one_sided(const struct series *base, const struct series *now, struct buf *notes)
{
	for (int i = 0; i < FACT_COUNT; i++) {
		bool was = base->facts.value[i][0] != '\0', is = now->facts.value[i][0] != '\0';

		if (fact_table[i].must && was != is)
			buf_printf(notes, "%s was not compared: only %s tells it\n",
				   fact_table[i].name, was ? "the baseline" : "the new run");
	}
}

/* Cut at the end of a line, points.csv looks whole. */
static void note_rows(const struct series *s, const char *side, struct buf *notes)
{
	if (s->n < s->facts.planned)
		buf_printf(notes, "points.csv of %s has %zu of %zu planned rows (cut short?)\n",
			   side, s->n, s->facts.planned);
	else if (s->n_lost > 0 && s->facts.complete)
		buf_printf(notes,
			   "samples.csv of %s, line %zu: a point that points.csv does not have "
			   "(cut short?)\n",
			   side, s->lost_line);
}

void admit_notes(const struct series *base, const struct series *now, unsigned across,
		 struct buf *notes)
{
	static const char *const sides[2][2] = {
		{ "on either side", "beside the baseline's points" },
		{ "beside the new points", "" },
	};

	for (int i = 0; i < FACT_COUNT; i++)
		if ((!fact_table[i].must || (across & 1u << i)) && differs(base, now, i))
			buf_printf(notes, "%s differs: '%s' in the baseline, '%s' now\n",
				   fact_table[i].name, base->facts.value[i], now->facts.value[i]);
	if (!base->facts.known || !now->facts.known)
		buf_printf(notes,
			   "no run.json %s: machine, versions and method were not compared\n",
			   sides[base->facts.known][now->facts.known]);
	else if (!tells(&base->facts) || !tells(&now->facts))
		buf_printf(notes,
			   "no rank in run.json %s: machine and versions were not compared\n",
			   sides[tells(&base->facts)][tells(&now->facts)]);
	else
		note_one_sided(base, now, notes);
	if (now->facts.known && !now->facts.complete)
		buf_puts(notes, "the new run did not reach its end (run.json)\n");
	note_rows(base, "the baseline", notes);
	note_rows(now, "the new run", notes);
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
