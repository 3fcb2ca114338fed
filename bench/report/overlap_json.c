/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of overlap.h as JSON, for --json. Chooses nothing; what is not known is null. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "data/record.h"
#include "report/overlap.h"
#include "report/text.h"
#include "report/view.h"

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *text(const char *t)
{
	char clean[RECORD_TEXT];

	text_clean(t, clean, sizeof(clean));
	return json_string(clean);
}

static json_t *beside(const struct overlap_row *r, int load)
{
	json_t *o = json_object();

	json_object_set_new(o, "time_us", number(r->at[load] ? r->at[load]->time_us : NAN));
	for (size_t i = 0; i < overlap_figures_n; i++)
		json_object_set_new(o, overlap_figures[i].id,
				    number(overlap_figures[i].value(r, load)));
	json_object_set_new(o, "proven",
			    r->at[load] ? json_boolean(!view_unproven(r->at[load])) : json_null());
	return o;
}

static json_t *row(const struct overlap_row *r)
{
	const struct record *alone = r->at[LOAD_NONE];
	int asked = overlap_asked(alone);
	json_t *o = json_object(), *loads = json_object();

	json_object_set_new(o, "bytes", json_integer((json_int_t)alone->bytes));
	json_object_set_new(o, "arm", text(alone->arm));
	json_object_set_new(o, "channels_asked", asked ? json_integer(asked) : json_null());
	json_object_set_new(o, "channels", number(alone->channels));
	json_object_set_new(o, "time_us", number(alone->time_us));
	json_object_set_new(o, "proven", json_boolean(!view_unproven(alone)));
	for (int load = LOAD_NONE + 1; load < LOAD_COUNT; load++)
		json_object_set_new(loads, load_table[load].name, beside(r, load));
	json_object_set_new(o, "beside", loads);
	return o;
}

/* Its key columns, but for those that its rows differ in. */
static json_t *table(const struct record *r)
{
	json_t *o = json_object();

	for (int key = 0; key < RECORD_KEYS; key++) {
		const struct column *c = record_key_column(key);
		char value[RECORD_TEXT];

		if (key == RECORD_LOAD || key == RECORD_BYTES || key == RECORD_ARM)
			continue;
		record_key_text(r, key, value, sizeof(value));
		json_object_set_new(
		    o, c->name, c->type == COLUMN_TEXT ? text(value) : json_integer(atoll(value)));
	}
	json_object_set_new(o, "rows", json_array());
	return o;
}

json_t *overlap_json(const struct view *v)
{
	struct overlap_row *rows;
	size_t n;
	json_t *all = json_array(), *last = NULL;

	if (overlap_rows(v, &rows, &n) < 0) {
		json_decref(all);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || rows[i].table != rows[i - 1].table) {
			last = table(rows[i].at[LOAD_NONE]);
			json_array_append_new(all, last);
		}
		json_array_append_new(json_object_get(last, "rows"), row(&rows[i]));
	}
	free(rows);
	return all;
}
