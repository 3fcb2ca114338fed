/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of computation beside a batch (load_nccl.c): how it is cut into groups, and how
 * much longer they took than alone. Knows no CUDA: times are given.
 */
#pragma once

#define LOAD_GROUPS_MAX 60  /* an event ends each: they share the driver's queue with the pieces */
#define LOAD_GROUPS_LEAST 3 /* within a batch, or it tells nothing */
#define LOAD_STEPS 5

/* Pieces of work in a group. Few kinds, so that each can be timed alone: an event costs time. */
extern const int load_steps[LOAD_STEPS];

struct load_plan {
	int step; /* of load_steps */
	int groups;
};

/* The finest groups of which so few are enough, of the most when none are; one at least. */
struct load_plan load_plan(double pieces);

/*
 * How many times as long as alone a group took. mark_ns[0..n]: when the first group began and each
 * of n ended, of one clock with the batch's begin and end. Only groups that lie wholly within the
 * batch count; NaN with fewer than LOAD_GROUPS_LEAST.
 */
double load_slowdown(const double *mark_ns, int n, double start_ns, double stop_ns,
		     double group_alone_ns);

/* Median (the upper one of two) of the figures that n of so many batches gave, of which `kept` are
 * in `slow`; sorts them. NaN unless more than half of the batches gave one. */
double load_typical(double *slow, int kept, int n, int batches);
