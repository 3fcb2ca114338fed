/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: what a sweep will measure, as data. Every planned point ends as exactly one row of
 * points.csv. A config is one (transport, number of ranks, arm) of one backend; a point is one
 * operation at one size and timing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "spec/op.h"

#define PLAN_COUNTS_MAX 32
/* Of a --tuned run: the arm with what the tune recommends, and why a transport has no row of it. */
#define PLAN_ARM_TUNED "tuned"
#define PLAN_NOT_TUNED "the tune recommends nothing for this transport"

enum plan_pairs { /* of all_pairs: which may be measured at once */
	PAIRS_BY_TOPOLOGY, /* those that share nothing, as far as is known */
	PAIRS_ALONE,
	PAIRS_TOGETHER, /* all that have no rank in common */
	PAIRS_RULES
};
extern const char *const plan_pairs_words[PAIRS_RULES]; /* of --pairs and run.json */

struct plan_request { /* what the user asked for, already validated word by word */
	int backend;
	int nranks;
	unsigned long long ops;        /* bit per op_id; 0 = default set */
	unsigned long long transports; /* bit per transport_id; 0 = default set of the backend */
	bool have_ib;                  /* ib joins the default set */
	const uint64_t *sizes; /* explicit sizes, ascending; NULL: begin..end by factor or step */
	size_t n_sizes;
	uint64_t begin, end;   /* bytes; end 0 = the profile's and operation's default */
	uint64_t factor, step; /* one of them; both 0 = factor 2 */
	unsigned dtypes;       /* bit per dtype_id; 0 = float */
	unsigned redops;       /* bit per redop_id; 0 = sum */
	unsigned in_place;     /* bit 0 out of place, bit 1 in place; 0 = out */
	unsigned timings;      /* bit per timing_id; 0 = graph+stream (nccl), host (ucx) */
	unsigned variants;     /* bit per variant_id; 0 = plain */
	unsigned loads;        /* bit per load_id, on timings graph and stream; 0 = none */
	int root, a, b;
	/* Numbers of ranks that are measured, ascending, at most nranks: communicators over the
	 * first ranks, while the others are idle. None: all ranks, once. */
	int counts[PLAN_COUNTS_MAX], n_counts;
	bool all_pairs; /* operations of a pair: for every ordered one instead of a, b */
	int pairs_rule; /* enum plan_pairs */
	int profile;
	int restarts; /* 0 = the profile's */
	int n_arms;   /* environments that are compared with each other; 0 = 1 */
	uint64_t seed;
};

struct plan_point {
	struct op_case c; /* bytes as asked for, rounded; 0 elements: see `impossible` */
	int timing, variant, load;
	uint64_t asked_bytes;
	const char *impossible; /* static text: why it will be `skipped`/`unavailable` unmeasured;
				   or NULL */
	bool unavailable;       /* `impossible` because of the library: not `skipped` */
};

struct plan_config {
	int transport, nranks, arm;
	size_t first, n; /* its points in plan.points */
};

struct plan {
	/* Arms of one transport and number of ranks beside each other, then the numbers of ranks:
	 * index = (transport's place * numbers of ranks + place of the number) * n_arms + arm. */
	struct plan_config *configs;
	size_t n_configs;
	int n_arms;
	struct plan_point
	    *points; /* grouped by config; ascending in bytes within (op,dtype,redop,...) */
	size_t n_points;
	int restarts;
	uint64_t fingerprint; /* FNV-1a of every field above: all ranks must agree */
};

/* 0; -ENOMEM; or -EINVAL with one line in `why` (contradictory request: no size left, root out of
 * range). */
int plan_build(const struct plan_request *r, struct plan *out, char *why, size_t why_max) ATTR_MUST;
void plan_fini(struct plan *p);
/* Drops the points whose keep[i] is false, and configs that have none left. Only for plans of one
 * arm. */
void plan_keep(struct plan *p, const bool *keep);
/* The config that is measured as number i of restart r. Transports (each with one number of ranks)
 * rotate; arms go there and back
 * (A B, B A, A B ...), so that a drift of the machine is the same for all of them. */
size_t plan_turn(const struct plan *p, int restart, size_t i);
/* Order in which restart r measures the points of a config: a permutation of 0..n-1 from the seed.
 */
int plan_shuffle(uint64_t seed, int restart, size_t config, size_t n, uint32_t *order) ATTR_MUST;
