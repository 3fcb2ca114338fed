/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV as RFC 4180 has it, strict: what it does not allow is an error, never a guess. Knows no
 * columns.
 */
#include "data/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static char visible(char c)
{
	unsigned char u = (unsigned char)c;

	if (c == '\t' || c == '\n')
		return c;
	return u < 0x20 || u == 0x7f ? '?' : c;
}

void csv_field(struct buf *b, const char *text, int first)
{
	bool quote;

	if (!first)
		buf_putc(b, ',');
	if (text == NULL)
		return;
	quote = strpbrk(text, ",\"\n") != NULL || text[0] == '#';
	if (quote)
		buf_putc(b, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			buf_putc(b, '"');
		buf_putc(b, visible(*text));
	}
	if (quote)
		buf_putc(b, '"');
}

void csv_open(struct csv_reader *r, const char *data, size_t len)
{
	memset(r, 0, sizeof(*r));
	if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
		data += 3;
		len -= 3;
	}
	r->p = data;
	r->end = data + len;
	r->line = 1;
}

void csv_close(struct csv_reader *r)
{
	free(r->storage);
	memset(r, 0, sizeof(*r));
}

/* Where a pass over one row stands. The first pass has no `out` and only counts. */
struct cursor {
	const char *p;
	size_t line;
	size_t fields; /* begun so far */
	size_t bytes;  /* decoded so far, with one NUL per field */
	char *out;
};

static void cursor_put(struct cursor *c, char byte)
{
	if (c->out != NULL)
		c->out[c->bytes] = byte;
	c->bytes++;
}

static bool at_line_end(const struct csv_reader *r, const char *p)
{
	if (p == r->end || *p == '\n')
		return true;
	return *p == '\r' && (p + 1 == r->end || p[1] == '\n');
}

static int bad(struct csv_reader *r, const struct cursor *c, const char *why)
{
	r->why = why;
	r->why_field = c->fields - 1;
	r->line = c->line;
	return -EBADMSG;
}

static int quoted_field(struct csv_reader *r, struct cursor *c)
{
	size_t opened = c->line;

	for (c->p++; c->p < r->end; c->p++) {
		if (*c->p == '\0')
			return bad(r, c, "NUL byte");
		if (*c->p == '"') {
			c->p++;
			if (c->p == r->end || *c->p != '"')
				goto closed;
		}
		if (*c->p == '\n')
			c->line++;
		cursor_put(c, *c->p);
	}
	c->line = opened; /* the end of the file tells nobody which quote it was */
	return bad(r, c, "the quote is never closed");
closed:
	if (!at_line_end(r, c->p) && *c->p != ',')
		return bad(r, c, "text after the closing quote");
	return 0;
}

static int plain_field(struct csv_reader *r, struct cursor *c)
{
	for (; !at_line_end(r, c->p) && *c->p != ','; c->p++) {
		if (*c->p == '\0')
			return bad(r, c, "NUL byte");
		if (*c->p == '"')
			return bad(r, c, "a quote inside an unquoted field");
		cursor_put(c, *c->p);
	}
	return 0;
}

/* One row; `field` is NULL in the counting pass. Leaves the cursor at the line's end. */
static int row_pass(struct csv_reader *r, struct cursor *c, char **field)
{
	for (;;) {
		int rc;

		if (field != NULL)
			field[c->fields] = c->out + c->bytes;
		c->fields++;
		rc = c->p < r->end && *c->p == '"' ? quoted_field(r, c) : plain_field(r, c);
		if (rc)
			return rc;
		cursor_put(c, '\0');
		if (at_line_end(r, c->p))
			return 0;
		c->p++; /* the comma */
	}
}

/* Pointers and texts of a row share one block: pointers first, they need the alignment. */
static int reserve(struct csv_reader *r, const struct cursor *counted)
{
	size_t need = counted->fields * sizeof(char *) + counted->bytes;
	char *grown;

	if (need <= r->storage_cap)
		return 0;
	grown = realloc(r->storage, need);
	if (grown == NULL)
		return -ENOMEM;
	r->storage = grown;
	r->storage_cap = need;
	return 0;
}

static const char *next_line(const struct csv_reader *r, const char *p)
{
	const char *newline = memchr(p, '\n', (size_t)(r->end - p));

	return newline ? newline + 1 : r->end;
}

static void skip_ignored(struct csv_reader *r)
{
	bool before_header = r->row.n == 0;

	while (r->p < r->end && (at_line_end(r, r->p) || (before_header && *r->p == '#'))) {
		r->p = next_line(r, r->p);
		r->line++;
	}
}

int csv_next(struct csv_reader *r)
{
	struct cursor count, fill;
	int rc;

	skip_ignored(r);
	if (r->p == r->end)
		return 0;
	count = (struct cursor){ .p = r->p, .line = r->line };
	rc = row_pass(r, &count, NULL);
	if (rc)
		return rc;
	rc = reserve(r, &count);
	if (rc)
		return rc;
	r->row.field = (char **)(void *)r->storage;
	fill = (struct cursor){ .p = r->p, .line = r->line };
	fill.out = r->storage + count.fields * sizeof(char *);
	rc = row_pass(r, &fill, r->row.field);
	if (rc)
		return rc;
	r->row.n = fill.fields;
	r->row.line = r->line;
	r->line = fill.line + 1;
	r->p = next_line(r, fill.p);
	return 1;
}
