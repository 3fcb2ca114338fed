/* SPDX-License-Identifier: Apache-2.0 */
/* The whole judgement as one JSON object (docs/gate.md lists its members). */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/record.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "report/gate.h"
#include "report/text.h"

#define GATE_SCHEMA 1

static json_t *text(const char *s)
{
	char clean[1024];

	text_clean(s ? s : "", clean, sizeof(clean));
	return json_string(clean);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *percent(double log_shift)
{
	return number(100 * expm1(log_shift));
}

static void set_key(json_t *o, const struct gate_view *v, uint32_t group)
{
	const char *key = pool_text(v->pool, group);

	for (size_t i = 0; i < record_n_columns; i++) {
		const struct column *c = &record_columns[i];
		char value[64];

		if (c->role != COLUMN_KEY || c->type == COLUMN_U64)
			continue;
		series_group_field(key, c->name, value, sizeof(value));
		json_object_set_new(
		    o, c->name, c->type == COLUMN_INT ? json_integer(atoi(value)) : text(value));
	}
}

static void set_finding(json_t *o, const struct finding *f)
{
	json_object_set_new(o, "verdict", text(verdict_table[f->verdict].name));
	json_object_set_new(o, "why", text(f->why));
	json_object_set_new(o, "expected", f->expected ? text(f->expected) : json_null());
	if (!f->tested)
		return;
	json_object_set_new(o, "change_pct", percent(f->shift));
	json_object_set_new(o, "lo_pct", percent(f->lo));
	json_object_set_new(o, "hi_pct", percent(f->hi));
	json_object_set_new(o, "excluded_above_pct", percent(f->hi95));
	json_object_set_new(o, "limit_pct", percent(f->limit));
	json_object_set_new(o, "rule", text(f->rule->name));
	json_object_set_new(o, "restarts_new", json_integer((json_int_t)f->n_now));
	json_object_set_new(o, "restarts_baseline", json_integer((json_int_t)f->n_base));
	json_object_set_new(o, "series", json_integer((json_int_t)f->n_series));
	json_object_set_new(o, "starts", json_integer((json_int_t)f->n_starts));
	json_object_set_new(o, "restarts_needed",
			    f->verdict == VERDICT_INCONCLUSIVE ? number(f->needed) : json_null());
	json_object_set_new(o, "confirmed",
			    f->confirmed     ? json_true()
			    : f->unconfirmed ? json_false()
					     : json_null());
}

static json_t *restarts(const struct point *p)
{
	json_t *a = json_array();

	for (size_t i = 0; p && i < p->n_m; i++)
		json_array_append_new(a, number(exp(p->m[i])));
	return a;
}

static json_t *point(const struct gate_view *v, const struct point_finding *p)
{
	json_t *o = json_object();

	set_key(o, v, p->group);
	json_object_set_new(o, "bytes", json_integer((json_int_t)p->bytes));
	set_finding(o, &p->f);
	json_object_set_new(o, "used", text(p->now ? pool_text(v->pool, p->now->used) : ""));
	json_object_set_new(o, "baseline_used",
			    text(p->base ? pool_text(v->pool, p->base->used) : ""));
	if (p->f.tested) {
		json_object_set_new(o, "baseline_us", number(p->f.base_us));
		json_object_set_new(o, "new_us", number(p->f.now_us));
		json_object_set_new(o, "new_restarts_us", restarts(p->now));
	}
	return o;
}

static json_t *group(const struct gate_view *v, const struct group_finding *g)
{
	json_t *o = json_object();
	struct buf name = { 0 };

	gate_group_name(&name, v, g);
	json_object_set_new(o, "name", text(buf_text(&name)));
	buf_fini(&name);
	set_key(o, v, g->group);
	json_object_set_new(o, "class", text(size_classes[g->size_class].name));
	json_object_set_new(o, "points", json_integer((json_int_t)g->n));
	json_object_set_new(o, "points_tested", json_integer((json_int_t)g->n_tested));
	set_finding(o, &g->f);
	return o;
}

/* The keys to measure again: slower points, and all points of slower groups. */
static json_t *suspects(const struct gate_view *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->j->n_groups; i++) {
		const struct group_finding *g = &v->j->groups[i];

		for (size_t k = g->first; k < g->first + g->n; k++) {
			const struct point_finding *p = &v->j->points[k];
			json_t *o;

			if (!p->f.tested || (p->f.verdict != VERDICT_REGRESSED &&
					     g->f.verdict != VERDICT_REGRESSED))
				continue;
			o = json_object();
			set_key(o, v, p->group);
			json_object_set_new(o, "bytes", json_integer((json_int_t)p->bytes));
			json_array_append_new(a, o);
		}
	}
	return a;
}

static json_t *notes(const struct judgement *j)
{
	json_t *a = json_array();
	const char *p = buf_text(&j->notes);

	while (*p) {
		size_t n = strcspn(p, "\n");
		char *one = strndup(p, n);

		json_array_append_new(a, text(one));
		free(one);
		p += n + (p[n] == '\n');
	}
	return a;
}

/* Of the new run: a confirming one must have the same. */
static json_t *conditions(const struct series *now)
{
	json_t *o = json_object();
	size_t restarts = 0;

	for (int i = 0; i < FACT_COUNT; i++)
		json_object_set_new(o, fact_table[i].name, text(now->facts.value[i]));
	for (size_t i = 0; i < now->n; i++)
		restarts = now->points[i].n_m > restarts ? now->points[i].n_m : restarts;
	json_object_set_new(o, "restarts", json_integer((json_int_t)restarts));
	return o;
}

static json_t *baseline(const struct judgement *j)
{
	json_t *o = json_object(), *paths = json_array();

	for (size_t i = 0; i < j->n_series; i++)
		json_array_append_new(paths, text(j->used[i]->path));
	json_object_set_new(o, "series", json_integer((json_int_t)j->n_series));
	json_object_set_new(o, "starts", json_integer((json_int_t)j->n_starts));
	json_object_set_new(o, "left_out", json_integer((json_int_t)j->n_left_out));
	json_object_set_new(o, "paths", paths);
	return o;
}

void gate_json(struct buf *b, const struct gate_view *v)
{
	const struct judgement *j = v->j;
	json_t *o = json_object(), *groups = json_array(), *points = json_array();
	char *s;

	for (size_t i = 0; i < j->n_groups; i++)
		json_array_append_new(groups, group(v, &j->groups[i]));
	for (size_t i = 0; i < j->n_points; i++)
		json_array_append_new(points, point(v, &j->points[i]));
	json_object_set_new(o, "schema", json_integer(GATE_SCHEMA));
	json_object_set_new(o, "command", text("gate"));
	json_object_set_new(o, "verdict", text(verdict_exit_word(j->exit_code)));
	json_object_set_new(o, "exit_code", json_integer(j->exit_code));
	json_object_set_new(o, "new", text(v->now->path));
	json_object_set_new(o, "conditions", conditions(v->now));
	json_object_set_new(o, "baseline", baseline(j));
	json_object_set_new(o, "medians_only", json_boolean(j->bare));
	json_object_set_new(o, "alpha_group", number(j->alpha_group));
	json_object_set_new(o, "alpha_point", number(j->alpha_point));
	json_object_set_new(o, "lent_group", number(j->lent_groups.freedom));
	json_object_set_new(o, "lent_point", number(j->lent_points.freedom));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "rows", points);
	json_object_set_new(o, "suspects", suspects(v));
	json_object_set_new(o, "notes", notes(j));
	s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(8));
	json_decref(o);
	b->failed |= s == NULL;
	buf_puts(b, s ? s : "");
	buf_putc(b, '\n');
	free(s);
}
