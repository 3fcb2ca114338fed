/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OSU Micro-Benchmarks: a title, a line of column names, rows of a size and figures. Neither the
 * number of ranks nor the element type is in the output; sizes of all_gather and its kind are per
 * rank.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/format.h"
#include "import/line.h"
#include "import/ops.h"

enum kind { KIND_LATENCY, KIND_BW, KIND_BIBW };

/* TABLE: titles "# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.4"; the first that fits. `ours`:
 * in words of spec/op.h, but for collectives, whose name stands in the title. */
static const struct title {
	const char *words, *op;
	enum kind kind;
} titles[] = {
	{ "Multiple Bandwidth", NULL, KIND_BW },
	{ "Multi Latency", NULL, KIND_LATENCY },
	{ "Bi-Directional Bandwidth", "send_bidir", KIND_BIBW },
	{ "Bidirectional Bandwidth", "send_bidir", KIND_BIBW },
	{ "Put Bandwidth", NULL, KIND_BW },
	{ "Get Bandwidth", NULL, KIND_BW },
	{ "Bandwidth", "send", KIND_BW },
	{ "Put Latency", NULL, KIND_LATENCY },
	{ "Get Latency", NULL, KIND_LATENCY },
	{ "Latency", "pingpong", KIND_LATENCY },
};

/* TABLE: collectives by the word of the title. */
static const struct {
	const char *word, *op;
} collectives[] = {
	{ "Allreduce", "all_reduce" },
	{ "Allgatherv", NULL },
	{ "Allgather", "all_gather" },
	{ "Reduce_scatter", "reduce_scatter" },
	{ "Reduce Scatter", "reduce_scatter" },
	{ "Alltoallv", NULL },
	{ "Alltoall", "alltoall" },
	{ "Broadcast", "broadcast" },
	{ "Bcast", "broadcast" },
	{ "Gather", "gather" },
	{ "Scatter", "scatter" },
	{ "Reduce", "reduce" },
	{ "All-to-All", "alltoall" },
	{ "Barrier", NULL },
};

/* TABLE: column names, without blanks and case. */
static const struct column_name {
	const char *name;
	int to; /* 0 time, 1 bandwidth, 2 min, 3 max, 4 p95, 5 p99; -1 nothing */
} column_names[] = {
	{ "avglatency(us)", 0 },  { "minlatency(us)", 2 },  { "maxlatency(us)", 3 },
	{ "latency(us)", 0 },     { "bandwidth(mb/s)", 1 }, { "mb/s", 1 },
	{ "p50taillat(us)", -1 }, { "p90taillat(us)", -1 }, { "p95taillat(us)", 4 },
	{ "p99taillat(us)", 5 },  { "iterations", -1 },     { "validation", -1 },
	{ "messages/s", -1 },
};

struct osu_reader {
	struct imported *im;
	char title[IMPORT_TEXT], version[24];
	const char *op, *backend;
	enum kind kind;
	int column[16];
	size_t n_columns, line;
	bool sized;
	struct import_table *t;
};

static void read_title(struct osu_reader *r, struct piece line)
{
	struct piece at = line_after(line, "OSU "), word[LINE_WORDS_MAX];
	size_t n = line_words(at, word);

	import_copy(r->title, sizeof(r->title), at.p, at.n);
	r->op = NULL;
	r->kind = KIND_LATENCY;
	r->version[0] = '\0';
	r->n_columns = 0;
	r->t = NULL;
	r->backend = line_find(at, "NCCL") || line_find(at, "XCCL") ? "nccl" : "mpi";
	if (n && word[n - 1].n > 1 && word[n - 1].p[0] == 'v')
		import_copy(r->version, sizeof(r->version), word[n - 1].p + 1, word[n - 1].n - 1);
	for (size_t i = 0; i < N_ELEMENTS(collectives); i++)
		if (line_find(at, collectives[i].word)) {
			r->op = collectives[i].op;
			return;
		}
	for (size_t i = 0; i < N_ELEMENTS(titles); i++)
		if (line_find(at, titles[i].words)) {
			r->op = titles[i].op;
			r->kind = titles[i].kind;
			return;
		}
}

/* "# Size   Avg Latency(us)   Min Latency(us)" -> names without blanks, matched one after the
 * other. */
static void read_header(struct osu_reader *r, struct piece line)
{
	char squeezed[256];
	size_t n = 0, at = 0;
	struct piece size = line_after(line, "Size");

	r->sized = size.p != NULL;
	if (!size.p) /* osu_barrier has no sizes */
		size = line_after(line, "#");
	for (size_t i = 0; i < size.n && n + 1 < sizeof(squeezed); i++)
		if (!isspace((unsigned char)size.p[i]))
			squeezed[n++] = (char)tolower((unsigned char)size.p[i]);
	squeezed[n] = '\0';
	r->n_columns = 0;
	while (squeezed[at] && r->n_columns < N_ELEMENTS(r->column)) {
		size_t i;

		for (i = 0; i < N_ELEMENTS(column_names); i++)
			if (strncmp(squeezed + at, column_names[i].name,
				    strlen(column_names[i].name)) == 0)
				break;
		if (i == N_ELEMENTS(column_names))
			break;
		at += strlen(column_names[i].name);
		r->column[r->n_columns++] = column_names[i].to;
	}
	r->t = NULL;
}

static bool open_table(struct osu_reader *r)
{
	struct import_table *t = imported_table(r->im);

	if (!t)
		return false;
	t->tool = "osu";
	t->backend = r->backend;
	t->timing = "blocking";
	snprintf(t->version, sizeof(t->version), "%s", r->version);
	snprintf(t->op, sizeof(t->op), "%s", r->op ? r->op : r->title);
	t->op_from = "its title";
	snprintf(t->method, sizeof(t->method), "osu %s", r->title);
	if (strrchr(t->method, 'v') && strrchr(t->method, 'v')[-1] == ' ')
		strrchr(t->method, 'v')[-1] = '\0';
	snprintf(t->unit, sizeof(t->unit), r->kind == KIND_LATENCY ? "us" : "MB/s");
	t->line = r->line;
	t->latency = r->kind == KIND_LATENCY;
	t->ended = true;
	if (r->op && !import_op_find(r->op, strlen(r->op)))
		t->ranks = 2;
	if (r->kind != KIND_LATENCY)
		t->timing = "stream"; /* a window of messages is under way */
	r->t = t;
	return true;
}

static void set(struct osu_reader *r, struct import_half *h, int to, const struct import_number *v)
{
	double *const places[] = { NULL, NULL, &h->min_us, &h->max_us, &h->p95_us, &h->p99_us };
	double scale =
	    r->kind == KIND_BIBW ? 2e3 : 1e3; /* MB/s; both directions are summed: one is half */

	if (to == 0) {
		h->time = *v;
	} else if (to == 1) {
		h->algbw = (struct import_number){ v->v / scale, v->half / scale };
		h->busbw = h->algbw;
		h->no_time = true;
	} else if (to > 1) {
		*places[to] = v->v;
	}
}

static void read_row(struct osu_reader *r, const struct piece *w, size_t n)
{
	struct import_number v, size;
	struct import_row *row;

	if (!r->n_columns || !r->sized || n < 2 || !import_number(w[0].p, w[0].n, &size) ||
	    !(size.v >= 0) || size.v > 1e18 || !import_number(w[1].p, w[1].n, &v))
		return;
	if (!r->t && !open_table(r))
		return;
	if (size.v == 0) {
		r->t->n_empty++;
		return;
	}
	row = imported_row(r->im, r->t);
	if (!row)
		return;
	row->bytes = (uint64_t)size.v;
	row->line = r->line;
	snprintf(row->dtype, sizeof(row->dtype), "uint8");
	snprintf(row->redop, sizeof(row->redop), "none");
	snprintf(row->pair, sizeof(row->pair), "%s", r->t->ranks == 2 ? "0-1" : "");
	row->half[0].present = true;
	for (size_t i = 0; i < r->n_columns && i + 1 < n; i++)
		if (import_number(w[i + 1].p, w[i + 1].n, &v))
			set(r, &row->half[0], r->column[i], &v);
}

/* "[1,0]<stdout>:# OSU ..." and "0: 8  1.2": what stands before the number sign or the figures is
 * not ours. */
static void read_line(struct osu_reader *r, struct piece line)
{
	struct piece w[LINE_WORDS_MAX];
	size_t n = line_words(line, w), from = 0;
	struct import_number v;

	if (line_find(line, "OSU ") && line_find(line, "Test")) {
		read_title(r, line);
		return;
	}
	if (line_find(line, "# Size") || (line_find(line, "#") && line_find(line, "Latency(us)"))) {
		read_header(r, line);
		return;
	}
	while (from < n && !import_number(w[from].p, w[from].n, &v)) {
		struct piece colon = line_after(w[from], ">:");

		if (colon.n && import_number(colon.p, colon.n, &v)) {
			w[from] = colon;
			break;
		}
		from++;
	}
	if (r->title[0] && from < n)
		read_row(r, w + from, n - from);
}

/* The sum over ranks is what the rest of the program calls the size; without their number it stays
 * the tool's. */
static void share_sizes(struct imported *im, size_t first)
{
	for (size_t i = first; i < im->n_tables; i++)
		if (im->tables[i].ranks == 0)
			imported_note(im,
				      "%s: line %zu: the number of ranks is not in the output "
				      "(--ranks N says it): no bus bandwidth",
				      imported_name(im), im->tables[i].line);
}

int osu_read(struct imported *im, const char *data, size_t len)
{
	struct lines_in in = { data, data + len, 0 };
	struct osu_reader r = { .im = im };
	size_t first = im->n_tables;
	struct piece line;

	while (!im->failed && line_next(&in, &line)) {
		r.line = in.line;
		read_line(&r, line);
	}
	share_sizes(im, first);
	return im->failed ? -ENOMEM : 0;
}

bool osu_probe(const char *data, size_t len)
{
	return line_find((struct piece){ data, len }, "# OSU ") ||
	       line_find((struct piece){ data, len }, "OSU MPI") ||
	       line_find((struct piece){ data, len }, "OSU NCCL") ||
	       line_find((struct piece){ data, len }, "OSU XCCL");
}
