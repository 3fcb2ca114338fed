/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By which way two ranks reach each other, from facts only: its class, and which pairs may share
 * something on it. What cannot be known is taken for shared (docs/algorithms.md has the rule).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct facts;

enum { PAIR_CLASS_TEXT = 16 };

struct pair_paths { /* of one transport and the first n ranks */
	int n;
	unsigned char *way;  /* way[a * n + b]: what the facts say, an enum of pair_path.c */
	unsigned char *span; /* how far the data of a->b may reach on this transport */
};

/* `steered`: the environment holds settings that may turn `auto` elsewhere. `one_place`: ranks may
 * share a GPU, or hosts are faked: every pair reaches everything. -ENOMEM. */
int pair_paths_build(const struct facts *f, int transport, int n, bool steered, bool one_place,
		     struct pair_paths *out) ATTR_MUST;
void pair_paths_fini(struct pair_paths *p);
/* rounds_apart_fn of a struct pair_paths: nothing that a->b may use is used by c->d. */
bool pair_paths_apart(const void *paths, int a, int b, int c, int d);
/* Of the first n ranks, heap. -ENOMEM. */
struct pair_rank;
int pair_ranks_build(const struct facts *f, int n, struct pair_rank **out) ATTR_MUST;
/* "NV18" "PIX" "NODE" "SYS" "one host" "two hosts"; "" unknown. */
void pair_class(const struct facts *f, const struct pair_rank *ranks, int backend, int a, int b,
		char out[PAIR_CLASS_TEXT]);
