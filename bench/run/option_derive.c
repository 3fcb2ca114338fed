/* SPDX-License-Identifier: Apache-2.0 */
/* See option_derive.h. */
#include "run/option_derive.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "run/matrix.h"
#include "run/options.h"
#include "spec/profile.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define AB_RESTARTS 10

/* ---- arms ---- */

/* A comparison needs enough pairs for its smallest p: see docs/ab.md. */
static int arms_of_ab(struct options *o)
{
	char why[400] = "";
	int r = arms_parse(o->ab, o->n_ab, &o->arms, &o->n_arms, why, sizeof(why));

	if (r == -EINVAL)
		log_error("--ab: %s", why);
	if (r == 0 && !o->restarts_given && profile_table[o->plan.profile].restarts < AB_RESTARTS)
		o->plan.restarts = AB_RESTARTS; /* more where the plan has many groups */
	return r;
}

static int arms_of_matrix(struct options *o)
{
	char why[400] = "";
	int r = matrix_arms(o->algos, o->protos, &o->arms, &o->n_arms, why, sizeof(why));

	if (r == -EINVAL)
		log_error("%s", why);
	o->matrix = r == 0;
	return r;
}

static int arms_of_channels(struct options *o)
{
	return matrix_channels(o->channels, (size_t)o->n_channels, &o->arms, &o->n_arms);
}

static int arms_of_a_file(struct options *o)
{
	return 0; /* it is read when the ranks have met (given.c) */
}

/* The first that was asked for makes the arms: two of them are a contradiction. */
int option_arms(struct options *o)
{
	const struct {
		bool asked;
		int (*make)(struct options *o);
	} sources[] = {
		{ o->n_ab, arms_of_ab },
		{ o->tuned || o->confirm, arms_of_a_file },
		{ o->algos || o->protos, arms_of_matrix },
		{ o->n_channels, arms_of_channels },
	};
	int r = 0;

	for (size_t i = 0; i < N_ELEMENTS(sources); i++) {
		if (!sources[i].asked)
			continue;
		r = sources[i].make(o);
		break;
	}
	o->plan.n_arms = (int)o->n_arms;
	return r;
}

/* ---- what nobody chose ---- */

static void choose_operations(struct options *o)
{
	const struct {
		bool asked;
		unsigned long long ops;
	} defaults[] = {
		{ o->matrix, 1ULL << OP_ALL_REDUCE },
		{ o->plan.all_pairs,
		  1ULL << OP_SEND | 1ULL << OP_SEND_BIDIR | 1ULL << OP_PINGPONG },
		{ o->overlap, 1ULL << OP_ALL_REDUCE },
	};

	for (size_t i = 0; i < N_ELEMENTS(defaults) && !o->plan.ops; i++)
		if (defaults[i].asked)
			o->plan.ops = defaults[i].ops;
}

void option_complete(struct options *o)
{
	choose_operations(o);
	if (o->overlap && !o->plan.timings)
		o->plan.timings = 1u << TIMING_STREAM;
	if (o->match) {
		o->backend = BACKEND_NCCL;
		o->plan.timings = 1u << TIMING_NCCL_TESTS;
		o->plan.variants = 1u << VARIANT_MEMALLOC;
	}
}
