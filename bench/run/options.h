/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a sweep, parsed before MPI_Init. One row per option (options.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "run/arm.h"
#include "run/place.h"
#include "spec/plan.h"

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

#define OPTIONS_MAP_MAX 1024

struct options {
	struct plan_request plan; /* backend, nranks, have_ib, seed are completed later */
	uint64_t *sizes;          /* owner of plan.sizes */
	int backend;              /* backend_id, or -1 = auto */
	const char *transports;   /* words; looked up when the backend is known */
	const char *require;      /* words; NULL */
	const char *nccl_lib, *out;
	const char *ab[ARMS_MAX + 1]; /* texts of --ab, n_ab of them */
	size_t n_ab;
	struct arm *arms; /* from ab; NULL without */
	size_t n_arms;
	int map[OPTIONS_MAP_MAX], n_map; /* device of each rank of a host */
	int order;                       /* devices by where they are (run/order.h), or -1 */
	int fake_hosts;                  /* 0: none */
	int bind;                        /* place_policy, or -1 = by backend */
	int64_t timeout_ns;
	int color;
	int ceilings; /* 0, 1, or -1 = with NCCL */
	bool match;   /* --match nccl-tests: timing, memory and communicator as there */
	bool json, charts, dry_run, share_gpu, seed_given, restarts_given;
	bool health; /* `ncclbench health`: its own options, and timeout_ns is that of everything
			together */
	const char *confirm; /* verdict of a gate whose suspects are measured again, or NULL */
	bool points_given;   /* some option chose what to measure */
	const char *algos, *protos; /* words; NULL. With either the arms are their combinations */
	bool matrix;
	int channels[ARMS_MAX], n_channels; /* the arms are NCCL's own number and each of these */
	bool overlap;
	const char *tuned; /* sweep: run of a tune whose settings make a second arm; NULL */
	bool tune;         /* `ncclbench tune`: its own options */
	int64_t budget_ns; /* tune: seconds of measuring, all transports together */
	const char *objective, *emit; /* tune; emit NULL */
	const char *resume;           /* tune: run directory to go on in; NULL */
	const char *only;             /* tune: these variables only; NULL */
	const char *keep;             /* health: folder for the workers' logs, or NULL */
	int64_t deadline_ns; /* health: no worker is waited for beyond it (set by the caller); 0 */
	char *command;       /* the words as given, for run.json */
};

/* A first word --health or --search makes it the command line of health or tune. 0 go on; else the
 * exit code + 1 is returned: help printed (1) or usage error (3). `speaks`: this rank may print. */
int options_parse(struct options *o, int argc, char **argv, bool speaks) ATTR_MUST;
void options_fini(struct options *o);
const char *options_command(const struct options *o); /* "sweep", "health", "tune" */
const char *options_start(const struct options *o);   /* after ncclbench: "--sweep", "health" ... */
/* Once the backend is known: bits of --transports and --require; -EINVAL with a printed line. */
int options_transports(const struct options *o, int backend, unsigned long long *wanted,
		       unsigned long long *required) ATTR_MUST;
