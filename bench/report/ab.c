/* SPDX-License-Identifier: Apache-2.0 */
/* See ab.h. A path that differs is told before any percentage. */
#include "report/ab.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "data/record.h"
#include "judge/ab.h"
#include "judge/groups.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "report/text.h"

#define AB_SCHEMA 1
#define NAME_COLUMNS 46
#define POINT_LINES 60 /* on a terminal and in Markdown; the JSON has all */

/* ---- words ---- */

static void clean(struct buf *b, const char *text)
{
	char out[1024];

	text_clean(text, out, sizeof(out));
	buf_puts(b, out);
}

static void percent(struct buf *b, double log_shift)
{
	if (isinf(log_shift))
		buf_puts(b, log_shift < 0 ? "-inf" : "+inf");
	else
		buf_printf(b, "%+.1f", 100 * expm1(log_shift));
}

static void figures(struct buf *b, const struct ab_finding *f)
{
	if (f->time_verdict == AB_SAME) {
		buf_printf(b, "within %.1f %%", 100 * expm1(f->within));
		return;
	}
	percent(b, f->shift);
	if (isinf(f->lo)) { /* too few pairs for any bound */
		buf_printf(b, " %% (%zu pair%s)", f->pairs, f->pairs == 1 ? "" : "s");
		return;
	}
	buf_puts(b, " % (");
	percent(b, f->lo);
	buf_puts(b, " .. ");
	percent(b, f->hi);
	buf_puts(b, " %)");
}

void ab_sentence(struct buf *b, const struct ab_finding *f)
{
	bool after_path = f->verdict >= AB_MISSING, timed = f->time_verdict != AB_NONE;

	if (after_path)
		clean(b, f->why);
	if (timed) {
		if (after_path)
			buf_printf(b, "; then %s ", ab_words[f->time_verdict].name);
		figures(b, f);
	}
	if (!after_path && f->why[0]) {
		buf_puts(b, timed ? "; " : "");
		clean(b, f->why);
	}
}

static void arm_of(const struct ab_view *v, uint32_t group, char *out, size_t max)
{
	series_group_field(pool_text(v->pool, group), "arm", out, max);
}

static void group_name(struct buf *b, const struct ab_view *v, const struct ab_group *g)
{
	struct buf label = { 0 };
	char arm[RECORD_TEXT];

	group_label(v->pool, g->label, &label);
	clean(b, buf_text(&label));
	buf_printf(b, ", %s", size_classes[g->size_class].name);
	arm_of(v, g->group, arm, sizeof(arm));
	if (v->n_sides > 2) {
		buf_puts(b, ", ");
		clean(b, arm);
	}
	buf_fini(&label);
}

/* A point is worth a line when it says something else than its group does. */
static bool point_matters(const struct ab_group *g, const struct ab_point *p)
{
	return p->f.verdict != AB_SAME && p->f.verdict != AB_UNSURE && p->f.verdict != AB_NONE &&
	       p->f.verdict != g->f.verdict;
}

static void sides(struct buf *b, const struct ab_view *v, const char *before)
{
	for (size_t i = 0; i < v->n_sides; i++) {
		const struct ab_side *s = &v->sides[i];

		buf_puts(b, before);
		clean(b, s->label);
		buf_puts(b, "  ");
		clean(b, s->text[0] ? s->text : "the plain environment");
		if (s->version[0]) {
			buf_puts(b, " (");
			clean(b, s->version);
			buf_puts(b, ")");
		}
		buf_putc(b, '\n');
	}
}

static void headline(struct buf *b, const struct ab_view *v)
{
	const char *sep = "";

	for (int verdict = AB_COUNT - 1; verdict > AB_NONE; verdict--) {
		size_t n = 0;

		for (size_t i = 0; i < v->r->n_groups; i++)
			n += v->r->groups[i].f.verdict == verdict;
		if (n == 0)
			continue;
		buf_printf(b, "%s%zu %s", sep, n, ab_words[verdict].name);
		sep = ", ";
	}
	if (!*sep)
		buf_puts(b, "nothing was measured in two environments");
}

static void against(struct buf *b, const struct ab_view *v)
{
	const char *sep = "";

	for (size_t i = 1; i < v->n_sides; i++) {
		buf_puts(b, sep);
		clean(b, v->sides[i].label);
		sep = ", ";
	}
	buf_puts(b, " against ");
	clean(b, v->n_sides ? v->sides[0].label : "");
}

/* ---- terminal ---- */

static const char *colour(const struct ab_view *v, int verdict)
{
	if (!v->color || verdict == AB_NONE || verdict == AB_SAME)
		return "";
	return verdict == AB_FASTER ? "\033[32m" : verdict == AB_UNSURE ? "\033[33m" : "\033[31m";
}

static void line(struct buf *b, const struct ab_view *v, const char *name,
		 const struct ab_finding *f)
{
	const char *on = colour(v, f->verdict);
	int pad = NAME_COLUMNS - text_width(name);

	buf_printf(b, "%s%*s %s%-12s%s ", name, pad > 0 ? pad : 0, "", on,
		   ab_words[f->verdict].name, *on ? "\033[0m" : "");
	ab_sentence(b, f);
	buf_putc(b, '\n');
}

void ab_text(struct buf *b, const struct ab_view *v)
{
	size_t left = POINT_LINES;

	buf_putc(b, '\n');
	sides(b, v, "");
	buf_putc(b, '\n');
	for (size_t i = 0; i < v->r->n_groups; i++) {
		const struct ab_group *g = &v->r->groups[i];
		struct buf name = { 0 };

		if (g->f.verdict == AB_NONE)
			continue;
		group_name(&name, v, g);
		line(b, v, buf_text(&name), &g->f);
		buf_fini(&name);
		for (size_t k = g->first; k < g->first + g->n && left > 0; k++) {
			const struct ab_point *p = &v->r->points[k];
			char size[32], at[48];

			if (!point_matters(g, p))
				continue;
			num_format_size(p->bytes, size, sizeof(size));
			snprintf(at, sizeof(at), "    %s", size);
			line(b, v, at, &p->f);
			left--;
		}
	}
	buf_puts(b, "time of ");
	against(b, v);
	buf_printf(b,
		   " (+ is slower), %d restarts in turns; intervals hold together at %g %%; below "
		   "%g %% of a group or %g %% of a "
		   "point a difference is none\n",
		   v->restarts, 100 * (1 - v->o->alpha), 100 * v->o->group_limit,
		   100 * v->o->point_limit);
	if (v->r->n_alone > 0)
		buf_printf(b, "%zu row%s without a partner in the other arm\n", v->r->n_alone,
			   v->r->n_alone == 1 ? " is" : "s are");
	buf_puts(b, "ab: ");
	headline(b, v);
	buf_putc(b, '\n');
}

/* ---- Markdown ---- */

static void row(struct buf *b, const char *where, const struct ab_finding *f)
{
	struct buf said = { 0 };

	ab_sentence(&said, f);
	buf_printf(b, "| %s %s | ", ab_words[f->verdict].mark, ab_words[f->verdict].name);
	text_markdown(b, where);
	buf_puts(b, " | ");
	text_markdown(b, buf_text(&said));
	buf_puts(b, " |\n");
	buf_fini(&said);
}

static void markdown_group(struct buf *b, const struct ab_view *v, const struct ab_group *g,
			   size_t *left)
{
	struct buf name = { 0 };

	group_name(&name, v, g);
	row(b, buf_text(&name), &g->f);
	for (size_t k = g->first; k - g->first < g->n && *left; k++) {
		const struct ab_point *p = &v->r->points[k];
		struct buf where = { 0 };
		char size[32];

		if (!point_matters(g, p))
			continue;
		num_format_size(p->bytes, size, sizeof(size));
		buf_printf(&where, "%s: %s", buf_text(&name), size);
		row(b, buf_text(&where), &p->f);
		buf_fini(&where);
		(*left)--;
	}
	buf_fini(&name);
}

void ab_markdown(struct buf *b, const struct ab_view *v)
{
	struct buf list = { 0 }, title = { 0 };
	size_t left = POINT_LINES;

	against(&title, v);
	buf_puts(b, "### ncclbench: ");
	text_markdown(b, buf_text(&title));
	buf_puts(b, ": ");
	headline(b, v);
	buf_puts(b, "\n\n");
	sides(&list, v, "- ");
	for (const char *p = buf_text(&list); *p;) {
		size_t n = strcspn(p, "\n");
		struct buf one = { 0 };

		buf_add(&one, p + 2, n - 2);
		buf_puts(b, "- ");
		text_markdown(b, buf_text(&one));
		buf_putc(b, '\n');
		buf_fini(&one);
		p += n + (p[n] == '\n');
	}
	buf_printf(b, "\n%zu groups and %zu points compared, %d restarts in turns.\n\n",
		   v->r->n_tested_groups, v->r->n_tested_points, v->restarts);
	buf_puts(b, "| verdict | where | change of time (+ is slower) |\n|---|---|---|\n");
	for (size_t i = 0; i < v->r->n_groups; i++)
		if (v->r->groups[i].f.verdict != AB_NONE)
			markdown_group(b, v, &v->r->groups[i], &left);
	buf_fini(&list);
	buf_fini(&title);
}

/* ---- JSON ---- */

static json_t *text(const char *s)
{
	struct buf b = { 0 };
	json_t *o;

	clean(&b, s ? s : "");
	o = json_string(buf_text(&b));
	buf_fini(&b);
	return o;
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static void set_key(json_t *o, const struct ab_view *v, uint32_t group)
{
	const char *key = pool_text(v->pool, group);

	for (size_t i = 0; i < record_n_columns; i++) {
		const struct column *c = &record_columns[i];
		char value[RECORD_TEXT];

		if (c->role != COLUMN_KEY || c->type == COLUMN_U64)
			continue;
		series_group_field(key, c->name, value, sizeof(value));
		json_object_set_new(
		    o, c->name, c->type == COLUMN_INT ? json_integer(atoi(value)) : text(value));
	}
}

static void set_finding(json_t *o, const struct ab_finding *f)
{
	bool timed = f->time_verdict != AB_NONE;

	json_object_set_new(o, "verdict", text(ab_words[f->verdict].name));
	json_object_set_new(o, "time_verdict",
			    timed ? text(ab_words[f->time_verdict].name) : json_null());
	json_object_set_new(o, "why", text(f->why));
	json_object_set_new(o, "pairs", json_integer((json_int_t)f->pairs));
	json_object_set_new(o, "change_pct", timed ? number(100 * expm1(f->shift)) : json_null());
	json_object_set_new(o, "lo_pct", timed ? number(100 * expm1(f->lo)) : json_null());
	json_object_set_new(o, "hi_pct", timed ? number(100 * expm1(f->hi)) : json_null());
	json_object_set_new(o, "within_pct", timed ? number(100 * expm1(f->within)) : json_null());
	json_object_set_new(o, "restarts_needed", f->needed > 0 ? number(f->needed) : json_null());
}

static json_t *one_point(const struct ab_view *v, const struct ab_point *p)
{
	json_t *o = json_object();

	set_key(o, v, p->group);
	json_object_set_new(o, "bytes", json_integer((json_int_t)p->bytes));
	set_finding(o, &p->f);
	json_object_set_new(o, "first_used", text(p->a ? pool_text(v->pool, p->a->used) : ""));
	json_object_set_new(o, "used", text(pool_text(v->pool, p->b->used)));
	json_object_set_new(o, "first_us", p->a ? number(exp(p->a->log_time)) : json_null());
	json_object_set_new(o, "us", number(exp(p->b->log_time)));
	return o;
}

static json_t *one_group(const struct ab_view *v, const struct ab_group *g)
{
	json_t *o = json_object();
	struct buf name = { 0 };

	group_name(&name, v, g);
	json_object_set_new(o, "name", text(buf_text(&name)));
	buf_fini(&name);
	set_key(o, v, g->group);
	json_object_set_new(o, "class", text(size_classes[g->size_class].name));
	json_object_set_new(o, "points", json_integer((json_int_t)g->n));
	set_finding(o, &g->f);
	return o;
}

static json_t *arms(const struct ab_view *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n_sides; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "arm", text(v->sides[i].label));
		json_object_set_new(o, "text", text(v->sides[i].text));
		json_object_set_new(o, "lib_version", text(v->sides[i].version));
		json_array_append_new(a, o);
	}
	return a;
}

void ab_json(struct buf *b, const struct ab_view *v)
{
	json_t *o = json_object(), *groups = json_array(), *points = json_array();
	struct buf said = { 0 };
	char *s;

	for (size_t i = 0; i < v->r->n_groups; i++)
		json_array_append_new(groups, one_group(v, &v->r->groups[i]));
	for (size_t i = 0; i < v->r->n_points; i++)
		json_array_append_new(points, one_point(v, &v->r->points[i]));
	headline(&said, v);
	json_object_set_new(o, "schema", json_integer(AB_SCHEMA));
	json_object_set_new(o, "command", text("ab"));
	json_object_set_new(o, "verdict", text(buf_text(&said)));
	json_object_set_new(o, "run", text(v->run));
	json_object_set_new(o, "arms", arms(v));
	json_object_set_new(o, "restarts", json_integer(v->restarts));
	json_object_set_new(o, "group_limit_pct", number(100 * v->o->group_limit));
	json_object_set_new(o, "point_limit_pct", number(100 * v->o->point_limit));
	json_object_set_new(o, "alpha_group", number(v->r->alpha_group));
	json_object_set_new(o, "alpha_point", number(v->r->alpha_point));
	json_object_set_new(o, "without_partner", json_integer((json_int_t)v->r->n_alone));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "rows", points);
	s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(8));
	json_decref(o);
	buf_fini(&said);
	b->failed |= s == NULL;
	buf_puts(b, s ? s : "");
	buf_putc(b, '\n');
	free(s);
}
