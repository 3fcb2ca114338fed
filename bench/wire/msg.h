/* SPDX-License-Identifier: Apache-2.0 */
/* One protocol message (include/ncclbench/protocol.h): build and parse. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"

/* Building: zeroed struct, msg_begin, msg_add..., then chan_send; msg_begin again reuses the
 * memory. A failed allocation or a key not of [A-Za-z0-9_.-] is remembered in text.failed, and
 * chan_send refuses. */
struct msg {
	struct buf text;
};

void msg_begin(struct msg *m, const char *verb);
void msg_add(struct msg *m, const char *key, const char *value); /* value is %-escaped */
void msg_add_i64(struct msg *m, const char *key, int64_t value);
void msg_add_u64(struct msg *m, const char *key, uint64_t value);
void msg_add_list(struct msg *m, const char *key, const int64_t *values, size_t n);
void msg_add_hex(struct msg *m, const char *key, const uint8_t *bytes, size_t n);
void msg_fini(struct msg *m);

/* Parsing. `words` is a bounded view into an owned copy; values are unescaped, NUL-terminated.
 * words_parse and chan_recv need no initialised struct, leave it empty on anything but success, and
 * do not free what it held. */
#define MSG_PAIRS_MAX 1024

struct words {
	char *copy;
	const char *verb;
	size_t n;
	struct { const char *key, *value; } pair[MSG_PAIRS_MAX];
};

/* 0, -EBADMSG (not of the form, embedded NUL, bad escape, too many pairs, repeated key), -ENOMEM.
 */
int words_parse(struct words *w, const void *data, size_t len) ATTR_MUST;
void words_fini(struct words *w);
const char *words_get(const struct words *w, const char *key); /* NULL when absent */
/* -ENOENT, -EINVAL, -ERANGE; out is untouched then. */
int words_i64(const struct words *w, const char *key, int64_t min, int64_t max,
	      int64_t *out) ATTR_MUST;
int words_u64(const struct words *w, const char *key, uint64_t *out) ATTR_MUST;
/* Comma-separated numbers; *n holds the room in `out` on entry and the count on success ("" is 0
 * numbers). -ERANGE: more of them than room, or one that does not fit. */
int words_list(const struct words *w, const char *key, int64_t *out, size_t *n) ATTR_MUST;
/* -EINVAL: not pairs of hex digits; -ERANGE: more than max bytes. */
int words_hex(const struct words *w, const char *key, uint8_t *out, size_t max,
	      size_t *n) ATTR_MUST;
