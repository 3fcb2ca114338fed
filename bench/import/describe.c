/* SPDX-License-Identifier: Apache-2.0 */
/* run.json, the object of --json and the text that import prints; see result.h. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "import/curve.h"
#include "import/ops.h"
#include "import/result.h"
#include "import/table.h"

#define RUN_SCHEMA 1

/* Texts of files were made ASCII when they were read; names of files were not. */
static json_t *text(const char *s)
{
	char copy[1024];

	import_copy(copy, sizeof(copy), s, strlen(s));
	return json_string(copy);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *lines(const struct buf *b)
{
	json_t *a = json_array();

	for (const char *p = buf_text(b); *p;) {
		size_t n = strcspn(p, "\n");
		char line[600];

		import_copy(line, sizeof(line), p, n);
		json_array_append_new(a, json_string(line));
		p += n + (p[n] != '\0');
	}
	return a;
}

static double max_busbw(const struct import_table *t, int half)
{
	double best = NAN;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct import_half *h = &t->rows[i].half[half];
		double v = isfinite(h->busbw_gbps) ? h->busbw_gbps : h->algbw_gbps;

		if (h->present && isfinite(v) && !(best >= v))
			best = v;
	}
	return t->latency && strcmp(t->tool, "nvbandwidth") == 0 ? NAN : best;
}

static const char *op_name(const struct import_table *t)
{
	return t->op;
}

static json_t *table_object(const struct imported *im, const struct import_table *t, int curve)
{
	const struct import_op *op = import_op_find(t->op, strlen(t->op));
	char timing[24];
	json_t *o = json_object();

	curve_timing(t, curve, timing, sizeof(timing));
	json_object_set_new(o, "op", text(op_name(t)));
	json_object_set_new(o, "rows", json_integer((json_int_t)t->n_rows));
	json_object_set_new(o, "in_place", json_boolean(t->in_place));
	json_object_set_new(o, "in_place_valid",
			    json_boolean(t->in_place && !(op && op->in_place_invalid)));
	json_object_set_new(o, "unit", text(t->unit));
	json_object_set_new(o, "max_busbw_out", number(max_busbw(t, 0)));
	json_object_set_new(
	    o, "max_busbw_in",
	    number(t->in_place && !(op && op->in_place_invalid) ? max_busbw(t, 1) : NAN));
	json_object_set_new(o, "avg_busbw", number(t->avg_busbw));
	json_object_set_new(o, "errors", json_integer((json_int_t)t->n_errors));
	json_object_set_new(o, "ranks", t->ranks ? json_integer(t->ranks) : json_null());
	json_object_set_new(o, "ranks_inferred", json_boolean(t->ranks_inferred));
	json_object_set_new(o, "unchecked", json_integer((json_int_t)t->n_na));
	json_object_set_new(o, "contradictions", json_integer((json_int_t)t->n_contradict));
	json_object_set_new(o, "rows_of_size_0", json_integer((json_int_t)t->n_empty));
	json_object_set_new(o, "rows_cut", json_integer((json_int_t)t->n_cut));
	json_object_set_new(o, "complete", json_boolean(t->ended));
	json_object_set_new(o, "tool", text(t->tool));
	json_object_set_new(o, "version", text(t->version));
	json_object_set_new(o, "library", text(t->nccl_version));
	json_object_set_new(o, "method", text(t->method));
	json_object_set_new(o, "timing", text(timing));
	json_object_set_new(o, "transport", text(t->transport));
	json_object_set_new(o, "settings", text(t->settings));
	json_object_set_new(o, "heading", text(t->heading));
	json_object_set_new(o, "op_from", text(t->op_from ? t->op_from : ""));
	json_object_set_new(o, "used", text(t->used));
	json_object_set_new(o, "proof", text(t->proof[0] ? t->proof : "unknown"));
	json_object_set_new(o, "file", text(t->file < im->n_files ? im->files[t->file].name : ""));
	json_object_set_new(o, "line", json_integer((json_int_t)t->line));
	return o;
}

static json_t *tables(const struct imported *im)
{
	int *curves = reallocarray(NULL, im->n_tables + 1, sizeof(*curves));
	json_t *a = json_array();

	if (curves)
		curve_numbers(im, curves);
	for (size_t i = 0; curves && i < im->n_tables; i++)
		json_array_append_new(a, table_object(im, &im->tables[i], curves[i]));
	free(curves);
	return a;
}

static json_t *files(const struct imported *im)
{
	json_t *a = json_array();

	for (size_t i = 0; i < im->n_files; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", text(im->files[i].name));
		json_object_set_new(o, "format",
				    text(im->files[i].format ? im->files[i].format : "unknown"));
		json_object_set_new(o, "tables", json_integer((json_int_t)im->files[i].n_tables));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *environment(const struct imported *im)
{
	json_t *o = json_object();

	for (const char *p = buf_text(&im->environment); *p;) {
		size_t n = strcspn(p, "\n");
		char line[1024], *eq;

		import_copy(line, sizeof(line), p, n);
		eq = strchr(line, '=');
		if (eq) {
			*eq = '\0';
			json_object_set_new(o, line, json_string(eq + 1));
		}
		p += n + (p[n] != '\0');
	}
	return o;
}

/* ---- run.json ---- */

/* The table with the most devices tells the machine. */
static const struct import_table *widest(const struct imported *im)
{
	const struct import_table *best = NULL;

	for (size_t i = 0; i < im->n_tables; i++)
		if (!best || im->tables[i].n_devices > best->n_devices)
			best = &im->tables[i];
	return best;
}

static int hosts_of(const struct import_table *t)
{
	int n = 0;

	for (size_t i = 0; t && i < t->n_devices && i < 4096; i++) {
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = strcmp(t->devices[k].host, t->devices[i].host) == 0;
		n += !seen;
	}
	return n;
}

static json_t *ranks(const struct import_table *t)
{
	json_t *a = json_array();

	for (size_t i = 0; t && i < t->n_devices; i++) {
		json_t *o = json_object();
		char key[32];

		json_object_set_new(o, "host", text(t->devices[i].host));
		if (t->nccl_version[0])
			json_object_set_new(o, "lib_version", text(t->nccl_version));
		snprintf(key, sizeof(key), "gpu%d.name", t->devices[i].device);
		json_object_set_new(o, key, text(t->devices[i].name));
		json_array_append_new(a, o);
	}
	return a;
}

static void machine_text(const struct import_table *t, char *out, size_t max)
{
	if (!t || !t->n_devices)
		snprintf(out, max, "machine not told");
	else if (hosts_of(t) > 1)
		snprintf(out, max, "%d x %s on %d hosts", t->ranks, t->devices[0].name,
			 hosts_of(t));
	else
		snprintf(out, max, "%d x %s", t->ranks ? t->ranks : (int)t->n_devices,
			 t->devices[0].name);
}

char *import_run_json(const struct imported *im, const char *command)
{
	const struct import_table *t = widest(im);
	json_t *o = json_object(), *import = json_object();
	char machine[160], methods[150], when[32], versions[64];
	char *out;

	machine_text(t, machine, sizeof(machine));
	curve_methods(im, methods, sizeof(methods));
	clock_utc(0, when, sizeof(when));
	snprintf(versions, sizeof(versions), "%s%s", t && t->nccl_version[0] ? "NCCL " : "",
		 t ? t->nccl_version : "");
	json_object_set_new(o, "schema", json_integer(RUN_SCHEMA));
	json_object_set_new(
	    o, "ncclbench",
	    text(methods)); /* what measured: gate compares within one method only */
	json_object_set_new(o, "command", text("import"));
	json_object_set_new(o, "arguments", text(command));
	json_object_set_new(o, "imported", text(when));
	json_object_set_new(o, "complete", json_true());
	json_object_set_new(o, "interrupted", json_false());
	json_object_set_new(o, "exit_code", json_integer(0));
	json_object_set_new(o, "backend", text(t ? t->backend : ""));
	json_object_set_new(o, "machine", text(machine));
	json_object_set_new(o, "versions", text(versions));
	json_object_set_new(o, "hosts", json_integer(hosts_of(t)));
	json_object_set_new(o, "nranks", json_integer(t ? t->ranks : 0));
	json_object_set_new(o, "profile", text("imported"));
	json_object_set_new(o, "environment", environment(im));
	json_object_set_new(o, "peaks", json_array());
	json_object_set_new(o, "transports", json_array());
	json_object_set_new(o, "ranks", ranks(t));
	json_object_set_new(import, "version", text(NCCLBENCH_VERSION));
	json_object_set_new(import, "files", files(im));
	json_object_set_new(import, "tables", tables(im));
	json_object_set_new(import, "notes", lines(&im->notes));
	json_object_set_new(import, "failures", lines(&im->failures));
	json_object_set_new(o, "import", import);
	out = json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	json_decref(o);
	return out;
}

/* ---- what is printed ---- */

char *import_tables_json(const struct imported *im, const char *dir)
{
	json_t *o = json_object();
	char *out;

	json_object_set_new(o, "schema", json_integer(RUN_SCHEMA));
	json_object_set_new(o, "command", text("import"));
	json_object_set_new(o, "tables", tables(im));
	json_object_set_new(o, "files", files(im));
	json_object_set_new(o, "notes", lines(&im->notes));
	json_object_set_new(o, "failures", lines(&im->failures));
	json_object_set_new(o, "run", dir ? text(dir) : json_null());
	out = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(10));
	json_decref(o);
	return out;
}

static void figure(struct buf *out, double v, const char *none)
{
	if (isfinite(v))
		buf_printf(out, " %10.2f", v);
	else
		buf_printf(out, " %10s", none);
}

void import_tables_text(const struct imported *im, struct buf *out)
{
	int *curves = reallocarray(NULL, im->n_tables + 1, sizeof(*curves));
	char timing[24];

	if (curves)
		curve_numbers(im, curves);
	buf_printf(out, "%-16s %-8s %-9s %6s %6s %6s %10s %10s %7s  %s\n", "table", "over",
		   "timing", "ranks", "rows", "unit", "best GB/s", "avg GB/s", "errors", "tool");
	for (size_t i = 0; i < im->n_tables; i++) {
		const struct import_table *t = &im->tables[i];

		curve_timing(t, curves ? curves[i] : 0, timing, sizeof(timing));
		buf_printf(out, "%-16s %-8s %-9s", op_name(t), t->transport, timing);
		if (t->ranks)
			buf_printf(out, " %6d", t->ranks);
		else
			buf_printf(out, " %6s", "?");
		buf_printf(out, " %6zu %6s", t->n_rows, t->unit);
		figure(out, max_busbw(t, 0), "-");
		figure(out, t->avg_busbw, "-");
		buf_printf(out, " %7zu  %s%s%s%s\n", t->n_errors, t->tool, t->version[0] ? " " : "",
			   t->version, t->ended ? "" : ", not complete");
	}
	free(curves);
	for (const char *p = buf_text(&im->failures); *p;) {
		size_t n = strcspn(p, "\n");

		buf_printf(out, "failed: %.*s\n", (int)n, p);
		p += n + (p[n] != '\0');
	}
	for (const char *p = buf_text(&im->notes); *p;) {
		size_t n = strcspn(p, "\n");

		buf_printf(out, "note: %.*s\n", (int)n, p);
		p += n + (p[n] != '\0');
	}
}
