/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of the fake worker's words: what a supervisor must make of each, and how long that may
 * take. Walked over every phase twice: by test_session.c (one worker) and by test_campaign.c (two
 * ranks, one of them faulty). Nothing here calls the code under test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "slack.h"
#include "spec/outcome.h"

enum {
	TROUBLE_PHASES = 7,
	TROUBLE_TOGETHER = 3, /* words at once, at most */
	/* --timeout where only the deadline can tell: the test of one worker is in a hurry at that
	 * phase only, but in a campaign the other rank's worker, and the one that replaces the
	 * broken one, are well and must be in time for it in everything they do. */
	TROUBLE_LATE_MS = 1000,
	TROUBLE_CAMPAIGN_LATE_MS = 5000,
	TROUBLE_EARLY_MS = LONG_MS, /* --timeout where waiting for it would be a bug */
};

struct trouble_phase {
	const char *name; /* in the script */
	int id;
	int percent; /* of --timeout that an answer may take */
};

extern const struct trouble_phase
    trouble_phases[TROUBLE_PHASES]; /* hello id join prepare run check bye */

struct trouble {
	const char *word;
	int outcome;
	bool late;         /* found out by the deadline only */
	int64_t ask_ms;    /* least time until it is found out, besides a deadline */
	int64_t ladder_ms; /* least time until the worker is gone afterwards: 500 ms for each rung
			      it sits out */
	const char *says;  /* must be in the detail; NULL: nothing is said */
};

extern const struct trouble troubles[];
extern const int n_troubles;

/* How many words from the i-th on may be tried side by side: those that only wait for a deadline.
 */
int trouble_together(int i);

/* Where a word's effect differs from "its outcome at its phase". */
struct trouble_effect {
	int outcome, phase;
	int point; /* campaign: 0 the first point, 1 the second, -1 none */
	const char *says;
};

void trouble_in_session(const struct trouble *t, int phase_index, struct trouble_effect *out);
void trouble_in_campaign(const struct trouble *t, int phase_index, struct trouble_effect *out);
