/* SPDX-License-Identifier: Apache-2.0 */
#include "run/meta.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/num.h"
#include "data/record.h"
#include "ncclbench/exitcode.h"
#include "report/scaling.h"
#include "report/view.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/finish.h"
#include "run/launch.h"
#include "run/options.h"
#include "spec/outcome.h"
#include "spec/profile.h"
#include "spec/transport.h"

#define RUN_SCHEMA 1

/* Hostile bytes: jansson refuses text that is not UTF-8, which would lose the whole object. */
json_t *meta_text(const char *s)
{
	json_t *v = json_string(s);
	struct buf clean = { 0 };

	if (v)
		return v;
	for (; *s; s++)
		buf_putc(&clean, *s > 0 ? *s : '?');
	v = json_string(buf_text(&clean));
	buf_fini(&clean);
	return v;
}

static json_t *text(const char *s)
{
	return meta_text(s);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *microseconds(int64_t us)
{
	return us < 0 ? json_null() : json_integer(us);
}

static json_t *environment(char *const *inherited)
{
	json_t *o = json_object();

	for (; inherited && *inherited; inherited++) {
		const char *eq = strchr(*inherited, '=');
		char name[128];
		size_t n = eq ? (size_t)(eq - *inherited) : 0;

		if (n == 0 || n >= sizeof(name))
			continue;
		memcpy(name, *inherited, n);
		name[n] = '\0';
		if (environment_recordable(name))
			json_object_set_new_nocheck(o, name, text(eq + 1));
	}
	return o;
}

static json_t *fact_object(const char *facts)
{
	json_t *o = json_object();

	while (*facts) {
		const char *end = strchrnul(facts, '\n'),
			   *eq = memchr(facts, '=', (size_t)(end - facts));

		if (eq) {
			char *key = strndup(facts, (size_t)(eq - facts)),
			     *value = strndup(eq + 1, (size_t)(end - eq - 1));

			if (key && value)
				json_object_set_new(o, key, text(value));
			free(key);
			free(value);
		}
		facts = *end ? end + 1 : end;
	}
	return o;
}

static json_t *ranks(const struct launch *l)
{
	json_t *a = json_array();

	for (int i = 0; i < l->facts.n; i++)
		json_array_append_new(a, fact_object(l->facts.text[i]));
	return a;
}

/* What each arm of a comparison sets; nothing for a run of one environment. */
static json_t *arms(const struct campaign *k)
{
	json_t *a = json_array();

	for (int i = 0; k->arms && i < k->plan.n_arms; i++) {
		json_t *o = json_object(), *set = json_object();

		for (size_t n = 0; n < k->arms[i].n; n++)
			json_object_set_new_nocheck(set, k->arms[i].set[n].name,
						    text(k->arms[i].set[n].value));
		json_object_set_new(o, "arm", text(k->arms[i].label));
		json_object_set_new(o, "text", text(k->arms[i].text));
		json_object_set_new(o, "environment", set);
		json_object_set_new(o, "nccl_lib",
				    text(k->arms[i].nccl_lib ? k->arms[i].nccl_lib : ""));
		json_object_set_new(o, "lib_version", text(k->arms[i].lib_version));
		json_array_append_new(a, o);
	}
	return a;
}

/* Numbers of ranks that were measured, ascending. */
static json_t *rank_counts(const struct campaign *k)
{
	const struct plan_request *q = &k->request;
	json_t *a = json_array();

	for (int i = 0; i < q->n_counts; i++)
		json_array_append_new(a, json_integer(q->counts[i]));
	if (!q->n_counts)
		json_array_append_new(a, json_integer(q->nranks));
	return a;
}

/* How each point was measured (its batches), and when one is not: the numbers, since the name of a
 * profile stays when they change. The gate compares those of judge/facts.c. */
static json_t *sampling(const struct profile *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "min_batches", json_integer(p->min_batches));
	json_object_set_new(o, "max_batches", json_integer(p->max_batches));
	json_object_set_new(o, "batch_min_us", json_integer(p->batch_min_ns / CLOCK_US));
	json_object_set_new(o, "point_budget_us", json_integer(p->point_budget_ns / CLOCK_US));
	json_object_set_new(o, "single_limit_us", json_integer(p->single_limit_ns / CLOCK_US));
	return o;
}

/* A run without --pairs has one pair, and that alone. */
static const char *pairs_rule(const struct plan_request *q)
{
	return plan_pairs_words[q->all_pairs ? q->pairs_rule : PAIRS_ALONE];
}

/* How pairs were measured, a line per configuration. */
static json_t *pair_lines(const struct campaign *k)
{
	json_t *a = json_array();
	char line[400];

	for (size_t i = 0; i < k->plan.n_configs; i++) {
		pairs_say(k, i, line, sizeof(line));
		if (line[0])
			json_array_append_new(a, text(line));
	}
	return a;
}

static json_t *pair_classes(const struct campaign *k)
{
	struct view_pair *v = NULL;
	json_t *o = json_object();
	size_t n = 0;

	if (pairs_classes(k, &v, &n) < 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%d-%d", v[i].a, v[i].b);
		json_object_set_new(o, key, text(v[i].class));
	}
	free(v);
	return o;
}

static json_t *transports(const struct campaign *k)
{
	json_t *a = json_array();

	for (size_t i = 0; i < k->plan.n_configs; i++) {
		const struct config_state *cs = &k->configs[i];
		const struct transport *t = &transport_table[k->plan.configs[i].transport];
		json_t *o = json_object();

		json_object_set_new(o, "backend", text(backend_names[t->backend]));
		json_object_set_new(o, "transport", text(t->name));
		json_object_set_new(o, "arm",
				    text(k->arms ? k->arms[k->plan.configs[i].arm].label : ""));
		json_object_set_new(o, "ranks", json_integer(k->plan.configs[i].nranks));
		json_object_set_new(o, "points", json_integer((json_int_t)k->plan.configs[i].n));
		json_object_set_new(o, "environment_set", text(cs->set));
		json_object_set_new(o, "environment_overruled", text(cs->overruled));
		json_object_set_new(o, "context_us", microseconds(cs->context_us));
		json_object_set_new(o, "init_us", microseconds(cs->init_us));
		json_object_set_new(o, "first_operation_us", microseconds(cs->first_op_us));
		json_object_set_new(o, "teardown_us", microseconds(cs->teardown_us));
		json_object_set_new(o, "teardown_beside_start", json_boolean(cs->teardown_beside));
		json_object_set_new(o, "workers_lost", json_integer(cs->failures));
		json_object_set_new(o, "not_measured_because", text(cs->dead ? cs->why : ""));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *peaks(const struct campaign *k)
{
	json_t *a = json_array();

	for (size_t i = 0; i < k->n_peaks; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", text(k->peaks[i].name));
		json_object_set_new(o, "of", text(k->peaks[i].transport));
		json_object_set_new(o, "gbps", number(k->peaks[i].gbps));
		json_object_set_new(o, "kind", text(view_peak_kinds[k->peaks[i].kind]));
		json_object_set_new(o, "how", text(k->peaks[i].how ? k->peaks[i].how : ""));
		json_array_append_new(a, o);
	}
	return a;
}

/* What reads as a number becomes one. */
static json_t *with_numbers(json_t *o)
{
	const char *key;
	json_t *value;
	void *next;
	double v;

	json_object_foreach_safe(o, next, key,
				 value) if (json_is_string(value) &&
					    num_parse_double(json_string_value(value), &v) == 0)
	    json_object_set_new(o, key, json_real(v));
	return o;
}

/* One object per rank: the state of its GPU at the start and the end, and who else used it. */
static json_t *states(const struct campaign *k)
{
	json_t *a = json_array();

	for (int i = 0; k->cards && i < k->request.nranks; i++)
		json_array_append_new(a, with_numbers(fact_object(k->cards[i])));
	return a;
}

static json_t *outcomes(const struct campaign *k)
{
	json_t *o = json_object();

	for (int id = 0; id < OUTCOME_COUNT; id++) {
		json_int_t n = 0;

		for (size_t i = 0; i < k->plan.n_points; i++)
			n += k->points[i].done &&
			     strcmp(k->points[i].record.outcome, outcome_table[id].name) == 0;
		if (n)
			json_object_set_new(o, outcome_table[id].name, json_integer(n));
	}
	return o;
}

/* Where the time went, as rank 0 saw it: waiting for workers' answers by phase. The rest is
 * starting, storing and agreeing. */
static json_t *seconds_by_phase(const struct campaign *k)
{
	json_t *o = json_object();

	for (int phase = PHASE_HELLO; phase < PHASE_COUNT; phase++) {
		int64_t ns =
		    k->spent_ns[phase] - (phase == PHASE_RUN ? k->spent_ns[PHASE_NONE] : 0);

		json_object_set_new(o, phase_names[phase], number((double)ns / CLOCK_S));
	}
	json_object_set_new(o, "run_single", number((double)k->spent_ns[PHASE_NONE] / CLOCK_S));
	return o;
}

static char *dump(json_t *o, size_t flags)
{
	char *s = json_dumps(o, flags | JSON_REAL_PRECISION(10));

	json_decref(o);
	return s;
}

char *meta_run_json(const struct campaign *k, const struct finish *f, const struct view *v,
		    const struct meta_end *end)
{
	json_t *o = json_object();
	bool complete = end->complete;
	char machine[160], versions[160], fingerprint[24];

	launch_titles(f->launch, k->request.nranks, machine, sizeof(machine), versions,
		      sizeof(versions));
	snprintf(fingerprint, sizeof(fingerprint), "%016llx",
		 (unsigned long long)k->plan.fingerprint);
	json_object_set_new(o, "schema", json_integer(RUN_SCHEMA));
	json_object_set_new(o, "ncclbench", text(NCCLBENCH_VERSION));
	json_object_set_new(o, "command", text(options_command(f->options)));
	json_object_set_new(o, "arguments", text(f->options->command));
	json_object_set_new(o, "started", text(f->when));
	json_object_set_new(o, "complete", json_boolean(complete && !k->interrupted));
	json_object_set_new(o, "interrupted", json_boolean(k->interrupted));
	json_object_set_new(o, "exit_code", complete ? json_integer(end->exit_code) : json_null());
	json_object_set_new(o, "seconds", complete ? number(f->seconds) : json_null());
	json_object_set_new(o, "seconds_by_phase", seconds_by_phase(k));
	json_object_set_new(o, "backend", text(backend_names[f->launch->backend]));
	json_object_set_new(o, "machine", text(machine));
	json_object_set_new(o, "versions", text(versions));
	json_object_set_new(o, "hosts", json_integer(f->n_hosts));
	json_object_set_new(o, "fake_hosts", json_integer(k->fake_hosts));
	json_object_set_new(o, "nranks", json_integer(k->request.nranks));
	json_object_set_new(o, "rank_counts", rank_counts(k));
	json_object_set_new(o, "shared_gpu", json_boolean(f->launch->shared_gpu));
	json_object_set_new(o, "profile", text(profile_table[k->request.profile].name));
	json_object_set_new(o, "sampling", sampling(&profile_table[k->request.profile]));
	json_object_set_new(o, "pairs_rule", text(pairs_rule(&k->request)));
	json_object_set_new(o, "match", text(f->options->match ? "nccl-tests" : ""));
	json_object_set_new(o, "restarts", json_integer(k->plan.restarts));
	json_object_set_new(o, "seed", json_integer((json_int_t)k->request.seed));
	json_object_set_new(o, "plan", text(fingerprint));
	json_object_set_new(o, "planned_points", json_integer((json_int_t)k->plan.n_points));
	json_object_set_new(o, "outcomes", outcomes(k));
	json_object_set_new(o, "placement", text(f->place));
	json_object_set_new(o, "steering", text(end->steering));
	json_object_set_new(o, "environment", environment(f->inherited));
	json_object_set_new(o, "peaks", peaks(k));
	json_object_set_new(o, "tcp_interface", text(k->tcp_interface));
	json_object_set_new(o, "ceiling_missing", text(k->no_ceiling));
	json_object_set_new(o, "gpu_state", states(k));
	json_object_set_new(o, "confirms", text(f->options->confirm ? f->options->confirm : ""));
	json_object_set_new(o, "arms", arms(k));
	json_object_set_new(o, "transports", transports(k));
	if (k->request.all_pairs) {
		json_object_set_new(o, "pairs", pair_lines(k));
		json_object_set_new(o, "pair_classes", pair_classes(k));
	}
	json_object_set_new(o, "ranks", ranks(f->launch));
	json_object_set_new(o, "scaling", v ? scaling_json(v) : json_array());
	return dump(o, JSON_INDENT(2));
}

/* ---- --json ---- */

static void add_cell(json_t *o, const char *name, const struct record *r, bool latency)
{
	json_object_set_new(o, name,
			    r ? number(latency ? r->time_us : r->busbw_gbps) : json_null());
}

static const char *have_timing(const struct view *v, const char *first, const char *second)
{
	const char *found = NULL;

	for (size_t i = 0; i < v->n_rows; i++) {
		if (strcmp(v->rows[i].timing, first) == 0)
			return first;
		if (strcmp(v->rows[i].timing, second) == 0)
			found = second;
	}
	return found ? found : v->n_rows ? v->rows[0].timing : first;
}

/* As in the table: all at one size, and loopback, which does not choose it, at its own largest
 * where it lacks that. */
static const struct record *bandwidth_of(const struct view *v, const char *backend,
					 const char *transport, const char *op, const char *timing,
					 uint64_t *bytes)
{
	const struct record *r;

	*bytes = view_ranked_size(v, op, timing);
	r = view_cell(v, transport, op, *bytes, timing);
	if (!r && view_is_loopback(v, backend, transport))
		r = view_largest(v, transport, op, timing);
	*bytes = r ? r->bytes : *bytes;
	return r;
}

static json_t *table_row(const struct view *v, const char *backend, const char *transport)
{
	const char *bw = have_timing(v, "stream", "graph"),
		   *lat = have_timing(v, "graph", "stream");
	uint64_t size, size_sr;
	const struct record *ar = bandwidth_of(v, backend, transport, "all_reduce", bw, &size);
	const struct record *sr = bandwidth_of(v, backend, transport, "sendrecv", bw, &size_sr);
	json_t *o = json_object();
	char why[RECORD_DETAIL + 64];

	view_why(v, transport, why, sizeof(why));
	json_object_set_new(o, "backend", text(backend));
	json_object_set_new(o, "transport", text(transport));
	json_object_set_new(o, "ranks", json_integer(v->ranks));
	json_object_set_new(o, "label", text(view_transport_label(v, backend, transport)));
	json_object_set_new(o, "why_not", text(why));
	json_object_set_new(o, "used", text(ar ? ar->used : ""));
	json_object_set_new(o, "proof", text(ar ? ar->proof : ""));
	json_object_set_new(o, "all_reduce_bytes", json_integer((json_int_t)size));
	add_cell(o, "all_reduce_busbw_gbps", ar, false);
	json_object_set_new(o, "all_reduce_peak_pct", ar ? number(ar->peak_pct) : json_null());
	json_object_set_new(o, "sendrecv_bytes", json_integer((json_int_t)size_sr));
	add_cell(o, "sendrecv_busbw_gbps", sr, false);
	add_cell(o, "all_reduce_8B_us", view_cell(v, transport, "all_reduce", 8, lat), true);
	add_cell(o, "pingpong_8B_us", view_cell(v, transport, "pingpong", 8, lat), true);
	return o;
}

char *meta_sweep_json(const struct campaign *k, const struct finish *f, const struct view *v,
		      const char *comparison, int exit_code)
{
	static const char *const verdicts[] = {
		[NB_EXIT_OK] = "ok",
		[NB_EXIT_REQUIRED] = "required transport missing",
		[NB_EXIT_BROKEN] = "broken",
	};
	json_t *o = json_object(), *rows = json_array();
	const char *backend = backend_names[f->launch->backend];

	for (size_t i = 0; i < k->plan.n_configs; i += (size_t)k->plan.n_arms) {
		const struct plan_config *pc = &k->plan.configs[i];
		struct view of = *v;

		of.ranks = pc->nranks;
		json_array_append_new(rows,
				      table_row(&of, backend, transport_table[pc->transport].name));
	}
	json_object_set_new(o, "schema", json_integer(RUN_SCHEMA));
	json_object_set_new(o, "command", text("sweep"));
	json_object_set_new(
	    o, "verdict",
	    text(exit_code == NB_EXIT_INTERRUPTED ? "interrupted" : verdicts[exit_code]));
	json_object_set_new(o, "exit_code", json_integer(exit_code));
	json_object_set_new(o, "run", text(k->dir));
	json_object_set_new(o, "machine", text(v->machine));
	json_object_set_new(o, "versions", text(v->versions));
	json_object_set_new(o, "outcomes", outcomes(k));
	json_object_set_new(o, "peaks", peaks(k));
	json_object_set_new(o, "rows", rows);
	json_object_set_new(o, "scaling", scaling_json(v));
	if (comparison)
		json_object_set_new(o, "ab", json_loads(comparison, 0, NULL));
	return dump(o, JSON_COMPACT);
}
