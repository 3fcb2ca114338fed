/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run_view.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "data/salvage.h"
#include "spec/plan.h"
#include "report/slow_pairs.h"
#include "report/steering.h"
#include "spec/transport.h"

#define FILE_MAX_BYTES (256u << 20)

static int read_file(const char *dir, const char *name, char **data, size_t *len, char *why,
		     size_t why_max)
{
	char *path = file_join(dir, name);
	int r = path ? file_read_all(path, FILE_MAX_BYTES, data, len) : -ENOMEM;

	if (r < 0)
		snprintf(why, why_max, "cannot read %s/%s: %s", dir, name, file_why(r));
	free(path);
	return r;
}

/* Of a run that compares environments: the rows of the first one; a table has one figure per point.
 */
static void keep_first_arm(struct run_view *r)
{
	char first[RECORD_TEXT] = "";
	size_t kept = 0;

	for (size_t i = 0; i < r->view.n_rows; i++)
		if (i == 0 || strcmp(r->rows[i].arm, first) < 0)
			record_set(first, sizeof(first), r->rows[i].arm);
	r->view.n_all = r->view.n_rows;
	/* Swapped, so that the others stay behind them. */
	for (size_t i = 0; i < r->view.n_rows; i++) {
		struct record other = r->rows[kept];

		if (strcmp(r->rows[i].arm, first) != 0)
			continue;
		r->rows[kept++] = r->rows[i];
		if (i >= kept)
			r->rows[i] = other;
	}
	r->view.n_rows = kept;
}

/* As the sweep showed them: transports of their own, "shm (tuned)". */
static bool add_tuned(struct run_view *r)
{
	bool any = false;

	for (size_t i = r->view.n_rows; i < r->view.n_all; i++) {
		struct record tuned = r->rows[i];

		if (strcmp(tuned.arm, PLAN_ARM_TUNED) != 0)
			continue;
		any = true;
		if (strcmp(tuned.detail, PLAN_NOT_TUNED) == 0)
			continue;
		snprintf(tuned.transport, sizeof(tuned.transport), "%.40s (tuned)",
			 r->rows[i].transport);
		tuned.arm[0] = '\0';
		r->rows[i] = r->rows[r->view.n_rows];
		r->rows[r->view.n_rows++] = tuned;
	}
	if (any)
		r->view.n_all = r->view.n_rows;
	return any;
}

static void add_note(struct run_view *r, const char *text)
{
	if (text[0] == '\0' || r->view.n_notes == RUN_VIEW_NOTES)
		return;
	record_set(r->note[r->view.n_notes], RUN_VIEW_NOTE, text);
	r->view.n_notes++;
}

static int load_rows(struct run_view *r, const char *dir, char *why, size_t why_max)
{
	char *data = NULL, place[300] = "", cut[300] = "", line[400];
	size_t len = 0;
	int rc = read_file(dir, "points.csv", &data, &len, why, why_max);

	if (rc < 0)
		return rc;
	rc = record_read_run(data, len, &r->rows, &r->view.n_rows, cut, sizeof(cut), place,
			     sizeof(place));
	if (rc < 0)
		snprintf(why, why_max, "%s/points.csv: %s", dir, place[0] ? place : strerror(-rc));
	free(data);
	snprintf(line, sizeof(line), "points.csv: %s", cut);
	add_note(r, cut[0] ? line : "");
	return rc;
}

/* Of a run that was killed: what has samples and no row. */
static int add_lost(struct run_view *r, const char *dir, char *why, size_t why_max)
{
	char *data = NULL, place[300] = "", line[200];
	size_t len = 0, added = 0;
	int rc;

	if (!json_is_false(json_object_get(r->meta, "complete")))
		return 0;
	rc = read_file(dir, "samples.csv", &data, &len, why, why_max);
	if (rc == -ENOENT)
		return 0;
	if (rc == 0) {
		rc = salvage_rows(data, len, &r->rows, &r->view.n_rows, &added, place,
				  sizeof(place));
		if (rc < 0)
			snprintf(why, why_max, "%s/samples.csv: %s", dir,
				 place[0] ? place : strerror(-rc));
	}
	free(data);
	snprintf(line, sizeof(line),
		 "%zu point%s had no row yet: made of the restarts in samples.csv; which way the "
		 "data went is not known",
		 added, added == 1 ? "" : "s");
	if (added)
		add_note(r, line);
	return rc;
}

static void arrange(struct run_view *r)
{
	keep_first_arm(r);
	if (add_tuned(r))
		add_note(r, RUN_VIEW_TUNED);
	r->view.rows = r->rows;
	r->view.ranks = view_most_ranks(r->rows, r->view.n_rows);
}

const char *run_view_text(const json_t *o, const char *key)
{
	const char *v = json_string_value(json_object_get(o, key));

	return v ? v : "";
}

static void text(const json_t *o, const char *key, char *out, size_t max)
{
	record_set(out, max, run_view_text(o, key));
}

static int peak_kind(const char *name)
{
	for (int i = 0; i < VIEW_PEAK_KINDS; i++)
		if (strcmp(view_peak_kinds[i], name) == 0)
			return i;
	return VIEW_PEAK_MEASURED;
}

static void load_peaks(struct run_view *r, const json_t *peaks)
{
	size_t i;
	json_t *o;

	json_array_foreach(peaks, i, o)
	{
		struct view_peak *p = &r->peaks[r->view.n_peaks];
		const json_t *gbps = json_object_get(o, "gbps");
		char kind[24];

		if (r->view.n_peaks == RUN_VIEW_PEAKS)
			break;
		text(o, "name", p->name, sizeof(p->name));
		text(o, "of", p->transport, sizeof(p->transport));
		text(o, "kind", kind, sizeof(kind));
		text(o, "how", r->hows[r->view.n_peaks], sizeof(r->hows[0]));
		p->gbps = json_is_number(gbps) ? json_number_value(gbps) : NAN;
		p->kind = peak_kind(kind);
		p->how = r->hows[r->view.n_peaks];
		r->view.n_peaks++;
	}
	r->view.peaks = r->peaks;
}

/* Clocks that were held down are why figures of two runs differ. */
static void note_cards(struct run_view *r, const json_t *states)
{
	size_t i;
	json_t *o;

	json_array_foreach(states, i, o)
	{
		char line[RUN_VIEW_NOTE];

		if (run_view_text(o, "throttled")[0] == '\0')
			continue;
		snprintf(line, sizeof(line),
			 "the GPU of rank %zu was held back during the run (%.200s): see flags in "
			 "samples.csv",
			 i, run_view_text(o, "throttled"));
		add_note(r, line);
	}
}

static void note_state(struct run_view *r, const json_t *o)
{
	const json_t *complete = json_object_get(o, "complete");

	if (json_is_true(json_object_get(o, "interrupted")))
		add_note(r, "interrupted: these points are complete, the rest was not measured");
	else if (json_is_false(complete))
		add_note(r, "the run did not come to its end: these points are complete, the rest "
			    "was not measured");
	add_note(r, run_view_text(o, "steering"));
	add_note(r, run_view_text(o, "placement"));
	note_cards(r, json_object_get(o, "gpu_state"));
	add_note(r, run_view_text(o, "ceiling_missing"));
}

static int load_pairs(struct run_view *r, json_t *classes)
{
	const char *key;
	json_t *value;

	r->pairs = calloc(json_object_size(classes) + 1, sizeof(*r->pairs));
	if (!r->pairs)
		return -ENOMEM;
	json_object_foreach(classes, key, value)
	{
		struct view_pair *p = &r->pairs[r->view.n_pairs];
		const char *class = json_string_value(value);

		if (!class || sscanf(key, "%d-%d", &p->a, &p->b) != 2)
			continue;
		record_set(p->class, sizeof(p->class), class);
		r->view.n_pairs++;
	}
	r->view.pairs = r->pairs;
	return 0;
}

/* How pairs were measured, and which of them are slow for their class. */
static int note_pairs(struct run_view *r, const json_t *lines)
{
	struct slow_pair *slow = NULL;
	struct buf text = { 0 };
	char *save = NULL;
	size_t n = 0, i;
	json_t *line;
	int rc = slow_pairs_find(&r->view, &slow, &n);

	json_array_foreach(lines, i, line)
	{
		const char *said = json_string_value(line);

		buf_printf(&text, "%.*s\n", RUN_VIEW_NOTE - 1, said ? said : "");
	}
	if (rc == 0)
		slow_pairs_say(&r->view, slow, n, &text);
	if (rc == 0 && text.failed)
		rc = -ENOMEM;
	for (char *s = text.data ? strtok_r(text.data, "\n", &save) : NULL; s && rc == 0;
	     s = strtok_r(NULL, "\n", &save))
		add_note(r, s);
	free(slow);
	buf_fini(&text);
	return rc;
}

static int take_meta(struct run_view *r, json_t *o)
{
	int rc;

	text(o, "machine", r->view.machine, sizeof(r->view.machine));
	text(o, "versions", r->view.versions, sizeof(r->view.versions));
	text(o, "started", r->view.when, sizeof(r->view.when));
	text(json_array_get(json_object_get(o, "ranks"), 0), "host", r->view.host,
	     sizeof(r->view.host));
	r->view.one_host = json_integer_value(json_object_get(o, "hosts")) <= 1;
	load_peaks(r, json_object_get(o, "peaks"));
	note_state(r, o);
	r->meta = o;
	rc = load_pairs(r, json_object_get(o, "pair_classes"));
	return rc == 0 ? note_pairs(r, json_object_get(o, "pairs")) : rc;
}

static int check_meta(const json_t *o, const char *dir, char *why, size_t why_max)
{
	const json_t *schema = json_object_get(o, "schema");

	if (!json_is_object(o))
		snprintf(why, why_max, "%s/run.json: not an object", dir);
	else if (schema && !json_is_integer(schema))
		snprintf(why, why_max, "%s/run.json: schema is no whole number", dir);
	else if (json_integer_value(schema) > RECORD_RUN_SCHEMA)
		snprintf(why, why_max,
			 "%s/run.json: schema %lld; this version knows up to %d: a newer ncclbench "
			 "wrote it",
			 dir, (long long)json_integer_value(schema), RECORD_RUN_SCHEMA);
	else
		return 0;
	return -EBADMSG;
}

int run_view_meta(const char *dir, json_t **out, char *why, size_t why_max)
{
	char *data = NULL;
	size_t len = 0;
	json_error_t error;
	json_t *o;
	int rc = read_file(dir, "run.json", &data, &len, why, why_max);

	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	o = json_loadb(data, len, JSON_REJECT_DUPLICATES, &error);
	free(data);
	if (!o) {
		snprintf(why, why_max, "%s/run.json, line %d column %d: %s", dir, error.line,
			 error.column, error.text);
		return -EBADMSG;
	}
	rc = check_meta(o, dir, why, why_max);
	if (rc)
		json_decref(o);
	else
		*out = o;
	return rc;
}

static int load_meta(struct run_view *r, const char *dir, char *why, size_t why_max)
{
	json_t *o = NULL;
	int rc = run_view_meta(dir, &o, why, why_max);

	r->view.one_host = true;
	if (rc < 0)
		return rc;
	if (!o) {
		add_note(r, "no run.json: the machine, its versions and its peaks are not known");
		return 0;
	}
	rc = take_meta(r, o);
	if (rc < 0)
		snprintf(why, why_max, "%s/run.json: %s", dir, strerror(-rc));
	return rc;
}

/* Runs whose run.json has no such line yet have the variables. */
static int note_steering(struct run_view *r)
{
	json_t *environment = json_object_get(r->meta, "environment"), *value;
	struct buf variables = { 0 }, text = { 0 };
	const char *key;
	int rc;

	if (json_object_get(r->meta, "steering"))
		return 0;
	json_object_foreach(environment, key, value)
	{
		if (json_is_string(value) && transport_steers(key))
			buf_printf(&variables, "%s%s=%s", variables.len ? " " : "", key,
				   json_string_value(value));
	}
	steering_say(&r->view, buf_text(&variables), &text);
	rc = variables.failed || text.failed ? -ENOMEM : 0;
	if (rc == 0)
		add_note(r, buf_text(&text));
	buf_fini(&variables);
	buf_fini(&text);
	return rc;
}

int run_view_load(struct run_view *r, const char *dir, char *why, size_t why_max)
{
	int rc;

	memset(r, 0, sizeof(*r));
	if (dir[0] == '\0') {
		snprintf(why, why_max, "the name of the run is empty: name a run directory");
		return -EINVAL;
	}
	for (size_t i = 0; i < RUN_VIEW_NOTES; i++)
		r->note_list[i] = r->note[i];
	r->view.notes = r->note_list;
	rc = load_rows(r, dir, why, why_max);
	if (rc == 0)
		rc = load_meta(r, dir, why, why_max);
	if (rc == 0)
		rc = add_lost(r, dir, why, why_max);
	if (rc == 0) {
		arrange(r);
		rc = note_steering(r);
		if (rc < 0)
			snprintf(why, why_max, "%s: %s", dir, strerror(-rc));
	}
	if (rc < 0)
		run_view_fini(r);
	return rc;
}

void run_view_fini(struct run_view *r)
{
	free(r->rows);
	free(r->pairs);
	json_decref(r->meta);
	memset(r, 0, sizeof(*r));
}
