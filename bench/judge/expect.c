/* SPDX-License-Identifier: Apache-2.0 */
/* See expect.h. */
#include "judge/expect.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "data/csv.h"
#include "judge/pool.h"
#include "judge/series.h"
#include "judge/verdict.h"
#include "spec/dtype.h"
#include "spec/op.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define ROWS_MAX 10000

void expect_fini(struct expectations *e)
{
	free(e->v);
	*e = (struct expectations){ 0 };
}

/* Two digits. */
static int number_at(const char *s)
{
	return 10 * (s[0] - '0') + s[1] - '0';
}

/* Days are compared as texts, so 2026-02-30 would hold like any other, and 2026-13-01 for longer
 * than was meant. */
static bool in_calendar(const char *s)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int century = number_at(s), year = number_at(s + 2), month = number_at(s + 5),
	    day = number_at(s + 8);
	bool leap = year ? year % 4 == 0 : century % 4 == 0;

	return month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1] + (month == 2 && leap);
}

static bool is_day(const char *s)
{
	static const char form[] = "dddd-dd-dd";

	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != '-')
			return false;
	return s[sizeof(form) - 1] == '\0' && in_calendar(s);
}

static bool is_column(const char *name, size_t n)
{
	for (size_t i = 0; i < record_n_columns; i++)
		if (record_columns[i].role == COLUMN_KEY && strlen(record_columns[i].name) == n &&
		    memcmp(record_columns[i].name, name, n) == 0)
			return true;
	return false;
}

const char *expect_fault(const struct expectation *e)
{
	const char *p = e->match + strspn(e->match, " ");

	if (*p == '\0')
		return "match is empty; say which rows, as transport=socket op=broadcast";
	for (; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), name = strcspn(p, "= ");

		if (p[name] != '=' || !is_column(p, name))
			return "match must be words as column=value, with key columns of "
			       "points.csv";
		p += n;
	}
	if (e->reason[0] == '\0')
		return "the reason is empty";
	return is_day(e->until) ? NULL : "until must be a day as 2026-12-31";
}

/* ---- rows that can never match ---- */

static bool a_backend(const char *word)
{
	return backend_find(word) >= 0;
}

static bool a_transport(const char *word)
{
	for (int b = 0; b < BACKEND_COUNT; b++)
		if (transport_find(b, word) >= 0)
			return true;
	return false;
}

static bool a_variant(const char *word)
{
	return variant_find(word) >= 0;
}

static bool an_op(const char *word)
{
	return op_find(word) >= 0;
}

/* Rows have the name, never the other one. */
static bool a_dtype(const char *word)
{
	int d = dtype_find(word);

	return d >= 0 && strcmp(dtype_table[d].name, word) == 0;
}

static bool a_redop(const char *word)
{
	return redop_find(word) >= 0 || strcmp(word, "none") == 0;
}

static bool a_timing(const char *word)
{
	char name[64];

	/* stream~2: the second table of that timing in what was imported */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "~"), word);
	return timing_find(name) >= 0;
}

static bool a_size(const char *word)
{
	uint64_t size;

	return num_parse_size(word, &size) == 0;
}

/* As rows write it: 2, not 02. */
static bool a_number(const char *word)
{
	int64_t n;
	char same[24];

	if (num_parse_i64(word, -1, INT32_MAX, &n))
		return false;
	snprintf(same, sizeof(same), "%lld", (long long)n);
	return strcmp(same, word) == 0;
}

/* TABLE: what a value of a column can be; of the others it can be anything. */
static const struct {
	const char *column;
	bool (*can_be)(const char *word);
	const char *fault;
} values[] = {
	{ "backend", a_backend, "no row can match: backend is nccl or ucx" },
	{ "transport", a_transport,
	  "no row can match: the transport is none of `ncclbench list transports`" },
	{ "variant", a_variant,
	  "no row can match: the variant is none of `ncclbench list registrations`" },
	{ "op", an_op, "no row can match: the op is none of `ncclbench list ops`" },
	{ "dtype", a_dtype, "no row can match: the dtype is none of `ncclbench list types`" },
	{ "redop", a_redop, "no row can match: the redop is none of `ncclbench list reductions`" },
	{ "timing", a_timing, "no row can match: the timing is none of `ncclbench list timings`" },
	{ "bytes", a_size, "no row can match: bytes must be a size, as 8, 64K or 1M" },
	{ "ranks", a_number, "no row can match: ranks must be a whole number, as 2" },
	{ "root", a_number, "no row can match: root must be a whole number, as 0" },
	{ "inplace", a_number, "no row can match: inplace must be 0 or 1" },
};

static const char *never_word(const char *word, size_t n)
{
	size_t name = strcspn(word, "=");
	char column[32], value[sizeof(((struct expectation *)0)->match)];

	snprintf(column, sizeof(column), "%.*s", (int)name, word);
	snprintf(value, sizeof(value), "%.*s", (int)(n - name - 1), word + name + 1);
	for (size_t i = 0; i < N_ELEMENTS(values); i++)
		if (strcmp(values[i].column, column) == 0 && !values[i].can_be(value))
			return values[i].fault;
	return NULL;
}

/* Is the column of this word named by one after it? */
static bool named_again(const char *word, size_t n)
{
	size_t name = strcspn(word, "=") + 1;

	for (const char *p = word + n + strspn(word + n, " "); *p; p += strspn(p, " ")) {
		if (strncmp(p, word, name) == 0)
			return true;
		p += strcspn(p, " ");
	}
	return false;
}

const char *expect_never(const struct expectation *e)
{
	const char *fault = NULL;

	for (const char *p = e->match + strspn(e->match, " "); *p && !fault; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		fault = named_again(p, n) ? "no row can match: a column is named twice"
					  : never_word(p, n);
		p += n;
	}
	return fault;
}

/* ---- reading ---- */

static int refuse(char *why, size_t max, size_t line, const char *reason)
{
	snprintf(why, max, "line %zu: %s", line, reason);
	return -EBADMSG;
}

static const char *take(const struct csv_row *row, struct expectation *e)
{
	char *out[] = { e->match, NULL, e->reason, e->until };
	const size_t max[] = { sizeof(e->match), 0, sizeof(e->reason), sizeof(e->until) };

	for (size_t i = 0; i < 4; i++) {
		if (out[i] && strlen(row->field[i]) >= max[i])
			return "text too long";
		if (out[i])
			record_set(out[i], max[i], row->field[i]);
	}
	e->verdict = strcmp(row->field[1], "any") == 0 ? -1 : verdict_find(row->field[1]);
	if (e->verdict < 0 && strcmp(row->field[1], "any") != 0)
		return "the verdict is none of `ncclbench list verdicts`, nor any";
	return expect_fault(e);
}

static int read_rows(struct csv_reader *r, struct expectations *e, char *why, size_t max)
{
	int rc;

	while ((rc = csv_next(r)) > 0) {
		struct expectation *grown;
		const char *fault;

		if (r->row.n != 4 || e->n >= ROWS_MAX)
			return refuse(why, max, r->row.line,
				      r->row.n != 4 ? "not 4 fields" : "too many rows");
		grown = reallocarray(e->v, e->n + 1, sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		e->v = grown;
		fault = take(&r->row, &e->v[e->n]);
		if (fault)
			return refuse(why, max, r->row.line, fault);
		e->n++;
	}
	return rc == -EBADMSG ? refuse(why, max, r->line, r->why) : rc;
}

int expect_parse(const char *data, size_t len, struct expectations *out, char *why, size_t why_max)
{
	static const char *const names[] = { "match", "verdict", "reason", "until" };
	struct expectations e = { 0 };
	struct csv_reader r;
	int rc;

	csv_open(&r, data, len);
	rc = csv_next(&r);
	for (size_t i = 0; rc > 0 && i < 4; i++)
		if (r.row.n != 4 || strcmp(r.row.field[i], names[i]) != 0)
			rc = refuse(why, why_max, r.row.line,
				    "the header must be match,verdict,reason,until");
	if (rc == -EBADMSG && r.why)
		rc = refuse(why, why_max, r.line, r.why);
	if (rc > 0)
		rc = read_rows(&r, &e, why, why_max);
	csv_close(&r);
	if (rc < 0) {
		expect_fini(&e);
		return rc;
	}
	*out = e;
	return 0;
}

static bool word_matches(const char *word, size_t n, const char *group, uint64_t bytes)
{
	size_t name = strcspn(word, "=");
	char column[32], value[64], wanted[64];

	snprintf(column, sizeof(column), "%.*s", (int)name, word);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(n - name - 1), word + name + 1);
	if (strcmp(column, "bytes") == 0) {
		uint64_t size;

		return bytes != UINT64_MAX && num_parse_size(wanted, &size) == 0 && size == bytes;
	}
	series_group_field(group, column, value, sizeof(value));
	return strcmp(value, wanted) == 0;
}

static bool matches(const struct expectation *e, const char *group, uint64_t bytes)
{
	for (const char *p = e->match + strspn(e->match, " "); *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (!word_matches(p, n, group, bytes))
			return false;
		p += n;
	}
	return true;
}

const struct expectation *expect_find(const struct expectations *e, const struct pool *pool,
				      uint32_t group, uint64_t bytes, int verdict)
{
	const char *text = pool_text(pool, group);
	const struct expectation *found = NULL;

	for (size_t i = 0; i < e->n; i++) {
		const struct expectation *x = &e->v[i];

		if ((x->verdict >= 0 && x->verdict != verdict) || !matches(x, text, bytes))
			continue;
		if (!found || strcmp(x->until, found->until) > 0)
			found = x;
	}
	return found;
}
