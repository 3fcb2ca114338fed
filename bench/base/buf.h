/* SPDX-License-Identifier: Apache-2.0 */
/* Growable text. Allocation failure is remembered, not reported per call: build, then ask once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct buf {
	char *data; /* NUL-terminated, or NULL while nothing was added: read it by buf_text */
	size_t len;
	size_t cap;
	bool failed; /* an allocation failed: the text is incomplete */
};

void buf_fini(struct buf *b);  /* frees; b is empty and usable again */
void buf_clear(struct buf *b); /* keeps the memory */
void buf_add(struct buf *b, const char *text, size_t len);
void buf_puts(struct buf *b, const char *text);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) ATTR_PRINTF(2, 3);
const char *buf_text(const struct buf *b); /* never NULL */
char *buf_take(struct buf *b); /* heap string (caller frees) or NULL if failed; b is empty */
