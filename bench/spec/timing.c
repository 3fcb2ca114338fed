/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of timing.h, and operations per loop. Replays that fill the time are not known here. */
#include "spec/timing.h"

#include "base/attr.h"
#include "spec/lookup.h"

const struct timing timing_table[TIMING_COUNT] = {
	[TIMING_GRAPH] = { "graph", "captured once, replayed: device time without launch jitter" },
	[TIMING_STREAM] = { "stream",
			    "launched from the host one by one: what an eager framework sees" },
	[TIMING_BLOCKING] = { "blocking", "one operation, then wait for it on the host" },
	[TIMING_HOST] = { "host", "host clock around operations on host memory (UCX)" },
	[TIMING_NCCL_TESTS] = { "nccl-tests",
				"as nccl-tests: host clock around 20 launches and their "
				"end, mean over ranks" },
};

const struct timing variant_table[VARIANT_COUNT] = {
	[VARIANT_PLAIN] = { "plain", "ordinary device memory, nothing registered" },
	[VARIANT_USER] = { "user", "buffers registered by ncclCommRegister" },
	[VARIANT_GRAPH] = { "graph", "buffers registered by the library when a graph is captured" },
	[VARIANT_SYMMETRIC] = { "symmetric",
				"buffers in symmetric windows (ncclCommWindowRegister)", true },
	[VARIANT_MEMALLOC] = { "memalloc",
			       "memory of ncclMemAlloc, not registered: nccl-tests' own" },
};

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)

/* Rows of one timing ascend in size; the last one has no end. 20 is nccl-tests' default, too. */
static const struct loop {
	int timing;
	unsigned long long up_to_bytes;
	int ops;
} loops[] = {
	{ TIMING_GRAPH, 1 * MIB, 20 },    { TIMING_GRAPH, 4 * MIB, 10 },
	{ TIMING_GRAPH, 16 * MIB, 4 },    { TIMING_GRAPH, 64 * MIB, 2 },
	{ TIMING_GRAPH, ~0ULL, 1 },       { TIMING_STREAM, 1 * MIB, 20 },
	{ TIMING_STREAM, 4 * MIB, 8 },    { TIMING_STREAM, 16 * MIB, 2 },
	{ TIMING_STREAM, ~0ULL, 1 },      { TIMING_BLOCKING, ~0ULL, 1 },
	{ TIMING_HOST, 1 * MIB, 20 },     { TIMING_HOST, 4 * MIB, 8 },
	{ TIMING_HOST, 16 * MIB, 2 },     { TIMING_HOST, ~0ULL, 1 },
	{ TIMING_NCCL_TESTS, ~0ULL, 20 },
};

int timing_find(const char *name)
{
	return LOOKUP(timing_table, TIMING_COUNT, struct timing, name, name);
}

int variant_find(const char *name)
{
	return LOOKUP(variant_table, VARIANT_COUNT, struct timing, name, name);
}

int timing_ops_per_loop(int timing, unsigned long long bytes)
{
	for (size_t i = 0; i < N_ELEMENTS(loops); i++)
		if (loops[i].timing == timing && bytes <= loops[i].up_to_bytes)
			return loops[i].ops;
	return 1;
}
