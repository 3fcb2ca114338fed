/* SPDX-License-Identifier: Apache-2.0 */
/* See shift.h. */
#include "run/shift.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/point.h"
#include "run/relay.h"
#include "run/step.h"
#include "run/turns.h"
#include "spec/outcome.h"
#include "spec/transport.h"

#define WORKERS_LOST_MAX 4   /* per configuration; then the rest of its points is skipped */
#define START_FAILURES_MAX 2 /* in a row, without any point in between */
#define ROUND_NS (900 * CLOCK_S)

/* ---- a configuration that is given up ---- */

/* Measured in some of its restarts, and it will not be in the others: what is there is its row. */
static void keep_figures(struct campaign *k, size_t point, const char *why)
{
	struct record *row = &k->points[point].record;
	size_t said = strlen(row->detail);

	snprintf(row->detail + said, sizeof(row->detail) - said, "%s%.0f of %d restarts: %s",
		 said ? "; " : "", row->restarts, k->plan.restarts, why);
	step_finish(k, point);
}

static int fail_rest(struct campaign *k, size_t config, int outcome, int phase, const char *why)
{
	const struct plan_config *pc = &k->plan.configs[config];
	struct fault f;
	int r = 0;

	fault_set(&f, outcome, phase, "%s", why);
	for (size_t i = pc->first; i < pc->first + pc->n && r == 0; i++)
		if (k->points[i].unchecked)
			step_finish(k, i); /* measured, and nobody is left to compare it with */
		else if (step_has_figures(k, i))
			keep_figures(k, i, why);
		else if (!k->points[i].done)
			r = step_fail(k, NULL, config, i, &f);
	return r;
}

void shift_give_up(struct config_state *cs, int outcome, const char *why)
{
	cs->dead = true;
	cs->why_outcome = outcome;
	snprintf(cs->why, sizeof(cs->why), "%s", why);
}

/* ---- loss of a worker ---- */

/* The one that a start that failed is told of: figures are not given away for it. */
static bool first_bare_point(const struct campaign *k, size_t config, size_t *point)
{
	const struct plan_config *pc = &k->plan.configs[config];

	for (size_t i = pc->first; i < pc->first + pc->n; i++)
		if (!k->points[i].done && !step_has_figures(k, i)) {
			*point = i;
			return true;
		}
	return false;
}

static void count_loss(struct config_state *cs, const struct fault *f)
{
	cs->failures++;
	if (cs->failures >= WORKERS_LOST_MAX) {
		char why[RECORD_DETAIL];

		snprintf(why, sizeof(why),
			 "not measured: %d workers were lost before (the last: %s at %s)",
			 cs->failures, outcome_table[f->outcome].name, phase_names[f->phase]);
		shift_give_up(cs, OUTCOME_SKIPPED, why);
	}
}

/* The workers did not come up. What NCCL says the machine cannot do is N/A for the whole
 * configuration. */
static int start_failed(struct campaign *k, struct crew *w, size_t config,
			const struct fault *worst)
{
	struct config_state *cs = &k->configs[config];
	struct fault f = *worst;
	size_t point;
	int64_t unavailable;
	int r;

	reason_after(k->plan.configs[config].transport, &w->evidence.scan, &f);
	/* Logs differ between ranks: one that knows why is enough. */
	unavailable = f.outcome == OUTCOME_UNAVAILABLE;
	r = w->c->ops->max(w->c, &unavailable, 1, clock_after_ns(ROUND_NS));
	if (r < 0)
		return r;
	if (unavailable) {
		shift_give_up(cs, OUTCOME_UNAVAILABLE, f.detail);
		return 0;
	}
	if (first_bare_point(k, config, &point)) {
		r = point_record(k, NULL, config, point, &f, "");
		step_finish(k, point);
	}
	cs->start_failures++;
	count_loss(cs, &f);
	if (!cs->dead && cs->start_failures >= START_FAILURES_MAX) {
		char why[RECORD_DETAIL];

		snprintf(
		    why, sizeof(why),
		    "not measured: the workers did not start %d times in a row (%s at %s: %.300s)",
		    cs->start_failures, outcome_table[f.outcome].name, phase_names[f.phase],
		    f.detail);
		shift_give_up(cs, OUTCOME_SKIPPED, why);
	}
	return r;
}

/* ---- one crew after the other ---- */

static int remember_start(struct campaign *k, const struct crew *w, size_t config)
{
	struct config_state *cs = &k->configs[config];
	const struct arm *arm = campaign_arm(k, config);

	if (cs->init_us >= 0)
		return 0;
	cs->context_us = w->context_us;
	cs->init_us = w->init_us;
	snprintf(cs->overruled, sizeof(cs->overruled), "%s", buf_text(&w->environment.overruled));
	snprintf(cs->set, sizeof(cs->set), "%s", buf_text(&w->environment.set));
	if (cs->overruled[0] && arm)
		log_note("%s, arm %s: %s is overruled for this transport",
			 transport_table[w->transport].name, arm->label, cs->overruled);
	else if (cs->overruled[0])
		log_note("%s: your %s is overruled for this transport (auto keeps it)",
			 transport_table[w->transport].name, cs->overruled);
	/* Once per transport: what the first arm uses is what the table's figures are held to. */
	return k->joined && k->plan.configs[config].arm == 0 ? k->joined(k->joined_arg, k, w) : 0;
}

/* One crew from start to stop. *again: workers were lost and points are left. */
static int one_crew(struct campaign *k, size_t config, int restart, bool *again)
{
	struct config_state *cs = &k->configs[config];
	struct crew_spec spec;
	struct crew w;
	struct fault worst;
	bool lost = false, stopped;
	int r;

	relay_take(k, config, restart, &w, &spec);
	w.broken = k->broken;
	fault_clear(&worst);
	r = relay_start(k, config, restart, &w, &spec, &worst);
	if (r == 0 && fault_is(&worst)) {
		lost = true;
		if (!w.stop)
			r = start_failed(k, &w, config, &worst);
	} else if (r == 0) {
		r = remember_start(k, &w, config);
		cs->start_failures = 0;
		if (r == 0 && !cs->ascended)
			r = turns_ascend(k, &w, config, &worst, &lost);
		if (r == 0 && !lost && !w.stop && !k->checks_only)
			r = turns_measure(k, &w, config, restart, &worst, &lost);
		if (r == 0 && lost && !w.stop)
			count_loss(cs, &worst);
	}
	k->interrupted |= w.stop;
	stopped = w.stop;
	if (k->watch)
		k->watch(k->watch_arg, &w, &worst, CAMPAIGN_BEFORE_STOP);
	if (r == 0)
		r = relay_stop(k, &w, config, !lost && !w.stop);
	else
		(void)session_stop(&w.session, SESSION_KILL);
	if (k->watch)
		k->watch(k->watch_arg, &w, &worst, CAMPAIGN_AFTER_STOP);
	*again = lost && !cs->dead && !stopped && !k->checks_only;
	crew_fini(&w);
	return r;
}

int shift_run(struct campaign *k, size_t config, int restart)
{
	struct config_state *cs = &k->configs[config];
	bool again = true;
	size_t open;
	int r = 0;

	while (r == 0 && again && !cs->dead && !k->interrupted) {
		again = false;
		if (step_first_open(k, config, &open))
			r = one_crew(k, config, restart, &again);
	}
	if (r == 0 && cs->dead)
		r = fail_rest(k, config, cs->why_outcome, PHASE_NONE, cs->why);
	else if (r == 0 && k->checks_only && !k->interrupted)
		r = fail_rest(k, config, OUTCOME_SKIPPED, PHASE_NONE, "not reached");
	return r;
}
