/* SPDX-License-Identifier: Apache-2.0 */
/* See script.h. */
#include "report/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "report/text.h"

#define LONGEST 1024

void script_prelude(struct buf *b)
{
	buf_puts(b, "q = \"'\"\nnl = \"\\n\"\n");
}

/* Doubled quotes are not used: gnuplot 5.4 takes two of them in a row for the end of the string. */
void script_quote(struct buf *b, const char *text)
{
	char clean[LONGEST];
	const char *p = clean;

	text_clean(text, clean, sizeof(clean));
	if (*p == '\0')
		buf_puts(b, "''");
	while (*p != '\0') {
		size_t n = strcspn(p, "'");

		buf_puts(b, p > clean ? "." : "");
		if (n == 0) {
			buf_puts(b, "q");
			n = 1;
		} else {
			buf_putc(b, '\'');
			buf_add(b, p, n);
			buf_putc(b, '\'');
		}
		p += n;
	}
}

void script_text(struct buf *b, const char *name, const char *text)
{
	buf_printf(b, "%s = ", name);
	script_quote(b, text);
	buf_putc(b, '\n');
}

static void add_number(struct buf *b, double value)
{
	char text[64];

	num_format_double(value, text, sizeof(text));
	buf_puts(b, isfinite(value) ? text : "NaN");
	/* 1073741824 is beyond gnuplot's patience with integers in divisions: always a real */
	if (isfinite(value) && strpbrk(text, ".eE") == NULL)
		buf_puts(b, ".0");
}

void script_number(struct buf *b, const char *name, double value)
{
	buf_printf(b, "%s = ", name);
	add_number(b, value);
	buf_putc(b, '\n');
}

void script_wrapped(struct buf *b, const char *text, int width, int lines)
{
	char clean[LONGEST], line[LONGEST];
	const char *p = clean;

	text_clean(text, clean, sizeof(clean));
	for (int i = 0; i < lines; i++) {
		size_t n = text_line(p, i + 1 < lines ? width : width - 3);
		const char *rest = p + n + strspn(p + n, " ");

		memcpy(line, p, n);
		line[n] = '\0';
		if (i + 1 == lines && *rest != '\0')
			memcpy(line + n, "...", 4);
		buf_puts(b, i > 0 ? ".nl." : "");
		script_quote(b, line);
		if (*rest == '\0')
			return;
		p = rest;
	}
}

void script_array(struct buf *b, const char *name, size_t n)
{
	buf_printf(b, "array %s[%zu]\n", name, n > 0 ? n : 1);
}

void script_item_text(struct buf *b, const char *name, size_t i, const char *text)
{
	buf_printf(b, "%s[%zu] = ", name, i + 1);
	script_quote(b, text);
	buf_putc(b, '\n');
}

void script_item_number(struct buf *b, const char *name, size_t i, double value)
{
	buf_printf(b, "%s[%zu] = ", name, i + 1);
	add_number(b, value);
	buf_putc(b, '\n');
}

void script_value(struct buf *b, double value)
{
	add_number(b, value);
	buf_putc(b, ' ');
}
