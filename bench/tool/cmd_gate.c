/* SPDX-License-Identifier: Apache-2.0 */
/* gate BASELINE... NEW: options, files, outputs. The judgement is made in judge/, written in
 * report/. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "judge/facts.h"
#include "judge/identity.h"
#include "judge/judge.h"
#include "judge/verdict.h"
#include "ncclbench/exitcode.h"
#include "proc/hold.h"
#include "report/gate.h"
#include "tool/cmd.h"
#include "tool/gate_plan.h"
#include "tool/shelf.h"
#include "tool/words.h"

#define WRITERS_MAX 8

struct output {
	bool on;
	const char *file; /* NULL: standard output */
};

struct request {
	struct judge_options judge;
	struct output output[WRITERS_MAX]; /* as gate_writers */
	const char *out, *confirm, *expected, *charts, *color;
	bool all;
	const char **paths;
	size_t n_paths;
	char today[16];
};

/* ---- options: a TABLE of words and what takes them ---- */

static int set_across(struct request *r, const char *value)
{
	char words[256], *save = NULL;

	snprintf(words, sizeof(words), "%s", value);
	for (char *w = strtok_r(words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		int fact = fact_find(w);

		if (fact < 0)
			return words_refuse("gate", "--across", w,
					    "is none of `ncclbench list facts`");
		r->judge.across |= fact_bits(fact);
	}
	return 0;
}

static int set_choice(const char *option, const char *value, const char *no, const char *yes,
		      bool *out)
{
	if (strcmp(value, yes) != 0 && strcmp(value, no) != 0)
		return words_refuse("gate", option, value, "is not one of the two words in --help");
	*out = strcmp(value, yes) == 0;
	return 0;
}

static int set_missing(struct request *r, const char *value)
{
	return set_choice("--missing", value, "fail", "warn", &r->judge.missing_warns);
}

static int set_inconclusive(struct request *r, const char *value)
{
	return set_choice("--inconclusive", value, "fail", "pass", &r->judge.inconclusive_passes);
}

static int set_count(const char *option, const char *value, int *out)
{
	int64_t n;

	if (num_parse_i64(value, 1, 1000, &n))
		return words_refuse("gate", option, value, "must be a whole number from 1 to 1000");
	*out = (int)n;
	return 0;
}

static int set_restarts(struct request *r, const char *value)
{
	return set_count("--min-restarts", value, &r->judge.min_restarts);
}

static int set_series(struct request *r, const char *value)
{
	return set_count("--min-series", value, &r->judge.min_series);
}

static int set_limit(const char *option, const char *value, double *out)
{
	double percent;

	if (num_parse_double(value, &percent) || !(percent > 0) || percent > 1000)
		return words_refuse("gate", option, value, "must be a percentage above 0, as 2.5");
	*out = percent / 100;
	return 0;
}

static int set_group_limit(struct request *r, const char *value)
{
	return set_limit("--group-limit", value, &r->judge.group_floor);
}

static int set_point_limit(struct request *r, const char *value)
{
	return set_limit("--point-limit", value, &r->judge.point_floor);
}

static int set_color(struct request *r, const char *value)
{
	if (strcmp(value, "auto") != 0 && strcmp(value, "always") != 0 &&
	    strcmp(value, "never") != 0)
		return words_refuse("gate", "--color", value, "is not auto, always or never");
	r->color = value;
	return 0;
}

static int set_weak(struct request *r, const char *value)
{
	(void)value;
	r->judge.allow_weak = true;
	return 0;
}

static int set_all(struct request *r, const char *value)
{
	(void)value;
	r->all = true;
	return 0;
}

static int set_path(const char *option, const char *value)
{
	return value[0] ? 0 : words_refuse("gate", option, value, "has an empty name");
}

#define PATH_OPTION(name)                                           \
	static int set_##name(struct request *r, const char *value) \
	{                                                           \
		r->name = value;                                    \
		return set_path("--" #name, value);                 \
	}
PATH_OPTION(out)
PATH_OPTION(confirm)
PATH_OPTION(expected)
PATH_OPTION(charts)

static const struct option_row {
	const char *name, *value, *help;
	int (*set)(struct request *r, const char *value);
} options[] = {
	{ "--out", "FILE", "write the one form that was chosen there instead of printing it",
	  set_out },
	{ "--all", NULL, "print what passed too", set_all },
	{ "--across", "NAME,...", "facts that may differ, as nccl,driver (list facts)",
	  set_across },
	{ "--confirm", "RUN",
	  "a second measurement, made after NEW: only what is slower there too stays REGRESSED",
	  set_confirm },
	{ "--allow-weak", NULL, "decide with fewer restarts than needed", set_weak },
	{ "--min-restarts", "N", "restarts that are needed on each side (7)", set_restarts },
	{ "--min-series", "N", "baseline series that are needed (1)", set_series },
	{ "--group-limit", "PCT", "smallest change of a group that counts (2; weaker rule 5)",
	  set_group_limit },
	{ "--point-limit", "PCT", "smallest change of a point that counts (5; weaker rule 8)",
	  set_point_limit },
	{ "--missing", "fail|warn", "what a point that is gone does (fail)", set_missing },
	{ "--inconclusive", "fail|pass", "what a group that cannot be told does (fail)",
	  set_inconclusive },
	{ "--expected", "FILE", "expected failures; default: expected.csv in a baseline folder",
	  set_expected },
	{ "--charts", "DIR", "draw a picture per transport and operation there", set_charts },
	{ "--color", "WHEN", "auto, always or never", set_color },
};

static void print_help(void)
{
	printf("usage: ncclbench gate [BASELINE...] NEW [options]\n"
	       "       ncclbench gate plan BASELINE... [--want PCT] [--json]\n\n"
	       "Is the run NEW slower than the baseline? BASELINE is a run directory, a "
	       "points.csv, or a folder of runs;\n"
	       "default: " SHELF_DEFAULT ".\n\n");
	for (size_t i = 0; i < gate_n_writers; i++)
		printf("  --%s[=FILE]%*s%s\n", gate_writers[i].name,
		       (int)(17 - strlen(gate_writers[i].name)), "", gate_writers[i].help);
	for (size_t i = 0; i < N_ELEMENTS(options); i++)
		printf("  %-15s %-10s %s\n", options[i].name,
		       options[i].value ? options[i].value : "", options[i].help);
	printf("\nExit status: 0 nothing is slower, 1 slower, 2 usage, unreadable file or no "
	       "memory, 3 cannot "
	       "say, 4 something is missing,\n"
	       "took another path or was measured under other conditions, 5 wrong data, crash, "
	       "hang or error.\n\n"
	       "Example: ncclbench gate results/baseline results/runs/new --json=gate.json "
	       "--junit=gate.xml\n");
}

/* 1: not an option of ours; else 0 or an exit code. */
static int take_writer(struct request *r, const char *word)
{
	for (size_t i = 0; i < gate_n_writers; i++) {
		size_t n = strlen(gate_writers[i].name);

		if (strncmp(word, gate_writers[i].name, n) != 0 ||
		    (word[n] != '\0' && word[n] != '='))
			continue;
		if (word[n] == '=' && word[n + 1] == '\0')
			return words_refuse("gate", "the option", word, "has an empty file name");
		r->output[i] = (struct output){ true, word[n] == '=' ? word + n + 1 : NULL };
		return 0;
	}
	return 1;
}

static int take_option(struct request *r, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	for (size_t k = 0; k < N_ELEMENTS(options); k++) {
		const struct option_row *o = &options[k];

		if (strlen(o->name) != n || strncmp(o->name, word, n) != 0)
			continue;
		if (!o->value)
			return eq ? words_refuse("gate", "the option", word, "takes no value")
				  : o->set(r, NULL);
		if (!eq && *i + 1 >= argc)
			return words_refuse("gate", "the option", word, "needs a value");
		return o->set(r, eq ? eq + 1 : argv[++*i]);
	}
	return words_unknown("gate", word, &options[0].name, sizeof(options[0]),
			     N_ELEMENTS(options));
}

static int parse(struct request *r, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int rc;

		if (argv[i][0] != '-' || argv[i][1] == '\0') {
			r->paths[r->n_paths++] = argv[i];
			continue;
		}
		rc = strncmp(argv[i], "--", 2) == 0 ? take_writer(r, argv[i] + 2) : 1;
		if (rc == 1)
			rc = take_option(r, argc, argv, &i);
		if (rc)
			return rc;
	}
	if (r->n_paths == 0) {
		log_error("gate: name the new run, as `ncclbench gate BASELINE... NEW`; ncclbench "
			  "gate --help says more");
		return NB_EXIT_USAGE;
	}
	return 0;
}

/* What goes to standard output; --out turns the one that does into a file. */
static int settle_outputs(struct request *r)
{
	size_t printed = 0, alone = 0, last = 0;

	for (size_t i = 0; i < gate_n_writers; i++) {
		if (!r->output[i].on || r->output[i].file)
			continue;
		printed++;
		alone += !gate_writers[i].shares;
		last = i;
	}
	if (printed == 0 && !r->output[0].on) {
		r->output[0].on = true;
		printed = 1;
	}
	if (alone > 0 && printed > 1) {
		log_error("gate: JSON and XML are printed alone; give the others a file, as "
			  "--junit=gate.xml");
		return NB_EXIT_USAGE;
	}
	if (r->out && printed > 1) {
		log_error("gate: --out takes one form; name a file for each, as --json=gate.json");
		return NB_EXIT_USAGE;
	}
	if (r->out)
		r->output[last].file = r->out;
	return 0;
}

/* ---- outputs ---- */

static int write_one(const struct gate_writer *w, const struct output *out,
		     const struct gate_view *v)
{
	struct buf b = { 0 };
	int rc;

	w->write(&b, v);
	if (!out->file)
		rc = output_put(&b);
	else
		rc = b.failed ? -ENOMEM : file_replace(out->file, buf_text(&b), b.len);
	buf_fini(&b);
	if (rc && out->file)
		log_error("cannot write %.*s: %s", CMD_WORD_MAX, out->file, file_why(rc));
	return rc;
}

static bool wants_color(const struct request *r)
{
	if (strcmp(r->color, "auto") == 0)
		return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	return strcmp(r->color, "always") == 0;
}

static void draw(const struct request *r, const struct gate_view *v)
{
	struct buf notes = { 0 };
	struct hold hold;
	int n;

	hold_signals(&hold);
	n = gate_charts(v, r->charts, &notes);
	hold_release(&hold);
	if (notes.len > 0)
		log_note("%s", buf_text(&notes));
	if (n < 0)
		log_note("no pictures in %.*s: %s", CMD_WORD_MAX, r->charts,
			 n == -ENOENT ? "gnuplot or plots/gate.gp is not there" : strerror(-n));
	buf_fini(&notes);
}

static int write_all(const struct request *r, const struct gate_view *view)
{
	int failed = 0;

	for (size_t i = 0; i < gate_n_writers; i++) {
		struct gate_view v = *view;

		v.color = wants_color(r) && !r->output[i].file;
		if (r->output[i].on)
			failed |= write_one(&gate_writers[i], &r->output[i], &v) != 0;
	}
	if (r->charts)
		draw(r, view);
	return failed;
}

/* ---- the gate ---- */

static int read_alone(struct pool *pool, const char *path, struct series *out)
{
	char why[800];
	int rc = series_read(pool, path, out, why, sizeof(why));

	if (rc == 0)
		return 0;
	if (rc == -ENOMEM)
		return shelf_no_memory(path);
	log_error("%s", why);
	return NB_EXIT_USAGE;
}

/* Names of one run under several paths are dropped by what they are (judge/identity.h); a baseline
 * that is nothing but the new run is the user's mistake. */
static int check_baseline(const struct shelf *s, const struct series *now)
{
	for (size_t i = 0; i < s->n; i++)
		if (!identity_same(&s->series[i], now))
			return 0;
	log_error("gate: no baseline series is left: the new run is not its own baseline");
	return NB_EXIT_USAGE;
}

static int read_baseline(struct shelf *s, const struct request *r)
{
	static const char *const fallback[] = { SHELF_DEFAULT };
	const char *const *paths = r->n_paths > 1 ? r->paths : fallback;
	size_t n = r->n_paths > 1 ? r->n_paths - 1 : 1;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = shelf_add(s, paths[i]);
	if (rc == 0 && r->expected)
		rc = shelf_expect(s, r->expected, 1);
	shelf_sort(s);
	return rc;
}

static int check_confirm(const struct request *r, const struct series *const *base, size_t n,
			 const struct series *now, const struct series *again)
{
	char why[400];

	if (!again || identity_confirms(base, n, now, again, why, sizeof(why)))
		return 0;
	log_error("gate: --confirm %.*s %s: it takes a second measurement, made after the new run "
		  "(ncclbench sweep --confirm VERDICT.json)",
		  CMD_WORD_MAX, r->confirm, why);
	return NB_EXIT_USAGE;
}

static int judge(struct request *r, struct shelf *s, const struct series *now,
		 const struct series *confirm)
{
	const struct series **base = calloc(s->n, sizeof(*base));
	struct judgement j = { 0 };
	struct gate_view v = { &s->pool, &j, &r->judge, now, r->all, false };
	int rc = base ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->n && base; i++)
		base[i] = &s->series[i];
	r->judge.expected = &s->expected;
	if (rc == 0 && check_confirm(r, base, s->n, now, confirm)) {
		free(base);
		return NB_EXIT_USAGE;
	}
	if (rc == 0)
		rc = judge_run(&s->pool, base, s->n, now, confirm, &r->judge, &j);
	free(base);
	if (rc)
		return shelf_no_memory("gate");
	rc = j.exit_code;
	if (write_all(r, &v))
		rc = NB_EXIT_USAGE; /* nobody may take an unwritten report for a good one */
	judge_fini(&j);
	return rc;
}

static int run(struct request *r)
{
	const char *now_path = r->paths[r->n_paths - 1];
	struct series now = { 0 }, again = { 0 };
	struct shelf s = { 0 };
	int rc = settle_outputs(r);

	if (rc == 0)
		rc = read_baseline(&s, r);
	if (rc == 0)
		rc = read_alone(&s.pool, now_path, &now);
	if (rc == 0)
		rc = check_baseline(&s, &now);
	if (rc == 0 && r->confirm)
		rc = read_alone(&s.pool, r->confirm, &again);
	if (rc == 0)
		rc = judge(r, &s, &now, r->confirm ? &again : NULL);
	series_fini(&now);
	series_fini(&again);
	shelf_fini(&s);
	return rc;
}

static int gate(int argc, char **argv)
{
	struct request r = { .color = "auto" };
	char now[32];
	int rc;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return print_help(), NB_EXIT_OK;
	if (argc > 1 && strcmp(argv[1], "plan") == 0)
		return gate_plan(argc - 1, argv + 1);
	judge_defaults(&r.judge);
	clock_utc(0, now, sizeof(now));
	snprintf(r.today, sizeof(r.today), "%.10s", now);
	r.judge.today = r.today;
	r.paths = calloc((size_t)argc + 1, sizeof(*r.paths));
	rc = r.paths ? parse(&r, argc, argv) : shelf_no_memory("gate");
	if (rc == 0)
		rc = run(&r);
	free(r.paths);
	return rc;
}

const struct cmd cmd_gate = {
	"gate", "is a run slower than the baseline? For CI: exit status, JUnit, annotations", gate,
	false
};
