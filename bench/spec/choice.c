/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults, contradictions and sizes of a request. Points and their order are plan.c's. */
#include "spec/choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/dtype.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define DEFAULT_BEGIN 8ULL
#define DEFAULT_END (1ULL << 30)
#define MAX_SIZES 100000 /* a typing error in a step must not eat the memory */
#define BIT(i) (1ULL << (i))

const struct choice_limits choice_limits[BACKEND_COUNT] = {
	[BACKEND_NCCL] = {
		.dtypes = BIT(DTYPE_COUNT) - 1, .redops = BIT(REDOP_COUNT) - 1,
		.timings = BIT(TIMING_GRAPH) | BIT(TIMING_STREAM) | BIT(TIMING_BLOCKING) |
			   BIT(TIMING_NCCL_TESTS),
		.variants = BIT(VARIANT_COUNT) - 1,
		.default_timings = BIT(TIMING_GRAPH) | BIT(TIMING_STREAM),
	},
	[BACKEND_UCX] = {
		.op_flag = OP_UCX,
		.dtypes = BIT(DTYPE_INT32) | BIT(DTYPE_INT64) | BIT(DTYPE_FLOAT) |
			  BIT(DTYPE_DOUBLE),
		.redops = (BIT(REDOP_COUNT) - 1) & ~BIT(REDOP_AVG),
		.timings = BIT(TIMING_HOST), .variants = BIT(VARIANT_PLAIN),
		.default_timings = BIT(TIMING_HOST),
	},
};

int choice_refuse(char *why, size_t max, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (why && max)
		vsnprintf(why, max, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* The sets chosen, each non-empty and free of unknown bits. */

static unsigned long long default_ops(void)
{
	unsigned long long set = 0;

	for (int i = 0; i < OP_COUNT; i++)
		if (op_table[i].flags & OP_DEFAULT)
			set |= BIT(i);
	return set;
}

static unsigned long long default_transports(const struct plan_request *r)
{
	unsigned long long set = 0;

	for (int i = 0; i < TRANSPORT_COUNT; i++) {
		const struct transport *t = &transport_table[i];
		bool wanted = t->flags & TRANSPORT_DEFAULT;

		if (t->backend == r->backend && wanted &&
		    (r->have_ib || !(t->flags & TRANSPORT_NEEDS_IB)))
			set |= BIT(i);
	}
	return set;
}

static void choose(struct choice *c, const struct plan_request *r)
{
	*c = (struct choice){
		.r = r,
		.ops = r->ops ? r->ops : default_ops(),
		.transports = r->transports ? r->transports : default_transports(r),
		.dtypes = r->dtypes ? r->dtypes : BIT(DTYPE_FLOAT),
		.redops = r->redops ? r->redops : BIT(REDOP_SUM),
		.in_place = r->in_place ? r->in_place : 1,
		.timings = r->timings ? r->timings : choice_limits[r->backend].default_timings,
		.variants = r->variants ? r->variants : BIT(VARIANT_PLAIN),
	};
}

static int check_sets(const struct choice *c, char *why, size_t max)
{
	const struct {
		const char *what;
		unsigned long long set;
		int count;
	} sets[] = {
		{ "operation", c->ops, OP_COUNT },
		{ "transport", c->transports, TRANSPORT_COUNT },
		{ "data type", c->dtypes, DTYPE_COUNT },
		{ "reduction", c->redops, REDOP_COUNT },
		{ "in-place choice", c->in_place, 2 },
		{ "timing", c->timings, TIMING_COUNT },
		{ "variant", c->variants, VARIANT_COUNT },
	};

	for (size_t i = 0; i < N_ELEMENTS(sets); i++)
		if (sets[i].set >> sets[i].count)
			return choice_refuse(
			    why, max,
			    "unknown %s in the set %#llx: known are %d; name one of the list",
			    sets[i].what, sets[i].set, sets[i].count);
	for (int i = 0; i < TRANSPORT_COUNT; i++)
		if (choice_has(c->transports, i) && transport_table[i].backend != c->r->backend)
			return choice_refuse(
			    why, max,
			    "transport %s belongs to backend %s, but backend %s was chosen: "
			    "change --backend or --transports",
			    transport_table[i].name, backend_names[transport_table[i].backend],
			    backend_names[c->r->backend]);
	return 0;
}

static int check_counts(const struct plan_request *r, char *why, size_t max)
{
	if (r->n_counts < 0 || r->n_counts > PLAN_COUNTS_MAX)
		return choice_refuse(why, max, "more than %d numbers of ranks; name fewer",
				     PLAN_COUNTS_MAX);
	for (int i = 0; i < r->n_counts; i++) {
		if (r->counts[i] < 2)
			return choice_refuse(why, max,
					     "%d rank has nobody to talk to; numbers of ranks "
					     "begin with 2",
					     r->counts[i]);
		if (i > 0 && r->counts[i] <= r->counts[i - 1])
			return choice_refuse(why, max,
					     "numbers of ranks must ascend, each once: %d comes "
					     "after %d",
					     r->counts[i], r->counts[i - 1]);
		if (r->counts[i] > r->nranks)
			return choice_refuse(why, max,
					     "%d ranks were asked for, but %d were started; start "
					     "mpirun -np %d, or leave %d out of --ranks",
					     r->counts[i], r->nranks, r->counts[r->n_counts - 1],
					     r->counts[i]);
	}
	return 0;
}

/* A root or a pair must be there in the smallest communicator, too. */
static int check_ranks(const struct choice *c, char *why, size_t max)
{
	const struct plan_request *r = c->r;
	int nranks = r->n_counts ? r->counts[0] : r->nranks;
	unsigned flags = 0;

	for (int i = 0; i < OP_COUNT; i++)
		if (choice_has(c->ops, i))
			flags |= op_table[i].flags;
	if ((flags & OP_ROOTED) && (r->root < 0 || r->root >= nranks))
		return choice_refuse(why, max,
				     "root %d is not a rank: there are %s%d; choose 0 to %d",
				     r->root, r->n_counts ? "once only " : "", nranks, nranks - 1);
	if (!(flags & OP_PAIR) || nranks < 2)
		return 0; /* one rank has no pairs: its points say so */
	if (r->a < 0 || r->a >= nranks || r->b < 0 || r->b >= nranks)
		return choice_refuse(
		    why, max, "pair %d,%d is not within the %s%d ranks; choose two of 0 to %d",
		    r->a, r->b, r->n_counts ? "fewest that are measured, " : "", nranks,
		    nranks - 1);
	if (r->a == r->b)
		return choice_refuse(why, max,
				     "pair %d,%d names one rank twice; choose two different ranks",
				     r->a, r->b);
	return 0;
}

static uint64_t begin_of(const struct plan_request *r)
{
	return r->begin ? r->begin : DEFAULT_BEGIN;
}

static int check_sizes(const struct plan_request *r, char *why, size_t max)
{
	if (r->sizes || r->n_sizes) {
		if (!r->sizes || !r->n_sizes)
			return choice_refuse(why, max,
					     "the list of sizes is empty; name at least one");
		if (r->n_sizes > MAX_SIZES)
			return choice_refuse(why, max, "%zu sizes are more than %d; name fewer",
					     r->n_sizes, MAX_SIZES);
		return 0;
	}
	if (r->factor && r->step)
		return choice_refuse(why, max,
				     "a factor (%" PRIu64 ") and a step (%" PRIu64
				     ") contradict each other; "
				     "give one of -f and -i",
				     r->factor, r->step);
	if (r->factor == 1)
		return choice_refuse(
		    why, max,
		    "factor 1 never reaches the end; give -f 2 or more, or a step with -i");
	if (r->end && begin_of(r) > r->end)
		return choice_refuse(why, max,
				     "the first size (%" PRIu64 " B) is above the last (%" PRIu64
				     " B); "
				     "lower -b or raise -e",
				     begin_of(r), r->end);
	return 0;
}

static int check_request(const struct plan_request *r, char *why, size_t max)
{
	if (r->backend < 0 || r->backend >= BACKEND_COUNT)
		return choice_refuse(why, max, "backend %d is not one; choose nccl or ucx",
				     r->backend);
	if (r->profile < 0 || r->profile >= profile_count)
		return choice_refuse(why, max,
				     "profile %d is not one of %d; choose quick, standard or gate",
				     r->profile, profile_count);
	if (r->nranks < 1)
		return choice_refuse(
		    why, max, "%d ranks cannot measure anything; start at least one", r->nranks);
	if (r->restarts < 0)
		return choice_refuse(why, max, "%d restarts are impossible; give 1 or more",
				     r->restarts);
	if (check_counts(r, why, max))
		return -EINVAL;
	return check_sizes(r, why, max);
}

/* Sizes of an operation, ascending, without doubles. */

static uint64_t end_of(const struct plan_request *r, int op)
{
	uint64_t end = DEFAULT_END;
	uint64_t own = op_table[op].default_max_bytes;

	if (r->end)
		return r->end;
	if (r->backend == BACKEND_UCX)
		end = profile_table[r->profile].ucx_max_bytes;
	return own && own < end ? own : end;
}

static int compare_sizes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t listed_sizes(const struct plan_request *r, uint64_t *out)
{
	size_t n = 0;

	memcpy(out, r->sizes, r->n_sizes * sizeof(*out));
	qsort(out, r->n_sizes, sizeof(*out), compare_sizes);
	for (size_t i = 0; i < r->n_sizes; i++)
		if (n == 0 || out[i] != out[n - 1])
			out[n++] = out[i];
	return n;
}

/* Writes to `out` unless NULL; returns the number, MAX_SIZES + 1 at most. */
static size_t ranged_sizes(const struct plan_request *r, int op, uint64_t *out)
{
	uint64_t end = end_of(r, op);
	uint64_t factor = r->factor ? r->factor : 2;
	uint64_t size = begin_of(r);
	size_t n = 0;

	while (size <= end && n <= MAX_SIZES) {
		if (out)
			out[n] = size;
		n++;
		if (r->step ? size > UINT64_MAX - r->step : size > UINT64_MAX / factor)
			break;
		size = r->step ? size + r->step : size * factor;
	}
	return n;
}

static int fill_sizes(struct choice *c, char *why, size_t max)
{
	const struct plan_request *r = c->r;
	size_t total = 0;

	for (int op = 0; op < OP_COUNT; op++) {
		size_t n = 0;

		if (choice_has(c->ops, op))
			n = r->sizes ? r->n_sizes : ranged_sizes(r, op, NULL);
		if (n > MAX_SIZES)
			return choice_refuse(
			    why, max, "%s would have more than %d sizes; raise -i or lower -e",
			    op_table[op].name, MAX_SIZES);
		if (n == 0)
			continue;
		c->sizes[op] = calloc(n, sizeof(*c->sizes[op]));
		if (!c->sizes[op])
			return -ENOMEM;
		c->n_sizes[op] =
		    r->sizes ? listed_sizes(r, c->sizes[op]) : ranged_sizes(r, op, c->sizes[op]);
		total += c->n_sizes[op];
	}
	if (total == 0)
		return choice_refuse(why, max,
				     "no size is left: %" PRIu64
				     " B is above the default end of every chosen "
				     "operation; give -e",
				     begin_of(r));
	return 0;
}

int choice_make(const struct plan_request *r, struct choice *out, char *why, size_t max)
{
	struct choice c;
	int rc = check_request(r, why, max);

	if (rc)
		return rc;
	choose(&c, r);
	rc = check_sets(&c, why, max);
	if (!rc)
		rc = check_ranks(&c, why, max);
	if (!rc)
		rc = fill_sizes(&c, why, max);
	if (rc)
		choice_fini(&c);
	else
		*out = c;
	return rc;
}

void choice_fini(struct choice *c)
{
	for (int op = 0; op < OP_COUNT; op++)
		free(c->sizes[op]);
	*c = (struct choice){ 0 };
}
