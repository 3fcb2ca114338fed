/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep, and what other commands share with it: to become ncclbench-run. Under a launcher by exec
 * (same pid, so mpirun notices nothing); without one through mpirun -np <GPUs if at least 2, else
 * 2>.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/launcher.h"
#include "base/log.h"
#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "proc/child.h"
#include "tool/cmd.h"

#define PROBE_NS (60 * CLOCK_S)
#define RANKS_STARTED_MAX 64
#define EXTRA_WORDS 6 /* mpirun -np N PROGRAM MODE, and the end */

static char *beside(const char *name)
{
	char *dir = file_self_dir(), *path = dir ? file_join(dir, name) : NULL;

	free(dir);
	return path;
}

/* The worker knows; without it, or without a driver, there is nothing to count. */
static int count_gpus(int64_t timeout_ns)
{
	char *worker = beside("ncclbench-worker-nccl"), *text = calloc(1, 65536);
	char *words[] = { worker, (char *)"--probe", NULL };
	int gpus = 0;
	const char *line;

	if (worker && text && access(worker, X_OK) == 0 &&
	    child_run(worker, words, environ, timeout_ns, text, 65536) == 0) {
		line = strstr(text, "devices=");
		gpus = line ? atoi(line + strlen("devices=")) : 0;
	}
	free(worker);
	free(text);
	return gpus;
}

/* Words that ncclbench-run answers without ranks. */
static bool asks_only(int argc, char **argv)
{
	static const char *const words[] = { "--help", "-?", "--usage", "--version", "-V" };

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < N_ELEMENTS(words); k++)
			if (strcmp(argv[i], words[k]) == 0)
				return true;
	return false;
}

static int cannot_run(const char *what)
{
	int e = errno;

	if (e == ENOENT && strcmp(what, "mpirun") != 0)
		log_error("%s is not there: ncclbench and its parts must lie in one folder; build "
			  "or install again",
			  what);
	else if (e == ENOENT)
		log_error("mpirun is not installed; on Debian and Ubuntu: apt-get install "
			  "openmpi-bin libopenmpi-dev, then build again");
	else
		log_error("cannot start %s: %s", what, strerror(e));
	return NB_EXIT_USAGE;
}

/* A container's root may run mpirun; more ranks than cores is normal on small machines. The user's
 * own settings stay. */
static void ease_mpirun(void)
{
	if (geteuid() == 0) {
		setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
		setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	}
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
	if (access("/usr/bin/ssh", X_OK) != 0 && access("/bin/ssh", X_OK) != 0)
		setenv("OMPI_MCA_plm", "isolated", 0);
}

static char **run_words(const struct cmd_run *c, char *run, int argc, char **argv,
			char *const *before)
{
	char **words = calloc((size_t)argc + EXTRA_WORDS, sizeof(*words));
	int n = 0;

	if (!words)
		return NULL;
	for (; before && *before; before++)
		words[n++] = *before;
	words[n++] = run;
	if (c->mode)
		words[n++] = (char *)c->mode;
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	return words;
}

/* The last of --ranks, where there are no GPUs to go by; more than that nobody starts by accident.
 */
static int last_of_ranks(int argc, char **argv)
{
	static const char option[] = "--ranks";
	int64_t n = 0;

	for (int i = 1; i < argc; i++) {
		size_t len = sizeof(option) - 1;
		const char *list = argv[i] + len, *last;

		if (strncmp(argv[i], option, len) != 0)
			continue;
		if (*list == '\0' && i + 1 < argc)
			list = argv[i + 1];
		else if (*list++ != '=')
			continue;
		last = strrchr(list, ',');
		if (num_parse_i64(last ? last + 1 : list, 2, RANKS_STARTED_MAX, &n) != 0)
			n = 0;
	}
	return (int)n;
}

static int start_mpirun(const struct cmd_run *c, char *run, int argc, char **argv)
{
	char count[16];
	char *const before[] = { (char *)"mpirun", (char *)"-np", count, NULL };
	int gpus = count_gpus(c->probe_ns ? c->probe_ns : PROBE_NS), code;
	int ranks = last_of_ranks(argc, argv);
	char **words = run_words(c, run, argc, argv, before);

	if (!words)
		return NB_EXIT_BROKEN;
	snprintf(count, sizeof(count), "%d", gpus >= 2 ? gpus : ranks > 2 ? ranks : 2);
	ease_mpirun();
	log_note("starting mpirun -np %s (%d GPU%s found)", count, gpus, gpus == 1 ? "" : "s");
	execvp("mpirun", words);
	code = cannot_run("mpirun");
	free(words);
	return code;
}

int cmd_become_run(const struct cmd_run *c, int argc, char **argv)
{
	char *run = beside("ncclbench-run"), **words = NULL;
	struct launcher place;
	int code = NB_EXIT_BROKEN;

	if (run && access(run, F_OK) != 0) {
		code = cannot_run(run);
	} else if (run && !launcher_find(&place) && !asks_only(argc, argv)) {
		code = start_mpirun(c, run, argc, argv);
	} else if (run) {
		words = run_words(c, (char *)c->title, argc, argv, NULL);
		if (words) {
			execv(run, words);
			code = cannot_run(run);
		}
	}
	free(words);
	free(run);
	return code;
}

static int sweep(int argc, char **argv)
{
	static const struct cmd_run as = { .title = "ncclbench sweep" };

	return cmd_become_run(&as, argc, argv);
}

const struct cmd cmd_sweep = { "sweep", "measure every transport between the ranks of this job",
			       sweep, true };
