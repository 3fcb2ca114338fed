/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of the forms in which the gate's judgement is written. Decides nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct finding;
struct group_finding;
struct judge_options;
struct judgement;
struct point_finding;
struct pool;
struct series;

struct gate_view {
	const struct pool *pool;
	const struct judgement *j;
	const struct judge_options *o;
	const struct series *now;
	bool all; /* rows that passed too */
	bool color;
};

struct gate_writer {
	const char *name; /* the option without its dashes */
	const char *help;
	void (*write)(struct buf *b, const struct gate_view *v);
	bool shares; /* may stand on standard output beside others */
};

extern const struct gate_writer gate_writers[];
extern const size_t gate_n_writers;

void gate_text(struct buf *b, const struct gate_view *v);
void gate_json(struct buf *b, const struct gate_view *v);
void gate_markdown(struct buf *b, const struct gate_view *v);
void gate_junit(struct buf *b, const struct gate_view *v);
void gate_github(struct buf *b, const struct gate_view *v);

/* What the writers share. */
void gate_group_name(struct buf *b, const struct gate_view *v,
		     const struct group_finding *g); /* "p2p all_reduce graph, large" */
void gate_figures(
    struct buf *b,
    const struct finding *f); /* "+4.8 % (+4.1 .. +5.4 %), limit 2.0 %"; "" untested */
void gate_sentence(struct buf *b,
		   const struct finding *f); /* figures, why, expectation: one line */
/* Rows people want to see: not passed, not new, not merely repeated by their group. */
bool gate_point_matters(const struct group_finding *g, const struct point_finding *p);
bool gate_group_matters(const struct group_finding *g);
void gate_headline(struct buf *b, const struct gate_view *v); /* "REGRESSED: 2 groups ..." */
void gate_clean(struct buf *b, const char *text);             /* printable, valid UTF-8 */

/* A picture per group, the baseline's band and the new run: SVG and PNG in `dir`. Returns how many;
 * -ENOENT without gnuplot or plots/gate.gp; other negative errno. */
int gate_charts(const struct gate_view *v, const char *dir, struct buf *notes);
