/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-tests' and rccl-tests' printed tables, 1.0 to 2.19: docs/import.md lists the dialects. Lines
 * may carry prefixes, the library's log may stand between lines and in the middle of one, a file
 * may hold many runs and end anywhere.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/columns.h"
#include "import/format.h"
#include "import/nccl_tests.h"
#include "import/ops.h"
#include "ncclog/proof.h"
#include "ncclog/scan.h"
#include "spec/transport.h"

#define DEVICES_MAX 16384u

/* What belongs to one start of the tool; its tables are those from `first` on. */
struct context {
	struct nccl_about about;
	struct import_device *devices;
	size_t n_devices;
	struct scan scan;
	size_t first, n_log;
	int ranks, last_rank; /* of rank 0's group; the highest seen so far */
	bool split;
	bool used; /* a table was begun: what describes a run now begins the next one */
};

struct reader {
	struct imported *im;
	struct context c;
	struct text_layout layout;
	struct import_table *t; /* the open one, or NULL */
	bool in_place_title;
	size_t line;
	/* A row cut by a line of the log: its words so far. */
	char pending[512];
	size_t pending_n, pending_line;
	int rc;
};

static void context_begin(struct reader *r)
{
	nccl_about_init(&r->c.about);
	scan_init(&r->c.scan);
	r->c.devices = NULL;
	r->c.n_devices = r->c.n_log = 0;
	r->c.first = r->im->n_tables;
	r->c.used = r->c.split = false;
	r->c.ranks = 0;
	r->c.last_rank = -1;
}

/* ---- what the library's log in the file proves ---- */

static void judge_log(const struct context *c, struct import_table *t)
{
	struct proof_need need = { .a = -1, .b = -1, .nranks = t->ranks };
	struct proof p;

	if (!c->n_log || t->ranks < 2)
		return;
	need.point_to_point = strcmp(t->op, "sendrecv") == 0 || strcmp(t->op, "alltoall") == 0;
	need.either_end = true;
	proof_judge(c->scan.links, c->scan.n_links, &c->scan, TRANSPORT_AUTO, &need, &p);
	import_copy(t->used, sizeof(t->used), p.used, strlen(p.used));
	if (p.used[0])
		import_copy(t->proof, sizeof(t->proof), proof_names[p.verdict],
			    strlen(proof_names[p.verdict]));
	/* What the channels show is more than what a heading says. */
	for (int i = 0; i < TRANSPORT_COUNT && p.verdict == PROOF_YES; i++) {
		const char *cls = transport_table[i].proof_class;
		size_t n = cls ? strlen(cls) : 0;

		if (n && transport_table[i].backend == BACKEND_NCCL &&
		    strncmp(t->used, cls, n) == 0) {
			snprintf(t->transport, sizeof(t->transport), "%s", transport_table[i].name);
			break;
		}
	}
}

/* Several groups (NCCL_TESTS_SPLIT): only the one of rank 0 prints its table. */
static void count_ranks(struct context *c)
{
	int group = 0;

	for (size_t i = 0; i < c->n_devices; i++)
		if (c->devices[i].rank == 0)
			group = c->devices[i].group;
	for (size_t i = 0; i < c->n_devices; i++) {
		c->ranks += c->devices[i].group == group;
		c->split |= c->devices[i].group != group;
	}
}

static void context_table(struct reader *r, struct import_table *t)
{
	struct context *c = &r->c;

	nccl_about_table(&c->about, t);
	if (!t->op_from) {
		const struct import_op *op = import_op_within(imported_name(r->im));

		if (op) {
			snprintf(t->op, sizeof(t->op), "%s", op->name);
			t->op_from = "the file's name";
		}
	}
	t->ranks = c->ranks;
	if (c->split)
		imported_note(r->im,
			      "%s: line %zu: several groups ran at once (NCCL_TESTS_SPLIT); only "
			      "the table of rank 0's group "
			      "is printed",
			      imported_name(r->im), t->line);
	if (!t->nccl_version[0])
		import_copy(t->nccl_version, sizeof(t->nccl_version), c->scan.version,
			    strlen(c->scan.version));
	/* Once per start of the tool: a file may hold thousands of tables of thousands of devices.
	 */
	for (size_t i = 0; t == &r->im->tables[c->first] && i < c->n_devices && r->rc == 0; i++)
		r->rc = import_append_device(&t->devices, &t->n_devices, &c->devices[i]);
	judge_log(c, t);
}

static void pending_drop(struct reader *r)
{
	if (r->pending_n && r->t)
		r->t->n_cut++;
	r->pending_n = 0;
}

static void context_end(struct reader *r)
{
	pending_drop(r);
	scan_end(&r->c.scan);
	if (r->c.scan.failed)
		r->rc = -ENOMEM;
	count_ranks(&r->c);
	for (size_t i = r->c.first; i < r->im->n_tables && r->rc == 0; i++)
		context_table(r, &r->im->tables[i]);
	scan_fini(&r->c.scan);
	free(r->c.devices);
	r->c.devices = NULL;
	r->t = NULL;
}

/* A line that describes a run: after a table it begins the next one. */
static void context_line(struct reader *r)
{
	if (!r->c.used)
		return;
	context_end(r);
	context_begin(r);
}

/* ---- lines that describe ---- */

static void read_option(struct reader *r, struct piece line, const char *label, enum nccl_option o)
{
	struct piece at = line_after(line, label);

	if (at.p)
		r->c.about.option[o] = line_int(at, r->c.about.option[o]);
}

/* "# nThread 1 nGpus 2 minBytes 8 ... warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
 * unalign: 0" */
static bool config_line(struct reader *r, struct piece line)
{
	if (!line_find(line, "nThread") || !line_find(line, "minBytes"))
		return false;
	context_line(r);
	r->c.about.configured = true;
	read_option(r, line, "warmup iters:", OPTION_WARMUP);
	read_option(r, line_after(line, "warmup iters:"), " iters:", OPTION_ITERS);
	read_option(r, line, "agg iters:", OPTION_AGG);
	read_option(r, line, "graph:", OPTION_GRAPH);
	read_option(r, line, "unalign:", OPTION_UNALIGN);
	return true;
}

/* "# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22803", "rccl-tests: Version 1a2b"
 */
static bool version_line(struct reader *r, struct piece line)
{
	struct piece at = line_after(line, "nccl-tests version"), word[LINE_WORDS_MAX], built;

	built = line_after(line, "NCCL Tests compiled with NCCL");
	if (!at.p && !built.p && !line_find(line, "rccl-tests: Version"))
		return false;
	context_line(r);
	if (at.p && line_words(at, word))
		import_copy(r->c.about.version, sizeof(r->c.about.version), word[0].p, word[0].n);
	if (built.p && line_words(built, word)) {
		import_copy(r->c.about.nccl_version, sizeof(r->c.about.nccl_version), word[0].p,
			    word[0].n);
		snprintf(r->c.about.version, sizeof(r->c.about.version), "1.0");
		r->c.about.old_error = true;
	}
	at = line_after(line, "nccl-library=");
	if (at.p)
		nccl_version_text(line_int(at, 0), r->c.about.nccl_version,
				  sizeof(r->c.about.nccl_version));
	return true;
}

static bool starting_line(struct reader *r, struct piece line)
{
	struct piece at = line_after(line, "Collective test starting:"), word[LINE_WORDS_MAX];

	if (!at.p)
		return false;
	context_line(r);
	r->c.about.starting = true;
	if (line_words(at, word))
		nccl_about_program(&r->c.about, word[0], "the line 'Collective test starting'");
	return true;
}

/* "$ mpirun -np 2 ./build/all_reduce_perf -b 8 -e 1G -z 1" */
static bool command_line(struct reader *r, struct piece line)
{
	struct piece word[LINE_WORDS_MAX];
	size_t n;

	if (!line_find(line, "_perf") || line_find(line, "concluded"))
		return false;
	n = line_words(line, word);
	for (size_t i = 0; i < n; i++) {
		struct nccl_about probe = r->c.about;

		if (!nccl_about_program(&probe, word[i], "a command line"))
			continue;
		context_line(r);
		if (!r->c.about.starting)
			nccl_about_program(&r->c.about, word[i], "a command line");
		nccl_about_arguments(&r->c.about, word + i + 1, n - i - 1);
		return true;
	}
	return false;
}

/* "NCCL_P2P_DISABLE=1 ./all_reduce_perf", "mpirun -x NCCL_P2P_DISABLE=1", "export
 * NCCL_P2P_DISABLE=1" */
static void setting_words(struct reader *r, struct piece line)
{
	struct piece word[LINE_WORDS_MAX];
	size_t n = line_find(line, "NCCL_") ? line_words(line, word) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *eq = memchr(word[i].p, '=', word[i].n);
		size_t len = eq ? (size_t)(eq - word[i].p) : 0;

		if (len < 6 || memcmp(word[i].p, "NCCL_", 5) != 0)
			continue;
		context_line(r);
		nccl_about_setting(&r->c.about, (struct piece){ word[i].p, len },
				   (struct piece){ eq + 1, word[i].n - len - 1 });
		imported_environment(r->im, word[i].p, word[i].n);
	}
}

/* "##### p2p", "=== NVLink off ===": what somebody wrote between runs. */
static bool heading_line(struct reader *r, struct piece line)
{
	size_t marks = 0, n = line.n;

	while (marks < n && strchr("#=*-", line.p[marks]) && line.p[marks])
		marks++;
	if (marks < 2)
		return false;
	while (marks < n && line.p[marks] == ' ')
		marks++;
	while (n > marks && strchr("#=*- ", line.p[n - 1]))
		n--;
	if (n == marks)
		return false;
	context_line(r);
	import_copy(r->c.about.heading, sizeof(r->c.about.heading), line.p + marks, n - marks);
	return true;
}

static void copy_word_after(struct piece line, const char *label, char *out, size_t max)
{
	struct piece word[LINE_WORDS_MAX], at = line_after(line, label);

	if (at.p && line_words(at, word))
		import_copy(out, max, word[0].p, word[0].n);
}

/* "#  Rank  0 Group  0 Pid    684 on         vm device  0 [0000:00:06] NVIDIA H200" */
static bool device_line(struct reader *r, struct piece line)
{
	struct piece rank = line_after(line, "Rank "), device = line_after(line, " device "), name,
		     bracket;
	struct import_device d = { .rank = (int)line_int(rank, -1),
				   .device = (int)line_int(device, -1) };

	if (!rank.p || !device.p || !line_find(line, " on ") || d.rank < 0 ||
	    r->c.n_devices >= DEVICES_MAX)
		return false;
	context_line(r);
	d.group = (int)line_int(line_after(line, " Group "), 0);
	copy_word_after(line, " on ", d.host, sizeof(d.host));
	bracket = line_after(device, "[");
	name = line_after(bracket.p ? bracket : device, "] ");
	import_copy(d.name, sizeof(d.name), name.p ? name.p : "", name.n);
	for (size_t i = 0; d.rank <= r->c.last_rank && i < r->c.n_devices; i++)
		if (r->c.devices[i].rank == d.rank)
			return true;
	r->rc = import_append_device(&r->c.devices, &r->c.n_devices, &d);
	r->c.last_rank = d.rank > r->c.last_rank ? d.rank : r->c.last_rank;
	return true;
}

/* ---- lines of a table ---- */

static bool open_table(struct reader *r)
{
	r->t = imported_table(r->im);
	if (!r->t)
		return false;
	r->c.used = true;
	r->t->line = r->line;
	r->t->in_place = r->layout.n_half[1] > 0 || r->layout.in_place_first;
	if (r->layout.ms) {
		snprintf(r->t->unit, sizeof(r->t->unit), "ms");
		r->t->unit_us = 1e3;
	}
	r->c.about.old_error |= r->layout.old_error;
	if (r->layout.cputime)
		r->c.about.option[OPTION_CPUTIME] = 1;
	if (r->layout.n_half[0] > 4)
		r->c.about.option[OPTION_PER_ITER] = 1;
	return true;
}

static bool header_line(struct reader *r, struct piece line)
{
	if (!line_find(line, "algbw") || !text_layout_header(&r->layout, line))
		return false;
	pending_drop(r);
	r->layout.in_place_first = r->layout.n_half[1] == 0 && r->in_place_title;
	open_table(r);
	return true;
}

static bool unit_line(struct reader *r, struct piece line)
{
	if (!r->t || r->t->n_rows || !line_find(line, "(GB/s)"))
		return false;
	if (line_find(line, "(us)")) {
		snprintf(r->t->unit, sizeof(r->t->unit), "us");
		r->t->unit_us = 1;
	} else if (line_find(line, "(ms)")) {
		snprintf(r->t->unit, sizeof(r->t->unit), "ms");
		r->t->unit_us = 1e3;
	}
	return true;
}

static bool title_line(struct reader *r, struct piece line)
{
	const char *out = line_find(line, "out-of-place"), *in = line_find(line, "in-place");

	if (!out && !in)
		return false;
	r->in_place_title = in && !out;
	return !line_find(line, "algbw");
}

static bool footer_line(struct reader *r, struct piece line)
{
	struct piece bounds = line_after(line, "Out of bounds values"),
		     avg = line_after(line, "Avg bus bandwidth"), at, word[LINE_WORDS_MAX];
	struct import_number v;

	if (!bounds.p && !avg.p)
		return false;
	at = line_after(bounds.p ? bounds : avg, ":");
	if (!r->t || !at.p || !line_words(at, word) || !import_number(word[0].p, word[0].n, &v))
		return true;
	pending_drop(r);
	r->t->ended = true;
	if (bounds.p) {
		r->t->out_of_bounds = v.v;
		r->t->out_of_bounds_failed = line_find(at, "FAILED") != NULL;
	} else {
		r->t->avg_busbw = v.v;
	}
	return true;
}

/* TABLE: what the tool and its launcher say when something fails. */
static const char *const failures[] = {
	"Test NCCL failure",      "Test CUDA failure",
	"Test failure",           "# error:",
	"Invalid number of GPUs", "NCCL failure common.cu",
	"unhandled cuda error",   "Segmentation fault",
	"MPI_ABORT was invoked",  "exited on signal",
};

static bool failure_line(struct reader *r, struct piece line)
{
	for (size_t i = 0; i < N_ELEMENTS(failures); i++) {
		struct piece after = line_after(line, failures[i]);

		if (!after.p)
			continue;
		/* "# error: " with nothing or "no error" behind is no failure. */
		if (strcmp(failures[i], "# error:") == 0 &&
		    (!after.n || line_find(after, "no error")))
			return true;
		imported_failure(r->im, line.p, line.n);
		if (r->t && !r->t->ended)
			r->t->failed = true;
		return true;
	}
	return false;
}

static void add_row(struct reader *r, const struct import_row *got, size_t line)
{
	struct import_row *row;

	if (got->bytes == 0) {
		r->t->n_empty++;
		return;
	}
	row = imported_row(r->im, r->t);
	if (row) {
		*row = *got;
		row->line = line;
	}
}

static void empty_row(struct import_row *row)
{
	*row = (struct import_row){ .root = -1 };
	import_half_init(&row->half[0]);
	import_half_init(&row->half[1]);
}

/* Keeps the words of a row that goes on behind a line of the log. */
static void pending_keep(struct reader *r, const struct piece *w, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n && at + w[i].n + 1 < sizeof(r->pending); i++) {
		memcpy(r->pending + at, w[i].p, w[i].n);
		at += w[i].n;
		r->pending[at++] = ' ';
	}
	r->pending_n = at;
	r->pending_line = r->line;
}

/* The rest of a cut row: nothing but figures. */
static bool pending_line(struct reader *r, struct piece line)
{
	struct piece w[LINE_WORDS_MAX];
	struct import_number v;
	struct import_row row;
	char joined[sizeof(r->pending) + 512];
	size_t n;

	if (!r->pending_n || !r->t)
		return false;
	n = line_words(line, w);
	if (n == 0 || line.n >= 512 || !import_number(w[0].p, w[0].n, &v))
		return false;
	memcpy(joined, r->pending, r->pending_n);
	memcpy(joined + r->pending_n, line.p, line.n);
	n = line_words((struct piece){ joined, r->pending_n + line.n }, w);
	empty_row(&row);
	if (text_row_read(&r->layout, w, n, &row) != TEXT_ROW_WHOLE)
		return false;
	r->pending_n = 0;
	add_row(r, &row, r->pending_line);
	return true;
}

static bool row_line(struct reader *r, struct piece line, bool cut)
{
	struct piece w[LINE_WORDS_MAX];
	size_t n = line_words(line, w), at = text_row_start(w, n);
	struct import_row row;
	enum text_row got;

	if (at == n)
		return false;
	pending_drop(r);
	if (!r->t) {
		text_layout_default(&r->layout);
		if (!open_table(r))
			return true;
		imported_note(
		    r->im,
		    "%s: line %zu: the table has no header; it is read as that of 2.13 and later",
		    imported_name(r->im), r->line);
	}
	empty_row(&row);
	got = text_row_read(&r->layout, w + at, n - at, &row);
	if (got == TEXT_ROW_WHOLE)
		add_row(r, &row, r->line);
	else if (cut)
		pending_keep(r, w + at, n - at);
	else
		r->t->n_cut++;
	return true;
}

/* ---- the library's log ---- */

static bool is_host_mark(struct piece w)
{
	size_t colons = 0;

	for (size_t i = 0; i < w.n; i++)
		colons += w.p[i] == ':';
	return colons >= 2 && w.n > 2 && w.p[w.n - 1] >= '0' && w.p[w.n - 1] <= '9';
}

/* "0vm:684:684": the known name of the host tells where the figure ends. */
static const char *unglue(const struct reader *r, struct piece w)
{
	for (size_t i = 0; i < r->c.n_devices; i++) {
		const char *host = r->c.devices[i].host, *at = host[0] ? line_find(w, host) : NULL;
		size_t n = strlen(host);

		if (at && at + n < w.p + w.n && at[n] == ':')
			return at;
	}
	return w.p;
}

/* Where a record of the log begins on the line; its end when there is none. */
static const char *log_start(const struct reader *r, struct piece line)
{
	static const char *const marks[] = { "NCCL INFO", "NCCL WARN", "NCCL TRACE",
					     "NCCL version" };
	const char *mark = NULL, *best = line.p + line.n;
	struct piece words[LINE_WORDS_MAX];
	size_t n;

	for (size_t i = 0; i < N_ELEMENTS(marks); i++) {
		mark = line_find(line, marks[i]);
		best = mark && mark < best ? mark : best;
	}
	if (best == line.p + line.n)
		return best;
	n = line_words((struct piece){ line.p, (size_t)(best - line.p) }, words);
	for (size_t i = n; i > 0 && n - i < 5; i--)
		if (is_host_mark(words[i - 1]))
			return unglue(r, words[i - 1]);
	return best;
}

/* "NCCL_P2P_DISABLE set by environment to 1." */
static void log_setting(struct reader *r, struct piece record)
{
	struct piece value = line_after(record, " set by environment to"), words[LINE_WORDS_MAX];
	struct piece before = { record.p, value.p ? (size_t)(value.p - record.p) : 0 };
	size_t n = line_words(before, words);

	if (n < 6 || !value.n) /* NAME set by environment to */
		return;
	value.n -= value.p[value.n - 1] == '.';
	nccl_about_setting(&r->c.about, words[n - 5], value);
}

/* Gives the scanner the whole line and returns what stands before the record. */
static struct piece take_log(struct reader *r, struct piece line, bool *cut)
{
	const char *log = log_start(r, line);

	*cut = log < line.p + line.n;
	if (*cut) {
		scan_feed(&r->c.scan, log, (size_t)(line.p + line.n - log));
		scan_feed(&r->c.scan, "\n", 1);
		r->c.n_log++;
		log_setting(r, (struct piece){ log, (size_t)(line.p + line.n - log) });
		line.n = (size_t)(log - line.p);
	}
	return line;
}

static void read_line(struct reader *r, struct piece line)
{
	static bool (*const kinds[])(struct reader *, struct piece) = {
		header_line,  unit_line,     title_line,  footer_line,  config_line,
		version_line, starting_line, device_line, failure_line, pending_line,
	};
	bool cut;

	line = take_log(r, line, &cut);
	if (line.n == 0)
		return;
	for (size_t i = 0; i < N_ELEMENTS(kinds); i++)
		if (kinds[i](r, line))
			return;
	if (row_line(r, line, cut))
		return;
	if (!heading_line(r, line)) {
		command_line(r, line);
		setting_words(r, line);
	}
}

int nccl_tests_text_read(struct imported *im, const char *data, size_t len)
{
	struct lines_in in = { data, data + len, 0 };
	struct reader r = { .im = im };
	struct piece line;

	context_begin(&r);
	while (r.rc == 0 && !im->failed && line_next(&in, &line)) {
		r.line = in.line;
		read_line(&r, line);
	}
	context_end(&r);
	return r.rc;
}

bool nccl_tests_text_probe(const char *data, size_t len)
{
	struct lines_in in = { data, data + len, 0 };
	struct text_layout l;
	struct piece line, w[LINE_WORDS_MAX];

	while (line_next(&in, &line)) {
		struct import_row row;
		size_t n, at;

		if (line_find(line, "algbw") && text_layout_header(&l, line))
			return true;
		n = line_words(line, w);
		at = text_row_start(w, n);
		if (at == n)
			continue;
		text_layout_default(&l);
		empty_row(&row);
		if (text_row_read(&l, w + at, n - at, &row) == TEXT_ROW_WHOLE)
			return true;
	}
	return false;
}
