/* SPDX-License-Identifier: Apache-2.0 */
/* See table.h. Memory and numbers; no formats. */
#include "import/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define LINES_BYTES_MAX                                                           \
	(64u << 10) /* of notes, of failures: a hostile file must not fill memory \
		     */

void imported_fini(struct imported *im)
{
	for (size_t i = 0; i < im->n_files; i++)
		free(im->files[i].name);
	for (size_t i = 0; i < im->n_tables; i++) {
		free(im->tables[i].devices);
		free(im->tables[i].rows);
	}
	free(im->files);
	free(im->tables);
	buf_fini(&im->notes);
	buf_fini(&im->failures);
	buf_fini(&im->environment);
	*im = (struct imported){ 0 };
}

int imported_file(struct imported *im, const char *name)
{
	struct import_file *grown = reallocarray(im->files, im->n_files + 1, sizeof(*grown));
	char *copy = strdup(name);

	if (grown)
		im->files = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	im->files[im->n_files++] = (struct import_file){ .name = copy };
	return 0;
}

const char *imported_name(const struct imported *im)
{
	return im->n_files ? im->files[im->n_files - 1].name : "";
}

struct import_table *imported_table(struct imported *im)
{
	struct import_table *t;

	if (im->n_tables == im->cap_tables) {
		size_t cap = im->cap_tables ? im->cap_tables * 2 : 8;
		struct import_table *grown =
		    cap <= IMPORT_TABLES_MAX ? reallocarray(im->tables, cap, sizeof(*grown)) : NULL;

		if (!grown) {
			im->failed = true;
			return NULL;
		}
		im->tables = grown;
		im->cap_tables = cap;
	}
	t = &im->tables[im->n_tables++];
	*t = (struct import_table){ .tool = "",
				    .backend = "nccl",
				    .timing = "stream",
				    .transport = "auto",
				    .unit = "us",
				    .unit_us = 1 };
	t->avg_busbw = t->out_of_bounds = t->ops_per_batch = NAN;
	if (im->n_files) {
		t->file = im->n_files - 1;
		im->files[t->file].n_tables++;
	}
	return t;
}

void import_half_init(struct import_half *h)
{
	*h = (struct import_half){ 0 };
	h->time = h->algbw = h->busbw = (struct import_number){ NAN, 0 };
	h->wrong = h->max_error = h->min_us = h->max_us = h->p95_us = h->p99_us = NAN;
	h->time_us = h->algbw_gbps = h->busbw_gbps = NAN;
}

struct import_row *imported_row(struct imported *im, struct import_table *t)
{
	struct import_row *r;

	if (im->n_rows >= IMPORT_ROWS_MAX) {
		im->failed = true;
		return NULL;
	}
	if (t->n_rows == t->cap_rows) {
		size_t cap = t->cap_rows ? t->cap_rows * 2 : 32;
		struct import_row *grown = reallocarray(t->rows, cap, sizeof(*grown));

		if (!grown) {
			im->failed = true;
			return NULL;
		}
		t->rows = grown;
		t->cap_rows = cap;
	}
	r = &t->rows[t->n_rows++];
	im->n_rows++;
	*r = (struct import_row){ .root = -1 };
	import_half_init(&r->half[0]);
	import_half_init(&r->half[1]);
	return r;
}

void imported_note(struct imported *im, const char *fmt, ...)
{
	va_list args;
	char line[512];

	if (im->notes.len > LINES_BYTES_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	buf_puts(&im->notes, line);
	buf_putc(&im->notes, '\n');
}

void import_copy(char *out, size_t max, const char *text, size_t len)
{
	size_t n = 0;

	for (; n < len && n + 1 < max && text[n]; n++)
		out[n] = text[n] >= 0x20 && text[n] < 0x7f ? text[n] : '?';
	out[n] = '\0';
}

void imported_failure(struct imported *im, const char *text, size_t len)
{
	char line[400];

	import_copy(line, sizeof(line), text, len);
	if (im->failures.len > LINES_BYTES_MAX || strstr(buf_text(&im->failures), line))
		return;
	buf_printf(&im->failures, "%s\n", line);
}

void imported_environment(struct imported *im, const char *pair, size_t len)
{
	char line[1024];
	const char *eq;

	import_copy(line, sizeof(line), pair, len);
	eq = strchr(line, '=');
	if (!eq || im->environment.len > LINES_BYTES_MAX)
		return;
	/* A dump of somebody's whole environment holds credentials: only what steers NCCL is kept.
	 */
	if (strncmp(line, "NCCL_", 5) != 0 || strstr(buf_text(&im->environment), line))
		return;
	buf_printf(&im->environment, "%s\n", line);
}

int import_append_device(struct import_device **list, size_t *n, const struct import_device *d)
{
	/* Full exactly when n is a power of two (or 0): the list doubles. */
	if ((*n & (*n - 1)) == 0) {
		struct import_device *grown = reallocarray(*list, *n ? *n * 2 : 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*list = grown;
	}
	(*list)[(*n)++] = *d;
	return 0;
}

static const struct {
	const char *word;
	double v;
} words[] = {
	{ "N/A", NAN },  { "n/a", NAN },      { "nan", NAN },
	{ "-nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY },
};

bool import_number(const char *text, size_t len, struct import_number *out)
{
	char copy[40];
	double v, half = 0.5;
	const char *dot, *e;

	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	for (size_t i = 0; i < N_ELEMENTS(words); i++)
		if (strcmp(copy, words[i].word) == 0) {
			*out = (struct import_number){ words[i].v, 0 };
			return true;
		}
	if (num_parse_double(copy, &v))
		return false;
	e = strpbrk(copy, "eE");
	dot = strchr(copy, '.');
	if (dot)
		half *= pow(10, -(double)((e ? e : copy + len) - dot - 1));
	if (e)
		half *= pow(10, strtod(e + 1, NULL));
	*out = (struct import_number){ v, half };
	return true;
}
