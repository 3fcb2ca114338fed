/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a points.csv, which may be anybody's: the first thing that is wrong ends it, with line and
 * column. It does not judge values that are well formed; unknown names and impossible figures are
 * the reader's matter.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "data/csv.h"
#include "data/record.h"

/* A reader must not turn a small file into any amount of memory: 2 bytes could make a record. */
#define MAX_ROWS (1u << 17)
#define MAX_FIELDS 1024

struct reading {
	struct csv_reader csv;
	const struct column **map; /* column of each field; NULL: one this version does not know */
	size_t n_fields;
	struct record *rows;
	size_t n, cap;
	char *why;
	size_t why_max;
};

static void clean(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

/* "line 3, column 22 (time_us): reason" */
static int refuse(struct reading *rd, size_t line, size_t field, const char *fmt, ...)
    ATTR_PRINTF(4, 5);

static int refuse(struct reading *rd, size_t line, size_t field, const char *fmt, ...)
{
	const struct column *c = rd->map != NULL && field < rd->n_fields ? rd->map[field] : NULL;
	char reason[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	clean(reason);
	snprintf(rd->why, rd->why_max, "line %zu, column %zu%s%s%s: %s", line, field + 1,
		 c ? " (" : "", c ? c->name : "", c ? ")" : "", reason);
	return -EBADMSG;
}

static int refuse_csv(struct reading *rd, int rc)
{
	if (rc != -EBADMSG)
		return rc;
	return refuse(rd, rd->csv.line, rd->csv.why_field, "%s", rd->csv.why);
}

static const struct column *column_find(const char *name)
{
	for (size_t i = 0; i < record_n_columns; i++)
		if (strcmp(record_columns[i].name, name) == 0)
			return &record_columns[i];
	return NULL;
}

static int check_header(struct reading *rd)
{
	const struct csv_row *row = &rd->csv.row;
	size_t known = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct column *c = column_find(row->field[i]);

		if (c == NULL)
			continue;
		for (size_t j = 0; j < i; j++)
			if (rd->map[j] == c)
				return refuse(rd, row->line, i, "the column '%s' is there twice",
					      c->name);
		rd->map[i] = c;
		known++;
	}
	if (known == 0)
		return refuse(rd, row->line, 0, "not a header of points.csv: no known column");
	return 0;
}

static int read_header(struct reading *rd)
{
	int rc = csv_next(&rd->csv);

	if (rc < 0)
		return refuse_csv(rd, rc);
	if (rc == 0)
		return refuse(rd, rd->csv.line, 0, "no header");
	if (rd->csv.row.n > MAX_FIELDS)
		return refuse(rd, rd->csv.row.line, MAX_FIELDS, "more than %d columns", MAX_FIELDS);
	rd->map = calloc(rd->csv.row.n, sizeof(*rd->map));
	if (rd->map == NULL)
		return -ENOMEM;
	rd->n_fields = rd->csv.row.n;
	return check_header(rd);
}

/* An empty field is an absent value: the member keeps what record_init gave it. */
static const char *parse_member(void *at, const struct column *c, const char *text)
{
	int64_t whole;

	if (c->type == COLUMN_TEXT) {
		if (strlen(text) >= c->size)
			return "text too long";
		record_set(at, c->size, text);
		return NULL;
	}
	if (text[0] == '\0')
		return NULL;
	if (c->type == COLUMN_DOUBLE)
		return num_parse_double(text, at) ? "not a number" : NULL;
	if (num_parse_i64(text, c->type == COLUMN_INT ? -1 : 0,
			  c->type == COLUMN_INT ? INT_MAX : INT64_MAX, &whole))
		return "not a whole number in range";
	if (c->type == COLUMN_INT)
		*(int *)at = (int)whole;
	else
		*(uint64_t *)at = (uint64_t)whole;
	return NULL;
}

static int read_row(struct reading *rd, struct record *r)
{
	const struct csv_row *row = &rd->csv.row;

	if (row->n < rd->n_fields)
		return refuse(rd, row->line, row->n,
			      "missing: %zu fields where the header has %zu (cut short?)", row->n,
			      rd->n_fields);
	if (row->n > rd->n_fields)
		return refuse(rd, row->line, rd->n_fields, "%zu fields where the header has %zu",
			      row->n, rd->n_fields);
	record_init(r);
	for (size_t i = 0; i < row->n; i++) {
		const struct column *c = rd->map[i];
		const char *fault =
		    c ? parse_member((char *)r + c->offset, c, row->field[i]) : NULL;

		if (fault != NULL)
			return refuse(rd, row->line, i, "%s: '%.40s'", fault, row->field[i]);
	}
	return 0;
}

static int make_room(struct reading *rd)
{
	size_t cap = rd->cap ? rd->cap * 2 : 64;
	struct record *grown;

	if (rd->n < rd->cap)
		return 0;
	if (rd->n >= MAX_ROWS)
		return refuse(rd, rd->csv.row.line, 0, "more than %u rows", MAX_ROWS);
	grown = reallocarray(rd->rows, cap, sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	rd->rows = grown;
	rd->cap = cap;
	return 0;
}

static int read_rows(struct reading *rd)
{
	int rc;

	while ((rc = csv_next(&rd->csv)) > 0) {
		rc = make_room(rd);
		if (rc == 0)
			rc = read_row(rd, &rd->rows[rd->n]);
		if (rc)
			return rc;
		rd->n++;
	}
	if (rc < 0)
		return refuse_csv(rd, rc);
	return rd->n ? 0 : refuse(rd, rd->csv.line, 0, "no row after the header");
}

int record_read_all(const char *data, size_t len, struct record **rows, size_t *n, char *why,
		    size_t why_max)
{
	static const char samples[] = "# ncclbench samples";
	struct reading rd = { .why = why, .why_max = why_max };
	int rc;

	if (why_max > 0)
		why[0] = '\0';
	csv_open(&rd.csv, data, len);
	if (len >= sizeof(samples) && memcmp(data, samples, sizeof(samples) - 1) == 0)
		rc = refuse(&rd, 1, 0, "this is samples.csv, not points.csv");
	else
		rc = read_header(&rd);
	if (rc == 0)
		rc = read_rows(&rd);
	if (rc == 0) {
		*rows = rd.rows;
		*n = rd.n;
		rd.rows = NULL;
	}
	free(rd.rows);
	free(rd.map);
	csv_close(&rd.csv);
	return rc;
}
