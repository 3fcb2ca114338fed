/* SPDX-License-Identifier: Apache-2.0 */
/* See repair.h. */
#include "import/repair.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"

#define DEPTH_MAX 64

struct walk {
	struct buf *out;
	char open[DEPTH_MAX]; /* the closers that are due */
	size_t depth;
	size_t safe, safe_depth; /* where a value was complete last */
	bool in_string, escaped;
};

static void string_byte(struct walk *w, char c)
{
	unsigned char u = (unsigned char)c;

	buf_putc(w->out, u < 0x20 || u > 0x7e ? '?' : c);
	if (w->escaped)
		w->escaped = false;
	else if (c == '\\')
		w->escaped = true;
	else if (c == '"')
		w->in_string = false;
}

/* inf, -inf, nan, -nan(ind): bytes taken, or 0. */
static size_t bare_word(const char *p, size_t n)
{
	static const char *const words[] = { "-inf",     "inf",       "-nan", "nan",
					     "Infinity", "-Infinity", "NaN" };
	size_t best = 0;

	for (size_t i = 0; i < N_ELEMENTS(words); i++) {
		size_t len = strlen(words[i]);

		if (len <= n && len > best && memcmp(p, words[i], len) == 0 &&
		    (len == n || !isalpha((unsigned char)p[len])))
			best = len;
	}
	return best;
}

/* False: the object is complete or cannot be followed any deeper. */
static bool plain_byte(struct walk *w, char c)
{
	buf_putc(w->out, c);
	if (c == '"') {
		w->in_string = true;
	} else if (c == '{' || c == '[') {
		if (w->depth == DEPTH_MAX)
			return false;
		w->open[w->depth++] = c == '{' ? '}' : ']';
	} else if (c == '}' || c == ']') {
		if (w->depth == 0 || w->open[w->depth - 1] != c)
			return false;
		w->depth--;
		w->safe = w->out->len;
		w->safe_depth = w->depth;
	}
	return w->depth > 0;
}

static void close_all(struct walk *w)
{
	if (!w->safe) {
		buf_clear(w->out);
		return;
	}
	w->out->len = w->safe;
	while (w->safe_depth > 0)
		buf_putc(w->out, w->open[--w->safe_depth]);
}

bool repair_next(const char *data, size_t len, size_t *at, struct buf *out, bool *cut)
{
	struct walk w = { .out = out };
	const char *start = *at < len ? memchr(data + *at, '{', len - *at) : NULL;
	size_t i = start ? (size_t)(start - data) : len;

	buf_clear(out);
	*cut = true;
	if (i == len)
		return false;
	for (; i < len; i++) {
		size_t word = w.in_string ? 0 : bare_word(data + i, len - i);

		if (w.in_string) {
			string_byte(&w, data[i]);
		} else if (word) {
			buf_puts(out, "null");
			i += word - 1;
		} else if (!plain_byte(&w, data[i])) {
			*cut = w.depth > 0 || !w.safe;
			i++;
			break;
		}
	}
	*at = i;
	if (*cut)
		close_all(&w);
	return true;
}
