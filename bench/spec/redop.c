/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of redop.h. What each must give is ncclbench/pattern.h's. */
#include "spec/redop.h"

#include "spec/lookup.h"

const struct redop redop_table[REDOP_COUNT] = {
	[REDOP_SUM] = { "sum", "sum over ranks" },
	[REDOP_PROD] = { "prod", "product over ranks" },
	[REDOP_MAX] = { "max", "largest over ranks" },
	[REDOP_MIN] = { "min", "smallest over ranks" },
	[REDOP_AVG] = { "avg", "sum over ranks, divided by their number (integers: truncated)" },
};

int redop_find(const char *name)
{
	return LOOKUP(redop_table, REDOP_COUNT, struct redop, name, name);
}
