/* SPDX-License-Identifier: Apache-2.0 */
/* import FILE...: what other tools measured, as a run directory. Measures nothing and believes only
 * size and time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/num.h"
#include "base/output.h"
#include "base/visible.h"
#include "data/store.h"
#include "import/format.h"
#include "import/result.h"
#include "ncclbench/exitcode.h"
#include "spec/op.h"
#include "spec/transport.h"
#include "tool/cmd.h"
#include "tool/words.h"

#define FILE_MAX (256u << 20)
#define RANKS_MAX 1000000
#define BUFFER_MAX ((uint64_t)1 << 40)

struct import_options {
	struct import_request request;
	const char *out;
	bool json, dry_run;
};

/* TABLE of options with a value; set returns NULL or what is wrong. */
static const char *set_out(struct import_options *o, const char *v)
{
	o->out = v;
	return *v ? NULL : "an empty name";
}

static const char *set_op(struct import_options *o, const char *v)
{
	o->request.op = v;
	return op_find(v) < 0 ? "no such operation; ncclbench list ops names them" : NULL;
}

static const char *set_transport(struct import_options *o, const char *v)
{
	o->request.transport = v;
	return transport_find(BACKEND_NCCL, v) < 0
		   ? "no such transport; ncclbench list transports names them"
		   : NULL;
}

static const char *set_ranks(struct import_options *o, const char *v)
{
	int64_t n;

	if (num_parse_i64(v, 1, RANKS_MAX, &n))
		return "a whole number from 1 is wanted";
	o->request.ranks = (int)n;
	return NULL;
}

static const char *set_buffer(struct import_options *o, const char *v)
{
	return num_parse_size(v, &o->request.buffer) || !o->request.buffer ||
		       o->request.buffer > BUFFER_MAX
		   ? "a size such as 512M is wanted, at most 1T"
		   : NULL;
}

static const char *set_format(struct import_options *o, const char *v)
{
	o->request.format = v;
	return import_format_find(v) < 0 ? "no such format; ncclbench import --help lists them"
					 : NULL;
}

static const struct option_row {
	const char *name, *value, *help;
	const char *(*set)(struct import_options *o, const char *v);
} rows[] = {
	{ "--out", "DIR", "the run directory (default: results/runs/<time>-import)", set_out },
	{ "--op", "NAME", "the operation, where a file does not say", set_op },
	{ "--transport", "NAME",
	  "the transport of all that is imported, where no log in the file shows it",
	  set_transport },
	{ "--ranks", "N", "the number of ranks, where a file does not say (OSU never does)",
	  set_ranks },
	{ "--buffer", "SIZE",
	  "nvbandwidth's -b, which its output does not say (default: its own, 512M)", set_buffer },
	{ "--format", "NAME", "do not find out the format", set_format },
	{ "--json", NULL, "one object for scripts", NULL },
	{ "--dry-run", NULL, "read and check only; write nothing", NULL },
};

static int help(void)
{
	printf("usage: ncclbench import [options] FILE...\n\n"
	       "Turns what other tools printed into a run that report and gate take. Bandwidths "
	       "are computed again from size and\n"
	       "time; rows that contradict themselves by more than rounding are named. - is "
	       "standard input.\n\n");
	for (size_t i = 0; i < N_ELEMENTS(rows); i++)
		printf("  %-11s %-5s %s\n", rows[i].name, rows[i].value ? rows[i].value : "",
		       rows[i].help);
	printf("\nFormats:\n");
	for (size_t i = 0; i < import_n_formats; i++)
		printf("  %-17s %s\n", import_formats[i].name, import_formats[i].help);
	printf("\nExample:\n"
	       "  ./all_reduce_perf -b 8 -e 4G -f 2 -g 2 | tee all_reduce.txt; ncclbench import "
	       "--out runs/nccl-tests all_reduce.txt\n\n"
	       "Files of one tool and method are restarts of the same points. Exit status: 0 "
	       "imported, 2 a file cannot be read or\n"
	       "no file holds a table.\n");
	return NB_EXIT_OK;
}

static int option(struct import_options *o, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *eq = strchr(word, '='), *value = eq ? eq + 1 : NULL, *why;
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	if (strcmp(word, "-o") == 0)
		word = "--out", n = 5;
	for (size_t k = 0; k < N_ELEMENTS(rows); k++) {
		if (strlen(rows[k].name) != n || strncmp(rows[k].name, word, n) != 0)
			continue;
		if (!rows[k].set) {
			if (value)
				return words_refuse("import", rows[k].name, value,
						    "it takes no value");
			o->json |= strcmp(rows[k].name, "--json") == 0;
			o->dry_run |= strcmp(rows[k].name, "--dry-run") == 0;
			return 0;
		}
		if (!value && *i + 1 < argc)
			value = argv[++*i];
		if (!value)
			return words_refuse("import", rows[k].name, "", "a value is missing");
		why = rows[k].set(o, value);
		return why ? words_refuse("import", rows[k].name, value, why) : 0;
	}
	return words_unknown("import", word, &rows[0].name, sizeof(rows[0]), N_ELEMENTS(rows));
}

/* Options out of argv; how many files are left in it, or -1. */
static int parse(struct import_options *o, int argc, char **argv)
{
	int n = 0;
	bool words = true;

	for (int i = 1; i < argc; i++) {
		if (words && strcmp(argv[i], "--") == 0)
			words = false;
		else if (!words || argv[i][0] != '-' || !argv[i][1])
			argv[n++] = argv[i];
		else if (option(o, argc, argv, &i))
			return -1;
	}
	return n;
}

/* 0 or an exit code; a file without a table is told and not a fault while others have one. */
static int read_one(struct imported *im, const struct import_options *o, const char *path,
		    bool *found)
{
	char *data = NULL;
	size_t len = 0;
	int rc = file_read_all(strcmp(path, "-") == 0 ? "/dev/stdin" : path, FILE_MAX, &data, &len);

	if (rc) {
		log_error("import: cannot read %.*s: %s", CMD_WORD_MAX, path,
			  rc == -EFBIG ? "larger than 256 MiB" : file_why(rc));
		return NB_EXIT_USAGE;
	}
	rc = import_read(im, &o->request, path, data, len);
	free(data);
	if (rc < 0) {
		log_error("import: %.*s: %s", CMD_WORD_MAX, path,
			  im->n_rows >= IMPORT_ROWS_MAX ? "too many rows" : "out of memory");
		return NB_EXIT_USAGE;
	}
	if (rc == 0)
		*found = true;
	else
		imported_note(im, "%.*s: no table in it", CMD_WORD_MAX, path);
	return 0;
}

static int fail(const struct store *s, const char *dir, int rc)
{
	if (rc == -ENOTEMPTY)
		log_error("import: %.*s is not empty; --out names another directory", CMD_WORD_MAX,
			  dir);
	else
		log_error("import: cannot write %.*s/%s: %s", CMD_WORD_MAX, dir,
			  s->failed ? s->failed : "", strerror(-rc));
	return rc == -ENOTEMPTY ? NB_EXIT_USAGE : NB_EXIT_BROKEN;
}

static int write_run(const struct imported *im, const char *dir)
{
	char *json = import_run_json(im, "import");
	struct store s;
	int rc, closed;

	store_init(&s);
	if (!json)
		return fail(&s, dir, -ENOMEM);
	rc = store_create(&s, dir);
	if (rc) {
		free(json);
		return fail(&s, dir, rc);
	}
	rc = import_write_points(im, &s);
	if (rc == 0)
		rc = store_text(&s, "run.json", json, strlen(json));
	closed = store_close(&s);
	free(json);
	if (rc == 0)
		rc = closed;
	return rc ? fail(&s, dir, rc) : 0;
}

static int print(const struct imported *im, const struct import_options *o, const char *dir)
{
	struct buf text = { 0 };
	char *json = o->json ? import_tables_json(im, dir) : NULL;
	int r;

	if (json) {
		buf_puts(&text, json);
		buf_putc(&text, '\n');
	} else if (!o->json) {
		import_tables_text(im, &text);
		if (dir) {
			buf_puts(&text, "run: ");
			visible_escape(&text, dir);
			buf_putc(&text, '\n');
		}
	}
	text.failed |= o->json && !json;
	r = output_put(&text);
	free(json);
	buf_fini(&text);
	return r < 0 ? NB_EXIT_BROKEN : NB_EXIT_OK;
}

static int finish(const struct imported *im, const struct import_options *o)
{
	char *dir = o->dry_run ? NULL : o->out ? strdup(o->out) : store_default_dir("import");
	int code = dir          ? write_run(im, dir)
		   : o->dry_run ? 0
				: fail(&(struct store){ 0 }, "", -ENOMEM);

	if (code == 0)
		code = print(im, o, dir);
	free(dir);
	return code;
}

static int run(int argc, char **argv)
{
	struct import_options o = { .json = false };
	struct imported im = { 0 };
	bool found = false;
	int n, code = 0;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return help();
	n = parse(&o, argc, argv);
	if (n < 0)
		return NB_EXIT_USAGE;
	if (n == 0) {
		log_error("import: which file? ncclbench import FILE...; - is standard input");
		return NB_EXIT_USAGE;
	}
	for (int i = 0; i < n && code == 0; i++)
		code = read_one(&im, &o, argv[i], &found);
	if (code == 0 && !found) {
		log_error("import: %.*s: no table of a known tool in %s; ncclbench import --help "
			  "lists the formats",
			  CMD_WORD_MAX, argv[0], n > 1 ? "it or the others" : "it");
		code = NB_EXIT_USAGE;
	}
	if (code == 0)
		code = finish(&im, &o);
	imported_fini(&im);
	return code;
}

const struct cmd cmd_import = { "import",
				"turn tables of nccl-tests, nvbandwidth and OSU into a run", run };
