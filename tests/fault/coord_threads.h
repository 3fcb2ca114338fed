/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of a run as threads of one process: campaigns under test without MPI, and under the
 * sanitizers. Stricter than MPI: ranks that meet in unlike calls (another function, length or root)
 * all get -EPROTO, so that a rank out of step is seen at once. Each rank lives in one thread from
 * start to end: a worker dies with the thread that spawned it.
 */
#pragma once

#include <stdint.h>

#include "run/coord.h"

#define COORD_THREADS_MAX 512

/* One rank's life; its return value ends in codes[rank]. */
typedef int (*coord_threads_fn)(struct coord *c, void *arg);

struct coord_threads_result {
	int code[COORD_THREADS_MAX];
	int64_t elapsed_ns[COORD_THREADS_MAX]; /* of each rank's fn */
	int aborted;                           /* code of the first ops->abort, -1 none */
	int64_t rounds;                        /* collectives that all ranks completed */
};

/* Runs fn on `size` ranks of one host and joins them: 0, -EINVAL for a size
 * outside 1..COORD_THREADS_MAX, -ETIMEDOUT when some rank did not return in time (its thread is
 * left behind: end the test program), or another negative errno. */
int coord_threads_run(int size, int64_t deadline_ns, coord_threads_fn fn, void *arg,
		      struct coord_threads_result *out) ATTR_MUST;
