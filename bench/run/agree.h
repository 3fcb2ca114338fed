/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the supervisors must have in common before they measure together. Collective; every rank
 * ends with the same answer: 0; GIVEN_STOP after a line; negative errno.
 */
#pragma once

#include "base/attr.h"

struct run;

/* There are at least two, and the launcher started no more than MPI sees. */
int agree_on_ranks(const struct run *r, int launcher_size) ATTR_MUST;
/* Ranks started with different words would gather different things, or not at all, and wait for
 * each other. */
int agree_on_words(struct run *r) ATTR_MUST;
/* One rank's veto is everybody's: launchers do not carry variables to other hosts. */
int agree_on_veto(struct run *r) ATTR_MUST;
int agree_on_seed(struct run *r) ATTR_MUST;
/* Ranks with different plans would wait for each other for ever. `code` is what plan_make said on
 * this rank. */
int agree_on_plan(struct run *r, int code) ATTR_MUST;
