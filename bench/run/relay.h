/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How one crew follows the other: the next one's processes come up while the last one's workers
 * end. Knows nothing of points but whether any is left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct campaign;
struct crew;
struct crew_spec;
struct fault;

/* Not collective: the one that came up meanwhile, or an empty one with its spec. */
void relay_take(struct campaign *k, size_t config, int restart, struct crew *w,
		struct crew_spec *spec);
/* Collective from here on. Starts what was taken; then the crew before it is gone. */
int relay_start(struct campaign *k, size_t config, int restart, struct crew *w,
		struct crew_spec *spec, struct fault *worst) ATTR_MUST;
/* Takes the crew: it ends while the next one comes up, unless somebody watches or its teardown is
 * to be measured alone. `polite`: its
 * workers are well and are asked to end. */
int relay_stop(struct campaign *k, struct crew *w, size_t config, bool polite) ATTR_MUST;
/* The crew before this one has been ending meanwhile: waits for it. */
int relay_finish(struct campaign *k) ATTR_MUST;
/* Not collective. What nobody came for: the sweep ended, or went another way. */
void relay_drop(struct campaign *k);
