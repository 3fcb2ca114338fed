/* SPDX-License-Identifier: Apache-2.0 */
/* ncclbench, the front door: a TABLE of commands. Knows neither MPI nor CUDA. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/launcher.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "tool/cmd.h"

#define AHEAD_NS (500 * CLOCK_MS) /* rank 0 is the first to write what all were asked to write */
#define SPEAK_NS                                                                                   \
	(5 * CLOCK_S) /* for rank 0 to start and for its line to get to the terminal; its end ends \
			 the others */

static const struct cmd *const commands[] = { &cmd_sweep,    &cmd_health,  &cmd_tune,   &cmd_gate,
					      &cmd_baseline, &cmd_explain, &cmd_doctor, &cmd_import,
					      &cmd_estimate, &cmd_report,  &cmd_list };

static int help(void)
{
	printf("ncclbench " NCCLBENCH_VERSION ": which transports can NCCL use between my GPUs, "
	       "which did it really use, how fast is each?\n\n"
	       "  mpirun -np 2 ncclbench --sweep      measure (without mpirun it is started for "
	       "you)\n\n"
	       "Commands:\n");
	for (size_t i = 0; i < N_ELEMENTS(commands); i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->help);
	printf(
	    "\n`ncclbench COMMAND --help` says more. Exit status: 0 good, 1 a required "
	    "transport is missing, 2 usage,\n"
	    "5 something hung, crashed, failed or gave wrong data, 130 interrupted; `gate` has its "
	    "own.\n");
	return NB_EXIT_OK;
}

static int unknown(const char *word)
{
	const char *names[N_ELEMENTS(commands) + 1], *near;
	size_t n = 0;

	for (size_t i = 0; i < N_ELEMENTS(commands); i++)
		names[n++] = commands[i]->name;
	near = num_nearest(word[0] == '-' ? word + strspn(word, "-") : word, names, n);
	log_error("unknown command '%.*s'%s%s; ncclbench --help lists all", CMD_WORD_MAX, word,
		  near ? "; did you mean " : "", near ? near : "");
	return NB_EXIT_USAGE;
}

static const struct cmd *find(const char *word)
{
	const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : word;

	for (size_t i = 0; i < N_ELEMENTS(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* mpirun -np 8 ncclbench --help is answered once: all ranks got the same words. */
static int mute(void)
{
	return freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr) ? 0 : -1;
}

static int answer(const struct cmd *cmd, int argc, char **argv)
{
	if (cmd)
		return cmd->run(argc - 1, argv + 1);
	if (argc < 2)
		return help(), NB_EXIT_USAGE;
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return help();
	if (strcmp(argv[1], "--version") == 0) {
		printf("ncclbench " NCCLBENCH_VERSION "\n");
		return NB_EXIT_OK;
	}
	return unknown(argv[1]);
}

int main(int argc, char **argv)
{
	const struct cmd *cmd = argc < 2 ? NULL : find(argv[1]);
	struct launcher place;
	bool silent;
	int code;

	log_setup("ncclbench", 0, true);
	output_guard();
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error like a full disk */
	(void)launcher_find(&place);
	silent = place.rank != 0 && !(cmd && cmd->every_rank);
	if (silent) {
		if (mute() < 0)
			return NB_EXIT_BROKEN;
		clock_sleep_ns(AHEAD_NS);
	}
	code = answer(cmd, argc, argv);
	/* mpirun kills the others when the first one fails: let that be rank 0, which has something
	 * to say. */
	if (silent && code != NB_EXIT_OK)
		clock_sleep_ns(SPEAK_NS);
	return code;
}
