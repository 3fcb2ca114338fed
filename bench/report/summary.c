/* SPDX-License-Identifier: Apache-2.0 */
/* See summary.h. */
#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "report/peak_use.h"
#include "report/text.h"
#include "spec/op.h"
#include "spec/transport.h"

/* Operations whose figures are shown, in order; a run that has none of the first list shows its own
 * first ones. */
const int summary_bandwidth_ops[SUMMARY_OPS] = { OP_ALL_REDUCE, OP_SENDRECV };
const int summary_latency_ops[SUMMARY_OPS] = { OP_ALL_REDUCE, OP_PINGPONG };

/* An op counts as had when anything was measured, proven or not. */
static void add_figure(struct summary_figure *list, const struct view *v, int op, bool latency)
{
	const char *name = op_table[op].name;
	const char *timing =
	    view_timing(v, NULL, name, latency ? view_timings_graph : view_timings_stream);
	size_t k;

	for (k = 0; k < SUMMARY_OPS && list[k].op != NULL; k++)
		;
	if (timing == NULL || k == SUMMARY_OPS)
		return;
	list[k].op = name;
	list[k].timing = timing;
	list[k].bytes =
	    latency ? view_small_size(v, name, timing) : view_ranked_size(v, name, timing);
}

/* No size that all have (or nothing proven): the largest one that any has, so that there is
 * something to see. */
static void settle_size(struct summary_figure *f, const struct view *v, bool latency)
{
	uint64_t found = 0;

	if (f->op == NULL || f->bytes > 0)
		return;
	for (size_t i = 0; i < v->n_rows; i++) {
		uint64_t bytes = v->rows[i].bytes;

		if (bytes > 0 && (found == 0 || (latency ? bytes < found : bytes > found)) &&
		    view_measured(v, v->rows[i].transport, f->op, bytes, f->timing) != NULL)
			found = bytes;
	}
	f->bytes = found;
}

static void find_figures(struct summary *s, const struct view *v)
{
	for (size_t i = 0; i < SUMMARY_OPS; i++) {
		add_figure(s->bandwidth, v, summary_bandwidth_ops[i], false);
		add_figure(s->latency, v, summary_latency_ops[i], true);
	}
	for (int op = 0; op < OP_COUNT && s->bandwidth[0].op == NULL; op++)
		add_figure(s->bandwidth, v, op, false);
	for (size_t i = 0; i < SUMMARY_OPS; i++) {
		settle_size(&s->bandwidth[i], v, false);
		settle_size(&s->latency[i], v, true);
	}
}

/* The transport's record at the figure's size, in the figure's timing or else the next one it has.
 */
static const struct record *record_of(const struct view *v, const struct summary_figure *f,
				      const char *transport, const char *const *order)
{
	const struct record *r;

	if (f->op == NULL)
		return NULL;
	r = view_measured(v, transport, f->op, f->bytes, f->timing);
	for (; r == NULL && *order != NULL; order++)
		r = view_measured(v, transport, f->op, f->bytes, *order);
	return r;
}

static void set_value(struct summary_value *value, const struct record *r, bool latency)
{
	*value = (struct summary_value){ .value = NAN, .lo = NAN, .hi = NAN };
	if (r == NULL)
		return;
	value->value = latency ? r->time_us : view_busbw(r);
	if (r->ci_lo_us > 0 && r->ci_hi_us > 0) {
		value->lo = latency ? r->ci_lo_us : value->value * r->time_us / r->ci_hi_us;
		value->hi = latency ? r->ci_hi_us : value->value * r->time_us / r->ci_lo_us;
	}
	value->timing = r->timing;
	value->bytes = r->bytes;
	value->unproven = view_unproven(r);
}

static const struct record *any_measured(const struct view *v, const char *transport)
{
	const struct record *unproven = NULL;

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (!view_of_ranks(v, r) || strcmp(r->transport, transport) != 0 ||
		    !isfinite(r->time_us))
			continue;
		if (strcmp(r->outcome, "ok") == 0 && !view_unproven(r))
			return r;
		if (unproven == NULL && view_unproven(r))
			unproven = r;
	}
	return unproven;
}

static bool has_other_path(const struct view *v, const struct record *r)
{
	for (size_t i = 0; i < v->n_rows; i++)
		if (view_of_ranks(v, &v->rows[i]) &&
		    strcmp(v->rows[i].transport, r->transport) == 0 &&
		    isfinite(v->rows[i].time_us) && strcmp(v->rows[i].used, r->used) != 0)
			return true;
	return false;
}

static void set_used(struct summary_row *row, const struct view *v, const struct record *r)
{
	char used[RECORD_TEXT];
	const char *proof =
	    r->proof[0] == '\0' || strcmp(r->proof, "unknown") == 0 ? "proof unknown" : r->proof;

	text_clean(r->used, used, sizeof(used));
	row->unproven = view_unproven(r);
	snprintf(row->used, sizeof(row->used), "%s%s (%s)", used[0] != '\0' ? used : "?",
		 has_other_path(v, r) ? " and others" : "", row->unproven ? "unproven" : proof);
}

static void fill_row(struct summary *s, struct summary_row *row, const struct view *v)
{
	const struct record *first = NULL, *r;

	for (size_t i = 0; i < SUMMARY_OPS; i++) {
		r = record_of(v, &s->bandwidth[i], row->transport, view_timings_stream);
		if (r == NULL && row->loopback)
			/* Loopback chooses no size: it is told at the largest that it has. */
			r = view_largest(v, row->transport, s->bandwidth[i].op,
					 s->bandwidth[i].timing);
		set_value(&row->bandwidth[i], r, false);
		first = first != NULL ? first : r;
		if (i == 0 && r != NULL)
			row->peak_pct = peak_use_pct(v, r);
		r = record_of(v, &s->latency[i], row->transport, view_timings_graph);
		set_value(&row->latency[i], r, true);
		first = first != NULL ? first : r;
	}
	if (first == NULL)
		first = any_measured(v, row->transport);
	if (first != NULL)
		set_used(row, v, first);
	else
		view_why(v, row->transport, row->why, sizeof(row->why));
}

const char *summary_other_size(const struct summary_figure *f, const struct summary_value *v,
			       char *out, size_t max)
{
	char size[32];

	out[0] = '\0';
	if (!isfinite(v->value) || v->bytes == 0 || v->bytes == f->bytes)
		return out;
	num_format_size(v->bytes, size, sizeof(size));
	snprintf(out, max, " at %s", size);
	return out;
}

bool summary_comparable(const struct summary_value *a, const struct summary_value *b)
{
	return isfinite(a->value) && isfinite(b->value) && b->value > 0 && !a->unproven &&
	       !b->unproven && a->bytes == b->bytes && strcmp(a->timing, b->timing) == 0;
}

static void compare(struct summary *s)
{
	const struct summary_row *reference = NULL;
	struct summary_row *best = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->row[i].transport, "auto") == 0)
			reference = &s->row[i];
	for (size_t i = 0; i < s->n; i++) {
		struct summary_row *row = &s->row[i];
		const struct summary_value *mine = &row->bandwidth[0];

		if (reference != NULL && summary_comparable(mine, &reference->bandwidth[0]))
			row->ratio = mine->value / reference->bandwidth[0].value;
		if (isfinite(mine->value) && !mine->unproven && !row->loopback &&
		    (best == NULL || mine->value > best->bandwidth[0].value))
			best = row;
	}
	if (best != NULL)
		best->best = true;
}

static void fill(struct summary *s, const struct view *v)
{
	const char *names[VIEW_TRANSPORTS_MAX];

	s->backend = v->n_rows > 0 ? v->rows[0].backend : "";
	s->ranks = view_ranks(v);
	s->n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	for (size_t i = 0; i < s->n; i++) {
		s->row[i].transport = names[i];
		s->row[i].label = view_transport_label(v, s->backend, names[i]);
		s->row[i].loopback = view_is_loopback(v, s->backend, names[i]);
		s->row[i].peak_pct = s->row[i].ratio = NAN;
		fill_row(s, &s->row[i], v);
	}
	compare(s);
}

void summary_build(struct summary *s, const struct view *v)
{
	memset(s, 0, sizeof(*s));
	find_figures(s, v);
	fill(s, v);
}

void summary_build_at(struct summary *s, const struct view *v, const struct summary *figures)
{
	memset(s, 0, sizeof(*s));
	memcpy(s->bandwidth, figures->bandwidth, sizeof(s->bandwidth));
	memcpy(s->latency, figures->latency, sizeof(s->latency));
	fill(s, v);
}
