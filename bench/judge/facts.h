/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of what must be equal before two series may be compared, read from run.json. A fact that
 * one side does not tell is not compared; the caller says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

enum fact_id {
	FACT_MACHINE,
	FACT_HARDWARE,
	FACT_BACKEND,
	FACT_NCCL,
	FACT_DRIVER,
	FACT_CUDA,
	FACT_RANKS,
	FACT_PROFILE,
	FACT_METHOD,
	FACT_BATCH,
	FACT_ARMS,
	FACT_KERNEL,
	FACT_OS,
	FACT_COUNT,
};

#define FACT_TEXT 160

struct fact {
	const char *name, *alias; /* words of --across; alias may be NULL */
	const char *help;
	const char *run_key;  /* member of run.json, or NULL */
	const char *rank_key; /* member of each entry of ranks, or NULL */
	bool must;            /* false: a difference is only told */
};

extern const struct fact fact_table[FACT_COUNT];
int fact_find(const char *word); /* -1 */

struct run_facts {
	char value[FACT_COUNT][FACT_TEXT]; /* "" unknown; equal values of the ranks once */
	char boot[FACT_TEXT], started[40], versions[FACT_TEXT];
	bool known;    /* there was a run.json */
	bool complete; /* the run reached its end */
};

/* 0; -EBADMSG with line and reason in `why`. */
int facts_parse(const char *json, size_t len, struct run_facts *out, char *why,
		size_t why_max) ATTR_MUST;
