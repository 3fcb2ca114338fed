/* SPDX-License-Identifier: Apache-2.0 */
/* See rounds.h. Knows neither topology nor clocks. */
#include "spec/rounds.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

struct ordered {
	int a, b;
};

struct table { /* seats[round * per_round + i]: the pairs of a round */
	struct ordered *seats;
	int *taken; /* of each round */
	int per_round;
};

/*
 * The circle method: one rank stays, the others turn; in turn `turn` of m-1 the two that face each
 * other meet. With an odd number a rank that is not there stays, and who faces it sits out.
 */
static struct ordered meeting(int ranks, int turn, int place)
{
	int m = ranks + ranks % 2, circle = m - 1;
	struct ordered p = { (turn + place) % circle, (turn + circle - place) % circle };

	if (place == 0)
		p.b = m - 1;
	return p;
}

static bool fits(const struct table *t, int round, struct ordered p, rounds_apart_fn *apart,
		 const void *arg)
{
	const struct ordered *seat = &t->seats[(size_t)round * (size_t)t->per_round];

	for (int i = 0; i < t->taken[round]; i++) {
		const struct ordered *q = &seat[i];

		if (q->a == p.a || q->a == p.b || q->b == p.a || q->b == p.b ||
		    !apart(arg, q->a, q->b, p.a, p.b))
			return false;
	}
	return true;
}

static void seat(struct rounds *r, struct table *t, struct ordered p, rounds_apart_fn *apart,
		 const void *arg)
{
	int round = r->ranks > ROUNDS_RANKS_MAX ? r->n : 0;

	while (round < r->n && !fits(t, round, p, apart, arg))
		round++;
	r->n += round == r->n;
	t->seats[(size_t)round * (size_t)t->per_round + (size_t)t->taken[round]++] = p;
	r->of[p.a * r->ranks + p.b] = round;
}

/* Each meeting twice: the way back is a turn of its own. */
static void seat_all(struct rounds *r, struct table *t, rounds_apart_fn *apart, const void *arg)
{
	int m = r->ranks + r->ranks % 2;

	for (int turn = 0; turn < 2 * (m - 1); turn++)
		for (int place = 0; place < m / 2; place++) {
			struct ordered p = meeting(r->ranks, turn / 2, place);

			if (turn % 2)
				p = (struct ordered){ p.b, p.a };
			if (p.a < r->ranks && p.b < r->ranks)
				seat(r, t, p, apart, arg);
		}
}

int rounds_build(int ranks, rounds_apart_fn *apart, const void *arg, struct rounds *out)
{
	struct rounds r = { .ranks = ranks };
	struct table t = { .per_round = ranks > ROUNDS_RANKS_MAX ? 1 : ranks / 2 };
	size_t pairs = (size_t)ranks * (size_t)(ranks - 1);

	if (ranks < 2 || ranks > SHRT_MAX)
		return -EINVAL;
	r.of = malloc((size_t)ranks * (size_t)ranks * sizeof(*r.of));
	t.seats = malloc(pairs * (size_t)t.per_round * sizeof(*t.seats));
	t.taken = calloc(pairs, sizeof(*t.taken));
	if (r.of && t.seats && t.taken) {
		for (int i = 0; i < ranks; i++)
			r.of[i * ranks + i] = -1;
		seat_all(&r, &t, apart, arg);
		*out = r;
		r.of = NULL;
	}
	pairs = r.of || !t.seats || !t.taken;
	free(r.of);
	free(t.seats);
	free(t.taken);
	return pairs ? -ENOMEM : 0;
}

void rounds_fini(struct rounds *r)
{
	free(r->of);
	*r = (struct rounds){ 0 };
}
