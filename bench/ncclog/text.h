/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of text that is being read from the left. Not NUL-terminated; nothing here allocates. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct span {
	const char *p, *end;
};

static inline bool span_is(const struct span *s, const char *lit, size_t len)
{
	return (size_t)(s->end - s->p) >= len && memcmp(s->p, lit, len) == 0;
}

static inline bool span_skip(struct span *s, const char *lit)
{
	size_t len = strlen(lit);

	if (!span_is(s, lit, len))
		return false;
	s->p += len;
	return true;
}

static inline bool span_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What may continue a word of a transport's name. */
static inline bool span_word(char c)
{
	return span_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Control bytes end a text: carriage return, the escape of a colour, NUL. A tab does not. */
static inline bool span_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

/* At least one decimal digit, value at most `max`. */
static inline bool span_number(struct span *s, uint64_t max, uint64_t *out)
{
	const char *start = s->p;
	uint64_t v = 0;

	for (; s->p < s->end && span_digit(*s->p); s->p++) {
		uint64_t d = (uint64_t)(*s->p - '0');

		if (v > (max - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return s->p > start;
}

static inline bool span_int(struct span *s, int max, int *out)
{
	uint64_t v;

	if (!span_number(s, (uint64_t)max, &v))
		return false;
	*out = (int)v;
	return true;
}

/* A word of letters, digits and '_' into out, refused when empty or too long. */
static inline bool span_name(struct span *s, char *out, size_t max)
{
	const char *start = s->p;
	size_t n;

	while (s->p < s->end && span_word(*s->p))
		s->p++;
	n = (size_t)(s->p - start);
	if (n == 0 || n >= max)
		return false;
	memcpy(out, start, n);
	out[n] = '\0';
	return true;
}

/* Moves behind the next `lit`; false and unmoved when there is none. */
static inline bool span_find(struct span *s, const char *lit)
{
	size_t len = strlen(lit);
	const char *hit = memmem(s->p, (size_t)(s->end - s->p), lit, len);

	if (!hit)
		return false;
	s->p = hit + len;
	return true;
}

/* Copies up to `max` - 1 bytes, ending before the first control byte. */
static inline void span_copy(const struct span *s, char *out, size_t max)
{
	size_t n = 0;

	while (s->p + n < s->end && n + 1 < max && !span_control(s->p[n])) {
		out[n] = s->p[n];
		n++;
	}
	out[n] = '\0';
}
