/* SPDX-License-Identifier: Apache-2.0 */
/* See launcher.h. */
#include "base/launcher.h"

#include <stdlib.h>

#include "base/attr.h"
#include "base/num.h"

/* TABLE: where launchers leave rank and size; the first row with a rank counts. */
static const struct {
	const char *rank, *size; /* size NULL: not told */
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "PMIX_RANK", NULL },
	{ "PMI_RANK", "PMI_SIZE" },
	{ "SLURM_PROCID", "SLURM_NTASKS" },
};

static bool number(const char *name, int64_t least, int *out)
{
	const char *text = name ? getenv(name) : NULL;
	int64_t v;

	if (!text || num_parse_i64(text, least, INT32_MAX, &v) != 0)
		return false;
	*out = (int)v;
	return true;
}

/* Of the row itself, else of one below that gives this process the same rank: srun --mpi=pmix tells
 * the rank twice and the size in Slurm's words only. Another rank there is of the job around us. */
static void find_size(size_t row, struct launcher *out)
{
	int rank;

	for (size_t i = row; i < N_ELEMENTS(launchers); i++)
		if (number(launchers[i].rank, 0, &rank) && rank == out->rank &&
		    number(launchers[i].size, 1, &out->size))
			return;
}

bool launcher_find(struct launcher *out)
{
	out->rank = 0;
	out->size = 1;
	for (size_t i = 0; i < N_ELEMENTS(launchers); i++) {
		if (!number(launchers[i].rank, 0, &out->rank))
			continue;
		find_size(i, out);
		return true;
	}
	return false;
}
