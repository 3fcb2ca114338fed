/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verdict of the gate as a plan: what was slower is measured again under the same conditions, so
 * that `gate ... NEW --confirm AGAIN` can decide. The file may be anybody's: the first thing that
 * is wrong ends it, with its place. Judges nothing.
 */
#pragma once

#include <stddef.h>

#include "base/attr.h"
#include "data/record.h"
#include "judge/facts.h"

struct facts;
struct plan;
struct plan_request;

#define CONFIRM_FILE_MAX (256u << 20)
#define CONFIRM_SUSPECTS_MAX 20000

struct confirm {
	struct record *suspects; /* keys only; n 0: nothing was slower */
	size_t n;
	int backend, ranks, profile, restarts;
	char conditions[FACT_COUNT]
		       [FACT_TEXT]; /* of the new run, as the gate read them; "" unknown */
};

/* What `ncclbench gate --json` wrote. 0; -ENOMEM; -EBADMSG with the place in `why`
 * ("suspects[3].bytes: ..."). */
int confirm_parse(const char *json, size_t len, struct confirm *out, char *why,
		  size_t why_max) ATTR_MUST;
void confirm_fini(struct confirm *c);
/* The members that confirm_parse reads, for the other ranks (heap); NULL without memory or when it
 * is no JSON. */
char *confirm_extract(const char *json, size_t len) ATTR_MUST;
/* Are these the machine and the versions that were judged? -EINVAL with the difference in `why`.
 * `hardware`: as launch_titles says. */
int confirm_conditions(const struct confirm *c, const struct facts *f, const char *hardware,
		       char *why, size_t why_max) ATTR_MUST;
/* The smallest request whose plan has all suspects. -EINVAL with a line in `why`. */
int confirm_request(const struct confirm *c, struct plan_request *q, uint64_t **sizes, char *why,
		    size_t why_max) ATTR_MUST;
/* Leaves the suspects in the plan and nothing else. -EINVAL when it has not all of them: names the
 * first. */
int confirm_plan(const struct confirm *c, const char *map, struct plan *p, char *why,
		 size_t why_max) ATTR_MUST;
