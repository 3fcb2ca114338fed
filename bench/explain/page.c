/* SPDX-License-Identifier: Apache-2.0 */
/* What text and JSON share: rows of pairs, clean text, the table of causes. */
#include "explain/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "ncclog/link.h"

void page_clean(struct buf *b, const char *text)
{
	visible_escape(b, text);
}

static int compare_rows(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;
	int c;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	c = strcmp(x->cls, y->cls);
	return c ? c : strcmp(x->variant, y->variant);
}

static void to_row(const struct scan_link *l, struct page_row *r)
{
	int device, kind = l->conn == 1;

	*r = (struct page_row){ .from = l->from, .to = l->to };
	memcpy(r->cls, l->cls, sizeof(r->cls));
	facts_variant(l, r->variant, sizeof(r->variant), &device);
	memcpy(r->send[kind], l->send_mask, sizeof(l->send_mask));
	memcpy(r->recv[kind], l->recv_mask, sizeof(l->recv_mask));
	if (device >= 0 && device < 64)
		r->devices = UINT64_C(1) << device;
}

static void add_row(struct page_row *to, const struct page_row *from)
{
	to->devices |= from->devices;
	for (int kind = 0; kind < 2; kind++)
		for (int i = 0; i < 4; i++) {
			to->send[kind][i] |= from->send[kind][i];
			to->recv[kind][i] |= from->recv[kind][i];
		}
}

/* Different channel numbers, of both kinds together. */
static int count_channels(const struct page_row *r)
{
	uint64_t send[4], recv[4];

	for (int i = 0; i < 4; i++) {
		send[i] = r->send[0][i] | r->send[1][i];
		recv[i] = r->recv[0][i] | r->recv[1][i];
	}
	return link_channels(send, recv);
}

static int largest(const struct facts *f)
{
	int n = -2;

	for (size_t i = 0; i < f->n_comms; i++)
		if (f->comms[i].n_links && f->comms[i].nranks > n)
			n = f->comms[i].nranks;
	return n;
}

int page_rows(const struct facts *f, int comm, struct page_row **rows, size_t *n)
{
	int size = largest(f);
	size_t total = 0, kept = 0;
	struct page_row *all;

	*rows = NULL;
	*n = 0;
	for (size_t i = 0; i < f->n_comms; i++)
		total += f->comms[i].n_links;
	all = calloc(total + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	total = 0;
	for (size_t i = 0; i < f->n_comms; i++)
		if (comm < 0 ? f->comms[i].nranks == size : (int)i == comm)
			for (size_t k = 0; k < f->comms[i].n_links; k++)
				to_row(&f->comms[i].links[k], &all[total++]);
	qsort(all, total, sizeof(*all), compare_rows);
	for (size_t i = 0; i < total; i++) {
		if (kept && compare_rows(&all[kept - 1], &all[i]) == 0)
			add_row(&all[kept - 1], &all[i]);
		else
			all[kept++] = all[i];
	}
	for (size_t i = 0; i < kept; i++)
		all[i].channels = count_channels(&all[i]);
	*rows = all;
	*n = kept;
	return 0;
}

static void cell(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			buf_putc(out, '\\');
		buf_putc(out, *text);
	}
	buf_puts(out, " | ");
}

void page_rules_markdown(struct buf *out)
{
	buf_puts(out, "| cause | severity | what it is | why it matters |\n|---|---|---|---|\n");
	for (int i = 0; i < RULE_COUNT; i++) {
		const struct rule *r = &rule_table[i];

		buf_printf(out, "| `%s` | %s | ", r->id, severity_names[r->severity]);
		cell(out, r->cause);
		cell(out, r->why);
		out->data[out->len - 1] = '\n'; /* the last cell's blank */
	}
}
