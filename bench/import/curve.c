/* SPDX-License-Identifier: Apache-2.0 */
/* See curve.h. */
#include "import/curve.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "import/table.h"

#define METHOD_BITS 12
#define FAR_BYTES (256u << 10)
#define FAR_RATIO 1.3

/* All that points.csv says about it but what differs from row to row. */
static bool same_curve(const struct import_table *a, const struct import_table *b)
{
	return strcmp(a->backend, b->backend) == 0 && strcmp(a->transport, b->transport) == 0 &&
	       strcmp(a->op, b->op) == 0 && a->ranks == b->ranks &&
	       strcmp(a->timing, b->timing) == 0;
}

/* The log is part of it: a figure over P2P and one over SHM are no repetition of each other. */
static bool same_method(const struct import_table *a, const struct import_table *b)
{
	return strcmp(a->method, b->method) == 0 && strcmp(a->used, b->used) == 0 &&
	       strcmp(a->nccl_version, b->nccl_version) == 0 &&
	       strcmp(a->settings, b->settings) == 0 && strcmp(a->heading, b->heading) == 0;
}

/* Nothing in the files may tell two experiments apart that are no repetition of each other: most of
 * the larger sizes differ by more than a run differs from the next. */
static bool far_apart(const struct import_table *a, const struct import_table *b)
{
	size_t common = 0, far = 0;

	for (size_t i = 0, k = 0; i < a->n_rows && k < b->n_rows;) {
		const struct import_row *x = &a->rows[i], *y = &b->rows[k];
		double p = x->half[0].time_us, q = y->half[0].time_us;

		if (x->bytes != y->bytes) {
			i += x->bytes < y->bytes;
			k += x->bytes > y->bytes;
			continue;
		}
		if (x->bytes >= FAR_BYTES && p > 0 && q > 0) {
			common++;
			far += p > FAR_RATIO * q || q > FAR_RATIO * p;
		}
		i++;
		k++;
	}
	return far * 2 > common;
}

void curve_numbers(const struct imported *im, int *out)
{
	int curves = 0;

	for (size_t i = 0; i < im->n_tables; i++) {
		int curve = -1, methods = 0;

		out[i] = -1;
		for (size_t k = 0; k < i && out[i] < 0; k++) {
			if (!same_curve(&im->tables[k], &im->tables[i]))
				continue;
			curve = out[k] >> METHOD_BITS;
			if (same_method(&im->tables[k], &im->tables[i]) &&
			    !far_apart(&im->tables[k], &im->tables[i]))
				out[i] = out[k];
			else if ((out[k] & ((1 << METHOD_BITS) - 1)) >= methods)
				methods = (out[k] & ((1 << METHOD_BITS) - 1)) + 1;
		}
		if (out[i] >= 0)
			continue;
		if (curve < 0)
			curve = curves++;
		out[i] = curve << METHOD_BITS | methods;
	}
}

void curve_timing(const struct import_table *t, int curve, char *out, size_t max)
{
	int method = curve & ((1 << METHOD_BITS) - 1);

	snprintf(out, max, "%s", t->timing);
	if (method)
		snprintf(out, max, "%.9s~%d", t->timing, method + 1);
}

void curve_short_name(const char *name, char *out, size_t max)
{
	static const struct {
		const char *from, *to;
	} words[] = {
		{ "multinode", "mn" }, { "host", "h" },
		{ "device", "d" },     { "bidirectional", "bidir" },
		{ "memcpy", "" },      { "ce", "" },
		{ "sm", "" },
	};
	char copy[IMPORT_TEXT], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", name);
	out[0] = '\0';
	for (char *w = strtok_r(copy, "_", &save); w; w = strtok_r(NULL, "_", &save)) {
		const char *to = w;
		size_t n = strlen(out);

		for (size_t i = 0; i < N_ELEMENTS(words); i++)
			to = strcmp(words[i].from, w) == 0 ? words[i].to : to;
		if (*to)
			snprintf(out + n, max - n, "%s%s", n ? "_" : "", to);
	}
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = 1469598103934665603u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h;
}

/* No dots: what reads a version cuts it at the last one. */
void curve_methods(const struct imported *im, char *out, size_t max)
{
	size_t n, distinct = 0;
	uint64_t hash = 0;

	out[0] = '\0';
	for (size_t i = 0; i < im->n_tables; i++) {
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = strcmp(im->tables[k].method, im->tables[i].method) == 0;
		if (seen)
			continue;
		hash += hash_of(im->tables[i].method);
		n = strlen(out);
		snprintf(out + n, max - n, "%s%s",
			 distinct++ ? " + " : "imported: ", im->tables[i].method);
	}
	if (strlen(out) + 1 >= max)
		snprintf(out, max, "imported: %zu methods, %016llx", distinct,
			 (unsigned long long)hash);
	for (char *c = out; *c; c++)
		*c = *c == '.' ? '_' : *c;
}
