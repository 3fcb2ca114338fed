/* SPDX-License-Identifier: Apache-2.0 */
/* What the table and the charts look at: one run's records and the words for the title. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/record.h"

enum view_peak_kind {
	VIEW_PEAK_SPEC,
	VIEW_PEAK_LINE_RATE,
	VIEW_PEAK_MODEL,
	VIEW_PEAK_MEASURED,
	VIEW_PEAK_KINDS
};
/* "spec" "line rate" "NCCL model" "measured" */
extern const char *const view_peak_kinds[VIEW_PEAK_KINDS];

struct view_peak {
	char name[64]; /* "NVLink 18 x 25 GB/s (spec)" */
	/* Whose peak: names separated by commas, or one that stands for all of its peak_kind
	 * (spec/transport.h); "" = of none, shown as a row only. */
	char transport[24];
	double gbps;     /* per direction; NaN unknown */
	int kind;        /* view_peak_kind */
	const char *how; /* one line: where the figure comes from; NULL when the name says it all */
};

struct view_pair { /* two ranks, in either order */
	int a, b;
	char class[16]; /* of the way between them: "NV18", "PIX"; "" unknown */
};

struct view {
	const struct record *rows;
	size_t n_rows;
	size_t n_all;       /* with the rows of other arms, which follow them; 0: there are none */
	char machine[160];  /* "2 x NVIDIA H200, NVLink 18" or "no GPU: host memory through UCX" */
	char versions[160]; /* "NCCL 2.28.3, CUDA 13.0, driver 580.159" */
	char host[64], when[32];
	bool one_host; /* socket is loopback: labelled everywhere */
	/* Figures are of so many ranks, of a run that measured several numbers; 0: of the first row
	 * of its kind. */
	int ranks;
	const struct view_peak *peaks;
	size_t n_peaks;
	const struct view_pair *pairs; /* of a run of all pairs; none: their classes are unknown */
	size_t n_pairs;
	const char *const *notes; /* lines below the table */
	size_t n_notes;
};

#define VIEW_TRANSPORTS_MAX 32

/* Name a transport has in tables and pictures: "socket (loopback TCP)" on one host. */
const char *view_transport_label(const struct view *v, const char *backend, const char *transport);
/* Transports of the run in table order (spec/transport), unknown names last; returns count, at most
 * max. */
size_t view_transports(const struct view *v, const char **out, size_t max);
/* The record a table cell wants (outcome ok) or NULL: out of place, plain, first dtype/redop of the
 * run, given timing. */
const struct record *view_cell(const struct view *v, const char *transport, const char *op,
			       uint64_t bytes, const char *timing);
/* The same for any outcome that has a time: ok, or unproven (measured, but on another path). */
const struct record *view_measured(const struct view *v, const char *transport, const char *op,
				   uint64_t bytes, const char *timing);
/* The row that says which of an op's many forms the figures are of; NULL when there is none. */
const struct record *view_form(const struct view *v, const char *op);
/* Do two rows differ in their transport, size, timing and number of ranks (and so in the map, which
 * has an entry per rank) at most? */
bool view_same_kind(const struct record *a, const struct record *b);
bool view_of_ranks(const struct view *v, const struct record *r); /* one that figures may be of */
bool view_is_measured(const struct record *r);                    /* ok or unproven, with a time */
/* What titles say. */
int view_ranks(const struct view *v);
/* The largest number of ranks that has a measured row; without any, of all rows; 0 when empty. */
int view_most_ranks(const struct record *rows, size_t n);
/* Measured records of a transport, ascending in bytes; room for v->n_rows pointers in `out`. */
size_t view_curve(const struct view *v, const char *transport, const char *op, const char *timing,
		  const struct record **out);
/* Largest size at which every transport with any ok row of the op has one; 0 when none. */
uint64_t view_common_size(const struct view *v, const char *op, const char *timing);
/* The same among those that are no loopback, where there is any such: loopback ranks nothing, and
 * so does not choose at which size the others are told. */
uint64_t view_ranked_size(const struct view *v, const char *op, const char *timing);
/* The measured record of a transport's largest size, which is where loopback is told when it lacks
 * the size of the others; NULL: none, or no `op`. */
const struct record *view_largest(const struct view *v, const char *transport, const char *op,
				  const char *timing);
/* A network transport within one host: the kernel's figures, no link's. */
bool view_is_loopback(const struct view *v, const char *backend, const char *transport);
/* The size of latency cells: 8 bytes when anything ran there, else the smallest common one, else
 * the smallest; 0 when none. */
uint64_t view_small_size(const struct view *v, const char *op, const char *timing);
/* The first of `order` (ends with NULL) in which the op (of the transport, NULL = any) has a
 * measured row; NULL when in none. */
const char *view_timing(const struct view *v, const char *transport, const char *op,
			const char *const *order);
/* what an eager framework sees first: bandwidth cells */
extern const char *const view_timings_stream[];
extern const char *const view_timings_graph[]; /* device time first: latency cells and curves */
/* busbw of a record, derived when the column is absent; NaN without a time. */
double view_busbw(const struct record *r);
bool view_unproven(const struct record *r);
/* Spec peak of a transport, NULL when there is none or it is unknown. */
const struct view_peak *view_peak_of(const struct view *v, const char *transport);
/* Why a transport has no ok row at all: "N/A (why)" or the bad outcome's name and detail; "" when
 * it has one. */
void view_why(const struct view *v, const char *transport, char *out, size_t max);
