/* SPDX-License-Identifier: Apache-2.0 */
/* Curves and times of estimate.h. No words but `estimate_dominates`. */
#include "report/estimate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/record.h"
#include "spec/op.h"
#include "spec/outcome.h"
#include "spec/transport.h"

/* Below, a figure is all latency, and its noise from run to run is more than what interpolation
 * could miss. */
#define LEAVE_ONE_OUT_BYTES (1024.0 * 1024)

/* ---- curves ---- */

void estimate_curve_fini(struct estimate_curve *c)
{
	free(c->p);
	*c = (struct estimate_curve){ 0 };
}

static bool fits(const struct record *r, const char *backend, const char *transport, const char *op,
		 const char *timing)
{
	return strcmp(r->outcome, outcome_table[OUTCOME_OK].name) == 0 && r->time_us > 0 &&
	       isfinite(r->time_us) && r->bytes > 0 && strcmp(r->backend, backend) == 0 &&
	       strcmp(r->transport, transport) == 0 && strcmp(r->op, op) == 0 &&
	       strcmp(r->timing, timing) == 0 && !r->in_place && strcmp(r->variant, "plain") == 0 &&
	       !r->load[0] && !r->algo_req[0] && !r->proto_req[0] &&
	       (!r->arm[0] || strcmp(r->arm, "A") == 0);
}

static int by_bytes(const void *pa, const void *pb)
{
	const struct curve_point *a = pa, *b = pb;

	if (a->log_bytes != b->log_bytes)
		return a->log_bytes < b->log_bytes ? -1 : 1;
	return (a->log_us > b->log_us) - (a->log_us < b->log_us);
}

/* The first dtype and map of the operation stand for it: figures of two element types are two
 * curves. */
static size_t collect(const struct record *rows, size_t n, const struct record *like,
		      const char *timing, struct curve_point *out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct record *r = &rows[i];

		if (!fits(r, like->backend, like->transport, like->op, timing) ||
		    r->ranks != like->ranks || strcmp(r->dtype, like->dtype) != 0 ||
		    strcmp(r->redop, like->redop) != 0 || strcmp(r->map, like->map) != 0 ||
		    strcmp(r->pair, like->pair) != 0)
			continue;
		if (out)
			out[found] = (struct curve_point){ log((double)r->bytes), log(r->time_us) };
		found++;
	}
	return found;
}

/* The row whose series has most points; those of the wanted number of ranks count twice. */
static const struct record *longest(const struct record *rows, size_t n, const char *backend,
				    const char *transport, const char *op, const char *timing,
				    int ranks)
{
	const struct record *best = NULL, *tried[16] = { NULL };
	size_t most = 0, n_tried = 0;

	for (size_t i = 0; i < n && n_tried < N_ELEMENTS(tried); i++) {
		const struct record *r = &rows[i];
		bool seen = !fits(r, backend, transport, op, timing);
		size_t found;

		for (size_t k = 0; k < n_tried && !seen; k++)
			seen = r->ranks == tried[k]->ranks &&
			       strcmp(r->dtype, tried[k]->dtype) == 0 &&
			       strcmp(r->redop, tried[k]->redop) == 0 &&
			       strcmp(r->map, tried[k]->map) == 0;
		if (seen)
			continue;
		tried[n_tried++] = r;
		found = collect(rows, n, r, timing, NULL) * (r->ranks == ranks ? 2 : 1);
		if (found > most) {
			most = found;
			best = r;
		}
	}
	return best;
}

int estimate_curve_build(const struct record *rows, size_t n, const char *backend,
			 const char *transport, const char *op, const char *timing, int ranks,
			 struct estimate_curve *out)
{
	const struct record *like = longest(rows, n, backend, transport, op, timing, ranks);
	size_t found, kept = 0;

	*out = (struct estimate_curve){ 0 };
	if (!like)
		return 0;
	found = collect(rows, n, like, timing, NULL);
	out->p = reallocarray(NULL, found, sizeof(*out->p));
	if (!out->p)
		return -ENOMEM;
	collect(rows, n, like, timing, out->p);
	qsort(out->p, found, sizeof(*out->p), by_bytes);
	for (size_t i = 0; i < found; i++)
		if (kept == 0 || out->p[i].log_bytes > out->p[kept - 1].log_bytes)
			out->p[kept++] = out->p[i];
	out->n = kept;
	out->ranks = like->ranks;
	return 0;
}

static double secant(const struct curve_point *a)
{
	return (a[1].log_us - a[0].log_us) / (a[1].log_bytes - a[0].log_bytes);
}

/* Slope at point i that keeps the curve monotone between points (Fritsch and Butland 1984); at the
 * ends that of the secant. */
static double slope(const struct curve_point *p, size_t n, size_t i)
{
	double left, right, h0, h1;

	if (i == 0 || i + 1 == n)
		return secant(p + (i ? i - 1 : 0));
	left = secant(p + i - 1);
	right = secant(p + i);
	if (left * right <= 0)
		return 0;
	h0 = p[i].log_bytes - p[i - 1].log_bytes;
	h1 = p[i + 1].log_bytes - p[i].log_bytes;
	return 3 * (h0 + h1) / ((2 * h1 + h0) / left + (h1 + 2 * h0) / right);
}

/* Cubic through the measured points, in logarithms: x lies between points i - 1 and i. */
static double between(const struct curve_point *p, size_t n, size_t i, double x)
{
	const struct curve_point *a = &p[i - 1], *b = &p[i];
	double h = b->log_bytes - a->log_bytes, t = (x - a->log_bytes) / h, u = 1 - t;

	return a->log_us * (1 + 2 * t) * u * u + b->log_us * t * t * (3 - 2 * t) +
	       h * t * u * (u * slope(p, n, i - 1) - t * slope(p, n, i));
}

double estimate_curve_us(const struct estimate_curve *c, double bytes, int *outside)
{
	double x = log(bytes);
	size_t i = 1;

	*outside = CURVE_MEASURED;
	if (c->n == 0 || !(bytes > 0))
		return NAN;
	if (x < c->p[0].log_bytes - 1e-9) {
		*outside = CURVE_BELOW;
		return exp(c->p[0].log_us);
	}
	if (x > c->p[c->n - 1].log_bytes + 1e-9) {
		*outside = CURVE_ABOVE;
		return exp(c->p[c->n - 1].log_us + x - c->p[c->n - 1].log_bytes);
	}
	if (c->n == 1)
		return exp(c->p[0].log_us);
	while (i + 1 < c->n && c->p[i].log_bytes < x)
		i++;
	return exp(between(c->p, c->n, i, x));
}

/* What point i would be taken for if it had not been measured: from two neighbours on each side,
 * which is all that counts. */
static double without(const struct estimate_curve *c, size_t i)
{
	struct curve_point near[4];
	size_t n = 0, at = 0;

	for (size_t k = i < 2 ? 0 : i - 2; k <= i + 2 && k < c->n; k++)
		if (k != i)
			near[n++] = c->p[k];
		else
			at = n;
	return between(near, n, at, c->p[i].log_bytes);
}

void estimate_curve_leave_one_out(const struct estimate_curve *c, double *rms, double *max)
{
	double sum = 0, from = c->n ? log(LEAVE_ONE_OUT_BYTES) : 0;
	size_t used = 0;

	*rms = *max = NAN;
	if (c->n < 3)
		return;
	if (c->p[c->n - 3].log_bytes < from) /* hardly any large ones: all count */
		from = c->p[0].log_bytes;
	*max = 0;
	for (size_t i = 1; i + 1 < c->n; i++) {
		double e;

		if (c->p[i].log_bytes < from - 1e-9)
			continue;
		e = expm1(without(c, i) - c->p[i].log_us);
		sum += e * e;
		*max = fabs(e) > *max ? fabs(e) : *max;
		used++;
	}
	*rms = sqrt(sum / (double)used);
}

/* ---- times ---- */

double estimate_compute_seconds(const struct estimate_request *q)
{
	const struct estimate_model *m = q->model;
	double flop = q->tokens * (6 * m->parameters + 6 * m->layers * m->hidden * m->sequence);

	if (isfinite(q->compute_seconds))
		return q->compute_seconds;
	return flop / (q->scheme->splits_compute ? q->gpus : 1) / q->flops;
}

/* Another number of GPUs than were measured: the bus bandwidth is kept. */
static double rank_scale(const char *op, int measured, int wanted)
{
	int id = op_find(op);
	double from = id >= 0 ? op_table[id].bus_factor(measured) : 0;

	return from > 0 ? op_table[id].bus_factor(wanted) / from : 1;
}

static void price(const struct estimate_curve *c, const char *op, double bytes, int gpus,
		  struct estimate_cost *out)
{
	out->us = estimate_curve_us(c, bytes, &out->outside) * rank_scale(op, c->ranks, gpus);
	out->other_ranks = c->ranks != gpus;
}

/* The operation's own curve; else, for the two halves of an all-reduce, half of one of the same
 * size. */
static int price_message(const struct estimate_message *m, int gpus, const struct record *rows,
			 size_t n, const struct estimate_row *r,
			 const struct estimate_curve *all_reduce, struct estimate_cost *out)
{
	struct estimate_curve own;
	int rc =
	    estimate_curve_build(rows, n, r->backend, r->transport, m->op, r->timing, gpus, &own);

	if (rc)
		return rc;
	*out = (struct estimate_cost){ .us = NAN };
	if (own.n) {
		price(&own, m->op, m->bytes, gpus, out);
	} else if (all_reduce->n &&
		   (strcmp(m->op, "all_gather") == 0 || strcmp(m->op, "reduce_scatter") == 0)) {
		price(all_reduce, "all_reduce", m->bytes, gpus, out);
		out->us /= 2;
		out->half_of_all_reduce = true;
	} else {
		out->missing = true;
	}
	estimate_curve_fini(&own);
	return 0;
}

/* What an eager framework sees first. */
static const char *const timings[] = { "stream", "graph", "host", "blocking" };

static int find_timing(const struct record *rows, size_t n, int gpus, struct estimate_row *r,
		       struct estimate_curve *all_reduce)
{
	int rc = 0;

	*all_reduce = (struct estimate_curve){ 0 };
	for (size_t i = 0; i < N_ELEMENTS(timings) && rc == 0 && all_reduce->n == 0; i++) {
		r->timing = timings[i];
		rc = estimate_curve_build(rows, n, r->backend, r->transport, "all_reduce",
					  timings[i], gpus, all_reduce);
	}
	return rc;
}

static void add_up(const struct estimate_request *q, const struct estimate_message *m, size_t n,
		   double smallest_us, struct estimate_row *r)
{
	for (size_t i = 0; i < n; i++) {
		double times = m[i].once ? 1 : q->accumulate, us = r->cost[i].us;

		r->seconds[m[i].phase] += times * m[i].count * us / 1e6;
		r->tail += m[i].tail * us / 1e6; /* once per step: the next micro-batch hides what
						    the one before could not */
		r->small += times * m[i].count * fmin(smallest_us, us) / 1e6;
		r->complete &= !r->cost[i].missing;
		r->extrapolated |= r->cost[i].outside != CURVE_MEASURED;
		r->assumed |= r->cost[i].half_of_all_reduce;
		r->other_ranks |= r->cost[i].other_ranks;
	}
}

/* A fraction `o` of the communication runs behind computing, as far as there is computing to hide
 * behind; what comes first or last hides behind nothing. o 0: one after the other. */
static double step(const struct estimate_request *q, const struct estimate_row *r, bool once,
		   double o)
{
	double micro = r->compute / q->accumulate, room = once ? micro : r->compute;
	double hidden = fmin(o * r->seconds[STEP_FORWARD], room / 3) +
			fmin(o * r->seconds[STEP_BACKWARD], room * 2 / 3);

	return r->compute + r->seconds[STEP_FORWARD] + r->seconds[STEP_BACKWARD] +
	       r->seconds[STEP_CRITICAL] - hidden + o * r->tail;
}

static void finish(const struct estimate_request *q, const struct estimate_message *m,
		   struct estimate_row *r)
{
	double hides = r->seconds[STEP_FORWARD] + r->seconds[STEP_BACKWARD];

	r->lo = step(q, r, m[0].once, q->overlap_hi);
	r->hi = step(q, r, m[0].once, q->overlap_lo);
	r->break_even_tokens = hides > 0 ? hides / (r->compute / (q->tokens * q->accumulate)) : NAN;
	/* What is reduced once per step hides behind one micro-batch only. */
	if (m[0].once && hides > 0)
		r->break_even_tokens = hides / (r->compute / q->accumulate / q->tokens);
}

int estimate_row_compute(const struct estimate_request *q, const struct record *rows, size_t n,
			 const char *backend, const char *transport, struct estimate_row *out)
{
	struct estimate_message m[ESTIMATE_MESSAGES_MAX];
	struct estimate_curve all_reduce;
	double max, smallest;
	int rc, outside;

	*out =
	    (struct estimate_row){ .backend = backend, .transport = transport, .complete = true };
	out->n = q->scheme->messages(q->model, q->gpus, q->tokens, m);
	out->compute = estimate_compute_seconds(q) * q->accumulate;
	rc = find_timing(rows, n, q->gpus, out, &all_reduce);
	out->ranks = all_reduce.ranks;
	estimate_curve_leave_one_out(&all_reduce, &out->rms, &max);
	smallest = estimate_curve_us(&all_reduce, 1, &outside);
	for (size_t i = 0; i < out->n && rc == 0; i++)
		rc = price_message(&m[i], q->gpus, rows, n, out, &all_reduce, &out->cost[i]);
	add_up(q, m, out->n, smallest, out);
	finish(q, m, out);
	estimate_curve_fini(&all_reduce);
	return rc;
}

const char *estimate_dominates(const struct estimate_row *r, const struct estimate_message *m)
{
	double comm =
	    r->seconds[STEP_FORWARD] + r->seconds[STEP_BACKWARD] + r->seconds[STEP_CRITICAL];

	if (!r->complete)
		return "";
	if (comm < r->compute)
		return "computing";
	return r->small > comm / 2 ? "the number of operations" : "the volume of data";
}

const struct estimate_row *estimate_best(const struct estimate_row *rows, size_t n)
{
	const struct estimate_row *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (rows[i].complete && !rows[i].loopback && isfinite(rows[i].hi) &&
		    (!best || rows[i].hi < best->hi))
			best = &rows[i];
	return best;
}
