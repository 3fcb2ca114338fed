/* SPDX-License-Identifier: Apache-2.0 */
/* list WHAT: prints any table of the program. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "data/columns_doc.h"
#include "data/record.h"
#include "judge/facts.h"
#include "judge/groups.h"
#include "judge/verdict.h"
#include "doctor/check.h"
#include "doctor/emit.h"
#include "doctor/hardware.h"
#include "explain/page.h"
#include "explain/rule.h"
#include "import/format.h"
#include "ncclbench/exitcode.h"
#include "report/chart.h"
#include "report/estimate.h"
#include "report/gate.h"
#include "search/tunable.h"
#include "spec/ceiling.h"
#include "spec/dtype.h"
#include "spec/op.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"
#include "tool/cmd.h"

struct row {
	char name[64];
	struct buf help;
};

struct list {
	const char *name, *help;
	size_t (*count)(void);
	void (*fill)(size_t i, struct row *r);
};

static void set(struct row *r, const char *name, const char *help)
{
	snprintf(r->name, sizeof(r->name), "%s", name);
	buf_puts(&r->help, help ? help : "");
}

static size_t n_ops(void)
{
	return OP_COUNT;
}
static size_t n_dtypes(void)
{
	return DTYPE_COUNT;
}
static size_t n_redops(void)
{
	return REDOP_COUNT;
}
static size_t n_timings(void)
{
	return TIMING_COUNT;
}
static size_t n_variants(void)
{
	return VARIANT_COUNT;
}
static size_t n_transports(void)
{
	return TRANSPORT_COUNT;
}
static size_t n_profiles(void)
{
	return (size_t)profile_count;
}
static size_t n_outcomes(void)
{
	return OUTCOME_COUNT;
}
static size_t n_columns(void)
{
	return record_n_columns;
}
static size_t n_rules(void)
{
	return RULE_COUNT;
}
static size_t n_charts(void)
{
	return chart_count;
}
static size_t n_verdicts(void)
{
	return VERDICT_COUNT;
}
static size_t n_facts(void)
{
	return FACT_COUNT;
}
static size_t n_checks(void)
{
	return check_count;
}
static size_t n_hardware(void)
{
	return hardware_count;
}
static size_t n_tunable_rows(void)
{
	return n_tunables;
}
static size_t n_classes(void)
{
	return n_size_classes;
}
static size_t n_ceilings(void)
{
	return CEILING_COUNT;
}
static size_t n_models(void)
{
	return estimate_n_models;
}
static size_t n_schemes(void)
{
	return estimate_n_schemes;
}
static size_t n_formats(void)
{
	return import_n_formats;
}
static size_t n_emits(void)
{
	return emit_count;
}
static size_t n_judgements(void)
{
	return gate_n_writers;
}

static void op_row(size_t i, struct row *r)
{
	set(r, op_table[i].name, op_table[i].help);
	buf_puts(&r->help, op_table[i].flags & OP_DEFAULT ? " [default]" : "");
}

static void dtype_row(size_t i, struct row *r)
{
	set(r, dtype_table[i].name, "");
	buf_printf(&r->help, "%u byte%s%s%s", dtype_table[i].bytes,
		   dtype_table[i].bytes == 1 ? "" : "s", dtype_table[i].alias ? ", also " : "",
		   dtype_table[i].alias ? dtype_table[i].alias : "");
}

static void redop_row(size_t i, struct row *r)
{
	set(r, redop_table[i].name, redop_table[i].help);
}
static void timing_row(size_t i, struct row *r)
{
	set(r, timing_table[i].name, timing_table[i].help);
}
static void variant_row(size_t i, struct row *r)
{
	set(r, variant_table[i].name, variant_table[i].help);
}
static void profile_row(size_t i, struct row *r)
{
	set(r, profile_table[i].name, profile_table[i].help);
}
static void outcome_row(size_t i, struct row *r)
{
	set(r, outcome_table[i].name, outcome_table[i].help);
}
static void chart_row(size_t i, struct row *r)
{
	set(r, chart_table[i].id, chart_table[i].help);
}

static void rule_row(size_t i, struct row *r)
{
	set(r, rule_table[i].id, rule_table[i].cause);
	buf_printf(&r->help, " [%s]", severity_names[rule_table[i].severity]);
}

static void check_row(size_t i, struct row *r)
{
	set(r, check_table[i].id, check_table[i].question);
}

static void hardware_row(size_t i, struct row *r)
{
	const struct hardware *h = &hardware_table[i];

	set(r, h->family, "NVLink: ");
	buf_printf(&r->help, "%s\n    P2P: %s; GPUDirect RDMA: %s; needs CUDA %s, NCCL %s",
		   h->nvlink, h->p2p, h->rdma, h->cuda, h->nccl);
}

static void class_row(size_t i, struct row *r)
{
	set(r, size_classes[i].name, size_classes[i].help);
}

static void ceiling_row(size_t i, struct row *r)
{
	const struct ceiling *c = &ceiling_table[i];

	set(r, c->name, c->how);
	if (c->bounds[0])
		buf_printf(&r->help, " [bounds %s]", c->bounds);
}

static void model_row(size_t i, struct row *r)
{
	const struct estimate_model *m = &estimate_models[i];

	set(r, m->name, "");
	buf_printf(&r->help, "%.3g parameters, %g layers of %g, %g tokens a sequence (%s)",
		   m->parameters, m->layers, m->hidden, m->sequence, m->source);
}

static void scheme_row(size_t i, struct row *r)
{
	set(r, estimate_schemes[i].name, estimate_schemes[i].help);
}

static void format_row(size_t i, struct row *r)
{
	set(r, import_formats[i].name, import_formats[i].help);
}

static void emit_row(size_t i, struct row *r)
{
	set(r, emit_formats[i].name, emit_formats[i].help);
}

static void judgement_row(size_t i, struct row *r)
{
	set(r, gate_writers[i].name, gate_writers[i].help);
}

static void verdict_row(size_t i, struct row *r)
{
	set(r, verdict_table[i].name, verdict_table[i].help);
	buf_printf(&r->help, " (exit %d)", verdict_table[i].exit_group);
}

static void fact_row(size_t i, struct row *r)
{
	set(r, fact_table[i].name, fact_table[i].help);
	buf_printf(&r->help, "%s%s%s%s%s", fact_table[i].alias ? ", also " : "",
		   fact_table[i].alias ? fact_table[i].alias : "",
		   fact_table[i].part_of ? "; may differ with " : "",
		   fact_table[i].part_of ? fact_table[i].part_of : "",
		   fact_table[i].must ? "" : " (a difference is only told)");
}

static void transport_row(size_t i, struct row *r)
{
	const struct transport *t = &transport_table[i];

	set(r, t->name, t->help);
	buf_printf(&r->help, " (%s)", backend_names[t->backend]);
	for (const struct env_pair *p = t->set; p->name; p++)
		buf_printf(&r->help, "%s%s=%s", p == t->set ? "\n    sets " : " ", p->name,
			   p->value);
}

static void say_version(int v, struct buf *out)
{
	buf_printf(out, "%d.%d.%d", v / 10000, v / 100 % 100, v % 100);
}

static void tunable_row(size_t i, struct row *r)
{
	const struct tunable *t = &tunable_table[i];

	set(r, t->name, t->acts);
	buf_printf(&r->help, " [%s", tunable_group_names[t->group]);
	if (t->since) {
		buf_puts(&r->help, ", since ");
		say_version(t->since, &r->help);
	}
	if (t->until) {
		buf_puts(&r->help, ", until ");
		say_version(t->until, &r->help);
	}
	buf_puts(&r->help, "]\n    on");
	for (int k = 0; k < TRANSPORT_COUNT; k++)
		if (t->transports >> k & 1)
			buf_printf(&r->help, " %s", transport_table[k].name);
	buf_printf(&r->help, "%s; tries",
		   t->ops == TUNE_ANY          ? ""
		   : t->ops == TUNE_COLLECTIVE ? ", collectives"
					       : ", send and receive");
	for (const char *const *v = t->values; *v; v++)
		buf_printf(&r->help, " %s", *v);
	buf_printf(&r->help, "%s%s\n    %s", t->risk[0] ? "; risk: " : "", t->risk, t->source);
}

static void column_row(size_t i, struct row *r)
{
	set(r, record_columns[i].name, record_columns[i].help);
	if (record_columns[i].unit && record_columns[i].unit[0])
		buf_printf(&r->help, " [%s]", record_columns[i].unit);
}

static const struct list lists[] = {
	{ "ops", "operations a sweep can measure", n_ops, op_row },
	{ "transports", "transports and the variables that force them", n_transports,
	  transport_row },
	{ "types", "element types", n_dtypes, dtype_row },
	{ "reductions", "reduction operators", n_redops, redop_row },
	{ "timings", "what a time includes", n_timings, timing_row },
	{ "registrations", "kinds of buffer registration", n_variants, variant_row },
	{ "profiles", "how much is measured", n_profiles, profile_row },
	{ "outcomes", "what can become of a point", n_outcomes, outcome_row },
	{ "columns", "columns of points.csv", n_columns, column_row },
	{ "rules", "what explain finds in a log", n_rules, rule_row },
	{ "charts", "pictures of a run", n_charts, chart_row },
	{ "verdicts", "what `gate` says of a point or a group", n_verdicts, verdict_row },
	{ "facts", "what must be equal before `gate` compares (--across)", n_facts, fact_row },
	{ "checks", "what `doctor` asks about a machine", n_checks, check_row },
	{ "hardware", "GPU families: NVLink, P2P, RDMA, oldest CUDA and NCCL", n_hardware,
	  hardware_row },
	{ "tunables", "what `tune` tries: values, where and since when they act, risk",
	  n_tunable_rows, tunable_row },
	{ "classes", "size classes of `gate`", n_classes, class_row },
	{ "judgements", "forms in which `gate` writes what it found", n_judgements, judgement_row },
	{ "ceilings", "what links carry without NCCL, measured beside it", n_ceilings,
	  ceiling_row },
	{ "models", "model shapes of `estimate`", n_models, model_row },
	{ "schemes", "kinds of parallelism of `estimate`", n_schemes, scheme_row },
	{ "formats", "foreign tables that `import` reads", n_formats, format_row },
	{ "settings", "forms of `doctor --emit`", n_emits, emit_row },
};

static int print_text(const struct list *l)
{
	for (size_t i = 0; i < l->count(); i++) {
		struct row r = { 0 };

		l->fill(i, &r);
		printf("%-16s %s\n", r.name, buf_text(&r.help));
		buf_fini(&r.help);
	}
	return NB_EXIT_OK;
}

static int print_json(const struct list *l)
{
	json_t *o = json_object(), *rows = json_array();
	char *text;

	for (size_t i = 0; i < l->count(); i++) {
		struct row r = { 0 };

		l->fill(i, &r);
		json_array_append_new(
		    rows, json_pack("{s:s,s:s}", "name", r.name, "help", buf_text(&r.help)));
		buf_fini(&r.help);
	}
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "command", json_string("list"));
	json_object_set_new(o, "what", json_string(l->name));
	json_object_set_new(o, "rows", rows);
	text = json_dumps(o, JSON_INDENT(1));
	json_decref(o);
	if (text)
		printf("%s\n", text);
	else
		log_error("list: out of memory");
	free(text);
	return text ? NB_EXIT_OK : NB_EXIT_BROKEN;
}

static int print_markdown(void (*write)(struct buf *out))
{
	struct buf b = { 0 };
	int r;

	write(&b);
	r = output_put(&b);
	buf_fini(&b);
	return r < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static void print_help(void)
{
	printf("usage: ncclbench list WHAT [--json]\n\n");
	for (size_t i = 0; i < N_ELEMENTS(lists); i++)
		printf("  %-14s %s\n", lists[i].name, lists[i].help);
	printf("\nExample: ncclbench list transports\n`list columns --markdown` writes "
	       "results/README.md, `list rules --markdown` the table in docs/explain.md.\n");
}

static const struct list *find(const char *word)
{
	const char *names[N_ELEMENTS(lists)], *near;

	for (size_t i = 0; i < N_ELEMENTS(lists); i++) {
		names[i] = lists[i].name;
		if (strcmp(lists[i].name, word) == 0)
			return &lists[i];
	}
	near = num_nearest(word, names, N_ELEMENTS(lists));
	log_error("list: there is no table '%.*s'%s%s; ncclbench list --help names all",
		  CMD_WORD_MAX, word, near ? "; did you mean " : "", near ? near : "");
	return NULL;
}

static int unknown_format(const char *word)
{
	log_error(
	    "list: unknown option '%.*s'; there is --json, and --markdown for columns and rules",
	    CMD_WORD_MAX, word);
	return NB_EXIT_USAGE;
}

/* Words in any order: one table, at most one format. */
static int list(int argc, char **argv)
{
	const struct list *l = NULL;
	const char *what = NULL, *how = NULL;

	for (int i = 1; i < argc; i++) {
		const char **slot = strncmp(argv[i], "--", 2) == 0 ? &how : &what;

		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return print_help(), NB_EXIT_OK;
		if (*slot) {
			log_error("list: one word too many: '%.*s' after '%.*s'", CMD_WORD_MAX,
				  argv[i], CMD_WORD_MAX, *slot);
			return NB_EXIT_USAGE;
		}
		*slot = argv[i];
	}
	if (how && strcmp(how, "--json") != 0 && strcmp(how, "--markdown") != 0)
		return unknown_format(how);
	if (!what) {
		log_error("list: name a table; ncclbench list --help names all");
		return NB_EXIT_USAGE;
	}
	l = find(what);
	if (!l)
		return NB_EXIT_USAGE;
	if (!how)
		return print_text(l);
	if (strcmp(how, "--json") == 0)
		return print_json(l);
	if (strcmp(how, "--markdown") == 0 && strcmp(l->name, "columns") == 0)
		return print_markdown(columns_markdown);
	if (strcmp(how, "--markdown") == 0 && strcmp(l->name, "rules") == 0)
		return print_markdown(page_rules_markdown);
	return unknown_format(how);
}

const struct cmd cmd_list = { "list",
			      "print any table of the program (ops, transports, columns ...)", list,
			      false };
