/* SPDX-License-Identifier: Apache-2.0 */
#include "run/health_page.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/num.h"
#include "ncclbench/exitcode.h"
#include "run/finish.h"
#include "run/facts.h"
#include "run/health.h"
#include "run/launch.h"
#include "run/meta.h"
#include "spec/transport.h"

#define FINDINGS_SHOWN 3
#define RANKS_SHOWN 64

/* ---- for a person ---- */

static void show_row(const struct record *r, struct buf *out)
{
	char size[32], time[32] = "";

	num_format_size(r->bytes, size, sizeof(size));
	if (strcmp(r->outcome, "ok") != 0) {
		buf_printf(out, "  %-12s %8s  %s: %s\n", r->op, size, r->outcome, r->detail);
		return;
	}
	num_format_time(r->time_us * 1e3, 0, time, sizeof(time));
	buf_printf(out, "  %-12s %8s  ok, data right, %s", r->op, size, time);
	if (r->bytes >= 1 << 20 && isfinite(r->busbw_gbps))
		buf_printf(out, " (%.3g GB/s)", r->busbw_gbps);
	buf_printf(out, "  %s, %s%s%s\n", r->used[0] ? r->used : "?",
		   strcmp(r->proof, "yes") == 0 ? "proven" : "not proven", r->detail[0] ? ": " : "",
		   r->detail);
}

static void show_steps(const struct campaign *k, struct buf *out)
{
	const struct config_state *cs = &k->configs[0];

	if (cs->init_us >= 0)
		buf_printf(out, "  connect                ok, %.2f s (device context %.2f s)\n",
			   (double)cs->init_us / 1e6,
			   cs->context_us >= 0 ? (double)cs->context_us / 1e6 : 0);
	for (size_t i = 0; i < k->plan.n_points; i++)
		if (k->points[i].done)
			show_row(&k->points[i].record, out);
}

static void show_ranks(const struct health *h, const struct campaign *k, const struct launch *l,
		       struct buf *out)
{
	char host[64];

	buf_puts(out, "  rank  host              GPU  phase    what happened\n");
	for (int i = 0; i < k->request.nranks && i < RANKS_SHOWN; i++) {
		const struct health_rank *r = &h->ranks[i];
		const char *what = r->outcome == OUTCOME_OK        ? "answered"
				   : r->outcome == OUTCOME_ABORTED ? "waited"
								   : outcome_table[r->outcome].name;

		facts_get(&l->facts, i, "host", host, sizeof(host));
		buf_printf(out, "  %4d  %-16.16s", i, host);
		if (l->backend == BACKEND_NCCL)
			buf_printf(out, "  %3d", facts_device(&l->facts, i));
		else
			buf_puts(out, "    -");
		buf_printf(out, "  %-7s  %s%s%s\n", phase_names[r->phase], what,
			   r->detail[0] ? ": " : "", r->detail);
	}
	if (k->request.nranks > RANKS_SHOWN)
		buf_printf(out, "  and %d more (--json has all)\n",
			   k->request.nranks - RANKS_SHOWN);
}

static const char *member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void show_finding(const json_t *o, struct buf *out)
{
	const json_t *at = json_array_get(json_object_get(o, "evidence"), 0);
	const char *remedy = member(o, "remedy");

	buf_printf(out, "  %s: %s [%s, %s]\n", member(o, "severity"), member(o, "text"),
		   member(o, "cause"), member(o, "confidence"));
	if (at)
		buf_printf(out, "    %s:%" JSON_INTEGER_FORMAT ": %s\n", member(at, "file"),
			   json_integer_value(json_object_get(at, "line")), member(at, "text"));
	while (*remedy) {
		size_t n = strcspn(remedy, "\n");

		buf_printf(out, "    do: %.*s\n", (int)n, remedy);
		remedy += n + (remedy[n] == '\n');
	}
}

static void show_findings(const struct health *h, struct buf *out)
{
	const json_t *o;
	size_t i;
	int shown = 0;

	json_array_foreach(h->findings, i, o) {
		if (strcmp(member(o, "severity"), "info") == 0 || shown++ >= FINDINGS_SHOWN)
			continue;
		show_finding(o, out);
	}
	if (shown > FINDINGS_SHOWN)
		buf_printf(out, "  and %d more: ncclbench explain %s/*.log\n",
			   shown - FINDINGS_SHOWN, h->dir);
}

/* After a good end only a worker that did not go by itself is worth a line. */
static bool all_answered(const struct health *h, int n)
{
	for (int i = 0; i < n; i++)
		if (h->ranks[i].outcome != OUTCOME_OK)
			return false;
	return true;
}

void health_page_text(const struct health *h, const struct campaign *k, const struct finish *f,
		      const struct health_verdict *v, struct buf *out)
{
	char machine[160], versions[160];

	launch_titles(f->launch, k->request.nranks, machine, sizeof(machine), versions,
		      sizeof(versions));
	buf_printf(out, "%s; %s\n", machine, versions);
	show_steps(k, out);
	if (!all_answered(h, k->request.nranks))
		show_ranks(h, k, f->launch, out);
	if (h->ras.len)
		buf_printf(out, "NCCL's RAS says:\n%s", buf_text(&h->ras));
	show_findings(h, out);
	if (v->behind.len)
		buf_printf(out, "%s\n", buf_text(&v->behind));
	if (h->keep)
		buf_printf(out, "logs: %s\n", h->dir);
	buf_printf(out, "%s\n", buf_text(&v->text));
}

/* ---- for scripts ---- */

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *row_object(const struct record *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "op", meta_text(r->op));
	json_object_set_new(o, "bytes", json_integer((json_int_t)r->bytes));
	json_object_set_new(o, "outcome", meta_text(r->outcome));
	json_object_set_new(o, "phase", meta_text(r->phase));
	json_object_set_new(o, "detail", meta_text(r->detail));
	json_object_set_new(o, "used", meta_text(r->used));
	json_object_set_new(o, "proof", meta_text(r->proof));
	json_object_set_new(o, "time_us", number(r->time_us));
	json_object_set_new(o, "busbw_gbps", number(r->busbw_gbps));
	json_object_set_new(o, "wrong", number(r->wrong));
	return o;
}

static json_t *row_list(const struct campaign *k)
{
	json_t *a = json_array();

	for (size_t i = 0; i < k->plan.n_points; i++)
		if (k->points[i].done)
			json_array_append_new(a, row_object(&k->points[i].record));
	return a;
}

static json_t *rank_list(const struct health *h, const struct campaign *k, const struct launch *l)
{
	json_t *a = json_array();
	char host[256];

	for (int i = 0; i < k->request.nranks; i++) {
		json_t *o = json_object();

		facts_get(&l->facts, i, "host", host, sizeof(host));
		json_object_set_new(o, "rank", json_integer(i));
		json_object_set_new(o, "host", meta_text(host));
		json_object_set_new(o, "device",
				    l->backend == BACKEND_NCCL
					? json_integer(facts_device(&l->facts, i))
					: json_null());
		json_object_set_new(o, "phase", meta_text(phase_names[h->ranks[i].phase]));
		json_object_set_new(o, "outcome",
				    meta_text(outcome_table[h->ranks[i].outcome].name));
		json_object_set_new(o, "detail", meta_text(h->ranks[i].detail));
		json_array_append_new(a, o);
	}
	return a;
}

static const char *verdict_word(int exit_code)
{
	return exit_code == NB_EXIT_OK            ? "healthy"
	       : exit_code == NB_EXIT_INTERRUPTED ? "interrupted"
						  : "not healthy";
}

char *health_page_json(const struct health *h, const struct campaign *k, const struct finish *f,
		       const struct health_verdict *v)
{
	json_t *o = json_object();
	char machine[160], versions[160], *text;

	launch_titles(f->launch, k->request.nranks, machine, sizeof(machine), versions,
		      sizeof(versions));
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "command", meta_text("health"));
	json_object_set_new(o, "verdict", meta_text(verdict_word(v->exit_code)));
	json_object_set_new(o, "exit_code", json_integer(v->exit_code));
	json_object_set_new(o, "seconds", number(h->seconds));
	json_object_set_new(o, "cause", meta_text(v->exit_code ? buf_text(&v->text) : ""));
	json_object_set_new(o, "behind", meta_text(buf_text(&v->behind)));
	json_object_set_new(o, "used", meta_text(v->used));
	json_object_set_new(o, "proof", meta_text(v->proof));
	json_object_set_new(o, "backend", meta_text(backend_names[f->launch->backend]));
	json_object_set_new(o, "machine", meta_text(machine));
	json_object_set_new(o, "versions", meta_text(versions));
	json_object_set_new(o, "logs", meta_text(h->keep ? h->dir : ""));
	json_object_set_new(o, "ras", meta_text(buf_text(&h->ras)));
	json_object_set_new(o, "rows", row_list(k));
	json_object_set_new(o, "ranks", rank_list(h, k, f->launch));
	json_object_set_new(o, "findings", h->findings ? json_incref(h->findings) : json_array());
	text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(10));
	json_decref(o);
	return text;
}
