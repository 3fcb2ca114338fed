/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One result as a value and as a line of CSV; what the columns are is columns.c, reading is
 * record_read.c.
 */
#include "data/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "data/csv.h"
#include "spec/op.h"

static const void *member(const void *base, const struct column *c)
{
	return (const char *)base + c->offset;
}

void record_init(struct record *r)
{
	memset(r, 0, sizeof(*r));
	r->root = -1;
	for (size_t i = 0; i < record_n_columns; i++)
		if (record_columns[i].type == COLUMN_DOUBLE)
			*(double *)(void *)((char *)r + record_columns[i].offset) = NAN;
}

void record_set(char *out, size_t size, const char *text)
{
	size_t n = 0;

	if (size == 0)
		return;
	for (; text != NULL && text[n] != '\0' && n + 1 < size; n++) {
		unsigned char u = (unsigned char)text[n];

		out[n] = u < 0x20 || u == 0x7f ? ' ' : text[n];
	}
	out[n] = '\0';
}

/*
 * Computes what can be computed and leaves the rest: an imported busbw of a foreign operation
 * stays.
 */
void record_derive(struct record *r)
{
	int op = op_find(r->op);

	if (!(r->time_us > 0))
		return;
	r->algbw_gbps = op_algbw_gbps(r->bytes, r->time_us);
	if (op >= 0 && r->ranks > 0)
		r->busbw_gbps = op_busbw_gbps(op, r->ranks, r->bytes, r->time_us);
}

static void write_member(struct buf *b, const void *base, const struct column *c, int first)
{
	char number[48] = "";

	if (c->type == COLUMN_TEXT) {
		csv_field(b, member(base, c), first);
		return;
	}
	if (c->type == COLUMN_INT) {
		snprintf(number, sizeof(number), "%d", *(const int *)member(base, c));
	} else if (c->type == COLUMN_U64) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)*(const uint64_t *)member(base, c));
	} else if (isfinite(*(const double *)member(base, c))) {
		num_format_double(*(const double *)member(base, c), number, sizeof(number));
	}
	csv_field(b, number, first);
}

/* Keys that came later follow the columns of the first schema: positions stay what they were. */
static bool key_of(const struct column *c, bool later)
{
	return c->role == COLUMN_KEY && (c->since > 1) == later;
}

static void sample_names(struct buf *b)
{
	for (size_t i = 0; i < record_n_columns; i++)
		if (key_of(&record_columns[i], false))
			csv_field(b, record_columns[i].name, i == 0);
	for (size_t i = 0; i < sample_n_columns; i++)
		csv_field(b, sample_columns[i].name, 0);
	for (size_t i = 0; i < record_n_columns; i++)
		if (key_of(&record_columns[i], true))
			csv_field(b, record_columns[i].name, 0);
}

void record_header(struct buf *b, int samples)
{
	buf_printf(b, "# ncclbench %s schema %d\n", samples ? "samples" : "points", RECORD_SCHEMA);
	for (size_t i = 0; !samples && i < record_n_columns; i++)
		csv_field(b, record_columns[i].name, i == 0);
	if (samples)
		sample_names(b);
	buf_putc(b, '\n');
}

void record_write(struct buf *b, const struct record *r)
{
	struct record derived = *r;

	record_derive(&derived);
	for (size_t i = 0; i < record_n_columns; i++)
		write_member(b, &derived, &record_columns[i], i == 0);
	buf_putc(b, '\n');
}

void sample_write(struct buf *b, const struct record *key, const struct sample *s)
{
	for (size_t i = 0; i < record_n_columns; i++)
		if (key_of(&record_columns[i], false))
			write_member(b, key, &record_columns[i], i == 0);
	for (size_t i = 0; i < sample_n_columns; i++)
		write_member(b, s, &sample_columns[i], 0);
	for (size_t i = 0; i < record_n_columns; i++)
		if (key_of(&record_columns[i], true))
			write_member(b, key, &record_columns[i], 0);
	buf_putc(b, '\n');
}

static int compare_members(const struct record *a, const struct record *b, const struct column *c)
{
	const void *x = member(a, c), *y = member(b, c);

	if (c->type == COLUMN_TEXT)
		return strcmp(x, y);
	if (c->type == COLUMN_INT)
		return (*(const int *)x > *(const int *)y) - (*(const int *)x < *(const int *)y);
	return (*(const uint64_t *)x > *(const uint64_t *)y) -
	       (*(const uint64_t *)x < *(const uint64_t *)y);
}

int record_compare(const struct record *a, const struct record *b, unsigned ignored)
{
	int key = 0, order = 0;

	for (size_t i = 0; i < record_n_columns && order == 0; i++)
		if (record_columns[i].role == COLUMN_KEY && !(ignored & RECORD_BIT(key++)))
			order = compare_members(a, b, &record_columns[i]);
	return order;
}

int record_same_key(const struct record *a, const struct record *b)
{
	return record_compare(a, b, 0) == 0;
}

const struct column *record_key_column(enum record_key key)
{
	int left = key;

	for (size_t i = 0; i < record_n_columns; i++)
		if (record_columns[i].role == COLUMN_KEY && left-- == 0)
			return &record_columns[i];
	return NULL;
}

void record_key_text(const struct record *r, enum record_key key, char *out, size_t max)
{
	const struct column *c = record_key_column(key);

	if (c->type == COLUMN_TEXT)
		snprintf(out, max, "%s", (const char *)member(r, c));
	else if (c->type == COLUMN_INT)
		snprintf(out, max, "%d", *(const int *)member(r, c));
	else
		snprintf(out, max, "%" PRIu64, *(const uint64_t *)member(r, c));
}
