/* SPDX-License-Identifier: Apache-2.0 */
/* After the last point, on rank 0: run.json, report.md, charts, the table, the exit code. */
#pragma once

#include <stdbool.h>

#include "base/attr.h"

struct campaign;
struct launch;
struct options;

struct finish {
	const struct options *options;
	const struct launch *launch;
	unsigned long long required;  /* bit per transport_id */
	const char *when;             /* UTC start */
	double seconds;               /* measuring took */
	char *const *inherited;       /* environment */
	int n_hosts;
	const char *place;            /* line about CPUs, "" none */
};

/* Writes run.json as it is known so far (at the start, so that a killed run can be read, and at the
 * end). */
int finish_meta(struct campaign *k, const struct finish *f, bool complete, int exit_code) ATTR_MUST;
/* Returns the exit code. */
int finish_run(struct campaign *k, const struct finish *f);
