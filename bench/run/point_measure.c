/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement of point.h: how many batches of how many operations, until precise or out of
 * budget. What a batch's times become is merged_add's (data/merge.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/point.h"
#include "run/point_ask.h"
#include "run/told.h"
#include "spec/profile.h"
#include "spec/timing.h"
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
#define CLOCK_WARM_US 20000.0 /* first measurement of a fresh worker: let the clocks rise */
#define PILOT_BATCHES 2
#define COVER_TRIES 4
#define COVER_MAX_US 10000000 /* what a worker takes */
#define COVER_SHARE 3
#define COVER_BATCH_MIN_NS CLOCK_MS /* some whole pieces of work fit in */
/* Above every figure: a rank that cannot tell has the fewest pieces of work beside a batch, so they
 * may be the slowest, and the largest of the others would flatter. */
#define SLOW_UNKNOWN INT64_MAX

static const struct profile *profile_of(const struct campaign *k)
{
	return &profile_table[k->request.profile];
}

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

/* What the ranks agree on after a RUN: the maximum of each. */
enum {
	CHUNK_SHORT, /* some rank's answer is */
	CHUNK_THROTTLED,
	CHUNK_CLOCK_FELL,
	CHUNK_PROOF,
	CHUNK_SLOWEST,
	CHUNK_UNCOVERED = CHUNK_SLOWEST + PILOT_BATCHES,
	CHUNK_LOAD_SLOW,
	CHUNK_FIGURES
};

static int64_t figure_of(const struct words *answer, const char *name, int64_t min,
			 int64_t otherwise)
{
	int64_t v;

	return words_i64(answer, name, min, INT32_MAX, &v) == 0 ? v : otherwise;
}

static void read_times(const struct words *answer, int64_t *extra, void *arg)
{
	struct chunk *c = arg;
	unsigned flags = card_flags(c->card);

	c->n = CHUNK_MAX;
	if (words_list(answer, "ns", c->ns, &c->n) != 0)
		c->n = 0;
	extra[CHUNK_SHORT] = (int64_t)c->n != c->batches;
	for (size_t i = 0; i < c->n; i++)
		extra[CHUNK_SHORT] |= c->ns[i] < 0;
	extra[CHUNK_THROTTLED] = (flags & CARD_THROTTLED) != 0;
	extra[CHUNK_CLOCK_FELL] = (flags & CARD_CLOCK_FELL) != 0;
	extra[CHUNK_PROOF] = told_read(answer, c->rank, &c->told);
	extra[CHUNK_UNCOVERED] = figure_of(answer, "uncovered", 0, 0);
	extra[CHUNK_LOAD_SLOW] = figure_of(answer, "load_slow", 1, SLOW_UNKNOWN);
	for (size_t i = 0; i < PILOT_BATCHES; i++)
		extra[CHUNK_SLOWEST + i] = i < c->n ? c->ns[i] : 0;
}

static int ask_chunk(struct crew *w, struct chunk *chunk, double batch_us, int64_t v[CHUNK_FIGURES],
		     struct fault *worst)
{
	struct msg m = { 0 };
	double extra_ns =
	    fmin(batch_us * 1e3 * RUN_SLACK * (chunk->batches + chunk->warmup), RUN_EXTRA_MAX_NS);
	int r;

	chunk->rank = w->c->rank;
	point_begin_run(&m, "measure", chunk->batches, chunk->ops, chunk->replays, chunk->warmup);
	if (chunk->cover_us)
		msg_add_i64(&m, "cover_us", chunk->cover_us);
	r = crew_ask(w, PHASE_RUN, &m, (int64_t)extra_ns, read_times, chunk, v, CHUNK_FIGURES,
		     worst);
	msg_fini(&m);
	return r;
}

/* One RUN: all ranks' times in *all (heap, size x batches); `all` NULL: slowest_ns is enough. */
static int run_chunk(struct campaign *k, struct crew *w, const struct point_set *set,
		     struct chunk *chunk, double batch_us, int64_t **all, struct fault *worst)
{
	int64_t v[CHUNK_FIGURES] = { 0 };
	int r = ask_chunk(w, chunk, batch_us, v, worst);

	if (r < 0 || fault_is(worst))
		return r;
	if (v[CHUNK_SHORT]) {
		fault_set(worst, OUTCOME_ERROR, PHASE_RUN,
			  "worker did not give one time per batch");
		return 0;
	}
	chunk->flags =
	    (v[CHUNK_THROTTLED] ? CARD_THROTTLED : 0) | (v[CHUNK_CLOCK_FELL] ? CARD_CLOCK_FELL : 0);
	if (told_by_worker(w)) {
		r = told_keep(k, w, set, v[CHUNK_PROOF], &chunk->told);
		if (r < 0)
			return r;
	}
	memcpy(chunk->slowest_ns, v + CHUNK_SLOWEST, sizeof(chunk->slowest_ns));
	chunk->uncovered = v[CHUNK_UNCOVERED];
	chunk->load_slow = v[CHUNK_LOAD_SLOW];
	if (!all)
		return 0;
	free(*all);
	/* Only what was measured: every rank gets every other rank's. */
	*all = point_gather(w, chunk->ns, (size_t)chunk->batches * sizeof(*chunk->ns), &r);
	return r;
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
	const struct plan_point *p = point_own(k, set);
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
	const struct plan_point *p = point_own(k, set);
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
	const struct plan_point *p = point_own(k, set);
	int64_t *all = NULL;
	struct loop loop = { 0 };
	int r = point_prepare(w, p, p->timing, true, set->n, worst);

	*stop = "";
	if (r == 0 && !fault_is(worst))
		r = pilot(k, w, set, &all, &loop, worst);
	if (r == 0 && !fault_is(worst))
		r = measure_chunks(k, w, set, restart, &all, &loop, stop, worst);
	free(all);
	if (r < 0 || fault_is(worst))
		return r;
	return point_check(w, &k->points[set->points[0]].wrong, worst);
}

int point_measure(struct campaign *k, struct crew *w, size_t config, size_t point, int restart,
		  const char **stop, struct fault *worst)
{
	return points_measure(k, w, &(struct point_set){ &point, 1 }, restart, stop, worst);
}
