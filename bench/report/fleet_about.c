/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds the figures: outcomes, findings in logs, machines and versions, method,
 * assumptions. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/fleet_page.h"
#include "report/machine_log.h"
#include "report/remarks.h"
#include "report/sheet.h"
#include "report/view.h"
#include "spec/outcome.h"

#define FINDINGS_SHOWN 20

static const char *name_of(const struct fleet_page *p, size_t machine)
{
	return p->f->machine[machine].name;
}

/* ---- outcomes ---- */

static void count_outcomes(const struct view *v, const char *transport, size_t *count)
{
	memset(count, 0, OUTCOME_COUNT * sizeof(*count));
	for (size_t i = 0; i < v->n_rows; i++) {
		int id = outcome_find(v->rows[i].outcome);

		if (id >= 0 && (!transport || strcmp(v->rows[i].transport, transport) == 0))
			count[id]++;
	}
}

static void outcome_row(struct sheet_table *t, const struct fleet_page *p,
			const struct fleet_row *r, const size_t *total)
{
	size_t count[OUTCOME_COUNT];

	count_outcomes(&p->f->machine[r->machine].run.view, r->s.transport, count);
	sheet_table_row(t, SHEET_ROW);
	if (p->f->n > 1)
		sheet_table_cell(t, "%s", name_of(p, r->machine));
	sheet_table_cell(t, "%s", r->s.label);
	for (int id = 0; id < OUTCOME_COUNT; id++)
		if (total[id])
			sheet_table_cell(t, "%zu", count[id]);
}

static void count_all(const struct fleet *f, size_t *total)
{
	size_t count[OUTCOME_COUNT];

	memset(total, 0, OUTCOME_COUNT * sizeof(*total));
	for (size_t m = 0; m < f->n; m++) {
		count_outcomes(&f->machine[m].run.view, NULL, count);
		for (int id = 0; id < OUTCOME_COUNT; id++)
			total[id] += count[id];
	}
}

/* Lines that remarks.c wrote, each an item. */
static void items(struct sheet *s, const struct buf *lines, const char *before)
{
	const char *at = buf_text(lines);

	while (*at) {
		size_t n;

		at += strspn(at, " ");
		n = strcspn(at, "\n");
		if (n)
			sheet_item(s, "%s%.*s", before, (int)n, at);
		at += n + (at[n] != '\0');
	}
	s->out.failed |= lines->failed;
}

static void write_bad(struct sheet *s, const struct fleet_page *p)
{
	s->form->list(s, true);
	for (size_t m = 0; m < p->f->n; m++) {
		struct buf lines = { 0 };
		char before[FLEET_NAME + 4] = "";

		if (p->f->n > 1)
			snprintf(before, sizeof(before), "%s: ", name_of(p, m));
		remarks_counts(&lines, &p->f->machine[m].run.view);
		remarks_bad(&lines, &p->f->machine[m].run.view, 0);
		items(s, &lines, before);
		buf_fini(&lines);
	}
	s->form->list(s, false);
}

void fleet_write_outcomes(struct sheet *s, const struct fleet_page *p)
{
	size_t total[OUTCOME_COUNT];
	struct sheet_table t;

	count_all(p->f, total);
	sheet_table_begin(&t, "Points by outcome", p->f->n > 1 ? 2 : 1);
	if (p->f->n > 1)
		sheet_table_column(&t, "machine", "", false);
	sheet_table_column(&t, "transport", "", false);
	for (int id = 0; id < OUTCOME_COUNT; id++)
		if (total[id])
			sheet_table_column(&t, outcome_table[id].name, "", true);
	for (size_t i = 0; i < p->c->n; i++)
		outcome_row(&t, p, &p->c->row[i], total);
	sheet_table_put(s, &t);
	write_bad(s, p);
}

/* ---- findings ---- */

/* Several lines as one: "; " between them. */
static void one_line(struct buf *b, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n && b->len)
			buf_puts(b, "; ");
		buf_add(b, text, n);
		text += n + (text[n] != '\0');
	}
}

static void line_cell(struct sheet_table *t, const char *text)
{
	struct buf b = { 0 };

	one_line(&b, text);
	sheet_table_cell(t, "%s", buf_text(&b));
	t->failed |= b.failed;
	buf_fini(&b);
}

static const char *file_of(const struct machine_log *log, int file)
{
	return file >= 0 && (size_t)file < log->facts->n_files ? log->facts->files[file].name : "?";
}

static void finding_row(struct sheet_table *t, const struct fleet_page *p, size_t m,
			const struct finding *f)
{
	const struct machine_log *log = &p->log[m];

	sheet_table_row(t, f->severity == SEVERITY_INFO ? SHEET_ROW_FAINT : SHEET_ROW);
	if (p->f->n > 1)
		sheet_table_cell(t, "%s", name_of(p, m));
	sheet_table_cell(t, "%s", severity_names[f->severity]);
	line_cell(t, buf_text(&f->text));
	line_cell(t, buf_text(&f->remedy));
	if (f->n_evidence > 0)
		sheet_table_cell(t, "%s, line %llu: %s", file_of(log, f->evidence[0].at.file),
				 (unsigned long long)f->evidence[0].at.line, f->evidence[0].text);
	else
		sheet_table_cell(t, "-");
}

static void log_line(struct sheet *s, const struct fleet_page *p, size_t m)
{
	const struct machine_log *log = &p->log[m];
	const char *before = p->f->n > 1 ? name_of(p, m) : "", *colon = p->f->n > 1 ? ": " : "";

	if (!log->facts) {
		sheet_item(s, "%s%sthe run kept no log of NCCL.", before, colon);
		return;
	}
	sheet_item(s, "%s%s%zu log%s of transport %s read, %zu finding%s%s%s.", before, colon,
		   log->files, log->files == 1 ? "" : "s", log->transport, log->found.n,
		   log->found.n == 1 ? "" : "s", log->left ? "; some logs were not read" : "",
		   log->found.n > FINDINGS_SHOWN ? "; ncclbench explain shows all" : "");
}

void fleet_write_findings(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;

	if (!p->log) {
		sheet_text(s, SHEET_PLAIN, "Logs were not read.");
		return;
	}
	s->form->list(s, true);
	for (size_t m = 0; m < p->f->n; m++)
		log_line(s, p, m);
	s->form->list(s, false);
	sheet_table_begin(&t, "Findings of ncclbench explain, worst first", p->f->n > 1 ? 2 : 1);
	if (p->f->n > 1)
		sheet_table_column(&t, "machine", "", false);
	sheet_table_column(&t, "severity", "", false);
	sheet_table_column(&t, "what", "", false);
	sheet_table_column(&t, "what to do", "", false);
	sheet_table_column(&t, "seen in", "", false);
	for (size_t m = 0; m < p->f->n; m++)
		for (size_t i = 0; p->log[m].facts && i < p->log[m].found.n && i < FINDINGS_SHOWN;
		     i++)
			finding_row(&t, p, m, &p->log[m].found.list[i]);
	sheet_table_put(s, &t);
}

/* ---- facts of run.json ---- */

struct fact {
	const char *head, *key;
	bool of_rank; /* of the object of rank 0 */
	double scale; /* of a number; 0: as it is */
};

/* TABLES: rows of the two tables of facts. A fact that no machine has is left out. */
static const struct fact environment[] = {
	{ "machine", "machine", false, 0 },
	{ "versions", "versions", false, 0 },
	{ "host", "host", true, 0 },
	{ "hosts", "hosts", false, 0 },
	{ "ranks", "nranks", false, 0 },
	{ "GPU of rank 0", "gpu0.name", true, 0 },
	{ "backend", "backend", false, 0 },
	{ "library", "lib_version", true, 0 },
	{ "library file", "lib_path", true, 0 },
	{ "driver", "driver_version", true, 0 },
	{ "CUDA runtime", "runtime_version", true, 0 },
	{ "processor", "cpu", true, 0 },
	{ "kernel", "kernel", true, 0 },
	{ "operating system", "os", true, 0 },
	{ "memory, GB", "mem_bytes", true, 1e-9 },
	{ "/dev/shm, GB", "shm_bytes", true, 1e-9 },
	{ "InfiniBand devices", "ib_devices", true, 0 },
	{ "interface of TCP", "tcp_interface", false, 0 },
};

static const struct fact method[] = {
	{ "measured", "started", false, 0 },
	{ "ncclbench", "ncclbench", false, 0 },
	{ "command", "command", false, 0 },
	{ "arguments", "arguments", false, 0 },
	{ "took, s", "seconds", false, 1 },
	{ "complete", "complete", false, 0 },
	{ "profile", "profile", false, 0 },
	{ "restarts", "restarts", false, 0 },
	{ "planned points", "planned_points", false, 0 },
	{ "seed", "seed", false, 0 },
	{ "plan", "plan", false, 0 },
	{ "placement", "placement", false, 0 },
};

static void fact_number(double v, double scale, char *out, size_t max)
{
	if (scale != 0)
		snprintf(out, max, "%.1f", v * scale);
	else
		num_format_double(v, out, max);
}

static void fact_text(const struct fleet_machine *m, const struct fact *k, char *out, size_t max)
{
	const json_t *o =
	    k->of_rank ? json_array_get(json_object_get(m->run.meta, "ranks"), 0) : m->run.meta;
	const json_t *v = json_object_get(o, k->key);
	double number;

	snprintf(out, max, "%s", "");
	if (json_is_string(v) && k->scale != 0 &&
	    num_parse_double(json_string_value(v), &number) == 0)
		fact_number(number, k->scale, out, max);
	else if (json_is_string(v))
		snprintf(out, max, "%s", json_string_value(v));
	else if (json_is_integer(v))
		snprintf(out, max, "%lld", (long long)json_integer_value(v));
	else if (json_is_number(v))
		fact_number(json_number_value(v), k->scale, out, max);
	else if (json_is_boolean(v))
		snprintf(out, max, "%s", json_is_true(v) ? "yes" : "no");
}

static void fact_columns(struct sheet_table *t, const struct fleet_page *p, const char *head)
{
	sheet_table_column(t, head, "", false);
	for (size_t m = 0; m < p->f->n; m++)
		sheet_table_column(t, p->f->n > 1 ? name_of(p, m) : "value", "", false);
	if (p->f->n > 1)
		sheet_table_column(t, "differs", "", false);
}

static void fact_row(struct sheet_table *t, const struct fleet_page *p, const struct fact *k)
{
	char first[512], text[512];
	bool any = false, differs = false;

	for (size_t m = 0; m < p->f->n; m++) {
		fact_text(&p->f->machine[m], k, text, sizeof(text));
		if (m == 0)
			snprintf(first, sizeof(first), "%s", text);
		any |= text[0] != '\0';
		differs |= strcmp(first, text) != 0;
	}
	if (!any)
		return;
	sheet_table_row(t, SHEET_ROW);
	sheet_table_cell(t, "%s", k->head);
	for (size_t m = 0; m < p->f->n; m++) {
		fact_text(&p->f->machine[m], k, text, sizeof(text));
		sheet_table_cell(t, "%s", text[0] ? text : "-");
	}
	if (p->f->n > 1)
		sheet_table_cell(t, "%s", differs ? "yes" : "");
}

static void given_row(struct sheet_table *t, const struct fleet_page *p, const char *head,
		      const char *unit, bool power)
{
	bool any = false;

	for (size_t m = 0; m < p->f->n; m++)
		any |= isfinite(power ? p->f->machine[m].power : p->f->machine[m].price);
	if (!any)
		return;
	sheet_table_row(t, SHEET_ROW);
	sheet_table_cell(t, "%s", head);
	for (size_t m = 0; m < p->f->n; m++) {
		double v = power ? p->f->machine[m].power : p->f->machine[m].price;
		char text[48] = "";

		if (isfinite(v))
			num_format_double(v, text, sizeof(text));
		sheet_table_cell(t, "%s%s%s", text[0] ? text : "not given", text[0] ? " " : "",
				 text[0] ? unit : "");
	}
}

/* The variables the run was started with: only those it may keep (docs/design.md). */
static void write_variables(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;

	sheet_table_begin(&t, "Variables of the user's environment that a run may record",
			  p->f->n > 1 ? 2 : 1);
	if (p->f->n > 1)
		sheet_table_column(&t, "machine", "", false);
	sheet_table_column(&t, "variable", "", false);
	sheet_table_column(&t, "value", "", false);
	for (size_t m = 0; m < p->f->n; m++) {
		json_t *list = json_object_get(p->f->machine[m].run.meta, "environment");
		const char *key;
		json_t *v;

		json_object_foreach(list, key, v)
		{
			sheet_table_row(&t, SHEET_ROW);
			if (p->f->n > 1)
				sheet_table_cell(&t, "%s", name_of(p, m));
			sheet_table_cell(&t, "%s", key);
			sheet_table_cell(&t, "%s", json_is_string(v) ? json_string_value(v) : "");
		}
	}
	sheet_table_put(s, &t);
}

void fleet_write_environment(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;

	sheet_table_begin(&t, "What the figures were measured on", 1);
	fact_columns(&t, p, "fact");
	for (size_t i = 0; i < N_ELEMENTS(environment); i++)
		fact_row(&t, p, &environment[i]);
	given_row(&t, p, "price, as given", p->f->currency, false);
	given_row(&t, p, "power, as given", "W", true);
	if (t.n_rows == 0)
		sheet_text(s, SHEET_PLAIN, "The runs do not say what they were measured on.");
	sheet_table_put(s, &t);
	write_variables(s, p);
}

/* ---- method ---- */

/* "graph, stream" */
static void timings_of(const struct view *v, struct buf *b)
{
	for (size_t i = 0; i < v->n_rows; i++) {
		bool seen = v->rows[i].timing[0] == '\0';

		for (size_t k = 0; k < i && !seen; k++)
			seen = strcmp(v->rows[k].timing, v->rows[i].timing) == 0;
		if (!seen)
			buf_printf(b, "%s%s", b->len ? ", " : "", v->rows[i].timing);
	}
}

static size_t stopped_by(const struct view *v, const char *why)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_rows; i++)
		n += strcmp(v->rows[i].stop, why) == 0;
	return n;
}

static void timing_rows(struct sheet_table *t, const struct fleet_page *p)
{
	sheet_table_row(t, SHEET_ROW);
	sheet_table_cell(t, "timings");
	for (size_t m = 0; m < p->f->n; m++) {
		struct buf b = { 0 };

		timings_of(&p->f->machine[m].run.view, &b);
		sheet_table_cell(t, "%s", b.len ? buf_text(&b) : "-");
		buf_fini(&b);
	}
	sheet_table_row(t, SHEET_ROW);
	sheet_table_cell(t, "points stopped by");
	for (size_t m = 0; m < p->f->n; m++) {
		const struct view *v = &p->f->machine[m].run.view;

		sheet_table_cell(t, "precision %zu, budget %zu", stopped_by(v, "precision"),
				 stopped_by(v, "budget"));
	}
}

void fleet_write_measured(struct sheet *s, const struct fleet_page *p)
{
	struct sheet_table t;

	sheet_table_begin(&t, "How the figures came about", 1);
	fact_columns(&t, p, "fact");
	for (size_t i = 0; i < N_ELEMENTS(method); i++)
		fact_row(&t, p, &method[i]);
	timing_rows(&t, p);
	sheet_table_put(s, &t);
	s->form->list(s, true);
	sheet_item(
	    s, "A figure is the median over batches of the slowest rank's time for one operation.");
	sheet_item(s, "graph: operations captured once and replayed, device time. stream: launched "
		      "by the host, "
		      "what an eager framework sees. blocking: one operation, then a wait. host: "
		      "in host memory.");
	sheet_item(
	    s,
	    "A point is measured until the 95 %% interval of its median is tight enough "
	    "(precision) or "
	    "its time is spent (budget). Intervals are of one run: other starts may lie outside.");
	sheet_item(
	    s, "Data is checked outside the clock; what is wrong is an outcome, never a figure.");
	s->form->list(s, false);
}

/* ---- assumptions ---- */

void fleet_write_assumed(struct sheet *s, const struct fleet_page *p)
{
	s->form->list(s, true);
	sheet_item(
	    s, "Bandwidths are bus bandwidths in GB/s (10^9 bytes per second), comparable with one "
	       "direction of a link; latency is the time of one operation, of pingpong half a "
	       "round trip.");
	sheet_item(s, "Percent of peak is against the specification of the link a transport uses, "
		      "socket against "
		      "measured TCP; where the switch or the network reduces, algorithm bandwidth "
		      "against the "
		      "line rate. auto, which chooses itself, is held against none.");
	if (p->f->n > 1) {
		sheet_item(s, "Machines are compared at the size that most of their transports "
			      "have, and only "
			      "within one backend and one timing; the fastest transport of each "
			      "stands for it.");
		sheet_item(s, "Other numbers of ranks, library versions and drivers are not "
			      "corrected for: see "
			      "\"differs\" above.");
	}
	sheet_item(s, "Network transports on one host run over loopback and rank nothing.");
	if (p->c->priced || p->c->powered)
		sheet_item(s, "Prices and powers are as given on the command line, of whole "
			      "machines; nothing is "
			      "estimated where none was given.");
	sheet_item(s, "Other load, clocks that were held down and other starts of a machine are "
		      "not modelled; "
		      "ncclbench gate compares runs with their noise.");
	s->form->list(s, false);
}
