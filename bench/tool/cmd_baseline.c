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
#include "base/output.h"
#include "base/visible.h"
#include "data/csv.h"
#include "judge/identity.h"
#include "judge/verdict.h"
#include "ncclbench/exitcode.h"
#include "spec/outcome.h"
#include "tool/cmd.h"
#include "tool/keep.h"
#include "tool/shelf.h"
#include "tool/words.h"

#define KEEP_DEFAULT 20
#define NAME_ROOM 128
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

struct request {
	const char *dir, *name, *match, *verdict, *reason, *until, *run;
	int keep;
	bool json, force, dry_run;
};

/* A path of a folder that may be anybody's. */
static void say(const char *what, const char *path)
{
	struct buf b = { 0 };

	visible_escape(&b, path);
	printf("%s%s\n", what, buf_text(&b));
	buf_fini(&b);
}

/* TABLE: what to do about it, after the words of the system. */
static const char *advice(int rc)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = {
		{ EACCES, " (may not be written by this user: change its permissions, or --dir "
			  "names another folder)" },
		{ EPERM, " (may not be written by this user: change its permissions, or --dir "
			 "names another folder)" },
		{ EROFS, " (--dir names a folder elsewhere)" },
		{ ENOENT, " (it cannot be made there: --dir names a folder elsewhere)" },
		{ ENOTDIR, " (a part of that path is a file: --dir names another folder)" },
		{ ENOSPC, " (make room, then try again)" },
		{ EDQUOT, " (make room, then try again)" },
		{ EFBIG, " (raise the limit on the size of files, then try again)" },
		{ ETIMEDOUT, " (another ncclbench baseline has been changing the folder for a "
			     "minute: try again when it is done)" },
		{ ELOOP, " (.lock in it is a link: remove it)" },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++)
		if (rows[i].code == -rc)
			return rows[i].text;
	return "";
}

/* What reads the folder and then changes it: one at a time, or the second undoes the first. A
 * descriptor to close; -1 after saying why not. */
static int lock_folder(const char *action, const struct request *r)
{
	int fd = keep_lock(r->dir);

	if (fd >= 0)
		return fd;
	log_error("baseline %s: cannot write in %.300s: %s%s", action, r->dir, strerror(-fd),
		  advice(fd));
	return -1;
}

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
	why[0] = '\0';
	if (ok == 0)
		snprintf(why, max, "no point is ok");
	else if (!s->facts.complete)
		snprintf(why, max, "the run did not reach its end");
	else if (s->n < s->facts.planned)
		snprintf(why, max,
			 "points.csv has %zu of the %zu rows that run.json plans: cut short", s->n,
			 s->facts.planned);
	else if (s->n_lost > 0)
		snprintf(why, max,
			 "samples.csv, line %zu: a point that points.csv does not have: cut short",
			 s->lost_line);
	return why[0] != '\0';
}

/* 0; 1: the folder holds that measurement already; negative: it cannot be told, and was said. */
static int there_already(const char *dir, const struct series *s, struct shelf *old)
{
	char **names = NULL;
	size_t n = 0;
	int rc = shelf_names(dir, &names, &n);

	shelf_free_names(names, n);
	if (rc == -ENOENT || (rc == 0 && n == 0))
		return 0;
	if (shelf_add(old, dir))
		return -EBADMSG;
	for (size_t i = 0; i < old->n; i++)
		if (identity_same(&old->series[i], s))
			return 1;
	return 0;
}

/* A name made of the run's own, where --name gives none. */
static void clean_name(const char *run, char *out, size_t max)
{
	char absolute[4096];
	const char *base;

	if (realpath(run, absolute) == NULL)
		snprintf(absolute, sizeof(absolute), "%s", run);
	base = strrchr(absolute, '/') ? strrchr(absolute, '/') + 1 : absolute;
	snprintf(out, max, "%.120s", base);
	for (char *c = out; *c; c++)
		if (!strchr(NAME_LETTERS, *c))
			*c = '-';
	if (!keep_name_ok(out))
		snprintf(out, max, "series");
}

static int check_name(const char *name)
{
	size_t n = strlen(name);

	if (keep_name_ok(name) && strspn(name, NAME_LETTERS) == n && n < NAME_ROOM)
		return 0;
	return words_refuse("baseline add", "--name", name,
			    "cannot name a series: letters, digits, '.', '_' and '-', none of them "
			    "a leading '.', and no file that means something in the folder");
}

static int copy_series(const struct request *r)
{
	char name[NAME_ROOM];
	char *to;
	int rc;

	if (r->name)
		snprintf(name, sizeof(name), "%s", r->name);
	else
		clean_name(r->run, name, sizeof(name));
	to = file_join(r->dir, name);
	rc = to ? keep_put(r->run, r->dir, name) : -ENOMEM;
	if (rc == -EEXIST)
		log_error("baseline add: %.300s is there already; --name gives another one", to);
	else if (rc)
		log_error("baseline add: cannot copy to %.300s: %s%s; nothing was left there",
			  to ? to : name, strerror(-rc), advice(rc));
	else
		say("", to);
	free(to);
	return rc == 0 ? NB_EXIT_OK : rc == -EEXIST ? NB_EXIT_USAGE : NB_EXIT_BROKEN;
}

/* One line in `why` when the run cannot be taken: -EINVAL --force may. */
static int fit_to_add(const struct request *r, struct shelf *shelf, struct series *s, char *why,
		      size_t max)
{
	int rc = series_read(&shelf->pool, r->run, s, why, max);

	if (rc)
		return rc;
	if (s->bare || !s->facts.known) {
		snprintf(why, max, "%.300s: no %s: a baseline needs the whole run", r->run,
			 s->bare ? "samples.csv" : "run.json");
		return -EBADMSG;
	}
	return !r->force && unfit(s, why, max) ? -EINVAL : 0;
}

static int add_locked(const struct request *r, struct shelf *shelf, const struct series *s)
{
	int rc = there_already(r->dir, s, shelf);

	if (rc == 0)
		return copy_series(r);
	if (rc > 0)
		log_error("baseline add: the series of %s from that machine is in %.300s already",
			  s->facts.started, r->dir);
	else
		log_error("baseline add: whether the run is in %.300s already cannot be told: mend "
			  "or remove what is named above; nothing was added",
			  r->dir);
	return NB_EXIT_USAGE;
}

static int add(const struct request *r)
{
	struct shelf shelf = { 0 };
	struct series s = { 0 };
	char why[800];
	int rc, code = NB_EXIT_USAGE;

	if (!r->run) {
		log_error("baseline add: name a run directory, as results/runs/...");
		return NB_EXIT_USAGE;
	}
	if (r->name && check_name(r->name))
		return NB_EXIT_USAGE;
	rc = fit_to_add(r, &shelf, &s, why, sizeof(why));
	if (rc) {
		log_error("baseline add: %s%s", why, rc == -EINVAL ? " (--force takes it)" : "");
	} else {
		int fd = lock_folder("add", r);

		code = fd < 0 ? NB_EXIT_BROKEN : add_locked(r, &shelf, &s);
		if (fd >= 0)
			close(fd);
	}
	series_fini(&s);
	shelf_fini(&shelf);
	return code;
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

static void list_one(struct buf *b, const struct series *x)
{
	char start[9];

	visible_copy(x->facts.boot, start, sizeof(start));
	visible_escape(b, x->path);
	buf_puts(b, "\n    ");
	visible_add(b, x->facts.started);
	buf_printf(b, "  %zu points, %zu restarts, start %s  ", x->n, restarts_of(x), start);
	visible_add(b, x->facts.value[FACT_HARDWARE]);
	buf_puts(b, "  ");
	visible_add(b, x->facts.versions);
	buf_putc(b, '\n');
}

static int list_text(const struct shelf *s)
{
	struct buf b = { 0 };
	int rc;

	for (size_t i = 0; i < s->n; i++)
		list_one(&b, &s->series[i]);
	for (size_t i = 0; i < s->expected.n; i++) {
		const struct expectation *e = &s->expected.v[i];

		buf_printf(&b, "expected until %s: ", e->until);
		visible_add(&b, e->match);
		buf_printf(&b, " %s (", e->verdict < 0 ? "any" : verdict_table[e->verdict].name);
		visible_add(&b, e->reason);
		buf_puts(&b, ")\n");
	}
	rc = output_put(&b);
	buf_fini(&b);
	return rc ? NB_EXIT_BROKEN : NB_EXIT_OK;
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
	out = json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII); /* paths whole, and harmless */
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

static int prune_one(const struct request *r, const char *path)
{
	char why[256];
	int rc = (r->dry_run ? keep_removable : keep_remove)(path, why, sizeof(why));

	if (rc == 0)
		say(r->dry_run ? "would remove " : "removed ", path);
	else if (rc > 0)
		log_error("baseline prune: %.300s was left as it is: %s", path, why);
	else
		log_error("baseline prune: %.300s: %s%s", path, strerror(-rc), advice(rc));
	return rc == 0 ? NB_EXIT_OK : rc > 0 ? NB_EXIT_USAGE : NB_EXIT_BROKEN;
}

static int prune(const struct request *r)
{
	struct shelf s = { 0 };
	bool change = !r->dry_run && file_exists(r->dir);
	int fd = change ? lock_folder("prune", r) : -1, rc, code;

	if (change && fd < 0)
		return NB_EXIT_BROKEN;
	rc = code = shelf_add(&s, r->dir);
	shelf_sort(&s);
	for (size_t i = 0; i < s.n && rc == 0; i++)
		if (newer_alike(&s, i) >= (size_t)r->keep) {
			int failed = prune_one(r, s.series[i].path);

			code = failed ? failed : code;
		}
	shelf_fini(&s);
	if (fd >= 0)
		close(fd);
	return code;
}

/* ---- expect ---- */

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
	if (!fault)
		fault = expect_never(e);
	return fault ? words_refuse("baseline expect", "the row", e->match, fault) : 0;
}

static int write_expectations(const struct request *r, const struct expectations *old,
			      const struct expectation *e)
{
	struct buf b = { 0 };
	int rc;

	buf_puts(&b, EXPECT_HEADER);
	for (size_t i = 0; i <= old->n; i++) {
		const struct expectation *x = i < old->n ? &old->v[i] : e;

		csv_field(&b, x->match, 1);
		csv_field(&b, x->verdict < 0 ? "any" : verdict_table[x->verdict].name, 0);
		csv_field(&b, x->reason, 0);
		csv_field(&b, x->until, 0);
		buf_putc(&b, '\n');
	}
	rc = b.failed ? -ENOMEM : file_put(r->dir, SHELF_EXPECTED, buf_text(&b), b.len);
	buf_fini(&b);
	if (rc)
		log_error("baseline expect: cannot write %.300s/" SHELF_EXPECTED
			  ": %s%s; the list is as it was",
			  r->dir, strerror(-rc), advice(rc));
	return rc ? NB_EXIT_BROKEN : 0;
}

static int expect(const struct request *r)
{
	struct expectation e;
	struct shelf s = { 0 };
	char *path = file_join(r->dir, SHELF_EXPECTED);
	int rc = path ? fill_expectation(r, &e) : shelf_no_memory("baseline expect");
	int fd = rc ? -1 : lock_folder("expect", r);

	if (rc == 0 && fd < 0)
		rc = NB_EXIT_BROKEN;
	if (rc == 0)
		rc = shelf_expect(&s, path, 0);
	if (rc == 0)
		rc = write_expectations(r, &s.expected, &e);
	if (fd >= 0)
		close(fd);
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
	    "\nExit status: 0 done, 2 usage, or a run or folder that is refused or left as it is, "
	    "5 the result could not be written.\n");
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
