/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ncclbench health`: a campaign of four checked operations under one deadline, and a verdict in
 * words. Not a measurement: each operation runs once, its time is an indication.
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "base/buf.h"
#include "run/campaign.h"
#include "run/fault.h"

struct finish;
struct json_t;
struct launch;
struct options;

struct health_rank { /* what became of one rank's worker */
	int phase, outcome;
	char detail[RECORD_DETAIL];
};

struct health {
	struct health_rank mine, *ranks; /* ranks: of all, once gathered */
	struct fault worst;
	char dir[4096];                  /* of the logs */
	bool keep;
	struct buf ras;                  /* what NCCL's RAS said, rank 0 */
	struct json_t *findings;         /* of explain, rank 0; NULL: the logs are no NCCL's */
	double seconds;
};

/* Small and large all_reduce and sendrecv, in the user's own environment. */
void health_request(const struct options *o, const struct launch *l, int n_hosts,
		    unsigned long long required, struct plan_request *q);
/* When MPI itself hangs nothing else ends us. */
void health_arm(int64_t end_ns);
/* Collective: a folder for the logs, with one name on all hosts. 0, an exit code + 1 after a
 * printed line, or negative. */
int health_open(struct health *h, struct coord *c, const struct options *o) ATTR_MUST;
/* For campaign.watch; the argument is a struct health. */
void health_watch(void *arg, const struct crew *w, const struct fault *worst,
		  enum campaign_moment when);
/* Collective, after the campaign: gathers, judges, prints, removes the logs. *code: the exit code,
 * on rank 0. */
int health_finish(struct health *h, struct campaign *k, const struct finish *f,
		  int *code) ATTR_MUST;
/* Rank 0: nothing could be started (launch.refusal). Returns the exit code. */
int health_refused(const struct launch *l, const struct options *o, double seconds);
void health_fini(struct health *h);
