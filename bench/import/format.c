/* SPDX-License-Identifier: Apache-2.0 */
/* See format.h. */
#include "import/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/check.h"

const struct import_format import_formats[] = {
	{ "nvbandwidth-json", "nvbandwidth -j", nvbandwidth_json_probe, nvbandwidth_json_read },
	{ "nccl-tests-json", "nccl-tests -J FILE, 2.17.3 and later", nccl_tests_json_probe,
	  nccl_tests_json_read },
	{ "nccl-tests", "what nccl-tests (and rccl-tests) print, 1.0 and later",
	  nccl_tests_text_probe, nccl_tests_text_read },
	{ "nvbandwidth", "what nvbandwidth prints", nvbandwidth_text_probe, nvbandwidth_text_read },
	{ "osu", "what the OSU Micro-Benchmarks print", osu_probe, osu_read },
};
const size_t import_n_formats = N_ELEMENTS(import_formats);

int import_format_find(const char *name)
{
	for (size_t i = 0; i < import_n_formats; i++)
		if (strcmp(import_formats[i].name, name) == 0)
			return (int)i;
	return -1;
}

static const struct import_format *choose(const struct import_request *r, const char *data,
					  size_t len)
{
	for (size_t i = 0; i < import_n_formats; i++)
		if (r->format ? strcmp(import_formats[i].name, r->format) == 0
			      : import_formats[i].probe(data, len))
			return &import_formats[i];
	return NULL;
}

/* OSU prints what one rank contributes; points.csv wants the sum over ranks. Without their number
 * the size stays the tool's. */
static void sum_sizes(struct import_table *t)
{
	static const char *const per_rank[] = { "all_gather", "gather", "scatter", "alltoall" };

	for (size_t i = 0; i < N_ELEMENTS(per_rank); i++)
		for (size_t k = 0; strcmp(t->tool, "osu") == 0 && strcmp(t->op, per_rank[i]) == 0 &&
				   t->ranks > 0 && k < t->n_rows;
		     k++)
			if (t->rows[k].bytes < (1ull << 40))
				t->rows[k].bytes *= (uint64_t)t->ranks;
}

/* What the user said about the files counts where the files say nothing. */
static void complete(struct imported *im, const struct import_request *r, size_t from)
{
	for (size_t i = from; i < im->n_tables; i++) {
		struct import_table *t = &im->tables[i];

		if (!t->op_from && r->op) {
			snprintf(t->op, sizeof(t->op), "%s", r->op);
			t->op_from = "--op";
		}
		if (t->ranks == 0 && r->ranks > 0)
			t->ranks = r->ranks;
		if (t->bytes_assumed && r->buffer) {
			for (size_t k = 0; k < t->n_rows; k++)
				t->rows[k].bytes = r->buffer;
			t->bytes_assumed = false;
		}
		if (r->transport)
			snprintf(t->transport, sizeof(t->transport), "%s", r->transport);
		sum_sizes(t);
		import_check(im, t);
	}
}

int import_read(struct imported *im, const struct import_request *r, const char *name,
		const char *data, size_t len)
{
	const struct import_format *f = choose(r, data, len);
	size_t tables = im->n_tables;
	int rc = imported_file(im, name);

	if (rc || !f)
		return rc ? rc : 1;
	im->files[im->n_files - 1].format = f->name;
	rc = f->read(im, data, len);
	if (rc)
		return rc;
	complete(im, r, tables);
	return im->failed ? -ENOMEM : im->n_tables == tables;
}
