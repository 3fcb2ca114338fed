/* SPDX-License-Identifier: Apache-2.0 */
/* See meter.h. */
#include "search/meter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/outcome.h"

#define LEFT_MAX 100000.0

void meter_fini(struct meter *m)
{
	free(m->seen);
	m->seen = NULL;
	m->n_seen = 0;
}

static double money(const struct meter *m)
{
	return m->budget_s - m->reserve_s - m->spent_s;
}

size_t meter_left(const struct meter *m)
{
	double n = m->dearest_s > 0 ? money(m) / m->dearest_s : money(m) > 0 ? 1 : 0;

	return n <= 0 ? 0 : n < LEFT_MAX ? (size_t)n : (size_t)LEFT_MAX;
}

static int *restarts_of(struct meter *m, const struct setting *s)
{
	struct meter_seen *more;

	for (size_t i = 0; i < m->n_seen; i++)
		if (setting_equal(&m->seen[i].s, s))
			return &m->seen[i].n;
	more = reallocarray(m->seen, m->n_seen + 1, sizeof(*more));
	if (!more)
		return NULL;
	m->seen = more;
	more[m->n_seen] = (struct meter_seen){ .s = *s };
	return &more[m->n_seen++].n;
}

int meter_trial(struct meter *m, const struct setting *s, struct trial *out)
{
	int *restart, rc;

	if (meter_left(m) == 0)
		return 1;
	restart = restarts_of(m, s);
	if (!restart)
		return -ENOMEM;
	*out = (struct trial){ .outcome = OUTCOME_OK };
	rc = m->measure(m->arg, s, *restart, money(m), out);
	if (rc < 0)
		return rc;
	m->spent_s += out->cost_s;
	if (out->outcome == OUTCOME_SKIPPED)
		return 1;
	++*restart;
	m->n_trials++;
	if (out->outcome == OUTCOME_OK && out->cost_s > m->dearest_s)
		m->dearest_s = out->cost_s;
	return 0;
}
