/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune: becomes ncclbench-run --search. What it does is there (bench/run/tune.h). Not --tune:
 * mpirun of Open MPI 4 reads that word of a program it starts as its own.
 */
#include "tool/cmd.h"

static int tune(int argc, char **argv)
{
	static const struct cmd_run as = { .title = "ncclbench tune", .mode = "--search" };

	return cmd_become_run(&as, argc, argv);
}

const struct cmd cmd_tune = { "tune",
			      "find the settings that make this machine faster, and prove the gain",
			      tune, true };
