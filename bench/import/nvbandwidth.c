/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvbandwidth, text and JSON: a matrix per test. The output does not say how large the buffer was
 * (-b, 512 MiB unless given), so that the time of a copy is worked out from an assumed size and
 * marked. Latency tests, in ns, are pointer chases.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/format.h"
#include "import/line.h"
#include "import/repair.h"

#define BUFFER_DEFAULT (512ull << 20)
#define COLUMNS_MAX 512

struct about {
	char version[24];
	struct import_device devices[64];
	size_t n_devices;
};

/* "..._ce": by a copy engine, "..._sm": by a kernel. */
static void variant_of(const char *name, char *variant, size_t max)
{
	const char *last = strrchr(name, '_');

	if (last && (strcmp(last, "_ce") == 0 || strcmp(last, "_sm") == 0))
		snprintf(variant, max, "%s", last + 1);
}

static struct import_table *begin(struct imported *im, const struct about *a, const char *name,
				  size_t len, size_t line)
{
	struct import_table *t = imported_table(im);

	if (!t)
		return NULL;
	t->tool = "nvbandwidth";
	t->backend = "cuda";
	t->timing = "stream";
	import_copy(t->op, sizeof(t->op), name, len);
	t->op_from = "its title";
	snprintf(t->version, sizeof(t->version), "%s", a->version);
	snprintf(t->unit, sizeof(t->unit), "GB/s");
	snprintf(t->method, sizeof(t->method), "nvbandwidth");
	t->bytes_assumed = true;
	t->line = line;
	for (size_t i = 0; i < a->n_devices; i++)
		if (import_append_device(&t->devices, &t->n_devices, &a->devices[i]))
			im->failed = true;
	return t;
}

/* "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", "... latency (ns)" */
static void describe(struct import_table *t, struct piece text)
{
	t->latency = line_find(text, "latency") != NULL || line_find(text, "(ns)") != NULL;
	if (t->latency) {
		snprintf(t->unit, sizeof(t->unit), "ns");
		t->bytes_assumed = false;
	}
}

static void cell(struct imported *im, struct import_table *t, long row, long column, struct piece w,
		 size_t line)
{
	struct import_number v;
	struct import_row *r;

	if (!import_number(w.p, w.n, &v))
		return;
	if (!isfinite(v.v)) {
		t->n_na++;
		return;
	}
	r = imported_row(im, t);
	if (!r)
		return;
	r->line = line;
	r->bytes = t->latency ? 8 : BUFFER_DEFAULT;
	snprintf(r->pair, sizeof(r->pair), "%ld-%ld", row, column);
	snprintf(r->dtype, sizeof(r->dtype), "uint8");
	snprintf(r->redop, sizeof(r->redop), "none");
	variant_of(t->op, r->variant, sizeof(r->variant));
	r->half[0].present = true;
	if (t->latency) {
		r->half[0].time = (struct import_number){ v.v / 1e3, v.half / 1e3 };
	} else {
		r->half[0].no_time = true; /* check.c works it out from bandwidth and size */
		r->half[0].algbw = r->half[0].busbw = v;
	}
}

/* ---- text ---- */

struct text_reader {
	struct imported *im;
	struct about about;
	struct import_table *t;
	bool described;
	long column[COLUMNS_MAX];
	size_t n_columns, line;
};

static void device_line(struct about *a, struct piece line)
{
	struct piece at = line_after(line, "Device "), name = line_after(at, ": ");
	struct import_device *d = &a->devices[a->n_devices];

	if (!at.p || !name.p || line_int(at, -1) < 0 || a->n_devices >= N_ELEMENTS(a->devices))
		return;
	*d = (struct import_device){ .rank = (int)line_int(at, 0), .device = (int)line_int(at, 0) };
	import_copy(d->name, sizeof(d->name), name.p, name.n);
	if (strchr(d->name, '('))
		*strchr(d->name, '(') = '\0';
	while (d->name[0] && d->name[strlen(d->name) - 1] == ' ')
		d->name[strlen(d->name) - 1] = '\0';
	a->n_devices++;
}

/* A line of whole numbers names the columns; a whole number and figures are a row of the matrix. */
static void matrix_line(struct text_reader *r, struct piece line)
{
	struct piece w[LINE_WORDS_MAX];
	size_t n = line_words(line, w), whole = 0;

	for (size_t i = 0; i < n; i++)
		whole += line_int(w[i], -1) >= 0 && !memchr(w[i].p, '.', w[i].n);
	if (n == 0 || line_int(w[0], -1) < 0)
		return;
	if (whole == n && r->n_columns == 0) {
		for (size_t i = 0; i < n && i < COLUMNS_MAX; i++)
			r->column[r->n_columns++] = line_int(w[i], 0);
		return;
	}
	for (size_t i = 1; i < n && i <= r->n_columns; i++)
		cell(r->im, r->t, line_int(w[0], 0), r->column[i - 1], w[i], r->line);
}

static void text_line(struct text_reader *r, struct piece line)
{
	struct piece at = line_after(line, "Running "), w[LINE_WORDS_MAX];

	if (line_after(line, "nvbandwidth Version:").p &&
	    line_words(line_after(line, "nvbandwidth Version:"), w))
		import_copy(r->about.version, sizeof(r->about.version), w[0].p, w[0].n);
	else if (line_find(line, "ERROR") || line_find(line, "[ASSERT"))
		imported_failure(r->im, line.p, line.n);
	else if (at.p && line_words(at, w)) {
		r->t =
		    begin(r->im, &r->about, w[0].p, w[0].n - (w[0].p[w[0].n - 1] == '.'), r->line);
		r->described = false;
		r->n_columns = 0;
	} else if (r->t && line_find(line, "SUM ")) {
		r->t->ended = true;
		r->t = NULL;
	} else if (line_find(line, "Waived") && r->t) {
		imported_note(r->im, "%s: line %zu: %s was waived", imported_name(r->im), r->line,
			      r->t->op);
		r->t->ended = true;
		r->t = NULL;
	} else if (r->t && !r->described &&
		   (line_find(line, "bandwidth") || line_find(line, "latency"))) {
		describe(r->t, line);
		r->described = true;
	} else if (r->t && r->described) {
		matrix_line(r, line);
	} else {
		device_line(&r->about, line);
	}
}

int nvbandwidth_text_read(struct imported *im, const char *data, size_t len)
{
	struct lines_in in = { data, data + len, 0 };
	struct text_reader r = { .im = im };
	struct piece line;

	while (!im->failed && line_next(&in, &line)) {
		r.line = in.line;
		text_line(&r, line);
	}
	return im->failed ? -ENOMEM : 0;
}

bool nvbandwidth_text_probe(const char *data, size_t len)
{
	return line_find((struct piece){ data, len }, "nvbandwidth Version") ||
	       (line_find((struct piece){ data, len }, "Running ") &&
		line_find((struct piece){ data, len }, "memcpy "));
}

/* ---- JSON ---- */

static struct piece text_of(const json_t *v)
{
	return json_is_string(v) ? (struct piece){ json_string_value(v), json_string_length(v) }
				 : (struct piece){ NULL, 0 };
}

static void json_cell(struct imported *im, struct import_table *t, size_t i, size_t k,
		      const json_t *v)
{
	char number[40];
	struct piece w =
	    text_of(v); /* values are strings; other writers of the format use numbers */

	if (json_is_number(v)) {
		snprintf(number, sizeof(number), "%.6g", json_number_value(v));
		w = (struct piece){ number, strlen(number) };
	}
	if (w.p)
		cell(im, t, (long)i, (long)k, w, 0);
}

static void json_case(struct imported *im, const struct about *a, const json_t *o)
{
	struct piece name = text_of(json_object_get(o, "name")),
		     text = text_of(json_object_get(o, "bandwidth_description"));
	struct piece status = text_of(json_object_get(o, "status")),
		     error = text_of(json_object_get(o, "error"));
	const json_t *matrix = json_object_get(o, "bandwidth_matrix");
	struct import_table *t;

	if (!name.p)
		return;
	t = begin(im, a, name.p, name.n, 0);
	if (!t)
		return;
	t->ended = true;
	if (text.p)
		describe(t, text);
	if (error.n)
		imported_failure(im, error.p, error.n);
	if (status.n && !line_is(status, "Passed"))
		imported_note(im, "%s: %s: %.*s", imported_name(im), t->op,
			      (int)(status.n < 40 ? status.n : 40), status.p);
	for (size_t i = 0; i < json_array_size(matrix); i++)
		for (size_t k = 0; k < json_array_size(json_array_get(matrix, i)) && !im->failed;
		     k++)
			json_cell(im, t, i, k, json_array_get(json_array_get(matrix, i), k));
}

static void json_root(struct imported *im, const json_t *root)
{
	const json_t *nv = json_object_get(root, "nvbandwidth"), *cases, *list;
	struct about a = { 0 };
	struct piece text;

	cases = json_object_get(nv, "testcases");
	list = json_object_get(nv, "GPU Device list");
	text = text_of(json_object_get(nv, "version"));
	if (!text.p)
		text = text_of(json_object_get(nv, "git_version"));
	import_copy(a.version, sizeof(a.version), text.p ? text.p : "", text.n);
	for (size_t i = 0; i < json_array_size(list); i++) {
		char line[160];

		text = text_of(json_array_get(list, i));
		snprintf(line, sizeof(line), "Device %.*s", (int)(text.n < 120 ? text.n : 120),
			 text.p ? text.p : "");
		device_line(&a, (struct piece){ line, strlen(line) });
	}
	text = text_of(json_object_get(nv, "error"));
	if (text.n)
		imported_failure(im, text.p, text.n);
	for (size_t i = 0; i < json_array_size(cases); i++)
		json_case(im, &a, json_array_get(cases, i));
}

int nvbandwidth_json_read(struct imported *im, const char *data, size_t len)
{
	struct buf text = { 0 };
	json_error_t error;
	size_t at = 0;
	bool cut;

	while (!im->failed && repair_next(data, len, &at, &text, &cut)) {
		json_t *root =
		    text.failed ? NULL : json_loadb(buf_text(&text), text.len, 0, &error);

		im->failed |= text.failed;
		if (cut)
			imported_note(
			    im, "%s: the JSON ends in the middle; its complete results are kept",
			    imported_name(im));
		if (root)
			json_root(im, root);
		json_decref(root);
	}
	buf_fini(&text);
	return im->failed ? -ENOMEM : 0;
}

bool nvbandwidth_json_probe(const char *data, size_t len)
{
	return line_find((struct piece){ data, len }, "\"nvbandwidth\"") != NULL &&
	       memchr(data, '{', len) != NULL;
}
