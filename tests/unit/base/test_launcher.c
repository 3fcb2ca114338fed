/* SPDX-License-Identifier: Apache-2.0 */
/* Rank and size as launchers tell them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/attr.h"
#include "base/launcher.h"

static const char *const names[] = {
	"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
	"SLURM_PROCID",         "SLURM_NTASKS"
};

static void set(const char *const *pairs)
{
	for (size_t i = 0; i < N_ELEMENTS(names); i++)
		unsetenv(names[i]);
	for (; *pairs; pairs += 2)
		setenv(pairs[0], pairs[1], 1);
}

static void places(void **state)
{
	static const struct {
		const char *pairs[9];
		bool found;
		int rank, size;
	} cases[] = {
		{ { NULL }, false, 0, 1 },
		{ { "OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "4" }, true, 3, 4 },
		{ { "PMIX_RANK", "7" }, true, 7, 1 },
		{ { "PMI_RANK", "1", "PMI_SIZE", "2" }, true, 1, 2 },
		{ { "SLURM_PROCID", "0", "SLURM_NTASKS", "512" }, true, 0, 512 },
		/* srun --mpi=pmix */
		{ { "PMIX_RANK", "3", "SLURM_PROCID", "3", "SLURM_NTASKS", "8" }, true, 3, 8 },
		{ { "PMIX_RANK", "3", "PMI_RANK", "3", "SLURM_PROCID", "3", "SLURM_NTASKS", "8" },
		  true,
		  3,
		  8 },
		/* Another launcher within a job of Slurm, which numbers its one process 0. */
		{ { "PMIX_RANK", "1", "SLURM_PROCID", "0", "SLURM_NTASKS", "8" }, true, 1, 1 },
		{ { "PMIX_RANK", "1", "SLURM_NTASKS", "8" }, true, 1, 1 },
		/* mpirun within a job of Slurm: the one that is nearer counts. */
		{ { "SLURM_PROCID", "0", "OMPI_COMM_WORLD_RANK", "1" }, true, 1, 1 },
		/* What is no rank is none; a size that is no size is not told. */
		{ { "PMI_RANK", "" }, false, 0, 1 },
		{ { "PMI_RANK", "two", "PMI_SIZE", "2" }, false, 0, 1 },
		{ { "PMI_RANK", "-1" }, false, 0, 1 },
		{ { "PMI_RANK", "1 " }, false, 0, 1 },
		{ { "PMI_RANK", "x", "SLURM_PROCID", "5" }, true, 5, 1 },
		{ { "PMI_RANK", "1", "PMI_SIZE", "0" }, true, 1, 1 },
		{ { "PMI_SIZE", "4" }, false, 0, 1 },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct launcher l = { -9, -9 };

		set(cases[i].pairs);
		assert_int_equal(launcher_find(&l), cases[i].found);
		assert_int_equal(l.rank, cases[i].rank);
		assert_int_equal(l.size, cases[i].size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
