/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: becomes ncclbench-run. Under a launcher by exec (same pid, so mpirun notices nothing); without one through
 * mpirun -np <GPUs if at least 2, else 2>.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "proc/child.h"
#include "tool/cmd.h"

#define PROBE_NS (60 * CLOCK_S)
#define EXTRA_WORDS 5

static bool under_launcher(void)
{
	static const char *const vars[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK", "SLURM_PROCID" };

	for (size_t i = 0; i < N_ELEMENTS(vars); i++)
		if (getenv(vars[i]))
			return true;
	return false;
}

static char *beside(const char *name)
{
	char *dir = file_self_dir(), *path = dir ? file_join(dir, name) : NULL;

	free(dir);
	return path;
}

/* The worker knows; without it, or without a driver, there is nothing to count. */
static int count_gpus(void)
{
	char *worker = beside("ncclbench-worker-nccl"), *text = calloc(1, 65536);
	char *words[] = { worker, (char *)"--probe", NULL };
	int gpus = 0;
	const char *line;

	if (worker && text && access(worker, X_OK) == 0 && child_run(worker, words, environ, PROBE_NS, text, 65536) == 0) {
		line = strstr(text, "devices=");
		gpus = line ? atoi(line + strlen("devices=")) : 0;
	}
	free(worker);
	free(text);
	return gpus;
}

static bool asks_for(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return true;
	return false;
}

static int cannot_run(const char *what)
{
	int e = errno;

	if (e == ENOENT && strcmp(what, "mpirun") == 0)
		log_error("mpirun is not installed; on Debian and Ubuntu: apt-get install openmpi-bin libopenmpi-dev, then build again");
	else
		log_error("cannot start %s: %s", what, strerror(e));
	return NB_EXIT_USAGE;
}

/* A container's root may run mpirun; more ranks than cores is normal on small machines. The user's own settings stay. */
static void ease_mpirun(void)
{
	if (geteuid() == 0) {
		setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
		setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	}
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
	setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
	if (access("/usr/bin/ssh", X_OK) != 0 && access("/bin/ssh", X_OK) != 0)
		setenv("OMPI_MCA_plm", "isolated", 0);
}

static int start_mpirun(char *run, int argc, char **argv)
{
	char **words = calloc((size_t)argc + EXTRA_WORDS, sizeof(*words)), count[16];
	int gpus = count_gpus(), n = 0;

	if (!words)
		return NB_EXIT_BROKEN;
	snprintf(count, sizeof(count), "%d", gpus >= 2 ? gpus : 2);
	words[n++] = (char *)"mpirun";
	words[n++] = (char *)"-np";
	words[n++] = count;
	words[n++] = run;
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	ease_mpirun();
	log_note("starting mpirun -np %s (%d GPU%s found)", count, gpus, gpus == 1 ? "" : "s");
	execvp("mpirun", words);
	free(words);
	return cannot_run("mpirun");
}

static int sweep(int argc, char **argv)
{
	char *run = beside("ncclbench-run");

	if (!run)
		return NB_EXIT_BROKEN;
	if (!under_launcher() && !asks_for(argc, argv, "--help") && !asks_for(argc, argv, "-?") &&
	    !asks_for(argc, argv, "--usage"))
		return start_mpirun(run, argc, argv);
	argv[0] = (char *)"ncclbench sweep";
	execv(run, argv);
	return cannot_run(run);
}

const struct cmd cmd_sweep = { "sweep", "measure every transport between the ranks of this job", sweep };
