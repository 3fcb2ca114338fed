/* SPDX-License-Identifier: Apache-2.0 */
/* estimate RUN...: what each measured transport costs a step of training. Reads runs; measures
 * nothing. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "data/record.h"
#include "ncclbench/exitcode.h"
#include "report/estimate.h"
#include "report/run_view.h"
#include "report/view.h"
#include "spec/transport.h"
#include "tool/cmd.h"
#include "tool/words.h"

#define POINTS_MAX (512u << 20)
#define MODEL_MAX (1u << 20)
#define RUNS_MAX 64
#define MFU_OF_GEMM 0.7  /* of what a matrix multiplication reaches */
#define MFU_OF_SHEET 0.4 /* of the data sheet: what good training code reports */

struct estimate_options {
	struct estimate_model model;
	bool have_model, json;
	struct estimate_request q;
	double mfu, tflops, sequence;
};

struct loaded {
	const char *path;
	struct record *rows;
	size_t n;
	bool one_host;
	int ranks;
	char gpu[96];
};

/* ---- options ---- */

static const char *positive(const char *v, double max, double *out)
{
	double d;

	if (num_parse_double(v, &d) || !(d > 0) || d > max)
		return "a number above 0 is wanted";
	*out = d;
	return NULL;
}

static const char *set_model(struct estimate_options *o, const char *v)
{
	static char why[160];
	int id = estimate_model_find(v);
	char *data = NULL;
	size_t len = 0;
	int rc;

	o->have_model = true;
	if (id >= 0) {
		o->model = estimate_models[id];
		return NULL;
	}
	rc = file_read_all(v, MODEL_MAX, &data, &len);
	if (rc)
		return "is no model of the table (ncclbench estimate --help) and no file that can "
		       "be read";
	rc = estimate_model_parse(data, len, &o->model, why, sizeof(why));
	free(data);
	return rc ? why : NULL;
}

static const char *set_parallel(struct estimate_options *o, const char *v)
{
	int id = estimate_scheme_find(v);

	if (id < 0)
		return "is none of ddp, fsdp, zero3, tp";
	o->q.scheme = &estimate_schemes[id];
	return NULL;
}

static const char *set_gpus(struct estimate_options *o, const char *v)
{
	int64_t n;

	if (num_parse_i64(v, 2, 1000000, &n))
		return "a whole number from 2 is wanted";
	o->q.gpus = (int)n;
	return NULL;
}

static const char *set_tokens(struct estimate_options *o, const char *v)
{
	return positive(v, 1e12, &o->q.tokens) ? "a number above 0, up to 1e12, is wanted" : NULL;
}

static const char *set_mfu(struct estimate_options *o, const char *v)
{
	return positive(v, 1, &o->mfu) ? "a fraction above 0, up to 1, is wanted" : NULL;
}

static const char *set_tflops(struct estimate_options *o, const char *v)
{
	return positive(v, 1e9, &o->tflops);
}

static const char *set_compute(struct estimate_options *o, const char *v)
{
	return positive(v, 1e9, &o->q.compute_seconds);
}

static const char *set_sequence(struct estimate_options *o, const char *v)
{
	return positive(v, 1e9, &o->sequence);
}

static const char *set_accumulate(struct estimate_options *o, const char *v)
{
	int64_t n;

	if (num_parse_i64(v, 1, 1000000, &n))
		return "a whole number from 1 is wanted";
	o->q.accumulate = (int)n;
	return NULL;
}

static const char *set_overlap(struct estimate_options *o, const char *v)
{
	char low[32];
	const char *comma = strchr(v, ',');
	double lo, hi;

	if (!comma || (size_t)(comma - v) >= sizeof(low))
		return "two fractions are wanted, as 0,1";
	snprintf(low, sizeof(low), "%.*s", (int)(comma - v), v);
	if (num_parse_double(low, &lo) || num_parse_double(comma + 1, &hi) || lo < 0 || hi > 1 ||
	    lo > hi)
		return "two fractions are wanted, as 0,1";
	o->q.overlap_lo = lo;
	o->q.overlap_hi = hi;
	return NULL;
}

static const struct option_row {
	const char *name, *value, *help;
	const char *(*set)(struct estimate_options *o, const char *v);
} options[] = {
	{ "--model", "NAME",
	  "gpt2, llama3-8b, llama3-70b, or a JSON file with parameters, layers, hidden, sequence",
	  set_model },
	{ "--parallel", "WAY", "ddp, fsdp, zero3 or tp", set_parallel },
	{ "--tokens", "T", "tokens per GPU and micro-batch (tp: per group)", set_tokens },
	{ "--gpus", "N", "number of GPUs (default: as many as were measured)", set_gpus },
	{ "--accumulate", "N", "micro-batches per step (default: 1)", set_accumulate },
	{ "--tflops", "X",
	  "what a GPU's matrix multiplication reaches, measured (default: data sheet, by the GPU's "
	  "name)",
	  set_tflops },
	{ "--mfu", "F",
	  "fraction of it that training reaches (default: 0.7 of --tflops, 0.4 of a data sheet)",
	  set_mfu },
	{ "--compute-seconds", "S",
	  "time of computing a micro-batch, measured; instead of --tflops and --mfu", set_compute },
	{ "--sequence", "N", "length of a sequence (default: the model's)", set_sequence },
	{ "--overlap", "LO,HI",
	  "how much of the communication that can hide does, at least and at most (default: 0,1)",
	  set_overlap },
	{ "--json", NULL, "one object for scripts", NULL },
};

static int help(void)
{
	printf(
	    "usage: ncclbench estimate --model NAME --parallel WAY --tokens T [options] RUN...\n\n"
	    "What communication costs a training step over each transport of a run: bytes, "
	    "operations, time from the measured\n"
	    "curves, both bounds of overlap, and the tokens from which on it can hide. "
	    "docs/estimate.md has the model and its limits.\n\n");
	for (size_t i = 0; i < N_ELEMENTS(options); i++)
		printf("  %-17s %-5s %s\n", options[i].name,
		       options[i].value ? options[i].value : "", options[i].help);
	printf("\nModels:\n");
	for (size_t i = 0; i < estimate_n_models; i++)
		printf("  %-11s %.4g parameters, %.0f layers, width %.0f; %s\n",
		       estimate_models[i].name, estimate_models[i].parameters,
		       estimate_models[i].layers, estimate_models[i].hidden,
		       estimate_models[i].source);
	printf("\nExample: what falling back from NVLink to shared memory would cost\n"
	       "  ncclbench estimate --model llama3-8b --parallel fsdp --tokens 8192 "
	       "results/sample/2xh200\n\n"
	       "Exit status: 0 estimated, 2 usage or nothing to estimate from.\n");
	return NB_EXIT_OK;
}

static int option(struct estimate_options *o, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *eq = strchr(word, '='), *value = eq ? eq + 1 : NULL, *why;
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	for (size_t k = 0; k < N_ELEMENTS(options); k++) {
		if (strlen(options[k].name) != n || strncmp(options[k].name, word, n) != 0)
			continue;
		if (!options[k].set) {
			o->json = true;
			return value ? words_refuse("estimate", options[k].name, value,
						    "takes no value")
				     : 0;
		}
		if (!value && *i + 1 < argc)
			value = argv[++*i];
		if (!value)
			return words_refuse("estimate", options[k].name, "", "needs a value");
		why = options[k].set(o, value);
		return why ? words_refuse("estimate", options[k].name, value, why) : 0;
	}
	return words_unknown("estimate", word, &options[0].name, sizeof(options[0]),
			     N_ELEMENTS(options));
}

static int parse(struct estimate_options *o, int argc, char **argv)
{
	int n = 0;
	bool words = true;

	for (int i = 1; i < argc; i++) {
		if (words && strcmp(argv[i], "--") == 0)
			words = false;
		else if (!words || argv[i][0] != '-')
			argv[n++] = argv[i];
		else if (option(o, argc, argv, &i))
			return -1;
	}
	return n;
}

static int complain(const struct estimate_options *o, int runs)
{
	const struct {
		bool missing;
		const char *question;
	} needs[] = {
		{ runs == 0, "which run? name a run directory" },
		{ runs > RUNS_MAX, "at most 64 runs at a time" },
		{ !o->have_model, "which model? --model gpt2, llama3-8b, llama3-70b or a file" },
		{ !o->q.scheme, "how is it parallel? --parallel ddp, fsdp, zero3 or tp" },
		{ !(o->q.tokens > 0), "how many tokens per GPU and micro-batch? --tokens T" },
	};
	struct buf all = { 0 };

	for (size_t i = 0; i < N_ELEMENTS(needs); i++)
		if (needs[i].missing)
			buf_printf(&all, "%s; ", needs[i].question);
	if (all.len > 0)
		log_error("estimate: %sncclbench estimate --help shows an example", buf_text(&all));
	runs = all.len > 0;
	buf_fini(&all);
	return runs;
}

/* ---- runs ---- */

static void gpu_name(const json_t *rank, char *out, size_t max)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)rank, key, v)
	{
		size_t n = strlen(key);

		if (strncmp(key, "gpu", 3) == 0 && n > 5 && strcmp(key + n - 5, ".name") == 0 &&
		    json_is_string(v)) {
			snprintf(out, max, "%s", json_string_value(v));
			return;
		}
	}
}

/* Absent: nothing is known about the machine, the points count. */
static int load_facts(const char *dir, struct loaded *r, char *why, size_t why_max)
{
	json_t *o = NULL;
	int rc = run_view_meta(dir, &o, why, why_max);
	const json_t *hosts = json_object_get(o, "hosts");

	if (rc)
		return rc;
	r->one_host = !json_is_integer(hosts) || json_integer_value(hosts) <= 1;
	r->ranks = (int)json_integer_value(json_object_get(o, "nranks"));
	gpu_name(json_array_get(json_object_get(o, "ranks"), 0), r->gpu, sizeof(r->gpu));
	json_decref(o);
	return 0;
}

static int load(const char *dir, struct loaded *r)
{
	char *path, *data = NULL, why[600] = "", cut[300] = "";
	size_t len = 0;
	int rc, most;

	*r = (struct loaded){ .path = dir };
	if (dir[0] == '\0') {
		log_error("estimate: the name of the run is empty: name a run directory");
		return NB_EXIT_USAGE;
	}
	path = file_join(dir, "points.csv");
	rc = path ? file_read_all(path, POINTS_MAX, &data, &len) : -ENOMEM;
	if (rc == 0)
		rc =
		    record_read_run(data, len, &r->rows, &r->n, cut, sizeof(cut), why, sizeof(why));
	free(data);
	free(path);
	if (rc) {
		log_error("estimate: cannot read %.*s/points.csv: %s", CMD_WORD_MAX, dir,
			  why[0] ? why : file_why(rc));
		return NB_EXIT_USAGE;
	}
	if (cut[0])
		log_note("estimate: %.*s/points.csv: %s", CMD_WORD_MAX, dir, cut);
	if (load_facts(dir, r, why, sizeof(why))) {
		log_error("estimate: %s", why);
		return NB_EXIT_USAGE;
	}
	/* What was measured, which may be fewer than were started. */
	most = view_most_ranks(r->rows, r->n);
	r->ranks = most > 1 ? most : r->ranks;
	return 0;
}

/* ---- rows ---- */

static const char *backend_of(const struct loaded *r, const char *transport)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->rows[i].transport, transport) == 0)
			return r->rows[i].backend;
	return "";
}

static bool is_loopback(const struct loaded *r, const char *backend, const char *transport)
{
	int b = backend_find(backend), id = b >= 0 ? transport_find(b, transport) : -1;

	return r->one_host && id >= 0 && transport_table[id].flags & TRANSPORT_NETWORK;
}

/* 0 or an exit code. */
static int settle_compute(const struct estimate_options *o, const struct loaded *r,
			  struct estimate_request *q)
{
	double sheet = estimate_datasheet_tflops(r->gpu, NULL);
	double tflops = isfinite(o->tflops) ? o->tflops : sheet;
	double mfu = isfinite(o->mfu) ? o->mfu : isfinite(o->tflops) ? MFU_OF_GEMM : MFU_OF_SHEET;

	q->flops = tflops * mfu * 1e12;
	if (isfinite(q->compute_seconds) || isfinite(q->flops))
		return 0;
	log_error("estimate: how fast does the GPU of %.*s compute? --tflops X (what a matrix "
		  "multiplication reaches) or --compute-seconds S",
		  CMD_WORD_MAX, r->path);
	return NB_EXIT_USAGE;
}

struct result {
	struct estimate_row row[RUNS_MAX * VIEW_TRANSPORTS_MAX];
	size_t n;
};

static int add_run(const struct estimate_options *o, const struct loaded *r,
		   struct estimate_request *q, struct result *out)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	struct view v = { .rows = r->rows, .n_rows = r->n, .one_host = r->one_host };
	size_t n = view_transports(&v, names, VIEW_TRANSPORTS_MAX);
	int code = settle_compute(o, r, q);

	for (size_t i = 0; i < n && code == 0; i++) {
		const char *backend = backend_of(r, names[i]);
		struct estimate_row *row = &out->row[out->n];

		if (estimate_row_compute(q, r->rows, r->n, backend, names[i], row)) {
			log_error("estimate: out of memory");
			return NB_EXIT_BROKEN;
		}
		row->run = r->path;
		row->label = view_transport_label(&v, backend, names[i]);
		row->loopback = is_loopback(r, backend, names[i]);
		out->n++;
	}
	return code;
}

static int print(const struct estimate_options *o, const struct estimate_request *q,
		 const struct result *res)
{
	struct buf out = { 0 };
	char *json = o->json ? estimate_json(q, res->row, res->n) : NULL;
	int r;

	if (json) {
		buf_puts(&out, json);
		buf_putc(&out, '\n');
	} else if (!o->json) {
		estimate_text(&out, q, res->row, res->n);
	}
	out.failed |= o->json && !json;
	r = output_put(&out);
	free(json);
	buf_fini(&out);
	return r < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static bool any_complete(const struct result *res)
{
	for (size_t i = 0; i < res->n; i++)
		if (res->row[i].complete)
			return true;
	return false;
}

static int estimate(struct estimate_options *o, char **paths, int n)
{
	struct loaded *runs = calloc((size_t)n, sizeof(*runs));
	struct result *res = calloc(1, sizeof(*res));
	struct estimate_request first = { 0 };
	int code = runs && res ? 0 : NB_EXIT_BROKEN;

	o->q.model = &o->model;
	if (isfinite(o->sequence))
		o->model.sequence = o->sequence;
	for (int i = 0; i < n && code == 0; i++) {
		struct estimate_request q = o->q;

		code = load(paths[i], &runs[i]);
		if (code == 0 && o->q.gpus == 0)
			o->q.gpus = runs[i].ranks > 1 ? runs[i].ranks : 2;
		q.gpus = o->q.gpus;
		if (code == 0)
			code = add_run(o, &runs[i], &q, res);
		if (i == 0)
			first = q;
	}
	if (code == 0 && !any_complete(res)) {
		log_error("estimate: %.*s has no measured all_reduce (nor what %s needs): nothing "
			  "to estimate from",
			  CMD_WORD_MAX, paths[0], o->q.scheme->name);
		code = NB_EXIT_USAGE;
	}
	if (code == 0)
		code = print(o, &first, res);
	for (int i = 0; runs && i < n; i++)
		free(runs[i].rows);
	free(runs);
	free(res);
	return code;
}

static int run(int argc, char **argv)
{
	struct estimate_options o = {
		.q = { .accumulate = 1, .compute_seconds = NAN, .overlap_lo = 0, .overlap_hi = 1 },
		.mfu = NAN,
		.tflops = NAN,
		.sequence = NAN,
	};
	int n;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return help();
	n = parse(&o, argc, argv);
	if (n < 0 || complain(&o, n))
		return NB_EXIT_USAGE;
	return estimate(&o, argv, n);
}

const struct cmd cmd_estimate = { "estimate", "say what each transport costs a step of training",
				  run };
