/* SPDX-License-Identifier: Apache-2.0 */
/* The estimate as text and as JSON. Computes nothing but differences. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "report/estimate.h"
#include "report/text.h"

static double communication(const struct estimate_row *r)
{
	return r->seconds[STEP_FORWARD] + r->seconds[STEP_BACKWARD] + r->seconds[STEP_CRITICAL];
}

/* "0.703 s", "12.6 ms", "20.0 us" */
static void seconds(double s, char *out, size_t max)
{
	char number[24];
	double scale = fabs(s) >= 0.1 || s == 0 ? 1 : fabs(s) >= 1e-4 ? 1e3 : 1e6;

	text_number(s * scale, number, sizeof(number));
	snprintf(out, max, "%s %s", number, scale == 1 ? "s" : scale < 1e4 ? "ms" : "us");
}

static void volume(double bytes, char *out, size_t max)
{
	char number[24];
	double scale = bytes >= 1e9 ? 1e9 : bytes >= 1e6 ? 1e6 : bytes >= 1e3 ? 1e3 : 1;

	text_number(bytes / scale, number, sizeof(number));
	snprintf(out, max, "%s %s", number,
		 bytes >= 1e9   ? "GB"
		 : bytes >= 1e6 ? "MB"
		 : bytes >= 1e3 ? "kB"
				: "B");
}

static void messages_text(struct buf *out, const struct estimate_request *q,
			  const struct estimate_message *m, size_t n)
{
	double all = 0;
	char each[32], total[32];

	buf_puts(out, "Messages of a step and GPU:\n");
	for (size_t i = 0; i < n; i++) {
		double count = m[i].count * (m[i].once ? 1 : q->accumulate);

		volume(m[i].bytes, each, sizeof(each));
		volume(m[i].bytes * count, total, sizeof(total));
		all += m[i].bytes * count;
		buf_printf(out, "  %6.0f x %-14s of %-9s = %-9s %-14s %s\n", count, m[i].op, each,
			   total, estimate_phase_names[m[i].phase], m[i].what);
	}
	volume(all, total, sizeof(total));
	buf_printf(out, "  together %s\n\n", total);
}

static void difference(struct buf *out, const struct estimate_row *r,
		       const struct estimate_row *best)
{
	char lo[32], hi[32];

	if (!best || r == best) {
		buf_puts(out, r == best ? "fastest" : "");
		return;
	}
	seconds(r->lo - best->lo, lo, sizeof(lo));
	seconds(r->hi - best->hi, hi, sizeof(hi));
	buf_printf(out, "+%s (%+.1f %%) .. +%s (%+.1f %%)", lo, (r->lo / best->lo - 1) * 100, hi,
		   (r->hi / best->hi - 1) * 100);
}

static void row_text(struct buf *out, const struct estimate_row *r, const struct estimate_row *best,
		     const struct estimate_message *m)
{
	char fwd[32], bwd[32], lo[32], hi[32], tokens[24];
	char label[64];

	text_clean(r->label, label, sizeof(label));
	buf_printf(out, "  %-22s ", label);
	if (!r->complete) {
		buf_puts(out, "N/A (the run has no curve of ");
		for (size_t i = 0; i < r->n; i++)
			if (r->cost[i].missing) {
				buf_puts(out, m[i].op);
				break;
			}
		buf_puts(out, ")\n");
		return;
	}
	seconds(r->seconds[STEP_FORWARD] + r->seconds[STEP_CRITICAL], fwd, sizeof(fwd));
	seconds(r->seconds[STEP_BACKWARD], bwd, sizeof(bwd));
	seconds(r->lo, lo, sizeof(lo));
	seconds(r->hi, hi, sizeof(hi));
	text_number(r->break_even_tokens, tokens, sizeof(tokens));
	buf_printf(out, "%9s %9s  %9s .. %-9s %6.0f %%  %9s  %-24s ", fwd, bwd, lo, hi,
		   communication(r) / r->compute * 100, tokens, estimate_dominates(r, m));
	difference(out, r, best);
	buf_printf(out, "%s%s%s%s\n", r->extrapolated ? " [extrapolated]" : "",
		   r->other_ranks ? " [other ranks]" : "", r->assumed ? " [assumed]" : "",
		   r->rms > 0.1 ? " [rough]" : "");
}

static void costs_text(struct buf *out, const struct estimate_row *r,
		       const struct estimate_message *m)
{
	char label[64], time[32];

	text_clean(r->label, label, sizeof(label));
	for (size_t i = 0; i < r->n && r->complete; i++) {
		seconds(r->cost[i].us / 1e6, time, sizeof(time));
		buf_printf(out, "  %-22s %-14s of %.0f bytes: %s%s%s\n", label, m[i].op, m[i].bytes,
			   time, r->cost[i].half_of_all_reduce ? ", half an all_reduce" : "",
			   r->cost[i].outside == CURVE_ABOVE
			       ? ", extrapolated above the largest size measured"
			   : r->cost[i].outside == CURVE_BELOW
			       ? ", extrapolated: the time of the smallest size measured"
			       : "");
	}
}

static void remarks_text(struct buf *out, const struct estimate_request *q,
			 const struct estimate_row *rows, size_t n)
{
	bool extrapolated = false, assumed = false, loopback = false, other = false;
	double worst = 0;

	for (size_t i = 0; i < n; i++) {
		extrapolated |= rows[i].complete && rows[i].extrapolated;
		assumed |= rows[i].complete && rows[i].assumed;
		loopback |= rows[i].loopback;
		other |= rows[i].complete && rows[i].other_ranks;
		worst = rows[i].complete && rows[i].rms > worst ? rows[i].rms : worst;
	}
	if (extrapolated)
		buf_puts(out, "[extrapolated]: a message is outside of the measured sizes; below, "
			      "the smallest size's time; above, the largest's bandwidth.\n");
	if (other)
		buf_printf(out,
			   "[other ranks]: not measured with %d GPUs; the bus bandwidth of the "
			   "measured number is taken over. Latency is then too low.\n",
			   q->gpus);
	if (assumed)
		buf_puts(out, "[assumed]: all_gather and reduce_scatter were not measured; each is "
			      "taken as half an all_reduce. Sweep with --ops all.\n");
	if (loopback)
		buf_puts(out, "Loopback is no network: its row shows what falling back costs on "
			      "this host, and is never the fastest.\n");
	if (worst > 0)
		buf_printf(out,
			   "Interpolation: leaving out each measured all_reduce point from 1 MiB "
			   "on misses it by %.1f %% rms in the worst row.\n",
			   worst * 100);
	buf_puts(out, "Overlap: the first bound hides all that can be hidden, the second nothing. "
		      "The truth is between them.\n");
}

static void head_text(struct buf *out, const struct estimate_request *q)
{
	char compute[32];

	seconds(estimate_compute_seconds(q), compute, sizeof(compute));
	buf_printf(
	    out,
	    "%s, %s on %d GPUs, %.0f tokens per %s and micro-batch, %d micro-batch%s per step\n",
	    q->model->name, q->scheme->name, q->gpus, q->tokens,
	    q->scheme->splits_compute ? "group" : "GPU", q->accumulate,
	    q->accumulate > 1 ? "es" : "");
	buf_printf(out, "model: %.4g parameters, %.0f layers, width %.0f, sequence %.0f (%s)\n",
		   q->model->parameters, q->model->layers, q->model->hidden, q->model->sequence,
		   q->model->source);
	if (isfinite(q->compute_seconds))
		buf_printf(out, "computing: %s per micro-batch, as given\n\n", compute);
	else
		buf_printf(out, "computing: %s per micro-batch at %.4g TFLOP/s reached\n\n",
			   compute, q->flops / 1e12);
}

void estimate_text(struct buf *out, const struct estimate_request *q,
		   const struct estimate_row *rows, size_t n)
{
	struct estimate_message m[ESTIMATE_MESSAGES_MAX];
	size_t n_messages = q->scheme->messages(q->model, q->gpus, q->tokens, m);
	const struct estimate_row *best = estimate_best(rows, n);
	const char *run = NULL;

	head_text(out, q);
	messages_text(out, q, m, n_messages);
	buf_printf(out, "  %-22s %9s %9s  %-22s %8s  %9s  %-24s against the fastest\n", "transport",
		   q->scheme->splits_compute ? "comm" : "comm fwd", "comm bwd",
		   "step, most .. none hid", "comm", "hidden at", "what dominates");
	buf_printf(out, "  %-22s %9s %9s  %-22s %8s  %9s\n", "", "", "", "", "/compute", "tokens");
	for (size_t i = 0; i < n; i++) {
		if (!run || strcmp(run, rows[i].run) != 0) {
			char name[160], compute[32];

			run = rows[i].run;
			text_clean(run, name, sizeof(name));
			seconds(rows[i].compute, compute, sizeof(compute));
			buf_printf(
			    out, "%s (measured with %d ranks, timing %s; computing %s per step)\n",
			    name, rows[i].ranks, rows[i].timing, compute);
		}
		row_text(out, &rows[i], best, m);
	}
	buf_puts(out, "\nTime of each message:\n");
	for (size_t i = 0; i < n; i++)
		costs_text(out, &rows[i], m);
	buf_putc(out, '\n');
	remarks_text(out, q, rows, n);
}

/* ---- JSON ---- */

static json_t *text(const char *s)
{
	char clean[300];

	text_clean(s, clean, sizeof(clean));
	return json_string(clean);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *messages_json(const struct estimate_request *q, const struct estimate_message *m,
			     size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++) {
		double count = m[i].count * (m[i].once ? 1 : q->accumulate);
		json_t *o = json_object();

		json_object_set_new(o, "op", text(m[i].op));
		json_object_set_new(o, "what", text(m[i].what));
		json_object_set_new(o, "phase", text(estimate_phase_names[m[i].phase]));
		json_object_set_new(o, "count", number(count));
		json_object_set_new(o, "bytes", number(m[i].bytes));
		json_object_set_new(o, "bytes_per_step", number(m[i].bytes * count));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *costs_json(const struct estimate_row *r, const struct estimate_message *m)
{
	static const char *const where[] = { "measured", "extrapolated below",
					     "extrapolated above" };
	json_t *a = json_array();

	for (size_t i = 0; i < r->n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "op", text(m[i].op));
		json_object_set_new(o, "bytes", number(m[i].bytes));
		json_object_set_new(o, "us", number(r->cost[i].us));
		json_object_set_new(
		    o, "from",
		    text(r->cost[i].missing ? "nothing measured" : where[r->cost[i].outside]));
		json_object_set_new(o, "half_of_all_reduce",
				    json_boolean(r->cost[i].half_of_all_reduce));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *row_json(const struct estimate_row *r, const struct estimate_row *best,
			const struct estimate_message *m)
{
	json_t *o = json_object();
	const double k = r->complete ? 1 : NAN;
	const double b = best && r->complete ? 1 : NAN;

	json_object_set_new(o, "run", text(r->run));
	json_object_set_new(o, "backend", text(r->backend));
	json_object_set_new(o, "transport", text(r->transport));
	json_object_set_new(o, "label", text(r->label));
	json_object_set_new(o, "ranks_measured", json_integer(r->ranks));
	json_object_set_new(o, "timing", text(r->timing));
	json_object_set_new(o, "complete", json_boolean(r->complete));
	json_object_set_new(o, "comm_forward_s", number(k * r->seconds[STEP_FORWARD]));
	json_object_set_new(o, "comm_backward_s", number(k * r->seconds[STEP_BACKWARD]));
	json_object_set_new(o, "comm_critical_s", number(k * r->seconds[STEP_CRITICAL]));
	json_object_set_new(o, "comm_s", number(k * communication(r)));
	json_object_set_new(o, "tail_s", number(k * r->tail));
	json_object_set_new(o, "compute_s", number(r->compute));
	json_object_set_new(o, "step_lo_s", number(k * r->lo));
	json_object_set_new(o, "step_hi_s", number(k * r->hi));
	json_object_set_new(o, "comm_compute_pct", number(k * communication(r) / r->compute * 100));
	json_object_set_new(o, "break_even_tokens", number(k * r->break_even_tokens));
	json_object_set_new(o, "dominates", text(estimate_dominates(r, m)));
	json_object_set_new(o, "extrapolated", json_boolean(r->extrapolated));
	json_object_set_new(o, "other_ranks", json_boolean(r->other_ranks));
	json_object_set_new(o, "assumed", json_boolean(r->assumed));
	json_object_set_new(o, "loopback", json_boolean(r->loopback));
	json_object_set_new(o, "interpolation_rms_pct", number(r->rms * 100));
	json_object_set_new(o, "slower_lo_s", number(best ? b * (r->lo - best->lo) : NAN));
	json_object_set_new(o, "slower_hi_s", number(best ? b * (r->hi - best->hi) : NAN));
	json_object_set_new(o, "slower_lo_pct",
			    number(best ? b * (r->lo / best->lo - 1) * 100 : NAN));
	json_object_set_new(o, "slower_hi_pct",
			    number(best ? b * (r->hi / best->hi - 1) * 100 : NAN));
	json_object_set_new(o, "messages", costs_json(r, m));
	return o;
}

static json_t *model_json(const struct estimate_request *q)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", text(q->model->name));
	json_object_set_new(o, "parameters", number(q->model->parameters));
	json_object_set_new(o, "layers", number(q->model->layers));
	json_object_set_new(o, "hidden", number(q->model->hidden));
	json_object_set_new(o, "sequence", number(q->model->sequence));
	json_object_set_new(o, "source", text(q->model->source));
	return o;
}

char *estimate_json(const struct estimate_request *q, const struct estimate_row *rows, size_t n)
{
	struct estimate_message m[ESTIMATE_MESSAGES_MAX];
	size_t n_messages = q->scheme->messages(q->model, q->gpus, q->tokens, m);
	const struct estimate_row *best = estimate_best(rows, n);
	json_t *o = json_object(), *list = json_array();
	char *out;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, row_json(&rows[i], best, m));
	json_object_set_new(o, "schema", json_integer(1));
	json_object_set_new(o, "command", text("estimate"));
	json_object_set_new(o, "verdict", text(best ? "ok" : "nothing to estimate from"));
	json_object_set_new(o, "exit_code", json_integer(0));
	json_object_set_new(o, "model", model_json(q));
	json_object_set_new(o, "parallel", text(q->scheme->name));
	json_object_set_new(o, "gpus", json_integer(q->gpus));
	json_object_set_new(o, "tokens", number(q->tokens));
	json_object_set_new(o, "accumulate", json_integer(q->accumulate));
	json_object_set_new(o, "overlap", json_pack("[f,f]", q->overlap_lo, q->overlap_hi));
	json_object_set_new(o, "operations", messages_json(q, m, n_messages));
	json_object_set_new(o, "rows", list);
	out = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(10));
	json_decref(o);
	return out;
}
