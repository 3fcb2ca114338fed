/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of options that contradict each other, and of options that do not fit the ranks and the
 * backend that were found. A row is two sets of facts and a sentence. Whether one value is right by
 * itself is not asked here (option_values.c).
 */
#pragma once

#include "base/attr.h"

struct options;

/* The first sentence that holds, or NULL: of the words alone, before any of their defaults. */
const char *option_contradiction(const struct options *o) ATTR_MUST;
/* The same once it is known where the run takes place. */
const char *option_misfit(const struct options *o, int backend, int nranks, int n_hosts) ATTR_MUST;
