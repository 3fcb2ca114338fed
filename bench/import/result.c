/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of points.csv and samples.csv; see result.h. */
#include "import/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/record.h"
#include "data/stats.h"
#include "data/store.h"
#include "import/curve.h"
#include "import/ops.h"
#include "import/table.h"
#include "spec/dtype.h"

struct ref { /* one half of one row */
	const struct import_table *t;
	const struct import_row *row;
	const struct import_half *half;
	size_t table, order;
	int in_place, curve;
};

/* ---- keys ---- */

static int by_number(long a, long b)
{
	return (a > b) - (a < b);
}

static int by_size(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_key(const struct ref *a, const struct ref *b)
{
	int c = by_number(a->curve, b->curve);

	if (!c)
		c = strcmp(a->row->dtype, b->row->dtype);
	if (!c)
		c = strcmp(a->row->redop, b->row->redop);
	if (!c)
		c = strcmp(a->row->variant, b->row->variant);
	if (!c)
		c = strcmp(a->row->pair, b->row->pair);
	if (!c)
		c = by_number(a->in_place, b->in_place);
	if (!c)
		c = by_number(a->row->root, b->row->root);
	return c ? c : by_size(a->row->bytes, b->row->bytes);
}

static int by_key_and_table(const void *pa, const void *pb)
{
	const struct ref *a = pa, *b = pb;
	int c = by_key(a, b);

	if (!c)
		c = by_size(a->table, b->table);
	return c ? c : by_size(a->order, b->order);
}

struct group {
	size_t first, n; /* in the sorted refs */
	size_t order;    /* of its first row in the files */
};

static int by_order(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	return by_size(a->order, b->order);
}

/* ---- one row ---- */

/* points.csv has room for 23 bytes. */
static void set_op(const struct import_table *t, struct record *r)
{
	const struct import_op *op = import_op_find(t->op, strlen(t->op));

	if (strcmp(t->tool, "nvbandwidth") == 0)
		curve_short_name(t->op, r->op, sizeof(r->op));
	else
		record_set(r->op, sizeof(r->op), op && op->ours ? op->ours : t->op);
}

static void set_key(const struct ref *f, struct record *r)
{
	const struct import_table *t = f->t;
	int dtype = dtype_find(f->row->dtype);

	record_set(r->backend, sizeof(r->backend), t->backend);
	record_set(r->transport, sizeof(r->transport), t->transport);
	record_set(r->variant, sizeof(r->variant), f->row->variant[0] ? f->row->variant : "plain");
	set_op(t, r);
	record_set(r->dtype, sizeof(r->dtype),
		   dtype >= 0 ? dtype_table[dtype].name : f->row->dtype);
	record_set(r->redop, sizeof(r->redop), f->row->redop[0] ? f->row->redop : "none");
	record_set(r->pair, sizeof(r->pair), f->row->pair);
	r->in_place = f->in_place;
	r->root = f->row->root;
	r->ranks = t->ranks;
	r->bytes = f->row->bytes;
	curve_timing(t, f->curve, r->timing, sizeof(r->timing));
}

static const char *outcome_of(const struct ref *f, size_t n, double time)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].half->corrupt)
			return "corrupt";
	return time > 0 ? "ok" : "skipped";
}

static void set_detail(const struct ref *f, size_t n, const char *outcome, struct record *r)
{
	const struct import_half *h = f->half;
	char text[RECORD_DETAIL], why[160] = "";

	for (size_t i = 1; i < n && !h->contradicts; i++)
		h = f[i].half;
	if (h->contradicts)
		snprintf(why, sizeof(why), "; %s", h->said);
	else if (strcmp(outcome, "skipped") == 0)
		snprintf(why, sizeof(why), "; no time of one operation was printed");
	else if (strcmp(outcome, "corrupt") == 0)
		snprintf(why, sizeof(why), "; the tool found wrong data");
	snprintf(text, sizeof(text), "imported: %s%s%s; %s%s%s%s%s", f->t->tool,
		 f->t->version[0] ? " " : "", f->t->version, f->t->method,
		 f->t->settings[0] ? "; " : "", f->t->settings,
		 f->t->bytes_assumed ? "; buffer size assumed" : "", why);
	record_set(r->detail, sizeof(r->detail), text);
}

static double worst(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

/* Times of the group's rows, those of one table together; returns how many. */
static size_t times_of(const struct ref *f, size_t n, double *times, size_t *per_table,
		       size_t *n_tables)
{
	size_t total = 0, last = SIZE_MAX;

	*n_tables = 0;
	for (size_t i = 0; i < n; i++) {
		if (!(f[i].half->time_us > 0) || !isfinite(f[i].half->time_us))
			continue;
		if (f[i].table != last)
			per_table[(*n_tables)++] = 0;
		last = f[i].table;
		per_table[*n_tables - 1]++;
		times[total++] = f[i].half->time_us;
	}
	return total;
}

static void set_figures(const struct ref *f, size_t n, const double *times, const size_t *per_table,
			size_t n_times, size_t n_tables, struct record *r)
{
	const struct import_half *h = f->half;

	r->time_us = n_times ? stats_median_of_medians(times, per_table, n_tables) : NAN;
	r->algbw_gbps = h->algbw_gbps;
	r->busbw_gbps = h->busbw_gbps;
	if (n > 1 && n_times) { /* of the median: derived again when it is written, where the
				   operation is ours */
		double factor = h->algbw_gbps > 0 ? h->busbw_gbps / h->algbw_gbps : NAN;

		r->algbw_gbps = (double)r->bytes / r->time_us / 1e3;
		r->busbw_gbps = r->algbw_gbps * factor;
	}
	r->min_us = n_times > 1 ? stats_min(times, n_times) : h->min_us;
	r->max_us = n_times > 1 ? stats_max(times, n_times) : h->max_us;
	r->p95_us = h->p95_us;
	r->p99_us = h->p99_us;
	for (size_t i = 0; i < n; i++)
		r->wrong = worst(r->wrong, f[i].half->wrong);
	r->ops_per_batch = f->t->ops_per_batch;
	r->samples = (double)n_times;
	r->restarts = (double)n_tables;
	record_set(r->stop, sizeof(r->stop), "fixed");
}

static int write_samples(struct store *store, const struct record *r, const double *times,
			 const size_t *per_table, size_t n_tables)
{
	size_t at = 0;
	int rc = 0;

	for (size_t k = 0; k < n_tables; k++)
		for (size_t i = 0; i < per_table[k] && rc == 0; i++) {
			struct sample s = { .restart = (int)k,
					    .batch = (int)i,
					    .ops_per_batch = r->ops_per_batch,
					    .max_us = times[at],
					    .mean_us = NAN,
					    .min_us = NAN,
					    .slowest_rank = -1 };

			record_set(s.flags, sizeof(s.flags), "imported");
			rc = store_samples(store, r, &s, 1);
			at++;
		}
	return rc;
}

static int write_group(struct store *store, const struct ref *f, size_t n)
{
	double *times = reallocarray(NULL, n, sizeof(*times));
	size_t *per_table = reallocarray(NULL, n, sizeof(*per_table)), n_tables = 0, n_times;
	struct record r;
	int rc = times && per_table ? 0 : -ENOMEM;

	if (rc == 0) {
		record_init(&r);
		set_key(f, &r);
		n_times = times_of(f, n, times, per_table, &n_tables);
		set_figures(f, n, times, per_table, n_times, n_tables, &r);
		record_set(r.outcome, sizeof(r.outcome), outcome_of(f, n, r.time_us));
		record_set(r.used, sizeof(r.used), f->t->used);
		record_set(r.proof, sizeof(r.proof), f->t->proof[0] ? f->t->proof : "unknown");
		record_set(r.phase, sizeof(r.phase),
			   strcmp(r.outcome, "corrupt") == 0 ? "check" : "none");
		set_detail(f, n, r.outcome, &r);
		rc = store_point(store, &r);
	}
	if (rc == 0)
		rc = write_samples(store, &r, times, per_table, n_tables);
	free(times);
	free(per_table);
	return rc;
}

/* ---- all ---- */

static bool is_measurement(const struct import_table *t, const struct import_half *h, int in_place)
{
	const struct import_op *op = import_op_find(t->op, strlen(t->op));

	return h->present && !(in_place && op && op->in_place_invalid);
}

static size_t collect(const struct imported *im, const int *curves, struct ref *refs)
{
	size_t n = 0;

	for (size_t i = 0; i < im->n_tables; i++)
		for (size_t k = 0; k < im->tables[i].n_rows; k++)
			for (int in_place = 0; in_place < 2; in_place++) {
				const struct import_table *t = &im->tables[i];
				const struct import_half *h = &t->rows[k].half[in_place];

				if (!is_measurement(t, h, in_place))
					continue;
				refs[n] =
				    (struct ref){ t, &t->rows[k], h, i, n, in_place, curves[i] };
				n++;
			}
	return n;
}

static size_t make_groups(const struct ref *refs, size_t n, struct group *groups)
{
	size_t n_groups = 0;

	for (size_t i = 0; i < n; i++) {
		if (n_groups == 0 || by_key(&refs[i], &refs[groups[n_groups - 1].first]) != 0)
			groups[n_groups++] = (struct group){ .first = i, .order = refs[i].order };
		groups[n_groups - 1].n++;
	}
	return n_groups;
}

int import_write_points(const struct imported *im, struct store *store)
{
	struct ref *refs = reallocarray(NULL, 2 * im->n_rows + 1, sizeof(*refs));
	struct group *groups = reallocarray(NULL, 2 * im->n_rows + 1, sizeof(*groups));
	int *curves = reallocarray(NULL, im->n_tables + 1, sizeof(*curves));
	size_t n, n_groups;
	int rc = refs && groups && curves ? 0 : -ENOMEM;

	if (rc == 0) {
		curve_numbers(im, curves);
		n = collect(im, curves, refs);
		qsort(refs, n, sizeof(*refs), by_key_and_table);
		n_groups = make_groups(refs, n, groups);
		qsort(groups, n_groups, sizeof(*groups), by_order);
		for (size_t i = 0; i < n_groups && rc == 0; i++)
			rc = write_group(store, refs + groups[i].first, groups[i].n);
	}
	free(refs);
	free(groups);
	free(curves);
	return rc;
}
