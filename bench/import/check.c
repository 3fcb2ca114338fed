/* SPDX-License-Identifier: Apache-2.0 */
/* See check.h. A printed number stands for an interval; two numbers agree when their intervals
 * meet. */
#include "import/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/ops.h"
#include "import/table.h"

#define SLACK 1e-4 /* of what is computed: tools divide in another order */

struct interval {
	double lo, hi;
};

static struct interval around(const struct import_number *n)
{
	return (struct interval){ n->v - n->half, n->v + n->half };
}

/* Bandwidth in GB/s that size and printed time allow. */
static struct interval from_time(const struct import_table *t, double bytes,
				 const struct import_half *h)
{
	double lo = (h->time.v - h->time.half) * t->unit_us,
	       hi = (h->time.v + h->time.half) * t->unit_us;

	return (struct interval){ bytes / hi / 1e3 * (1 - SLACK),
				  lo > 0 ? bytes / lo / 1e3 * (1 + SLACK) : INFINITY };
}

static bool meet(struct interval a, struct interval b)
{
	return a.lo <= b.hi && b.lo <= a.hi;
}

static struct interval scaled(struct interval a, double by)
{
	return (struct interval){ a.lo * by, a.hi * by };
}

static bool usable(const struct import_half *h)
{
	return h->present && !h->no_time && isfinite(h->time.v) && h->time.v > 0;
}

static double share_of(const struct import_op *op, int ranks)
{
	return op && ranks > 1 ? (ranks - 1.0) / ranks : 1;
}

/* algbw agrees with size and time, by the definition of today or by that of old versions. */
static bool algbw_fits(const struct import_table *t, const struct import_op *op, double bytes,
		       const struct import_half *h)
{
	struct interval want = from_time(t, bytes, h), said = around(&h->algbw);

	if (!isfinite(h->algbw.v))
		return true;
	if (op && op->share == SHARE_REST)
		return meet(scaled(want, share_of(op, t->ranks)), said);
	return meet(want, said) ||
	       (op && op->share == SHARE_OLD && meet(scaled(want, share_of(op, t->ranks)), said));
}

static double factor_of(const struct import_table *t, const struct import_op *op)
{
	return op && t->ranks > 0 ? op->factor(t->ranks) : NAN;
}

/* A unit line may be missing or wrong: what most rows agree with counts. */
static void settle_unit(struct imported *im, struct import_table *t, const struct import_op *op)
{
	static const struct {
		const char *name;
		double us;
	} units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
	const double stated = t->unit_us;
	size_t fits[3] = { 0 }, n = 0, best = 0, own = 0;

	for (size_t u = 0; u < 3; u++) {
		t->unit_us = units[u].us;
		n = 0;
		for (size_t i = 0; i < t->n_rows; i++) {
			const struct import_half *h = &t->rows[i].half[0];

			if (!usable(h) || !(h->algbw.v > 0))
				continue;
			n++;
			fits[u] += algbw_fits(t, op, (double)t->rows[i].bytes, h);
		}
		best = fits[u] > fits[best] ? u : best;
		own = units[u].us == stated ? u : own;
	}
	t->unit_us = stated;
	if (best == own || n == 0 || fits[best] * 2 <= n || fits[own] * 2 > n)
		return;
	imported_note(im, "%s: line %zu: times are in %s, as their bandwidths show, not in %s",
		      imported_name(im), t->line, units[best].name, t->unit);
	t->unit_us = units[best].us;
	snprintf(t->unit, sizeof(t->unit), "%s", units[best].name);
	t->unit_guessed = true;
}

/* The row whose ratio busbw / algbw is known best. */
static double ratio_of(const struct import_table *t, double *error)
{
	double best = 0, ratio = NAN;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct import_half *h = &t->rows[i].half[0];

		if (!h->present || !(h->algbw.v > best) || !(h->busbw.v > 0) ||
		    !isfinite(h->algbw.v) || !isfinite(h->busbw.v))
			continue;
		best = h->algbw.v;
		ratio = h->busbw.v / h->algbw.v;
		*error = ratio * (h->busbw.half / h->busbw.v + h->algbw.half / h->algbw.v) + 1e-9;
	}
	return ratio;
}

/* TABLE: columns and ratio tell some operations apart. redop and root: is there one? */
static void infer_op(struct imported *im, struct import_table *t)
{
	const struct import_row *r = t->n_rows ? &t->rows[0] : NULL;
	double error = 0, ratio = ratio_of(t, &error);
	bool reduces = r && r->redop[0] && strcmp(r->redop, "none") != 0,
	     rooted = r && r->root >= 0;
	const char *name = NULL;

	if (t->op_from || !r)
		return;
	if (reduces && rooted)
		name = "reduce";
	else if (reduces && t->ranks > 1 &&
		 fabs(ratio - 2 * share_of(&import_ops[0], t->ranks)) <= error)
		name = "all_reduce";
	else if (reduces && t->ranks > 1 &&
		 fabs(ratio - share_of(&import_ops[0], t->ranks)) <= error)
		name = "reduce_scatter";
	else if (reduces && ratio > 1 + error)
		name = "all_reduce";
	else if (!reduces && rooted && fabs(ratio - 1) <= error)
		name = "broadcast";
	if (name) {
		snprintf(t->op, sizeof(t->op), "%s", name);
		t->op_from = "its columns";
		imported_note(im,
			      "%s: line %zu: nothing names the operation; its columns are those of "
			      "%s (--op NAME says otherwise)",
			      imported_name(im), t->line, name);
	} else {
		imported_note(
		    im, "%s: line %zu: nothing names the operation: unknown (--op NAME says it)",
		    imported_name(im), t->line);
	}
}

/* From 2(n-1)/n or (n-1)/n when exactly one n fits. */
static void infer_ranks(struct imported *im, struct import_table *t, const struct import_op *op)
{
	double error = 0, ratio = ratio_of(t, &error);
	int found = 0, n_fit = 0;

	if (t->ranks || !op || !isfinite(ratio))
		return;
	for (int n = 2; n <= 1024 && n_fit < 2; n++)
		if (fabs(op->factor(n) - ratio) <= error) {
			found = n;
			n_fit++;
		}
	if (n_fit != 1)
		return;
	t->ranks = found;
	t->ranks_inferred = true;
	imported_note(im, "%s: line %zu: no list of devices; busbw / algbw is that of %d ranks",
		      imported_name(im), t->line, found);
}

static void contradict(struct import_table *t, struct import_half *h, const char *what,
		       const struct import_number *said, double want)
{
	h->contradicts = true;
	t->n_contradict++;
	snprintf(h->said, sizeof(h->said),
		 "contradicts itself: %s %.6g GB/s printed, size and time give %.6g", what, said->v,
		 want);
}

/* Without a time of its own (-C) the bandwidth is all there is, as far as its digits reach. */
static void from_bandwidth(const struct import_op *op, const struct import_table *t, double bytes,
			   struct import_half *h)
{
	double bw = h->algbw.v, scale = op && op->share == SHARE_REST ? share_of(op, t->ranks) : 1;

	if (!(bw > 0) || !isfinite(bw))
		return;
	h->time_us = bytes * scale / bw / 1e3;
	h->algbw_gbps = bw;
	h->busbw_gbps = h->busbw.v;
}

static void settle_half(struct import_table *t, const struct import_op *op, double bytes,
			struct import_half *h)
{
	double factor = factor_of(t, op);
	struct interval want;

	if (!usable(h)) {
		if (h->present)
			from_bandwidth(op, t, bytes, h);
		return;
	}
	h->time_us = h->time.v * t->unit_us;
	h->algbw_gbps = bytes / h->time_us / 1e3;
	h->busbw_gbps = isfinite(factor) ? h->algbw_gbps * factor : h->busbw.v;
	want = from_time(t, bytes, h);
	if (!algbw_fits(t, op, bytes, h))
		contradict(t, h, "algbw", &h->algbw, h->algbw_gbps);
	else if (isfinite(factor) && isfinite(h->busbw.v) &&
		 !meet(scaled(want, factor), around(&h->busbw)))
		contradict(t, h, "busbw", &h->busbw, h->busbw_gbps);
}

/* Before 2.13 the tool printed the largest deviation; what it allowed depends on the type. */
static double allowed_error(const char *dtype)
{
	static const struct {
		const char *type;
		double max;
	} rows[] = {
		{ "half", 1e-2 }, { "bfloat16", 1e-2 }, { "float", 1e-5 }, { "double", 1e-12 }
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++)
		if (strcmp(rows[i].type, dtype) == 0)
			return rows[i].max;
	return 0;
}

static void settle_data(struct import_table *t, const struct import_row *r, struct import_half *h)
{
	h->corrupt = h->wrong > 0 || h->max_error > allowed_error(r->dtype);
	t->n_errors += h->corrupt;
	t->n_na += strcmp(t->tool, "nccl-tests") == 0 && h->present && isnan(h->wrong) &&
		   isnan(h->max_error);
}

void import_check(struct imported *im, struct import_table *t)
{
	const struct import_op *op;

	infer_op(im, t);
	op = import_op_find(t->op, strlen(t->op));
	infer_ranks(im, t, op);
	if (strcmp(t->tool, "nccl-tests") == 0)
		settle_unit(im, t, op);
	for (size_t i = 0; i < t->n_rows; i++)
		for (int k = 0; k < 2; k++) {
			settle_half(t, op, (double)t->rows[i].bytes, &t->rows[i].half[k]);
			settle_data(t, &t->rows[i], &t->rows[i].half[k]);
		}
	/* The footer counts what went wrong by row and rank, which the columns do not. */
	if (isfinite(t->out_of_bounds) && t->out_of_bounds >= 0 && t->out_of_bounds < 1e15 &&
	    (size_t)t->out_of_bounds > t->n_errors)
		t->n_errors = (size_t)t->out_of_bounds;
	t->n_errors += t->failed;
	if (t->n_contradict)
		imported_note(im,
			      "%s: line %zu: %zu figures contradict their size and time by more "
			      "than rounding; size and time count",
			      imported_name(im), t->line, t->n_contradict);
	if (t->n_empty)
		imported_note(im, "%s: line %zu: %zu rows of size 0 were left out",
			      imported_name(im), t->line, t->n_empty);
	if (t->n_cut)
		imported_note(im, "%s: line %zu: %zu rows stop in the middle and were left out",
			      imported_name(im), t->line, t->n_cut);
}
