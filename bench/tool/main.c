/* SPDX-License-Identifier: Apache-2.0 */
/* ncclbench, the front door: a TABLE of commands. Knows neither MPI nor CUDA. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/log.h"
#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "tool/cmd.h"

static const struct cmd *const commands[] = { &cmd_sweep, &cmd_list };

static int help(void)
{
	printf("ncclbench " NCCLBENCH_VERSION ": which transports can NCCL use between my GPUs, which did it really use, how fast is each?\n\n"
	       "  mpirun -np 2 ncclbench --sweep      measure (without mpirun it is started for you)\n\n"
	       "Commands:\n");
	for (size_t i = 0; i < N_ELEMENTS(commands); i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->help);
	printf("\n`ncclbench COMMAND --help` says more. Exit status: 0 good, 1 a required transport is missing, 2 usage,\n"
	       "5 something hung, crashed, failed or gave wrong data, 130 interrupted.\n");
	return fflush(stdout) == 0 ? NB_EXIT_OK : NB_EXIT_BROKEN;
}

static int unknown(const char *word)
{
	const char *names[N_ELEMENTS(commands) + 1], *near;
	size_t n = 0;

	for (size_t i = 0; i < N_ELEMENTS(commands); i++)
		names[n++] = commands[i]->name;
	near = num_nearest(word[0] == '-' ? word + strspn(word, "-") : word, names, n);
	log_error("unknown command '%s'%s%s; ncclbench --help lists all", word, near ? "; did you mean " : "", near ? near : "");
	return NB_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	log_setup("ncclbench", 0, true);
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return argc < 2 ? help(), NB_EXIT_USAGE : help();
	if (strcmp(argv[1], "--version") == 0) {
		printf("ncclbench " NCCLBENCH_VERSION "\n");
		return NB_EXIT_OK;
	}
	for (size_t i = 0; i < N_ELEMENTS(commands); i++)
		if (strcmp(argv[1], commands[i]->name) == 0 ||
		    (strncmp(argv[1], "--", 2) == 0 && strcmp(argv[1] + 2, commands[i]->name) == 0))
			return commands[i]->run(argc - 1, argv + 1);
	return unknown(argv[1]);
}
