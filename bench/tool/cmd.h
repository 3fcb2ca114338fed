/* SPDX-License-Identifier: Apache-2.0 */
/* A command of the front door. */
#pragma once

struct cmd {
	const char *name, *help;
	/* argv[0] is the command's name; returns the exit code. */
	int (*run)(int argc, char **argv);
};

extern const struct cmd cmd_sweep, cmd_list;
