/* SPDX-License-Identifier: Apache-2.0 */
/* See lines.h. A byte search for 'N' finds candidates; nothing else is compared per byte. */
#include "ncclog/lines.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_NUMBER_MAX = 1 << 24 };

void lines_fini(struct lines *l)
{
	free(l->carry);
	*l = (struct lines){ .on = l->on, .arg = l->arg, .want_none = l->want_none };
}

/* "... was compiled with NCCL version 2.29.2" is about a program, inside of a WARN. */
static bool is_of_another(const char *start, const char *mark)
{
	return mark - start >= 5 && memcmp(mark - 5, "with ", 5) == 0;
}

/* Where the next record's "NCCL" is, or NULL; *text is then what follows its mark. */
static const char *find_record(const char *p, const char *end, enum record_kind *kind,
			       const char **text)
{
	const char *start = p;

	for (; (p = memchr(p, 'N', (size_t)(end - p))) != NULL; p++) {
		struct span t = { p, end };

		if (!span_skip(&t, "NCCL "))
			continue;
		if (span_skip(&t, "INFO "))
			*kind = RECORD_INFO;
		else if (span_skip(&t, "WARN "))
			*kind = RECORD_WARN;
		else if (span_skip(&t, "version ") && t.p < end && span_digit(*t.p) &&
			 !is_of_another(start, p))
			*kind = RECORD_VERSION;
		else
			continue;
		*text = t.p;
		return p;
	}
	return NULL;
}

static void on_line(struct lines *l, const char *p, size_t len, bool whole)
{
	bool cut = len > LINES_BYTES_MAX, first = true;
	const char *end = p + (cut ? LINES_BYTES_MAX : len), *mark, *text = NULL, *next_text = NULL;
	enum record_kind kind, next_kind = RECORD_INFO;

	l->n_cut += cut;
	mark = find_record(p, end, &kind, &text);
	if (!mark && l->want_none) {
		struct log_record r = { .kind = RECORD_NONE,
					.before = { p, p },
					.text = { p, end },
					.whole = whole && !cut,
					.first = true,
					.line = l->line };

		l->on(l->arg, &r);
	}
	while (mark) {
		const char *next = find_record(text, end, &next_kind, &next_text);
		struct log_record r = { .kind = kind,
					.before = { p, mark },
					.text = { text, next ? next : end },
					.whole = next || (whole && !cut),
					.glued = next != NULL,
					.first = first,
					.line = l->line };

		l->on(l->arg, &r);
		first = false;
		p = text;
		mark = next;
		kind = next_kind;
		text = next_text;
	}
}

/* Keeps one byte more than a line may have, so that on_line sees that it was longer. */
static void carry_add(struct lines *l, const char *data, size_t len)
{
	size_t room = LINES_BYTES_MAX + 1 - l->carry_len;

	if (len > room)
		len = room;
	if (len == 0)
		return;
	if (l->carry_len + len > l->carry_cap) {
		size_t cap = l->carry_cap ? l->carry_cap : 512;
		char *more;

		while (cap < l->carry_len + len)
			cap *= 2;
		more = realloc(l->carry, cap);
		if (!more) {
			l->failed = true;
			return;
		}
		l->carry = more;
		l->carry_cap = cap;
	}
	memcpy(l->carry + l->carry_len, data, len);
	l->carry_len += len;
}

static void carry_done(struct lines *l, bool whole)
{
	if (l->carry_len)
		on_line(l, l->carry, l->carry_len, whole);
	l->carry_len = 0;
	l->open = false;
}

void lines_feed(struct lines *l, const char *data, size_t len)
{
	const char *end = data + len;

	while (data < end) {
		const char *nl = memchr(data, '\n', (size_t)(end - data));

		l->line += !l->open;
		l->open = true;
		if (nl && l->carry_len == 0) {
			on_line(l, data, (size_t)(nl - data), true);
			l->open = false;
		} else {
			carry_add(l, data, (size_t)((nl ? nl : end) - data));
			if (nl)
				carry_done(l, true);
		}
		data = nl ? nl + 1 : end;
	}
}

void lines_end(struct lines *l)
{
	carry_done(l, false);
}

struct span record_text(const struct log_record *r)
{
	struct span t = r->text;
	const char *p = t.end;

	if (!r->glued)
		return t;
	for (int words = 0; words < 3 && p > t.p; words++) {
		const char *end;

		while (p > t.p && p[-1] == ' ')
			p--;
		end = p;
		while (p > t.p && p[-1] != ' ')
			p--;
		if (*p != '[' && !memchr(p, ':', (size_t)(end - p)))
			break;
		t.end = p;
	}
	while (t.end > t.p && t.end[-1] == ' ')
		t.end--;
	return t;
}

void record_place(const struct log_record *r, char *out, size_t max)
{
	struct span b = r->before, place, number;
	const char *colon;
	int line;

	out[0] = '\0';
	while (b.end > b.p && b.end[-1] == ' ')
		b.end--;
	if (b.end > b.p && b.end[-1] == ')') {
		while (b.end > b.p && b.end[-1] != '(')
			b.end--;
		while (b.end > b.p && (b.end[-1] == '(' || b.end[-1] == ' '))
			b.end--;
	}
	place = (struct span){ b.end, b.end };
	while (place.p > b.p && place.p[-1] != ' ' && !span_control(place.p[-1]))
		place.p--;
	/* A second colon makes it "host:pid:tid": then there is no place. */
	colon = memchr(place.p, ':', (size_t)(place.end - place.p));
	if (!colon || colon == place.p)
		return;
	/* a path of the machine that built it may be long: its end tells the file */
	while ((size_t)(place.end - place.p) >= max) {
		const char *slash = memchr(place.p, '/', (size_t)(colon - place.p));

		if (!slash)
			return;
		place.p = slash + 1;
	}
	number = (struct span){ colon + 1, place.end };
	if (span_int(&number, LINE_NUMBER_MAX, &line) && number.p == number.end)
		span_copy(&place, out, max);
}
