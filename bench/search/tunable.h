/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of what may be tuned: a variable, the values worth trying, where and since when it acts,
 * what it risks, how that is known. A row is tried, never believed: what helps is measured. Nothing
 * here switches multicast on, whatever the transport.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "spec/transport.h"

enum { TUNABLE_VALUES = 8 };

enum tunable_group { /* what is changed; also the order of trying */
		     TUNE_CHANNELS,
		     TUNE_SOCKETS,
		     TUNE_QUEUES,
		     TUNE_GDR,
		     TUNE_PROTOCOL,
		     TUNE_ALGORITHM,
		     TUNE_THREADS,
		     TUNE_BUFFER,
		     TUNE_CHUNK,
		     TUNE_EAGER,
		     TUNE_COPY_ENGINE,
		     TUNE_CPUS,
		     TUNE_GROUPS,
};

enum tunable_ops { TUNE_COLLECTIVE = 1, TUNE_SEND_RECV = 2, TUNE_ANY = 3 };

struct tunable {
	const char *name; /* variable */
	int backend;
	enum tunable_group group;
	unsigned long long transports;      /* bit per transport_id */
	unsigned ops;                       /* enum tunable_ops */
	const char *values[TUNABLE_VALUES]; /* ascending where they are numbers; ends with NULL */
	const char *otherwise; /* as good as not setting it: tried where the environment sets it */
	int since,
	    until; /* of the library, tunable_version(); 0: as far back (up to now) as known */
	int rank;  /* 1 first ... 3 last: small budgets end earlier */
	const char *acts, *risk, *source;
};

extern const struct tunable tunable_table[];
extern const size_t n_tunables;
extern const char *const tunable_group_names[TUNE_GROUPS];

/* Values that go together: found by others, by hand. Words "NAME=value ...". */
struct recipe {
	int backend;
	unsigned long long transports;
	const char *words, *source;
};
extern const struct recipe recipe_table[];
extern const size_t n_recipes;

/* What no setting may break: the product of two numbers, or the first not above the second. */
struct tunable_limit {
	const char *a, *b;
	long long product; /* 0: a <= b is asked instead */
	const char *source;
};
extern const struct tunable_limit limit_table[];
extern const size_t n_limits;

int tunable_find(const char *name); /* -1 */
/* "2.28.3" and "2.28.3+cuda13.0" -> 22803; 0 when it is no version. */
int tunable_version(const char *text);
/* Does the row act in that version (0: unknown, then all rows do)? */
bool tunable_in_version(const struct tunable *t, int version);
