/* SPDX-License-Identifier: Apache-2.0 */
/* See scaling.h. */
#include "report/scaling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/text.h"
#include "spec/op.h"

#define COLUMN 17 /* "367.2 (101 %)" */

/* ---- which figures ---- */

static void add_count(struct scaling *s, int ranks)
{
	int i = s->n_counts;

	for (int k = 0; k < s->n_counts; k++)
		if (s->counts[k] == ranks)
			return;
	if (i == SCALING_COUNTS_MAX)
		return;
	for (; i > 0 && s->counts[i - 1] > ranks; i--)
		s->counts[i] = s->counts[i - 1];
	s->counts[i] = ranks;
	s->n_counts++;
}

/* Of what was planned, measured or not: a number of ranks that failed is a gap that is seen. */
static void find_counts(const struct view *v, const struct record *form, struct scaling *s)
{
	for (size_t i = 0; i < v->n_rows; i++)
		if (view_same_kind(&v->rows[i], form))
			add_count(s, v->rows[i].ranks);
}

static bool about_equal(uint64_t a, uint64_t b)
{
	uint64_t more = a > b ? a : b, less = a > b ? b : a;

	return more - less <= more / 100;
}

static const struct record *find(const struct view *v, const struct record *form,
				 const char *transport, const char *timing, int ranks,
				 uint64_t bytes)
{
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (r->ranks == ranks && about_equal(r->bytes, bytes) && view_is_measured(r) &&
		    strcmp(r->transport, transport) == 0 && strcmp(r->timing, timing) == 0 &&
		    view_same_kind(r, form))
			return r;
	}
	return NULL;
}

static int fill_at(const struct view *v, const struct record *form, uint64_t bytes,
		   struct scaling *s)
{
	int have = 0;

	for (size_t k = 0; k < s->n; k++)
		for (int i = 0; i < s->n_counts; i++) {
			s->row[k].at[i] = find(v, form, s->row[k].transport, s->row[k].timing,
					       s->counts[i], bytes);
			have += s->row[k].at[i] != NULL;
		}
	return have;
}

/* The size that most transports and numbers of ranks have; of several the largest, of latencies the
 * smallest. */
static int settle_size(const struct view *v, const struct record *form, struct scaling *s)
{
	int most = 0;

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];
		bool better = s->latency ? r->bytes < s->bytes : r->bytes > s->bytes;
		int have;

		if (r->ranks != form->ranks || r->bytes == 0 || !view_is_measured(r) ||
		    !view_same_kind(r, form))
			continue;
		have = fill_at(v, form, r->bytes, s);
		if (have > most || (have == most && better)) {
			most = have;
			s->bytes = r->bytes;
		}
	}
	return most > 0 ? fill_at(v, form, s->bytes, s) : 0;
}

static bool grows(const struct scaling *s)
{
	for (size_t k = 0; k < s->n; k++) {
		int have = 0;

		for (int i = 0; i < s->n_counts; i++)
			have += s->row[k].at[i] != NULL;
		if (have > 1)
			return true;
	}
	return false;
}

bool scaling_build(const struct view *v, int op, bool latency, struct scaling *out)
{
	const char *name = op_table[op].name, *names[VIEW_TRANSPORTS_MAX];
	const char *const *order = latency ? view_timings_graph : view_timings_stream;
	const struct record *form = view_form(v, name);
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);

	*out = (struct scaling){ .op = name, .latency = latency };
	if (!form || op_table[op].flags & OP_PAIR)
		return false;
	find_counts(v, form, out);
	if (out->n_counts < 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *timing = view_timing(v, names[i], name, order);

		if (timing)
			out->row[out->n++] =
			    (struct scaling_row){ .transport = names[i], .timing = timing };
	}
	return settle_size(v, form, out) > 0 && grows(out);
}

double scaling_value(const struct scaling *s, size_t row, int count)
{
	const struct record *r = s->row[row].at[count];

	return !r ? NAN : s->latency ? r->time_us : view_busbw(r);
}

double scaling_ratio(const struct scaling *s, size_t row, int count)
{
	const struct record *r = s->row[row].at[count], *first = s->row[row].at[0];

	if (!r || !first || view_unproven(r) || view_unproven(first))
		return NAN;
	return scaling_value(s, row, count) / scaling_value(s, row, 0);
}

bool scaling_any(const struct view *v)
{
	struct scaling s;

	for (int op = 0; op < OP_COUNT; op++)
		if (scaling_build(v, op, false, &s))
			return true;
	return false;
}

/* ---- text ---- */

static void heading(const struct scaling *s, struct buf *out)
{
	char size[32];

	num_format_size(s->bytes, size, sizeof(size));
	buf_printf(out, "\n%s at %s: %s\n", s->op, size,
		   s->latency ? "time of one operation, and how many times that of the fewest ranks"
			      : "GB/s (busbw), and how much of that of the fewest ranks is left");
}

static void cell(const struct scaling *s, size_t row, int count, char *out, size_t max)
{
	double value = scaling_value(s, row, count), ratio = scaling_ratio(s, row, count);
	char number[32], share[24] = "";

	if (isnan(value)) {
		snprintf(out, max, "-");
		return;
	}
	if (s->latency)
		num_format_time(value * 1e3, text_utf8(), number, sizeof(number));
	else
		text_number(value, number, sizeof(number));
	if (count > 0 && isfinite(ratio) && s->latency)
		snprintf(share, sizeof(share), " (%.3gx)", ratio);
	else if (count > 0 && isfinite(ratio))
		snprintf(share, sizeof(share), " (%.0f %%)", 100 * ratio);
	snprintf(out, max, "%s%s%s", number, view_unproven(s->row[row].at[count]) ? "?" : "",
		 share);
}

static void pad_left(const char *text, int width, struct buf *out)
{
	buf_printf(out, " %*s%s", width > text_width(text) ? width - text_width(text) : 0, "",
		   text);
}

static bool has_value(const struct scaling *s, size_t row)
{
	for (int i = 0; i < s->n_counts; i++)
		if (s->row[row].at[i])
			return true;
	return false;
}

static void write_row(const struct view *v, const struct scaling *s, size_t row, int width,
		      struct buf *out)
{
	const char *label = view_transport_label(v, v->rows[0].backend, s->row[row].transport);
	char clean[96], text[64];

	text_clean(label, clean, sizeof(clean));
	buf_printf(out, "  %s%*s", clean, width - text_width(clean), "");
	for (int i = 0; i < s->n_counts; i++) {
		cell(s, row, i, text, sizeof(text));
		pad_left(text, COLUMN, out);
	}
	buf_printf(out, "  %s\n", s->row[row].timing);
}

static bool write_table(const struct view *v, const struct scaling *s, struct buf *out)
{
	int width = 9; /* "transport" */
	bool doubt = false;

	for (size_t k = 0; k < s->n; k++) {
		int w =
		    text_width(view_transport_label(v, v->rows[0].backend, s->row[k].transport));

		width = w > width ? w : width;
		for (int i = 0; i < s->n_counts; i++)
			doubt |= s->row[k].at[i] && view_unproven(s->row[k].at[i]);
	}
	heading(s, out);
	buf_printf(out, "  %-*s", width, "transport");
	for (int i = 0; i < s->n_counts; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%d ranks", s->counts[i]);
		pad_left(text, COLUMN, out);
	}
	buf_puts(out, "  timing\n");
	for (size_t k = 0; k < s->n; k++)
		if (has_value(s, k))
			write_row(v, s, k, width, out);
	return doubt;
}

int scaling_text(const struct view *v, struct buf *out)
{
	struct scaling s;
	bool doubt = false;

	for (int op = 0; op < OP_COUNT; op++) {
		if (scaling_build(v, op, false, &s))
			doubt |= write_table(v, &s, out);
		if (op_table[op].flags & OP_LATENCY && scaling_build(v, op, true, &s))
			doubt |= write_table(v, &s, out);
	}
	if (doubt)
		buf_puts(out, "? unproven: another transport carried the data\n");
	return out->failed ? -ENOMEM : 0;
}

int scaling_markdown(const struct view *v, struct buf *out)
{
	struct buf text = { 0 };
	int rc = scaling_text(v, &text);

	if (rc == 0 && text.len)
		buf_printf(out, "\n## By number of ranks\n\n```\n%s```\n",
			   buf_text(&text) + strspn(buf_text(&text), "\n"));
	buf_fini(&text);
	return rc < 0 ? rc : out->failed ? -ENOMEM : 0;
}
