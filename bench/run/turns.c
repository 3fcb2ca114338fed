/* SPDX-License-Identifier: Apache-2.0 */
/* See turns.h. What is measured at once and what again alone is decided in pairs.c; what becomes of
 * one point, in step.c. */
#include "run/turns.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/campaign.h"
#include "run/fault.h"
#include "run/point.h"
#include "run/step.h"
#include "spec/profile.h"

struct turns {
	struct campaign *k;
	struct crew *w;
	size_t config;
	struct pairs *pairs;
	int restart;
	struct fault *worst;
	bool *lost;
	size_t *points; /* room for a task */
	bool *equal;    /* of each point of the configuration: measured alone, too, and no other */
};

static int turns_init(struct turns *t)
{
	t->pairs = &t->k->configs[t->config].pairs;
	t->points = calloc(t->pairs->n_points + 1, sizeof(*t->points));
	t->equal = calloc(t->pairs->n_points + 1, sizeof(*t->equal));
	return t->points && t->equal ? 0 : -ENOMEM;
}

static void turns_fini(struct turns *t)
{
	free(t->points);
	free(t->equal);
}

static bool over(const struct turns *t)
{
	return *t->lost || t->w->stop;
}

static size_t point_at(const struct turns *t, const struct pair_task *task, size_t i)
{
	return t->k->plan.configs[t->config].first + t->pairs->order[task->first + i];
}

static bool in_company(const struct turns *t, const struct pair_task *task)
{
	return task->n > 1 && !task->alone && !t->pairs->one_by_one && !t->k->checks_only;
}

/* Something failed while pairs were measured at once. Which of them it was nobody can tell for
 * sure: from now on each is measured alone, and what fails then has the row. */
static void leave_company(struct turns *t)
{
	t->pairs->one_by_one |= !t->w->stop;
	*t->lost = t->w->stop || fault_lost_worker(t->worst);
}

/* ---- ascending pass ---- */

static int probe_together(struct turns *t, size_t n)
{
	const struct point_set set = { t->points, n };
	int r;

	step_show(t->k, t->config, t->points[0], n);
	t->w->broken = t->k->broken;
	r = points_probe(t->k, t->w, t->config, &set, false, t->worst);
	if (r < 0 || !fault_is(t->worst))
		return r;
	for (size_t i = 0; i < n; i++)
		t->k->points[t->points[i]].probed = false;
	leave_company(t);
	return 0;
}

/* What of a task is not yet probed and cannot be settled without asking. */
static int open_points(struct turns *t, const struct pair_task *task, size_t *n)
{
	int r = 0;

	*n = 0;
	for (size_t i = 0; i < task->n && r >= 0; i++) {
		size_t point = point_at(t, task, i);

		if (t->k->points[point].done || t->k->points[point].probed)
			continue;
		r = step_settle_unasked(t->k, t->config, point);
		if (r == 0)
			t->points[(*n)++] = point;
	}
	return r < 0 ? r : 0;
}

/* What takes too long in company may be in time alone. */
static bool settled_in_company(const struct turns *t, size_t point)
{
	const struct point_state *s = &t->k->points[point];
	int64_t limit_ns = profile_table[t->k->request.profile].single_limit_ns;

	return s->probed && s->est_us * 1e3 <= (double)limit_ns;
}

static int ascend_task(struct turns *t, const struct pair_task *task)
{
	size_t n;
	int r = open_points(t, task, &n);

	if (r == 0 && n > 1 && in_company(t, task))
		r = probe_together(t, n);
	for (size_t i = 0; i < n && r == 0 && !over(t); i++)
		if (!settled_in_company(t, t->points[i]))
			r = step_probe(t->k, t->w, t->config, t->points[i], t->worst, t->lost);
	return r;
}

int turns_ascend(struct campaign *k, struct crew *w, size_t config, struct fault *worst, bool *lost)
{
	struct turns t = { .k = k, .w = w, .config = config, .worst = worst, .lost = lost };
	int r = turns_init(&t);

	for (size_t i = 0; r == 0 && i < t.pairs->n_tasks && !over(&t); i++)
		r = ascend_task(&t, &t.pairs->tasks[i]);
	if (r == 0 && !over(&t))
		k->configs[config].ascended = true;
	turns_fini(&t);
	return r;
}

/* ---- measuring ---- */

static bool has_samples(const struct turns *t, size_t point)
{
	const struct merged *m = &t->k->points[point].merged;

	return m->n > 0 && m->samples[m->n - 1].restart == t->restart;
}

static int forget_restart(struct turns *t, size_t point)
{
	struct merged last = { 0 };
	int r = has_samples(t, point) ? merged_take_last(&t->k->points[point].merged, &last) : 0;

	merged_fini(&last);
	return r;
}

/* Points of a task that want their turn in this restart. */
static int due_points(struct turns *t, const struct pair_task *task, size_t *n)
{
	int r = 0;

	*n = 0;
	for (size_t i = 0; i < task->n && r >= 0; i++) {
		size_t point = point_at(t, task, i);

		if (t->k->points[point].done || has_samples(t, point))
			continue;
		r = step_settle_declined(t->k, t->w, t->config, point);
		if (r == 0)
			t->points[(*n)++] = point;
	}
	return r < 0 ? r : 0;
}

static void say_company(struct record *r, size_t others)
{
	if (!r->detail[0])
		snprintf(r->detail, sizeof(r->detail), "measured at once with %zu other pair%s",
			 others, others == 1 ? "" : "s");
}

/* Rows wait until their form was held against pairs alone. */
static int measure_together(struct turns *t, size_t n)
{
	const struct point_set set = { t->points, n };
	const char *stop;
	int r;

	step_show(t->k, t->config, t->points[0], n);
	t->w->broken = t->k->broken;
	r = points_measure(t->k, t->w, &set, t->restart, &stop, t->worst);
	if (r == 0 && fault_is(t->worst))
		leave_company(t);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct point_state *s = &t->k->points[t->points[i]];

		if (fault_is(t->worst)) {
			r = forget_restart(t, t->points[i]);
			continue;
		}
		s->unchecked = true;
		r = point_record(t->k, t->w, t->config, t->points[i], t->worst, stop);
		say_company(&s->record, n - 1);
	}
	return r;
}

static int measure_task(struct turns *t, const struct pair_task *task)
{
	size_t n;
	int r = due_points(t, task, &n);

	if (r == 0 && n > 1 && in_company(t, task)) {
		r = measure_together(t, n);
		if (r < 0 || in_company(t, task))
			return r;
	}
	for (size_t i = 0; i < n && r == 0 && !over(t); i++)
		r = step_measure(t->k, t->w, t->config, t->points[i], t->restart, t->worst,
				 t->lost);
	return r;
}

/* ---- pairs at once held against pairs alone ---- */

static void settle_checked(struct turns *t, size_t point)
{
	struct point_state *s = &t->k->points[point];

	s->unchecked = false;
	if (t->restart + 1 == t->k->plan.restarts) {
		step_finish(t->k, point);
		return;
	}
	step_store_samples(t->k, point);
	s->turns++;
	t->k->n_turns++;
}

/* The pairs of this round disturb each other: its figures are replaced, by those of pairs alone. */
static int replace_round(struct turns *t, struct pair_task *task)
{
	int r = 0;

	task->alone = true;
	t->pairs->replaced++;
	for (size_t i = 0; i < task->n && r == 0; i++) {
		size_t point = point_at(t, task, i);

		if (t->k->points[point].unchecked)
			r = forget_restart(t, point);
		t->k->points[point].unchecked = false;
	}
	return r < 0 ? r : measure_task(t, task);
}

static int measure_again(struct turns *t, size_t point, struct merged *together, const char **stop)
{
	int r = merged_take_last(&t->k->points[point].merged, together);

	step_show(t->k, t->config, point, 1);
	t->w->broken = t->k->broken;
	return r < 0 ? r : point_measure(t->k, t->w, t->config, point, t->restart, stop, t->worst);
}

static int keep_together(struct turns *t, size_t point, const struct merged *together)
{
	int r = forget_restart(t, point);

	return r < 0 ? r : merged_append(&t->k->points[point].merged, together);
}

/* The point has both figures. Equal: the one in company stays; else it is replaced, with all of its
 * round. */
static int decide(struct turns *t, size_t at, size_t point, const struct merged *together,
		  const char *stop)
{
	int r = pairs_differ(together, &t->k->points[point].merged);

	t->pairs->checked++;
	t->equal[at] = r == 0;
	if (r == 0)
		return keep_together(t, point, together);
	if (r > 0)
		r = point_record(t->k, t->w, t->config, point, t->worst, stop);
	if (r < 0)
		return r;
	settle_checked(t, point);
	return replace_round(t, &t->pairs->tasks[t->pairs->task_of[at]]);
}

static int check_one(struct turns *t, size_t at)
{
	size_t point = t->k->plan.configs[t->config].first + at;
	struct merged together = { 0 };
	const char *stop = "";
	int r = measure_again(t, point, &together, &stop);

	if (r == 0 && fault_is(t->worst) && t->w->stop) {
		*t->lost = true; /* Ctrl-C: the figure that is there already stays */
		r = keep_together(t, point, &together);
	} else if (r == 0 && fault_is(t->worst)) {
		t->k->points[point].unchecked = false;
		r = step_fault(t->k, t->w, t->config, point, t->worst, t->lost);
	} else if (r == 0) {
		r = decide(t, at, point, &together, stop);
	}
	merged_fini(&together);
	return r;
}

/* All pairs of a form are measured: is what was measured in company what they do alone? */
static int check_form(struct turns *t, size_t form)
{
	const struct pairs *p = t->pairs;
	size_t first = t->k->plan.configs[t->config].first, at = 0;
	int r = 0;

	while (r == 0 && at < p->n_points && !over(t)) {
		r = pairs_suspect(t->k, t->config, form, t->equal, &at);
		if (r == 0 && at < p->n_points)
			r = check_one(t, at);
	}
	for (size_t i = 0; i < p->n_points && r == 0 && !over(t); i++)
		if (t->k->points[first + i].unchecked && p->tasks[p->task_of[i]].form == form)
			settle_checked(t, first + i);
	return r;
}

static int measure_tasks(struct turns *t, const uint32_t *turn)
{
	const struct pairs *p = t->pairs;
	int r = 0;

	for (size_t i = 0; i < p->n_tasks && r == 0 && !over(t); i++) {
		const struct pair_task *task = &p->tasks[turn[i]];
		bool last = i + 1 == p->n_tasks || p->tasks[turn[i + 1]].form != task->form;

		r = measure_task(t, task);
		if (r == 0 && last && p->most > 1 && !over(t))
			r = check_form(t, task->form);
	}
	return r;
}

int turns_measure(struct campaign *k, struct crew *w, size_t config, int restart,
		  struct fault *worst, bool *lost)
{
	struct turns t = {
		.k = k, .w = w, .config = config, .restart = restart, .worst = worst, .lost = lost
	};
	int r = turns_init(&t);
	uint32_t *turn = malloc((t.pairs->n_tasks + 1) * sizeof(*turn));

	if (r == 0 && !turn)
		r = -ENOMEM;
	/* The arms of a transport take the same order: what a point inherits from the one before it
	 * is equal, too. */
	if (r == 0)
		r = plan_shuffle(k->request.seed, restart, config / (size_t)k->plan.n_arms,
				 t.pairs->n_tasks, turn);
	if (r == 0)
		r = pairs_turns(t.pairs, turn);
	if (r == 0)
		r = measure_tasks(&t, turn);
	free(turn);
	turns_fini(&t);
	return r;
}
