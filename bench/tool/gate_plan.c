/* SPDX-License-Identifier: Apache-2.0 */
/* See gate_plan.h. */
#include "tool/gate_plan.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/num.h"
#include "judge/admit.h"
#include "judge/identity.h"
#include "judge/groups.h"
#include "judge/judge.h"
#include "judge/reach.h"
#include "ncclbench/exitcode.h"
#include "tool/cmd.h"
#include "tool/shelf.h"
#include "tool/words.h"

#define PLAN_SCHEMA 1
#define SERIES_MAX 30
#define RESTARTS_MAX 40

static double percent(double log_shift)
{
	return 100 * expm1(log_shift);
}

struct need { /* 0: out of reach */
	size_t restarts, series;
};

/* The fewest series with 10 restarts, else with 20, else with 40: series come by themselves,
 * restarts cost time in every build. */
static struct need what_it_takes(const struct reach *r, double want, double alpha)
{
	static const size_t tries[] = { 10, 20, RESTARTS_MAX };

	for (size_t i = 0; i < N_ELEMENTS(tries); i++)
		for (size_t series = judge_rules[0].min_series; series <= SERIES_MAX; series++)
			if (reach_at(r, tries[i], series, alpha) <= want)
				return (struct need){ tries[i], series };
	return (struct need){ 0, 0 };
}

static void name_of(const struct pool *pool, const struct reach *r, struct buf *name)
{
	buf_clear(name);
	group_label(pool, r->group, name);
	buf_printf(name, ", %s", size_classes[r->size_class].name);
}

static void say_need(const struct reach *r, double want, double alpha)
{
	struct need n = what_it_takes(r, want, alpha);

	if (r->smallest <= want)
		printf("  seen already");
	else if (n.restarts)
		printf("  %zu restarts, %zu series", n.restarts, n.series);
	else
		printf("  out of reach: measure both sides in one run");
}

static int print_text(const struct pool *pool, const struct reaches *all, double want)
{
	struct buf name = { 0 };
	bool blind = false;

	printf("%-46s %8s %9s %9s %7s %9s", "group", "series", "restarts", "series", "limit",
	       "found");
	printf("%s\n%-46s %8s %9s %9s %7s %9s\n", want > 0 ? "  for the wanted change" : "", "",
	       "(starts)", "sd", "sd", "", "from");
	for (size_t i = 0; i < all->n; i++) {
		const struct reach *r = &all->v[i];

		name_of(pool, r, &name);
		printf("%-46s %4zu (%zu) %7.2f %% ", buf_text(&name), r->n_series, r->n_starts,
		       100 * r->within);
		if (isnan(r->between))
			printf("%9s", "?");
		else
			printf("%7.2f %%", 100 * r->between);
		printf(" %5.1f %% %7.1f %%", percent(r->limit), percent(r->smallest));
		if (want > 0)
			say_need(r, want, all->alpha);
		putchar('\n');
		blind |= r->rule != &judge_rules[0];
	}
	printf("\nfound from: a slow-down of a group that is found in %.0f %% of gates with as "
	       "many restarts as the baseline's series "
	       "have.\n",
	       100 * REACH_POWER);
	if (all->prior.freedom > 0)
		printf("A group knows its limit from its own series and, as from %.1f series more, "
		       "from how the others' differ.\n",
		       all->prior.freedom);
	if (blind)
		printf("note: fewer than %zu series, or one machine start only: how machine starts "
		       "differ is not known, the weaker rule "
		       "holds\n      and what is found may be more than said here; add series from "
		       "other starts with ncclbench "
		       "baseline add\n",
		       judge_rules[0].min_series);
	buf_fini(&name);
	return NB_EXIT_OK;
}

static json_t *row(const struct pool *pool, const struct reach *r, double want, double alpha)
{
	json_t *o = json_object();
	struct buf name = { 0 };
	struct need n = what_it_takes(r, want, alpha);

	name_of(pool, r, &name);
	json_object_set_new(o, "name", json_string(buf_text(&name)));
	buf_fini(&name);
	json_object_set_new(o, "points", json_integer((json_int_t)r->n_points));
	json_object_set_new(o, "series", json_integer((json_int_t)r->n_series));
	json_object_set_new(o, "starts", json_integer((json_int_t)r->n_starts));
	json_object_set_new(o, "restarts", json_integer((json_int_t)r->restarts));
	json_object_set_new(o, "restart_sd_pct", json_real(100 * r->within));
	json_object_set_new(o, "series_sd_pct",
			    isnan(r->between) ? json_null() : json_real(100 * r->between));
	json_object_set_new(o, "lent", json_real(r->lent));
	json_object_set_new(o, "rule", json_string(r->rule->name));
	json_object_set_new(o, "limit_pct", json_real(percent(r->limit)));
	json_object_set_new(o, "found_from_pct",
			    isfinite(r->smallest) ? json_real(percent(r->smallest)) : json_null());
	if (want > 0 && n.restarts) {
		json_object_set_new(o, "needs_restarts", json_integer((json_int_t)n.restarts));
		json_object_set_new(o, "needs_series", json_integer((json_int_t)n.series));
	}
	return o;
}

static int print_json(const struct pool *pool, const struct reaches *all, double want)
{
	json_t *o = json_object(), *rows = json_array();
	char *s;

	for (size_t i = 0; i < all->n; i++)
		json_array_append_new(rows, row(pool, &all->v[i], want, all->alpha));
	json_object_set_new(o, "schema", json_integer(PLAN_SCHEMA));
	json_object_set_new(o, "command", json_string("gate plan"));
	json_object_set_new(o, "verdict", json_string("pass"));
	json_object_set_new(o, "exit_code", json_integer(NB_EXIT_OK));
	json_object_set_new(o, "power", json_real(REACH_POWER));
	json_object_set_new(o, "rows", rows);
	s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(8));
	json_decref(o);
	if (s)
		puts(s);
	free(s);
	return s ? NB_EXIT_OK : shelf_no_memory("gate plan");
}

/* Series that the newest could not be compared with are no part of its baseline. */
static size_t admitted(const struct shelf *s, const struct series **base)
{
	const struct series *newest = &s->series[s->n - 1];
	char why[400];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t same = identity_find(base, n, &s->series[i]);

		if (admit_differs(&s->series[i], newest, 0, why, sizeof(why)))
			log_note("left out: %.200s: %s", s->series[i].path, why);
		else if (same < n)
			log_note("left out: %.200s: the same measurement as %.200s",
				 s->series[i].path, base[same]->path);
		else
			base[n++] = &s->series[i];
	}
	return n;
}

static int plan(const struct shelf *s, double want, bool json)
{
	const struct series **base = calloc(s->n, sizeof(*base));
	struct judge_options o;
	struct reaches all = { 0 };
	int rc = -ENOMEM;

	judge_defaults(&o);
	if (base)
		rc = reach_find(&s->pool, base, admitted(s, base), &o, &all);
	free((void *)base);
	if (rc == -ENOMEM)
		return shelf_no_memory("gate plan");
	if (rc) {
		log_error("gate plan: a series has no samples.csv: its restarts are not known");
		return NB_EXIT_USAGE;
	}
	rc = (json ? print_json : print_text)(&s->pool, &all, want);
	reach_fini(&all);
	return rc;
}

int gate_plan(int argc, char **argv)
{
	static const char *const names[] = { "--want", "--json" };
	struct shelf s = { 0 };
	double want = 0;
	bool json = false;
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--want") == 0 && i + 1 < argc)
			rc = num_parse_double(argv[++i], &want) || !(want > 0) || want > 1000
				 ? words_refuse("gate plan", "--want", argv[i],
						"must be a percentage above 0, as 3")
				 : 0;
		else if (argv[i][0] == '-')
			rc = words_unknown("gate", argv[i], names, sizeof(names[0]),
					   N_ELEMENTS(names));
		else
			rc = shelf_add(&s, argv[i]);
	}
	if (rc == 0 && s.n == 0)
		rc = shelf_add(&s, SHELF_DEFAULT);
	shelf_sort(&s);
	if (rc == 0)
		rc = plan(&s, log1p(want / 100), json);
	shelf_fini(&s);
	return rc;
}
