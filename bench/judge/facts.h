/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of what must be equal before two series may be compared, read from run.json. A fact that
 * one side does not tell is not compared; the caller says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	FACT_SAMPLING,
	FACT_PAIRS,
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
	/* The word that lets this one differ, too; NULL: its own name alone. */
	const char *part_of;
	bool recent; /* older releases do not tell it: that it is absent says nothing */
};

extern const struct fact fact_table[FACT_COUNT];
int fact_find(const char *word); /* -1 */
/* The bits of the fact and of all that are a part of it. */
unsigned fact_bits(int fact);
/* Value of FACT_SAMPLING: "8-100 batches of 2000 us, 100000 us a point". */
void fact_sampling(const int64_t number[4], char *out, size_t max);
/* Members of `sampling` in run.json whose numbers it takes. */
extern const char *const fact_sampling_keys[4];

struct run_facts {
	char value[FACT_COUNT][FACT_TEXT]; /* "" unknown; equal values of the ranks once */
	char boot[FACT_TEXT], started[40], seed[24], versions[FACT_TEXT];
	bool known;     /* there was a run.json */
	bool complete;  /* the run reached its end */
	bool confirms;  /* it measured the suspects of a verdict: after that */
	size_t planned; /* rows it was to have; 0 unknown */
};

/* 0; -EBADMSG with line and reason in `why`. */
int facts_parse(const char *json, size_t len, struct run_facts *out, char *why,
		size_t why_max) ATTR_MUST;
