/* SPDX-License-Identifier: Apache-2.0 */
/* See check.h. */
#include "judge/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "judge/join.h"
#include "judge/judge.h"
#include "judge/pool.h"
#include "judge/score.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "spec/outcome.h"
#include "spec/transport.h"

#define PEAK_SLACK_PCT 105 /* docs/measuring.md: above it the figure is wrong, not good */

/* What an outcome of the new side says when the baseline has the point. */
static const int outcome_verdict[OUTCOME_COUNT] = {
	[OUTCOME_OK] = VERDICT_NONE,
	[OUTCOME_UNAVAILABLE] = VERDICT_MISSING,
	[OUTCOME_UNPROVEN] = VERDICT_PATH_CHANGED,
	[OUTCOME_CORRUPT] = VERDICT_FAILED,
	[OUTCOME_HANG] = VERDICT_FAILED,
	[OUTCOME_CRASH] = VERDICT_FAILED,
	[OUTCOME_ERROR] = VERDICT_FAILED,
	[OUTCOME_OOM] = VERDICT_MISSING,
	[OUTCOME_SKIPPED] = VERDICT_MISSING,
	[OUTCOME_ABORTED] = VERDICT_MISSING,
};

struct view_of_row {
	const struct pool *pool;
	const struct scorer *s;
	const struct row *row;
	const struct point *now, *base; /* base: the newest that is ok */
	size_t n_ok;                    /* baseline series in which it is ok */
	bool expected;                  /* the baseline as a whole has it */
};

static const struct point *newest_ok(const struct scorer *s, const struct row *row)
{
	for (size_t h = s->n_used; h-- > 0;)
		if (row->at[h] && row->at[h]->outcome == OUTCOME_OK)
			return row->at[h];
	return NULL;
}

const struct point *check_reference(const struct scorer *s, const struct row *row,
				    const struct point *now)
{
	for (size_t h = s->n_used; h-- > 0;)
		if (scorer_usable(s, row->at[h], now))
			return row->at[h];
	return newest_ok(s, row);
}

/* In half of the series or in the last: a point that was dropped long ago is not missed, one that
 * failed once in the last series is. */
static void look(struct view_of_row *v)
{
	const struct point *last = v->s->n_used ? v->row->at[v->s->n_used - 1] : NULL;

	for (size_t h = 0; h < v->s->n_used; h++)
		v->n_ok += v->row->at[h] && v->row->at[h]->outcome == OUTCOME_OK;
	v->base = newest_ok(v->s, v->row);
	v->expected =
	    v->n_ok > 0 && (v->n_ok * 2 >= v->s->n_used || (last && last->outcome == OUTCOME_OK));
}

static void say_outcome(const struct view_of_row *v, struct finding *f)
{
	const char *detail = pool_text(v->pool, v->now->detail);

	snprintf(f->why, sizeof(f->why), "%s%s%.180s", outcome_table[v->now->outcome].name,
		 detail[0] ? ": " : "", detail);
}

static int failed(const struct view_of_row *v, struct finding *f)
{
	if (!v->now || outcome_verdict[v->now->outcome] != VERDICT_FAILED)
		return VERDICT_NONE;
	say_outcome(v, f);
	return VERDICT_FAILED;
}

/* Only where the peak is what the hardware can do: measured TCP is no bound. */
static int impossible(const struct view_of_row *v, struct finding *f)
{
	const char *group = pool_text(v->pool, v->row->group);
	char backend[32], transport[32];
	int t;

	if (!v->now || v->now->outcome != OUTCOME_OK || !(v->now->peak_pct > PEAK_SLACK_PCT))
		return VERDICT_NONE;
	series_group_field(group, "backend", backend, sizeof(backend));
	series_group_field(group, "transport", transport, sizeof(transport));
	t = transport_find(backend_find(backend), transport);
	if (t >= 0 && transport_table[t].peak == PEAK_TCP)
		return VERDICT_NONE;
	snprintf(f->why, sizeof(f->why), "%.0f %% of the link's peak", (double)v->now->peak_pct);
	return VERDICT_IMPOSSIBLE;
}

static int absent(const struct view_of_row *v, struct finding *f)
{
	if (v->now && v->now->outcome == OUTCOME_OK)
		return VERDICT_NONE;
	if (!v->expected) {
		snprintf(f->why, sizeof(f->why), "not measured now, nor in most of the baseline");
		return VERDICT_NONE;
	}
	if (!v->now) {
		snprintf(f->why, sizeof(f->why), "no row for it now");
		return VERDICT_MISSING;
	}
	say_outcome(v, f);
	return outcome_verdict[v->now->outcome];
}

static int fresh(const struct view_of_row *v, struct finding *f)
{
	if (v->n_ok > 0)
		return VERDICT_NONE;
	snprintf(f->why, sizeof(f->why), "no baseline series has it");
	return VERDICT_NEW;
}

/* Both known and in no series the same. */
static bool changed(const struct view_of_row *v, uint32_t now, size_t offset, uint32_t *was)
{
	*was = 0;
	for (size_t h = 0; now && h < v->s->n_used; h++) {
		const struct point *p = v->row->at[h];
		uint32_t word;

		if (!p || p->outcome != OUTCOME_OK)
			continue;
		memcpy(&word, (const char *)p + offset, sizeof(word));
		if (word == now)
			return false;
		*was = word ? word : *was;
	}
	return *was != 0;
}

static const struct {
	const char *name;
	size_t offset;
} path_words[] = {
	{ "", offsetof(struct point, used) },
	{ "algorithm ", offsetof(struct point, algo) },
};

static int other_path(const struct view_of_row *v, struct finding *f)
{
	for (size_t i = 0; i < N_ELEMENTS(path_words); i++) {
		uint32_t now, was;

		memcpy(&now, (const char *)v->now + path_words[i].offset, sizeof(now));
		if (!changed(v, now, path_words[i].offset, &was))
			continue;
		snprintf(f->why, sizeof(f->why), "%s%.60s in the baseline, %.60s now",
			 path_words[i].name, pool_text(v->pool, was), pool_text(v->pool, now));
		return VERDICT_PATH_CHANGED;
	}
	return VERDICT_NONE;
}

static int other_batch(const struct view_of_row *v, struct finding *f)
{
	for (size_t h = 0; h < v->s->n_used; h++)
		if (scorer_usable(v->s, v->row->at[h], v->now))
			return VERDICT_NONE;
	snprintf(f->why, sizeof(f->why),
		 "batch: %g operations timed together in the baseline, %g now",
		 (double)v->base->ops_per_batch, (double)v->now->ops_per_batch);
	return VERDICT_INCOMPARABLE;
}

static int (*const checks[])(const struct view_of_row *, struct finding *) = {
	failed, impossible, absent, fresh, other_path, other_batch,
};

int check_row(const struct pool *pool, const struct scorer *s, const struct row *row, size_t column,
	      struct finding *f)
{
	struct view_of_row v = { .pool = pool, .s = s, .row = row, .now = row->at[column] };

	look(&v);
	for (size_t i = 0; i < N_ELEMENTS(checks); i++) {
		f->verdict = checks[i](&v, f);
		if (f->verdict != VERDICT_NONE || f->why[0])
			return 1;
	}
	return 0;
}

void check_remarks(const struct pool *pool, const struct scorer *s, const struct row *row,
		   size_t column, struct finding *f)
{
	const struct point *now = row->at[column], *was = check_reference(s, row, now);
	size_t n = strlen(f->why);

	if (!was || !now)
		return;
	if (was->proto && now->proto && was->proto != now->proto) {
		snprintf(f->why + n, sizeof(f->why) - n, "%sprotocol %.20s, was %.20s",
			 n ? "; " : "", pool_text(pool, now->proto), pool_text(pool, was->proto));
		n = strlen(f->why);
	}
	if (was->channels != now->channels && !isnan(was->channels) && !isnan(now->channels))
		snprintf(f->why + n, sizeof(f->why) - n, "%s%g channels, were %g", n ? "; " : "",
			 (double)now->channels, (double)was->channels);
	n = strlen(f->why);
	if (was->ops_per_batch != now->ops_per_batch && !isnan(was->ops_per_batch) &&
	    !isnan(now->ops_per_batch))
		snprintf(f->why + n, sizeof(f->why) - n, "%sbatches of %g operations, were %g",
			 n ? "; " : "", (double)now->ops_per_batch, (double)was->ops_per_batch);
}
