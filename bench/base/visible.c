/* SPDX-License-Identifier: Apache-2.0 */
/* See visible.h. UTF-8 by hand: the C locale is ours, whatever the user's is. */
#include "base/visible.h"

#include <stdint.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"

/* TABLE of what is well formed and may not be shown all the same. Ascending. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x00, 0x1f },       /* C0 */
	{ 0x7f, 0x9f },       /* DEL, C1: terminals obey them as characters too */
	{ 0xad, 0xad },       /* soft hyphen */
	{ 0x61c, 0x61c },     /* Arabic letter mark */
	{ 0x180e, 0x180e },   /* Mongolian vowel separator */
	{ 0x200b, 0x200f },   /* no width; direction marks */
	{ 0x2028, 0x202e },   /* line separators; overrides of direction */
	{ 0x2060, 0x206f },   /* word joiner, isolates, invisible operators */
	{ 0xd800, 0xdfff },   /* surrogates */
	{ 0xfeff, 0xfeff },   /* byte order mark */
	{ 0xfff9, 0xfffb },   /* annotation */
	{ 0xfffe, 0xffff },   /* no characters, and no XML */
	{ 0xe0000, 0xe007f }, /* tags */
};

static const struct {
	unsigned char mask, lead;
	uint32_t least; /* below it a shorter form would do */
} forms[] = {
	{ 0x80, 0x00, 0 },
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};

/* Length of the well-formed character at p, 0 when there is none. */
static size_t decode(const unsigned char *p, uint32_t *code)
{
	size_t more = 0;

	while (more < N_ELEMENTS(forms) && (p[0] & forms[more].mask) != forms[more].lead)
		more++;
	if (more == N_ELEMENTS(forms))
		return 0;
	*code = p[0] & (unsigned char)~forms[more].mask;
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) /* the NUL ends here too */
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	return *code < forms[more].least || *code > 0x10ffff ? 0 : more + 1;
}

size_t visible_char(const char *text)
{
	uint32_t code;
	size_t n = decode((const unsigned char *)text, &code);

	for (size_t i = 0; n > 0 && i < N_ELEMENTS(hidden); i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return 0;
	return n > 0 && (code & 0xfffe) == 0xfffe ? 0 : n;
}

void visible_copy(const char *in, char *out, size_t max)
{
	size_t used = 0;

	while (*in) {
		size_t n = visible_char(in), take = n ? n : 1;

		if (used + take >= max)
			break;
		if (n)
			memmove(out + used, in, n);
		else
			out[used] = '?';
		used += take;
		in += take;
	}
	if (max > 0)
		out[used] = '\0';
}

void visible_add(struct buf *b, const char *text)
{
	while (*text) {
		size_t n = visible_char(text);

		buf_add(b, n ? text : "?", n ? n : 1);
		text += n ? n : 1;
	}
}

void visible_escape(struct buf *b, const char *text)
{
	while (*text) {
		size_t n = visible_char(text);

		if (n)
			buf_add(b, text, n);
		else
			buf_printf(b, "\\x%02x", (unsigned char)*text);
		text += n ? n : 1;
	}
}
