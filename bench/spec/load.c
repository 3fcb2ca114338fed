/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of load.h. What they do to a GPU is in kernels/load.cu. */
#include "spec/load.h"

#include "spec/lookup.h"

const struct load load_table[LOAD_COUNT] = {
	[LOAD_NONE] = { "", "nothing: the GPU does the operation alone" },
	[LOAD_MEM] = { "mem", "reads and writes GPU memory as fast as it can" },
	[LOAD_FMA] = { "fma", "multiplies and adds in registers on all SMs" },
};

int load_find(const char *name)
{
	return LOOKUP(load_table, LOAD_COUNT, struct load, name, name);
}
