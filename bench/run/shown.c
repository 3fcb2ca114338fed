/* SPDX-License-Identifier: Apache-2.0 */
/* See shown.h. */
#include "run/shown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/run_view.h"
#include "report/slow_pairs.h"
#include "report/steering.h"
#include "run/arm.h"
#include "run/campaign.h"
#include "run/finish.h"
#include "run/launch.h"
#include "run/options.h"
#include "spec/transport.h"

struct view shown_of_count(const struct shown *s, int i)
{
	struct view v = s->view;
	bool last = i + 1 == s->n_counts;

	if (s->n_counts == 1)
		return v;
	v.rows += s->first[i];
	v.n_rows = v.n_all = s->first[i + 1] - s->first[i];
	v.ranks = v.n_rows ? v.rows[0].ranks : 0;
	v.n_peaks = last ? v.n_peaks : 0;
	v.n_notes = last ? v.n_notes : 0;
	return v;
}

/* As transports of their own: "shm (tuned)". Where nothing is recommended there is no such row. */
static void add_tuned(const struct campaign *k, struct shown *s)
{
	for (size_t c = 0; c < k->plan.n_configs; c++) {
		const struct plan_config *pc = &k->plan.configs[c];

		for (size_t i = pc->first; pc->arm == 1 && i < pc->first + pc->n; i++) {
			struct record *r = &s->rows[s->view.n_rows];

			if (!k->points[i].done || k->plan.points[i].unavailable)
				continue;
			*r = k->points[i].record;
			snprintf(r->transport, sizeof(r->transport), "%.40s (tuned)",
				 transport_table[pc->transport].name);
			r->arm[0] = '\0';
			s->view.n_rows++;
		}
	}
}

static size_t add_config(const struct campaign *k, const struct plan_config *pc, struct record *out)
{
	size_t n = 0;

	for (size_t i = pc->first; i < pc->first + pc->n; i++)
		if (k->points[i].done)
			out[n++] = k->points[i].record;
	return n;
}

/* Of one number of ranks (0: of all): its rows stand together, so that a table can be of them. */
static void collect_count(const struct campaign *k, int nranks, struct shown *s)
{
	s->first[s->n_counts++] = s->view.n_rows;
	for (size_t c = 0; c < k->plan.n_configs; c++) {
		const struct plan_config *pc = &k->plan.configs[c];

		if (pc->arm == 0 && (!nranks || pc->nranks == nranks))
			s->view.n_rows += add_config(k, pc, &s->rows[s->view.n_rows]);
	}
	s->first[s->n_counts] = s->view.n_rows;
}

static int collect_rows(const struct campaign *k, bool tuned, struct shown *s)
{
	s->rows = calloc(k->plan.n_points + 1, sizeof(*s->rows));
	if (!s->rows)
		return -ENOMEM;
	/* The table and most charts are of the first arm, whose rows come first; what the others
	 * change is said after them. */
	for (int i = 0; i < (k->request.n_counts ? k->request.n_counts : 1); i++)
		collect_count(k, k->request.n_counts ? k->request.counts[i] : 0, s);
	if (tuned)
		add_tuned(k, s);
	s->view.n_all = s->view.n_rows;
	for (size_t c = 0; c < k->plan.n_configs && !tuned; c++)
		if (k->plan.configs[c].arm != 0)
			s->view.n_all +=
			    add_config(k, &k->plan.configs[c], &s->rows[s->view.n_all]);
	s->view.rows = s->rows;
	s->view.ranks = view_most_ranks(s->rows, s->view.n_rows);
	return 0;
}

/* The user's own variables against the best proven transport: what do they cost? */
static void note_steering(const struct view *v, const struct finish *f, struct shown *s)
{
	struct buf variables = { 0 }, text = { 0 };

	environment_steering(f->inherited, &variables);
	steering_say(v, buf_text(&variables), &text);
	snprintf(s->steering, sizeof(s->steering), "%s", buf_text(&text));
	notes_add(&s->notes, s->steering);
	buf_fini(&variables);
	buf_fini(&text);
}

static void note_losses(const struct campaign *k, struct shown *s)
{
	size_t unknown = 0;
	char text[200];

	for (size_t i = 0; i < s->view.n_rows; i++)
		unknown += strcmp(s->rows[i].outcome, "ok") == 0 &&
			   strcmp(s->rows[i].proof, "unknown") == 0;
	if (unknown) {
		snprintf(text, sizeof(text),
			 "%zu measured points are not proven: NCCL's log does not show which "
			 "transport they used",
			 unknown);
		notes_add(&s->notes, text);
	}
	if (k->interrupted && !k->broken)
		notes_add(&s->notes,
			  "interrupted: the points above are complete, the rest was not measured");
}

/* Others on the same GPU, and clocks that were held down, are why figures of two runs differ. */
static void note_cards(const struct campaign *k, const struct finish *f, struct shown *s)
{
	char value[512], line[700];

	for (int i = 0; k->cards && i < k->request.nranks; i++) {
		int device = facts_device(&f->launch->facts, i);

		if (facts_text_get(k->cards[i], "processes", value, sizeof(value)) && value[0]) {
			snprintf(line, sizeof(line), "GPU %d of rank %d is used by others, too: %s",
				 device, i, value);
			notes_add(&s->notes, line);
		}
		if (facts_text_get(k->cards[i], "throttled", value, sizeof(value)) && value[0]) {
			snprintf(line, sizeof(line),
				 "GPU %d of rank %d was held back during the run (%s): see flags "
				 "in samples.csv",
				 device, i, value);
			notes_add(&s->notes, line);
		}
	}
}

/* How pairs were measured, and which of them are slow for the way between them. */
static int note_pairs(const struct campaign *k, struct shown *s)
{
	struct slow_pair *slow = NULL;
	struct buf text = { 0 };
	char line[NOTE_LENGTH], *save = NULL;
	size_t n = 0;
	int r = pairs_classes(k, &s->pairs, &s->view.n_pairs);

	s->view.pairs = s->pairs;
	for (size_t i = 0; i < k->plan.n_configs && r == 0; i++) {
		pairs_say(k, i, line, sizeof(line));
		notes_add(&s->notes, line);
	}
	if (r == 0)
		r = slow_pairs_find(&s->view, &slow, &n);
	if (r == 0)
		slow_pairs_say(&s->view, slow, n, &text);
	for (char *at = text.data ? strtok_r(text.data, "\n", &save) : NULL; at;
	     at = strtok_r(NULL, "\n", &save))
		notes_add(&s->notes, at);
	free(slow);
	buf_fini(&text);
	return r;
}

/* Of several arms the table is of one. */
static void note_arm(const struct campaign *k, const struct options *o, struct shown *s)
{
	char line[300];

	if (o->tuned)
		notes_add(&s->notes, RUN_VIEW_TUNED);
	else if (o->matrix)
		notes_add(&s->notes, "the table is of NCCL's own choice; matrix.md has every "
				     "algorithm and protocol");
	else if (o->n_channels)
		notes_add(&s->notes,
			  "the table is of NCCL's own number of channels; overlap.md has "
			  "the others");
	if (o->tuned || o->matrix || o->n_channels || !k->arms)
		return;
	snprintf(line, sizeof(line),
		 "the table is of arm %s (%.200s); ab.md compares it with the others",
		 k->arms[0].label, k->arms[0].text[0] ? k->arms[0].text : "the plain environment");
	notes_add(&s->notes, line);
}

int shown_init(struct shown *s, const struct campaign *k, const struct finish *f)
{
	int r;

	memset(s, 0, sizeof(*s));
	s->view.notes = s->notes.list;
	launch_titles(f->launch, k->request.nranks, s->view.machine, sizeof(s->view.machine),
		      s->view.versions, sizeof(s->view.versions));
	facts_get(&f->launch->facts, 0, "host", s->view.host, sizeof(s->view.host));
	snprintf(s->view.when, sizeof(s->view.when), "%s", f->when);
	s->view.one_host = f->n_hosts == 1;
	s->view.peaks = k->peaks;
	s->view.n_peaks = k->n_peaks;
	r = collect_rows(k, f->options->tuned != NULL, s);
	if (r < 0)
		return r;
	note_steering(&s->view, f, s);
	note_losses(k, s);
	r = note_pairs(k, s);
	if (r < 0)
		return r;
	notes_add(&s->notes, f->place);
	note_arm(k, f->options, s);
	notes_add(&s->notes, k->no_ceiling);
	note_cards(k, f, s); /* last: of these there can be many */
	notes_close(&s->notes);
	s->view.n_notes = s->notes.n;
	return 0;
}

void shown_fini(struct shown *s)
{
	free(s->rows);
	free(s->pairs);
}
