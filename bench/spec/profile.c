/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of profile.h. Options override single values; they never make a new profile. */
#include "spec/profile.h"

#include "base/attr.h"
#include "base/clock.h"
#include "spec/lookup.h"

#define MIB (1ULL << 20)

const struct profile profile_table[] = {
	{
	    .name = "quick",
	    .help = "seconds: which transports work, and about how fast",
	    .restarts = 1,
	    .single_limit_ns = 50 * CLOCK_MS,
	    .batch_min_ns = 300 * CLOCK_US,
	    .point_budget_ns = 8 * CLOCK_MS,
	    .min_batches = 3,
	    .max_batches = 40,
	    .ucx_max_bytes = 64 * MIB,
	},
	{
	    .name = "standard",
	    .help = "minutes: figures to quote, with intervals over 3 restarts",
	    .restarts = 3,
	    .single_limit_ns = 500 * CLOCK_MS,
	    .batch_min_ns = 1 * CLOCK_MS,
	    .point_budget_ns = 100 * CLOCK_MS,
	    .min_batches = 8,
	    .max_batches = 100,
	    .ucx_max_bytes = 256 * MIB,
	},
	{
	    .name = "gate",
	    .help = "for `gate`: 10 restarts, so that a few percent can be told from noise",
	    .restarts = 10,
	    .single_limit_ns = 1 * CLOCK_S,
	    .batch_min_ns = 2 * CLOCK_MS,
	    .point_budget_ns = 100 * CLOCK_MS,
	    .min_batches = 8,
	    .max_batches = 100,
	    .ucx_max_bytes = 256 * MIB,
	},
};

const int profile_count = (int)N_ELEMENTS(profile_table);

/* Restart noise is about 1 % for large messages and several percent for small ones: no tighter. */
static const struct {
	uint64_t up_to_bytes;
	double half_width;
} precisions[] = {
	{ 64 << 10, 0.05 },
	{ (32 << 20) - 1, 0.02 },
	{ UINT64_MAX, 0.01 },
};

int profile_find(const char *name)
{
	return LOOKUP(profile_table, N_ELEMENTS(profile_table), struct profile, name, name);
}

double profile_precision(uint64_t bytes)
{
	size_t i = 0;

	while (bytes > precisions[i].up_to_bytes)
		i++;
	return precisions[i].half_width;
}
