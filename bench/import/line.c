/* SPDX-License-Identifier: Apache-2.0 */
/* See line.h. */
#include "import/line.h"

#include <string.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\0' || c == '\r' || c == '\v' || c == '\f';
}

bool line_next(struct lines_in *in, struct piece *out)
{
	const char *end;

	if (in->p >= in->end)
		return false;
	end = memchr(in->p, '\n', (size_t)(in->end - in->p));
	*out = (struct piece){ in->p, (size_t)((end ? end : in->end) - in->p) };
	in->p = end ? end + 1 : in->end;
	in->line++;
	while (out->n && out->p[out->n - 1] == '\r')
		out->n--;
	if (out->n > LINE_SEEN_MAX)
		out->n = LINE_SEEN_MAX;
	return true;
}

size_t line_words(struct piece line, struct piece words[LINE_WORDS_MAX])
{
	size_t i = 0, n = 0;

	while (n < LINE_WORDS_MAX) {
		size_t from;

		while (i < line.n && blank(line.p[i]))
			i++;
		from = i;
		while (i < line.n && !blank(line.p[i]))
			i++;
		if (i == from)
			break;
		words[n++] = (struct piece){ line.p + from, i - from };
	}
	return n;
}

const char *line_find(struct piece line, const char *text)
{
	return line.n ? memmem(line.p, line.n, text, strlen(text)) : NULL;
}

struct piece line_after(struct piece line, const char *text)
{
	const char *at = line_find(line, text), *end = line.p + line.n;

	if (!at)
		return (struct piece){ NULL, 0 };
	at += strlen(text);
	while (at < end && blank(*at))
		at++;
	return (struct piece){ at, (size_t)(end - at) };
}

bool line_is(struct piece word, const char *text)
{
	return strlen(text) == word.n && memcmp(word.p, text, word.n) == 0;
}

long line_int(struct piece at, long dflt)
{
	bool minus = at.n && at.p[0] == '-';
	size_t i = minus, from = i;
	long v = 0;

	for (; i < at.n && at.p[i] >= '0' && at.p[i] <= '9'; i++) {
		if (i - from >= 15)
			return dflt;
		v = v * 10 + (at.p[i] - '0');
	}
	return i == from ? dflt : minus ? -v : v;
}
