/* SPDX-License-Identifier: Apache-2.0 */
/* See rounds.h. Knows neither topology nor clocks. */
#include "spec/rounds.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A pair looks into so many of the last rounds that all pairs together make about so many looks: of
 * up to 46 ranks that is every round there can be, of 512 the last 16. */
#define SEARCH_MAX (1 << 22)
#define OPEN_MIN 16

struct ordered {
	int a, b;
};

/* Rounds that may still take a pair: the last `open` ones, round after round in a ring. */
struct table {
	struct ordered *seats; /* seats[slot * per_round + i]: the pairs of a round */
	bool *busy;            /* busy[slot * ranks + rank]: it is in one of them */
	int *taken;            /* pairs of each round */
	int per_round, open;
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

/* In the order of the tournament; each meeting twice, for the way back is a turn of its own. */
typedef void take_fn(void *arg, struct ordered p, int turn);

static void every_pair(int ranks, take_fn *take, void *arg)
{
	int m = ranks + ranks % 2;

	for (int turn = 0; turn < 2 * (m - 1); turn++)
		for (int place = 0; place < m / 2; place++) {
			struct ordered p = meeting(ranks, turn / 2, place);

			if (turn % 2)
				p = (struct ordered){ p.b, p.a };
			if (p.a < ranks && p.b < ranks)
				take(arg, p, turn);
		}
}

static int begin(int ranks, struct rounds *r)
{
	*r = (struct rounds){ .ranks = ranks };
	if (ranks < 2 || ranks > SHRT_MAX)
		return -EINVAL;
	r->of = malloc((size_t)ranks * (size_t)ranks * sizeof(*r->of));
	for (int i = 0; r->of && i < ranks; i++)
		r->of[(size_t)i * (size_t)ranks + (size_t)i] = -1;
	return r->of ? 0 : -ENOMEM;
}

static void put(struct rounds *r, struct ordered p, int round)
{
	r->of[(size_t)p.a * (size_t)r->ranks + (size_t)p.b] = round;
	if (round >= r->n)
		r->n = round + 1;
}

/* ---- rules that need no search ---- */

static void put_alone(void *arg, struct ordered p, int turn)
{
	struct rounds *r = arg;

	put(r, p, r->n);
}

static void put_together(void *arg, struct ordered p, int turn)
{
	put(arg, p, turn);
}

int rounds_alone(int ranks, struct rounds *out)
{
	int r = begin(ranks, out);

	if (r == 0)
		every_pair(ranks, put_alone, out);
	return r;
}

int rounds_together(int ranks, struct rounds *out)
{
	int r = begin(ranks, out);

	if (r == 0)
		every_pair(ranks, put_together, out);
	return r;
}

/* ---- by the caller's word ---- */

struct search {
	struct rounds *rounds;
	struct table table;
	rounds_apart_fn *apart;
	const void *arg;
};

static bool fits(const struct search *s, int slot, struct ordered p)
{
	const struct table *t = &s->table;
	const struct ordered *seat = &t->seats[(size_t)slot * (size_t)t->per_round];
	const bool *busy = &t->busy[(size_t)slot * (size_t)s->rounds->ranks];

	if (busy[p.a] || busy[p.b])
		return false;
	for (int i = 0; i < t->taken[slot]; i++)
		if (!s->apart(s->arg, seat[i].a, seat[i].b, p.a, p.b))
			return false;
	return true;
}

static void open_round(const struct search *s, int slot)
{
	size_t ranks = (size_t)s->rounds->ranks;

	s->table.taken[slot] = 0;
	memset(&s->table.busy[(size_t)slot * ranks], 0, ranks * sizeof(*s->table.busy));
}

static void seat(void *arg, struct ordered p, int turn)
{
	struct search *s = arg;
	struct table *t = &s->table;
	int n = s->rounds->n, round = n > t->open ? n - t->open : 0, slot;

	while (round < n && !fits(s, round % t->open, p))
		round++;
	slot = round % t->open;
	if (round == n)
		open_round(s, slot);
	t->seats[(size_t)slot * (size_t)t->per_round + (size_t)t->taken[slot]++] = p;
	t->busy[(size_t)slot * (size_t)s->rounds->ranks + (size_t)p.a] = true;
	t->busy[(size_t)slot * (size_t)s->rounds->ranks + (size_t)p.b] = true;
	put(s->rounds, p, round);
}

int rounds_build(int ranks, rounds_apart_fn *apart, const void *arg, struct rounds *out)
{
	struct search s = { .rounds = out, .apart = apart, .arg = arg };
	struct table *t = &s.table;
	int r = begin(ranks, out), pairs = ranks * (ranks - 1);

	if (r < 0)
		return r;
	t->per_round = ranks / 2;
	t->open = SEARCH_MAX / pairs < OPEN_MIN ? OPEN_MIN : SEARCH_MAX / pairs;
	t->open = t->open > pairs ? pairs : t->open;
	t->seats = malloc((size_t)t->open * (size_t)t->per_round * sizeof(*t->seats));
	t->busy = malloc((size_t)t->open * (size_t)ranks * sizeof(*t->busy));
	t->taken = malloc((size_t)t->open * sizeof(*t->taken));
	r = t->seats && t->busy && t->taken ? 0 : -ENOMEM;
	if (r == 0)
		every_pair(ranks, seat, &s);
	free(t->seats);
	free(t->busy);
	free(t->taken);
	if (r < 0)
		rounds_fini(out);
	return r;
}

void rounds_fini(struct rounds *r)
{
	free(r->of);
	*r = (struct rounds){ 0 };
}
