/* SPDX-License-Identifier: Apache-2.0 */
/* See judge.h. The order of work; each step is a file of its own: admit, join, check, score, weigh,
 * expect. */
#include "judge/judge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "judge/admit.h"
#include "judge/check.h"
#include "judge/expect.h"
#include "judge/facts.h"
#include "judge/groups.h"
#include "judge/identity.h"
#include "judge/pool.h"
#include "judge/score.h"
#include "judge/series.h"
#include "judge/stat.h"
#include "judge/verdict.h"
#include "ncclbench/exitcode.h"

struct trial {
	const struct pool *pool;
	const struct judge_options *o;
	const struct series *now, *confirm;
	size_t column_now, column_confirm;
	struct scorer scorer;
	struct stat_cuts cuts;
	bool *take; /* per row: statistics are possible */
	struct judgement *j;
};

void judge_fini(struct judgement *j)
{
	free(j->points);
	free(j->groups);
	free((void *)j->used);
	join_fini(&j->joined);
	buf_fini(&j->notes);
	*j = (struct judgement){ 0 };
}

/* ---- which series ---- */

static void leave_out(struct judgement *j, const struct series *s, const char *why)
{
	j->n_left_out++;
	buf_puts(&j->notes, "left out: ");
	visible_add(&j->notes, s->path ? s->path : "a series");
	buf_puts(&j->notes, ": ");
	visible_add(&j->notes, why);
	buf_putc(&j->notes, '\n');
}

/* Into j->used: each measurement once, and not the one that is judged. */
static size_t distinct(struct judgement *j, const struct series *const *base, size_t n,
		       const struct series *now)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t first = identity_find(j->used, kept, base[i]);
		char why[FINDING_WHY];

		if (identity_same(base[i], now)) {
			leave_out(j, base[i], "it is the new run itself");
		} else if (first < kept) {
			snprintf(why, sizeof(why), "the same measurement as %.180s",
				 j->used[first]->path ? j->used[first]->path : "another");
			leave_out(j, base[i], why);
		} else {
			j->used[kept++] = base[i];
		}
	}
	return kept;
}

static int admit(struct trial *t, const struct series *const *base, size_t n)
{
	struct judgement *j = t->j;
	const struct series **kept;
	bool full = false;
	char why[FINDING_WHY];

	j->used = calloc(n + 3, sizeof(*j->used));
	if (j->used == NULL)
		return -ENOMEM;
	kept = j->used; /* those that stay move to the front */
	n = distinct(j, base, n, t->now);
	for (size_t i = 0; i < n; i++)
		full |= !kept[i]->bare &&
			!admit_differs(kept[i], t->now, t->o->across, why, sizeof(why));
	for (size_t i = 0; i < n; i++) {
		if (admit_differs(kept[i], t->now, t->o->across, why, sizeof(why)))
			leave_out(j, kept[i], why);
		else if (kept[i]->bare && full && !t->now->bare)
			leave_out(j, kept[i], "no samples.csv, which the other series have");
		else
			j->used[j->n_series++] = kept[i];
	}
	j->n_starts = admit_starts(j->used, j->n_series);
	j->bare = t->now->bare || !full;
	if (j->n_series > 0)
		admit_notes(j->used[j->n_series - 1], t->now, t->o->across, &j->notes);
	return 0;
}

static int lay_out(struct trial *t)
{
	struct judgement *j = t->j;
	size_t n = j->n_series;
	int rc;

	if (t->confirm && t->confirm->bare && !j->bare) {
		leave_out(j, t->confirm, "no samples.csv: it cannot confirm anything");
		t->confirm = NULL;
	}
	t->column_now = n;
	t->column_confirm = n + 1;
	j->used[n++] = t->now;
	if (t->confirm)
		j->used[n++] = t->confirm;
	rc = join_series(j->used, n, &j->joined);
	if (rc == 0)
		rc = scorer_init(&t->scorer, j->used, j->n_series, t->now, t->confirm);
	t->scorer.bare = j->bare;
	t->scorer.any_batch = (t->o->across & 1u << FACT_BATCH) != 0;
	j->points = calloc(j->joined.n + 1, sizeof(*j->points));
	t->take = calloc(j->joined.n + 1, sizeof(*t->take));
	return rc ? rc : j->points && t->take ? 0 : -ENOMEM;
}

/* ---- points ---- */

static void first_look(struct trial *t)
{
	struct judgement *j = t->j;

	/* A row that only the confirming run has is no row of this gate. */
	for (size_t i = 0; i < j->joined.n; i++) {
		const struct row *row = &j->joined.rows[i];
		struct point_finding *p = &j->points[i];

		p->group = row->group;
		p->bytes = row->bytes;
		p->now = row->at[t->column_now];
		p->base = check_reference(&t->scorer, row, p->now);
		t->take[i] = !check_row(t->pool, &t->scorer, row, t->column_now, &p->f);
		j->n_tested_points += t->take[i];
	}
	j->n_points = j->joined.n;
}

static int test_point(struct trial *t, size_t i, size_t column, struct finding *f)
{
	const struct row *row = &t->j->joined.rows[i];
	struct evidence e;

	if (!score_point(&t->scorer, row, column, &e))
		return 0;
	e.lent = &t->j->lent_points;
	return weigh(&e, false, t->j->alpha_point, t->o, &t->cuts, f);
}

static int learn_points(struct trial *t)
{
	struct judgement *j = t->j;
	struct spread *v = calloc(j->n_points + 1, sizeof(*v));
	struct evidence e;
	size_t n = 0;

	if (v == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < j->n_points; i++)
		if (t->take[i] && score_point(&t->scorer, &j->joined.rows[i], t->column_now, &e))
			v[n++] = weigh_spread(&e);
	spread_fit(v, n, &j->lent_points);
	free(v);
	return 0;
}

static int test_points(struct trial *t)
{
	struct judgement *j = t->j;
	int rc = learn_points(t);

	j->alpha_point = t->o->alpha / (double)(j->n_tested_points ? j->n_tested_points : 1);
	for (size_t i = 0; i < j->n_points && rc == 0; i++) {
		struct point_finding *p = &j->points[i];

		if (!t->take[i])
			continue;
		rc = test_point(t, i, t->column_now, &p->f);
		p->f.base_us = exp(p->now->log_time - p->f.shift);
		p->f.now_us = exp(p->now->log_time);
		check_remarks(t->pool, &t->scorer, &j->joined.rows[i], t->column_now, &p->f);
	}
	return rc;
}

/* ---- groups ---- */

static size_t group_end(const struct judgement *j, size_t first)
{
	const struct point_finding *p = j->points;
	size_t end = first + 1;

	while (end < j->n_points && p[end].group == p[first].group &&
	       size_class_of(p[end].bytes) == size_class_of(p[first].bytes))
		end++;
	return end;
}

static int find_groups(struct trial *t)
{
	struct judgement *j = t->j;
	size_t n = 0;

	for (size_t i = 0; i < j->n_points; i = group_end(j, i))
		n++;
	j->groups = calloc(n + 1, sizeof(*j->groups));
	if (j->groups == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < j->n_points;) {
		struct group_finding *g = &j->groups[j->n_groups++];
		size_t end = group_end(j, i);

		*g = (struct group_finding){
			.group = j->points[i].group,
			.size_class = size_class_of(j->points[i].bytes),
			.first = i,
			.n = end - i,
		};
		for (; i < end; i++)
			g->n_tested += t->take[i];
		j->n_tested_groups += g->n_tested > 0;
	}
	return 0;
}

static int test_group(struct trial *t, const struct group_finding *g, size_t column,
		      struct finding *f)
{
	struct evidence e;

	if (!score_group(&t->scorer, t->j->joined.rows + g->first, t->take + g->first, g->n, column,
			 &e))
		return 0;
	e.lent = &t->j->lent_groups;
	return weigh(&e, true, t->j->alpha_group, t->o, &t->cuts, f);
}

static void worst_of_points(const struct judgement *j, struct group_finding *g)
{
	const struct finding *worst = &j->points[g->first].f;

	for (size_t i = 0; i < g->n; i++)
		if (j->points[g->first + i].f.verdict > worst->verdict)
			worst = &j->points[g->first + i].f;
	g->f.verdict = worst->verdict;
	snprintf(g->f.why, sizeof(g->f.why), "%s", worst->why);
}

static int learn_groups(struct trial *t)
{
	struct judgement *j = t->j;
	struct spread *v = calloc(j->n_groups + 1, sizeof(*v));
	struct evidence e;
	size_t n = 0;

	if (v == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < j->n_groups; i++) {
		const struct group_finding *g = &j->groups[i];

		if (g->n_tested > 0 && score_group(&t->scorer, j->joined.rows + g->first,
						   t->take + g->first, g->n, t->column_now, &e))
			v[n++] = weigh_spread(&e);
	}
	spread_fit(v, n, &j->lent_groups);
	free(v);
	return 0;
}

static int test_groups(struct trial *t)
{
	struct judgement *j = t->j;
	int rc = find_groups(t);

	if (rc == 0)
		rc = learn_groups(t);
	j->alpha_group = t->o->alpha / (double)(j->n_tested_groups ? j->n_tested_groups : 1);
	for (size_t i = 0; i < j->n_groups && rc == 0; i++) {
		struct group_finding *g = &j->groups[i];

		if (g->n_tested == 0)
			worst_of_points(j, g);
		else
			rc = test_group(t, g, t->column_now, &g->f);
	}
	return rc;
}

/* ---- confirmation ---- */

static void take_second(struct finding *f, struct finding *second)
{
	char first[FINDING_WHY];

	snprintf(first, sizeof(first), "%+.1f %% at first, %+.1f %% when measured again",
		 100 * expm1(f->shift), 100 * expm1(second->shift));
	if (second->verdict == VERDICT_REGRESSED) {
		f->confirmed = true;
	} else {
		*f = *second;
		f->unconfirmed = true;
	}
	snprintf(f->why, sizeof(f->why), "%s", first);
}

static int confirm_points(struct trial *t)
{
	struct judgement *j = t->j;
	int rc = 0;

	for (size_t i = 0; i < j->n_points && rc == 0; i++) {
		struct finding *f = &j->points[i].f, second = { 0 };

		if (f->verdict != VERDICT_REGRESSED || !j->joined.rows[i].at[t->column_confirm])
			continue;
		if (check_row(t->pool, &t->scorer, &j->joined.rows[i], t->column_confirm,
			      &second)) {
			second.tested = f->tested;
			if (second.verdict == VERDICT_FAILED)
				*f = second;
			continue;
		}
		rc = test_point(t, i, t->column_confirm, &second);
		if (second.tested)
			take_second(f, &second);
	}
	return rc;
}

/* A group is cleared by all of its points or not at all: wrong data among them is worse than slow,
 * and what was not measured again says nothing. */
static bool cannot_clear(struct trial *t, const struct group_finding *g, struct finding *f)
{
	size_t missing = 0;

	for (size_t i = g->first; i < g->first + g->n; i++) {
		struct finding second = { 0 };

		if (!t->take[i] || !check_row(t->pool, &t->scorer, &t->j->joined.rows[i],
					      t->column_confirm, &second))
			continue;
		if (second.verdict == VERDICT_FAILED) {
			second.tested = f->tested;
			*f = second;
			return true;
		}
		missing++;
	}
	if (missing > 0)
		snprintf(f->why, sizeof(f->why),
			 "%+.1f %% at first; %zu of its %zu points were not measured again",
			 100 * expm1(f->shift), missing, g->n_tested);
	return missing > 0;
}

static int confirm_groups(struct trial *t)
{
	struct judgement *j = t->j;
	int rc = 0;

	for (size_t i = 0; i < j->n_groups && rc == 0; i++) {
		struct finding *f = &j->groups[i].f, second = { 0 };

		if (f->verdict != VERDICT_REGRESSED || cannot_clear(t, &j->groups[i], f))
			continue;
		rc = test_group(t, &j->groups[i], t->column_confirm, &second);
		if (second.tested)
			take_second(f, &second);
	}
	return rc;
}

/* Whoever reads only the verdict must learn that it was another at first. */
static void note_unconfirmed(struct trial *t)
{
	const struct judgement *j = t->j;
	size_t groups = 0, points = 0;

	for (size_t i = 0; i < j->n_groups; i++)
		groups += j->groups[i].f.unconfirmed;
	for (size_t i = 0; i < j->n_points; i++)
		points += j->points[i].f.unconfirmed;
	if (groups + points == 0)
		return;
	buf_printf(&t->j->notes, "%zu group%s and %zu point%s slower at first, not confirmed by ",
		   groups, groups == 1 ? "" : "s", points, points == 1 ? " were" : "s were");
	visible_add(&t->j->notes, t->confirm->path ? t->confirm->path : "the second run");
	buf_putc(&t->j->notes, '\n');
}

static int confirm(struct trial *t)
{
	char why[FINDING_WHY];
	int rc;

	if (!t->confirm)
		return 0;
	if (admit_differs(t->now, t->confirm, 0, why, sizeof(why))) {
		buf_printf(&t->j->notes, "the confirming run cannot confirm: %s\n", why);
		return 0;
	}
	if (t->confirm->facts.known && !t->confirm->facts.complete)
		buf_puts(&t->j->notes, "the confirming run did not reach its end\n");
	rc = confirm_points(t);
	if (rc == 0)
		rc = confirm_groups(t);
	if (rc == 0)
		note_unconfirmed(t);
	return rc;
}

/* ---- exit code ---- */

static int cost(const struct judge_options *o, const struct finding *f, bool group)
{
	const struct verdict *v = &verdict_table[f->verdict];

	if (f->expected || (f->verdict == VERDICT_MISSING && o->missing_warns) ||
	    (f->verdict == VERDICT_INCONCLUSIVE && o->inconclusive_passes))
		return NB_EXIT_OK;
	return group ? v->exit_group : v->exit_point;
}

static void excuse(const struct trial *t, struct finding *f, uint32_t group, uint64_t bytes)
{
	const struct expectation *e;

	if (!t->o->expected || verdict_table[f->verdict].exit_group == NB_EXIT_OK)
		return;
	e = expect_find(t->o->expected, t->pool, group, bytes, f->verdict);
	if (e && strcmp(e->until, t->o->today) >= 0)
		f->expected = e->reason;
	else if (e)
		buf_printf(&t->j->notes, "an expected failure ended on %s: %s (%s)\n", e->until,
			   e->match, e->reason);
}

static bool any_tested(const struct judgement *j)
{
	for (size_t i = 0; i < j->n_points; i++)
		if (j->points[i].f.tested)
			return true;
	return false;
}

static bool all_expected(const struct judgement *j)
{
	for (size_t i = 0; i < j->n_points; i++)
		if (!j->points[i].f.expected)
			return false;
	return j->n_points > 0;
}

static void conclude(struct trial *t)
{
	struct judgement *j = t->j;
	int code = NB_EXIT_OK;

	for (size_t i = 0; i < j->n_points; i++) {
		struct point_finding *p = &j->points[i];

		excuse(t, &p->f, p->group, p->bytes);
		code = verdict_exit_worse(code, cost(t->o, &p->f, false));
	}
	for (size_t i = 0; i < j->n_groups; i++) {
		struct group_finding *g = &j->groups[i];

		excuse(t, &g->f, g->group, UINT64_MAX);
		/* A group that no statistics could judge only repeats its points. */
		if (g->n_tested > 0)
			code = verdict_exit_worse(code, cost(t->o, &g->f, true));
	}
	if (!any_tested(j) && !all_expected(j)) {
		buf_puts(&j->notes, "no point could be compared\n");
		code = verdict_exit_worse(code, NB_EXIT_INCONCLUSIVE);
	}
	if (j->n_series > 0 && j->n_series < (size_t)t->o->min_series) {
		buf_printf(&j->notes, "%zu baseline series; at least %d were asked for\n",
			   j->n_series, t->o->min_series);
		code = verdict_exit_worse(code, NB_EXIT_INCONCLUSIVE);
	}
	j->exit_code = code;
}

/* ---- notes ---- */

static void note_rule(struct judgement *j, const struct judge_options *o)
{
	const struct judge_rule *weak = &judge_rules[n_judge_rules - 1];
	bool asked = !isnan(o->group_floor) && !isnan(o->point_floor);
	char why[FINDING_WHY] = "";

	if (j->bare)
		snprintf(why, sizeof(why), "medians and their intervals only (no samples.csv)");
	else if (j->n_series == 1)
		snprintf(why, sizeof(why), "one baseline series: how series differ is not known");
	else if (j->n_starts < judge_rules[0].min_starts)
		snprintf(
		    why, sizeof(why),
		    "%zu baseline series of one machine start only: how starts differ is not known",
		    j->n_series);
	else if (j->n_series < judge_rules[0].min_series)
		snprintf(why, sizeof(why), "%zu baseline series; limits from their spread need %zu",
			 j->n_series, judge_rules[0].min_series);
	if (why[0] && asked)
		buf_printf(&j->notes, "%s\n", why);
	else if (why[0])
		buf_printf(&j->notes, "%s: the weaker rule, group %g %%, point %g %%\n", why,
			   100 * weak->group_floor, 100 * weak->point_floor);
}

/* With few restarts and many points the smallest possible p is above the level: say so, do not stay
 * silent. */
static void note_reach(struct judgement *j)
{
	size_t blind = 0;

	for (size_t i = 0; i < j->n_points; i++)
		blind += j->points[i].f.tested && !j->bare && isinf(j->points[i].f.lo);
	if (blind > 0)
		buf_printf(&j->notes,
			   "%zu points have too few restarts for the level of %zu tests: only "
			   "their group can be found slower\n",
			   blind, j->n_tested_points);
}

#define BLIND_LIMIT \
	0.30 /* docs/gate.md: beyond it the limit says more of the machine than of the build */

static void note_blind(struct judgement *j)
{
	size_t blind = 0;

	for (size_t i = 0; i < j->n_groups; i++)
		blind += j->groups[i].f.tested && j->groups[i].f.limit > log1p(BLIND_LIMIT);
	if (blind > 0)
		buf_printf(&j->notes,
			   "%zu of %zu groups see only changes above %.0f %%: the baseline's "
			   "series differ by as much "
			   "(ncclbench gate plan)\n",
			   blind, j->n_tested_groups, 100 * BLIND_LIMIT);
}

static int incomparable(struct judgement *j)
{
	j->exit_code = NB_EXIT_COVERAGE;
	buf_puts(&j->notes, "INCOMPARABLE: no baseline series was measured under the same "
			    "conditions (--across NAME lets a fact differ)\n");
	return 0;
}

int judge_run(const struct pool *pool, const struct series *const *base, size_t n_base,
	      const struct series *now, const struct series *confirming,
	      const struct judge_options *o, struct judgement *out)
{
	struct judgement j = { 0 };
	struct trial t = { .pool = pool, .o = o, .now = now, .confirm = confirming, .j = &j };
	int rc = admit(&t, base, n_base);

	if (rc == 0 && j.n_series == 0) {
		*out = j;
		return incomparable(out);
	}
	if (rc == 0)
		rc = lay_out(&t);
	if (rc == 0) {
		first_look(&t);
		rc = test_points(&t);
	}
	if (rc == 0)
		rc = test_groups(&t);
	if (rc == 0)
		rc = confirm(&t);
	if (rc == 0) {
		note_rule(&j, o);
		note_reach(&j);
		if (isnan(o->group_floor))
			note_blind(&j);
		conclude(&t);
	}
	scorer_fini(&t.scorer);
	free(t.take);
	if (rc == 0 && j.notes.failed)
		rc = -ENOMEM;
	if (rc)
		judge_fini(&j);
	else
		*out = j;
	return rc;
}
