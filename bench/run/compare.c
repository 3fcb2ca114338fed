/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "judge/ab.h"
#include "judge/groups.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "report/ab.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "spec/plan.h"
#include "spec/timing.h"

/* ---- restarts ---- */

/* Points of one group stand beside each other, but for their timings. */
static bool new_group(const struct plan_point *p, const struct plan_point *before)
{
	return !before || p->c.op != before->c.op || p->c.dtype != before->c.dtype ||
	       p->c.redop != before->c.redop || p->c.in_place != before->c.in_place ||
	       p->c.a != before->c.a || p->c.b != before->c.b || p->variant != before->variant ||
	       size_class_of(p->c.bytes) != size_class_of(before->c.bytes);
}

static size_t groups_of(const struct plan *p, const struct plan_config *c)
{
	const struct plan_point *before = NULL;
	unsigned timings = 0;
	size_t n = 0;

	for (size_t i = c->first; i < c->first + c->n; i++) {
		const struct plan_point *q = &p->points[i];

		if (q->impossible)
			continue;
		if (new_group(q, before))
			timings = 0;
		n += !(timings & 1u << q->timing);
		timings |= 1u << q->timing;
		before = q;
	}
	return n;
}

int compare_restarts(const struct plan *p)
{
	struct ab_options o;
	size_t comparisons = 0;

	ab_defaults(&o);
	for (size_t i = 0; i < p->n_configs; i++)
		if (p->configs[i].arm > 0)
			comparisons += groups_of(p, &p->configs[i]);
	return (int)ab_restarts_for(comparisons, o.alpha);
}

/* ---- the result ---- */

static int save(const char *dir, const char *name, const struct buf *b, char *why, size_t why_max)
{
	int r = b->failed ? -ENOMEM : file_put(dir, name, buf_text(b), b->len);

	if (r < 0)
		snprintf(why, why_max, "cannot write %s/%s: %s", dir, name, strerror(-r));
	return r;
}

static int write_all(const struct campaign *k, const struct ab_view *v, struct buf *text,
		     struct buf *json, char *why, size_t why_max)
{
	struct buf markdown = { 0 };
	int r;

	ab_text(text, v);
	ab_json(json, v);
	ab_markdown(&markdown, v);
	r = save(k->dir, "ab.json", json, why, why_max);
	if (r == 0)
		r = save(k->dir, "ab.md", &markdown, why, why_max);
	buf_fini(&markdown);
	return r;
}

static void describe(const struct campaign *k, struct ab_side *sides)
{
	for (int i = 0; i < k->plan.n_arms; i++)
		sides[i] =
		    (struct ab_side){ k->arms[i].label, k->arms[i].text, k->arms[i].lib_version };
}

int compare_arms(const struct campaign *k, bool color, struct buf *text, struct buf *json,
		 char *why, size_t why_max)
{
	struct ab_side *sides = calloc((size_t)k->plan.n_arms, sizeof(*sides));
	struct pool pool = { 0 };
	struct series s = { 0 };
	struct ab_options o;
	struct ab_result result = { 0 };
	int r = sides ? series_read(&pool, k->dir, &s, why, why_max) : -ENOMEM;

	ab_defaults(&o);
	if (r == 0) {
		describe(k, sides);
		r = ab_run(&pool, &s, sides[0].label, &o, &result);
	}
	if (r == 0) {
		const struct ab_view v = {
			.pool = &pool,
			.r = &result,
			.o = &o,
			.sides = sides,
			.n_sides = (size_t)k->plan.n_arms,
			.restarts = k->plan.restarts,
			.run = k->dir,
			.color = color,
		};

		r = write_all(k, &v, text, json, why, why_max);
	}
	if (r == -ENOMEM)
		snprintf(why, why_max, "out of memory");
	ab_fini(&result);
	series_fini(&s);
	pool_fini(&pool);
	free(sides);
	return r;
}
