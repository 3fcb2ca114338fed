/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole sweep: every configuration, every restart, every point; the restart budget; rows on disk
 * as they are measured. Runs on all ranks in lock-step; rank 0 alone writes and speaks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "data/merge.h"
#include "data/record.h"
#include "data/store.h"
#include "ncclog/proof.h"
#include "ncclog/scan.h"
#include "report/view.h"
#include "run/card.h"
#include "run/crew.h"
#include "run/facts.h"
#include "run/pairs.h"
#include "run/peak.h"
#include "run/place.h"
#include "run/reason.h"
#include "spec/outcome.h"
#include "spec/plan.h"

struct arm;
struct campaign;
struct coord;
struct fault;
struct progress;

enum campaign_moment { CAMPAIGN_BEFORE_STOP, CAMPAIGN_AFTER_STOP };

#define POINT_SLOW_MAX 64

struct point_state {
	bool done;     /* its row is final */
	bool probed;   /* its single operation ran (or its row is final) */
	double est_us; /* one operation, as seen in the ascending pass or guessed from a neighbour;
			  NaN unknown */
	int probed_by; /* crew.attempt + 1 of the worker that ran it then; 0: none did */
	double slow[POINT_SLOW_MAX]; /* of its load, a figure per chunk; n_slow of them */
	int n_slow;
	bool unchecked; /* this restart's figures are of several pairs at once, and not yet compared
			   with pairs alone: the row waits for that */
	int turns;      /* restarts in which it was measured, all of them when its row is final */
	struct merged merged;
	struct record record;   /* complete on rank 0 only */
	char used[RECORD_TEXT]; /* UCX: what the workers said, the worst of all ranks, passes and
				   restarts */
	int told;               /* UCX: 0 nothing yet, else 1 + index of told_words */
	char told_detail[200];  /* UCX: why not yes, in the words of the worker that said so */
	struct proof path; /* NCCL: the worst verdict of all restarts; `judged` once there is one */
	bool judged;
	struct scan_tuning
	    tuning;   /* NCCL: of the single operation; algo "" when the log did not say */
	double wrong; /* elements over all ranks at the last bad CHECK; NaN unknown */
};

struct config_state {
	int *host; /* of each of its ranks, as proof_need.host; NULL: one host, or every rank is one
		      for NCCL */
	int n_hosts;
	bool dead;          /* nothing more can be measured */
	int failures;       /* workers lost so far */
	int start_failures; /* in a row */
	int attempt;        /* worker starts so far, for log names */
	bool ascended;
	struct pairs pairs;      /* what is measured at once; built by campaign_run */
	char why[RECORD_DETAIL]; /* of dead */
	int why_outcome;         /* what the rest of its points become */
	int64_t context_us, init_us, first_op_us, teardown_us; /* first restart; -1 unknown */
	bool teardown_beside;           /* measured while another worker came up */
	char overruled[512], set[1024]; /* environment */
};

struct campaign {
	struct coord *c;
	struct plan plan;
	struct plan_request request;
	const struct arm *arms; /* plan.n_arms of them; NULL when there is one */
	struct reason_context reasons;
	struct crew_spec crew; /* what all configurations share */
	struct view_peak peaks[PEAK_MAX];
	size_t n_peaks;
	char no_ceiling[300];   /* why one was not measured, "" */
	char tcp_interface[32]; /* of the TCP ceilings, "" none */
	struct card card;       /* this rank's GPU */
	char **cards;           /* card_lines of every rank, when the run is over; else NULL */
	struct point_state *points;
	struct config_state *configs;
	struct store store; /* rank 0 */
	bool have_store;
	char dir[4096];                /* of the run, also after the store was closed */
	bool interrupted;              /* agreed */
	bool broken;                   /* rank 0: results can no longer be stored */
	size_t turn;                   /* configurations begun, over all restarts */
	size_t n_turns;                /* of all points */
	int64_t spent_ns[PHASE_COUNT]; /* this rank waited for its workers' answers; PHASE_NONE:
					  single runs of the ascending pass */
	char map[RECORD_TEXT];
	int fake_hosts;   /* for NCCL the ranks of a configuration are dealt to so many hosts, in
			     blocks; 0 */
	bool checks_only; /* every point is one operation whose data is checked, nothing is
			     measured; the first fault ends it */
	/* Collective: sees the crew when the workers of a transport, of its first arm, have joined
	 * for the first time, before they are asked anything; NULL. Negative ends the run. */
	int (*joined)(const void *arg, struct campaign *k, const struct crew *w);
	const void *joined_arg;
	/* Not collective: sees every crew when its work is over, before and after its workers are
	 * stopped; NULL. */
	void (*watch)(void *arg, const struct crew *w, const struct fault *worst,
		      enum campaign_moment when);
	void *watch_arg;
	struct progress *progress; /* rank 0, or NULL */
	/* What comes up, and what goes, while one crew follows the other. */
	struct crew next; /* spawned, not yet started; have_next */
	struct crew_spec next_spec;
	size_t next_config;
	bool have_next;
	struct crew last; /* said BYE, not yet gone; have_last */
	size_t last_config;
	bool have_last, last_beside; /* beside: another came up meanwhile */
};

const struct arm *campaign_arm(const struct campaign *k,
			       size_t config);      /* NULL when there is one only */
int campaign_prepare(struct campaign *k) ATTR_MUST; /* allocates the states */
int campaign_run(
    struct campaign *k) ATTR_MUST; /* 0, or negative when the ranks can no longer agree */
/* After it: every rank learns all ranks' card_lines. */
int campaign_gather_cards(struct campaign *k) ATTR_MUST;
void campaign_show(struct campaign *k, const char *what); /* the progress line */
void campaign_fini(struct campaign *k);
