/* SPDX-License-Identifier: Apache-2.0 */
/* health: becomes ncclbench-run --health. What it does is there (bench/run/health.h). */
#include "base/clock.h"
#include "tool/cmd.h"

static int health(int argc, char **argv)
{
	static const struct cmd_run as = { .title = "ncclbench health",
					   .mode = "--health",
					   .probe_ns = 3 * CLOCK_S };

	return cmd_become_run(&as, argc, argv);
}

const struct cmd cmd_health = {
	"health", "do the ranks of this job connect and exchange right data? in seconds", health,
	true
};
