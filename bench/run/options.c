/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command line becomes struct options: which command, argp over its rows, then what options mean
 * together. Neither the rows (option_rows.c) nor the values (option_values.c) nor the
 * contradictions (option_check.c) are here.
 */
#include "run/options.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "run/option_check.h"
#include "run/option_derive.h"
#include "run/option_rows.h"
#include "run/option_values.h"
#include "run/option_words.h"
#include "spec/profile.h"

#define USAGE (NB_EXIT_USAGE + 1)

const char *argp_program_version = "ncclbench " NCCLBENCH_VERSION;
const char *argp_program_bug_address = NULL;

/* ---- commands ---- */

static error_t parse(int key, char *arg, struct argp_state *state);

static void begin_health(struct options *o)
{
	o->health = true;
	o->timeout_ns = 8 * CLOCK_S;
}

static void begin_tune(struct options *o)
{
	o->tune = true;
	o->objective = "bandwidth";
	o->budget_ns = 120 * CLOCK_S;
}

enum { SWEEP, HEALTH, TUNE };

static const struct command {
	const char *name, *called; /* called: in a sentence */
	const char *start;         /* as the front door is started */
	const char *word, *title;  /* the first word that means it, and what stands for it in
				      --help; NULL: none */
	void (*begin)(struct options *o);
	struct argp argp;
} commands[] = {
	[SWEEP] = {
		.name = "sweep",
		.called = "a sweep",
		.start = "--sweep",
		.argp = { option_rows_sweep, parse, NULL, option_doc_sweep },
	},
	[HEALTH] = {
		.name = "health",
		.called = "health",
		.start = "health",
		.word = "--health",
		.title = "ncclbench health",
		.begin = begin_health,
		.argp = { option_rows_health, parse, NULL, option_doc_health },
	},
	[TUNE] = {
		.name = "tune",
		.called = "tune",
		.start = "tune",
		.word = "--search",
		.title = "ncclbench tune",
		.begin = begin_tune,
		.argp = { option_rows_tune, parse, NULL, option_doc_tune },
	},
};

static const struct command *command_of(const struct options *o)
{
	return &commands[o->health ? HEALTH : o->tune ? TUNE : SWEEP];
}

const char *options_command(const struct options *o)
{
	return command_of(o)->name;
}

const char *options_start(const struct options *o)
{
	return command_of(o)->start;
}

/* ---- words ---- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct command *c = command_of(state->input);
	int r;

	if (key == ARGP_KEY_INIT) {
		state->err_stream =
		    NULL; /* getopt has said what is wrong; "Try ..." would be a second line */
		return 0;
	}
	if (key == ARGP_KEY_ARG) {
		log_error("unexpected word '%.*s'; %s takes options only (ncclbench %s --help)",
			  QUOTED_MAX, arg, c->called, c->name);
		return EINVAL;
	}
	r = option_take(state->input, key, arg);
	return r == OPTION_UNKNOWN ? ARGP_ERR_UNKNOWN : -r;
}

/* The names of a command's rows, and of what argp adds. */
struct names {
	const char *list[OPTION_ROWS_MAX + 3];
	size_t n;
};

static void gather_names(const struct argp_option *row, struct names *out)
{
	static const char *const of_argp[] = { "help", "usage", "version" };

	out->n = 0;
	for (; row->name || row->doc; row++)
		if (row->name)
			out->list[out->n++] = row->name;
	for (size_t i = 0; i < N_ELEMENTS(of_argp); i++)
		out->list[out->n++] = of_argp[i];
}

static bool begins_a_name(const struct names *names, const char *word)
{
	for (size_t i = 0; i < names->n; i++)
		if (strncmp(names->list[i], word, strlen(word)) == 0)
			return true;
	return false;
}

static int unknown_option(const struct names *names, const char *word, const char *command)
{
	const char *near = num_nearest(word, names->list, names->n);

	if (near)
		log_error("unknown option '--%s'; did you mean --%s? (ncclbench %s --help lists "
			  "all)",
			  word, near, command);
	else
		log_error("unknown option '--%s'; ncclbench %s --help lists all", word, command);
	return -EINVAL;
}

/* argp's own text for an unknown option names no neighbour. */
static int check_option_names(const struct command *c, int argc, char **argv)
{
	struct names names;

	gather_names(c->argp.options, &names);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i] + 2;
		char name[64];

		if (argv[i][0] == '-' && argv[i][1] && !isgraph((unsigned char)argv[i][1])) {
			log_error("unknown option '%.*s'; ncclbench %s --help lists all",
				  QUOTED_MAX, argv[i], c->name);
			return -EINVAL;
		}
		if (strncmp(argv[i], "--", 2) != 0)
			continue;
		i += strcmp(argv[i], "--ab") == 0; /* what follows may begin with --nccl-lib */
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
		if (!begins_a_name(&names, name))
			return unknown_option(&names, name, c->name);
	}
	return 0;
}

static char *join_words(int argc, char **argv)
{
	struct buf b = { 0 };

	for (int i = 1; i < argc; i++)
		buf_printf(&b, "%s%s", i > 1 ? " " : "", argv[i]);
	return buf_take(&b);
}

/* All ranks get the same words; only one may print help or complain. argp prints to 1 and 2 by
 * itself. */
static void mute(int keep[2])
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		keep[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 10);
		if (null >= 0)
			dup2(null, i + 1);
	}
	if (null >= 0)
		close(null);
}

static void unmute(const int keep[2])
{
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		if (keep[i] < 0)
			continue;
		dup2(keep[i], i + 1);
		close(keep[i]);
	}
}

/* ---- the whole line ---- */

static int parse_words(struct options *o, int argc, char **argv)
{
	const struct command *c = command_of(o);
	unsigned long long wanted, required;
	const char *wrong;

	if (check_option_names(c, argc, argv) < 0)
		return USAGE;
	argp_err_exit_status = NB_EXIT_USAGE;
	if (argp_parse(&c->argp, argc, argv, 0, NULL, o) != 0)
		return USAGE;
	if (option_arms(o) < 0)
		return USAGE;
	wrong = option_contradiction(o);
	if (wrong) {
		log_error("%s", wrong);
		return USAGE;
	}
	option_complete(o);
	return options_transports(o, o->backend, &wanted, &required) < 0 ? USAGE : 0;
}

int options_parse(struct options *o, int argc, char **argv, bool speaks)
{
	int keep[2] = { -1, -1 }, r;

	*o = (struct options){
		.backend = -1,
		.bind = -1,
		.ceilings = -1,
		.order = -1,
		.timeout_ns = 30 * CLOCK_S,
		.charts = true,
		.plan = { .a = 0, .b = 1 },
	};
	o->plan.profile = profile_find("quick");
	o->command = join_words(argc, argv);
	for (size_t i = 0; i < N_ELEMENTS(commands); i++) {
		const struct command *c = &commands[i];

		if (!c->word || argc < 2 || strcmp(argv[1], c->word) != 0)
			continue;
		c->begin(o);
		argv[1] = (char *)c->title;
		argc--;
		argv++;
	}
	if (!o->command)
		return NB_EXIT_BROKEN + 1;
	if (!speaks)
		mute(keep);
	r = parse_words(o, argc, argv);
	if (!speaks)
		unmute(keep);
	return r;
}

void options_fini(struct options *o)
{
	free(o->sizes);
	free((char *)o->nccl_lib);
	arms_free(o->arms, o->n_arms);
	free(o->command);
	memset(o, 0, sizeof(*o));
}
