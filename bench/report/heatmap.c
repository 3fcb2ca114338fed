/* SPDX-License-Identifier: Apache-2.0 */
/* See heatmap.h. */
#include "report/heatmap.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/matrix.h"
#include "report/pair_form.h"
#include "report/script.h"
#include "report/slow_pairs.h"
#include "report/text.h"
#include "report/view.h"
#include "spec/op.h"

#define ROWS_MAX 64
#define COLS_MAX 64
#define DARKEST 0.5 /* loss of NCCL's own choice from which on a cell is dark */
#define RANKS_MAX 64
#define MAPS_MAX 64 /* forms of one transport and operation */

struct grid {
	char row_name[ROWS_MAX][64], col_name[COLS_MAX][32];
	size_t rows, cols;
	struct {
		double shade; /* below 0: empty */
		char word[32], note[32];
		double value;
	} cell[ROWS_MAX][COLS_MAX];
};

static struct grid *grid_new(void)
{
	struct grid *g = calloc(1, sizeof(*g));

	for (size_t i = 0; g && i < ROWS_MAX; i++)
		for (size_t j = 0; j < COLS_MAX; j++)
			g->cell[i][j].shade = -1;
	return g;
}

/* The place of a name, a new one if need be; max when there is no room. */
static size_t place(char (*names)[64], size_t *n, size_t max, const char *name)
{
	size_t i = 0;

	while (i < *n && strcmp(names[i], name) != 0)
		i++;
	if (i == *n && i < max) {
		snprintf(names[i], sizeof(names[i]), "%s", name);
		++*n;
	}
	return i;
}

static void write_titles(const struct view *v, const char *title, const char *caption,
			 const char *col_title, const struct grid *g, struct buf *vars)
{
	char text[300];
	int widest = 8;

	for (size_t i = 0; i < g->rows; i++)
		widest = text_width(g->row_name[i]) > widest ? text_width(g->row_name[i]) : widest;
	script_text(vars, "title", title);
	text_clean(v->machine, text, sizeof(text));
	script_text(vars, "sub1", text);
	text_clean(v->versions, text, sizeof(text));
	script_text(vars, "sub2", text);
	script_text(vars, "caption", caption);
	script_text(vars, "col_title", col_title);
	script_number(vars, "left_room", widest + 4);
	script_number(vars, "height", 240 + 62 * (double)g->rows);
	script_number(vars, "rows", (double)g->rows);
	script_number(vars, "cols", (double)g->cols);
}

static void write_cells(const struct grid *g, struct buf *data, struct buf *vars)
{
	size_t n = g->rows * g->cols;
	char clean[64];

	script_array(vars, "row_name", g->rows);
	for (size_t i = 0; i < g->rows; i++) {
		text_clean(g->row_name[i], clean, sizeof(clean));
		script_item_text(vars, "row_name", i, clean);
	}
	script_array(vars, "col_name", g->cols);
	for (size_t j = 0; j < g->cols; j++)
		script_item_text(vars, "col_name", j, g->col_name[j]);
	script_array(vars, "shade", n);
	script_array(vars, "word", n);
	script_array(vars, "note", n);
	for (size_t i = 0; i < g->rows; i++)
		for (size_t j = 0; j < g->cols; j++) {
			size_t c = i * g->cols + j;

			script_item_number(vars, "shade", c, g->cell[i][j].shade);
			text_clean(g->cell[i][j].word, clean, sizeof(clean));
			script_item_text(vars, "word", c, clean);
			text_clean(g->cell[i][j].note, clean, sizeof(clean));
			script_item_text(vars, "note", c, clean);
			if (g->cell[i][j].shade < 0)
				continue;
			buf_printf(data, "%zu %zu ", i, j);
			script_value(data, g->cell[i][j].value);
			buf_putc(data, '\n');
		}
}

/* ---- algorithms ---- */

static void fill_algorithm(struct grid *g, size_t row, const struct matrix_cell *c,
			   const struct view *v)
{
	const struct record *r = c->best ? c->best : c->own;
	char size[32];
	size_t col = 0;

	num_format_size(r->bytes, size, sizeof(size));
	while (col < g->cols && strcmp(g->col_name[col], size) != 0)
		col++;
	if (col == g->cols)
		return;
	g->cell[row][col].value = isnan(c->gain) ? 0 : fmax(0, c->gain);
	g->cell[row][col].shade = c->worse ? fmin(1, c->gain / DARKEST) : 0;
	matrix_name(r, g->cell[row][col].word, sizeof(g->cell[row][col].word));
	if (c->worse)
		snprintf(g->cell[row][col].note, sizeof(g->cell[row][col].note), "own +%.0f %%",
			 100 * c->gain);
}

/* Columns ascend in size, whatever the order of the transports. */
static void add_columns(struct grid *g, const struct matrix_cell *c, size_t n, const char *op)
{
	uint64_t last = 0, next;

	do {
		next = UINT64_MAX;
		for (size_t i = 0; i < n; i++) {
			const struct record *r = c[i].best ? c[i].best : c[i].own;

			if (strcmp(r->op, op) == 0 && r->bytes > last && r->bytes < next)
				next = r->bytes;
		}
		if (next != UINT64_MAX && g->cols < COLS_MAX)
			num_format_size(next, g->col_name[g->cols++], sizeof(g->col_name[0]));
		last = next;
	} while (next != UINT64_MAX);
}

static size_t fill_algorithms(const struct view *v, const char *op, const struct matrix_cell *c,
			      size_t n, struct grid *g)
{
	add_columns(g, c, n, op);
	for (size_t i = 0; i < n; i++) {
		const struct record *r = c[i].best ? c[i].best : c[i].own;
		char name[64];
		size_t row;

		if (strcmp(r->op, op) != 0 || !c[i].best)
			continue;
		snprintf(name, sizeof(name), "%.40s %.16s",
			 view_transport_label(v, r->backend, r->transport), r->timing);
		row = place(g->row_name, &g->rows, ROWS_MAX, name);
		if (row < ROWS_MAX)
			fill_algorithm(g, row, &c[i], v);
	}
	return g->rows;
}

int heatmap_algorithms(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	struct grid *g = grid_new();
	struct matrix_cell *c = NULL;
	size_t n = 0;
	int rc = g ? matrix_cells(v, &c, &n) : -ENOMEM;
	char title[96];

	if (rc == 0 && n > 0 && fill_algorithms(v, op, c, n, g) > 0) {
		snprintf(title, sizeof(title), "Fastest algorithm and protocol: %s", op);
		write_titles(v, title,
			     "dark: NCCL's own choice is slower than the fastest by more than 2 %, "
			     "intervals apart; own +N %: it takes N % longer",
			     "message size", g, vars);
		write_cells(g, data, vars);
		rc = (int)g->rows;
	}
	free(c);
	free(g);
	return rc;
}

/* ---- pairs ---- */

static bool ends_of(const struct record *r, int *a, int *b)
{
	return sscanf(r->pair, "%d-%d", a, b) == 2 && *a >= 0 && *b >= 0 && *a < RANKS_MAX &&
	       *b < RANKS_MAX;
}

/* Is the figure of this operation a time? */
static bool is_latency(const char *op)
{
	int id = op_find(op);

	return id >= 0 && op_table[id].flags & OP_LATENCY;
}

/* A map is of one transport and operation in one form (pair_form.h), at one timing and size. */
struct map {
	const struct record *of; /* its first row */
	uint64_t bytes;
	const char *timing;
};

static bool may_be_of(const struct record *r, const char *op, const char *transport)
{
	return r->pair[0] && strcmp(r->op, op) == 0 && strcmp(r->transport, transport) == 0 &&
	       strcmp(r->outcome, "ok") == 0;
}

static bool is_of(const struct record *r, const struct record *of)
{
	return may_be_of(r, of->op, of->transport) && pair_form_same(r, of);
}

/* More than one pair of this form: what a map is of. The size: smallest of a latency, else the
 * largest. */
static bool find_map(const struct view *v, const struct record *of, struct map *m)
{
	bool several = false, latency = is_latency(of->op);

	*m = (struct map){ .of = of, .bytes = of->bytes, .timing = of->timing };
	for (const struct record *r = of; r < v->rows + v->n_rows; r++) {
		if (!is_of(r, of))
			continue;
		several |= strcmp(of->pair, r->pair) != 0;
		m->timing = r->timing;
		if (latency ? r->bytes < m->bytes : r->bytes > m->bytes)
			m->bytes = r->bytes;
	}
	return several;
}

static bool had_before(const struct map *maps, size_t n, const struct record *r)
{
	for (size_t i = 0; i < n; i++)
		if (is_of(r, maps[i].of))
			return true;
	return false;
}

/* In the order of their first rows; of hostile many, the first ones. */
static size_t find_maps(const struct view *v, const char *op, const char *transport,
			struct map maps[MAPS_MAX])
{
	size_t forms = 0, n = 0;

	for (size_t i = 0; i < v->n_rows && forms < MAPS_MAX; i++)
		if (may_be_of(&v->rows[i], op, transport) && !had_before(maps, forms, &v->rows[i]))
			maps[forms++].of = &v->rows[i];
	for (size_t i = 0; i < forms; i++) {
		struct map m;

		if (find_map(v, maps[i].of, &m))
			maps[n++] = m;
	}
	return n;
}

static double figure(const struct record *r)
{
	return is_latency(r->op) ? r->time_us
				 : view_busbw(r); /* the time of a ping-pong is half a round trip */
}

static void fill_pair(struct grid *g, const struct record *r, bool slow)
{
	int a, b;
	double value = figure(r);

	if (!ends_of(r, &a, &b) || !(value > 0))
		return;
	g->cell[a][b].value = value;
	g->cell[a][b].shade = 0;
	if (is_latency(r->op))
		num_format_time(value * 1e3, 1, g->cell[a][b].word, sizeof(g->cell[a][b].word));
	else
		snprintf(g->cell[a][b].word, sizeof(g->cell[a][b].word), "%.4g", value);
	if (slow)
		snprintf(g->cell[a][b].note, sizeof(g->cell[a][b].note), "slow");
	g->rows = (size_t)a + 1 > g->rows ? (size_t)a + 1 : g->rows;
	g->rows = (size_t)b + 1 > g->rows ? (size_t)b + 1 : g->rows;
}

/* Dark is good: most bandwidth, least time. */
static void shade_pairs(struct grid *g, bool latency)
{
	double lo = INFINITY, hi = 0;

	for (size_t i = 0; i < g->rows; i++)
		for (size_t j = 0; j < g->cols; j++)
			if (g->cell[i][j].shade >= 0) {
				lo = fmin(lo, g->cell[i][j].value);
				hi = fmax(hi, g->cell[i][j].value);
			}
	for (size_t i = 0; i < g->rows; i++)
		for (size_t j = 0; j < g->cols; j++)
			if (g->cell[i][j].shade >= 0)
				g->cell[i][j].shade = latency ? 0.8 * lo / g->cell[i][j].value
							      : 0.8 * g->cell[i][j].value / hi;
}

struct slow_list {
	struct slow_pair *pair;
	size_t n;
};

static bool fill_pairs(const struct view *v, const struct map *m, const struct slow_list *slow,
		       struct grid *g)
{
	for (size_t i = 0; i < v->n_rows; i++) {
		const struct record *r = &v->rows[i];

		if (is_of(r, m->of) && r->bytes == m->bytes && strcmp(r->timing, m->timing) == 0)
			fill_pair(g, r, slow_pairs_has(slow->pair, slow->n, r));
	}
	g->cols = g->rows;
	for (size_t i = 0; i < g->rows; i++) {
		snprintf(g->row_name[i], sizeof(g->row_name[i]), "from rank %zu", i);
		snprintf(g->col_name[i], sizeof(g->col_name[i]), "to %zu", i);
	}
	shade_pairs(g, is_latency(m->of->op));
	return g->rows > 0;
}

static void draw_pairs(const struct view *v, const struct map *m, const struct grid *g,
		       struct buf *data, struct buf *vars)
{
	char title[400], size[32], form[200];

	num_format_size(m->bytes, size, sizeof(size));
	pair_form_words(m->of, form, sizeof(form));
	snprintf(title, sizeof(title), "Every pair: %s, %s, %s%s", m->of->op,
		 view_transport_label(v, m->of->backend, m->of->transport), size, form);
	write_titles(v, title,
		     is_latency(m->of->op) ? "half a round trip; dark is short"
					   : "GB/s of one direction; dark is much",
		     "", g, vars);
	write_cells(g, data, vars);
}

/* The first transport that has one, its first form: a picture is of one. */
int heatmap_pairs(const struct view *v, const char *op, struct buf *data, struct buf *vars)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	struct grid *g = grid_new();
	struct slow_list slow = { 0 };
	int rc = g ? slow_pairs_find(v, &slow.pair, &slow.n) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct map maps[MAPS_MAX];

		if (find_maps(v, op, names[i], maps) == 0 || !fill_pairs(v, &maps[0], &slow, g))
			continue;
		draw_pairs(v, &maps[0], g, data, vars);
		rc = (int)g->rows;
	}
	free(slow.pair);
	free(g);
	return rc;
}

static void say_pairs(const struct view *v, const struct map *m, const struct grid *g,
		      struct buf *out)
{
	char size[32], form[200];

	num_format_size(m->bytes, size, sizeof(size));
	pair_form_words(m->of, form, sizeof(form));
	buf_printf(out, "\n%s, %s, %s%s: %s\n%9s",
		   view_transport_label(v, m->of->backend, m->of->transport), m->of->op, size, form,
		   is_latency(m->of->op) ? "half a round trip" : "GB/s of one direction",
		   "from\\to");
	for (size_t j = 0; j < g->cols; j++)
		buf_printf(out, " %9zu", j);
	buf_puts(out, "\n");
	for (size_t i = 0; i < g->rows; i++) {
		buf_printf(out, "%9zu", i);
		for (size_t j = 0; j < g->cols; j++) {
			const char *word = g->cell[i][j].shade < 0 ? "-" : g->cell[i][j].word;
			const char *mark = g->cell[i][j].note[0] ? "!" : "";

			buf_printf(out, " %*s%s%s", 9 - text_width(mark) - text_width(word), "",
				   mark, word);
		}
		buf_puts(out, "\n");
	}
}

static void say_maps(const struct view *v, const char *op, const char *transport,
		     const struct slow_list *slow, struct buf *out)
{
	struct map maps[MAPS_MAX];
	size_t n = find_maps(v, op, transport, maps);

	for (size_t i = 0; i < n; i++) {
		struct grid *g = grid_new();

		out->failed |= g == NULL;
		if (g && fill_pairs(v, &maps[i], slow, g))
			say_pairs(v, &maps[i], g, out);
		free(g);
	}
}

void heatmap_pairs_text(const struct view *v, struct buf *out)
{
	const char *names[VIEW_TRANSPORTS_MAX];
	size_t n = view_transports(v, names, VIEW_TRANSPORTS_MAX);
	struct slow_list slow = { 0 };

	out->failed |= slow_pairs_find(v, &slow.pair, &slow.n) < 0;
	for (size_t i = 0; i < n; i++)
		for (int op = 0; op < OP_COUNT; op++)
			if (op_table[op].flags & OP_PAIR)
				say_maps(v, op_table[op].name, names[i], &slow, out);
	if (slow.n)
		buf_puts(out, "!: slow for its class\n");
	free(slow.pair);
}
