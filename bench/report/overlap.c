/* SPDX-License-Identifier: Apache-2.0 */
/* See overlap.h. */
#include "report/overlap.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/text.h"
#include "report/view.h"

/* The same point but for its load. */
static bool same_but_load(const struct record *a, const struct record *b)
{
	return a->bytes == b->bytes && a->in_place == b->in_place && a->root == b->root &&
	       a->ranks == b->ranks && strcmp(a->backend, b->backend) == 0 &&
	       strcmp(a->transport, b->transport) == 0 && strcmp(a->variant, b->variant) == 0 &&
	       strcmp(a->op, b->op) == 0 && strcmp(a->dtype, b->dtype) == 0 &&
	       strcmp(a->redop, b->redop) == 0 && strcmp(a->pair, b->pair) == 0 &&
	       strcmp(a->timing, b->timing) == 0 && strcmp(a->arm, b->arm) == 0 &&
	       strcmp(a->map, b->map) == 0;
}

static size_t all_rows(const struct view *v)
{
	return v->n_all > v->n_rows ? v->n_all : v->n_rows;
}

static bool has_loads(const struct view *v)
{
	for (size_t i = 0; i < all_rows(v); i++)
		if (v->rows[i].load[0])
			return true;
	return false;
}

/* Rows of --channels, with or without loads: label "4 channels". */
static bool has_channels(const struct view *v)
{
	for (size_t i = 0; i < all_rows(v); i++) {
		size_t n = strlen(v->rows[i].arm), end = strlen(OVERLAP_CHANNELS);

		if (n > end && strcmp(v->rows[i].arm + n - end, OVERLAP_CHANNELS) == 0)
			return true;
	}
	return false;
}

static void find_loads(const struct view *v, struct overlap_row *r)
{
	for (size_t i = 0; i < all_rows(v); i++) {
		const struct record *x = &v->rows[i];
		int id = load_find(x->load);

		if (id > LOAD_NONE && view_is_measured(x) && same_but_load(x, r->at[LOAD_NONE]))
			r->at[id] = x;
	}
}

int overlap_rows(const struct view *v, struct overlap_row **out, size_t *n)
{
	bool channels = has_channels(v);

	*out = NULL;
	*n = 0;
	if (!channels && !has_loads(v))
		return 0;
	*out = calloc(all_rows(v) + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < all_rows(v); i++) {
		struct overlap_row *r = &(*out)[*n];

		if (v->rows[i].load[0] || !view_is_measured(&v->rows[i]))
			continue;
		*r = (struct overlap_row){ .at[LOAD_NONE] = &v->rows[i] };
		find_loads(v, r);
		if (channels) {
			++*n;
			continue;
		}
		for (int id = LOAD_NONE + 1; id < LOAD_COUNT; id++)
			if (r->at[id]) {
				++*n;
				break;
			}
	}
	return 0;
}

double overlap_slowed(const struct overlap_row *r, int load)
{
	return r->at[load] && r->at[LOAD_NONE]->time_us > 0
		   ? r->at[load]->time_us / r->at[LOAD_NONE]->time_us
		   : NAN;
}

static bool same_table(const struct record *a, const struct record *b)
{
	return strcmp(a->transport, b->transport) == 0 && strcmp(a->op, b->op) == 0 &&
	       strcmp(a->timing, b->timing) == 0 && a->ranks == b->ranks;
}

static void put_title(const struct view *v, const struct record *r, struct buf *out)
{
	buf_printf(out,
		   "\n%s, %s, %s: beside computation, times as long as alone\n"
		   "%12s  %-14s %10s",
		   view_transport_label(v, r->backend, r->transport), r->op, r->timing, "size",
		   "channels", "alone");
	for (int id = LOAD_NONE + 1; id < LOAD_COUNT; id++)
		buf_printf(out, "  %7s %8s", load_table[id].name, "it");
	buf_puts(out, "\n");
}

static void put_ratio(double v, int width, struct buf *out)
{
	char text[24] = "-";

	if (!isnan(v))
		snprintf(text, sizeof(text), "x%.3g", v);
	buf_printf(out, "%*s", width, text);
}

static void put_row(const struct overlap_row *r, struct buf *out)
{
	const struct record *alone = r->at[LOAD_NONE];
	char size[32], time[32], channels[24];

	num_format_size(alone->bytes, size, sizeof(size));
	num_format_time(alone->time_us * 1e3, 0, time, sizeof(time));
	if (alone->arm[0])
		snprintf(channels, sizeof(channels), "%.*s", (int)strcspn(alone->arm, " "),
			 alone->arm);
	else if (isnan(alone->channels))
		snprintf(channels, sizeof(channels), "NCCL's own");
	else
		snprintf(channels, sizeof(channels), "NCCL's %.0f", alone->channels);
	buf_printf(out, "%12s  %-14s %10s", size, channels, time);
	for (int id = LOAD_NONE + 1; id < LOAD_COUNT; id++) {
		buf_puts(out, "  ");
		put_ratio(overlap_slowed(r, id), 7, out);
		buf_puts(out, " ");
		put_ratio(r->at[id] ? r->at[id]->load_slowdown : NAN, 8, out);
	}
	buf_puts(out, "\n");
}

int overlap_text(const struct view *v, struct buf *out)
{
	struct overlap_row *rows;
	size_t n;
	int r = overlap_rows(v, &rows, &n);

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !same_table(rows[i].at[LOAD_NONE], rows[i - 1].at[LOAD_NONE]))
			put_title(v, rows[i].at[LOAD_NONE], out);
		put_row(&rows[i], out);
	}
	if (n > 0)
		buf_puts(out, "mem and fma: the operation beside a load that memory or arithmetic "
			      "limits; it: that load meanwhile\n");
	free(rows);
	return r < 0 ? r : out->failed ? -ENOMEM : 0;
}
