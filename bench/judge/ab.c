/* SPDX-License-Identifier: Apache-2.0 */
/* See ab.h. */
#include "judge/ab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/groups.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "judge/stat.h"
#include "spec/outcome.h"

#define RESTARTS_LEAST 10
#define RESTARTS_MOST 64 /* 2^-64: no level is below it */
#define RESTARTS_SAID 200
#define EXCLUDED 2 /* as the gate's: SAME excludes twice the limit */

const struct ab_word ab_words[AB_COUNT] = {
	[AB_NONE] = { "NONE", "measured in neither environment", "" },
	[AB_SAME] = { "SAME", "no difference as large as the limit, and twice that is excluded",
		      "✅" },
	[AB_FASTER] = { "FASTER", "the second environment takes less time", "🚀" },
	[AB_SLOWER] = { "SLOWER", "the second environment takes more time", "🔻" },
	[AB_UNSURE] = { "UNSURE", "too noisy or too few restarts to tell", "❔" },
	[AB_MISSING] = { "MISSING", "measured in one environment only", "🕳️" },
	[AB_PATH_CHANGED] = { "PATH_CHANGED", "the data took another path, or another algorithm",
			      "🔀" },
	[AB_FAILED] = { "FAILED", "wrong data, crash, hang or error", "💥" },
};

/* What the pairs of a run can see: tests/unit/judge/test_ab_rates.c. */
void ab_defaults(struct ab_options *o)
{
	*o = (struct ab_options){ .group_limit = 0.01, .point_limit = 0.05, .alpha = 0.05 };
}

size_t ab_restarts_for(size_t comparisons, double alpha)
{
	double level = alpha / 2 / (double)(comparisons ? comparisons : 1);
	size_t n = RESTARTS_LEAST;

	while (n < RESTARTS_MOST && exp2(-(double)n) > level)
		n += 2;
	return n;
}

void ab_fini(struct ab_result *r)
{
	free(r->points);
	free(r->groups);
	*r = (struct ab_result){ 0 };
}

/* ---- pairs of points ---- */

struct work {
	struct pool *pool;
	const struct series *s;
	const struct ab_options *o;
	struct ab_result *r;
	double *sum, *diff; /* by restart; room for the highest number */
	unsigned *count;
	size_t stride;
};

static int by_key(const void *a, const void *b)
{
	return series_order(a, b);
}

/* By the words of the key, not by when a row was finished: transports, then arms, then sizes. */
static int by_words(const void *a, const void *b, void *arg)
{
	const struct ab_point *x = a, *y = b;
	const struct pool *pool = arg;
	int order = strcmp(pool_text(pool, x->label), pool_text(pool, y->label));

	if (order == 0)
		order = strcmp(pool_text(pool, x->group), pool_text(pool, y->group));
	return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int partner(struct work *w, const struct point *b, const char *first, uint32_t *label,
		   const struct point **a)
{
	const char *group = pool_text(w->pool, b->group);
	char text[SERIES_KEY_MAX];
	struct point key = { .bytes = b->bytes };
	int rc;

	series_group_with(group, "arm", first, text, sizeof(text));
	rc = pool_add(w->pool, text, &key.group);
	if (rc)
		return rc;
	*a = bsearch(&key, w->s->points, w->s->n, sizeof(key), by_key);
	series_group_with(pool_text(w->pool, b->group), "arm", "", text, sizeof(text));
	return pool_add(w->pool, text, label);
}

static bool is_second(const struct work *w, const struct point *p, const char *first)
{
	char arm[RECORD_TEXT];

	series_group_field(pool_text(w->pool, p->group), "arm", arm, sizeof(arm));
	return arm[0] && strcmp(arm, first) != 0;
}

static int pair_up(struct work *w, const char *first)
{
	const struct series *s = w->s;
	size_t paired = 0, firsts = 0;
	int rc = 0;

	w->r->points = calloc(s->n + 1, sizeof(*w->r->points));
	if (!w->r->points)
		return -ENOMEM;
	for (size_t i = 0; i < s->n && rc == 0; i++) {
		struct ab_point *p = &w->r->points[w->r->n_points];

		if (!is_second(w, &s->points[i], first)) {
			firsts++;
			continue;
		}
		*p = (struct ab_point){ .group = s->points[i].group,
					.bytes = s->points[i].bytes,
					.b = &s->points[i] };
		rc = partner(w, p->b, first, &p->label, &p->a);
		paired += p->a != NULL;
		w->r->n_points++;
	}
	if (rc == 0)
		qsort_r(w->r->points, w->r->n_points, sizeof(*w->r->points), by_words, w->pool);
	w->r->n_alone = w->r->n_points - paired + (firsts > paired ? firsts - paired : 0);
	return rc;
}

/* ---- what comes before time ---- */

static bool is_broken(const struct point *p)
{
	return p->outcome == OUTCOME_CORRUPT || p->outcome == OUTCOME_HANG ||
	       p->outcome == OUTCOME_CRASH || p->outcome == OUTCOME_ERROR;
}

static bool is_timed(const struct point *p)
{
	return p && (p->outcome == OUTCOME_OK || p->outcome == OUTCOME_UNPROVEN) && p->n_m > 0;
}

static const char *outcome_of(const struct point *p)
{
	return p ? outcome_table[p->outcome].name : "no row";
}

static int say_outcomes(const struct work *w, const struct ab_point *p, struct ab_finding *f,
			int verdict)
{
	const struct point *bad = !is_timed(p->b) ? p->b : p->a;
	const char *detail = bad ? pool_text(w->pool, bad->detail) : "";

	snprintf(f->why, sizeof(f->why), "%s becomes %s%s%.160s", outcome_of(p->a),
		 outcome_of(p->b), detail[0] ? ": " : "", detail);
	return verdict;
}

static int other_word(const struct work *w, uint32_t a, uint32_t b, const char *what,
		      struct ab_finding *f)
{
	if (!a || !b || a == b)
		return AB_NONE;
	snprintf(f->why, sizeof(f->why), "%s%.60s becomes %.60s", what, pool_text(w->pool, a),
		 pool_text(w->pool, b));
	return AB_PATH_CHANGED;
}

static int before_time(const struct work *w, const struct ab_point *p, struct ab_finding *f)
{
	int v;

	if ((p->a && is_broken(p->a)) || is_broken(p->b))
		return say_outcomes(w, p, f, AB_FAILED);
	if (!is_timed(p->a) && !is_timed(p->b))
		return say_outcomes(w, p, f, AB_NONE);
	if (!is_timed(p->a) || !is_timed(p->b))
		return say_outcomes(w, p, f, AB_MISSING);
	v = other_word(w, p->a->used, p->b->used, "", f);
	return v ? v : other_word(w, p->a->algo, p->b->algo, "algorithm ", f);
}

/* ---- time ---- */

/* Adds the differences of the restarts that both have to the sums. */
static void add_pairs(struct work *w, const struct ab_point *p)
{
	size_t i = 0, k = 0;

	while (i < p->a->n_m && k < p->b->n_m) {
		if (p->a->r[i] == p->b->r[k]) {
			w->sum[p->a->r[i]] += p->b->m[k] - p->a->m[i];
			w->count[p->a->r[i]]++;
			i++;
			k++;
		} else if (p->a->r[i] < p->b->r[k]) {
			i++;
		} else {
			k++;
		}
	}
}

/* Means of the restarts in which at least half of the points have a pair; how many there are. */
static size_t take_pairs(struct work *w)
{
	unsigned most = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->stride; i++)
		most = w->count[i] > most ? w->count[i] : most;
	for (size_t i = 0; i < w->stride; i++)
		if (w->count[i] > 0 && w->count[i] * 2 >= most)
			w->diff[n++] = w->sum[i] / w->count[i];
	memset(w->sum, 0, w->stride * sizeof(*w->sum));
	memset(w->count, 0, w->stride * sizeof(*w->count));
	return n;
}

static double percent(double log_shift)
{
	return 100 * expm1(log_shift);
}

static void say_unsure(const struct stat_shift *s, double limit, double alpha, struct ab_finding *f)
{
	double half = (s->hi95 - s->lo95) / 2, room = EXCLUDED * limit - fabs(s->hl);

	f->needed = NAN;
	if (isinf(s->lo)) {
		f->needed = ceil(-log2(alpha));
		snprintf(f->why, sizeof(f->why),
			 "%zu pairs cannot reach the level of so many comparisons: %.0f can",
			 f->pairs, f->needed);
	} else if (fabs(s->hl) < limit &&
		   (double)f->pairs * half * half / (room * room) <= RESTARTS_SAID) {
		f->needed = fmax((double)f->pairs + 1,
				 ceil((double)f->pairs * half * half / (room * room)));
		snprintf(f->why, sizeof(f->why), "about %.0f restarts would tell", f->needed);
	} else {
		snprintf(f->why, sizeof(f->why), "too noisy: could be %+.1f to %+.1f %%",
			 percent(s->lo95), percent(s->hi95));
	}
}

static int decide(const struct stat_shift *s, double limit, double within)
{
	if (s->lo > 0 && s->hl >= limit)
		return AB_SLOWER;
	if (s->hi < 0 && s->hl <= -limit)
		return AB_FASTER;
	return fabs(s->hl) < limit && within < EXCLUDED * limit ? AB_SAME : AB_UNSURE;
}

static int weigh(struct work *w, double limit, double alpha, struct ab_finding *f)
{
	struct stat_shift s;
	int rc;

	f->pairs = take_pairs(w);
	if (f->pairs == 0) {
		f->verdict = f->verdict ? f->verdict : AB_UNSURE;
		snprintf(f->why, sizeof(f->why), "no restart has both");
		return 0;
	}
	rc = stat_paired(w->diff, f->pairs, alpha, &s);
	if (rc)
		return rc;
	limit = log1p(limit);
	f->shift = s.hl;
	f->lo = s.lo;
	f->hi = s.hi;
	f->within = fmax(fabs(s.lo95), fabs(s.hi95));
	f->time_verdict = decide(&s, limit, f->within);
	if (f->time_verdict == AB_UNSURE && f->verdict == AB_NONE)
		say_unsure(&s, limit, alpha, f);
	if (f->verdict == AB_NONE)
		f->verdict = f->time_verdict;
	return 0;
}

static bool has_pairs(const struct ab_point *p)
{
	return is_timed(p->a) && is_timed(p->b);
}

static int judge_points(struct work *w)
{
	struct ab_result *r = w->r;
	int rc = 0;

	for (size_t i = 0; i < r->n_points; i++)
		r->n_tested_points += has_pairs(&r->points[i]);
	r->alpha_point = w->o->alpha / 2 / (double)(r->n_tested_points ? r->n_tested_points : 1);
	for (size_t i = 0; i < r->n_points && rc == 0; i++) {
		struct ab_point *p = &r->points[i];

		p->f.verdict = before_time(w, p, &p->f);
		if (!has_pairs(p))
			continue;
		add_pairs(w, p);
		rc = weigh(w, w->o->point_limit, r->alpha_point, &p->f);
	}
	return rc;
}

/* ---- groups ---- */

static size_t group_end(const struct ab_result *r, size_t first)
{
	const struct ab_point *p = r->points;
	size_t end = first + 1;

	while (end < r->n_points && p[end].group == p[first].group &&
	       size_class_of(p[end].bytes) == size_class_of(p[first].bytes))
		end++;
	return end;
}

static int find_groups(struct work *w)
{
	struct ab_result *r = w->r;

	r->groups = calloc(r->n_points + 1, sizeof(*r->groups));
	if (!r->groups)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_points;) {
		struct ab_group *g = &r->groups[r->n_groups++];
		bool tested = false;

		*g = (struct ab_group){ .group = r->points[i].group,
					.label = r->points[i].label,
					.size_class = size_class_of(r->points[i].bytes),
					.first = i,
					.n = group_end(r, i) - i };
		for (; i < g->first + g->n; i++)
			tested |= has_pairs(&r->points[i]);
		r->n_tested_groups += tested;
	}
	return 0;
}

/* The worst of what its points say before time: it is told before any percentage. */
static void take_worst(const struct ab_result *r, struct ab_group *g)
{
	const struct ab_finding *worst = &r->points[g->first].f;
	size_t alike = 0;

	for (size_t i = g->first; i < g->first + g->n; i++)
		if (r->points[i].f.verdict > worst->verdict)
			worst = &r->points[i].f;
	if (worst->verdict < AB_MISSING && worst->time_verdict != AB_NONE)
		return;
	for (size_t i = g->first; i < g->first + g->n; i++)
		alike += r->points[i].f.verdict == worst->verdict;
	g->f.verdict = worst->verdict;
	if (alike < g->n)
		snprintf(g->f.why, sizeof(g->f.why), "%zu of %zu points: %.180s", alike, g->n,
			 worst->why);
	else
		snprintf(g->f.why, sizeof(g->f.why), "%s", worst->why);
}

static int judge_groups(struct work *w)
{
	struct ab_result *r = w->r;
	int rc = find_groups(w);

	r->alpha_group = w->o->alpha / 2 / (double)(r->n_tested_groups ? r->n_tested_groups : 1);
	for (size_t i = 0; i < r->n_groups && rc == 0; i++) {
		struct ab_group *g = &r->groups[i];
		bool tested = false;

		take_worst(r, g);
		for (size_t k = g->first; k < g->first + g->n; k++)
			if (has_pairs(&r->points[k])) {
				add_pairs(w, &r->points[k]);
				tested = true;
			}
		if (tested)
			rc = weigh(w, w->o->group_limit, r->alpha_group, &g->f);
	}
	return rc;
}

static size_t most_restarts(const struct series *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->points[i].n_m > 0 && s->points[i].r[s->points[i].n_m - 1] >= most)
			most = (size_t)s->points[i].r[s->points[i].n_m - 1] + 1;
	return most;
}

int ab_run(struct pool *pool, const struct series *s, const char *first, const struct ab_options *o,
	   struct ab_result *out)
{
	struct ab_result r = { 0 };
	struct work w = { .pool = pool, .s = s, .o = o, .r = &r, .stride = most_restarts(s) };
	int rc;

	w.sum = calloc(w.stride + 1, sizeof(*w.sum));
	w.diff = calloc(w.stride + 1, sizeof(*w.diff));
	w.count = calloc(w.stride + 1, sizeof(*w.count));
	rc = w.sum && w.diff && w.count ? pair_up(&w, first) : -ENOMEM;
	if (rc == 0)
		rc = judge_points(&w);
	if (rc == 0)
		rc = judge_groups(&w);
	free(w.sum);
	free(w.diff);
	free(w.count);
	if (rc)
		ab_fini(&r);
	else
		*out = r;
	return rc;
}
