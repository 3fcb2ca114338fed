/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document of headings, paragraphs, lists, tables and pictures, written once and put into a form:
 * HTML for reading and printing, Markdown for reviews and terminals. Every text given is plain and
 * may be hostile; the form makes it harmless. Knows nothing of machines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/buf.h"

#define SHEET_COLUMNS_MAX 72
#define SHEET_HEAD 96

struct sheet;
struct sheet_table;

enum sheet_tone { SHEET_PLAIN, SHEET_LEAD, SHEET_NOTE };
enum sheet_row_kind { SHEET_ROW, SHEET_ROW_BEST, SHEET_ROW_FAINT };

struct sheet_link { /* of the contents */
	const char *id, *title;
};

struct sheet_picture {
	const char *svg;   /* fit to stand in HTML */
	const char *file;  /* the same as a file beside the document; NULL: there is none */
	const char *alt;   /* what it shows, in words */
	const char *title; /* below it; "" none */
};

struct sheet_form {
	const char *name, *file; /* "html", "report.html" */
	void (*begin)(struct sheet *s, const char *title, const char *sub);
	void (*contents)(struct sheet *s, const struct sheet_link *link, size_t n);
	void (*section)(struct sheet *s, const char *id,
			const char *title);                  /* ends the one before */
	void (*heading)(struct sheet *s, const char *title); /* within a section */
	void (*text)(struct sheet *s, enum sheet_tone tone, const char *text);
	void (*list)(struct sheet *s, bool begins); /* one without an item is not there */
	void (*item)(struct sheet *s, const char *text);
	void (*block)(struct sheet *s, const char *text); /* lines that are kept as they are */
	void (*table)(struct sheet *s, const struct sheet_table *t);
	void (*picture)(struct sheet *s, const struct sheet_picture *p);
	void (*end)(struct sheet *s);
};

extern const struct sheet_form sheet_html, sheet_markdown;
extern const struct sheet_form *const sheet_forms[];
extern const size_t sheet_forms_n;

struct sheet { /* start it as { .form = ..., .css = ... } */
	const struct sheet_form *form;
	const char *css; /* of the pictures; may be NULL */
	struct buf out;  /* .failed after an allocation that failed */
	bool in_section, in_list;
};

struct sheet_column {
	char head[SHEET_HEAD], sub[SHEET_HEAD];
	bool right;
};

struct sheet_row {
	enum sheet_row_kind kind;
	size_t first, n; /* its cells */
	bool spans;      /* the last one takes the rest of the row */
};

struct sheet_table { /* start it as { 0 } */
	const char *caption;
	size_t heads; /* leading columns that name the row */
	struct sheet_column column[SHEET_COLUMNS_MAX];
	size_t n_columns, dropped; /* dropped: columns that did not fit */
	struct sheet_row *row;
	size_t n_rows;
	size_t *cell; /* offsets in text */
	size_t n_cells;
	struct buf text;
	bool failed;
};

void sheet_table_begin(struct sheet_table *t, const char *caption, size_t heads);
void sheet_table_column(struct sheet_table *t, const char *head, const char *sub, bool right);
void sheet_table_row(struct sheet_table *t, enum sheet_row_kind kind);
void sheet_table_cell(struct sheet_table *t, const char *fmt, ...) ATTR_PRINTF(2, 3);
void sheet_table_number(struct sheet_table *t, double v, const char *unit); /* "-" for NaN */
void sheet_table_rest(struct sheet_table *t, const char *text);
/* Cell c of a row: "" beyond its last. */
const char *sheet_table_text(const struct sheet_table *t, const struct sheet_row *r, size_t c);
/* Writes it, if it has a row, and empties it. */
void sheet_table_put(struct sheet *s, struct sheet_table *t);

void sheet_text(struct sheet *s, enum sheet_tone tone, const char *fmt, ...) ATTR_PRINTF(3, 4);
void sheet_item(struct sheet *s, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* Plain text as one form wants it: control bytes, broken UTF-8 and direction marks become '?'. */
void sheet_escape_html(struct buf *b, const char *text);
void sheet_escape_markdown(struct buf *b, const char *text);
