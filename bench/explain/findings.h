/* SPDX-License-Identifier: Apache-2.0 */
/* Facts -> findings, worst first, and one line of verdict. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/buf.h"
#include "explain/facts.h"
#include "explain/rule.h"

struct finding {
	enum rule_id rule;
	enum severity severity;
	const char *confidence;
	struct buf text;   /* the cause, with the names of this log */
	struct buf remedy; /* lines to paste */
	struct fact_hit evidence[FACTS_HITS];
	int n_evidence;
	size_t count;     /* lines that say so */
	int weight;       /* 0 a cause, more: rather a consequence */
	bool consequence; /* of a cause that was found too */
};

struct findings {
	struct finding *list;
	size_t n, cap;
	bool failed; /* out of memory */
	/* while judging */
	const struct facts *facts;
	bool several_hosts, connect_trouble, connect_failed, any_error;
};

void findings_fini(struct findings *fs);
void findings_judge(const struct facts *f, struct findings *fs);
void findings_verdict(const struct facts *f, const struct findings *fs, struct buf *out);

/* Between findings.c and the questions in ask_*.c: a new finding of a rule with its own words to
 * fill. */
struct finding *findings_add(struct findings *fs, enum rule_id rule);
void finding_evidence(struct finding *f, struct fact_place at, const char *text);
void finding_setting(struct finding *f, const struct fact_setting *s); /* as evidence */
struct finding *findings_find(const struct findings *fs, enum rule_id rule);

void ask_job(const struct facts *f, struct findings *fs); /* ranks: missing, alone, unfinished */
void ask_machine(const struct facts *f, struct findings *fs); /* versions, interfaces, P2P, IB */
void ask_environment(const struct facts *f, struct findings *fs); /* variables */
