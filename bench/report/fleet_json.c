/* SPDX-License-Identifier: Apache-2.0 */
/* See fleet_json.h. What is not known is null. */
#include "report/fleet_json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/overlap.h"
#include "report/scaling.h"
#include "report/text.h"

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *text(const char *t)
{
	char clean[1024];

	text_clean(t ? t : "", clean, sizeof(clean));
	return json_string(clean);
}

static json_t *value(const struct summary_figure *f, const struct summary_value *v, const char *key)
{
	if (!f->op || !isfinite(v->value))
		return json_null();
	return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "op", f->op, "bytes",
			 (json_int_t)(v->bytes ? v->bytes : f->bytes), "timing", text(v->timing),
			 key, number(v->value), "ci_lo", number(v->lo), "ci_hi", number(v->hi));
}

static json_t *values(const struct summary_figure *f, const struct summary_value *v,
		      const char *key)
{
	json_t *list = json_array();

	for (size_t i = 0; i < SUMMARY_OPS; i++)
		if (f[i].op)
			json_array_append_new(list, value(&f[i], &v[i], key));
	return list;
}

static json_t *row(const struct fleet *f, const struct fleet_compare *c, const struct fleet_row *r)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "machine",
			      text(f->machine[r->machine].name), "backend", text(r->backend),
			      "transport", text(r->s.transport), "label", text(r->s.label), "used",
			      text(r->s.used), "why", text(r->s.why));

	json_object_set_new(o, "bandwidth",
			    values(c->figures.bandwidth, r->s.bandwidth, "busbw_gbps"));
	json_object_set_new(o, "latency", values(c->figures.latency, r->s.latency, "time_us"));
	json_object_set_new(o, "peak_pct", number(r->s.peak_pct));
	json_object_set_new(o, "ratio_to_auto", number(r->s.ratio));
	json_object_set_new(o, "ratio_to_reference", number(r->ratio));
	json_object_set_new(o, "gbps_per_price", number(r->per_price));
	json_object_set_new(o, "gbps_per_watt", number(r->per_watt));
	json_object_set_new(o, "loopback", json_boolean(r->s.loopback));
	json_object_set_new(o, "unproven", json_boolean(r->s.unproven));
	json_object_set_new(o, "impossible", json_boolean(r->impossible));
	json_object_set_new(o, "fastest_of_machine", json_boolean(r->champion));
	return o;
}

static json_t *machine(const struct fleet_machine *m)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:i, s:o, s:o}", "name", text(m->name),
			 "run", text(m->path), "machine", text(m->run.view.machine), "price",
			 number(m->price), "power", number(m->power), "points",
			 (json_int_t)m->run.view.n_rows, "ranks", view_ranks(&m->run.view),
			 "scaling", scaling_json(&m->run.view), "overlap",
			 overlap_json(&m->run.view));
}

static json_t *answer(const struct fleet *f, const struct fleet_compare *c,
		      const struct fleet_class *k)
{
	const struct fleet_row *best = &c->row[k->best],
			       *next = k->next == FLEET_NONE ? NULL : &c->row[k->next];
	json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "backend", text(k->backend), "timing",
			      text(k->timing), "machine", text(f->machine[best->machine].name),
			      "transport", text(best->s.transport));

	json_object_set_new(o, "next_machine",
			    next ? text(f->machine[next->machine].name) : json_null());
	json_object_set_new(o, "next_transport", next ? text(next->s.transport) : json_null());
	json_object_set_new(o, "ratio",
			    next ? number(best->s.bandwidth[0].value / next->s.bandwidth[0].value)
				 : json_null());
	json_object_set_new(o, "told_apart",
			    json_boolean(next && !fleet_compare_overlap(&best->s.bandwidth[0],
									&next->s.bandwidth[0])));
	return o;
}

char *fleet_json(const struct fleet *f, const struct fleet_compare *c)
{
	json_t *o = json_pack("{s:i, s:s, s:s, s:i, s:o}", "schema", 1, "command", "report",
			      "verdict", c->n_classes ? "ranked" : "nothing to rank", "exit_code",
			      0, "reference", text(f->machine[f->reference].name));
	json_t *machines = json_array(), *answers = json_array(), *rows = json_array();
	char *flat, *line = NULL;

	for (size_t i = 0; i < f->n; i++)
		json_array_append_new(machines, machine(&f->machine[i]));
	for (size_t i = 0; i < c->n_classes; i++)
		json_array_append_new(answers, answer(f, c, &c->class[i]));
	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(rows, row(f, c, &c->row[i]));
	json_object_set_new(o, "machines", machines);
	json_object_set_new(o, "fastest", answers);
	json_object_set_new(o, "rows", rows);
	flat = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
	if (flat)
		line = realloc(flat, strlen(flat) + 2);
	if (line)
		memcpy(line + strlen(line), "\n", 2);
	else
		free(flat);
	json_decref(o);
	return line;
}
