/* SPDX-License-Identifier: Apache-2.0 */
/* See told.h. */
#include "run/told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/campaign.h"
#include "run/coord.h"
#include "run/point.h"
#include "run/point_ask.h"
#include "spec/transport.h"
#include "wire/msg.h"

const char *const told_words[TOLD_WORDS] = { "yes", "unknown", "no" };

int64_t told_read(const struct words *answer, int rank, struct told *t)
{
	const char *proof = words_get(answer, "proof");

	record_set(t->used, sizeof(t->used), words_get(answer, "used"));
	record_set(t->detail, sizeof(t->detail), words_get(answer, "proof_detail"));
	t->badness = 1; /* a worker that does not tell proves nothing */
	for (int i = 0; proof && i < TOLD_WORDS; i++)
		if (strcmp(proof, told_words[i]) == 0)
			t->badness = i;
	return (int64_t)t->badness << 32 | (INT32_MAX - rank);
}

/* All ranks learn what the worst of them said; `packed` is the maximum of told_read. */
static int agree_on_told(struct crew *w, int64_t packed, struct told *t)
{
	int rank = INT32_MAX - (int)(packed & INT32_MAX);
	char words[sizeof(t->detail)];
	int r;

	if (packed >> 32 == 0)
		return 0;
	r = w->c->ops->bcast(w->c, t, sizeof(*t), rank, clock_after_ns(POINT_GATHER_NS));
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

bool told_by_worker(const struct crew *w)
{
	return transport_table[w->transport].backend == BACKEND_UCX;
}

/* Of pairs that were measured at once each has the proof of its own two ranks. */
static int keep_told_of_pairs(struct campaign *k, struct crew *w, const struct point_set *set,
			      const struct told *mine)
{
	int r;
	struct told *all = point_gather(w, mine, sizeof(*mine), &r);

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

int told_keep(struct campaign *k, struct crew *w, const struct point_set *set, int64_t packed,
	      struct told *mine)
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
