/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_page.h. */
#include "run/tune_page.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "doctor/emit.h"
#include "ncclbench/exitcode.h"
#include "run/campaign.h"
#include "run/finish.h"
#include "run/launch.h"
#include "run/meta.h"
#include "run/options.h"
#include "run/tune.h"
#include "search/tunable.h"
#include "spec/outcome.h"
#include "spec/transport.h"

#define FAILURES_SHOWN 6
#define FACTOR_FROM 1.0 /* a gain above 100 % is said as a factor */

/* ---- pieces ---- */

static const char *part_name(const struct tune *t, const struct tune_part *p)
{
	const struct transport *x = &transport_table[p->transport];

	if (x->flags & TRANSPORT_NETWORK && t->finish->n_hosts == 1 &&
	    strstr(x->name, "ib") == NULL)
		return x->backend == BACKEND_UCX ? "tcp (loopback TCP)" : "socket (loopback TCP)";
	return x->name;
}

static const struct confirmed *trade_of(const struct tune_part *p, size_t k)
{
	int arm = p->result.found[k].trade;

	return arm < 0 ? NULL : &p->result.confirmation.arm[arm];
}

static const struct confirmed *arm_of(const struct tune_part *p, size_t k)
{
	int arm = p->result.found[k].arm;

	return arm < 0 ? NULL : &p->result.confirmation.arm[arm];
}

static void say_gain(double log_shift, struct buf *out)
{
	double gain = search_gain(log_shift);

	if (gain > FACTOR_FROM)
		buf_printf(out, "x%.3g", gain + 1);
	else
		buf_printf(out, "%+.1f %%", fabs(gain) < 0.0005 ? 0.0 : 100 * gain);
}

/* "+16.2 % (14.8 .. 17.5 %)" of a time's shift: a gain is a shift below 0. */
static void say_effect(const struct effect *e, struct buf *out)
{
	say_gain(e->shift, out);
	if (!isfinite(e->lo) || !isfinite(e->hi))
		return;
	buf_puts(out, " (95 %: ");
	say_gain(e->hi, out);
	buf_puts(out, " .. ");
	say_gain(e->lo, out);
	buf_puts(out, ")");
}

static size_t count_tried(const struct race *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->c[i].n > 0 || r->c[i].outcome != OUTCOME_OK;
	return n;
}

/* ---- text ---- */

/* A price is told where the middle says so; that it is one, only where the interval does, too. */
static const char *price_word(const struct effect *e, bool harms)
{
	if (!harms)
		return "elsewhere,";
	return e->lo > 0 ? "COSTS" : "may cost";
}

static void say_elsewhere(const struct tune_part *p, size_t k, const struct confirmed *arm,
			  const bool *harms, struct buf *out)
{
	for (size_t i = 0; i < p->classes.n; i++) {
		if (i == k || !arm->effect[i].tested)
			continue;
		buf_printf(out, "    %s %s: ", price_word(&arm->effect[i], harms[i]),
			   p->classes.v[i].name);
		say_effect(&arm->effect[i], out);
		buf_puts(out, "\n");
	}
}

static void say_lines(const struct confirmed *arm, struct buf *out)
{
	for (size_t i = 0; i < arm->s.n; i++)
		buf_printf(out, "    %s=%s\n", setting_name(&arm->s, i), setting_value(&arm->s, i));
}

static void say_risks(const struct confirmed *arm, struct buf *out)
{
	for (size_t i = 0; i < arm->s.n; i++) {
		const struct tunable *t = &tunable_table[arm->s.v[i].tunable];

		if (t->risk[0])
			buf_printf(out, "    risk of %s: %s\n", t->name, t->risk);
	}
}

static void say_trade(const struct tune_part *p, size_t k, const struct confirmed *arm,
		      struct buf *out)
{
	buf_puts(out, "  more at a price, ");
	say_effect(&arm->effect[k], out);
	buf_puts(out, "; a trade, no setting for all sizes:\n");
	say_lines(arm, out);
	say_elsewhere(p, k, arm, p->result.found[k].trade_harms, out);
}

static void say_found(const struct tune_part *p, size_t k, struct buf *out)
{
	const struct search_result *r = &p->result;
	const struct confirmed *arm = arm_of(p, k);
	size_t tried = count_tried(&r->race);

	switch (r->found[k].id) {
	case FOUND_DEFAULT:
		buf_printf(out, "defaults are best (%zu settings tried)\n", tried);
		break;
	case FOUND_GAIN:
	case FOUND_TRADE:
		say_effect(&arm->effect[k], out);
		buf_printf(
		    out, ", confirmed in %zu + %zu restarts%s\n", r->confirmation.control.n, arm->n,
		    r->found[k].id == FOUND_TRADE ? "; a trade, no setting for all sizes:" : "");
		say_lines(arm, out);
		say_elsewhere(p, k, arm, r->found[k].harms, out);
		say_risks(arm, out);
		if (trade_of(p, k))
			say_trade(p, k, trade_of(p, k), out);
		break;
	case FOUND_UNCONFIRMED:
		buf_puts(out, "defaults are best: ");
		setting_text(&arm->s, out);
		buf_puts(out, " looked faster and did not hold: ");
		say_effect(&arm->effect[k], out);
		buf_puts(out, "\n");
		break;
	case FOUND_FAILED:
		buf_puts(out, "nothing to set: ");
		setting_text(&arm->s, out);
		buf_printf(out, " was faster, then failed (%s at %s)\n",
			   outcome_table[arm->outcome].name, arm->detail);
		break;
	case FOUND_NO_BUDGET:
		buf_printf(
		    out, "not known: %s before anything was confirmed (%zu settings tried)%s",
		    p->interrupted ? "interrupted" : "the budget ended", tried, arm ? "; " : "\n");
		if (arm) {
			setting_text(&arm->s, out);
			buf_puts(out, " looked faster\n");
		}
		break;
	case FOUND_NO_CONTROL:
		buf_printf(out, "not known: the defaults themselves fail here (%s at %s)\n",
			   outcome_table[r->race.control_outcome != OUTCOME_OK
					     ? r->race.control_outcome
					     : r->confirmation.control.outcome]
			       .name,
			   r->race.control_outcome != OUTCOME_OK ? r->race.control_detail
								 : r->confirmation.control.detail);
		break;
	case FOUND_COUNT:
		break;
	}
}

static void say_failures(const struct tune_part *p, struct buf *out)
{
	const struct race *r = &p->result.race;
	size_t said = 0, all = 0;

	for (size_t i = 0; i < r->n; i++)
		all += r->c[i].outcome != OUTCOME_OK;
	for (size_t i = 0; i < r->n && said < FAILURES_SHOWN; i++) {
		if (r->c[i].outcome == OUTCOME_OK)
			continue;
		buf_puts(out, "    does not work here: ");
		setting_text(&r->c[i].s, out);
		buf_printf(out, ": %s at %s\n", outcome_table[r->c[i].outcome].name,
			   r->c[i].detail);
		said++;
	}
	if (all > said)
		buf_printf(out, "    and %zu more (tune.json has all)\n", all - said);
}

static void say_part(const struct tune *t, const struct tune_part *p, struct buf *out)
{
	if (p->why[0]) {
		buf_printf(out, "%s: N/A (%s)\n", part_name(t, p), p->why);
		return;
	}
	if (!p->searched) {
		buf_printf(out, "%s: not searched: interrupted\n", part_name(t, p));
		return;
	}
	for (size_t k = 0; k < p->classes.n; k++) {
		char sizes[80];

		if (!p->classes.v[k].target)
			continue;
		tune_class_sizes(&p->classes, k, sizes, sizeof(sizes));
		buf_printf(out, "%s, %s (%s): ", part_name(t, p), p->classes.v[k].name, sizes);
		say_found(p, k, out);
	}
	say_failures(p, out);
}

static bool any_gain(const struct tune *t)
{
	for (size_t i = 0; i < t->n_parts; i++)
		for (size_t k = 0; k < t->parts[i].classes.n && t->parts[i].searched; k++)
			if (t->parts[i].classes.v[k].target &&
			    t->parts[i].result.found[k].id == FOUND_GAIN)
				return true;
	return false;
}

void tune_page_text(const struct tune *t, struct buf *out)
{
	char machine[160], versions[160];

	launch_titles(t->finish->launch, t->k->request.nranks, machine, sizeof(machine), versions,
		      sizeof(versions));
	buf_printf(out, "%s; %s; objective %s; %.0f of %.0f s spent%s\n\n", machine, versions,
		   t->finish->options->objective, t->spent_s, t->budget_s,
		   t->n_known ? ", earlier trials included" : "");
	for (size_t i = 0; i < t->n_parts; i++)
		say_part(t, &t->parts[i], out);
	if (any_gain(t))
		buf_puts(out, "\nA gain is more speed than with the defaults in this environment. "
			      "--emit writes it for a shell, a container, a "
			      "job.\n");
}

/* ---- settings to paste ---- */

/* The transport that is fastest as it is: what a job here would use. */
static const struct tune_part *fastest(const struct tune *t)
{
	const struct tune_part *best = NULL;
	double least = INFINITY;

	for (size_t i = 0; i < t->n_parts; i++) {
		const struct tune_part *p = &t->parts[i];

		for (size_t k = 0; k < p->classes.n && p->searched && p->result.race.have_control;
		     k++) {
			if (!p->classes.v[k].target)
				continue;
			if (p->result.race.control[k] < least) {
				least = p->result.race.control[k];
				best = p;
			}
			break;
		}
	}
	return best;
}

static void add_advice(struct plan_of_settings *s, const struct tune *t, const struct tune_part *p,
		       size_t k)
{
	const struct confirmed *arm = arm_of(p, k);
	struct buf gain = { 0 };

	say_gain(arm->effect[k].shift, &gain);
	for (size_t i = 0; i < arm->s.n; i++) {
		struct advice *a = &s->list[s->n];
		bool known = false;

		for (size_t j = 0; j < s->n; j++)
			known |= strcmp(s->list[j].name, setting_name(&arm->s, i)) == 0;
		if (known || s->n == ADVICE_MAX)
			continue;
		snprintf(a->name, sizeof(a->name), "%s", setting_name(&arm->s, i));
		snprintf(a->value, sizeof(a->value), "%s", setting_value(&arm->s, i));
		snprintf(a->reason, sizeof(a->reason), "confirmed: %s %s %s", part_name(t, p),
			 p->classes.v[k].name, buf_text(&gain));
		s->n++;
	}
	buf_fini(&gain);
}

/* Gains only: a trade is nobody's default. Of two classes whose settings contradict each other the
 * first one's: half of a setting was never measured. */
static void add_gains(struct plan_of_settings *s, const struct tune *t, const struct tune_part *p)
{
	struct setting all = { .n = 0 };

	for (size_t k = 0; p && k < p->classes.n; k++)
		if (p->classes.v[k].target && p->result.found[k].id == FOUND_GAIN &&
		    setting_join(&all, &arm_of(p, k)->s, &all))
			add_advice(s, t, p, k);
}

static int emit(const struct tune *t, struct buf *out)
{
	const struct emit_format *form = emit_find(t->finish->options->emit);
	const struct tune_part *p = fastest(t);
	struct doctor *d = calloc(1, sizeof(*d));
	struct plan_of_settings *s = calloc(1, sizeof(*s));
	int r = form && d && s ? 0 : -ENOMEM;

	if (r == 0) {
		snprintf(d->host.name, sizeof(d->host.name), "%s", "this machine");
		s->d = d;
		s->m = (struct measured){
			.there = true, .auto_gbps = NAN, .p2p_gbps = NAN, .shm_gbps = NAN
		};
		snprintf(s->m.run, sizeof(s->m.run), "%.255s", t->k->dir);
		s->ranks = t->k->request.nranks;
		s->shm = t->finish->n_hosts == 1;
		add_gains(s, t, p);
		form->write(s, out);
	}
	free(s);
	free(d);
	return r < 0 || out->failed ? -ENOMEM : 0;
}

/* ---- JSON ---- */

static json_t *gain_or_null(double log_shift)
{
	double gain = search_gain(log_shift);

	return isfinite(gain) ? json_real(gain) : json_null();
}

static void set_effect(json_t *o, const struct effect *e)
{
	json_object_set_new(o, "gain", e->tested ? gain_or_null(e->shift) : json_null());
	json_object_set_new(o, "gain_lo", e->tested ? gain_or_null(e->hi) : json_null());
	json_object_set_new(o, "gain_hi", e->tested ? gain_or_null(e->lo) : json_null());
}

static json_t *setting_object(const struct setting *s)
{
	json_t *o = json_object();

	for (size_t i = 0; i < s->n; i++)
		json_object_set_new(o, setting_name(s, i), json_string(setting_value(s, i)));
	return o;
}

static json_t *elsewhere_list(const struct tune_part *p, size_t k, const struct confirmed *arm,
			      const bool *harms)
{
	json_t *list = json_array();

	for (size_t i = 0; arm && i < p->classes.n; i++) {
		json_t *e;

		if (i == k || !arm->effect[i].tested)
			continue;
		e = json_pack("{s:s,s:b}", "class", p->classes.v[i].name, "harm", (int)harms[i]);
		set_effect(e, &arm->effect[i]);
		json_array_append_new(list, e);
	}
	return list;
}

static json_t *trade_object(const struct tune_part *p, size_t k)
{
	const struct confirmed *arm = trade_of(p, k);
	json_t *o = arm ? json_object() : json_null();

	if (!arm)
		return o;
	json_object_set_new(o, "set", setting_object(&arm->s));
	set_effect(o, &arm->effect[k]);
	json_object_set_new(o, "elsewhere",
			    elsewhere_list(p, k, arm, p->result.found[k].trade_harms));
	return o;
}

static json_t *class_object(const struct tune_part *p, size_t k)
{
	const struct search_result *r = &p->result;
	const struct confirmed *arm = arm_of(p, k);
	json_t *o = json_pack("{s:s,s:I,s:I,s:s}", "class", p->classes.v[k].name, "min_bytes",
			      (json_int_t)p->classes.lo[k], "max_bytes",
			      (json_int_t)p->classes.hi[k], "verdict", found_names[r->found[k].id]);

	json_object_set_new(o, "set", arm ? setting_object(&arm->s) : json_object());
	if (arm)
		set_effect(o, &arm->effect[k]);
	json_object_set_new(o, "restarts", json_integer(arm ? (json_int_t)arm->n : 0));
	json_object_set_new(o, "elsewhere", elsewhere_list(p, k, arm, r->found[k].harms));
	json_object_set_new(o, "trade", trade_object(p, k));
	return o;
}

static json_t *tried_list(const struct tune_part *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->result.race.n; i++) {
		const struct candidate *c = &p->result.race.c[i];
		json_t *o, *classes = json_array();

		if (c->n == 0 && c->outcome == OUTCOME_OK) {
			json_decref(classes);
			continue;
		}
		for (size_t k = 0; k < p->classes.n; k++)
			json_array_append_new(classes,
					      c->n ? gain_or_null(race_mean(c, k)) : json_null());
		o = json_pack("{s:o,s:i,s:s,s:o,s:o}", "set", setting_object(&c->s), "restarts",
			      (int)c->n, "outcome", outcome_table[c->outcome].name, "detail",
			      meta_text(c->detail), "gains", classes);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *part_object(const struct tune_part *p)
{
	json_t *o = json_pack("{s:s,s:s,s:o,s:b,s:s}", "backend",
			      backend_names[transport_table[p->transport].backend], "transport",
			      transport_table[p->transport].name, "why", meta_text(p->why),
			      "searched", (int)p->searched, "used", p->used);
	json_t *classes = json_array();

	for (size_t k = 0; k < p->classes.n && p->searched; k++)
		if (p->classes.v[k].target)
			json_array_append_new(classes, class_object(p, k));
	json_object_set_new(o, "trials", json_integer((json_int_t)p->result.n_trials));
	json_object_set_new(o, "seconds", json_real(p->result.spent_s));
	json_object_set_new(o, "classes", classes);
	json_object_set_new(o, "tried", tried_list(p));
	return o;
}

/* The best that can be said of any transport. */
static const char *verdict(const struct tune *t)
{
	static const int order[] = { FOUND_GAIN,      FOUND_TRADE,  FOUND_NO_CONTROL,
				     FOUND_NO_BUDGET, FOUND_FAILED, FOUND_UNCONFIRMED,
				     FOUND_DEFAULT };

	for (size_t o = 0; o < N_ELEMENTS(order); o++)
		for (size_t i = 0; i < t->n_parts; i++)
			for (size_t k = 0; k < t->parts[i].classes.n && t->parts[i].searched; k++)
				if (t->parts[i].classes.v[k].target &&
				    t->parts[i].result.found[k].id == (enum found_id)order[o])
					return found_names[order[o]];
	return "unavailable";
}

char *tune_page_json(const struct tune *t, int exit_code)
{
	json_t *rows = json_array(), *o;
	struct buf text = { 0 };
	char *out;

	for (size_t i = 0; i < t->n_parts; i++)
		json_array_append_new(rows, part_object(&t->parts[i]));
	o = json_pack("{s:i,s:s,s:s,s:i,s:o,s:s,s:f,s:f,s:o}", "schema", 1, "command", "tune",
		      "verdict", verdict(t), "exit_code", exit_code, "run", meta_text(t->k->dir),
		      "objective", t->finish->options->objective, "budget_s", t->budget_s,
		      "spent_s", t->spent_s, "rows", rows);
	if (o && t->finish->options->emit && emit(t, &text) == 0)
		json_object_set_new(o, "emit", meta_text(buf_text(&text)));
	out = o ? json_dumps(o, JSON_INDENT(1)) : NULL;
	json_decref(o);
	buf_fini(&text);
	return out;
}

/* ---- out ---- */

int tune_page_write(struct tune *t, int exit_code)
{
	struct store *store = &t->k->store;
	char *json = tune_page_json(t, exit_code);
	struct buf page = { 0 };
	int r = json ? store_text(store, "tune.json", json, strlen(json)) : -ENOMEM;

	buf_puts(&page, "# Tune\n\n```\n");
	tune_page_text(t, &page);
	buf_puts(&page, "```\n");
	if (r == 0)
		r = page.failed ? -ENOMEM
				: store_text(store, "report.md", buf_text(&page), page.len);
	if (r == 0)
		r = finish_meta(t->k, t->finish, true, exit_code);
	if (r == 0)
		r = store_close(store);
	buf_fini(&page);
	free(json);
	return r;
}

int tune_page_print(const struct tune *t, int exit_code)
{
	const struct options *o = t->finish->options;
	struct buf page = { 0 };
	char *json = NULL;
	int r;

	tune_page_text(t, &page);
	if (o->emit && !o->json) {
		buf_puts(&page, "\n");
		(void)emit(t, &page);
	}
	r = page.failed ? -ENOMEM
			: file_write_all(o->json ? STDERR_FILENO : STDOUT_FILENO, buf_text(&page),
					 page.len);
	if (r == 0 && o->json) {
		json = tune_page_json(t, exit_code);
		r = json && printf("%s\n", json) >= 0 && fflush(stdout) == 0 ? 0 : -EIO;
	}
	log_note("%s after %zu trials: %s%s", exit_code == NB_EXIT_INTERRUPTED ? "stopped" : "done",
		 (size_t)t->attempts, t->k->dir,
		 exit_code == NB_EXIT_INTERRUPTED
		     ? "; the same command with --resume and this folder goes on"
		     : "");
	free(json);
	buf_fini(&page);
	return r;
}
