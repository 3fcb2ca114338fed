/* SPDX-License-Identifier: Apache-2.0 */
/* baseline add RUN | list | prune | expect: series that the gate compares with, in a plain folder
 * that can live in git or an artefact store. Judges nothing. */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "data/csv.h"
#include "judge/verdict.h"
#include "ncclbench/exitcode.h"
#include "spec/outcome.h"
#include "tool/cmd.h"
#include "tool/shelf.h"
#include "tool/words.h"

#define KEEP_DEFAULT 20
#define FILE_MAX (2048u << 20)

struct request {
	const char *dir, *name, *match, *verdict, *reason, *until, *run;
	int keep;
	bool json, force, dry_run;
};

/* TABLE: what a series is made of. logs and charts stay behind: nothing of them is compared. */
static const struct {
	const char *name;
	bool must;
} parts[] = { { "points.csv", true }, { "samples.csv", true }, { "run.json", true } };

/* ---- add ---- */

/* One line in `why` when the run is no good baseline. */
static bool unfit(const struct series *s, char *why, size_t max)
{
	size_t ok = 0;

	for (size_t i = 0; i < s->n; i++) {
		int code = outcome_table[s->points[i].outcome].exit_code;

		ok += s->points[i].outcome == OUTCOME_OK;
		if (code != NB_EXIT_BROKEN)
			continue;
		snprintf(why, max, "points.csv, line %zu is %s: what failed is no baseline",
			 s->points[i].line, outcome_table[s->points[i].outcome].name);
		return true;
	}
	snprintf(why, max, "%s", ok == 0 ? "no point is ok" : "the run did not reach its end");
	return ok == 0 || !s->facts.complete;
}

static int copy_file(const char *from, const char *to, const char *name)
{
	char *source = file_join(from, name), *target = file_join(to, name), *data = NULL;
	size_t len = 0;
	int rc = source && target ? file_read_all(source, FILE_MAX, &data, &len) : -ENOMEM;

	if (rc == 0)
		rc = file_replace(target, data, len);
	free(data);
	free(source);
	free(target);
	return rc;
}

/* Ends of both: a run that was added keeps its time and machine. */
static bool there_already(const char *dir, const struct series *s, struct shelf *old)
{
	if (!file_exists(dir) || shelf_add(old, dir))
		return false;
	for (size_t i = 0; i < old->n; i++)
		if (strcmp(old->series[i].facts.started, s->facts.started) == 0 &&
		    strcmp(old->series[i].facts.boot, s->facts.boot) == 0)
			return true;
	return false;
}

static bool has_runs(const char *dir)
{
	char **names = NULL;
	size_t n = 0;
	bool any = shelf_names(dir, &names, &n) == 0 && n > 0;

	shelf_free_names(names, any ? n : 0);
	return any;
}

static void clean_name(const char *given, const char *run, char *out, size_t max)
{
	char absolute[4096];
	const char *base;

	if (!given && realpath(run, absolute) == NULL)
		snprintf(absolute, sizeof(absolute), "%s", run);
	base = given ? given : strrchr(absolute, '/') ? strrchr(absolute, '/') + 1 : absolute;
	snprintf(out, max, "%.120s", base[0] && base[0] != '.' ? base : "series");
	for (char *c = out; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *c))
			*c = '-';
}

static int copy_series(const struct request *r)
{
	char name[128], *to;
	int rc;

	clean_name(r->name, r->run, name, sizeof(name));
	to = file_join(r->dir, name);
	if (!to)
		return NB_EXIT_BROKEN;
	if (file_exists(to)) {
		log_error("baseline add: %.300s is there already; --name gives another one", to);
		free(to);
		return NB_EXIT_USAGE;
	}
	rc = file_make_dirs(to);
	for (size_t i = 0; i < N_ELEMENTS(parts) && rc == 0; i++)
		rc = copy_file(r->run, to, parts[i].name);
	if (rc)
		log_error("baseline add: cannot copy to %.300s: %s", to, strerror(-rc));
	else
		printf("%s\n", to);
	free(to);
	return rc ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static int add(const struct request *r)
{
	struct shelf shelf = { 0 };
	struct series s = { 0 };
	char why[800];
	int rc;

	if (!r->run) {
		log_error("baseline add: name a run directory, as results/runs/...");
		return NB_EXIT_USAGE;
	}
	rc = series_read(&shelf.pool, r->run, &s, why, sizeof(why));
	if (rc == 0 && (s.bare || !s.facts.known)) {
		snprintf(why, sizeof(why), "%.300s: no %s: a baseline needs the whole run", r->run,
			 s.bare ? "samples.csv" : "run.json");
		rc = -EINVAL;
	} else if (rc == 0 && !r->force && unfit(&s, why, sizeof(why))) {
		rc = -EINVAL;
	} else if (rc == 0 && has_runs(r->dir) && there_already(r->dir, &s, &shelf)) {
		snprintf(why, sizeof(why),
			 "the series of %s from that machine is in %.300s already", s.facts.started,
			 r->dir);
		rc = -EEXIST;
	}
	series_fini(&s);
	shelf_fini(&shelf);
	if (rc) {
		log_error("baseline add: %s%s", why,
			  rc == -EINVAL && !r->force ? " (--force takes it)" : "");
		return rc == -ENOMEM ? NB_EXIT_BROKEN : NB_EXIT_USAGE;
	}
	return copy_series(r);
}

/* ---- list ---- */

static size_t restarts_of(const struct series *s)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].outcome == OUTCOME_OK && s->points[i].n_m < least)
			least = s->points[i].n_m;
	return least == SIZE_MAX ? 0 : least;
}

static int list_text(const struct shelf *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct series *x = &s->series[i];

		printf("%s\n    %s  %zu points, %zu restarts, start %.8s  %s  %s\n", x->path,
		       x->facts.started, x->n, restarts_of(x), x->facts.boot,
		       x->facts.value[FACT_HARDWARE], x->facts.versions);
	}
	for (size_t i = 0; i < s->expected.n; i++) {
		const struct expectation *e = &s->expected.v[i];

		printf("expected until %s: %s %s (%s)\n", e->until, e->match,
		       e->verdict < 0 ? "any" : verdict_table[e->verdict].name, e->reason);
	}
	return NB_EXIT_OK;
}

static json_t *text(const char *s)
{
	json_t *v = json_string(s ? s : "");

	return v ? v : json_string("?");
}

static int list_json(const struct shelf *s)
{
	json_t *o = json_object(), *rows = json_array(), *expected = json_array();
	char *out;

	for (size_t i = 0; i < s->n; i++) {
		const struct series *x = &s->series[i];

		json_array_append_new(
		    rows,
		    json_pack("{s:o,s:o,s:I,s:I,s:o,s:o,s:o}", "path", text(x->path), "started",
			      text(x->facts.started), "points", (json_int_t)x->n, "restarts",
			      (json_int_t)restarts_of(x), "start", text(x->facts.boot), "machine",
			      text(x->facts.value[FACT_HARDWARE]), "versions",
			      text(x->facts.versions)));
	}
	for (size_t i = 0; i < s->expected.n; i++) {
		const struct expectation *e = &s->expected.v[i];

		json_array_append_new(
		    expected, json_pack("{s:o,s:s,s:o,s:s}", "match", text(e->match), "verdict",
					e->verdict < 0 ? "any" : verdict_table[e->verdict].name,
					"reason", text(e->reason), "until", e->until));
	}
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "command", json_string("baseline list"));
	json_object_set_new(o, "rows", rows);
	json_object_set_new(o, "expected", expected);
	out = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	if (out)
		puts(out);
	else
		log_error("baseline list: out of memory");
	free(out);
	return out ? NB_EXIT_OK : NB_EXIT_BROKEN;
}

static int list(const struct request *r)
{
	struct shelf s = { 0 };
	int rc = shelf_add(&s, r->dir);

	shelf_sort(&s);
	if (rc == 0)
		rc = (r->json ? list_json : list_text)(&s);
	shelf_fini(&s);
	return rc;
}

/* ---- prune ---- */

static int remove_series(const char *path)
{
	int rc = 0;

	for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
		char *file = file_join(path, parts[i].name);

		if (!file || (unlink(file) && errno != ENOENT))
			rc = file ? -errno : -ENOMEM;
		free(file);
	}
	return rc == 0 && rmdir(path) ? -errno : rc;
}

/* Newer series with the same machine and versions as series i. */
static size_t newer_alike(const struct shelf *s, size_t i)
{
	size_t n = 0;

	for (size_t k = i + 1; k < s->n; k++) {
		bool alike = true;

		for (int f = 0; f < FACT_COUNT; f++) {
			const char *newer = s->series[k].facts.value[f],
				   *older = s->series[i].facts.value[f];
			bool told = !fact_table[f].recent || (newer[0] && older[0]);

			alike &= !fact_table[f].must || !told || strcmp(newer, older) == 0;
		}
		n += alike;
	}
	return n;
}

static int prune(const struct request *r)
{
	struct shelf s = { 0 };
	int rc = shelf_add(&s, r->dir), code = rc;

	shelf_sort(&s);
	for (size_t i = 0; i < s.n && rc == 0; i++) {
		const char *path = s.series[i].path;
		int failed = 0;

		if (newer_alike(&s, i) < (size_t)r->keep)
			continue;
		if (!r->dry_run)
			failed = remove_series(path);
		if (failed) {
			log_error("baseline prune: %.300s: %s", path, strerror(-failed));
			code = NB_EXIT_BROKEN;
		} else {
			printf("%s %s\n", r->dry_run ? "would remove" : "removed", path);
		}
	}
	shelf_fini(&s);
	return code;
}

/* ---- expect ---- */

static void add_field(struct buf *b, const char *value, int first)
{
	csv_field(b, value, first);
}

static int fill_expectation(const struct request *r, struct expectation *e)
{
	const char *verdict = r->verdict ? r->verdict : "any", *fault;

	*e = (struct expectation){ .verdict =
				       strcmp(verdict, "any") == 0 ? -1 : verdict_find(verdict) };
	if (e->verdict < 0 && strcmp(verdict, "any") != 0)
		return words_refuse("baseline expect", "--verdict", verdict,
				    "is none of `ncclbench list verdicts`, nor any");
	if (!r->match || !r->reason || !r->until) {
		log_error("baseline expect: --match, --reason and --until are needed: which rows, "
			  "why, and until when (2026-12-31)");
		return NB_EXIT_USAGE;
	}
	if (strlen(r->match) >= sizeof(e->match) || strlen(r->reason) >= sizeof(e->reason))
		return words_refuse("baseline expect", "the text",
				    strlen(r->reason) >= sizeof(e->reason) ? r->reason : r->match,
				    "is too long");
	if (strlen(r->until) >= sizeof(e->until))
		return words_refuse("baseline expect", "--until", r->until,
				    "must be a day as 2026-12-31");
	record_set(e->match, sizeof(e->match), r->match);
	record_set(e->reason, sizeof(e->reason), r->reason);
	record_set(e->until, sizeof(e->until), r->until);
	fault = expect_fault(e);
	return fault ? words_refuse("baseline expect", "the row", e->match, fault) : 0;
}

static int expect(const struct request *r)
{
	struct expectation e;
	struct shelf s = { 0 };
	struct buf b = { 0 };
	char *path = file_join(r->dir, SHELF_EXPECTED);
	int rc = path ? fill_expectation(r, &e) : NB_EXIT_BROKEN;

	if (rc == 0)
		rc = shelf_expect(&s, path, 0);
	buf_puts(&b, EXPECT_HEADER);
	for (size_t i = 0; i <= s.expected.n && rc == 0; i++) {
		const struct expectation *x = i < s.expected.n ? &s.expected.v[i] : &e;

		add_field(&b, x->match, 1);
		add_field(&b, x->verdict < 0 ? "any" : verdict_table[x->verdict].name, 0);
		add_field(&b, x->reason, 0);
		add_field(&b, x->until, 0);
		buf_putc(&b, '\n');
	}
	if (rc == 0) {
		int failed = b.failed ? -ENOMEM : file_make_dirs(r->dir);

		failed = failed ? failed : file_replace(path, buf_text(&b), b.len);
		if (failed)
			log_error("baseline expect: %.300s: %s", path, strerror(-failed));
		rc = failed ? NB_EXIT_BROKEN : 0;
	}
	buf_fini(&b);
	free(path);
	shelf_fini(&s);
	return rc;
}

/* ---- words ---- */

static const struct action {
	const char *name, *help;
	int (*run)(const struct request *r);
	bool takes_run;
} actions[] = {
	{ "add", "copy a run's series into the baseline", add, true },
	{ "list", "the series there, and expected failures", list, false },
	{ "prune", "remove old series, --keep of each machine and version", prune, false },
	{ "expect", "note a failure that is known: --match, --reason, --until", expect, false },
};

struct word {
	const char *name, *value, *help;
	size_t offset;
};

static const struct word words[] = {
	{ "--dir", "DIR", "the baseline folder (" SHELF_DEFAULT ")",
	  offsetof(struct request, dir) },
	{ "--name", "NAME", "add: name of the series in the folder",
	  offsetof(struct request, name) },
	{ "--match", "WORDS", "expect: key columns, as \"transport=socket op=broadcast bytes=8\"",
	  offsetof(struct request, match) },
	{ "--verdict", "NAME", "expect: only this verdict (any)",
	  offsetof(struct request, verdict) },
	{ "--reason", "TEXT", "expect: why it is known", offsetof(struct request, reason) },
	{ "--until", "DAY", "expect: last day it holds, as 2026-12-31",
	  offsetof(struct request, until) },
};

static const struct word flags[] = {
	{ "--json", NULL, "list: for programs", offsetof(struct request, json) },
	{ "--force", NULL, "add: a run with failures or without its end too",
	  offsetof(struct request, force) },
	{ "--dry-run", NULL, "prune: only say", offsetof(struct request, dry_run) },
};

static void print_help(void)
{
	printf("usage: ncclbench baseline ACTION [RUN] [options]\n\n");
	for (size_t i = 0; i < N_ELEMENTS(actions); i++)
		printf("  %-7s %s\n", actions[i].name, actions[i].help);
	printf("\n");
	for (size_t i = 0; i < N_ELEMENTS(words); i++)
		printf("  %-10s %-6s %s\n", words[i].name, words[i].value, words[i].help);
	printf("  %-10s %-6s %s\n", "--keep", "N", "prune: how many series to keep (20)");
	for (size_t i = 0; i < N_ELEMENTS(flags); i++)
		printf("  %-10s %-6s %s\n", flags[i].name, "", flags[i].help);
	printf("\nExample: ncclbench baseline add results/runs/20261130T120000Z-node1\n");
	printf(
	    "\nExit status: 0 done, 2 usage, or a run that is refused, 5 the result could not be "
	    "written.\n");
}

static int take_keep(struct request *r, const char *value)
{
	int64_t n;

	if (num_parse_i64(value, 1, 10000, &n))
		return words_refuse("baseline", "--keep", value,
				    "must be a whole number from 1 to 10000");
	r->keep = (int)n;
	return 0;
}

static int take_option(struct request *r, int argc, char **argv, int *i)
{
	static const char *const keep = "--keep";
	const char *all[N_ELEMENTS(words) + N_ELEMENTS(flags) + 1];
	size_t n = 0;

	for (size_t k = 0; k < N_ELEMENTS(flags); k++) {
		if (strcmp(flags[k].name, argv[*i]) == 0)
			return *(bool *)((char *)r + flags[k].offset) = true, 0;
		all[n++] = flags[k].name;
	}
	for (size_t k = 0; k < N_ELEMENTS(words); k++) {
		all[n++] = words[k].name;
		if (strcmp(words[k].name, argv[*i]) != 0)
			continue;
		if (*i + 1 >= argc)
			return words_refuse("baseline", "the option", argv[*i], "needs a value");
		*(const char **)(void *)((char *)r + words[k].offset) = argv[++*i];
		return 0;
	}
	all[n++] = keep;
	if (strcmp(argv[*i], keep) != 0)
		return words_unknown("baseline", argv[*i], all, sizeof(all[0]), n);
	return *i + 1 < argc ? take_keep(r, argv[++*i])
			     : words_refuse("baseline", "the option", keep, "needs a value");
}

static int parse(struct request *r, const struct action *a, int argc, char **argv)
{
	int rc = 0;

	for (int i = 2; i < argc && rc == 0; i++) {
		if (argv[i][0] == '-')
			rc = take_option(r, argc, argv, &i);
		else if (a->takes_run && !r->run)
			r->run = argv[i];
		else
			rc = words_refuse("baseline", "the word", argv[i], "is one too many");
	}
	return rc;
}

static int baseline(int argc, char **argv)
{
	struct request r = { .dir = SHELF_DEFAULT, .keep = KEEP_DEFAULT };
	const char *names[N_ELEMENTS(actions)], *near;
	int rc;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return print_help(), NB_EXIT_OK;
	for (size_t i = 0; i < N_ELEMENTS(actions); i++) {
		names[i] = actions[i].name;
		if (argc < 2 || strcmp(argv[1], actions[i].name) != 0)
			continue;
		rc = parse(&r, &actions[i], argc, argv);
		return rc ? rc : actions[i].run(&r);
	}
	near = argc > 1 ? num_nearest(argv[1], names, N_ELEMENTS(actions)) : NULL;
	if (argc < 2)
		log_error("baseline: say add, list, prune or expect; ncclbench baseline --help "
			  "says more");
	else
		log_error("baseline: there is no '%.*s'%s%s; ncclbench baseline --help lists all",
			  CMD_WORD_MAX, argv[1], near ? "; did you mean " : "", near ? near : "");
	return NB_EXIT_USAGE;
}

const struct cmd cmd_baseline = { "baseline", "keep series for the gate: add, list, prune, expect",
				  baseline, false };
