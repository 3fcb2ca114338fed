/* SPDX-License-Identifier: Apache-2.0 */
/* sweep --tuned RUN: what a tune recommends, per transport, as an arm beside the environment as it
 * is. Only words of the table of tunables are taken from the file. */
#pragma once

#include <stddef.h>

#include "base/attr.h"

struct arm;
struct plan;

/* `run`: the directory of a tune, or its tune.json. What tuned_arms reads of it (heap). 0; -ENOMEM;
 * -EINVAL with a line in `why`: no such file, no result of a tune. */
int tuned_read(const char *run, char **text, char *why, size_t why_max) ATTR_MUST;
/* Two arms. 0; -ENOMEM; -EINVAL with a line in `why`: words that are not known, nothing
 * recommended. */
int tuned_arms(const char *run, const char *text, struct arm **out, size_t *n, char *why,
	       size_t why_max) ATTR_MUST;
/* Marks points of the tuned arm on transports for which nothing is recommended. */
void tuned_plan(struct plan *p, const struct arm *arms);
