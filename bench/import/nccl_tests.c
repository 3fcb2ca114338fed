/* SPDX-License-Identifier: Apache-2.0 */
/* See nccl_tests.h. */
#include "import/nccl_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/ops.h"
#include "import/table.h"

/* TABLE: a command line's spelling, and the word in the method id (NULL: said another way). */
static const struct {
	const char *letter, *name, *word;
} options[OPTION_COUNT] = {
	[OPTION_WARMUP] = { "-w", "--warmup_iters", NULL },
	[OPTION_ITERS] = { "-n", "--iters", "n" },
	[OPTION_AGG] = { "-m", "--agg_iters", "m" },
	[OPTION_GRAPH] = { "-G", "--cudagraph", "graph" },
	[OPTION_AVERAGE] = { "-a", "--average", NULL },
	[OPTION_BLOCKING] = { "-z", "--blocking", "blocking" },
	[OPTION_CPUTIME] = { "-C", "--report_cputime", "cputime" },
	[OPTION_REGISTER] = { "-R", "--local_register", "register" },
	[OPTION_DEVICE_API] = { "-D", "--device_implementation", "device" },
	[OPTION_UNALIGN] = { "-u", "--unalign", "unalign" },
	[OPTION_PER_ITER] = { "-I", "--per_iter_timing", "events" },
};

static const char *const averages[] = { "rank0", "mean", "min", "max" }; /* -a */

void nccl_about_init(struct nccl_about *a)
{
	*a = (struct nccl_about){ 0 };
	for (size_t i = 0; i < OPTION_COUNT; i++)
		a->option[i] = -1;
}

bool nccl_about_program(struct nccl_about *a, struct piece word, const char *from)
{
	const char *mark = line_find(word, "_perf"), *base = word.p;
	const struct import_op *op;

	for (const char *c = word.p; mark && c < mark; c++)
		if (!(*c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9')))
			base = c + 1;
	if (!mark || base == mark || (size_t)(mark - base) >= sizeof(a->op))
		return false;
	op = import_op_find(base, (size_t)(mark - base));
	if (op)
		snprintf(a->op, sizeof(a->op), "%s", op->name);
	else
		import_copy(a->op, sizeof(a->op), base, (size_t)(mark - base));
	a->op_from = from;
	return true;
}

/* "-n 20", "-n20", "--iters 20", "--iters=20". */
static long option_value(const struct piece *words, size_t n, size_t i, size_t o)
{
	const char *letter = options[o].letter, *name = options[o].name;
	struct piece w = words[i], next = i + 1 < n ? words[i + 1] : (struct piece){ NULL, 0 };
	size_t len = strlen(name);

	if (line_is(w, letter) || line_is(w, name))
		return line_int(next, -1);
	if (w.n > 2 && memcmp(w.p, letter, 2) == 0)
		return line_int((struct piece){ w.p + 2, w.n - 2 }, -1);
	if (w.n > len + 1 && memcmp(w.p, name, len) == 0 && w.p[len] == '=')
		return line_int((struct piece){ w.p + len + 1, w.n - len - 1 }, -1);
	return -1;
}

void nccl_about_arguments(struct nccl_about *a, const struct piece *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t o = 0; o < OPTION_COUNT; o++) {
			long v = option_value(words, n, i, o);

			if (v >= 0)
				a->option[o] = v;
		}
}

void nccl_version_text(long code, char *out, size_t max)
{
	if (code >= 10000 && code < 10000000)
		snprintf(out, max, "%ld.%ld.%ld", code / 10000, code / 100 % 100, code % 100);
	else if (code >= 1000 && code < 10000)
		snprintf(out, max, "%ld.%ld.%ld", code / 1000, code / 100 % 10, code % 100);
	else
		out[0] = '\0';
}

/* "2.17.4" -> 21704; -1. */
static long version_code(const char *text)
{
	char *end;
	long v[3] = { 0 };

	for (size_t i = 0; i < 3; i++) {
		v[i] = strtol(text, &end, 10);
		if (end == text || v[i] < 0 || v[i] > 99)
			return -1;
		if (*end != '.')
			break;
		text = end + 1;
	}
	return v[0] * 10000 + v[1] * 100 + v[2];
}

/* Since 2.16.8 every size is warmed up, before only the largest and the smallest: another figure
 * for small sizes. */
static const char *warmup_rule(const struct nccl_about *a)
{
	long v = version_code(a->version);

	if (v >= 0)
		return v >= 21608 ? "each" : "ends";
	return a->old_error || (a->configured && !a->starting) ? "ends" : "unknown";
}

/* Up to 2.9 the time was rank 0's. */
static const char *over_ranks(const struct nccl_about *a)
{
	long v = version_code(a->version), given = a->option[OPTION_AVERAGE];

	if (given >= 0 && given < (long)N_ELEMENTS(averages))
		return averages[given];
	if (v >= 0)
		return v < 21000 ? "rank0" : "mean";
	return a->old_error ? "unknown" : "mean";
}

static const char *timing_of(const struct nccl_about *a)
{
	if (a->option[OPTION_BLOCKING] > 0)
		return "blocking";
	return a->option[OPTION_GRAPH] > 0 ? "graph" : "stream";
}

static void method_text(const struct nccl_about *a, char *out, size_t max)
{
	size_t n;

	snprintf(out, max, "nccl-tests warmup=%s", warmup_rule(a));
	n = strlen(out);
	if (a->option[OPTION_WARMUP] >= 0)
		snprintf(out + n, max - n, ":%ld", a->option[OPTION_WARMUP]);
	n = strlen(out);
	snprintf(out + n, max - n, " ranks=%s", over_ranks(a));
	for (size_t o = 0; o < OPTION_COUNT; o++) {
		bool always = o == OPTION_ITERS || o == OPTION_AGG;

		n = strlen(out);
		if (options[o].word && (always ? a->option[o] >= 0 : a->option[o] > 0))
			snprintf(out + n, max - n, " %s=%ld", options[o].word, a->option[o]);
	}
}

void nccl_about_setting(struct nccl_about *a, struct piece name, struct piece value)
{
	char text[NCCL_SETTING_LEN], label[NCCL_SETTING_LEN];
	size_t i, n;

	import_copy(label, sizeof(label), name.p, name.n);
	if (strncmp(label, "NCCL_", 5) != 0 || strncmp(label, "NCCL_DEBUG", 10) == 0 ||
	    strncmp(label, "NCCL_TESTS_", 11) == 0)
		return;
	snprintf(text, sizeof(text), "%s=", label);
	n = strlen(text);
	import_copy(text + n, sizeof(text) - n, value.p ? value.p : "", value.n);
	for (i = 0; i < a->n_settings && strcmp(a->setting[i], text) < 0; i++)
		;
	if ((i < a->n_settings && strncmp(a->setting[i], text, n) == 0) ||
	    (i && strncmp(a->setting[i - 1], text, n) == 0) || a->n_settings == NCCL_SETTINGS_MAX)
		return; /* every rank says it */
	memmove(a->setting[i + 1], a->setting[i], (a->n_settings - i) * sizeof(a->setting[0]));
	memcpy(a->setting[i], text, sizeof(text));
	a->n_settings++;
}

/* TABLE: words of a heading that name a transport. */
static const struct {
	const char *word, *transport;
} heading_words[] = {
	{ "p2p", "p2p" },       { "nvlink", "p2p" }, { "shm", "shm" }, { "sock", "socket" },
	{ "socket", "socket" }, { "tcp", "socket" }, { "ib", "ib" },
};

/* The user's own word for it; nothing proves it. */
static void heading_transport(const char *heading, char *out, size_t max)
{
	char copy[IMPORT_TEXT], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", heading);
	for (char *w = strtok_r(copy, " _-:,;/.#=()", &save); w;
	     w = strtok_r(NULL, " _-:,;/.#=()", &save))
		for (size_t i = 0; i < N_ELEMENTS(heading_words); i++)
			if (strcasecmp(heading_words[i].word, w) == 0) {
				snprintf(out, max, "%s", heading_words[i].transport);
				return;
			}
}

void nccl_about_table(const struct nccl_about *a, struct import_table *t)
{
	long n = a->option[OPTION_ITERS], m = a->option[OPTION_AGG];

	t->tool = "nccl-tests";
	snprintf(t->version, sizeof(t->version), "%s", a->version);
	snprintf(t->nccl_version, sizeof(t->nccl_version), "%s", a->nccl_version);
	snprintf(t->op, sizeof(t->op), "%s", a->op_from ? a->op : "unknown");
	t->op_from = a->op_from;
	t->timing = timing_of(a);
	method_text(a, t->method, sizeof(t->method));
	snprintf(t->heading, sizeof(t->heading), "%s", a->heading);
	heading_transport(a->heading, t->transport, sizeof(t->transport));
	for (size_t i = 0; i < a->n_settings; i++) {
		size_t len = strlen(t->settings);

		snprintf(t->settings + len, sizeof(t->settings) - len, "%s%s", len ? " " : "",
			 a->setting[i]);
	}
	if (n > 0)
		t->ops_per_batch = (double)n * (double)(m > 0 ? m : 1);
}
