/* SPDX-License-Identifier: Apache-2.0 */
/* See overlap.h. */
#include "report/overlap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/text.h"
#include "report/view.h"

/* What the rows of a table differ in, and what its title always says. */
#define IN_ROWS (RECORD_BIT(RECORD_LOAD) | RECORD_BIT(RECORD_BYTES) | RECORD_BIT(RECORD_ARM))
#define IN_TITLE                                                                             \
	(RECORD_BIT(RECORD_BACKEND) | RECORD_BIT(RECORD_TRANSPORT) | RECORD_BIT(RECORD_OP) | \
	 RECORD_BIT(RECORD_TIMING))

static void text_times(double value, char *out, size_t max)
{
	snprintf(out, max, "x%.3g", value);
}

static void text_percent(double value, char *out, size_t max)
{
	snprintf(out, max, "%.0f %%", value * 100);
}

const struct overlap_figure overlap_figures[] = {
	{ .id = "slowdown",
	  .head = "",
	  .help = "how many times as long as alone the operation took beside that load",
	  .value = overlap_slowed,
	  .text = text_times },
	{ .id = "load_slowdown",
	  .head = "it",
	  .help = "how many times as long as alone the load took meanwhile",
	  .value = overlap_load_slowed,
	  .text = text_times },
	{ .id = "hidden",
	  .head = "hidden",
	  .help = "how much of the time that could be hidden was: 100 % all of it, 0 as if in "
		  "turns",
	  .value = overlap_hidden,
	  .text = text_percent },
};
const size_t overlap_figures_n = N_ELEMENTS(overlap_figures);

static size_t all_rows(const struct view *v)
{
	return v->n_all > v->n_rows ? v->n_all : v->n_rows;
}

/* ---- figures ---- */

double overlap_slowed(const struct overlap_row *r, int load)
{
	return r->at[load] && r->at[LOAD_NONE]->time_us > 0
		   ? r->at[load]->time_us / r->at[LOAD_NONE]->time_us
		   : NAN;
}

double overlap_load_slowed(const struct overlap_row *r, int load)
{
	return r->at[load] ? r->at[load]->load_slowdown : NAN;
}

/* In a time t both run: of the operation what takes t/slowed alone, of the load t/load_slowed. */
double overlap_hidden_of(double slowed, double load_slowed)
{
	if (!(slowed > 0) || !(load_slowed > 0))
		return NAN;
	return (1 / slowed + 1 / load_slowed - 1) * fmax(slowed, load_slowed);
}

double overlap_hidden(const struct overlap_row *r, int load)
{
	return overlap_hidden_of(overlap_slowed(r, load), overlap_load_slowed(r, load));
}

/* Label "4 channels". */
int overlap_asked(const struct record *r)
{
	char *end;
	long n = strtol(r->arm, &end, 10);

	return end != r->arm && strcmp(end, OVERLAP_CHANNELS) == 0 && n > 0 && n < 1 << 20 ? (int)n
											   : 0;
}

/* ---- rows ---- */

static bool has_loads(const struct view *v)
{
	for (size_t i = 0; i < all_rows(v); i++)
		if (v->rows[i].load[0])
			return true;
	return false;
}

/* Rows of --channels, with or without loads. */
static bool has_channels(const struct view *v)
{
	for (size_t i = 0; i < all_rows(v); i++)
		if (overlap_asked(&v->rows[i]))
			return true;
	return false;
}

bool overlap_any(const struct view *v)
{
	return has_loads(v) || has_channels(v);
}

/* Whether there is any. */
static bool find_loads(const struct view *v, struct overlap_row *r)
{
	bool found = false;

	for (size_t i = 0; i < all_rows(v); i++) {
		const struct record *x = &v->rows[i];
		int id = load_find(x->load);

		if (id <= LOAD_NONE || !view_is_measured(x) ||
		    record_compare(x, r->at[LOAD_NONE], RECORD_BIT(RECORD_LOAD)) != 0)
			continue;
		r->at[id] = x;
		found = true;
	}
	return found;
}

static void find_table(struct overlap_row *rows, size_t i)
{
	for (rows[i].table = 0; rows[i].table < i; rows[i].table++)
		if (record_compare(rows[i].at[LOAD_NONE], rows[rows[i].table].at[LOAD_NONE],
				   IN_ROWS) == 0)
			return;
}

static int in_order(const void *a, const void *b)
{
	const struct overlap_row *x = a, *y = b;
	const struct record *p = x->at[LOAD_NONE], *q = y->at[LOAD_NONE];

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	if (p->bytes != q->bytes)
		return p->bytes < q->bytes ? -1 : 1;
	if (overlap_asked(p) != overlap_asked(q))
		return overlap_asked(p) < overlap_asked(q) ? -1 : 1;
	return strcmp(p->arm, q->arm);
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
		if (!find_loads(v, r) && !channels)
			continue;
		find_table(*out, *n);
		++*n;
	}
	if (*n)
		qsort(*out, *n, sizeof(**out), in_order);
	return 0;
}

/* ---- words ---- */

void overlap_title(const struct view *v, const struct overlap_row *rows, size_t n,
		   const struct overlap_row *row, struct buf *out)
{
	const struct record *r = row->at[LOAD_NONE];

	buf_printf(out, "%s, %s, %s", view_transport_label(v, r->backend, r->transport), r->op,
		   r->timing);
	for (int key = 0; key < RECORD_KEYS; key++) {
		unsigned others = RECORD_BIT(RECORD_KEYS) - 1 - RECORD_BIT(key);
		char value[RECORD_TEXT], clean[RECORD_TEXT];
		size_t i = 0;

		if ((IN_ROWS | IN_TITLE) & RECORD_BIT(key))
			continue;
		while (i < n && record_compare(r, rows[i].at[LOAD_NONE], others) == 0)
			i++;
		if (i == n)
			continue;
		record_key_text(r, key, value, sizeof(value));
		text_clean(value, clean, sizeof(clean));
		buf_printf(out, ", %s %s", record_key_column(key)->name, clean[0] ? clean : "-");
	}
}

void overlap_channels(const struct overlap_row *row, char *out, size_t max)
{
	const struct record *r = row->at[LOAD_NONE];
	int asked = overlap_asked(r);

	if (asked)
		snprintf(out, max, "%d", asked);
	else if (r->arm[0])
		text_clean(r->arm, out, max);
	else if (isnan(r->channels))
		snprintf(out, max, "NCCL's own");
	else
		snprintf(out, max, "NCCL's %.0f", r->channels);
}

void overlap_cell(const struct overlap_figure *f, const struct overlap_row *r, int load, char *out,
		  size_t max)
{
	double v = f->value(r, load);

	snprintf(out, max, "-");
	if (isfinite(v))
		f->text(v, out, max);
}

static void put_title(const struct view *v, const struct overlap_row *rows, size_t n,
		      const struct overlap_row *r, struct buf *out)
{
	buf_puts(out, "\n");
	overlap_title(v, rows, n, r, out);
	buf_printf(out, ": beside computation, times as long as alone\n%12s  %-14s %10s", "size",
		   "channels", "alone");
	for (int id = LOAD_NONE + 1; id < LOAD_COUNT; id++)
		for (size_t i = 0; i < overlap_figures_n; i++)
			buf_printf(out, "%s%8s", i ? "" : " ",
				   overlap_figures[i].head[0] ? overlap_figures[i].head
							      : load_table[id].name);
	buf_puts(out, "\n");
}

static void put_row(const struct overlap_row *r, struct buf *out)
{
	char size[32], time[32], channels[24], cell[24];

	num_format_size(r->at[LOAD_NONE]->bytes, size, sizeof(size));
	num_format_time(r->at[LOAD_NONE]->time_us * 1e3, 0, time, sizeof(time));
	overlap_channels(r, channels, sizeof(channels));
	buf_printf(out, "%12s  %-14s %10s", size, channels, time);
	for (int id = LOAD_NONE + 1; id < LOAD_COUNT; id++)
		for (size_t i = 0; i < overlap_figures_n; i++) {
			overlap_cell(&overlap_figures[i], r, id, cell, sizeof(cell));
			buf_printf(out, "%s%8s", i ? "" : " ", cell);
		}
	buf_puts(out, "\n");
}

static void put_help(struct buf *out)
{
	for (size_t i = 0; i < overlap_figures_n; i++) {
		if (overlap_figures[i].head[0])
			buf_puts(out, overlap_figures[i].head);
		for (int id = LOAD_NONE + 1; id < LOAD_COUNT && !overlap_figures[i].head[0]; id++)
			buf_printf(out, "%s%s", id > LOAD_NONE + 1 ? ", " : "",
				   load_table[id].name);
		buf_printf(out, ": %s\n", overlap_figures[i].help);
	}
}

int overlap_text(const struct view *v, struct buf *out)
{
	struct overlap_row *rows;
	size_t n;
	int r = overlap_rows(v, &rows, &n);

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || rows[i].table != rows[i - 1].table)
			put_title(v, rows, n, &rows[i], out);
		put_row(&rows[i], out);
	}
	if (n > 0)
		put_help(out);
	free(rows);
	return r < 0 ? r : out->failed ? -ENOMEM : 0;
}

int overlap_markdown(const struct view *v, struct buf *out)
{
	struct buf text = { 0 };
	int r = overlap_text(v, &text);

	if (r == 0 && text.len)
		buf_printf(out, "\n## Beside computation\n\n```\n%s```\n",
			   buf_text(&text) + strspn(buf_text(&text), "\n"));
	buf_fini(&text);
	return r < 0 ? r : out->failed ? -ENOMEM : 0;
}
