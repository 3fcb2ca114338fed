/* SPDX-License-Identifier: Apache-2.0 */
#include "run/campaign.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "run/arm.h"
#include "run/coord.h"
#include "run/matrix.h"
#include "run/point.h"
#include "run/progress.h"
#include "run/step.h"
#include "run/turns.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define WORKERS_LOST_MAX 4         /* per configuration; then the rest of its points is skipped */
#define START_FAILURES_MAX 2       /* in a row, without any point in between */
#define GROW_FROM_BYTES (1u << 20) /* from here on time is taken to grow with the size */
#define ONCE_FROM_US 2000.0        /* one operation of that length is told well enough by one */
#define CONNECTED_SHARE 3 /* so many times longer than predicted: it did more than operate */
#define ROUND_NS (900 * CLOCK_S)

static bool same_host(const struct campaign *k, int a, int b, int nranks)
{
	if (k->fake_hosts)
		return environment_fake_host(a, nranks, k->fake_hosts) ==
		       environment_fake_host(b, nranks, k->fake_hosts);
	return facts_same_host(k->reasons.facts, a, b);
}

/* Of the first n ranks; the lowest rank of a host is its number. */
static int fill_hosts(const struct campaign *k, int n, int *host)
{
	int hosts = 0;

	for (int i = 0; i < n; i++) {
		host[i] = i;
		for (int j = 0; j < i && host[i] == i; j++)
			if (host[j] == j && same_host(k, i, j, n))
				host[i] = j;
		hosts += host[i] == i;
	}
	/* Of all ranks MPI knows best. */
	return n == k->c->size && !k->fake_hosts ? k->reasons.n_hosts : hosts;
}

/* With --share-gpu each rank is a host of its own for NCCL. */
static int number_hosts(struct campaign *k, size_t config)
{
	struct config_state *cs = &k->configs[config];
	int n = k->plan.configs[config].nranks;

	cs->n_hosts = k->reasons.n_hosts;
	if (k->reasons.n_hosts < 2 && !k->fake_hosts)
		return 0;
	cs->host = calloc((size_t)n + 1, sizeof(*cs->host));
	if (!cs->host)
		return -ENOMEM;
	cs->n_hosts = fill_hosts(k, n, cs->host);
	if (cs->n_hosts > 1 && !k->crew.environment.share_gpu)
		return 0;
	free(cs->host);
	cs->host = NULL;
	return 0;
}

const struct arm *campaign_arm(const struct campaign *k, size_t config)
{
	return k->arms ? &k->arms[k->plan.configs[config].arm] : NULL;
}

int campaign_prepare(struct campaign *k)
{
	k->points = calloc(k->plan.n_points + 1, sizeof(*k->points));
	k->configs = calloc(k->plan.n_configs + 1, sizeof(*k->configs));
	if (!k->points || !k->configs)
		return -ENOMEM;
	card_init(&k->card);
	k->crew.card = &k->card;
	k->crew.spent_ns = k->spent_ns;
	for (size_t i = 0; i < k->plan.n_points; i++)
		k->points[i].est_us = k->points[i].wrong = NAN;
	for (size_t i = 0; i < k->plan.n_configs; i++)
		k->configs[i].context_us = k->configs[i].init_us = k->configs[i].first_op_us =
		    k->configs[i].teardown_us = -1;
	for (size_t i = 0; i < k->plan.n_configs; i++) {
		int r = number_hosts(k, i);

		if (r < 0)
			return r;
	}
	return 0;
}

void campaign_fini(struct campaign *k)
{
	for (size_t i = 0; k->points && i < k->plan.n_points; i++)
		merged_fini(&k->points[i].merged);
	for (size_t i = 0; k->configs && i < k->plan.n_configs; i++) {
		free(k->configs[i].host);
		pairs_fini(&k->configs[i].pairs);
	}
	if (k->have_last) { /* the run broke off before its answer was due */
		(void)session_stop(&k->last.session, SESSION_KILL);
		crew_fini(&k->last);
	}
	free(k->points);
	free(k->configs);
	if (k->cards)
		coord_free_texts(k->cards, k->request.nranks);
	k->cards = NULL;
	plan_fini(&k->plan);
}

/* ---- rows ---- */

/* Not final, and all that was measured so far is in its record. */
static bool has_figures(const struct campaign *k, size_t point)
{
	return !k->points[point].done && k->points[point].merged.n > 0;
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

static int fail_point(struct campaign *k, const struct crew *w, size_t config, size_t point,
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
		else if (has_figures(k, i))
			keep_figures(k, i, why);
		else if (!k->points[i].done)
			r = fail_point(k, NULL, config, i, &f);
	return r;
}

static void kill_config(struct config_state *cs, int outcome, const char *why)
{
	cs->dead = true;
	cs->why_outcome = outcome;
	snprintf(cs->why, sizeof(cs->why), "%s", why);
}

/* ---- loss of a worker ---- */

static bool first_open_point(const struct campaign *k, size_t config, size_t *point)
{
	const struct plan_config *pc = &k->plan.configs[config];

	for (size_t i = pc->first; i < pc->first + pc->n; i++)
		if (!k->points[i].done) {
			*point = i;
			return true;
		}
	return false;
}

/* The one that a start that failed is told of: figures are not given away for it. */
static bool first_bare_point(const struct campaign *k, size_t config, size_t *point)
{
	const struct plan_config *pc = &k->plan.configs[config];

	for (size_t i = pc->first; i < pc->first + pc->n; i++)
		if (!k->points[i].done && !has_figures(k, i)) {
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
		kill_config(cs, OUTCOME_SKIPPED, why);
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
		kill_config(cs, OUTCOME_UNAVAILABLE, f.detail);
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
		kill_config(cs, OUTCOME_SKIPPED, why);
	}
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
	return fail_point(k, NULL, config, point, &f);
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
		r = fail_point(k, NULL, config, point, &f);
	} else if (us * 1e3 > (double)profile_table[k->request.profile].single_limit_ns) {
		r = skip_for_time(k, config, point, us);
	} else {
		return 0;
	}
	return r < 0 ? r : 1;
}

/* A point takes a turn in each restart; its row is final in the last one only. */
void campaign_show(struct campaign *k, const char *what)
{
	progress_show(k->progress, what, k->n_turns, k->plan.n_points * (size_t)k->plan.restarts);
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
	return fail_point(k, w, config, point, worst);
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
		return fail_point(k, w, config, point, worst);
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
	r = fail_point(k, NULL, config, point, &f);
	return r < 0 ? r : 1;
}

/* ---- one configuration in one restart ---- */

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

static struct crew_spec spec_of(struct campaign *k, size_t config, int restart)
{
	struct config_state *cs = &k->configs[config];
	struct crew_spec spec = k->crew;

	spec.transport = k->plan.configs[config].transport;
	spec.nranks = k->plan.configs[config].nranks;
	spec.names_ranks = k->request.n_counts > 0;
	spec.environment.one_host = cs->n_hosts == 1;
	spec.environment.fake_hosts = k->fake_hosts;
	spec.restart = restart;
	spec.attempt = cs->attempt++;
	spec.environment.tuning = !cs->ascended;
	spec.environment.arm = campaign_arm(k, config);
	return spec;
}

/* Whose turn it is after this one, if it needs workers at all: then its process comes up while this
 * one's worker ends. Equal on all ranks, as are all states it is told from. */
static int spawn_next(struct campaign *k)
{
	size_t open, turn = k->turn + 1, all = k->plan.n_configs * (size_t)k->plan.restarts;

	for (; turn < all; turn++) {
		int restart = (int)(turn / k->plan.n_configs);
		size_t config = plan_turn(&k->plan, restart, turn % k->plan.n_configs);

		if (k->configs[config].dead || !first_open_point(k, config, &open))
			continue;
		k->next_spec = spec_of(k, config, restart);
		k->next_config = config;
		k->have_next = true;
		crew_init(&k->next, k->c);
		k->next.beside = true;
		return crew_spawn(&k->next, &k->next_spec);
	}
	return 0;
}

/* What nobody came for: the sweep ended, or went another way. */
static void drop_next(struct campaign *k)
{
	if (!k->have_next)
		return;
	(void)session_stop(&k->next.session, SESSION_KILL);
	crew_fini(&k->next);
	k->have_next = false;
}

/* The crew before this one has been ending meanwhile. Collective; nothing is measured before. */
static int finish_last(struct campaign *k)
{
	struct config_state *cs = &k->configs[k->last_config];
	int64_t teardown_us = -1;
	int r;

	if (!k->have_last)
		return 0;
	k->have_last = false;
	r = crew_gone(&k->last, &teardown_us);
	if (cs->teardown_us < 0)
		cs->teardown_us = teardown_us;
	crew_fini(&k->last);
	return r;
}

/* Teardown is learned once per configuration; after that NCCL's part of it is left out. Takes the
 * crew: it ends while the next one comes up, unless somebody watches. */
static int stop_crew(struct campaign *k, struct crew *w, size_t config, bool polite)
{
	enum session_end how = !polite                              ? SESSION_KILL
			       : k->configs[config].teardown_us < 0 ? SESSION_DESTROY
								    : SESSION_LEAVE;
	int64_t teardown_us = -1;
	int r = 0;

	if (!polite || k->watch || k->checks_only) {
		r = crew_stop(w, how, &teardown_us);
		if (polite && k->configs[config].teardown_us < 0)
			k->configs[config].teardown_us = teardown_us;
		return r;
	}
	r = spawn_next(k);
	if (k->have_next)
		crew_announce(&k->next, &k->next_spec);
	crew_bye(w, how);
	k->last = *w;
	k->last_config = config;
	k->have_last = true;
	crew_init(w, k->c);
	return r < 0 || k->have_next ? r : finish_last(k);
}

/* The one that came up meanwhile, or a new one. */
static void take_crew(struct campaign *k, size_t config, int restart, struct crew *w,
		      struct crew_spec *spec)
{
	if (k->have_next && k->next_config == config && k->next_spec.restart == restart) {
		*w = k->next;
		*spec = k->next_spec;
		k->have_next = false;
		return;
	}
	drop_next(k);
	*spec = spec_of(k, config, restart);
	crew_init(w, k->c);
}

/* One that came up beside another worker may not get the GPU while that one has it (compute mode of
 * one process, a card that is nearly full): then once more, alone. */
static int start_crew(struct campaign *k, size_t config, int restart, struct crew *w,
		      struct crew_spec *spec, struct fault *worst)
{
	int64_t unused;
	int r = crew_start(w, spec, worst);

	if (r == 0)
		r = finish_last(k);
	if (r < 0 || !fault_is(worst) || !w->beside || w->stop)
		return r;
	r = crew_stop(w, SESSION_KILL, &unused);
	crew_fini(w);
	if (r < 0)
		return r;
	take_crew(k, config, restart, w, spec);
	w->broken = k->broken;
	fault_clear(worst);
	return crew_start(w, spec, worst);
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

	take_crew(k, config, restart, &w, &spec);
	w.broken = k->broken;
	fault_clear(&worst);
	r = start_crew(k, config, restart, &w, &spec, &worst);
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
		r = stop_crew(k, &w, config, !lost && !w.stop);
	else
		(void)session_stop(&w.session, SESSION_KILL);
	if (k->watch)
		k->watch(k->watch_arg, &w, &worst, CAMPAIGN_AFTER_STOP);
	*again = lost && !cs->dead && !stopped && !k->checks_only;
	crew_fini(&w);
	return r;
}

static int run_config(struct campaign *k, size_t config, int restart)
{
	struct config_state *cs = &k->configs[config];
	bool again = true;
	size_t open;
	int r = 0;

	while (r == 0 && again && !cs->dead && !k->interrupted) {
		again = false;
		if (first_open_point(k, config, &open))
			r = one_crew(k, config, restart, &again);
	}
	if (r == 0 && cs->dead)
		r = fail_rest(k, config, cs->why_outcome, PHASE_NONE, cs->why);
	else if (r == 0 && k->checks_only && !k->interrupted)
		r = fail_rest(k, config, OUTCOME_SKIPPED, PHASE_NONE, "not reached");
	return r;
}

/* ---- all ---- */

/* Rank 0 knows the reasons; the others learn which configurations are out. */
static int rule_out(struct campaign *k)
{
	int r = 0;

	for (size_t i = 0; i < k->plan.n_configs && r == 0; i++) {
		char why[RECORD_DETAIL] = "";

		struct reason_context x = k->reasons;

		x.nranks = k->plan.configs[i].nranks;
		x.n_hosts = k->configs[i].n_hosts;
		if (k->c->rank == 0)
			reason_before(k->plan.configs[i].transport, &x, why, sizeof(why));
		r = k->c->ops->bcast(k->c, why, sizeof(why), 0, clock_after_ns(ROUND_NS));
		if (r == 0 && why[0])
			kill_config(&k->configs[i], OUTCOME_UNAVAILABLE, why);
	}
	return r;
}

/* Points that had only some of their restarts when the sweep was stopped: what they have is a row.
 */
static void keep_unfinished(struct campaign *k)
{
	for (size_t i = 0; i < k->plan.n_points; i++)
		if (has_figures(k, i))
			step_finish(k, i);
}

/* Rank 0's environment stands for all: rounds must be equal on all ranks. */
static int find_pairs(struct campaign *k)
{
	struct buf steering = { 0 };
	bool steered = k->plan.n_arms > 1;
	int r;

	if (k->crew.inherited)
		environment_steering(k->crew.inherited, &steering);
	steered |= steering.len > 0 || steering.failed;
	buf_fini(&steering);
	r = k->c->ops->bcast(k->c, &steered, sizeof(steered), 0, clock_after_ns(ROUND_NS));
	for (size_t i = 0; i < k->plan.n_configs && r == 0; i++)
		r = pairs_build(k, i, steered, &k->configs[i].pairs);
	return r;
}

int campaign_run(struct campaign *k)
{
	size_t turns = k->plan.n_configs * (size_t)k->plan.restarts;
	int r = rule_out(k);

	if (r == 0)
		r = find_pairs(k);
	for (k->turn = 0; k->turn < turns && r == 0 && !k->interrupted; k->turn++) {
		int restart = (int)(k->turn / k->plan.n_configs);

		r = run_config(k, plan_turn(&k->plan, restart, k->turn % k->plan.n_configs),
			       restart);
	}
	drop_next(k);
	if (r == 0)
		r = finish_last(k);
	if (k->interrupted)
		keep_unfinished(k);
	progress_clear(k->progress);
	return r;
}

int campaign_gather_cards(struct campaign *k)
{
	struct buf mine = { 0 };
	int r;

	card_lines(&k->card, &mine);
	r = mine.failed
		? -ENOMEM
		: coord_gather_text(k->c, buf_text(&mine), &k->cards, clock_after_ns(ROUND_NS));
	buf_fini(&mine);
	return r;
}
