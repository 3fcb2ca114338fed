/* SPDX-License-Identifier: Apache-2.0 */
/* See series.h. Reads points.csv first: what samples.csv says about other points is left out. */
#include "judge/series.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "data/record.h"
#include "data/stats.h"
#include "judge/pool.h"
#include "spec/outcome.h"

#define POINTS "points.csv"
#define SAMPLES "samples.csv"
#define RUN "run.json"
#define POINTS_MAX (512u << 20)
#define SAMPLES_MAX (2048u << 20)
#define RUN_MAX (64u << 20)
#define ROWS_MAX (1u << 20)

static const char *const points_required[] = {
	"backend", "transport", "variant", "op",      "dtype",    "redop",     "inplace",
	"root",    "ranks",     "map",     "pair",    "algo_req", "proto_req", "load",
	"bytes",   "timing",    "outcome", "time_us", NULL,
};
static const char *const samples_required[] = {
	"backend", "transport", "variant", "op",    "dtype",    "redop",     "inplace",
	"root",    "ranks",     "map",     "pair",  "algo_req", "proto_req", "load",
	"bytes",   "timing",    "restart", "batch", "max_us",   NULL,
};

struct batch { /* a row of samples.csv, reduced */
	double us;
	uint32_t point, number, line;
	uint16_t restart;
};

struct reader {
	struct pool *pool;
	struct series *s;
	size_t cap;
	struct batch *batches;
	size_t n_batches, batches_cap, last; /* last: the point of the previous row */
	char *why;
	size_t why_max;
};

void series_fini(struct series *s)
{
	free(s->path);
	free(s->points);
	free(s->m);
	free(s->r);
	*s = (struct series){ 0 };
}

int series_order(const struct point *a, const struct point *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* ---- keys ---- */

static bool in_group(const struct column *c)
{
	return c->role == COLUMN_KEY &&
	       c->type != COLUMN_U64; /* bytes is the only one of that type */
}

void series_group_text(const struct record *key, char *out, size_t max)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < record_n_columns && at + 1 < max; i++) {
		const struct column *c = &record_columns[i];
		const char *member = (const char *)key + c->offset;
		char number[16];

		if (!in_group(c))
			continue;
		if (at > 0)
			out[at++] = SERIES_SEPARATOR;
		if (c->type == COLUMN_INT) {
			snprintf(number, sizeof(number), "%d", *(const int *)(const void *)member);
			member = number;
		}
		for (; *member && at + 1 < max; member++)
			out[at++] = *member == SERIES_SEPARATOR ? '?' : *member;
	}
	out[at] = '\0';
}

void series_group_with(const char *group, const char *column, const char *value, char *out,
		       size_t max)
{
	const char *p = group;
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < record_n_columns && at + 1 < max; i++) {
		size_t n = strcspn(p, (const char[]){ SERIES_SEPARATOR, '\0' });
		bool it = strcmp(record_columns[i].name, column) == 0;

		if (!in_group(&record_columns[i]))
			continue;
		if (at > 0)
			out[at++] = SERIES_SEPARATOR;
		at += (size_t)snprintf(out + at, max - at, "%.*s", it ? (int)strlen(value) : (int)n,
				       it ? value : p);
		p += n + (p[n] != '\0');
	}
}

void series_group_field(const char *group, const char *column, char *out, size_t max)
{
	const char *p = group;

	out[0] = '\0';
	for (size_t i = 0; i < record_n_columns; i++) {
		size_t n = strcspn(p, (const char[]){ SERIES_SEPARATOR, '\0' });

		if (!in_group(&record_columns[i]))
			continue;
		if (strcmp(record_columns[i].name, column) == 0) {
			snprintf(out, max, "%.*s", (int)n, p);
			return;
		}
		p += n + (p[n] != '\0');
	}
}

/* ---- points.csv ---- */

static double log_of(double us)
{
	return us > 0 ? log(us) : NAN;
}

static int words(struct reader *rd, const struct record *r, struct point *p)
{
	char group[SERIES_KEY_MAX];
	const char *texts[] = { group, r->used, r->algo, r->proto, r->detail };
	uint32_t *ids[] = { &p->group, &p->used, &p->algo, &p->proto, &p->detail };
	int rc = 0;

	series_group_text(r, group, sizeof(group));
	for (size_t i = 0; i < N_ELEMENTS(ids) && rc == 0; i++)
		rc = pool_add(rd->pool, texts[i], ids[i]);
	return rc;
}

static int refuse_row(struct reader *rd, size_t line, const char *reason, const char *word)
{
	snprintf(rd->why, rd->why_max, "line %zu: %s%s%.40s%s", line, reason, *word ? " '" : "",
		 word, *word ? "'" : "");
	return -EBADMSG;
}

static int fill_point(struct reader *rd, const struct record *r, size_t line, struct point *p)
{
	*p = (struct point){
		.bytes = r->bytes,
		.line = line,
		.channels = (float)r->channels,
		.ops_per_batch = (float)r->ops_per_batch,
		.peak_pct = (float)r->peak_pct,
		.log_time = log_of(r->time_us),
		.log_lo = log_of(r->ci_lo_us),
		.log_hi = log_of(r->ci_hi_us),
		.restarts = r->restarts,
		.samples = r->samples,
	};
	p->outcome = outcome_find(r->outcome);
	if (p->outcome < 0)
		return refuse_row(rd, line, "unknown outcome", r->outcome);
	if (p->outcome == OUTCOME_OK && isnan(p->log_time))
		return refuse_row(rd, line, "outcome ok without a time_us above 0", "");
	return words(rd, r, p);
}

static int add_point(void *arg, const struct record *r, const struct sample *none, size_t line)
{
	struct reader *rd = arg;
	struct series *s = rd->s;
	int rc;

	(void)none;
	if (s->n >= ROWS_MAX)
		return refuse_row(rd, line, "too many rows", "");
	if (s->n == rd->cap) {
		size_t cap = rd->cap ? rd->cap + rd->cap / 2 : 256;
		struct point *grown = reallocarray(s->points, cap, sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		s->points = grown;
		rd->cap = cap;
	}
	rc = fill_point(rd, r, line, &s->points[s->n]);
	s->n += rc == 0;
	return rc;
}

static int by_key(const void *a, const void *b)
{
	return series_order(a, b);
}

static int sort_points(struct reader *rd)
{
	struct point *p = rd->s->points;

	qsort(p, rd->s->n, sizeof(*p), by_key);
	for (size_t i = 1; i < rd->s->n; i++) {
		size_t a = p[i - 1].line, b = p[i].line;

		if (series_order(&p[i - 1], &p[i]) != 0)
			continue;
		snprintf(rd->why, rd->why_max, "line %zu: the same key as line %zu", a > b ? a : b,
			 a > b ? b : a);
		return -EBADMSG;
	}
	return 0;
}

/* ---- samples.csv ---- */

/* Index of the point; s->n when points.csv has none: a run that was stopped in the middle. */
static size_t find_point(const struct series *s, const struct point *key)
{
	const struct point *p = bsearch(key, s->points, s->n, sizeof(*p), by_key);

	return p ? (size_t)(p - s->points) : s->n;
}

static int place(struct reader *rd, const struct record *key, size_t *at)
{
	struct point p = { .bytes = key->bytes };
	char group[SERIES_KEY_MAX];
	int rc;

	series_group_text(key, group, sizeof(group));
	if (rd->last < rd->s->n) {
		const struct point *last = &rd->s->points[rd->last];

		*at = rd->last;
		if (last->bytes == p.bytes && strcmp(pool_text(rd->pool, last->group), group) == 0)
			return 0;
	}
	rc = pool_add(rd->pool, group, &p.group);
	*at = rc ? 0 : find_point(rd->s, &p);
	rd->last = *at;
	return rc;
}

static int add_batch(void *arg, const struct record *key, const struct sample *v, size_t line)
{
	struct reader *rd = arg;
	size_t at;
	int rc = place(rd, key, &at);

	if (rc)
		return rc;
	if (at == rd->s->n) {
		if (rd->s->n_lost++ == 0)
			rd->s->lost_line = line;
		return 0;
	}
	if (v->restart < 0 || v->restart >= SERIES_RESTARTS_MAX || v->batch < 0)
		return refuse_row(rd, line, "restart or batch out of range", "");
	if (!(v->max_us > 0))
		return refuse_row(rd, line, "max_us must be above 0", "");
	if (line > UINT32_MAX)
		return refuse_row(rd, line, "too many lines", "");
	if (rd->n_batches == rd->batches_cap) {
		size_t cap = rd->batches_cap ? rd->batches_cap * 2 : 4096;
		struct batch *grown = reallocarray(rd->batches, cap, sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		rd->batches = grown;
		rd->batches_cap = cap;
	}
	rd->batches[rd->n_batches++] = (struct batch){
		.us = v->max_us,
		.point = (uint32_t)at,
		.number = (uint32_t)v->batch,
		.line = (uint32_t)line,
		.restart = (uint16_t)v->restart,
	};
	return 0;
}

static int by_batch(const void *a, const void *b)
{
	const struct batch *x = a, *y = b;

	if (x->point != y->point)
		return x->point < y->point ? -1 : 1;
	if (x->restart != y->restart)
		return x->restart < y->restart ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Rows of one restart of one point from `at` on; their median goes to m. Returns how many. */
static size_t one_restart(const struct reader *rd, size_t at, double *values, double *m)
{
	const struct batch *b = rd->batches;
	size_t n = 0;

	while (at + n < rd->n_batches && b[at + n].point == b[at].point &&
	       b[at + n].restart == b[at].restart) {
		values[n] = b[at + n].us;
		n++;
	}
	*m = log(stats_median(values, n));
	return n;
}

static int check_twice(struct reader *rd)
{
	const struct batch *b = rd->batches;

	for (size_t i = 1; i < rd->n_batches; i++) {
		size_t x = b[i - 1].line, y = b[i].line;

		if (by_batch(&b[i - 1], &b[i]) != 0)
			continue;
		snprintf(rd->why, rd->why_max,
			 "line %zu: the same key, restart and batch as line %zu", x > y ? x : y,
			 x > y ? y : x);
		return -EBADMSG;
	}
	return 0;
}

static int medians(struct reader *rd)
{
	struct series *s = rd->s;
	double *values = reallocarray(NULL, rd->n_batches + 1, sizeof(*values));
	size_t n = 0;

	s->m = reallocarray(NULL, rd->n_batches + 1, sizeof(*s->m));
	s->r = reallocarray(NULL, rd->n_batches + 1, sizeof(*s->r));
	for (size_t i = 0; values && s->m && s->r && i < rd->n_batches;) {
		struct point *p = &s->points[rd->batches[i].point];

		if (p->n_m == 0) {
			p->m = s->m + n;
			p->r = s->r + n;
		}
		s->r[n] = rd->batches[i].restart;
		i += one_restart(rd, i, values, &s->m[n]);
		p->n_m++;
		n++;
	}
	free(values);
	return values && s->m && s->r ? 0 : -ENOMEM;
}

/* A file that was cut at the end of a line looks whole: the rows of points.csv know better. */
static int check_counts(struct reader *rd)
{
	const struct series *s = rd->s;
	size_t i = 0;

	for (size_t k = 0; k < s->n; k++) {
		const struct point *p = &s->points[k];
		size_t first = i;

		while (i < rd->n_batches && rd->batches[i].point == k)
			i++;
		if (p->outcome != OUTCOME_OK)
			continue;
		if ((isfinite(p->samples) && p->samples != (double)(i - first)) || i == first ||
		    (isfinite(p->restarts) && p->restarts != (double)p->n_m)) {
			snprintf(rd->why, rd->why_max,
				 "%zu batches of %zu restarts for the row of " POINTS
				 " in line %zu, which says %g of %g (cut short?)",
				 i - first, p->n_m, p->line, p->samples, p->restarts);
			return -EBADMSG;
		}
	}
	return 0;
}

static int parse_samples(struct reader *rd, const char *data, size_t len)
{
	struct record_stream to = {
		.row = add_batch, .arg = rd, .required = samples_required, .samples = 1
	};
	int rc = record_read_stream(data, len, &to, rd->why, rd->why_max);

	if (rc == 0) {
		qsort(rd->batches, rd->n_batches, sizeof(*rd->batches), by_batch);
		rc = check_twice(rd);
	}
	if (rc == 0)
		rc = medians(rd);
	return rc ? rc : check_counts(rd);
}

/* Both files may be well formed and tell two stories. Rounding of either is far below any limit. */
#define TIME_SLACK 1e-4

static int check_times(struct reader *rd, const char *data, size_t len)
{
	double *us = reallocarray(NULL, SERIES_RESTARTS_MAX, sizeof(*us));

	(void)data;
	(void)len;
	for (size_t i = 0; us && i < rd->s->n; i++) {
		const struct point *p = &rd->s->points[i];
		double median;

		for (size_t k = 0; k < p->n_m; k++)
			us[k] = exp(p->m[k]);
		median = stats_median(us, p->n_m);
		if (p->outcome != OUTCOME_OK || fabs(p->log_time - log(median)) <= TIME_SLACK)
			continue;
		snprintf(rd->why, rd->why_max,
			 "line %zu: time_us is %g, but the median of its restarts in " SAMPLES
			 " is %g",
			 p->line, exp(p->log_time), median);
		free(us);
		return -EBADMSG;
	}
	free(us);
	return us ? 0 : -ENOMEM;
}

/* ---- whole series ---- */

static int parse_into(struct reader *rd, const char *file,
		      int (*parse)(struct reader *, const char *, size_t), const char *data,
		      size_t len)
{
	size_t n = (size_t)snprintf(rd->why, rd->why_max, "%s: ", file);
	struct reader inner = *rd;
	int rc;

	if (n >= rd->why_max)
		n = rd->why_max;
	inner.why += n;
	inner.why_max -= n;
	rc = parse(&inner, data, len);
	if (rc && rc != -EBADMSG && n < rd->why_max)
		snprintf(inner.why, inner.why_max, "%s", strerror(-rc));
	*rd = inner;
	rd->why -= n;
	rd->why_max += n;
	return rc;
}

static int parse_points(struct reader *rd, const char *data, size_t len)
{
	struct record_stream to = { .row = add_point, .arg = rd, .required = points_required };
	int rc = record_read_stream(data, len, &to, rd->why, rd->why_max);

	return rc ? rc : sort_points(rd);
}

static int parse_run(struct reader *rd, const char *data, size_t len)
{
	return facts_parse(data, len, &rd->s->facts, rd->why, rd->why_max);
}

int series_parse(struct pool *pool, const char *points, size_t points_len, const char *samples,
		 size_t samples_len, const char *json, size_t json_len, struct series *out,
		 char *why, size_t why_max)
{
	struct series s = { .bare = samples == NULL };
	struct reader rd = {
		.pool = pool, .s = &s, .why = why, .why_max = why_max, .last = SIZE_MAX
	};
	int rc = parse_into(&rd, POINTS, parse_points, points, points_len);

	if (rc == 0 && json)
		rc = parse_into(&rd, RUN, parse_run, json, json_len);
	if (rc == 0 && samples)
		rc = parse_into(&rd, SAMPLES, parse_samples, samples, samples_len);
	if (rc == 0 && samples)
		rc = parse_into(&rd, POINTS, check_times, NULL, 0);
	free(rd.batches);
	if (rc) {
		series_fini(&s);
		return rc;
	}
	why[0] = '\0';
	*out = s;
	return 0;
}

struct input {
	char *data;
	size_t len;
};

/* `must`: an absent file is a fault, else it is no data. */
static int read_input(const char *dir, const char *name, size_t max, bool must, struct input *in,
		      char *why, size_t why_max)
{
	char *path = file_join(dir, name);
	int rc = path ? file_read_all(path, max, &in->data, &in->len) : -ENOMEM;

	free(path);
	if (rc == -ENOENT && !must)
		return 0;
	if (rc)
		snprintf(why, why_max, "%s: %s", name, file_why(rc));
	return rc;
}

static int read_file(const char *path, struct input *in, char *why, size_t why_max)
{
	int rc = file_read_all(path, POINTS_MAX, &in->data, &in->len);

	if (rc)
		snprintf(why, why_max, POINTS ": %s", file_why(rc));
	return rc;
}

static int read_inputs(const char *path, bool is_dir, struct input in[3], char *why, size_t why_max)
{
	int rc;

	if (!is_dir)
		return read_file(path, &in[0], why, why_max);
	rc = read_input(path, POINTS, POINTS_MAX, true, &in[0], why, why_max);
	if (rc == 0)
		rc = read_input(path, SAMPLES, SAMPLES_MAX, false, &in[1], why, why_max);
	if (rc == 0)
		rc = read_input(path, RUN, RUN_MAX, false, &in[2], why, why_max);
	return rc;
}

/* "points.csv: line 3: ..." of a directory becomes "DIR/points.csv: ...", of a file "FILE: ...". */
static void name_file(const char *path, bool is_dir, const char *said, char *why, size_t why_max)
{
	const char *rest = strchr(said, ':');

	if (is_dir)
		snprintf(why, why_max, "%.200s/%s", path, said);
	else
		snprintf(why, why_max, "%.200s%s", path, rest ? rest : "");
}

int series_read(struct pool *pool, const char *path, struct series *out, char *why, size_t why_max)
{
	struct input in[3] = { 0 };
	struct stat st;
	bool is_dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	char said[512] = "";
	int rc = read_inputs(path, is_dir, in, said, sizeof(said));
	struct series s = { 0 };

	if (rc == 0)
		rc = series_parse(pool, in[0].data, in[0].len, in[1].data, in[1].len, in[2].data,
				  in[2].len, &s, said, sizeof(said));
	for (size_t i = 0; i < N_ELEMENTS(in); i++)
		free(in[i].data);
	if (rc == 0) {
		s.path = strdup(path);
		rc = s.path ? 0 : -ENOMEM;
	}
	if (rc) {
		series_fini(&s);
		name_file(path, is_dir, said, why, why_max);
		return rc;
	}
	*out = s;
	return 0;
}
