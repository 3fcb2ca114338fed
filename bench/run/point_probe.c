/* SPDX-License-Identifier: Apache-2.0 */
/* The ascending pass of point.h: one operation alone, which connects, proves, checks and predicts.
 * Its time is never a figure. */
#include <stdlib.h>
#include <string.h>

#include "run/campaign.h"
#include "run/coord.h"
#include "run/point.h"
#include "run/point_ask.h"
#include "run/told.h"
#include "spec/timing.h"
#include "spec/transport.h"
#include "wire/msg.h"

/* What the ranks agree on after the single operation: the maximum of each. */
enum { SINGLE_NS, SINGLE_FIRST_US, SINGLE_PROOF, SINGLE_UNREADABLE, SINGLE_FIGURES };

struct single {
	int rank;
	int64_t ns;
	struct told told;
};

static void read_single(const struct words *answer, int64_t *extra, void *arg)
{
	struct single *s = arg;
	int64_t ns[1] = { 0 };
	size_t n = 1;

	extra[SINGLE_UNREADABLE] = words_list(answer, "ns", ns, &n) != 0 || n != 1 || ns[0] < 0;
	extra[SINGLE_NS] = s->ns = extra[SINGLE_UNREADABLE] ? 0 : ns[0];
	if (words_i64(answer, "first_us", 0, INT64_MAX, &extra[SINGLE_FIRST_US]) != 0)
		extra[SINGLE_FIRST_US] = 0;
	extra[SINGLE_PROOF] = told_read(answer, s->rank, &s->told);
}

static int probe_timing(int backend)
{
	return backend == BACKEND_UCX ? TIMING_HOST : TIMING_STREAM;
}

/* Field by field: the struct has padding. */
static bool same_case(const struct op_case *a, const struct op_case *b)
{
	return a->op == b->op && a->dtype == b->dtype && a->redop == b->redop &&
	       a->in_place == b->in_place && a->nranks == b->nranks && a->root == b->root &&
	       a->a == b->a && a->b == b->b && a->bytes == b->bytes;
}

/* Now or never: the log goes on without a line per operation, and the scan keeps only the last one
 * of each size, which another type or form of the same operation would overwrite. Before NCCL 2.23
 * lines do not name the operation. */
static void remember_tuning(const struct crew *w, const struct plan_point *p, struct point_state *s)
{
	const char *func = op_table[p->c.op].nccl_name;
	const struct scan_tuning *t =
	    func ? scan_find_tuning(&w->evidence.scan, func, p->c.bytes) : NULL;

	if (func && !t)
		t = scan_find_tuning(&w->evidence.scan, "", p->c.bytes);
	if (t)
		s->tuning = *t;
}

/* What the single operation told is true of the same case in other timings, too. */
static void adopt_proof(struct campaign *k, size_t config, size_t point, int by_attempt)
{
	const struct plan_config *pc = &k->plan.configs[config];
	struct point_state *from = &k->points[point];

	for (size_t i = point; i < pc->first + pc->n; i++) {
		struct point_state *s = &k->points[i];
		const struct plan_point *a = &k->plan.points[i], *b = &k->plan.points[point];

		if (!same_case(&a->c, &b->c) || a->variant != b->variant)
			break;
		memcpy(s->used, from->used, sizeof(s->used));
		memcpy(s->told_detail, from->told_detail, sizeof(s->told_detail));
		s->told = from->told;
		s->tuning = from->tuning;
		s->est_us = from->est_us;
		s->probed = true;
		s->probed_by = by_attempt + 1;
	}
}

/* One operation of a pair takes as long as on the slower of its two ranks. */
static int keep_estimates(struct campaign *k, struct crew *w, const struct point_set *set,
			  int64_t slowest_ns, int64_t mine_ns)
{
	int64_t *all;
	int r;

	if (set->n == 1) {
		k->points[set->points[0]].est_us = (double)slowest_ns / 1e3;
		return 0;
	}
	all = point_gather(w, &mine_ns, sizeof(mine_ns), &r);
	for (size_t i = 0; i < set->n && r == 0; i++) {
		const struct op_case *c = &k->plan.points[set->points[i]].c;
		int64_t ns = all[c->a] > all[c->b] ? all[c->a] : all[c->b];

		k->points[set->points[i]].est_us = (double)ns / 1e3;
	}
	free(all);
	return r;
}

int points_probe(struct campaign *k, struct crew *w, size_t config, const struct point_set *set,
		 bool once, struct fault *worst)
{
	const struct plan_point *p = point_own(k, set);
	struct config_state *cs = &k->configs[config];
	struct single single = { .rank = w->c->rank };
	int64_t v[SINGLE_FIGURES] = { 0 };
	struct msg m = { 0 };
	int r = point_prepare(w, p, probe_timing(transport_table[w->transport].backend), false,
			      set->n, worst);

	if (r < 0 || fault_is(worst))
		return r;
	point_begin_run(&m, "single", 1, 1, 1, 0);
	if (once)
		msg_add_i64(&m, "once", 1);
	k->spent_ns[PHASE_NONE] -= k->spent_ns[PHASE_RUN];
	r = crew_ask(w, PHASE_RUN, &m, 0, read_single, &single, v, SINGLE_FIGURES, worst);
	k->spent_ns[PHASE_NONE] += k->spent_ns[PHASE_RUN];
	msg_fini(&m);
	(void)evidence_read(&w->evidence); /* what went wrong stands there, and what was chosen */
	if (r == 0 && !fault_is(worst) && v[SINGLE_UNREADABLE])
		fault_set(worst, OUTCOME_ERROR, PHASE_RUN,
			  "worker's time of the single operation cannot be read");
	if (r == 0 && !fault_is(worst) && told_by_worker(w))
		r = told_keep(k, w, set, v[SINGLE_PROOF], &single.told);
	if (r == 0 && !fault_is(worst))
		r = keep_estimates(k, w, set, v[SINGLE_NS], single.ns);
	if (r < 0 || fault_is(worst))
		return r;
	w->warm = true;
	if (cs->first_op_us < 0)
		cs->first_op_us = v[SINGLE_FIRST_US];
	for (size_t i = 0; i < set->n; i++) {
		remember_tuning(w, &k->plan.points[set->points[i]], &k->points[set->points[i]]);
		adopt_proof(k, config, set->points[i], w->attempt);
	}
	return point_check(w, &k->points[set->points[0]].wrong, worst);
}

int point_probe(struct campaign *k, struct crew *w, size_t config, size_t point, bool once,
		struct fault *worst)
{
	return points_probe(k, w, config, &(struct point_set){ &point, 1 }, once, worst);
}
