/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that is not there: what a setting does to each class is a formula, restarts scatter,
 * the whole drifts. Fixed seeds; no clock.
 */
#pragma once

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "search/search.h"
#include "search/setting.h"
#include "search/space.h"
#include "search/tunable.h"
#include "spec/outcome.h"
#include "spec/transport.h"

struct surface {
	/* Log of the time's ratio to the default; NULL: flat. */
	double (*effect)(const struct surface *w, const struct setting *s, size_t k);
	/* OUTCOME_OK or what becomes of it; NULL: always well. */
	int (*fate)(const struct surface *w, const struct setting *s);
	double noise[SEARCH_CLASSES]; /* sd of the log of a restart */
	double outlier_rate, outlier; /* a restart is so much slower (log) so often */
	double drift;                 /* log per trial */
	double cost_s, hang_s, cost_spread;
	uint64_t seed;
	int stop_after; /* trials, then -EINTR; 0 never */
	/* out */
	int trials, asked_again;
	double spent_s;
	double over_s;          /* how far a limit was passed */
	const char *seen_words; /* counts trials whose text holds it */
	int seen;
};

static inline double surface_uniform(struct surface *w)
{
	uint64_t z = w->seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static inline double surface_normal(struct surface *w)
{
	double u = surface_uniform(w), v = surface_uniform(w);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static inline bool surface_has(const struct setting *s, const char *name, const char *value)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(setting_name(s, i), name) == 0)
			return !value || strcmp(setting_value(s, i), value) == 0;
	return false;
}

/* The number a setting gives a variable, else `otherwise`. */
static inline double surface_number(const struct setting *s, const char *name, double otherwise)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(setting_name(s, i), name) == 0)
			return atof(setting_value(s, i));
	return otherwise;
}

static int surface_measure(void *arg, const struct setting *s, int restart, double limit_s,
			   struct trial *out)
{
	struct surface *w = arg;
	double cost = w->cost_s * (1 + w->cost_spread * (2 * surface_uniform(w) - 1)), slow = 0;

	if (w->stop_after && w->trials >= w->stop_after)
		return -EINTR;
	out->outcome = w->fate ? w->fate(w, s) : OUTCOME_OK;
	if (out->outcome == OUTCOME_HANG)
		cost = w->hang_s;
	if (out->outcome != OUTCOME_OK)
		snprintf(out->detail, sizeof(out->detail), "as planted");
	if (cost > limit_s) {
		cost = limit_s;
		out->outcome = OUTCOME_SKIPPED;
	}
	w->trials += out->outcome != OUTCOME_SKIPPED;
	out->cost_s = cost;
	w->spent_s += cost;
	if (w->outlier_rate > 0 && surface_uniform(w) < w->outlier_rate)
		slow = w->outlier;
	for (size_t k = 0; k < SEARCH_CLASSES; k++)
		out->us[k] =
		    100 * exp((w->effect ? w->effect(w, s, k) : 0) +
			      w->noise[k] * surface_normal(w) + slow + w->drift * w->trials);
	return 0;
}

static const struct search_class surface_classes[] = { { "all_reduce large", true },
						       { "all_reduce small", false } };

static inline int surface_search(struct surface *w, int transport, double budget_s,
				 size_t comparisons, struct search_result *out)
{
	struct space_request q = { .transport = transport,
				   .version = 22803,
				   .ops = TUNE_COLLECTIVE };
	struct search_problem p = { .classes = surface_classes,
				    .n_classes = N_ELEMENTS(surface_classes),
				    .budget_s = budget_s,
				    .comparisons = comparisons,
				    .measure = surface_measure,
				    .arg = w };
	struct space space;
	int rc = space_build(&q, &space);

	if (rc < 0)
		return rc;
	p.space = &space;
	rc = search_run(&p, out);
	space_fini(&space);
	return rc;
}
