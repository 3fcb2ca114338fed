/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that the command line names and rank 0 reads for all: the others may not see them, or see
 * them at another moment. Collective; every rank ends with the same answer. Judges nothing but
 * whether they can be read.
 */
#pragma once

#include "base/attr.h"
#include "base/clock.h"

struct confirm;
struct coord;
struct options;

#define GIVEN_ROUND_NS (300 * CLOCK_S) /* of one agreement between supervisors */
#define GIVEN_STOP(code) ((code) + 1)  /* positive: end with this exit code */

/* Rank 0's code for everybody, so that all ranks return the same exit code and mpirun stays quiet.
 */
int given_code(struct coord *c, int code) ATTR_MUST;
/* --confirm VERDICT: into `out`, and its backend into the options. 0; GIVEN_STOP after a line;
 * negative errno. */
int given_verdict(struct coord *c, struct options *o, struct confirm *out) ATTR_MUST;
/* --tuned RUN: the arms of the options. 0; GIVEN_STOP after a line; negative errno. */
int given_tuned(struct coord *c, struct options *o) ATTR_MUST;
/* Says why the verdict cannot be used; GIVEN_STOP of a usage error. */
int given_refuse_verdict(const struct coord *c, const struct options *o, const char *why) ATTR_MUST;
