/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is to try here: rows that act on this transport, library version and these operations
 * and that its own row does not need, with the values the environment does not have already.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "search/setting.h"

struct space_request {
	int transport;
	int version;  /* tunable_version(); 0 unknown */
	unsigned ops; /* enum tunable_ops of all operations together */
	/* Value of a variable in the user's environment, NULL when absent. */
	const char *(*inherited)(void *arg, const char *name);
	void *arg;
	const char *only; /* "A,B": these variables only; NULL */
};

struct axis {
	size_t tunable;
	size_t value[9]; /* indexes into its values; SETTING_OTHERWISE last */
	size_t n;
};

struct space {
	struct axis *axes;
	size_t n_axes;
	struct setting
	    *first; /* to try one by one: recipes, then single values, most promising first */
	size_t n_first;
};

int space_build(const struct space_request *r, struct space *out) ATTR_MUST; /* -ENOMEM */
void space_fini(struct space *s);
/* Settings one step away: each of its values moved up or down its axis. Returns how many. */
size_t space_neighbours(const struct space *s, const struct setting *of, struct setting *out,
			size_t max);
