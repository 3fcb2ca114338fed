/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of timings and of registration variants (docs/measuring.md says what each includes). */
#pragma once

#include <stdbool.h>

enum timing_id {
	TIMING_GRAPH,
	TIMING_STREAM,
	TIMING_BLOCKING,
	TIMING_HOST,
	TIMING_NCCL_TESTS, /* mean over ranks, where every other one takes the slowest */
	TIMING_COUNT
};
enum variant_id {
	VARIANT_PLAIN,
	VARIANT_USER,
	VARIANT_GRAPH,
	VARIANT_SYMMETRIC,
	VARIANT_MEMALLOC,
	VARIANT_COUNT
};

struct timing {
	const char *name;
	const char *help;
	bool together; /* of a variant: all ranks make it in one collective call, so one that fails
			  leaves the others in it */
};

extern const struct timing timing_table[TIMING_COUNT];
extern const struct timing variant_table[VARIANT_COUNT]; /* "plain" "user" "graph" ... */
int timing_find(const char *name);
int variant_find(const char *name);

/* Fixed table by size: operations per graph (timing graph) or per inner loop (others). They change
 * small figures (20-op graphs gave 5.75-5.91 us, 70-100-op graphs 5.45 us), so they are a column.
 */
int timing_ops_per_loop(int timing, unsigned long long bytes);
