/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of other tools -> what import makes of them, against CHECKS.tsv, written by hand, and cut
 * at every length: no file may crash it. Usage: test_import_golden FOLDER
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "import/format.h"

enum { FILE_BYTES_MAX = 1 << 20, FIELDS = 12, CUTS = 40 };

static int failures;

static void differs(char *const *f, const char *what, const char *want, const char *got)
{
	fprintf(stderr, "%s table %s: %s is '%s', wanted '%s'\n", f[0], f[1], what, got, want);
	failures++;
}

static void check_text(char *const *f, const char *what, const char *want, const char *got)
{
	if (strcmp(want, got) != 0)
		differs(f, what, want, got);
}

static void check_number(char *const *f, const char *what, const char *want, double got)
{
	double v = strcmp(want, "-") == 0 ? NAN : strtod(want, NULL);
	char text[40];

	snprintf(text, sizeof(text), "%.9g", got);
	if (isnan(v) != isnan(got) || fabs(v - got) > 1e-6 * fabs(v) + 1e-6)
		differs(f, what, want, text);
}

static double best(const struct import_table *t)
{
	double v = NAN;

	if (strcmp(t->unit, "ns") == 0)
		return v;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct import_half *h = &t->rows[i].half[0];
		double b = isnan(h->busbw_gbps) ? h->algbw_gbps : h->busbw_gbps;

		v = b > v || isnan(v) ? b : v;
	}
	return v;
}

static void check_table(char *const *f, const struct imported *im)
{
	size_t i = (size_t)strtoul(f[1], NULL, 10);
	const struct import_table *t = &im->tables[i];

	if (i >= im->n_tables) {
		differs(f, "the table", "there", "absent");
		return;
	}
	check_text(f, "op", f[2], t->op);
	check_number(f, "ranks", f[3], t->ranks);
	check_number(f, "rows", f[4], (double)t->n_rows);
	check_text(f, "unit", f[5], t->unit);
	check_number(f, "max_busbw_out", f[6], best(t));
	check_number(f, "avg_busbw", f[7], t->avg_busbw);
	check_number(f, "errors", f[8], (double)t->n_errors);
	check_number(f, "contradictions", f[9], (double)t->n_contradict);
	check_text(f, "transport", f[10], t->transport);
	check_text(f, "timing", f[11], t->timing);
}

/* A copy of exactly that length: reading behind it is seen by the sanitizer. */
static void read_cut(const struct import_request *r, const char *data, size_t len)
{
	struct imported im = { 0 };
	char *copy = malloc(len ? len : 1);

	if (!copy)
		return;
	memcpy(copy, data, len);
	if (import_read(&im, r, "cut", copy, len) < 0) {
		fprintf(stderr, "a file cut at %zu bytes was refused as out of memory\n", len);
		failures++;
	}
	free(copy);
	imported_fini(&im);
}

static void check_line(const char *dir, char *line)
{
	struct import_request r = { .format = NULL };
	struct imported im = { 0 };
	char *f[FIELDS], *save = NULL, *path, *data = NULL;
	size_t n = 0, len = 0;

	for (char *w = strtok_r(line, "\t", &save); w && n < FIELDS;
	     w = strtok_r(NULL, "\t", &save))
		f[n++] = w;
	path = n == FIELDS ? file_join(dir, f[0]) : NULL;
	if (!path || file_read_all(path, FILE_BYTES_MAX, &data, &len) ||
	    import_read(&im, &r, f[0], data, len)) {
		fprintf(stderr, "%s: cannot be imported\n", n ? f[0] : "a row of CHECKS.tsv");
		failures++;
	} else {
		check_table(f, &im);
		for (size_t i = 0; i <= CUTS; i++)
			read_cut(&r, data, len * i / (CUTS + 1) + (i * 37) % 11);
	}
	free(path);
	free(data);
	imported_fini(&im);
}

int main(int argc, char **argv)
{
	char *path = argc == 2 ? file_join(argv[1], "CHECKS.tsv") : NULL, *data = NULL,
	     *save = NULL;
	size_t len, n = 0;

	if (!path || file_read_all(path, FILE_BYTES_MAX, &data, &len)) {
		fprintf(stderr, "usage: test_import_golden FOLDER\n");
		return 99;
	}
	for (char *line = strtok_r(data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (line[0] != '#') {
			check_line(argv[1], line);
			n++;
		}
	printf("%zu tables checked, %d differences\n", n, failures);
	free(data);
	free(path);
	return failures || n == 0;
}
