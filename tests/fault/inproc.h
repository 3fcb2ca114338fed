/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripted workers without processes: run/session.h's functions, linked instead of the real ones,
 * answer in the caller's thread. So a campaign of hundreds of ranks fits into one process. What is
 * not here: spawning, deadlines, the wire; fake_worker.c and test_session.c have those.
 *
 * A worker is one NCCL rank on a network transport: its first operation writes a log, an operation
 * takes inproc_op_ns(rank), and every deed whose turn it is changes its answer.
 */
#pragma once

#include <stdint.h>

enum inproc_kind {
	INPROC_CRASH, /* fault: worker ended; with `others_wait` the other ranks notice only by the
			 alarm */
	INPROC_OOM,   /* fault that leaves the worker alive */
	INPROC_WRONG, /* CHECK: `value` wrong elements */
	INPROC_VIA,   /* the log says SHM instead of NET/Socket from this turn on */
};

struct inproc_deed { /* nth: of this rank's turns at this phase over all its workers, from 1 */
	int kind, rank, phase, nth;
	int others_wait;
	int64_t value;
};

/* Before a run: `n` deeds (kept by the caller), counters at zero. */
void inproc_script(const struct inproc_deed *deeds, int n);
/* ns of one operation: 2000 + 10 per rank. */
int64_t inproc_op_ns(int rank);
