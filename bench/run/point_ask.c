/* SPDX-License-Identifier: Apache-2.0 */
/* See point_ask.h. */
#include "run/point_ask.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/campaign.h"
#include "run/coord.h"
#include "run/point.h"
#include "spec/dtype.h"
#include "spec/load.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "wire/msg.h"

const struct plan_point *point_own(const struct campaign *k, const struct point_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct plan_point *p = &k->plan.points[set->points[i]];

		if (set->n > 1 && (p->c.a == k->c->rank || p->c.b == k->c->rank))
			return p;
	}
	return &k->plan.points[set->points[0]];
}

void *point_gather(struct crew *w, const void *mine, size_t size, int *r)
{
	void *all = calloc((size_t)w->c->size, size);

	*r = all ? w->c->ops->allgather(w->c, mine, size, all, clock_after_ns(POINT_GATHER_NS))
		 : -ENOMEM;
	if (*r == 0)
		return all;
	free(all);
	return NULL;
}

int point_prepare(struct crew *w, const struct plan_point *p, int timing, bool quiet,
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

void point_begin_run(struct msg *m, const char *mode, int batches, int ops, int replays, int warmup)
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
	int r;
	int64_t *all = point_gather(w, &mine, sizeof(mine), &r);

	*sum = 0;
	for (int i = 0; i < w->c->size && r == 0; i++)
		*sum += all[i] < 0 ? NAN : (double)all[i];
	free(all);
	return r;
}

/* Wrong data is this rank's fault to tell: it becomes the verdict of an own round, so that the
 * right rank is named. */
int point_check(struct crew *w, double *wrong, struct fault *worst)
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
