/* SPDX-License-Identifier: Apache-2.0 */
/* See race.h. */
#include "search/race.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "search/space.h"
#include "spec/outcome.h"

#define BLOCK 4 /* candidates between two controls */
#define ROUNDS_MAX 10
#define RACE_COST 3 /* a race of n takes about so many trials for each of them */
#define FIRST_LEAST 4
#define PARENTS 4 /* the best so many are joined with each other */
#define NOISE_LEAST 0.003
#define LOOKS_FASTER 0.005 /* less is not worth a confirmation */
#define RESTARTS_ENOUGH 3

void race_fini(struct race *r)
{
	free(r->c);
	r->c = NULL;
	r->n = r->cap = 0;
}

double race_mean(const struct candidate *c, size_t k)
{
	return c->n ? c->sum[k] / (double)c->n : 0;
}

/* Of one trial; a step between two controls has twice the variance of one. */
static double noise(const struct race *r, size_t k)
{
	double v = r->n_steps ? r->step_squares[k] / (2 * (double)r->n_steps) : 0;

	return fmax(NOISE_LEAST, sqrt(v));
}

double race_error(const struct race *r, const struct candidate *c, size_t k)
{
	/* The mean of two controls is taken off: half a variance more. */
	return c->n ? noise(r, k) * sqrt(1.5 / (double)c->n) : INFINITY;
}

/* ---- candidates ---- */

static struct candidate *find(const struct race *r, const struct setting *s)
{
	for (size_t i = 0; i < r->n; i++)
		if (setting_equal(&r->c[i].s, s))
			return &r->c[i];
	return NULL;
}

/* 1: it is new. */
static int enter(struct race *r, const struct setting *s)
{
	if (s->n == 0 || find(r, s))
		return 0;
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 64;
		struct candidate *more = reallocarray(r->c, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->c = more;
		r->cap = cap;
	}
	r->c[r->n++] = (struct candidate){ .s = *s, .live = true, .outcome = OUTCOME_OK };
	return 1;
}

static size_t count_live(const struct race *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->c[i].live;
	return n;
}

/* ---- measuring ---- */

/* 0; 1: no budget, or the control failed. */
static int measure_control(struct race *r, struct meter *m)
{
	static const struct setting none = { .n = 0 };
	struct trial t;
	int rc = meter_trial(m, &none, &t);

	if (rc != 0)
		return rc;
	if (t.outcome != OUTCOME_OK) {
		r->control_outcome = t.outcome;
		memcpy(r->control_detail, t.detail, sizeof(t.detail));
		return 1;
	}
	for (size_t k = 0; k < r->n_classes; k++) {
		double now = log(t.us[k]), step = now - r->control[k];

		if (r->have_control)
			r->step_squares[k] += step * step;
		r->control[k] = now;
	}
	r->n_steps += r->have_control;
	r->have_control = true;
	r->n_controls++;
	return 0;
}

struct block {
	struct candidate *c[BLOCK];
	double log_us[BLOCK][SEARCH_CLASSES];
	size_t n;
};

static int measure_block(struct race *r, struct meter *m, struct block *b)
{
	int rc = 0;

	for (size_t i = 0; i < b->n && rc == 0; i++) {
		struct candidate *c = b->c[i];
		struct trial t;

		rc = meter_trial(m, &c->s, &t);
		if (rc != 0) {
			b->n = i;
		} else if (t.outcome != OUTCOME_OK) {
			c->live = false;
			c->outcome = t.outcome;
			memcpy(c->detail, t.detail, sizeof(t.detail));
		} else {
			for (size_t k = 0; k < r->n_classes; k++)
				b->log_us[i][k] = log(t.us[k]);
		}
	}
	return rc;
}

/* The control is taken to go straight from the one before the block to the one after it. */
static void score_block(struct race *r, const struct block *b, const double *before)
{
	for (size_t i = 0; i < b->n; i++) {
		double share = (double)(i + 1) / (double)(b->n + 1);

		if (b->c[i]->outcome != OUTCOME_OK)
			continue;
		for (size_t k = 0; k < r->n_classes; k++)
			b->c[i]->sum[k] +=
			    b->log_us[i][k] - (before[k] + share * (r->control[k] - before[k]));
		b->c[i]->n++;
	}
}

static int run_block(struct race *r, struct meter *m, struct block *b)
{
	double before[SEARCH_CLASSES];
	int rc, after;

	memcpy(before, r->control, sizeof(before));
	rc = measure_block(r, m, b);
	if (rc < 0)
		return rc;
	after = measure_control(r, m);
	if (after < 0)
		return after;
	score_block(r, b, before);
	return rc ? rc : after;
}

/* One restart more of every live candidate. */
static int run_round(struct race *r, struct meter *m)
{
	size_t live = count_live(r), blocks = (live + BLOCK - 1) / BLOCK, at = 0;
	int rc = 0;

	r->rounds++;
	for (size_t i = 0; i < blocks && rc == 0; i++) {
		size_t want = live / blocks + (i < live % blocks);
		struct block b = { .n = 0 };

		for (; at < r->n && b.n < want; at++)
			if (r->c[at].live)
				b.c[b.n++] = &r->c[at];
		rc = run_block(r, m, &b);
	}
	return rc;
}

/* ---- choosing ---- */

struct ranked {
	const struct candidate *c;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	/* Equal ones stay in the order they came in. */
	return x->mean != y->mean ? (x->mean < y->mean ? -1 : 1) : (x->c > y->c) - (x->c < y->c);
}

/* Live ones by class k, best first. Heap or NULL. */
static struct ranked *rank_live(const struct race *r, size_t k, size_t *n)
{
	struct ranked *v = calloc(r->n + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; v && i < r->n; i++)
		if (r->c[i].live && r->c[i].n)
			v[(*n)++] = (struct ranked){ &r->c[i], race_mean(&r->c[i], k) };
	if (v)
		qsort(v, *n, sizeof(*v), by_mean);
	return v;
}

/* The better half by each target; of them only those that may still be faster than the control. */
static int halve(struct race *r)
{
	bool *keep = calloc(r->n + 1, sizeof(*keep));
	int rc = keep ? 0 : -ENOMEM;

	for (size_t k = 0; k < r->n_classes && rc == 0; k++) {
		size_t n;
		struct ranked *v = r->classes[k].target ? rank_live(r, k, &n) : NULL;

		if (!r->classes[k].target)
			continue;
		rc = v ? 0 : -ENOMEM;
		for (size_t i = 0; v && i < (n + 1) / 2; i++)
			keep[v[i].c - r->c] |= v[i].mean < race_error(r, v[i].c, k);
		free(v);
	}
	for (size_t i = 0; i < r->n && rc == 0; i++)
		r->c[i].live = r->c[i].live && keep[i];
	free(keep);
	return rc;
}

static bool good(const struct race *r, const struct ranked *v, size_t k)
{
	return v->mean < -fmin(LOOKS_FASTER, race_error(r, v->c, k));
}

static int enter_counted(struct race *r, const struct setting *s, size_t *room)
{
	int rc = *room > 0 ? enter(r, s) : 0;

	*room -= rc > 0;
	return rc < 0 ? rc : 0;
}

/* Joins of the best, the best one without one of its variables, and one step away from it. */
static int breed(struct race *r, size_t k, size_t room)
{
	struct setting next[SETTING_MAX * 2];
	size_t n, n_next;
	struct ranked *v = rank_live(r, k, &n);
	/* Entering moves the candidates. */
	struct setting parent[PARENTS];
	size_t parents = 0;
	int rc = v ? 0 : -ENOMEM;

	for (size_t i = 0; v && i < n && parents < PARENTS; i++)
		if (good(r, &v[i], k))
			parent[parents++] = v[i].c->s;
	free(v);
	for (size_t i = 0; i < parents && rc == 0; i++)
		for (size_t j = 0; j < i && rc == 0; j++) {
			struct setting both;

			if (setting_join(&parent[j], &parent[i], &both))
				rc = enter_counted(r, &both, &room);
		}
	for (size_t i = 0; parents && parent[0].n > 1 && i < parent[0].n && rc == 0; i++) {
		struct setting less = parent[0];

		setting_drop(&less, i);
		rc = enter_counted(r, &less, &room);
	}
	n_next = parents ? space_neighbours(r->space, &parent[0], next, N_ELEMENTS(next)) : 0;
	for (size_t i = 0; i < n_next && rc == 0; i++)
		rc = enter_counted(r, &next[i], &room);
	return rc;
}

static int breed_all(struct race *r, const struct meter *m)
{
	size_t live = count_live(r), left = meter_left(m), targets = 0, room;
	int rc = 0;

	for (size_t k = 0; k < r->n_classes; k++)
		targets += r->classes[k].target;
	/* Half of what is left at most, so that a newcomer can still be measured again. */
	left = left > live ? (left - live) / 2 : 0;
	room = live / 2 > 4 ? live / 2 : 4;
	room = room < left ? room : left;
	for (size_t k = 0; k < r->n_classes && rc == 0; k++)
		if (r->classes[k].target)
			rc = breed(r, k, (room + targets - 1) / targets);
	return rc;
}

static bool settled(const struct race *r)
{
	size_t live = count_live(r), targets = 0, few = 0;

	for (size_t k = 0; k < r->n_classes; k++)
		targets += r->classes[k].target;
	for (size_t i = 0; i < r->n; i++)
		few += r->c[i].live && r->c[i].n < RESTARTS_ENOUGH;
	return live == 0 || (live <= 2 * targets && few == 0);
}

static int enter_first(struct race *r, const struct meter *m)
{
	size_t most = meter_left(m) / RACE_COST;
	int rc = 0;

	most = most > FIRST_LEAST ? most : FIRST_LEAST;
	for (size_t i = 0; i < r->space->n_first && i < most && rc >= 0; i++)
		rc = enter(r, &r->space->first[i]);
	return rc < 0 ? rc : 0;
}

int race_run(struct race *r, struct meter *m)
{
	int rc = r->have_control ? 0 : measure_control(r, m);

	if (rc == 0)
		rc = enter_first(r, m);
	while (rc == 0 && r->rounds < ROUNDS_MAX && !settled(r)) {
		rc = run_round(r, m);
		if (rc == 0)
			rc = halve(r);
		if (rc == 0)
			rc = breed_all(r, m);
	}
	return rc < 0 ? rc : 0;
}

bool race_harms(const struct race *r, const struct candidate *c, size_t k, double harm)
{
	for (size_t i = 0; i < r->n_classes; i++)
		if (i != k && race_mean(c, i) > harm)
			return true;
	return false;
}

static bool looks_faster(const struct race *r, const struct candidate *c, size_t k, double harm)
{
	return c->outcome == OUTCOME_OK && c->n > 0 && race_mean(c, k) < -LOOKS_FASTER &&
	       !race_harms(r, c, k, harm);
}

static double surely(const struct race *r, const struct candidate *c, size_t k)
{
	return race_mean(c, k) + race_error(r, c, k);
}

const struct candidate *race_best(const struct race *r, size_t k, double harm)
{
	const struct candidate *best = NULL, *simple;
	double limit;

	for (size_t i = 0; i < r->n; i++)
		if (looks_faster(r, &r->c[i], k, harm) &&
		    (!best || surely(r, &r->c[i], k) < surely(r, best, k)))
			best = &r->c[i];
	if (!best)
		return NULL;
	simple = best;
	/* The best of many is a lucky one: half a percent and its error count for nothing against a
	 * line less to set. */
	limit = surely(r, best, k) + LOOKS_FASTER;
	for (size_t i = 0; i < r->n; i++) {
		const struct candidate *c = &r->c[i];

		if (looks_faster(r, c, k, harm) && c->s.n < simple->s.n && c->n * 2 >= best->n &&
		    race_mean(c, k) < limit)
			simple = c;
	}
	return simple;
}
