/* SPDX-License-Identifier: Apache-2.0 */
/* See journal.h. */
#include "search/journal.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "spec/outcome.h"

#define SCHEMA 1
#define RESTARTS_MAX 100000

void journal_fini(struct journal *j)
{
	free(j->identity);
	free(j->rows);
	*j = (struct journal){ 0 };
}

const struct trial *journal_find(const struct journal *j, const char *transport,
				 const struct setting *s, int restart)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->rows[i].restart == restart && strcmp(j->rows[i].transport, transport) == 0 &&
		    setting_equal(&j->rows[i].s, s))
			return &j->rows[i].t;
	return NULL;
}

/* ---- reading ---- */

static int bad(char *why, size_t max, size_t line, const char *what)
{
	snprintf(why, max, "line %zu: %s", line, what);
	return -EBADMSG;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool read_times(const json_t *list, size_t n_classes, struct trial *t)
{
	if (json_array_size(list) != n_classes)
		return false;
	for (size_t k = 0; k < n_classes; k++) {
		t->us[k] = json_number_value(json_array_get(list, k));
		if (!(t->us[k] > 0) || !isfinite(t->us[k]))
			return false;
	}
	return true;
}

static const char *read_row(const json_t *o, size_t n_classes, struct journal_row *row)
{
	json_int_t restart = json_integer_value(json_object_get(o, "restart"));
	double cost = json_number_value(json_object_get(o, "cost_s"));

	*row = (struct journal_row){ .t = { .known = true } };
	snprintf(row->transport, sizeof(row->transport), "%s", text_of(o, "transport"));
	snprintf(row->t.detail, sizeof(row->t.detail), "%s", text_of(o, "detail"));
	row->t.outcome = outcome_find(text_of(o, "outcome"));
	row->t.cost_s = cost;
	row->restart = (int)restart;
	if (row->t.outcome < 0)
		return "unknown outcome";
	if (restart < 0 || restart > RESTARTS_MAX || !(cost >= 0) || !isfinite(cost))
		return "restart or cost is no number that makes sense";
	if (setting_parse(text_of(o, "setting"), &row->s) < 0)
		return "a setting that this version does not know";
	if (row->t.outcome == OUTCOME_OK &&
	    !read_times(json_object_get(o, "us"), n_classes, &row->t))
		return "not one time per class";
	return NULL;
}

static int add_row(struct journal *j, const struct journal_row *row)
{
	struct journal_row *more = reallocarray(j->rows, j->n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	j->rows = more;
	more[j->n++] = *row;
	return 0;
}

static int read_line(const char *text, size_t len, size_t number, size_t n_classes,
		     struct journal *j, char *why, size_t max)
{
	json_t *o = json_loadb(text, len, 0, NULL);
	struct journal_row row;
	const char *wrong;
	int rc = 0;

	if (!json_is_object(o)) {
		rc = bad(why, max, number, "no JSON object");
	} else if (number == 1) {
		if (json_integer_value(json_object_get(o, "schema")) != SCHEMA)
			rc = bad(why, max, number, "another schema than 1");
		free(j->identity);
		j->identity = strdup(text_of(o, "measured"));
		rc = j->identity ? rc : -ENOMEM;
	} else {
		wrong = read_row(o, n_classes, &row);
		rc = wrong ? bad(why, max, number, wrong) : add_row(j, &row);
	}
	json_decref(o);
	return rc;
}

int journal_parse(const char *text, size_t len, size_t n_classes, struct journal *out, char *why,
		  size_t why_max)
{
	struct journal j = { .identity = strdup("") };
	const char *at = text, *end = text + len, *nl;
	size_t line = 1;
	int rc = j.identity ? 0 : -ENOMEM;

	for (; rc == 0 && at < end && (nl = memchr(at, '\n', (size_t)(end - at))); line++) {
		rc = read_line(at, (size_t)(nl - at), line, n_classes, &j, why, why_max);
		at = nl + 1;
	}
	/* No line of ours has a CR in it: this is none that was cut off, and must not be lost. */
	if (rc == 0 && memchr(at, '\r', (size_t)(end - at)))
		rc = bad(why, why_max, line,
			 "its lines end with CR alone; end them with LF (tr '\\r' '\\n')");
	j.good_bytes = (size_t)(at - text);
	if (rc == 0)
		*out = j;
	else
		journal_fini(&j);
	return rc;
}

/* ---- writing ---- */

static int add_object(struct buf *out, json_t *o)
{
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;

	if (text)
		buf_printf(out, "%s\n", text);
	free(text);
	json_decref(o);
	return text && !out->failed ? 0 : -ENOMEM;
}

/* jansson refuses what is no UTF-8; messages of a library may hold anything. */
static json_t *clean_text(const char *s)
{
	size_t n = strlen(s);
	json_t *t = json_string(s);
	char *copy = t ? NULL : strdup(s);

	for (size_t i = 0; copy && i < n; i++)
		if ((unsigned char)copy[i] >= 0x80)
			copy[i] = '?';
	if (copy)
		t = json_string(copy);
	free(copy);
	return t;
}

int journal_head(struct buf *out, const char *identity)
{
	return add_object(
	    out, json_pack("{s:i,s:o}", "schema", SCHEMA, "measured", clean_text(identity)));
}

int journal_line(struct buf *out, const struct journal_row *row, size_t n_classes)
{
	json_t *times = json_array();
	struct buf setting = { 0 };
	int rc;

	for (size_t k = 0; row->t.outcome == OUTCOME_OK && k < n_classes; k++)
		json_array_append_new(times, json_real(row->t.us[k]));
	setting_text(&row->s, &setting);
	rc = add_object(out,
			json_pack("{s:s,s:s,s:i,s:s,s:o,s:f,s:o}", "transport", row->transport,
				  "setting", buf_text(&setting), "restart", row->restart, "outcome",
				  outcome_table[row->t.outcome].name, "detail",
				  clean_text(row->t.detail), "cost_s", row->t.cost_s, "us", times));
	buf_fini(&setting);
	return rc;
}
