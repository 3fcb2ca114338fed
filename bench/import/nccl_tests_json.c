/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-tests' JSON, versions 1 to 3, with its quirks: booleans and numbers as strings, a misspelt
 * average, bare inf, files that end in the middle. Its "env" holds the complete environment of a
 * stranger: only NCCL_ variables are looked at.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/format.h"
#include "import/nccl_tests.h"
#include "import/ops.h"
#include "import/repair.h"

static struct piece text_of(const json_t *v)
{
	return json_is_string(v) ? (struct piece){ json_string_value(v), json_string_length(v) }
				 : (struct piece){ NULL, 0 };
}

/* A number, or a string that holds one, padded with blanks; NaN. */
static double number_of(const json_t *v)
{
	struct piece word[LINE_WORDS_MAX], text = text_of(v);
	struct import_number n;

	if (json_is_number(v))
		return json_number_value(v);
	return text.p && line_words(text, word) == 1 && import_number(word[0].p, word[0].n, &n)
		   ? n.v
		   : NAN;
}

static long int_of(const json_t *v, long dflt)
{
	double d = number_of(v);

	return d > -1e15 && d < 1e15 ? (long)d : dflt;
}

static bool true_of(const json_t *v)
{
	return json_is_true(v) || (json_is_string(v) && strcmp(json_string_value(v), "true") == 0);
}

/* Six decimals are printed. */
static struct import_number printed(const json_t *v)
{
	return (struct import_number){ number_of(v), 0.5e-6 };
}

/* ---- what describes the run ---- */

static const struct {
	const char *key;
	enum nccl_option option;
} config_keys[] = {
	{ "warmup_iters", OPTION_WARMUP },
	{ "iterations", OPTION_ITERS },
	{ "aggregated_iterations", OPTION_AGG },
	{ "graph", OPTION_GRAPH },
};

static void read_about(const json_t *root, struct nccl_about *a)
{
	const json_t *args = json_object_get(root, "args"),
		     *config = json_object_get(root, "config");
	struct piece words[LINE_WORDS_MAX];
	size_t n = json_array_size(args);

	a->starting = a->configured = true;
	for (size_t i = 0; i < n && i < LINE_WORDS_MAX; i++)
		words[i] = text_of(json_array_get(args, i));
	n = n < LINE_WORDS_MAX ? n : LINE_WORDS_MAX;
	if (n && words[0].p)
		nccl_about_program(a, words[0], "args[0]");
	if (n > 1)
		nccl_about_arguments(a, words + 1, n - 1);
	for (size_t i = 0; i < N_ELEMENTS(config_keys); i++)
		a->option[config_keys[i].option] = int_of(
		    json_object_get(config, config_keys[i].key), a->option[config_keys[i].option]);
	if (true_of(json_object_get(config, "blocking_collectives")) &&
	    a->option[OPTION_BLOCKING] <= 0)
		a->option[OPTION_BLOCKING] = 1;
	if (true_of(json_object_get(config, "per_iter_timing")))
		a->option[OPTION_PER_ITER] = 1;
	nccl_version_text(int_of(json_object_get(root, "nccl_version"), 0), a->nccl_version,
			  sizeof(a->nccl_version));
}

/* The release is not in the file; all that write JSON warm up every size. */
static void guess_version(const json_t *root, struct nccl_about *a)
{
	static const char *const since[] = { "2.17.3", "2.17.3", "2.19.2", "2.19.6" };
	long v = int_of(json_object_get(root, "version"), 1);

	snprintf(a->version, sizeof(a->version), "%s", since[v >= 0 && v <= 3 ? v : 3]);
}

static int read_devices(const json_t *root, struct import_table *t)
{
	const json_t *config = json_object_get(root, "config"),
		     *list = json_object_get(config, "devices");
	long per = int_of(json_object_get(config, "nthreads"), 1) *
		   int_of(json_object_get(config, "ngpus"), 1),
	     n = 0;
	int rc = 0;

	for (size_t i = 0; i < json_array_size(list) && i < 65536 && rc == 0; i++) {
		const json_t *o = json_array_get(list, i);
		struct piece host = text_of(json_object_get(o, "hostname")),
			     name = text_of(json_object_get(o, "device_info"));
		struct import_device d = { .rank = (int)int_of(json_object_get(o, "rank"), (long)i),
					   .group = (int)int_of(json_object_get(o, "group"), 0),
					   .device =
					       (int)int_of(json_object_get(o, "device"), -1) };

		import_copy(d.host, sizeof(d.host), host.p ? host.p : "", host.n);
		import_copy(d.name, sizeof(d.name), name.p ? name.p : "", name.n);
		rc = import_append_device(&t->devices, &t->n_devices, &d);
		n += i == 0 || d.group == t->devices[0].group;
	}
	/* One entry per process: those of its other GPUs are missing. */
	if (per > 0 && per < 4096)
		t->ranks = (int)(n * per);
	return rc;
}

static void read_environment(struct imported *im, const json_t *root, struct nccl_about *a)
{
	const json_t *env = json_object_get(root, "env");

	for (size_t i = 0; i < json_array_size(env); i++) {
		struct piece pair = text_of(json_array_get(env, i));

		const char *eq = pair.p ? memchr(pair.p, '=', pair.n) : NULL;
		size_t n = eq ? (size_t)(eq - pair.p) : 0;

		if (!eq)
			continue;
		imported_environment(im, pair.p, pair.n);
		nccl_about_setting(a, (struct piece){ pair.p, n },
				   (struct piece){ eq + 1, pair.n - n - 1 });
	}
}

/* ---- rows ---- */

static void read_percentiles(const json_t *o, struct import_half *h)
{
	if (!json_is_object(o))
		return;
	h->min_us = number_of(json_object_get(o, "min_us"));
	h->max_us = number_of(json_object_get(o, "max_us"));
	h->p95_us = number_of(json_object_get(o, "p95_us"));
	h->p99_us = number_of(json_object_get(o, "p99_us"));
}

static bool read_half(const json_t *o, const json_t *per_iter, struct import_half *h)
{
	const json_t *time = json_object_get(o, "time");

	if (!json_is_object(o))
		return false;
	h->present = true;
	h->no_time = time == NULL; /* cpu_time: what launching took */
	h->time = printed(time ? time : json_object_get(o, "cpu_time"));
	h->algbw = printed(json_object_get(o, "alg_bw"));
	h->busbw = printed(json_object_get(o, "bus_bw"));
	h->wrong = number_of(json_object_get(o, "nwrong"));
	read_percentiles(per_iter, h);
	return true;
}

static void copy_text(const json_t *v, char *out, size_t max)
{
	struct piece text = text_of(v);

	import_copy(out, max, text.p ? text.p : "", text.n);
}

static void read_row(struct imported *im, struct import_table *t, const json_t *o)
{
	double size = number_of(json_object_get(o, "size"));
	struct import_row *r;

	if (!json_is_object(o) || !(size >= 0) || size > 1e18) {
		t->n_cut++;
		return;
	}
	if (size == 0) {
		t->n_empty++;
		return;
	}
	if (!json_is_object(json_object_get(o, "out_of_place")) &&
	    !json_is_object(json_object_get(o, "in_place"))) {
		t->n_cut++;
		return;
	}
	r = imported_row(im, t);
	if (!r)
		return;
	r->bytes = (uint64_t)size;
	r->count = (uint64_t)int_of(json_object_get(o, "count"), 0);
	copy_text(json_object_get(o, "type"), r->dtype, sizeof(r->dtype));
	copy_text(json_object_get(o, "redop"), r->redop, sizeof(r->redop));
	r->root = (int)int_of(json_object_get(o, "root"), -1);
	read_half(json_object_get(o, "out_of_place"), json_object_get(o, "out_of_place_per_iter"),
		  &r->half[0]);
	t->in_place |= read_half(json_object_get(o, "in_place"),
				 json_object_get(o, "in_place_per_iter"), &r->half[1]);
}

static void read_footer(struct imported *im, const json_t *root, struct import_table *t)
{
	/* Up to 2.17.8 it was misspelt. */
	const json_t *avg = json_object_get(root, "average_bus_bandwidth"),
		     *old = json_object_get(root, "average_bus_bandwidith");
	const json_t *bounds = json_object_get(root, "out_of_bounds"),
		     *errors = json_object_get(root, "errors");

	t->avg_busbw =
	    number_of(avg ? json_object_get(avg, "bandwidth") : json_object_get(old, "bandwidith"));
	t->out_of_bounds = number_of(json_object_get(bounds, "count"));
	t->out_of_bounds_failed = bounds && !true_of(json_object_get(bounds, "okay"));
	t->ended = bounds != NULL;
	for (size_t i = 0; i < json_array_size(errors); i++) {
		struct piece text = text_of(json_array_get(errors, i));

		if (!text.n)
			continue;
		imported_failure(im, text.p, text.n);
		t->failed = true;
	}
}

static int read_object(struct imported *im, const json_t *root)
{
	const json_t *results = json_object_get(root, "results");
	struct import_table *t;
	struct nccl_about a;
	int rc;

	if (!json_is_array(results) && !json_is_object(json_object_get(root, "config")))
		return 0;
	t = imported_table(im);
	if (!t)
		return -ENOMEM;
	nccl_about_init(&a);
	read_about(root, &a);
	guess_version(root, &a);
	read_environment(im, root, &a);
	t->line = 1;
	nccl_about_table(&a, t);
	snprintf(t->version, sizeof(t->version), "%s or later", a.version);
	if (!t->op_from) {
		const struct import_op *op = import_op_within(imported_name(im));

		if (op) {
			snprintf(t->op, sizeof(t->op), "%s", op->name);
			t->op_from = "the file's name";
		}
	}
	rc = read_devices(root, t);
	for (size_t i = 0; i < json_array_size(results) && rc == 0 && !im->failed; i++)
		read_row(im, t, json_array_get(results, i));
	read_footer(im, root, t);
	return rc;
}

int nccl_tests_json_read(struct imported *im, const char *data, size_t len)
{
	struct buf text = { 0 };
	json_error_t error;
	size_t at = 0;
	bool cut;
	int rc = 0;

	while (rc == 0 && !im->failed && repair_next(data, len, &at, &text, &cut)) {
		json_t *root =
		    text.failed ? NULL : json_loadb(buf_text(&text), text.len, 0, &error);

		if (cut)
			imported_note(
			    im, "%s: the JSON ends in the middle; its complete results are kept",
			    imported_name(im));
		if (text.failed)
			rc = -ENOMEM;
		else if (!root && text.len)
			imported_note(im, "%s: not JSON: line %d: %.100s", imported_name(im),
				      error.line, error.text);
		if (root)
			rc = read_object(im, root);
		json_decref(root);
	}
	buf_fini(&text);
	return rc;
}

bool nccl_tests_json_probe(const char *data, size_t len)
{
	struct piece all = { data, len };
	size_t i = 0;

	while (i < len && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' ||
			   data[i] == '\t' || (unsigned char)data[i] >= 0xbb))
		i++;
	return i < len && data[i] == '{' &&
	       (line_find(all, "\"results\"") || line_find(all, "\"nccl_version\"")) &&
	       !line_find(all, "\"nvbandwidth\"");
}
