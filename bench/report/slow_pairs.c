/* SPDX-License-Identifier: Apache-2.0 */
/* See slow_pairs.h. */
#include "report/slow_pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "judge/slow.h"
#include "report/pair_form.h"
#include "report/view.h"
#include "spec/op.h"

#define LINES_MAX 5
#define CLASSES_MAX 64

struct entry {
	const struct record *row;
	const char *class;
	int class_id;
};

/* ---- classes ---- */

static const char *class_of(const struct view *v, const struct record *r)
{
	int a, b;

	if (sscanf(r->pair, "%d-%d", &a, &b) != 2)
		return NULL;
	for (size_t i = 0; i < v->n_pairs; i++) {
		const struct view_pair *p = &v->pairs[i];

		if ((p->a == a && p->b == b) || (p->a == b && p->b == a))
			return p->class[0] ? p->class : NULL;
	}
	return NULL;
}

static int class_id(const char *class, const char **known, int *n)
{
	for (int i = 0; class && i < *n; i++)
		if (strcmp(known[i], class) == 0)
			return i;
	if (!class || *n == CLASSES_MAX)
		return -1;
	known[*n] = class;
	return (*n)++;
}

/* ---- rows of one figure ---- */

static int compare_figures(const struct record *x, const struct record *y)
{
	return record_compare(x, y, RECORD_BIT(RECORD_PAIR));
}

/* Within a figure by time, so that the median can be pointed at. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int d = compare_figures(x->row, y->row);

	if (d == 0)
		d = (x->row->time_us > y->row->time_us) - (x->row->time_us < y->row->time_us);
	return d ? d : strcmp(x->row->pair, y->row->pair);
}

static size_t collect(const struct view *v, struct entry *e)
{
	const char *known[CLASSES_MAX];
	int n_known = 0;
	size_t n = 0;

	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (!r->pair[0] || strcmp(r->outcome, "ok") != 0 || !(r->time_us > 0))
			continue;
		e[n] = (struct entry){ .row = r, .class = class_of(v, r) };
		e[n].class_id = class_id(e[n].class, known, &n_known);
		n++;
	}
	qsort(e, n, sizeof(*e), compare_entries);
	return n;
}

static struct slow_pair describe(const struct entry *e, size_t n, const struct entry *slow)
{
	struct slow_pair s = { .row = slow->row, .class = slow->class };
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		s.of += e[i].class_id == slow->class_id;
	for (size_t i = 0; i < n; i++)
		if (e[i].class_id == slow->class_id && at++ == (s.of - 1) / 2)
			s.median = e[i].row;
	return s;
}

static int judge_figure(const struct entry *e, size_t n, struct slow_item *items,
			struct slow_pair *out, size_t *n_out)
{
	int r;

	for (size_t i = 0; i < n; i++)
		items[i] =
		    (struct slow_item){ .speed = 1 / e[i].row->time_us, .class = e[i].class_id };
	r = slow_find(items, n);
	for (size_t i = 0; i < n && r == 0; i++)
		if (items[i].slow)
			out[(*n_out)++] = describe(e, n, &e[i]);
	return r;
}

int slow_pairs_find(const struct view *v, struct slow_pair **out, size_t *n)
{
	struct entry *e = calloc(v->n_rows + 1, sizeof(*e));
	struct slow_item *items = calloc(v->n_rows + 1, sizeof(*items));
	struct slow_pair *found = calloc(v->n_rows + 1, sizeof(*found));
	int r = e && items && found ? 0 : -ENOMEM;
	size_t have = r == 0 && v->n_pairs ? collect(v, e) : 0, n_found = 0;

	for (size_t from = 0, to; from < have && r == 0; from = to) {
		for (to = from + 1; to < have && compare_figures(e[from].row, e[to].row) == 0;)
			to++;
		r = judge_figure(e + from, to - from, items, found, &n_found);
	}
	free(items);
	free(e);
	if (r < 0) {
		free(found);
		return r;
	}
	*out = found;
	*n = n_found;
	return 0;
}

bool slow_pairs_has(const struct slow_pair *s, size_t n, const struct record *row)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].row == row)
			return true;
	return false;
}

/* ---- words ---- */

static void figure(const struct record *r, char *out, size_t max)
{
	int op = op_find(r->op);

	if (op >= 0 && op_table[op].flags & OP_LATENCY)
		num_format_time(r->time_us * 1e3, 1, out, max);
	else
		snprintf(out, max, "%.4g GB/s", view_busbw(r));
}

void slow_pairs_say(const struct view *v, const struct slow_pair *s, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n && i < LINES_MAX; i++) {
		const struct record *r = s[i].row;
		char size[32], is[48], must[48], form[200];

		pair_form_words(r, form, sizeof(form));
		num_format_size(r->bytes, size, sizeof(size));
		figure(r, is, sizeof(is));
		figure(s[i].median, must, sizeof(must));
		buf_printf(out,
			   "%s, %s, %s, %s%s: pair %s is slow: %s, the median of the %zu pairs of "
			   "class %s is %s\n",
			   view_transport_label(v, r->backend, r->transport), r->op, size,
			   r->timing, form, r->pair, is, s[i].of, s[i].class, must);
	}
	if (n > LINES_MAX)
		buf_printf(out, "%zu more figures of pairs are slow for their class\n",
			   n - LINES_MAX);
}
