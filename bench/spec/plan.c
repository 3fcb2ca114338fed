/* SPDX-License-Identifier: Apache-2.0 */
/* A choice -> points in order. Knows tables and arithmetic only: no machine, no time, no output. */
#include "spec/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "spec/choice.h"
#include "spec/dtype.h"
#include "spec/load.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define MAX_POINTS 1000000
#define BIT(i) (1ULL << (i))

const char *const plan_pairs_words[PAIRS_RULES] = {
	[PAIRS_BY_TOPOLOGY] = "all",
	[PAIRS_ALONE] = "alone",
	[PAIRS_TOGETHER] = "together",
};

/* Why a point cannot be measured, or NULL. The widest reason is the one said. */

static const char *impossible_here(const struct plan_request *r, const struct transport *t,
				   const struct plan_point *p)
{
	const struct choice_limits *l = &choice_limits[r->backend];
	unsigned flags = op_table[p->c.op].flags;

	if ((flags & l->op_flag) != l->op_flag)
		return "backend ucx does not have this operation";
	if ((flags & OP_REDUCES) && !choice_has(l->dtypes, p->c.dtype))
		return "backend ucx reduces int32, int64, float and double only";
	if ((flags & OP_REDUCES) && !choice_has(l->redops, p->c.redop))
		return "backend ucx has the reductions sum, prod, max and min only";
	if (!choice_has(l->variants, p->variant))
		return "backend ucx registers buffers by itself: only variant plain";
	if (!choice_has(l->timings, p->timing))
		return r->backend == BACKEND_UCX
			   ? "backend ucx has timing host only"
			   : "timing host is of backend ucx; use graph, stream or blocking";
	if ((t->flags & TRANSPORT_STREAM_ONLY) && p->timing == TIMING_GRAPH)
		return "a captured graph would change this transport's path; use timing stream";
	if ((t->flags & TRANSPORT_MULTICAST) && !(flags & OP_MULTICAST))
		return "NVLS does not carry this operation";
	return NULL;
}

static const char *impossible_form(const struct transport *t, const struct plan_point *p)
{
	unsigned flags = op_table[p->c.op].flags;

	if (p->c.in_place && !(flags & OP_IN_PLACE))
		return "the operation has no in-place form";
	if (p->variant == VARIANT_GRAPH && p->timing != TIMING_GRAPH)
		return "only a captured graph registers its buffers; use timing graph";
	/* The base of forced rows switches both off, as data would bypass the transport. */
	if ((t->flags & TRANSPORT_FORCED) &&
	    (p->variant == VARIANT_GRAPH || p->variant == VARIANT_SYMMETRIC))
		return "registered by graph or symmetric, data would bypass the forced transport; "
		       "use transport auto";
	if ((flags & OP_PAIR) && p->c.nranks < 2)
		return "the operation needs two ranks";
	if (p->c.bytes == 0)
		return "too small: not one element for each rank";
	return NULL;
}

/* Points */

static unsigned timings_on(const struct choice *c, const struct transport *t)
{
	unsigned without = c->timings & ~(unsigned)BIT(TIMING_GRAPH);

	return (t->flags & TRANSPORT_STREAM_ONLY) && without ? without : c->timings;
}

struct builder {
	const struct choice *choice;
	struct plan *plan; /* points NULL: only count */
	int transport, nranks;
	bool overflow;
};

static void add_point(struct builder *b, const struct plan_point *p)
{
	struct plan *plan = b->plan;
	const struct transport *t = &transport_table[b->transport];

	if (plan->n_points == MAX_POINTS) {
		b->overflow = true;
		return;
	}
	if (plan->points) {
		struct plan_point *to = &plan->points[plan->n_points];

		*to = *p;
		to->impossible = impossible_here(b->choice->r, t, p);
		if (!to->impossible)
			to->impossible = impossible_form(t, p);
	}
	plan->n_points++;
}

/* Only what runs on the device can be laid beside something else there. */
static void add_loads(struct builder *b, struct plan_point *p)
{
	unsigned loads = b->choice->r->loads ? b->choice->r->loads : BIT(LOAD_NONE);

	for (p->load = 0; p->load < LOAD_COUNT; p->load++)
		if (choice_has(loads, p->load) &&
		    (p->load == LOAD_NONE || p->timing == TIMING_GRAPH ||
		     p->timing == TIMING_STREAM))
			add_point(b, p);
	p->load = LOAD_NONE;
}

/* Sizes that round to the same bytes would be the same row: the first one stands for all. */
static void add_group(struct builder *b, struct plan_point *p)
{
	const struct choice *c = b->choice;
	unsigned timings = timings_on(c, &transport_table[b->transport]);
	uint64_t before = 0;

	for (size_t i = 0; i < c->n_sizes[p->c.op] && !b->overflow; i++) {
		p->asked_bytes = c->sizes[p->c.op][i];
		p->c.bytes = op_round_bytes(p->c.op, p->c.dtype, p->c.nranks, p->asked_bytes);
		if (p->c.bytes && p->c.bytes == before)
			continue;
		before = p->c.bytes;
		for (p->timing = 0; p->timing < TIMING_COUNT; p->timing++)
			if (choice_has(timings, p->timing))
				add_loads(b, p);
	}
}

static void add_forms(struct builder *b, struct plan_point *p)
{
	const struct choice *c = b->choice;

	for (int in_place = 0; in_place < 2; in_place++) {
		p->c.in_place = in_place;
		for (p->variant = 0; p->variant < VARIANT_COUNT; p->variant++)
			if (choice_has(c->in_place, in_place) &&
			    choice_has(c->variants, p->variant))
				add_group(b, p);
	}
}

static void add_pairs(struct builder *b, struct plan_point *p)
{
	const struct plan_request *r = b->choice->r;

	if (!r->all_pairs || !(op_table[p->c.op].flags & OP_PAIR)) {
		add_forms(b, p);
		return;
	}
	for (p->c.a = 0; p->c.a < b->nranks; p->c.a++)
		for (p->c.b = 0; p->c.b < b->nranks; p->c.b++)
			if (p->c.a != p->c.b)
				add_forms(b, p);
}

static void add_op(struct builder *b, int op)
{
	const struct choice *c = b->choice;
	unsigned flags = op_table[op].flags;
	unsigned redops = flags & OP_REDUCES ? c->redops : BIT(REDOP_SUM);
	struct plan_point p = { .c = { .op = op, .nranks = b->nranks } };

	if (flags & OP_ROOTED)
		p.c.root = c->r->root;
	if (flags & OP_PAIR) {
		p.c.a = c->r->a;
		p.c.b = c->r->b;
	}
	for (p.c.dtype = 0; p.c.dtype < DTYPE_COUNT; p.c.dtype++)
		for (p.c.redop = 0; p.c.redop < REDOP_COUNT; p.c.redop++)
			if (choice_has(c->dtypes, p.c.dtype) && choice_has(redops, p.c.redop))
				add_pairs(b, &p);
}

static void add_config(struct builder *b, int arm)
{
	const struct choice *c = b->choice;
	struct plan *plan = b->plan;
	size_t first = plan->n_points;

	for (int op = 0; op < OP_COUNT; op++)
		if (choice_has(c->ops, op))
			add_op(b, op);
	if (plan->configs)
		plan->configs[plan->n_configs] =
		    (struct plan_config){ .transport = b->transport,
					  .nranks = b->nranks,
					  .arm = arm,
					  .first = first,
					  .n = plan->n_points - first };
	plan->n_configs++;
}

static void add_counts(struct builder *b)
{
	const struct plan_request *r = b->choice->r;

	for (int i = 0; i < (r->n_counts ? r->n_counts : 1); i++) {
		b->nranks = r->n_counts ? r->counts[i] : r->nranks;
		for (int arm = 0; arm < b->plan->n_arms; arm++)
			add_config(b, arm);
	}
}

static void add_configs(struct builder *b)
{
	b->plan->n_configs = b->plan->n_points = 0;
	for (b->transport = 0; b->transport < TRANSPORT_COUNT; b->transport++)
		if (choice_has(b->choice->transports, b->transport))
			add_counts(b);
}

/* Two passes: the first counts, so that memory is taken once and a limit is met before it. */
static int fill_points(const struct choice *c, struct plan *plan, char *why, size_t max)
{
	struct builder b = { .choice = c, .plan = plan };

	add_configs(&b);
	if (b.overflow)
		return choice_refuse(
		    why, max,
		    "the request has more than %d points; choose fewer sizes, operations, "
		    "data types or transports",
		    MAX_POINTS);
	if (plan->n_points == 0 || plan->n_configs == 0)
		return choice_refuse(
		    why, max, "nothing is left to measure; name an operation and a transport");
	plan->configs = calloc(plan->n_configs, sizeof(*plan->configs));
	plan->points = calloc(plan->n_points, sizeof(*plan->points));
	if (!plan->configs || !plan->points)
		return -ENOMEM;
	add_configs(&b);
	return 0;
}

/* Fingerprint: FNV-1a, each number as eight bytes, lowest first; never the padding of a struct. */

static void hash_number(uint64_t *h, uint64_t v)
{
	for (int i = 0; i < 8; i++) {
		*h ^= v >> 8 * i & 0xff;
		*h *= 0x100000001b3ULL;
	}
}

static void hash_point(uint64_t *h, const struct plan_point *p)
{
	const struct op_case *c = &p->c;
	const uint64_t fields[] = {
		(uint64_t)c->op,       (uint64_t)c->dtype,   (uint64_t)c->redop,
		c->in_place,           (uint64_t)c->nranks,  (uint64_t)c->root,
		(uint64_t)c->a,        (uint64_t)c->b,       c->bytes,
		(uint64_t)p->timing,   (uint64_t)p->variant, p->asked_bytes,
		p->impossible != NULL,
	};

	for (size_t i = 0; i < N_ELEMENTS(fields); i++)
		hash_number(h, fields[i]);
	if (p->load) /* plans without keep the fingerprint of releases without */
		hash_number(h, (uint64_t)p->load);
	for (const char *s = p->impossible; s && *s; s++)
		hash_number(h, (unsigned char)*s);
}

static uint64_t fingerprint(const struct plan *plan)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	hash_number(&h, plan->n_configs);
	for (size_t i = 0; i < plan->n_configs; i++) {
		hash_number(&h, (uint64_t)plan->configs[i].transport);
		hash_number(&h, plan->configs[i].first);
		hash_number(&h, plan->configs[i].n);
		if (plan->n_arms >
		    1) /* a plan of one arm keeps the fingerprint of releases without arms */
			hash_number(&h, (uint64_t)plan->configs[i].arm);
	}
	hash_number(&h, plan->n_points);
	for (size_t i = 0; i < plan->n_points; i++)
		hash_point(&h, &plan->points[i]);
	hash_number(&h, (uint64_t)plan->restarts);
	return h;
}

int plan_build(const struct plan_request *r, struct plan *out, char *why, size_t why_max)
{
	struct plan plan = { .n_arms = r->n_arms > 0 ? r->n_arms : 1 };
	struct choice c = { 0 };
	int rc = choice_make(r, &c, why, why_max);

	if (!rc)
		rc = fill_points(&c, &plan, why, why_max);
	if (!rc) {
		plan.restarts = r->restarts ? r->restarts : profile_table[r->profile].restarts;
		plan.fingerprint = fingerprint(&plan);
		*out = plan;
		plan = (struct plan){ 0 };
	}
	choice_fini(&c);
	plan_fini(&plan);
	return rc;
}

void plan_keep(struct plan *p, const bool *keep)
{
	size_t points = 0, configs = 0;

	for (size_t k = 0; k < p->n_configs; k++) {
		struct plan_config c = p->configs[k];
		size_t first = points;

		for (size_t i = c.first; i < c.first + c.n; i++)
			if (keep[i])
				p->points[points++] = p->points[i];
		c.first = first;
		c.n = points - first;
		if (c.n > 0)
			p->configs[configs++] = c;
	}
	p->n_points = points;
	p->n_configs = configs;
	p->fingerprint = fingerprint(p);
}

void plan_fini(struct plan *p)
{
	free(p->configs);
	free(p->points);
	*p = (struct plan){ 0 };
}

size_t plan_turn(const struct plan *p, int restart, size_t i)
{
	size_t arms = (size_t)p->n_arms, groups = p->n_configs / arms;
	size_t group = (i / arms + (size_t)restart) % groups, arm = i % arms;

	return group * arms + (restart % 2 ? arms - 1 - arm : arm);
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* 0..bound-1 without bias: the uneven tail of the 64-bit range is drawn again. */
static uint64_t draw_below(uint64_t *state, uint64_t bound)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
	uint64_t v;

	do
		v = splitmix64(state);
	while (v >= limit);
	return v % bound;
}

int plan_shuffle(uint64_t seed, int restart, size_t config, size_t n, uint32_t *order)
{
	uint64_t state = seed;

	if (n > UINT32_MAX || (n && !order) || restart < 0)
		return -EINVAL;
	state = splitmix64(&state) + (uint64_t)restart;
	state = splitmix64(&state) + config;
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = n; i > 1; i--) {
		size_t j = draw_below(&state, i);
		uint32_t kept = order[i - 1];

		order[i - 1] = order[j];
		order[j] = kept;
	}
	return 0;
}
