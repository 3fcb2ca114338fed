/* SPDX-License-Identifier: Apache-2.0 */
/* report RUN...: the table of a run, the pages and pictures of one or of several machines side by
 * side. Reads runs; measures nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "ncclbench/exitcode.h"
#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/fleet_json.h"
#include "report/fleet_page.h"
#include "report/overlap.h"
#include "report/peak_text.h"
#include "report/sheet.h"
#include "report/scaling.h"
#include "report/table.h"
#include "report/text.h"
#include "tool/cmd.h"
#include "tool/report_write.h"
#include "tool/words.h"

#define GIVEN_MAX 256

struct option_row;

struct given { /* RUN=VALUE, applied once the runs are known */
	const struct option_row *option;
	const char *word;
};

struct choice {
	const char *out, *currency, *reference;
	bool markdown, charts, explain_peak, json;
	struct given given[GIVEN_MAX];
	size_t n_given;
};

/* ---- what is given for a run ---- */

static const char *give_name(struct fleet *f, size_t i, const char *value)
{
	if (!value[0])
		return "needs a name after the '='";
	fleet_name(f, i, value);
	return NULL;
}

static const char *positive(const char *value, double *out)
{
	double v;

	if (num_parse_double(value, &v) || !(v > 0))
		return "needs a number above 0 after the '='";
	*out = v;
	return NULL;
}

static const char *give_price(struct fleet *f, size_t i, const char *value)
{
	return positive(value, &f->machine[i].price);
}

static const char *give_power(struct fleet *f, size_t i, const char *value)
{
	return positive(value, &f->machine[i].power);
}

/* ---- options ---- */

static void set_out(struct choice *c, const char *value)
{
	c->out = value;
}

static void set_currency(struct choice *c, const char *value)
{
	c->currency = value;
}

static void set_reference(struct choice *c, const char *value)
{
	c->reference = value;
}

static void set_markdown(struct choice *c, const char *value)
{
	(void)value;
	c->markdown = true;
}

static void set_no_charts(struct choice *c, const char *value)
{
	(void)value;
	c->charts = false;
}

static void set_explain_peak(struct choice *c, const char *value)
{
	(void)value;
	c->explain_peak = true;
}

static void set_json(struct choice *c, const char *value)
{
	(void)value;
	c->json = true;
}

static const struct option_row {
	const char *name, *other; /* long, short */
	const char *value;        /* NULL: takes none */
	const char *help;
	void (*set)(struct choice *c, const char *value);
	const char *(*give)(struct fleet *f, size_t i, const char *value); /* of RUN=VALUE */
} options[] = {
	{ "--out", "-o", "DIR",
	  "write report.html, report.md and charts/ there (one run: default RUN)", set_out, NULL },
	{ "--name", NULL, "RUN=LABEL", "what the machine is called (default: its host)", NULL,
	  give_name },
	{ "--price", NULL, "RUN=12000", "price of the whole machine: gives GB/s per currency unit",
	  NULL, give_price },
	{ "--power", NULL, "RUN=1400", "watts of the whole machine: gives GB/s per watt", NULL,
	  give_power },
	{ "--currency", NULL, "EUR", "what prices are in", set_currency, NULL },
	{ "--reference", NULL, "RUN", "the machine that ratios are against (default: the first)",
	  set_reference, NULL },
	{ "--markdown", NULL, NULL, "print the table as Markdown", set_markdown, NULL },
	{ "--no-charts", NULL, NULL, "no pictures; without -o the table only", set_no_charts,
	  NULL },
	{ "--explain-peak", NULL, NULL,
	  "print where each ceiling and each percent of peak comes from", set_explain_peak, NULL },
	{ "--json", NULL, NULL,
	  "print the comparison as one object for scripts; without -o no file is written", set_json,
	  NULL },
};

static int help(void)
{
	printf(
	    "usage: ncclbench report RUN... [-o DIR] [options]\n\n"
	    "Prints the comparison table of a run and writes its page and pictures; of several "
	    "runs, machines side by\n"
	    "side. report.html needs nothing else: it can be mailed, printed and read aloud.\n\n");
	for (size_t i = 0; i < N_ELEMENTS(options); i++)
		printf("  %s%-*s %-9s  %s\n", options[i].other ? "-o, " : "",
		       options[i].other ? 11 : 15, options[i].name,
		       options[i].value ? options[i].value : "", options[i].help);
	printf("\nRUN in RUN=... is the name given, or the last part of it. Several runs are "
	       "written only with -o.\n\n"
	       "Examples:\n"
	       "  ncclbench report results/runs/20261130T183213Z-node7\n"
	       "  ncclbench report -o compare --name a=\"2 x 4090\" --price a=5200 --price b=14000 "
	       "--currency EUR a b\n\n"
	       "Exit status: 0 written, 2 usage or a run that cannot be read, 5 the result could "
	       "not be written.\n");
	return NB_EXIT_OK;
}

static const struct option_row *find(const char *word, size_t n)
{
	for (size_t k = 0; k < N_ELEMENTS(options); k++) {
		const struct option_row *o = &options[k];

		if ((strlen(o->name) == n && strncmp(o->name, word, n) == 0) ||
		    (o->other && strlen(o->other) == n && strncmp(o->other, word, n) == 0))
			return o;
	}
	return NULL;
}

static int take(struct choice *c, const struct option_row *o, const char *value)
{
	if (o->set) {
		o->set(c, value);
		return 0;
	}
	if (c->n_given == GIVEN_MAX)
		return words_refuse("report", o->name, value, "is one too many");
	c->given[c->n_given++] = (struct given){ o, value };
	return 0;
}

static int option(struct choice *c, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *eq = strchr(word, '='), *value = eq ? eq + 1 : NULL;
	const struct option_row *o = find(word, eq ? (size_t)(eq - word) : strlen(word));

	if (!o)
		return words_unknown("report", word, &options[0].name, sizeof(options[0]),
				     N_ELEMENTS(options));
	if (!o->value)
		return value ? words_refuse("report", o->name, value, "takes no value")
			     : take(c, o, NULL);
	if (!value && *i + 1 < argc)
		value = argv[++*i];
	if (!value || !value[0])
		return words_refuse("report", o->name, "", "needs a value");
	return take(c, o, value);
}

/* Leaves the runs in argv; how many, or -1 after saying why. */
static int parse(struct choice *c, int argc, char **argv)
{
	int n = 0;
	bool words = true;

	*c = (struct choice){ .charts = true };
	for (int i = 1; i < argc; i++) {
		if (words && strcmp(argv[i], "--") == 0)
			words = false;
		else if (!words || argv[i][0] != '-' || !argv[i][1])
			argv[n++] = argv[i];
		else if (option(c, argc, argv, &i))
			return -1;
	}
	if (n == 0) {
		words_refuse("report", "the run", "", "is missing: name a run directory");
		return -1;
	}
	return n;
}

/* ---- the runs ---- */

static int apply(struct fleet *f, const struct choice *c)
{
	const char *rest = "";
	size_t i;

	if (c->currency)
		text_clean(c->currency, f->currency, sizeof(f->currency));
	if (c->reference) {
		i = fleet_find(f, c->reference, &rest);
		if (i == f->n || rest[0])
			return words_refuse("report", "--reference", c->reference,
					    "is none of the runs");
		f->reference = i;
	}
	for (size_t k = 0; k < c->n_given; k++) {
		const struct given *g = &c->given[k];
		const char *why;

		i = fleet_find(f, g->word, &rest);
		if (i == f->n)
			return words_refuse("report", g->option->name, g->word,
					    "names none of the runs: RUN=VALUE is wanted");
		why = g->option->give(f, i, rest);
		if (why)
			return words_refuse("report", g->option->name, g->word, why);
	}
	return 0;
}

static void summary(struct buf *b, const struct fleet *f, const struct fleet_compare *c)
{
	struct fleet_page page = { .f = f, .c = c };
	struct sheet s = { .form = &sheet_markdown };

	fleet_page_summary(&s, &page);
	buf_puts(b, buf_text(&s.out) + strspn(buf_text(&s.out), "\n"));
	b->failed |= s.out.failed;
	buf_fini(&s.out);
}

static void add_json(struct buf *b, const struct fleet *f, const struct fleet_compare *c)
{
	char *json = fleet_json(f, c);

	if (json)
		buf_puts(b, json);
	else
		b->failed = true;
	free(json);
}

static void text_of_one(struct buf *b, const struct view *v)
{
	table_text(b, v, 0, false);
	b->failed |= scaling_text(v, b) < 0 || overlap_text(v, b) < 0;
}

static void markdown_of_one(struct buf *b, const struct view *v)
{
	table_markdown(b, v);
	b->failed |= scaling_markdown(v, b) < 0 || overlap_markdown(v, b) < 0;
}

static int print(const struct fleet *f, const struct fleet_compare *c, const struct choice *o)
{
	const struct view *one = &f->machine[0].run.view;
	struct buf b = { 0 };
	int rc;

	if (o->json)
		add_json(&b, f, c);
	else if (o->explain_peak)
		peak_text(&b, f, c);
	else if (f->n > 1)
		summary(&b, f, c);
	else if (o->markdown)
		markdown_of_one(&b, one);
	else
		text_of_one(&b, one);
	rc = output_put(&b);
	buf_fini(&b);
	return rc < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

/* Where pages go; NULL: only the table is printed. */
static const char *folder_of(const struct fleet *f, const struct choice *o)
{
	if (o->out)
		return o->out;
	if (o->explain_peak || o->json || !o->charts || f->n > 1)
		return NULL;
	return f->machine[0].path;
}

static int write_files(const struct fleet *f, const struct fleet_compare *c, const struct choice *o)
{
	struct report_files w = { .f = f, .c = c, .dir = folder_of(f, o), .charts = o->charts };

	if (w.dir)
		return report_write(&w) < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
	if (f->n > 1 && !o->explain_peak && !o->json)
		log_note("report: no page was written: -o DIR writes report.html, report.md and "
			 "charts/ there");
	return NB_EXIT_OK;
}

static int report_runs(const struct choice *o, const char *const *paths, size_t n)
{
	struct fleet f;
	struct fleet_compare c = { 0 };
	char why[600];
	int code;

	if (fleet_load(&f, paths, n, why, sizeof(why)) < 0) {
		log_error("report: %s", why);
		return NB_EXIT_USAGE;
	}
	code = apply(&f, o) ? NB_EXIT_USAGE : NB_EXIT_OK;
	if (code == NB_EXIT_OK && folder_of(&f, o))
		code = report_write_may(folder_of(&f, o));
	if (code == NB_EXIT_OK && fleet_compare_build(&c, &f) < 0) {
		log_error("report: out of memory");
		code = NB_EXIT_BROKEN;
	}
	if (code == NB_EXIT_OK)
		code = print(&f, &c, o);
	if (code == NB_EXIT_OK)
		code = write_files(&f, &c, o);
	fleet_compare_fini(&c);
	fleet_fini(&f);
	return code;
}

static int report(int argc, char **argv)
{
	struct choice c;
	int n;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return help();
	n = parse(&c, argc, argv);
	return n < 0 ? NB_EXIT_USAGE : report_runs(&c, (const char *const *)argv, (size_t)n);
}

const struct cmd cmd_report = { "report", "table, page and pictures of one run or of several",
				report, false };
