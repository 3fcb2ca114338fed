/* SPDX-License-Identifier: Apache-2.0 */
/* See text.h. */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/visible.h"

void text_clean(const char *in, char *out, size_t max)
{
	visible_copy(in, out, max);
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
