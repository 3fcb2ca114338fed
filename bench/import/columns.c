/* SPDX-License-Identifier: Apache-2.0 */
/* See columns.h. */
#include "import/columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "import/table.h"
#include "spec/dtype.h"

/* TABLE: names in a half of the header. */
static const struct {
	const char *name;
	enum text_column column;
} half_names[] = {
	{ "time", TEXT_TIME },   { "cputime", TEXT_TIME }, { "algbw", TEXT_ALGBW },
	{ "busbw", TEXT_BUSBW }, { "#wrong", TEXT_WRONG }, { "error", TEXT_ERROR },
	{ "res", TEXT_ERROR },   { "i_min", TEXT_MIN },    { "i_max", TEXT_MAX },
	{ "i_p99", TEXT_P99 },   { "i_cv%", TEXT_SKIP },
};

static const enum text_column usual[] = { TEXT_TIME, TEXT_ALGBW, TEXT_BUSBW, TEXT_WRONG };

void text_layout_default(struct text_layout *l)
{
	*l = (struct text_layout){ .redop = true, .root = true };
	for (size_t h = 0; h < 2; h++) {
		memcpy(l->half[h], usual, sizeof(usual));
		l->n_half[h] = N_ELEMENTS(usual);
	}
}

static int half_name(struct piece word)
{
	for (size_t i = 0; i < N_ELEMENTS(half_names); i++)
		if (line_is(word, half_names[i].name))
			return (int)i;
	return -1;
}

/* Before the first time. */
static void key_name(struct text_layout *l, struct piece word, bool *typed)
{
	if (line_is(word, "type"))
		*typed = true;
	else if (line_is(word, "redop") || line_is(word, "op"))
		l->redop = true;
	else if (line_is(word, "root"))
		l->root = true;
	else if (line_is(word, "bytes"))
		l->ms = true; /* 1.0 names it so, and has no line of units */
	else
		l->extra += *typed;
}

bool text_layout_header(struct text_layout *l, struct piece line)
{
	struct piece words[LINE_WORDS_MAX];
	size_t n = line_words(line, words);
	struct text_layout got = { .known = true };
	int h = -1;
	bool typed = false, algbw = false;

	for (size_t i = 0; i < n; i++) {
		int name = half_name(words[i]);

		if (name >= 0 && half_names[name].column == TEXT_TIME && ++h > 1)
			break;
		if (h < 0) {
			key_name(&got, words[i], &typed);
			continue;
		}
		if (name < 0 && (h == 1 || i + 1 == n || line_is(words[i], "timestamp")))
			break; /* timestamp and its format */
		got.cputime |= name >= 0 && line_is(words[i], "cputime");
		got.old_error |= name >= 0 && half_names[name].column == TEXT_ERROR;
		algbw |= name >= 0 && half_names[name].column == TEXT_ALGBW;
		if (got.n_half[h] < TEXT_HALF_MAX)
			got.half[h][got.n_half[h]++] =
			    name < 0 ? TEXT_SKIP : half_names[name].column;
	}
	if (h < 0 || !algbw || !typed)
		return false;
	*l = got;
	return true;
}

static bool all_digits(struct piece w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!isdigit((unsigned char)w.p[i]))
			return false;
	return w.n > 0 && w.n < 20;
}

static bool is_type(struct piece w)
{
	char name[16];

	if (w.n >= sizeof(name))
		return false;
	import_copy(name, sizeof(name), w.p, w.n);
	return dtype_find(name) >= 0 || strcmp(name, "fp8_e4m3") == 0 ||
	       strcmp(name, "fp8_e5m2") == 0;
}

size_t text_row_start(struct piece *words, size_t n)
{
	for (size_t i = 0; i + 3 < n; i++) {
		struct piece w = words[i];

		if (!all_digits(words[i + 1]) || !is_type(words[i + 2]))
			continue;
		for (size_t k = w.n; k > 0; k--)
			if (!isdigit((unsigned char)w.p[k - 1])) { /* "[1,0]<stdout>:1024" */
				w = (struct piece){ w.p + k, w.n - k };
				break;
			}
		if (!all_digits(w))
			continue;
		words[i] = w;
		return i;
	}
	return n;
}

static uint64_t whole(struct piece w)
{
	uint64_t v = 0;

	for (size_t i = 0; i < w.n; i++)
		v = v > (UINT64_MAX - 9) / 10 ? UINT64_MAX : v * 10 + (uint64_t)(w.p[i] - '0');
	return v > INT64_MAX ? INT64_MAX : v; /* later sums and JSON are signed */
}

static bool is_root(struct piece w)
{
	struct piece digits = w;

	if (w.n > 1 && w.p[0] == '-')
		digits = (struct piece){ w.p + 1, w.n - 1 };
	return all_digits(digits) && digits.n < 8;
}

/* redop and root: by the header; without one by what the words look like. Returns the words used.
 */
static size_t read_keys(const struct text_layout *l, const struct piece *w, size_t n,
			struct import_row *out)
{
	struct import_number number;
	size_t i = 0, rest;
	bool root;

	if (n && l->redop && !import_number(w[0].p, w[0].n, &number))
		import_copy(out->redop, sizeof(out->redop), w[i].p, w[i].n), i++;
	rest = n - i;
	root = l->known ? l->root : rest == 5 || rest == 9 || rest == 11;
	if (root && i < n && is_root(w[i]))
		out->root = (int)line_int(w[i], -1), i++;
	return l->extra < n - i ? i + l->extra : n;
}

static void set_column(const struct text_layout *l, struct import_half *h, enum text_column c,
		       const struct import_number *v, bool nan)
{
	switch (c) {
	case TEXT_TIME:
		h->time = *v;
		break;
	case TEXT_ALGBW:
		h->algbw = *v;
		break;
	case TEXT_BUSBW:
		h->busbw = *v;
		break;
	case TEXT_WRONG:
		h->wrong = v->v;
		break;
	case TEXT_ERROR:
		h->max_error = nan ? INFINITY : v->v;
		break;
	case TEXT_MIN:
		h->min_us = v->v;
		break;
	case TEXT_MAX:
		h->max_us = v->v;
		break;
	case TEXT_P99:
		h->p99_us = v->v;
		break;
	case TEXT_SKIP:
	default:
		break;
	}
}

/* A number with what an interleaved line glued to its end: "0vm:684:684". */
static bool loose_number(struct piece w, struct import_number *v)
{
	size_t n = 0;

	if (import_number(w.p, w.n, v))
		return true;
	while (n < w.n && isdigit((unsigned char)w.p[n]))
		n++;
	return n > 0 && w.n > n && line_find(w, ":") && import_number(w.p, n, v);
}

/* Returns the words used; 0: the half is not whole. */
static size_t read_half(const struct text_layout *l, size_t which, const struct piece *w, size_t n,
			struct import_half *h)
{
	import_half_init(h);
	if (l->n_half[which] == 0 || n < l->n_half[which])
		return 0;
	for (size_t i = 0; i < l->n_half[which]; i++) {
		struct import_number v;

		if (l->half[which][i] == TEXT_SKIP)
			continue;
		if (!loose_number(w[i], &v))
			return 0;
		set_column(l, h, l->half[which][i], &v, w[i].n && w[i].p[w[i].n - 1] == 'n');
	}
	h->present = true;
	h->no_time = l->cputime;
	return l->n_half[which];
}

enum text_row text_row_read(const struct text_layout *l, const struct piece *words, size_t n,
			    struct import_row *out)
{
	size_t i = 3, used, first = l->in_place_first ? 1 : 0;

	if (n < 4)
		return TEXT_ROW_NONE;
	out->bytes = whole(words[0]);
	out->count = whole(words[1]);
	import_copy(out->dtype, sizeof(out->dtype), words[2].p, words[2].n);
	i += read_keys(l, words + i, n - i, out);
	used = read_half(l, 0, words + i, n - i, &out->half[first]);
	if (!used)
		return TEXT_ROW_NONE;
	if (l->n_half[1] == 0)
		return TEXT_ROW_WHOLE;
	return read_half(l, 1, words + i + used, n - i - used, &out->half[1]) ? TEXT_ROW_WHOLE
									      : TEXT_ROW_PART;
}
