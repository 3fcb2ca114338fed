/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of scaling.h as JSON, for run.json and --json. Chooses nothing. */
#include <jansson.h>
#include <math.h>

#include "report/scaling.h"
#include "spec/op.h"

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *cell(const struct scaling *s, size_t row, int count)
{
	const struct record *r = s->row[row].at[count];
	json_t *o = json_object();

	json_object_set_new(o, "ranks", json_integer(s->counts[count]));
	json_object_set_new(o, "bytes", r ? json_integer((json_int_t)r->bytes) : json_null());
	json_object_set_new(o, s->latency ? "time_us" : "busbw_gbps",
			    number(scaling_value(s, row, count)));
	json_object_set_new(o, s->latency ? "times_fewest" : "efficiency",
			    number(scaling_ratio(s, row, count)));
	json_object_set_new(o, "proven", r ? json_boolean(!view_unproven(r)) : json_null());
	return o;
}

static json_t *table(const struct scaling *s)
{
	json_t *o = json_object(), *rows = json_array();

	for (size_t k = 0; k < s->n; k++) {
		json_t *row = json_object(), *cells = json_array();

		for (int i = 0; i < s->n_counts; i++)
			json_array_append_new(cells, cell(s, k, i));
		json_object_set_new(row, "transport", json_string(s->row[k].transport));
		json_object_set_new(row, "timing", json_string(s->row[k].timing));
		json_object_set_new(row, "by_ranks", cells);
		json_array_append_new(rows, row);
	}
	json_object_set_new(o, "op", json_string(s->op));
	json_object_set_new(o, "quantity", json_string(s->latency ? "time" : "busbw"));
	json_object_set_new(o, "bytes", json_integer((json_int_t)s->bytes));
	json_object_set_new(o, "rows", rows);
	return o;
}

json_t *scaling_json(const struct view *v)
{
	json_t *a = json_array();
	struct scaling s;

	for (int op = 0; op < OP_COUNT; op++) {
		if (scaling_build(v, op, false, &s))
			json_array_append_new(a, table(&s));
		if (op_table[op].flags & OP_LATENCY && scaling_build(v, op, true, &s))
			json_array_append_new(a, table(&s));
	}
	return a;
}
