/* SPDX-License-Identifier: Apache-2.0 */
/* See text.h. UTF-8 by hand: the C locale is ours, whatever the user's is. */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"

/* Length of the valid printable character at p, 0 when it is none. C1 controls (U+0080..U+009F)
 * steer terminals. */
static size_t character(const unsigned char *p)
{
	static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n, i;
	unsigned long code;

	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	code = p[0] & (0xffu >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	/* direction marks, line separators and U+FFFE, U+FFFF: the first reorder a line, the last
	 * are not XML */
	if (code < 0xa0 || code == 0x61c || code == 0x200e || code == 0x200f ||
	    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
		return 0;
	return (code & 0xfffe) == 0xfffe ? 0 : n;
}

void text_clean(const char *in, char *out, size_t max)
{
	size_t used = 0;

	while (*in != '\0') {
		size_t n = character((const unsigned char *)in);
		size_t take = n > 0 ? n : 1;

		if (used + take >= max)
			break;
		if (n > 0)
			memcpy(out + used, in, n);
		else
			out[used] = '?';
		used += take;
		in += take;
	}
	if (max > 0)
		out[used] = '\0';
}

int text_width(const char *text)
{
	int width = 0;

	for (; *text != '\0'; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

size_t text_line(const char *text, int width)
{
	size_t i, space = 0;
	int columns = 0;

	if (width < 1)
		return strlen(text);
	for (i = 0; text[i] != '\0'; i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		if (columns == width)
			return text[i] == ' ' ? i : space > 0 ? space : i;
		if (text[i] == ' ')
			space = i;
		columns++;
	}
	return i;
}

void text_number(double v, char *out, size_t max)
{
	double rounded;
	int digits;
	char scientific[32];

	if (isnan(v)) {
		snprintf(out, max, "-");
		return;
	}
	if (v == 0 || !isfinite(v)) {
		snprintf(out, max, "%g", v);
		return;
	}
	snprintf(scientific, sizeof(scientific), "%.2e", v);
	rounded = strtod(scientific, NULL);
	digits = 2 - (int)floor(log10(fabs(rounded)) + 1e-9);
	if (digits > 7 || digits < -6)
		snprintf(out, max, "%s", scientific);
	else
		snprintf(out, max, "%.*f", digits > 0 ? digits : 0, rounded);
}

bool text_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return strcasestr(value, "UTF-8") != NULL ||
			       strcasestr(value, "utf8") != NULL;
	}
	return false;
}

void text_markdown(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]|#~!", *text))
			buf_putc(b, '\\');
		if (*text == '<')
			buf_puts(b, "&lt;");
		else if (*text == '>')
			buf_puts(b, "&gt;");
		else if (*text == '&')
			buf_puts(b, "&amp;");
		else if (*text == '@')
			buf_puts(b, "@&#8203;"); /* no mention of a stranger */
		else
			buf_putc(b, *text == '\n' ? ' ' : *text);
	}
}
