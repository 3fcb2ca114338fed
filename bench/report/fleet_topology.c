/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small matrix per machine: which pairs of GPUs may read each other's memory, as the driver told
 * rank 0 before the run. Draws what the run recorded; `doctor --charts` knows more, for it looks.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "doctor/doctor.h"
#include "report/fleet.h"
#include "report/fleet_draw.h"
#include "report/script.h"
#include "report/text.h"

enum { CELL = 46, CELL_MANY = 21, MANY = 8, HEAD = 62, MATRICES_MAX = 16, ROW_NAMES = 58 };

/* TABLE: what a cell says of an answer; kind is plots/fleet_topology.gp's fill. */
static const struct {
	const char *word, *short_word;
	int kind;
} cells[] = {
	[ANSWER_UNKNOWN] = { "?", "?", 1 },
	[ANSWER_NO] = { "no P2P", "\342\200\223", 3 },
	[ANSWER_YES] = { "P2P", "\342\234\223", 2 },
};

struct atlas {
	struct fleet_drawing *d;
	struct draw_texts texts;
	size_t n;
	double x, y, row_bottom; /* where the next matrix goes */
};

/* Lines key=value, which doctor reads from its own worker, too. */
static void facts_of(const struct fleet *f, size_t machine, struct buf *text)
{
	json_t *rank = json_array_get(json_object_get(f->machine[machine].run.meta, "ranks"), 0);
	const char *key;
	json_t *value;

	json_object_foreach(rank, key,
			    value) if (json_is_string(value) &&
				       strpbrk(json_string_value(value), "\r\n") == NULL &&
				       strpbrk(key, "=\r\n") == NULL)
	    buf_printf(text, "%s=%s\n", key, json_string_value(value));
}

static void add_cell(struct atlas *a, double x, double y, double size, const char *word, int kind,
		     enum draw_tone tone)
{
	script_value(&a->d->data, x + 1);
	script_value(&a->d->data, y + 1);
	script_value(&a->d->data, x + size - 1);
	script_value(&a->d->data, y + size - 1);
	buf_printf(&a->d->data, "%d\n", kind);
	draw_text(&a->texts, x + size / 2, y + size / 2, DRAW_CENTER, tone, word);
}

static const char *word_of(const struct doctor *g, int i, int j, char *out, size_t max)
{
	const struct doctor_pair *p = &g->pair[i][j];

	/* with just two, all links of one end at the other, or at a switch between them */
	if (g->n_gpus == 2 && p->cuda == ANSWER_YES && g->gpu[0].nvlinks > 0 &&
	    g->gpu[0].nvlinks == g->gpu[1].nvlinks) {
		snprintf(out, max, "NV%d", g->gpu[0].nvlinks);
		return out;
	}
	return g->n_gpus > MANY ? cells[p->cuda].short_word : cells[p->cuda].word;
}

static void add_matrix(struct atlas *a, const struct doctor *g, double x, double y, double size)
{
	char text[32];

	for (int i = 0; i < g->n_gpus; i++) {
		bool named = size >= CELL || i % 2 == 0;

		snprintf(text, sizeof(text), size >= CELL ? "GPU %d" : "%d", i);
		draw_text(&a->texts, x - 6, y + (i + 0.5) * size, DRAW_RIGHT, DRAW_FAINT, text);
		if (named)
			draw_text(&a->texts, x + (i + 0.5) * size, y - 9, DRAW_CENTER, DRAW_FAINT,
				  text);
		for (int j = 0; j < g->n_gpus; j++)
			add_cell(a, x + j * size, y + i * size, size,
				 i == j ? "" : word_of(g, i, j, text, sizeof(text)),
				 i == j ? 0 : cells[g->pair[i][j].cuda].kind, DRAW_PLAIN);
	}
}

static void say(struct atlas *a, size_t machine, const struct doctor *g)
{
	int yes = 0, no = 0, all = g->n_gpus * (g->n_gpus - 1);

	for (int i = 0; i < g->n_gpus; i++)
		for (int j = 0; j < g->n_gpus; j++) {
			yes += i != j && g->pair[i][j].cuda == ANSWER_YES;
			no += i != j && g->pair[i][j].cuda == ANSWER_NO;
		}
	draw_say(a->d, " %s: %d GPUs, P2P in %d of %d ordered pairs",
		 a->d->f->machine[machine].name, g->n_gpus, yes, all);
	draw_say(a->d, yes + no < all ? ", %d unknown." : ".", all - yes - no);
}

/* "2 node-a", "machines 1, 3, 4": those that look the same share a matrix. */
static void name_alike(const struct atlas *a, size_t machine, const char *const *look, double room,
		       char *out, size_t max)
{
	struct buf list = { 0 };
	size_t n = 0;

	for (size_t m = machine; m < a->d->f->n; m++)
		if (strcmp(look[m], look[machine]) == 0) {
			buf_printf(&list, "%s%zu", n > 0 ? ", " : "machines ", m + 1);
			n++;
		}
	if (n > 1)
		draw_cut(buf_text(&list), room, DRAW_PLAIN, out, max);
	else
		draw_machine(a->d->f, machine, room, out, max);
	buf_fini(&list);
}

static void add_machine(struct atlas *a, size_t machine, const struct doctor *g,
			const char *const *look)
{
	double size = g->n_gpus > MANY ? CELL_MANY : CELL;
	double width = g->n_gpus * size + ROW_NAMES, column = DRAW_WIDTH / 2.0;
	double room = width > column - 16 ? DRAW_WIDTH - 24 : column - 24;
	char text[200];

	if (a->x > 0 && a->x + room > DRAW_WIDTH) {
		a->x = 0;
		a->y = a->row_bottom;
	}
	name_alike(a, machine, look, room - 20, text, sizeof(text));
	draw_text(&a->texts, a->x + 12, a->y + 10, DRAW_LEFT, DRAW_PLAIN, text);
	draw_fit(a->d->f->machine[machine].run.view.machine, room, DRAW_FAINT, text, sizeof(text));
	draw_text(&a->texts, a->x + 12, a->y + 27, DRAW_LEFT, DRAW_FAINT, text);
	add_matrix(a, g, a->x + ROW_NAMES, a->y + HEAD, size);
	if (a->y + HEAD + g->n_gpus * size + 16 > a->row_bottom)
		a->row_bottom = a->y + HEAD + g->n_gpus * size + 16;
	a->x += room > column ? DRAW_WIDTH : column;
	a->n++;
}

static int read_machine(const struct fleet *f, size_t machine, struct doctor *g)
{
	struct buf facts = { 0 };
	int rc;

	memset(g, 0, sizeof(*g));
	facts_of(f, machine, &facts);
	rc = facts.failed ? -ENOMEM : 0;
	if (rc == 0 && facts.len > 0)
		doctor_parse_probe(g, buf_text(&facts));
	buf_fini(&facts);
	return rc;
}

/* All that a matrix shows, as one text; "" for fewer than two GPUs. */
static char *look_of(const struct fleet *f, size_t machine, const struct doctor *g)
{
	struct buf b = { 0 };
	char text[32];

	if (g->n_gpus < 2)
		return strdup("");
	buf_puts(&b, f->machine[machine].run.view.machine);
	for (int i = 0; i < g->n_gpus; i++)
		for (int j = 0; j < g->n_gpus; j++)
			buf_printf(&b, "|%s", word_of(g, i, j, text, sizeof(text)));
	return buf_take(&b);
}

static bool seen_before(const char *const *look, size_t machine)
{
	for (size_t m = 0; m < machine; m++)
		if (strcmp(look[m], look[machine]) == 0)
			return true;
	return false;
}

static int draw_looks(struct atlas *a, struct doctor *g, char **look)
{
	const char *const *looks = (const char *const *)look;
	int rc = 0;

	for (size_t m = 0; m < a->d->f->n && rc == 0; m++) {
		rc = read_machine(a->d->f, m, g);
		look[m] = rc == 0 ? look_of(a->d->f, m, g) : NULL;
		if (rc == 0 && look[m] == NULL)
			rc = -ENOMEM;
		if (rc == 0 && g->n_gpus >= 2)
			say(a, m, g);
	}
	for (size_t m = 0; m < a->d->f->n && rc == 0 && a->n < MATRICES_MAX; m++) {
		if (look[m][0] == '\0' || seen_before(looks, m))
			continue;
		rc = read_machine(a->d->f, m, g);
		if (rc == 0)
			add_machine(a, m, g, looks);
	}
	return rc;
}

static int add_machines(struct atlas *a)
{
	struct doctor *g = calloc(1, sizeof(*g));
	char **look = calloc(a->d->f->n, sizeof(*look));
	int rc = g != NULL && look != NULL ? draw_looks(a, g, look) : -ENOMEM;

	for (size_t m = 0; look != NULL && m < a->d->f->n; m++)
		free(look[m]);
	free(look);
	free(g);
	return rc;
}

int fleet_topology(struct fleet_drawing *d)
{
	struct atlas *a = calloc(1, sizeof(*a));
	struct draw_keys *keys = calloc(1, sizeof(*keys));
	int rc = a != NULL && keys != NULL ? 0 : -ENOMEM;

	if (rc == 0) {
		a->d = d;
		a->y = a->row_bottom = 50;
		draw_text(&a->texts, 12, 15, DRAW_LEFT, DRAW_TITLE,
			  "How the GPUs reach each other");
		draw_text(&a->texts, 12, 35, DRAW_LEFT, DRAW_FAINT,
			  "from row to column, as the driver says. NVn: directly, over n NVLinks; "
			  "P2P: directly");
		draw_say(d, "Matrix of GPUs: who can read whose memory directly.");
		rc = add_machines(a);
	}
	if (rc == 0 && a->n > 0) {
		(void)draw_keys(keys, 0, &a->texts, &d->vars);
		draw_page(&a->texts, a->row_bottom, &d->vars);
		rc = (int)a->n;
	}
	free(keys);
	free(a);
	return rc;
}
