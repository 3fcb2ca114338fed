/* SPDX-License-Identifier: Apache-2.0 */
/* A command of the front door. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Words of the user in a message are cut there: what follows them must still be read. */
#define CMD_WORD_MAX 120

struct cmd {
	const char *name, *help;
	/* argv[0] is the command's name; returns the exit code. */
	int (*run)(int argc, char **argv);
	bool every_rank; /* under a launcher each rank runs it; the others are for one */
};

extern const struct cmd cmd_sweep, cmd_health, cmd_tune, cmd_list, cmd_explain, cmd_doctor,
    cmd_report;
extern const struct cmd cmd_gate, cmd_baseline, cmd_import, cmd_estimate;

struct cmd_run {
	const char *title; /* as its help names it */
	const char *mode;  /* first word for ncclbench-run, or NULL: a sweep */
	int64_t probe_ns;  /* longest wait for the count of GPUs; 0: a minute */
};

/* Becomes ncclbench-run, through mpirun where no launcher started us; returns only an exit code of
 * failure (cmd_sweep.c). */
int cmd_become_run(const struct cmd_run *c, int argc, char **argv);
