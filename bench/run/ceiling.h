/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the ceilings of spec/ceiling.h, once per run, and adds them to the run's peaks. TCP
 * before the sweep (rows of socket are held against it), by the supervisors; copies after it, by
 * fresh workers that join no communicator. Collective. What cannot be measured is missing and has
 * one line of why; it never changes an exit code.
 */
#pragma once

#include "base/attr.h"

struct campaign;
struct crew;
struct launch;

/* NCCL, before the sweep: on the interface that NCCL would take. */
int ceiling_tcp(struct campaign *k, const struct launch *l) ATTR_MUST;
/* UCX, as campaign.joined with the launch as its argument: on the interface that the workers of tcp
 * say they use. */
int ceiling_tcp_joined(const void *launch, struct campaign *k, const struct crew *w) ATTR_MUST;
int ceiling_copies(struct campaign *k, const struct launch *l) ATTR_MUST;
