/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One whole campaign under test: ranks are threads (coord_threads.h), workers are the fake one, the
 * rows are read back from the disk. (Or no process at all: inproc.h.) What ncclbench-run adds
 * around it (facts, plan, table) is not here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "coord_threads.h"
#include "data/record.h"
#include "spec/plan.h"

enum { TRIAL_RANKS_MAX = COORD_THREADS_MAX };

struct trial { /* in: */
	const char *worker;
	int fake_hosts;              /* as --fake-hosts */
	int ranks, hosts;            /* ranks are dealt to the hosts in blocks */
	const char *script;          /* NCCLBENCH_TEST_FAKE of every worker */
	const char *const *settings; /* more of the environment: "NAME=value", ..., NULL; or NULL */
	struct plan_request request; /* nranks is filled in; n_arms if there are arms */
	const char *arms[4];         /* texts of --ab, ended by NULL; none: one environment */
	int64_t timeout_ms, peer_grace_ms; /* of the sessions */
	const char *dir;                   /* run directory, made by the trial */
	/* out: */
	struct plan plan;
	struct record *rows; /* points.csv */
	size_t n_rows;
	int code[TRIAL_RANKS_MAX]; /* campaign_run of each rank */
	int64_t elapsed_ns[TRIAL_RANKS_MAX];
	int64_t teardown_us[8]; /* of the first configurations, as rank 0 knows it; -1 */
	bool teardown_beside[8];
	int lost[8];                  /* workers of them */
	bool broken, interrupted;     /* rank 0's, rank 1's (every rank's must be equal) */
	int workers[TRIAL_RANKS_MAX]; /* started by each rank */
	char why[300];                /* of a false trial_run */
};

/* all_reduce over shm by stream, 8 B and 1 KiB: two points. */
void trial_init(struct trial *t, const char *worker, const char *dir);
/* false: the trial itself could not be done. */
bool trial_run(struct trial *t) ATTR_MUST;
void trial_fini(struct trial *t);

/* Row of plan point i, or NULL when there is none or more than one. */
const struct record *trial_row(const struct trial *t, size_t point);
/* Every planned point has exactly one row and there is no other; else names one in t->why. */
bool trial_is_complete(struct trial *t);
