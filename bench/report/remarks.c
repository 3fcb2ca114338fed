/* SPDX-License-Identifier: Apache-2.0 */
/* See remarks.h. */
#include "report/remarks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/num.h"
#include "report/summary.h"
#include "report/text.h"
#include "report/view.h"
#include "spec/outcome.h"

#define BAD_LINES 8
#define WRAP_LEAST 24 /* narrower columns would be unreadable: the line then runs over */

void remarks_wrap(struct buf *b, const char *text, int indent, int width)
{
	int room = width > 0 && width - indent < WRAP_LEAST ? WRAP_LEAST : width - indent;

	for (;;) {
		size_t n = text_line(text, width > 0 ? room : 0);

		buf_add(b, text, n);
		buf_putc(b, '\n');
		text += n;
		text += strspn(text, " ");
		if (*text == '\0')
			return;
		for (int i = 0; i < indent; i++)
			buf_putc(b, ' ');
	}
}

void remarks_title(struct buf *b, const struct view *v, const struct summary *s, int width)
{
	char line[512], clean[1024];
	const char *host = v->host, *when = v->when;

	snprintf(line, sizeof(line), "%s%s%s%s%s%s",
		 v->machine[0] != '\0' ? v->machine : "unknown machine",
		 host[0] != '\0' || when[0] != '\0' ? " (" : "", host,
		 host[0] != '\0' && when[0] != '\0' ? ", " : "", when,
		 host[0] != '\0' || when[0] != '\0' ? ")" : "");
	text_clean(line, clean, sizeof(clean));
	remarks_wrap(b, clean, 2, width);
	snprintf(line, sizeof(line), "%s%sbackend %s, %d rank%s", v->versions,
		 v->versions[0] != '\0' ? "; " : "", s->backend[0] != '\0' ? s->backend : "none",
		 s->ranks, s->ranks == 1 ? "" : "s");
	text_clean(line, clean, sizeof(clean));
	remarks_wrap(b, clean, 2, width);
}

void remarks_peaks(struct buf *b, const struct view *v)
{
	char name[64], number[32];
	int widest = 0;

	for (size_t i = 0; i < v->n_peaks; i++) {
		text_clean(v->peaks[i].name, name, sizeof(name));
		widest = text_width(name) > widest ? text_width(name) : widest;
	}
	if (v->n_peaks > 0)
		buf_puts(b, "peak per direction\n");
	for (size_t i = 0; i < v->n_peaks; i++) {
		text_clean(v->peaks[i].name, name, sizeof(name));
		text_number(v->peaks[i].gbps, number, sizeof(number));
		buf_printf(b, "  %s%*s  ", name, widest - text_width(name), "");
		if (isnan(v->peaks[i].gbps))
			buf_puts(b, "unknown\n");
		else
			buf_printf(b, "%7s GB/s\n", number);
	}
}

/* The words before the first ':' '(' or ';' when all rows of the outcome share them, else "". */
static void common_reason(const struct view *v, const char *outcome, char *out, size_t max)
{
	const char *first = NULL;
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];
		size_t n = strcspn(r->detail, ":(;");

		if (strcmp(r->outcome, outcome) != 0)
			continue;
		while (n > 0 && r->detail[n - 1] == ' ')
			n--;
		if (first != NULL && (n != len || memcmp(first, r->detail, n) != 0))
			return;
		first = r->detail;
		len = n;
	}
	if (first != NULL && len > 0 && len < 48) {
		char cut[48];

		memcpy(cut, first, len);
		cut[len] = '\0';
		text_clean(cut, out, max);
	}
}

static size_t count_of(const struct view *v, const char *outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_rows; i++)
		n += strcmp(v->rows[i].outcome, outcome) == 0;
	return n;
}

void remarks_counts(struct buf *b, const struct view *v)
{
	const char *comma = "";

	buf_printf(b, "%zu point%s", v->n_rows, v->n_rows == 1 ? "" : "s");
	for (int id = 0; id < OUTCOME_COUNT; id++) {
		const char *name = outcome_table[id].name;
		size_t n = count_of(v, name);
		char reason[48] = "";

		if (n == 0)
			continue;
		if (id == OUTCOME_SKIPPED)
			common_reason(v, name, reason, sizeof(reason));
		buf_printf(b, "%s%zu %s", comma[0] == '\0' ? ": " : comma, n, name);
		if (reason[0] != '\0')
			buf_printf(b, " (%s)", reason);
		comma = ", ";
	}
	buf_putc(b, '\n');
}

static bool is_bad(const struct record *r)
{
	int id = outcome_find(r->outcome);

	return id == OUTCOME_UNPROVEN || id == OUTCOME_OOM ||
	       (id >= 0 && outcome_table[id].exit_code != 0 && id != OUTCOME_ABORTED);
}

static bool same_failure(const struct record *a, const struct record *b)
{
	return is_bad(a) && is_bad(b) && a->ranks == b->ranks &&
	       strcmp(a->transport, b->transport) == 0 && strcmp(a->outcome, b->outcome) == 0 &&
	       strcmp(a->phase, b->phase) == 0 && strcmp(a->detail, b->detail) == 0;
}

/* How many rows fail like row i; 0 when an earlier one already spoke for it. */
static size_t failures_like(const struct view *v, size_t i)
{
	size_t n = 1;

	for (size_t k = 0; k < i; k++)
		if (same_failure(&v->rows[k], &v->rows[i]))
			return 0;
	for (size_t k = i + 1; k < v->n_rows; k++)
		n += same_failure(&v->rows[k], &v->rows[i]);
	return n;
}

static void bad_line(struct buf *b, const struct view *v, const struct record *r, size_t alike,
		     int width)
{
	char size[32], line[1024], clean[1024], more[48] = "", of[32] = "";
	bool phase = r->phase[0] != '\0' && strcmp(r->phase, phase_names[PHASE_NONE]) != 0;

	num_format_size(r->bytes, size, sizeof(size));
	if (alike > 1)
		snprintf(more, sizeof(more), " and %zu more", alike - 1);
	if (r->ranks != view_ranks(v))
		snprintf(of, sizeof(of), " of %d ranks", r->ranks);
	snprintf(line, sizeof(line), "%s%s %s %s %s%s: %s%s%s%s%s",
		 view_transport_label(v, r->backend, r->transport), of, r->op, size, r->timing,
		 more, r->outcome, phase ? " at " : "", phase ? r->phase : "",
		 r->detail[0] != '\0' ? ": " : "", r->detail);
	text_clean(line, clean, sizeof(clean));
	buf_puts(b, "  ");
	remarks_wrap(b, clean, 4, width);
}

void remarks_bad(struct buf *b, const struct view *v, int width)
{
	size_t lines = 0, left = 0;

	for (size_t i = 0; i < v->n_rows; i++) {
		size_t alike;

		if (!is_bad(&v->rows[i]))
			continue;
		alike = failures_like(v, i);
		if (alike > 0 && lines < BAD_LINES) {
			bad_line(b, v, &v->rows[i], alike, width);
			lines++;
		} else {
			left += alike;
		}
	}
	if (left > 0)
		buf_printf(b, "  +%zu more in points.csv\n", left);
}

void remarks_notes(struct buf *b, const struct view *v, int width)
{
	char clean[1024];

	for (size_t i = 0; i < v->n_notes; i++) {
		text_clean(v->notes[i], clean, sizeof(clean));
		remarks_wrap(b, clean, 2, width);
	}
}
