/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a points.csv or samples.csv, which may be anybody's: the first thing that is wrong ends it,
 * with line and column. It does not judge values that are well formed; unknown names and impossible
 * figures are the reader's matter.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/visible.h"
#include "data/csv.h"
#include "data/record.h"
#include "spec/outcome.h"

/* A reader must not turn a small file into any amount of memory: 2 bytes could make a record. */
#define MAX_ROWS (1u << 17)
#define MAX_FIELDS 1024

/* The kinds of file, told apart by their first comment. Index: record_stream.samples. */
static const char *const kinds[] = { "points", "samples" };
static const char mark[] = "# ncclbench ";

struct reading {
	struct csv_reader csv;
	const struct column **map; /* column of each field; NULL: one this version does not know */
	size_t n_fields;
	struct record record;
	struct sample sample;
	const struct record_stream *to;
	char *why;
	size_t why_max;
};

static void clean(char *text)
{
	visible_copy(text, text, strlen(text) + 1);
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

static const struct column *find_in(const struct column *c, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(c[i].name, name) == 0)
			return &c[i];
	return NULL;
}

/* samples.csv has the key of points.csv and its own columns: names are unique over both. */
static const struct column *column_find(const struct reading *rd, const char *name)
{
	const struct column *c = find_in(record_columns, record_n_columns, name);

	if (!rd->to->samples)
		return c;
	return c != NULL && c->role == COLUMN_KEY ? c
						  : find_in(sample_columns, sample_n_columns, name);
}

static bool of_sample(const struct column *c)
{
	return c >= sample_columns && c < sample_columns + sample_n_columns;
}

static int check_required(struct reading *rd)
{
	const char *const *name = rd->to->required;

	for (; name != NULL && *name != NULL; name++) {
		size_t i = 0;

		while (i < rd->n_fields &&
		       (rd->map[i] == NULL || strcmp(rd->map[i]->name, *name) != 0))
			i++;
		if (i == rd->n_fields)
			return refuse(rd, rd->csv.row.line, i, "the column '%s' is missing", *name);
	}
	return 0;
}

static int check_header(struct reading *rd)
{
	const struct csv_row *row = &rd->csv.row;
	size_t known = 0;

	for (size_t i = 0; i < row->n; i++) {
		const struct column *c = column_find(rd, row->field[i]);

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
		return refuse(rd, row->line, 0, "not a header of %s.csv: no known column",
			      kinds[rd->to->samples]);
	return check_required(rd);
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

static int read_row(struct reading *rd)
{
	const struct csv_row *row = &rd->csv.row;

	if (row->n < rd->n_fields)
		return refuse(rd, row->line, row->n,
			      "missing: %zu fields where the header has %zu (cut short?)", row->n,
			      rd->n_fields);
	if (row->n > rd->n_fields)
		return refuse(rd, row->line, rd->n_fields, "%zu fields where the header has %zu",
			      row->n, rd->n_fields);
	record_init(&rd->record);
	memset(&rd->sample, 0, sizeof(rd->sample));
	for (size_t i = 0; i < row->n; i++) {
		const struct column *c = rd->map[i];
		char *base = of_sample(c) ? (char *)&rd->sample : (char *)&rd->record;
		const char *fault = c ? parse_member(base + c->offset, c, row->field[i]) : NULL;

		if (fault != NULL)
			return refuse(rd, row->line, i, "%s: '%.40s'", fault, row->field[i]);
	}
	return 0;
}

static int read_rows(struct reading *rd)
{
	size_t n = 0;
	int rc;

	while ((rc = csv_next(&rd->csv)) > 0) {
		if (rd->to->max_rows && n == rd->to->max_rows)
			return refuse(rd, rd->csv.row.line, 0, "more than %zu rows", n);
		rc = read_row(rd);
		if (rc == 0)
			rc = rd->to->row(rd->to->arg, &rd->record,
					 rd->to->samples ? &rd->sample : NULL, rd->csv.row.line);
		if (rc)
			return rc;
		n++;
	}
	if (rc < 0)
		return refuse_csv(rd, rc);
	return n || rd->to->may_be_empty ? 0
					 : refuse(rd, rd->csv.line, 0, "no row after the header");
}

/* "# ncclbench points schema 1"; a file without it may be anybody's and is judged by its header. */
static int check_mark(struct reading *rd, const char *data, size_t len)
{
	const char *kind = kinds[rd->to->samples], *other = kinds[!rd->to->samples];
	char line[80], name[16];
	int schema = 0;
	size_t n = len < sizeof(line) - 1 ? len : sizeof(line) - 1;

	if (len < sizeof(mark) || memcmp(data, mark, sizeof(mark) - 1) != 0)
		return 0;
	memcpy(line, data, n);
	line[n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	if (sscanf(line + sizeof(mark) - 1, "%15s schema %9d", name, &schema) < 1)
		return 0;
	if (strcmp(name, other) == 0)
		return refuse(rd, 1, 0, "this is %s.csv, not %s.csv", other, kind);
	if (schema > RECORD_SCHEMA && (rd->to->required != NULL || rd->to->known_only))
		return refuse(rd, 1, 0,
			      "schema %d; this version knows up to %d: a newer ncclbench "
			      "wrote it",
			      schema, RECORD_SCHEMA);
	return 0;
}

int record_read_stream(const char *data, size_t len, const struct record_stream *to, char *why,
		       size_t why_max)
{
	struct reading rd = { .why = why, .why_max = why_max, .to = to };
	int rc;

	if (why_max > 0)
		why[0] = '\0';
	csv_open(&rd.csv, data, len);
	rc = check_mark(&rd, data, len);
	if (rc == 0)
		rc = read_header(&rd);
	if (rc == 0)
		rc = read_rows(&rd);
	free(rd.map);
	csv_close(&rd.csv);
	return rc;
}

struct keeping {
	struct record *rows;
	size_t *lines; /* of each row, where they are wanted */
	size_t n, cap;
	char *why; /* not NULL: outcomes are checked */
	size_t why_max;
};

static int check_outcome(const struct keeping *k, const struct record *r, size_t line)
{
	char word[sizeof(r->outcome)];

	if (outcome_find(r->outcome) >= 0)
		return 0;
	snprintf(word, sizeof(word), "%s", r->outcome);
	clean(word);
	snprintf(k->why, k->why_max,
		 "line %zu: unknown outcome '%s'; ncclbench list outcomes names them", line, word);
	return -EBADMSG;
}

static int grow(struct keeping *k)
{
	size_t cap = k->cap ? k->cap * 2 : 64;
	struct record *rows = reallocarray(k->rows, cap, sizeof(*rows));
	size_t *lines = rows ? reallocarray(k->lines, cap, sizeof(*lines)) : NULL;

	k->rows = rows ? rows : k->rows;
	k->lines = lines ? lines : k->lines;
	k->cap = lines ? cap : k->cap;
	return lines ? 0 : -ENOMEM;
}

static int keep(void *arg, const struct record *r, const struct sample *s, size_t line)
{
	struct keeping *k = arg;

	(void)s;
	if (k->why != NULL && check_outcome(k, r, line) != 0)
		return -EBADMSG;
	if (k->n == k->cap && grow(k) != 0)
		return -ENOMEM;
	k->lines[k->n] = line;
	k->rows[k->n++] = *r;
	return 0;
}

static void forget(struct keeping *k)
{
	free(k->rows);
	free(k->lines);
	*k = (struct keeping){ 0 };
}

int record_read_all(const char *data, size_t len, struct record **rows, size_t *n, char *why,
		    size_t why_max)
{
	struct keeping k = { 0 };
	struct record_stream to = { .row = keep, .arg = &k, .max_rows = MAX_ROWS };
	int rc = record_read_stream(data, len, &to, why, why_max);

	if (rc) {
		forget(&k);
		return rc;
	}
	*rows = k.rows;
	*n = k.n;
	free(k.lines);
	return 0;
}

/* ---- one row of each key ---- */

static int by_key_then_place(const void *a, const void *b)
{
	const struct record *x = *(const struct record *const *)a,
			    *y = *(const struct record *const *)b;
	int order = record_compare(x, y, 0);

	return order ? order : x < y ? -1 : x > y;
}

/* Marks rows whose key an earlier one has; `same` is the first of them, `as` the row it repeats. */
static size_t mark_twice(const struct keeping *k, const struct record **order, bool *twice,
			 size_t *same, size_t *as)
{
	size_t n = 0, first = 0;

	for (size_t i = 0; i < k->n; i++)
		order[i] = &k->rows[i];
	qsort(order, k->n, sizeof(*order), by_key_then_place);
	for (size_t i = 1; i < k->n; i++) {
		size_t at = (size_t)(order[i] - k->rows);

		if (!record_same_key(order[first], order[i])) {
			first = i;
			continue;
		}
		twice[at] = true;
		if (n++ == 0 || at < *same) {
			*same = at;
			*as = (size_t)(order[first] - k->rows);
		}
	}
	return n;
}

static int drop_twice(struct keeping *k, char *note, size_t note_max)
{
	const struct record **order = calloc(k->n + 1, sizeof(*order));
	bool *twice = calloc(k->n + 1, sizeof(*twice));
	size_t same = 0, as = 0, n = 0, kept = 0;

	if (order && twice)
		n = mark_twice(k, order, twice, &same, &as);
	if (n > 0) {
		size_t at = strlen(note);

		snprintf(
		    note + at, note_max - at,
		    "%sline %zu is the same point as line %zu and was left out (%zu such row%s)",
		    at ? "; " : "", k->lines[same], k->lines[as], n, n == 1 ? "" : "s");
		for (size_t i = 0; i < k->n; i++)
			if (!twice[i])
				k->rows[kept++] = k->rows[i];
		k->n = kept;
	}
	free(order);
	free(twice);
	return order && twice ? 0 : -ENOMEM;
}

static int read_kept(const char *data, size_t len, struct keeping *k, char *why, size_t why_max)
{
	struct record_stream to = {
		.row = keep, .arg = k, .max_rows = MAX_ROWS, .may_be_empty = 1, .known_only = 1
	};
	int rc;

	*k = (struct keeping){ .why = why, .why_max = why_max };
	rc = record_read_stream(data, len, &to, why, why_max);
	if (rc)
		forget(k);
	return rc;
}

/* Bytes up to and with the last newline. */
static size_t whole_lines(const char *data, size_t len)
{
	const char *last = len ? memrchr(data, '\n', len) : NULL;

	return last ? (size_t)(last - data) + 1 : 0;
}

static size_t count_lines(const char *data, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] == '\n';
	return n;
}

int record_read_run(const char *data, size_t len, struct record **rows, size_t *n, char *note,
		    size_t note_max, char *why, size_t why_max)
{
	struct keeping k;
	size_t whole = whole_lines(data, len);
	int rc = read_kept(data, len, &k, why, why_max);

	snprintf(note, note_max, "%s", "");
	if (rc == -EBADMSG && whole > 0 && whole < len) {
		rc = read_kept(data, whole, &k, why, why_max);
		if (rc == 0)
			snprintf(note, note_max,
				 "line %zu, the last one, is cut short and was left out (power "
				 "lost while it "
				 "was written?)",
				 count_lines(data, whole) + 1);
	}
	if (rc)
		return rc;
	rc = drop_twice(&k, note, note_max);
	if (rc) {
		forget(&k);
		return rc;
	}
	*rows = k.rows;
	*n = k.n;
	free(k.lines);
	return 0;
}
