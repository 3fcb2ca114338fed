/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison of arms found, for people and for programs. Decides nothing. docs/ab.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ab_options;
struct ab_result;
struct buf;
struct pool;

struct ab_side { /* of an arm */
	const char *label, *text,
	    *version; /* text "": the plain environment; version of its own library, or "" */
};

struct ab_view {
	const struct pool *pool;
	const struct ab_result *r;
	const struct ab_options *o;
	const struct ab_side *sides; /* the first is what the others are compared with */
	size_t n_sides;
	int restarts;
	const char *run; /* its folder */
	bool color;
};

void ab_text(struct buf *b, const struct ab_view *v);
void ab_markdown(struct buf *b, const struct ab_view *v);
void ab_json(struct buf *b, const struct ab_view *v);

/* "+3.1 % (+2.8 .. +3.5 %)" or "within 0.7 %", after what comes before time; one line. */
struct ab_finding;
void ab_sentence(struct buf *b, const struct ab_finding *f);
