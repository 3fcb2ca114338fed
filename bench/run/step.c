/* SPDX-License-Identifier: Apache-2.0 */
/* See step.h. Which point has its turn, and with which others, is decided in turns.c. */
#include "run/step.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/matrix.h"
#include "run/point.h"
#include "run/progress.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define GROW_FROM_BYTES (1u << 20) /* from here on time is taken to grow with the size */
#define ONCE_FROM_US 2000.0        /* one operation of that length is told well enough by one */
#define CONNECTED_SHARE 3 /* so many times longer than predicted: it did more than operate */
#define ROUND_NS (900 * CLOCK_S)

/* ---- rows ---- */

/* Not final, and all that was measured so far is in its record. */
bool step_has_figures(const struct campaign *k, size_t point)
{
	return !k->points[point].done && k->points[point].merged.n > 0;
}

bool step_first_open(const struct campaign *k, size_t config, size_t *point)
{
	const struct plan_config *pc = &k->plan.configs[config];

	for (size_t i = pc->first; i < pc->first + pc->n; i++)
		if (!k->points[i].done) {
			*point = i;
			return true;
		}
	return false;
}

static void store_failed(struct campaign *k, int r)
{
	if (k->broken)
		return;
	k->broken = true;
	progress_clear(k->progress);
	log_error("cannot write %s/%s: %s; what was measured before it is kept, the sweep ends "
		  "here: make room or choose another "
		  "place with --out",
		  k->store.dir, k->store.failed ? k->store.failed : "", strerror(-r));
}

void step_store_samples(struct campaign *k, size_t point)
{
	struct merged *m = &k->points[point].merged;
	int r;

	if (!k->have_store || k->broken || m->written == m->n)
		return;
	r = store_samples(&k->store, &k->points[point].record, m->samples + m->written,
			  m->n - m->written);
	if (r < 0)
		store_failed(k, r);
	else
		m->written = m->n;
}

void step_finish(struct campaign *k, size_t point)
{
	struct record *row = &k->points[point].record;
	size_t said = strlen(row->detail);
	int r;

	if (k->points[point].unchecked)
		snprintf(row->detail + said, sizeof(row->detail) - said, "%s",
			 ", not held against any that was measured alone");
	k->points[point].done = true;
	k->points[point].probed = true;
	k->points[point].unchecked = false;
	k->n_turns += (size_t)(k->plan.restarts - k->points[point].turns);
	k->points[point].turns = k->plan.restarts;
	if (!k->have_store || k->broken)
		return;
	step_store_samples(k, point);
	r = store_point(&k->store, &k->points[point].record);
	/* Rows without a measurement come by the hundred and cost nothing to write again: the next
	 * sync takes them along. */
	if (r == 0 && k->points[point].merged.n > 0)
		r = store_sync(&k->store);
	if (r < 0)
		store_failed(k, r);
}

int step_fail(struct campaign *k, const struct crew *w, size_t config, size_t point,
	      const struct fault *fault)
{
	struct fault f = *fault;
	int r;

	if (w)
		reason_after(k->plan.configs[config].transport, &w->evidence.scan, &f);
	r = point_record(k, w, config, point, &f, "");
	step_finish(k, point);
	return r;
}

/* ---- ascending pass ---- */

static bool same_group(const struct plan_point *a, const struct plan_point *b)
{
	return a->c.op == b->c.op && a->c.dtype == b->c.dtype && a->c.redop == b->c.redop &&
	       a->c.in_place == b->c.in_place && a->variant == b->variant;
}

static bool same_pair(const struct op_case *a, const struct op_case *b)
{
	return a->a == b->a && a->b == b->b && a->root == b->root;
}

/* From the nearest smaller size of the same group; NaN when there is none. */
static double predict_us(const struct campaign *k, size_t first, size_t point)
{
	const struct plan_point *p = &k->plan.points[point];

	for (size_t i = point; i-- > first;) {
		const struct plan_point *q = &k->plan.points[i];
		double growth;
		uint64_t from;

		if (!same_group(p, q))
			return NAN;
		if (isnan(k->points[i].est_us) || q->c.bytes == 0)
			continue;
		from = q->c.bytes > GROW_FROM_BYTES ? q->c.bytes : GROW_FROM_BYTES;
		growth = p->c.bytes > from ? (double)p->c.bytes / (double)from : 1;
		return k->points[i].est_us * growth;
	}
	return NAN;
}

/* Long operations are told well enough by one, where this worker ran a smaller size of them: they
 * are connected. Equal on all ranks: a second operation is one that all must take part in. */
bool step_one_is_enough(const struct campaign *k, const struct crew *w, size_t first, size_t point)
{
	const struct plan_point *p = &k->plan.points[point];

	for (size_t i = point; i-- > first && same_group(p, &k->plan.points[i]);)
		if (same_pair(&p->c, &k->plan.points[i].c) &&
		    k->points[i].probed_by == w->attempt + 1)
			return predict_us(k, first, point) > ONCE_FROM_US;
	return false;
}

/* It was not the operation that took so long: a larger size may take another algorithm, and connect
 * that first. Then two are needed after all. */
bool step_connected(const struct campaign *k, size_t first, size_t point)
{
	return k->points[point].est_us > CONNECTED_SHARE * predict_us(k, first, point);
}

static int skip_for_time(struct campaign *k, size_t config, size_t point, double us)
{
	const struct profile *profile = &profile_table[k->request.profile];
	char predicted[32], limit[32];
	struct fault f;

	num_format_time(us * 1e3, 0, predicted, sizeof(predicted));
	num_format_time((double)profile->single_limit_ns, 0, limit, sizeof(limit));
	fault_set(&f, OUTCOME_SKIPPED, PHASE_NONE,
		  "time budget: one operation is predicted to take %s, profile %s allows %s",
		  predicted, profile->name, limit);
	k->points[point].est_us = us;
	return step_fail(k, NULL, config, point, &f);
}

/* Before asking any worker: 1 when the point is settled. */
int step_settle_unasked(struct campaign *k, size_t config, size_t point)
{
	const struct plan_point *p = &k->plan.points[point];
	double us = k->checks_only ? NAN : predict_us(k, k->plan.configs[config].first, point);
	struct fault f;
	int r = 0;

	if (p->impossible) {
		fault_set(&f, p->unavailable ? OUTCOME_UNAVAILABLE : OUTCOME_SKIPPED, PHASE_NONE,
			  "%s", p->impossible);
		r = step_fail(k, NULL, config, point, &f);
	} else if (us * 1e3 > (double)profile_table[k->request.profile].single_limit_ns) {
		r = skip_for_time(k, config, point, us);
	} else {
		return 0;
	}
	return r < 0 ? r : 1;
}

void step_show(struct campaign *k, size_t config, size_t point, size_t at_once)
{
	const struct plan_point *p = &k->plan.points[point];
	const struct arm *arm = campaign_arm(k, config);
	char what[160], size[32], ranks[32] = "";

	num_format_size(p->c.bytes, size, sizeof(size));
	if (k->request.n_counts)
		snprintf(ranks, sizeof(ranks), " %d ranks", p->c.nranks);
	if (at_once > 1)
		snprintf(ranks, sizeof(ranks), " %zu pairs", at_once);
	snprintf(what, sizeof(what), "%s%s%s%s %s %s %s",
		 transport_table[k->plan.configs[config].transport].name, arm ? "@" : "",
		 arm ? arm->tag : "", ranks, op_table[p->c.op].name, size,
		 timing_table[p->timing].name);
	campaign_show(k, what);
}

/* After a bad answer: the row, and whether the crew can go on. */
int step_fault(struct campaign *k, struct crew *w, size_t config, size_t point,
	       const struct fault *worst, bool *lost)
{
	*lost = fault_lost_worker(worst) || k->checks_only;
	return step_fail(k, w, config, point, worst);
}

/* The single operation is all there will be of this point. */
static int keep_single(struct campaign *k, struct crew *w, size_t config, size_t point,
		       const struct fault *none)
{
	struct point_state *s = &k->points[point];
	int64_t *ns = calloc((size_t)w->c->size, sizeof(*ns));
	int r = ns ? 0 : -ENOMEM;

	/* The estimate is the slowest rank's time already. */
	for (int i = 0; i < w->c->size && r == 0; i++)
		ns[i] = (int64_t)(s->est_us * 1e3);
	if (r == 0)
		r = merged_add(&s->merged, &k->plan.points[point].c, 0, ns, 1, 1, 1);
	free(ns);
	if (r == 0)
		r = point_record(k, w, config, point, none, "single");
	step_finish(k, point);
	return r;
}

int step_probe(struct campaign *k, struct crew *w, size_t config, size_t point, struct fault *worst,
	       bool *lost)
{
	struct point_state *s = &k->points[point];
	size_t first = k->plan.configs[config].first;
	bool once = step_one_is_enough(k, w, first, point);
	int r;

	step_show(k, config, point, 1);
	w->broken = k->broken;
	r = point_probe(k, w, config, point, once, worst);
	if (r == 0 && !fault_is(worst) && once && step_connected(k, first, point))
		r = point_probe(k, w, config, point, false, worst);
	if (r == 0 && fault_is(worst)) {
		if (isnan(s->est_us))
			s->est_us = predict_us(k, k->plan.configs[config].first, point);
		return step_fault(k, w, config, point, worst, lost);
	}
	if (r == 0 && k->checks_only)
		return keep_single(k, w, config, point, worst);
	if (r == 0 && s->est_us * 1e3 > (double)profile_table[k->request.profile].single_limit_ns)
		return skip_for_time(k, config, point, s->est_us);
	return r;
}

/* ---- measuring ---- */

int step_measure(struct campaign *k, struct crew *w, size_t config, size_t point, int restart,
		 struct fault *worst, bool *lost)
{
	const char *stop;
	int r;

	step_show(k, config, point, 1);
	w->broken = k->broken;
	r = point_measure(k, w, config, point, restart, &stop, worst);
	if (r < 0)
		return r;
	if (w->stop && fault_is(worst) && worst->outcome == OUTCOME_ABORTED) {
		*lost = true;
		return step_fail(k, w, config, point, worst);
	}
	if (fault_is(worst))
		return step_fault(k, w, config, point, worst, lost);
	r = point_record(k, w, config, point, worst, stop);
	if (restart + 1 == k->plan.restarts) {
		step_finish(k, point);
	} else {
		step_store_samples(k, point);
		k->points[point].turns++;
		k->n_turns++;
	}
	return r;
}

/* Only rank 0's log names the algorithm. 1: NCCL took another one than was asked for, and the point
 * is settled. */
int step_settle_declined(struct campaign *k, struct crew *w, size_t config, size_t point)
{
	const struct arm *arm = campaign_arm(k, config);
	struct fault f;
	char why[200] = "";
	int r;

	if (!arm || (!arm->algo_req[0] && !arm->proto_req[0]))
		return 0;
	if (k->c->rank == 0)
		matrix_declined(arm, &k->points[point].tuning, why, sizeof(why));
	r = k->c->ops->bcast(k->c, why, sizeof(why), 0, clock_after_ns(ROUND_NS));
	if (r < 0 || !why[0])
		return r;
	fault_set(&f, OUTCOME_UNAVAILABLE, PHASE_NONE, "%s", why);
	r = step_fail(k, NULL, config, point, &f);
	return r < 0 ? r : 1;
}
