/* SPDX-License-Identifier: Apache-2.0 */
/* See view.h. Selection only: nothing here formats a number or draws. */
#include "report/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "report/text.h"
#include "spec/op.h"
#include "spec/outcome.h"
#include "spec/transport.h"

const char *const view_timings_stream[] = { "stream",   "host",       "graph",
					    "blocking", "nccl-tests", NULL };
const char *const view_timings_graph[] = {
	"graph", "stream", "host", "blocking", "nccl-tests", NULL
};

/* On one host these go through loopback: a figure of the kernel, not of a network card. */
static const char *const loopback_label[TRANSPORT_COUNT] = {
	[TRANSPORT_SOCKET] = "socket (loopback TCP)",
	[TRANSPORT_IB] = "ib (loopback)",
	[TRANSPORT_IB_NOGDR] = "ib-nogdr (loopback)",
	[TRANSPORT_UCX_TCP] = "tcp (loopback TCP)",
};

/* Which outcome explains a transport without any good row: the worst news first. */
static const int why_order[] = {
	OUTCOME_CORRUPT,  OUTCOME_CRASH,       OUTCOME_HANG,    OUTCOME_ERROR,   OUTCOME_OOM,
	OUTCOME_UNPROVEN, OUTCOME_UNAVAILABLE, OUTCOME_ABORTED, OUTCOME_SKIPPED,
};

static int transport_id(const char *backend, const char *name)
{
	int id = backend_find(backend);

	return id < 0 ? -1 : transport_find(id, name);
}

const char *view_transport_label(const struct view *v, const char *backend, const char *transport)
{
	int id = transport_id(backend, transport);

	return v->one_host && id >= 0 && loopback_label[id] != NULL ? loopback_label[id]
								    : transport;
}

static int table_place(const struct record *r)
{
	int id = transport_id(r->backend, r->transport);

	return id < 0 ? TRANSPORT_COUNT : id;
}

size_t view_transports(const struct view *v, const char **out, size_t max)
{
	int place[VIEW_TRANSPORTS_MAX];
	size_t n = 0;

	max = max < VIEW_TRANSPORTS_MAX ? max : VIEW_TRANSPORTS_MAX;
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];
		int mine = table_place(r);
		size_t k;

		for (k = 0; k < n && strcmp(out[k], r->transport) != 0; k++)
			;
		if (k < n || n == max)
			continue;
		for (k = n++; k > 0 && place[k - 1] > mine; k--) {
			out[k] = out[k - 1];
			place[k] = place[k - 1];
		}
		out[k] = r->transport;
		place[k] = mine;
	}
	return n;
}

bool view_of_ranks(const struct view *v, const struct record *r)
{
	return v->ranks == 0 || r->ranks == v->ranks;
}

/* The first plain one out of place, else the first. */
const struct record *view_form(const struct view *v, const char *op)
{
	const struct record *first = NULL;

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (strcmp(r->op, op) != 0 || !view_of_ranks(v, r))
			continue;
		if (first == NULL)
			first = r;
		if (!r->in_place && (r->variant[0] == '\0' || strcmp(r->variant, "plain") == 0))
			return r;
	}
	return first;
}

#define OTHER_KIND                                                                              \
	(RECORD_BIT(RECORD_BACKEND) | RECORD_BIT(RECORD_TRANSPORT) | RECORD_BIT(RECORD_BYTES) | \
	 RECORD_BIT(RECORD_TIMING))

bool view_same_kind(const struct record *a, const struct record *b)
{
	return record_compare(a, b,
			      OTHER_KIND | RECORD_BIT(RECORD_RANKS) | RECORD_BIT(RECORD_MAP)) == 0;
}

static bool same_form(const struct record *a, const struct record *b)
{
	return record_compare(a, b, OTHER_KIND) == 0;
}

static bool is_ok(const struct record *r)
{
	return strcmp(r->outcome, outcome_table[OUTCOME_OK].name) == 0;
}

bool view_unproven(const struct record *r)
{
	return strcmp(r->outcome, outcome_table[OUTCOME_UNPROVEN].name) == 0 ||
	       strcmp(r->proof, "no") == 0;
}

bool view_is_measured(const struct record *r)
{
	return (is_ok(r) || view_unproven(r)) && isfinite(r->time_us) && r->time_us > 0;
}

int view_ranks(const struct view *v)
{
	return v->ranks ? v->ranks : v->n_rows > 0 ? v->rows[0].ranks : 0;
}

int view_most_ranks(const struct record *rows, size_t n)
{
	int measured = 0, any = 0;

	for (size_t i = 0; i < n; i++) {
		any = rows[i].ranks > any ? rows[i].ranks : any;
		if (view_is_measured(&rows[i]) && rows[i].ranks > measured)
			measured = rows[i].ranks;
	}
	return measured ? measured : any;
}

static bool in_series(const struct record *r, const struct record *form, const char *op,
		      const char *timing)
{
	return strcmp(r->op, op) == 0 && strcmp(r->timing, timing) == 0 && same_form(r, form);
}

static const struct record *find(const struct view *v, const char *transport, const char *op,
				 uint64_t bytes, const char *timing,
				 bool (*wanted)(const struct record *))
{
	const struct record *form = view_form(v, op);

	if (form == NULL || timing == NULL)
		return NULL;
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (r->bytes == bytes && strcmp(r->transport, transport) == 0 && wanted(r) &&
		    in_series(r, form, op, timing))
			return r;
	}
	return NULL;
}

const struct record *view_cell(const struct view *v, const char *transport, const char *op,
			       uint64_t bytes, const char *timing)
{
	return find(v, transport, op, bytes, timing, is_ok);
}

const struct record *view_measured(const struct view *v, const char *transport, const char *op,
				   uint64_t bytes, const char *timing)
{
	return find(v, transport, op, bytes, timing, view_is_measured);
}

static int by_bytes(const void *a, const void *b)
{
	const struct record *const *x = a, *const *y = b;

	return ((*x)->bytes > (*y)->bytes) - ((*x)->bytes < (*y)->bytes);
}

size_t view_curve(const struct view *v, const char *transport, const char *op, const char *timing,
		  const struct record **out)
{
	const struct record *form = view_form(v, op);
	size_t n = 0;

	if (form == NULL || timing == NULL)
		return 0;
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (r->bytes > 0 && view_is_measured(r) && strcmp(r->transport, transport) == 0 &&
		    in_series(r, form, op, timing))
			out[n++] = r;
	}
	if (n > 0)
		qsort(out, n, sizeof(*out), by_bytes);
	return n;
}

/* True when every transport with an ok row in this timing has one at that size. */
static bool is_common(const struct view *v, const char *const *names, const bool *takes_part,
		      size_t n, const char *op, uint64_t bytes, const char *timing)
{
	for (size_t i = 0; i < n; i++)
		if (takes_part[i] && view_cell(v, names[i], op, bytes, timing) == NULL)
			return false;
	return true;
}

bool view_is_loopback(const struct view *v, const char *backend, const char *transport)
{
	int id = transport_id(backend, transport);

	return v->one_host && id >= 0 && (transport_table[id].flags & TRANSPORT_NETWORK) != 0;
}

/* Leaves loopback out where something else takes part. */
static void keep_ranked(const struct view *v, const char *backend, const char *const *names,
			bool *takes_part, size_t n)
{
	bool ranked = false;

	for (size_t i = 0; i < n; i++)
		ranked |= takes_part[i] && !view_is_loopback(v, backend, names[i]);
	for (size_t i = 0; i < n; i++)
		takes_part[i] &= !ranked || !view_is_loopback(v, backend, names[i]);
}

enum extreme { SMALLEST, LARGEST, LARGEST_RANKED };

/* The largest (or smallest) common size; *any gets that of all ok rows, common or not. */
static uint64_t extreme_size(const struct view *v, const char *op, const char *timing,
			     enum extreme which, uint64_t *any)
{
	bool largest = which != SMALLEST;
	const char *names[VIEW_TRANSPORTS_MAX];
	bool takes_part[VIEW_TRANSPORTS_MAX] = { false };
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	const struct record *form = view_form(v, op);
	uint64_t best = 0;

	*any = 0;
	if (form == NULL || timing == NULL)
		return 0;
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];
		size_t k;

		if (!is_ok(r) || !in_series(r, form, op, timing))
			continue;
		for (k = 0; k < n; k++)
			if (strcmp(names[k], r->transport) == 0)
				takes_part[k] = true;
	}
	if (which == LARGEST_RANKED)
		keep_ranked(v, form->backend, names, takes_part, n);
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (r->bytes == 0 || !is_ok(r) || !in_series(r, form, op, timing))
			continue;
		if (*any == 0 || (largest ? r->bytes > *any : r->bytes < *any))
			*any = r->bytes;
		if ((best == 0 || (largest ? r->bytes > best : r->bytes < best)) &&
		    is_common(v, names, takes_part, n, op, r->bytes, timing))
			best = r->bytes;
	}
	return best;
}

uint64_t view_common_size(const struct view *v, const char *op, const char *timing)
{
	uint64_t any;

	return extreme_size(v, op, timing, LARGEST, &any);
}

uint64_t view_ranked_size(const struct view *v, const char *op, const char *timing)
{
	uint64_t any;

	return extreme_size(v, op, timing, LARGEST_RANKED, &any);
}

const struct record *view_largest(const struct view *v, const char *transport, const char *op,
				  const char *timing)
{
	const struct record *best = NULL;

	for (size_t i = 0; op != NULL && i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (strcmp(r->transport, transport) == 0 && (!best || r->bytes > best->bytes) &&
		    view_measured(v, transport, op, r->bytes, timing) == r)
			best = r;
	}
	return best;
}

uint64_t view_small_size(const struct view *v, const char *op, const char *timing)
{
	uint64_t any, common = extreme_size(v, op, timing, SMALLEST, &any);
	const struct record *form = view_form(v, op);

	for (size_t i = 0; form != NULL && i < v->n_rows; i++)
		if (v->rows[i].bytes == 8 && is_ok(&v->rows[i]) &&
		    in_series(&v->rows[i], form, op, timing))
			return 8;
	return common > 0 ? common : any;
}

const char *view_timing(const struct view *v, const char *transport, const char *op,
			const char *const *order)
{
	const struct record *form = view_form(v, op);

	for (; form != NULL && *order != NULL; order++)
		for (size_t i = 0; i < v->n_rows; i++) {
			const struct record *r = &v->rows[i];

			if (view_is_measured(r) && in_series(r, form, op, *order) &&
			    (transport == NULL || strcmp(r->transport, transport) == 0))
				return *order;
		}
	return NULL;
}

double view_busbw(const struct record *r)
{
	int op = op_find(r->op);

	if (isfinite(r->busbw_gbps))
		return r->busbw_gbps;
	if (op < 0 || !isfinite(r->time_us) || r->time_us <= 0)
		return NAN;
	return op_busbw_gbps(op, r->ranks, r->bytes, r->time_us);
}

static bool listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list != '\0') {
		size_t n = strcspn(list, ", ");

		if (n == len && memcmp(list, name, n) == 0)
			return true;
		list += n;
		list += strspn(list, ", ");
	}
	return false;
}

/* What kind of link a transport is compared with, by its name in the run's backend, else in any. */
const char *const view_peak_kinds[VIEW_PEAK_KINDS] = { "spec", "line rate", "NCCL model",
						       "measured" };

static int peak_kind_of(const struct view *v, const char *name)
{
	int id = v->n_rows > 0 ? transport_id(v->rows[0].backend, name) : -1;

	for (int backend = 0; id < 0 && backend < BACKEND_COUNT; backend++)
		id = transport_find(backend, name);
	return id < 0 ? PEAK_NONE : transport_table[id].peak;
}

static bool lists_kind(const struct view *v, const char *list, int kind)
{
	for (int id = 0; id < TRANSPORT_COUNT; id++)
		if (transport_table[id].peak == kind && listed(list, transport_table[id].name) &&
		    peak_kind_of(v, transport_table[id].name) == kind)
			return true;
	return false;
}

static const struct view_peak *peak_of_kind(const struct view *v, int kind)
{
	for (size_t i = 0; kind != PEAK_NONE && i < v->n_peaks; i++)
		if (isfinite(v->peaks[i].gbps) && v->peaks[i].gbps > 0 &&
		    lists_kind(v, v->peaks[i].transport, kind))
			return &v->peaks[i];
	return NULL;
}

const struct view_peak *view_peak_of(const struct view *v, const char *transport)
{
	const struct view_peak *found;
	int kind = peak_kind_of(v, transport);

	for (size_t i = 0; i < v->n_peaks; i++)
		if (isfinite(v->peaks[i].gbps) && v->peaks[i].gbps > 0 &&
		    listed(v->peaks[i].transport, transport))
			return &v->peaks[i];
	found = peak_of_kind(v, kind);
	/* without NVLink, P2P goes over PCIe */
	return found == NULL && kind == PEAK_P2P ? peak_of_kind(v, PEAK_PCIE) : found;
}

static const struct record *telling_row(const struct view *v, const char *transport)
{
	for (size_t k = 0; k < N_ELEMENTS(why_order); k++)
		for (size_t i = 0; i < v->n_rows; i++) {
			const struct record *r = &v->rows[i];

			if (view_of_ranks(v, r) && strcmp(r->transport, transport) == 0 &&
			    strcmp(r->outcome, outcome_table[why_order[k]].name) == 0)
				return r;
		}
	return NULL;
}

void view_why(const struct view *v, const char *transport, char *out, size_t max)
{
	const struct record *r;
	char detail[RECORD_DETAIL], phase[32] = "";

	snprintf(out, max, "%s", "");
	for (size_t i = 0; i < v->n_rows; i++)
		if (is_ok(&v->rows[i]) && view_of_ranks(v, &v->rows[i]) &&
		    strcmp(v->rows[i].transport, transport) == 0)
			return;
	r = telling_row(v, transport);
	if (r == NULL) {
		snprintf(out, max, "not measured");
		return;
	}
	text_clean(r->detail, detail, sizeof(detail));
	if (strcmp(r->outcome, outcome_table[OUTCOME_UNAVAILABLE].name) == 0) {
		snprintf(out, max, "N/A (%s)", detail[0] != '\0' ? detail : "no reason recorded");
		return;
	}
	if (r->phase[0] != '\0' && strcmp(r->phase, phase_names[PHASE_NONE]) != 0)
		snprintf(phase, sizeof(phase), " at %s", r->phase);
	snprintf(out, max, "%s%s%s%s", r->outcome, phase, detail[0] != '\0' ? ": " : "", detail);
}
