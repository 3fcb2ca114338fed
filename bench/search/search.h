/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding better settings for one transport: a race, a confirmation, a verdict per target class.
 * Deterministic: the same answers give the same questions in the same order, so that an interrupted
 * search goes on from a journal of its trials. Prints nothing, knows no workers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "search/confirm.h"
#include "search/race.h"

enum found_id {
	FOUND_DEFAULT,     /* defaults are best: nothing looked faster */
	FOUND_GAIN,        /* confirmed, and nothing watched gets slower */
	FOUND_TRADE,       /* confirmed, and something else gets slower */
	FOUND_UNCONFIRMED, /* looked faster, did not hold */
	FOUND_FAILED,      /* looked faster, then failed */
	FOUND_NO_BUDGET, /* looked faster; not enough was left to confirm it, or to search at all */
	FOUND_NO_CONTROL, /* the defaults themselves fail here */
	FOUND_COUNT,
};

extern const char *const found_names[FOUND_COUNT];

struct finding_of {
	enum found_id id;
	int arm;                    /* of confirmation.arm; -1 none */
	bool harms[SEARCH_CLASSES]; /* classes that get slower by more than CONFIRM_HARM */
	/* Beside a gain: another arm that gains more, as a trade; -1 none. */
	int trade;
	bool trade_harms[SEARCH_CLASSES];
};

struct search_problem {
	const struct space *space;
	const struct search_class *classes;
	size_t n_classes;
	double budget_s;
	size_t
	    comparisons; /* of the whole run: targets times transports; they share CONFIRM_ALPHA */
	measure_fn measure;
	void *arg;
};

struct search_result {
	struct race race;
	struct confirmation confirmation;
	struct finding_of found[SEARCH_CLASSES]; /* of targets */
	double spent_s;
	size_t n_trials;
};

/* 0; negative as measure said, or -ENOMEM: *out holds what is known then, too. */
int search_run(const struct search_problem *p, struct search_result *out) ATTR_MUST;
void search_fini(struct search_result *r);
/* The time's log ratio as a gain in speed: 0.16 is 16 % more. */
double search_gain(double log_shift);
