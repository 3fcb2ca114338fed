/* SPDX-License-Identifier: Apache-2.0 */
#include "run/point.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "data/stats.h"
#include "run/arm.h"
#include "run/coord.h"
#include "spec/dtype.h"
#include "spec/load.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"
#include "wire/msg.h"

#define CHUNK_MAX 64 /* batches asked for at once */
#define BUDGET_STRETCH \
	2 /* long batches: the least number may take so many budgets before it is cut */
#define BATCHES_LEAST 3
#define PILOT_SHARE 5 /* two pilot loops may take so many times less than the budget */
#define RUN_SLACK 10  /* a batch may take so many times its prediction before it counts as hung */
/* Whatever a worker's own figure predicts: the other ranks wait for a round no longer than fault.c
 * lets them. */
#define RUN_EXTRA_MAX_NS (300 * CLOCK_S)
#define GATHER_NS (900 * CLOCK_S)
#define CLOCK_WARM_US 20000.0 /* first measurement of a fresh worker: let the clocks rise */

static const struct profile *profile_of(const struct campaign *k)
{
	return &profile_table[k->request.profile];
}

/* ---- the three questions ---- */

/* What a worker itself says of the way its data took (UCX). */
struct told {
	int badness; /* index of proof_words */
	char used[RECORD_TEXT], detail[200];
};

static const char *const proof_words[] = { "yes", "unknown", "no" };

/* Returns the badness with the rank below it, so that the maximum over ranks is the worst, of the
 * lowest rank. */
static int64_t read_told(const struct words *answer, int rank, struct told *t)
{
	const char *proof = words_get(answer, "proof");

	record_set(t->used, sizeof(t->used), words_get(answer, "used"));
	record_set(t->detail, sizeof(t->detail), words_get(answer, "proof_detail"));
	t->badness = 1; /* a worker that does not tell proves nothing */
	for (int i = 0; proof && i < (int)N_ELEMENTS(proof_words); i++)
		if (strcmp(proof, proof_words[i]) == 0)
			t->badness = i;
	return (int64_t)t->badness << 32 | (INT32_MAX - rank);
}

/* All ranks learn what the worst of them said; `packed` is the maximum of read_told. */
static int agree_on_told(struct crew *w, int64_t packed, struct told *t)
{
	int rank = INT32_MAX - (int)(packed & INT32_MAX);
	char words[sizeof(t->detail)];
	int r;

	if (packed >> 32 == 0)
		return 0;
	r = w->c->ops->bcast(w->c, t, sizeof(*t), rank, clock_after_ns(GATHER_NS));
	if (r < 0 || !t->detail[0] || w->c->size == 1)
		return r;
	snprintf(words, sizeof(words), "rank %d: %s", rank, t->detail);
	memcpy(t->detail, words, sizeof(words));
	return 0;
}

/* The row's figures are of all passes and restarts: one that went another way spoils the proof of
 * the others. */
static void keep_worst_told(struct point_state *s, const struct told *t)
{
	if (s->told > t->badness)
		return;
	s->told = t->badness + 1;
	memcpy(s->used, t->used, sizeof(s->used));
	memcpy(s->told_detail, t->detail, sizeof(s->told_detail));
}

/* NCCL's proof is its log. */
static bool tells_itself(const struct crew *w)
{
	return transport_table[w->transport].backend == BACKEND_UCX;
}

/* The point that this rank has a part in; of none, the first one, which it sits out. */
static const struct plan_point *own_point(const struct campaign *k, const struct point_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct plan_point *p = &k->plan.points[set->points[i]];

		if (set->n > 1 && (p->c.a == k->c->rank || p->c.b == k->c->rank))
			return p;
	}
	return &k->plan.points[set->points[0]];
}

/* Of pairs that were measured at once each has the proof of its own two ranks. */
static int keep_told_of_pairs(struct campaign *k, struct crew *w, const struct point_set *set,
			      const struct told *mine)
{
	struct told *all = calloc((size_t)w->c->size, sizeof(*all));
	int r =
	    all ? w->c->ops->allgather(w->c, mine, sizeof(*mine), all, clock_after_ns(GATHER_NS))
		: -ENOMEM;

	for (size_t i = 0; i < set->n && r == 0; i++) {
		const struct op_case *c = &k->plan.points[set->points[i]].c;
		int rank = all[c->b].badness > all[c->a].badness ? c->b : c->a;
		struct told t = all[rank];

		if (t.badness && t.detail[0])
			snprintf(t.detail, sizeof(t.detail), "rank %d: %.180s", rank,
				 all[rank].detail);
		keep_worst_told(&k->points[set->points[i]], &t);
	}
	free(all);
	return r;
}

static int keep_told(struct campaign *k, struct crew *w, const struct point_set *set,
		     int64_t packed, struct told *mine)
{
	unsigned flags = op_table[k->plan.points[set->points[0]].c.op].flags;
	int r;

	/* Who takes no part has nothing to tell, rank 0 among them. */
	if (set->n > 1 || flags & OP_PAIR)
		return keep_told_of_pairs(k, w, set, mine);
	r = agree_on_told(w, packed, mine);
	if (r == 0)
		keep_worst_told(&k->points[set->points[0]], mine);
	return r;
}

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

	extra[3] = words_list(answer, "ns", ns, &n) != 0 || n != 1 || ns[0] < 0;
	extra[0] = s->ns = extra[3] ? 0 : ns[0];
	if (words_i64(answer, "first_us", 0, INT64_MAX, &extra[1]) != 0)
		extra[1] = 0;
	extra[2] = read_told(answer, s->rank, &s->told);
}

static int prepare(struct crew *w, const struct plan_point *p, int timing, bool quiet,
		   size_t at_once, struct fault *worst)
{
	struct msg m = { 0 };
	int r;

	msg_begin(&m, "PREPARE");
	msg_add(&m, "op", op_table[p->c.op].name);
	msg_add(&m, "dtype", dtype_table[p->c.dtype].name);
	msg_add(&m, "redop", redop_table[p->c.redop].name);
	msg_add_i64(&m, "inplace", p->c.in_place);
	msg_add_i64(&m, "root", p->c.root);
	msg_add_i64(&m, "a", p->c.a);
	msg_add_i64(&m, "b", p->c.b);
	msg_add_u64(&m, "bytes", p->c.bytes);
	msg_add(&m, "timing", timing_table[timing].name);
	msg_add(&m, "variant", variant_table[p->variant].name);
	if (quiet && p->load)
		msg_add(&m, "load", load_table[p->load].name);
	if (quiet)
		msg_add_i64(&m, "quiet", 1);
	if (at_once > 1)
		msg_add_u64(&m, "pairs", at_once);
	w->session.together = variant_table[p->variant].together;
	r = crew_ask(w, PHASE_PREPARE, &m, 0, NULL, NULL, NULL, 0, worst);
	msg_fini(&m);
	return r;
}

static void begin_run(struct msg *m, const char *mode, int batches, int ops, int replays,
		      int warmup)
{
	msg_begin(m, "RUN");
	msg_add(m, "mode", mode);
	msg_add_i64(m, "batches", batches);
	msg_add_i64(m, "ops", ops);
	msg_add_i64(m, "replays", replays);
	msg_add_i64(m, "warmup", warmup);
}

struct checked {
	int64_t wrong;
	char first[160];
};

static void read_checked(const struct words *answer, int64_t *extra, void *arg)
{
	struct checked *c = arg;
	const char *got = words_get(answer, "got"), *want = words_get(answer, "want"),
		   *first = words_get(answer, "first");

	if (words_i64(answer, "wrong", 0, INT64_MAX, &c->wrong) != 0)
		c->wrong = -1;
	extra[0] = c->wrong != 0;
	if (c->wrong > 0)
		snprintf(c->first, sizeof(c->first), "the first at %.24s: got %.32s, must be %.32s",
			 first ? first : "?", got ? got : "?", want ? want : "?");
}

/* Over all ranks; unknown when one of them cannot tell. */
static int sum_wrong(struct crew *w, int64_t mine, double *sum)
{
	int64_t *all = calloc((size_t)w->c->size, sizeof(*all));
	int r =
	    all ? w->c->ops->allgather(w->c, &mine, sizeof(mine), all, clock_after_ns(GATHER_NS))
		: -ENOMEM;

	*sum = 0;
	for (int i = 0; i < w->c->size && r == 0; i++)
		*sum += all[i] < 0 ? NAN : (double)all[i];
	free(all);
	return r;
}

/* Wrong data is this rank's fault to tell: it becomes the verdict of an own round, so that the
 * right rank is named. */
static int check(struct crew *w, double *wrong, struct fault *worst)
{
	struct checked checked = { 0 };
	struct msg m = { 0 };
	int64_t v[2] = { 0, evidence_read(&w->evidence) }; /* wrong elements; news in the log */
	int r;

	msg_begin(&m, "CHECK");
	r = crew_ask(w, PHASE_CHECK, &m, 0, read_checked, &checked, v, 2, worst);
	msg_fini(&m);
	if (r == 0 && v[1] > 0)
		r = evidence_gather(&w->evidence, w->c);
	if (r < 0 || fault_is(worst) || v[0] == 0)
		return r;
	if (checked.wrong > 0)
		fault_set(&w->session.fault, OUTCOME_CORRUPT, PHASE_CHECK,
			  "%" PRId64 " wrong element%s; %s", checked.wrong,
			  checked.wrong == 1 ? "" : "s", checked.first);
	else if (checked.wrong < 0)
		fault_set(&w->session.fault, OUTCOME_ERROR, PHASE_CHECK,
			  "worker's count of wrong elements cannot be read");
	r = crew_agree(w, NULL, 0, worst);
	return r < 0 ? r : sum_wrong(w, checked.wrong, wrong);
}

/* ---- ascending pass ---- */

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
	int64_t *all = calloc((size_t)w->c->size, sizeof(*all));
	int r = all ? 0 : -ENOMEM;

	if (r == 0 && set->n > 1)
		r = w->c->ops->allgather(w->c, &mine_ns, sizeof(mine_ns), all,
					 clock_after_ns(GATHER_NS));
	for (size_t i = 0; i < set->n && r == 0; i++) {
		const struct op_case *c = &k->plan.points[set->points[i]].c;
		int64_t ns = all[c->a] > all[c->b] ? all[c->a] : all[c->b];

		k->points[set->points[i]].est_us = (double)(set->n > 1 ? ns : slowest_ns) / 1e3;
	}
	free(all);
	return r;
}

int points_probe(struct campaign *k, struct crew *w, size_t config, const struct point_set *set,
		 bool once, struct fault *worst)
{
	const struct plan_point *p = own_point(k, set);
	struct config_state *cs = &k->configs[config];
	struct single single = { .rank = w->c->rank };
	int64_t v[4] = { 0 };
	struct msg m = { 0 };
	int r = prepare(w, p, probe_timing(transport_table[w->transport].backend), false, set->n,
			worst);

	if (r < 0 || fault_is(worst))
		return r;
	begin_run(&m, "single", 1, 1, 1, 0);
	if (once)
		msg_add_i64(&m, "once", 1);
	k->spent_ns[PHASE_NONE] -= k->spent_ns[PHASE_RUN];
	r = crew_ask(w, PHASE_RUN, &m, 0, read_single, &single, v, 4, worst);
	k->spent_ns[PHASE_NONE] += k->spent_ns[PHASE_RUN];
	msg_fini(&m);
	(void)evidence_read(&w->evidence); /* what went wrong stands there, and what was chosen */
	if (r == 0 && !fault_is(worst) && v[3])
		fault_set(worst, OUTCOME_ERROR, PHASE_RUN,
			  "worker's time of the single operation cannot be read");
	if (r == 0 && !fault_is(worst) && tells_itself(w))
		r = keep_told(k, w, set, v[2], &single.told);
	if (r == 0 && !fault_is(worst))
		r = keep_estimates(k, w, set, v[0], single.ns);
	if (r < 0 || fault_is(worst))
		return r;
	w->warm = true;
	if (cs->first_op_us < 0)
		cs->first_op_us = v[1];
	for (size_t i = 0; i < set->n; i++) {
		remember_tuning(w, &k->plan.points[set->points[i]], &k->points[set->points[i]]);
		adopt_proof(k, config, set->points[i], w->attempt);
	}
	return check(w, &k->points[set->points[0]].wrong, worst);
}

int point_probe(struct campaign *k, struct crew *w, size_t config, size_t point, bool once,
		struct fault *worst)
{
	return points_probe(k, w, config, &(struct point_set){ &point, 1 }, once, worst);
}

/* ---- measurement ---- */

#define PILOT_BATCHES 2
#define COVER_TRIES 4
#define COVER_MAX_US 10000000 /* what a worker takes */
#define COVER_SHARE 3
#define COVER_BATCH_MIN_NS CLOCK_MS /* some whole pieces of work fit in */
/* Above every figure: a rank that cannot tell has the fewest pieces of work beside a batch, so they
 * may be the slowest, and the largest of the others would flatter. */
#define SLOW_UNKNOWN INT64_MAX

struct chunk {
	int batches, ops, replays, warmup;
	int64_t cover_us;             /* of the load beside each batch; 0: there is none */
	int64_t uncovered, load_slow; /* batches that outlasted it; thousandths; over all ranks */
	int64_t ns[CHUNK_MAX];
	size_t n;
	int64_t slowest_ns[PILOT_BATCHES]; /* of all ranks, of the first batches */
	const struct card *card;
	unsigned flags; /* card_flag bits of any rank */
	int rank;
	struct told told; /* of the worst rank */
};

static void read_times(const struct words *answer, int64_t *extra, void *arg)
{
	struct chunk *c = arg;

	c->n = CHUNK_MAX;
	if (words_list(answer, "ns", c->ns, &c->n) != 0)
		c->n = 0;
	extra[0] = (int64_t)c->n == c->batches ? 0 : 1;
	for (size_t i = 0; i < c->n; i++)
		extra[0] |= c->ns[i] < 0;
	extra[1] = (card_flags(c->card) & CARD_THROTTLED) != 0;
	extra[2] = (card_flags(c->card) & CARD_CLOCK_FELL) != 0;
	extra[3] = read_told(answer, c->rank, &c->told);
	if (words_i64(answer, "uncovered", 0, INT32_MAX, &extra[6]) != 0)
		extra[6] = 0;
	if (words_i64(answer, "load_slow", 1, INT32_MAX, &extra[7]) != 0)
		extra[7] = SLOW_UNKNOWN;
	for (size_t i = 0; i < PILOT_BATCHES; i++)
		extra[4 + i] = i < c->n ? c->ns[i] : 0;
}

/* One RUN: all ranks' times in *all (heap, size x batches); `all` NULL: slowest_ns is enough. */
static int run_chunk(struct campaign *k, struct crew *w, const struct point_set *set,
		     struct chunk *chunk, double batch_us, int64_t **all, struct fault *worst)
{
	struct msg m = { 0 };
	/* Some rank's answer is short; its GPU throttled; its clock fell; its worker's proof; the
	 * slowest first batches; what became of the load. */
	int64_t v[4 + PILOT_BATCHES + 2] = { 0 };
	double extra_ns =
	    fmin(batch_us * 1e3 * RUN_SLACK * (chunk->batches + chunk->warmup), RUN_EXTRA_MAX_NS);
	int r;

	chunk->rank = w->c->rank;
	begin_run(&m, "measure", chunk->batches, chunk->ops, chunk->replays, chunk->warmup);
	if (chunk->cover_us)
		msg_add_i64(&m, "cover_us", chunk->cover_us);
	r = crew_ask(w, PHASE_RUN, &m, (int64_t)extra_ns, read_times, chunk, v, (int)N_ELEMENTS(v),
		     worst);
	msg_fini(&m);
	if (r < 0 || fault_is(worst))
		return r;
	if (v[0]) {
		fault_set(worst, OUTCOME_ERROR, PHASE_RUN,
			  "worker did not give one time per batch");
		return 0;
	}
	chunk->flags = (v[1] ? CARD_THROTTLED : 0) | (v[2] ? CARD_CLOCK_FELL : 0);
	if (tells_itself(w)) {
		r = keep_told(k, w, set, v[3], &chunk->told);
		if (r < 0)
			return r;
	}
	memcpy(chunk->slowest_ns, v + 4, sizeof(chunk->slowest_ns));
	chunk->uncovered = v[6];
	chunk->load_slow = v[7];
	if (!all)
		return 0;
	free(*all);
	*all = calloc((size_t)w->c->size * (size_t)chunk->batches, sizeof(**all));
	if (!*all)
		return -ENOMEM;
	/* Only what was measured: every rank gets every other rank's. */
	return w->c->ops->allgather(w->c, chunk->ns, (size_t)chunk->batches * sizeof(*chunk->ns),
				    *all, clock_after_ns(GATHER_NS));
}

/* A batch that its load did not outlast is no batch with a load: all of them again, with more. The
 * ranks agreed on what is asked of them here, too. */
static int run_covered(struct campaign *k, struct crew *w, const struct point_set *set,
		       struct chunk *chunk, double batch_us, int64_t **all, struct fault *worst)
{
	int r = run_chunk(k, w, set, chunk, batch_us, all, worst);

	for (int i = 0; r == 0 && !fault_is(worst) && chunk->uncovered && i < COVER_TRIES &&
			chunk->cover_us <= COVER_MAX_US / 2;
	     i++) {
		chunk->cover_us *= 2;
		r = run_chunk(k, w, set, chunk, batch_us + (double)chunk->cover_us, all, worst);
	}
	if (r == 0 && !fault_is(worst) && chunk->uncovered)
		fault_set(
		    worst, OUTCOME_SKIPPED, PHASE_PREPARE,
		    "the computation beside it ended before a batch did, also when it was made "
		    "to last %.0f ms",
		    (double)chunk->cover_us / 1e3);
	return r;
}

/* How long it takes beside a load is not known: three times as long as it may, at first. */
static int64_t cover_for(const struct plan_point *p, double batch_us)
{
	return p->load ? (int64_t)fmin(batch_us * COVER_SHARE + 1, COVER_MAX_US) : 0;
}

/* Powers of four, so that the figure does not flip between runs at a boundary. */
static int replays_for(double loop_us, int64_t batch_min_ns)
{
	int replays = 1;

	while (replays < 4096 && loop_us * replays * 1e3 < (double)batch_min_ns)
		replays *= 4;
	return replays;
}

static int64_t batch_min_ns(const struct profile *profile, const struct plan_point *p)
{
	return p->load && profile->batch_min_ns < COVER_BATCH_MIN_NS ? COVER_BATCH_MIN_NS
								     : profile->batch_min_ns;
}

/* A loop of the fastest and the slowest of what is measured at once; of one point both are the
 * same. */
struct loop {
	double least_us, most_us;
};

static double pair_us(const int64_t *all, const struct op_case *c, size_t batches, size_t batch)
{
	int64_t a = all[(size_t)c->a * batches + batch], b = all[(size_t)c->b * batches + batch];

	return (double)(a > b ? a : b) / 1e3;
}

static void read_loop(const struct campaign *k, const struct point_set *set, const int64_t *all,
		      const int64_t *slowest_ns, size_t batches, struct loop *loop)
{
	*loop = (struct loop){ INFINITY, 0 };
	for (size_t i = 0; i < set->n; i++) {
		const struct op_case *c = &k->plan.points[set->points[i]].c;
		double us = INFINITY;

		for (size_t b = 0; b < batches; b++)
			us = fmin(us, set->n > 1 ? pair_us(all, c, batches, b)
						 : (double)slowest_ns[b] / 1e3);
		loop->least_us = fmin(loop->least_us, us);
		loop->most_us = fmax(loop->most_us, us);
	}
}

static double longest_estimate(const struct campaign *k, const struct point_set *set)
{
	double most = 0;

	for (size_t i = 0; i < set->n; i++) {
		double est = k->points[set->points[i]].est_us;

		most = fmax(most, isnan(est) ? 100 : est);
	}
	return most;
}

/* Two short batches: warm up this size, and learn how long a loop really takes back to back. */
static int pilot(struct campaign *k, struct crew *w, const struct point_set *set, int64_t **all,
		 struct loop *loop, struct fault *worst)
{
	const struct plan_point *p = own_point(k, set);
	double est = longest_estimate(k, set);
	struct chunk c = { .batches = PILOT_BATCHES,
			   .ops = timing_ops_per_loop(p->timing, p->c.bytes),
			   .replays = 1,
			   .card = &k->card };
	int r;

	/* This very worker ran this very operation before, and one is as long as half the batches
	 * of a usual point: it would only be run once more. */
	if (set->n == 1 && !p->load &&
	    2 * est * c.ops * 1e3 > (double)profile_of(k)->point_budget_ns &&
	    k->points[set->points[0]].probed_by == w->attempt + 1) {
		*loop = (struct loop){ est * c.ops, est * c.ops };
		return 0;
	}
	/* A long loop needs no second one to be warm. */
	if (est * c.ops * PILOT_SHARE > (double)profile_of(k)->point_budget_ns / 1e3)
		c.batches = 1;
	c.cover_us = cover_for(p, est * c.ops);
	/* Of one point the slowest rank is enough, and comes with the round. */
	r = run_covered(k, w, set, &c, est * c.ops, set->n > 1 ? all : NULL, worst);
	if (r < 0 || fault_is(worst))
		return r;
	read_loop(k, set, *all, c.slowest_ns, (size_t)c.batches, loop);
	return 0;
}

static int first_batches(const struct profile *profile, double batch_us)
{
	double fits =
	    (double)profile->point_budget_ns / 1e3 * BUDGET_STRETCH / (batch_us > 0 ? batch_us : 1);
	int n = fits > profile->min_batches ? profile->min_batches : (int)fits;

	return n < BATCHES_LEAST ? BATCHES_LEAST : n > CHUNK_MAX ? CHUNK_MAX : n;
}

static int next_batches(const struct profile *profile, double batch_us, double spent_us, int have)
{
	double left =
	    ((double)profile->point_budget_ns / 1e3 - spent_us) / (batch_us > 0 ? batch_us : 1);
	int n = profile->max_batches - have;

	if (left < n)
		n = (int)left;
	return n > 8 ? 8 : n;
}

/* One chunk's times to every point; *precision is the worst of them. */
static int merge_chunk(struct campaign *k, const struct point_set *set, int restart,
		       const int64_t *all, const struct chunk *c, double *precision)
{
	char flags[RECORD_TEXT];

	*precision = 0;
	card_flags_text(c->flags, flags, sizeof(flags));
	for (size_t i = 0; i < set->n; i++) {
		const struct plan_point *p = &k->plan.points[set->points[i]];
		struct merged *merged = &k->points[set->points[i]].merged;
		double mine;
		int r;

		merged->mean = p->timing == TIMING_NCCL_TESTS;
		r = merged_add(merged, &p->c, restart, all, (size_t)c->batches, (size_t)c->batches,
			       (double)c->ops * c->replays);
		if (r < 0)
			return r;
		merged_flag(merged, (size_t)c->batches, flags);
		mine = merged_precision(merged);
		if (isnan(mine))
			return -ENOMEM; /* the others know it and would go another way */
		*precision = fmax(*precision, mine);
	}
	return 0;
}

/* Not of the pilot: the shorter a batch, the less it tells of what ran beside it. */
static void keep_slow(struct point_state *s, const struct chunk *c)
{
	if (c->cover_us && c->load_slow != SLOW_UNKNOWN && s->n_slow < POINT_SLOW_MAX)
		s->slow[s->n_slow++] = (double)c->load_slow / 1e3;
}

static int measure_chunks(struct campaign *k, struct crew *w, const struct point_set *set,
			  int restart, int64_t **all, const struct loop *loop, const char **stop,
			  struct fault *worst)
{
	const struct profile *profile = profile_of(k);
	const struct plan_point *p = own_point(k, set);
	struct chunk c = { .ops = timing_ops_per_loop(p->timing, p->c.bytes), .card = &k->card };
	double batch_us, spent_us = 0, precision, wanted = profile_precision(p->c.bytes);
	int have = 0, r;

	c.replays = p->timing == TIMING_NCCL_TESTS
			? 1
			: replays_for(loop->least_us, batch_min_ns(profile, p));
	batch_us = loop->most_us * c.replays;
	c.cover_us = cover_for(p, batch_us);
	c.batches = first_batches(profile, batch_us);
	if (!w->warm) /* the ascending pass warms; a worker that comes after it starts cold */
		c.warmup = (int)fmin(CHUNK_MAX, CLOCK_WARM_US / fmax(batch_us, 1));
	w->warm = true;
	while (c.batches > 0) {
		r = run_covered(k, w, set, &c, batch_us, all, worst);
		if (r < 0 || fault_is(worst))
			return r;
		keep_slow(&k->points[set->points[0]], &c);
		r = merge_chunk(k, set, restart, *all, &c, &precision);
		if (r < 0)
			return r;
		have += c.batches;
		spent_us += batch_us * c.batches;
		*stop = "precision";
		if (precision <= wanted)
			return 0;
		*stop = "budget";
		c.warmup = 0;
		c.batches = next_batches(profile, batch_us, spent_us, have);
	}
	return 0;
}

int points_measure(struct campaign *k, struct crew *w, const struct point_set *set, int restart,
		   const char **stop, struct fault *worst)
{
	const struct plan_point *p = own_point(k, set);
	int64_t *all = NULL;
	struct loop loop = { 0 };
	int r = prepare(w, p, p->timing, true, set->n, worst);

	*stop = "";
	if (r == 0 && !fault_is(worst))
		r = pilot(k, w, set, &all, &loop, worst);
	if (r == 0 && !fault_is(worst))
		r = measure_chunks(k, w, set, restart, &all, &loop, stop, worst);
	free(all);
	if (r < 0 || fault_is(worst))
		return r;
	return check(w, &k->points[set->points[0]].wrong, worst);
}

int point_measure(struct campaign *k, struct crew *w, size_t config, size_t point, int restart,
		  const char **stop, struct fault *worst)
{
	return points_measure(k, w, &(struct point_set){ &point, 1 }, restart, stop, worst);
}

/* ---- record ---- */

/* "0:gpu0 1:gpu1 2:gpu2" of all ranks -> that of the first n. */
static void first_words(const char *map, int n, char *out, size_t max)
{
	const char *end = map;

	while (n-- > 0 && *end) {
		end += *end == ' ';
		end += strcspn(end, " ");
	}
	snprintf(out, max, "%.*s", (int)(end - map), map);
}

void point_key(int transport, const struct plan_point *p, const char *map, struct record *r)
{
	const struct transport *t = &transport_table[transport];

	record_set(r->backend, sizeof(r->backend), backend_names[t->backend]);
	record_set(r->transport, sizeof(r->transport), t->name);
	record_set(r->variant, sizeof(r->variant), variant_table[p->variant].name);
	record_set(r->op, sizeof(r->op), op_table[p->c.op].name);
	record_set(r->dtype, sizeof(r->dtype), dtype_table[p->c.dtype].name);
	record_set(r->redop, sizeof(r->redop),
		   op_table[p->c.op].flags & OP_REDUCES ? redop_table[p->c.redop].name : "none");
	first_words(map, p->c.nranks, r->map, sizeof(r->map));
	record_set(r->timing, sizeof(r->timing), timing_table[p->timing].name);
	record_set(r->load, sizeof(r->load), load_table[p->load].name);
	if (op_table[p->c.op].flags & OP_PAIR)
		snprintf(r->pair, sizeof(r->pair), "%d-%d", p->c.a, p->c.b);
	r->in_place = p->c.in_place;
	r->root = p->c.root;
	r->ranks = p->c.nranks;
	/* A point that is not measured keeps the size asked for: rows stay unique. */
	r->bytes = p->impossible ? p->asked_bytes : p->c.bytes;
}

static void fill_key(const struct campaign *k, size_t config, const struct plan_point *p,
		     struct record *r)
{
	const struct arm *arm = campaign_arm(k, config);

	point_key(k->plan.configs[config].transport, p, k->map, r);
	if (!arm)
		return;
	record_set(r->arm, sizeof(r->arm), arm->label);
	record_set(r->algo_req, sizeof(r->algo_req), arm->algo_req);
	record_set(r->proto_req, sizeof(r->proto_req), arm->proto_req);
}

static void fill_algorithm(const struct point_state *s, struct record *r)
{
	const struct scan_tuning *t = &s->tuning;

	if (s->path.channels > 0)
		r->channels = s->path.channels;
	if (!t->algo[0])
		return;
	record_set(r->algo, sizeof(r->algo), t->algo);
	record_set(r->proto, sizeof(r->proto), t->proto);
	if (t->channels > 0)
		r->channels = t->channels;
}

/* The row's figures are of all restarts: one that went another way spoils the proof of the others.
 */
static void judge_path(const struct crew *w, const struct plan_point *p, const int *host,
		       struct point_state *s)
{
	static const int badness[] = { [PROOF_YES] = 0, [PROOF_UNKNOWN] = 1, [PROOF_NO] = 2 };
	struct proof now;

	evidence_judge(&w->evidence, w->transport, &p->c, host, s->tuning.algo, &now);
	if (!s->judged || badness[now.verdict] > badness[s->path.verdict])
		s->path = now;
	s->judged = true;
}

static void fill_proof(struct campaign *k, const struct crew *w, size_t config, size_t point,
		       struct record *r)
{
	struct point_state *s = &k->points[point];
	const char *why = s->told_detail;

	if (transport_table[w->transport].backend == BACKEND_UCX) {
		record_set(r->used, sizeof(r->used), s->used);
		record_set(r->proof, sizeof(r->proof),
			   s->told > 0 ? proof_words[s->told - 1] : "unknown");
	} else {
		judge_path(w, &k->plan.points[point], k->configs[config].host, s);
		why = s->path.detail;
		record_set(r->used, sizeof(r->used), s->path.used);
		record_set(r->proof, sizeof(r->proof), proof_names[s->path.verdict]);
		fill_algorithm(s, r);
	}
	if (strcmp(r->proof, "no") == 0 &&
	    strcmp(r->outcome, outcome_table[OUTCOME_OK].name) == 0) {
		record_set(r->outcome, sizeof(r->outcome), outcome_table[OUTCOME_UNPROVEN].name);
		record_set(r->detail, sizeof(r->detail),
			   why[0] ? why : "another transport carried the data");
	} else if (strcmp(r->proof, "unknown") == 0) {
		record_set(r->detail, sizeof(r->detail), why);
	}
}

int point_record(struct campaign *k, const struct crew *w, size_t config, size_t point,
		 const struct fault *worst, const char *stop)
{
	struct point_state *s = &k->points[point];
	const struct plan_point *p = &k->plan.points[point];
	struct record *r = &s->record;
	int rc = 0;

	record_init(r);
	fill_key(k, config, p, r);
	record_set(r->outcome, sizeof(r->outcome), outcome_table[worst->outcome].name);
	record_set(r->phase, sizeof(r->phase), fault_is(worst) ? phase_names[worst->phase] : "");
	record_set(r->detail, sizeof(r->detail), worst->detail);
	if (worst->outcome == OUTCOME_CORRUPT)
		r->wrong = s->wrong;
	if (fault_is(worst))
		return 0;
	rc = merged_fill(&s->merged, r);
	r->wrong = 0;
	record_set(r->stop, sizeof(r->stop), stop);
	if (s->n_slow > 0)
		r->load_slowdown = stats_median(s->slow, (size_t)s->n_slow);
	if (w && k->c->rank == 0)
		fill_proof(k, w, config, point, r);
	record_derive(r);
	r->peak_pct = peak_percent(k->peaks, k->n_peaks, k->plan.configs[config].transport, r);
	return rc;
}
