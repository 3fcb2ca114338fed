/* SPDX-License-Identifier: Apache-2.0 */
/* Growable text. Not a general byte container: the text stays NUL-terminated at every moment. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST_CAP 256

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

/* Makes room for `more` bytes and the NUL. After a failure nothing is added any more: a text with a
 * hole in the middle would look complete. */
static bool reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : BUF_FIRST_CAP;
	char *data;

	if (b->failed)
		return false;
	if (b->data && more < b->cap - b->len)
		return true;
	if (more >= SIZE_MAX / 2 - b->len)
		goto failed;
	while (cap <= b->len + more)
		cap *= 2;
	data = realloc(b->data, cap);
	if (!data)
		goto failed;
	data[b->len] = '\0';
	b->data = data;
	b->cap = cap;
	return true;
failed:
	b->failed = true;
	return false;
}

void buf_add(struct buf *b, const char *text, size_t len)
{
	if (!len || !reserve(b, len))
		return;
	memcpy(b->data + b->len, text, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_putc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0) {
		b->failed = true;
		return;
	}
	if (!reserve(b, (size_t)len))
		return;
	va_start(args, fmt);
	vsnprintf(b->data + b->len, (size_t)len + 1, fmt, args);
	va_end(args);
	b->len += (size_t)len;
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *text = NULL;

	if (reserve(b, 0)) {
		text = b->data;
		b->data = NULL;
	}
	buf_fini(b);
	return text;
}
