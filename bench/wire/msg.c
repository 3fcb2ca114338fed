/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as text: one escaping writer, one strict parser. Whether a message makes sense (verbs,
 * required keys, ranges) is not decided here: verb.c and the reader of each answer do that.
 */
#include "wire/msg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "ncclbench/protocol.h"

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_plain(char c) /* may stand in a value as it is */
{
	return is_alnum(c) || (c != '\0' && strchr("_.,:;/+@()<>#*-", c));
}

static bool is_key(const char *key)
{
	size_t i;

	for (i = 0; key[i]; i++)
		if (!is_alnum(key[i]) && !strchr("_.-", key[i]))
			return false;
	return i > 0;
}

static bool is_verb(const char *verb)
{
	size_t i;

	for (i = 0; verb[i]; i++)
		if (verb[i] < 'A' || verb[i] > 'Z')
			return false;
	return i > 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

void msg_begin(struct msg *m, const char *verb)
{
	buf_clear(&m->text);
	m->text.failed = false;
	buf_puts(&m->text, verb);
}

/* A key that the other side would refuse spoils the whole message here, where the mistake was made.
 */
static void add_key(struct msg *m, const char *key)
{
	if (!is_key(key))
		m->text.failed = true;
	buf_putc(&m->text, ' ');
	buf_puts(&m->text, key);
	buf_putc(&m->text, '=');
}

void msg_add(struct msg *m, const char *key, const char *value)
{
	size_t run;

	add_key(m, key);
	if (!value)
		return;
	while (*value) {
		for (run = 0; is_plain(value[run]);)
			run++;
		buf_add(&m->text, value, run);
		value += run;
		if (*value)
			buf_printf(&m->text, "%%%02X", (unsigned char)*value++);
	}
}

void msg_add_i64(struct msg *m, const char *key, int64_t value)
{
	add_key(m, key);
	buf_printf(&m->text, "%" PRId64, value);
}

void msg_add_u64(struct msg *m, const char *key, uint64_t value)
{
	add_key(m, key);
	buf_printf(&m->text, "%" PRIu64, value);
}

void msg_add_list(struct msg *m, const char *key, const int64_t *values, size_t n)
{
	add_key(m, key);
	for (size_t i = 0; i < n; i++)
		buf_printf(&m->text, "%s%" PRId64, i ? "," : "", values[i]);
}

void msg_add_hex(struct msg *m, const char *key, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	add_key(m, key);
	for (size_t i = 0; i < n; i++) {
		buf_putc(&m->text, digits[bytes[i] >> 4]);
		buf_putc(&m->text, digits[bytes[i] & 15]);
	}
}

void msg_fini(struct msg *m)
{
	buf_fini(&m->text);
}

static void words_empty(struct words *w)
{
	w->copy = NULL;
	w->verb = "";
	w->n = 0;
}

/* In place: what is unescaped is never longer than what was escaped. */
static int unescape(char *value)
{
	char *to = value;
	int high, low;

	for (const char *from = value; *from; from++) {
		if (is_plain(*from)) {
			*to++ = *from;
			continue;
		}
		if (*from != '%')
			return -EBADMSG;
		high = hex_digit(from[1]);
		low = high < 0 ? -1 : hex_digit(from[2]);
		if (low < 0 || (high == 0 && low == 0)) /* %00 would cut the value short unseen */
			return -EBADMSG;
		*to++ = (char)(high << 4 | low);
		from += 2;
	}
	*to = '\0';
	return 0;
}

static int add_pair(struct words *w, char *key)
{
	char *value = strchr(key, '=');

	if (!value || w->n == MSG_PAIRS_MAX)
		return -EBADMSG;
	*value++ = '\0';
	if (!is_key(key) || words_get(w, key) || unescape(value))
		return -EBADMSG;
	w->pair[w->n].key = key;
	w->pair[w->n].value = value;
	w->n++;
	return 0;
}

static int split(struct words *w)
{
	char *next = strchr(w->copy, ' ');
	char *key;
	int err;

	while (next) {
		*next++ = '\0';
		key = next;
		next = strchr(key, ' ');
		if (next)
			*next = '\0'; /* add_pair must see one pair only */
		err = add_pair(w, key);
		if (err)
			return err;
	}
	if (!is_verb(w->copy))
		return -EBADMSG;
	w->verb = w->copy;
	return 0;
}

int words_parse(struct words *w, const void *data, size_t len)
{
	int err;

	words_empty(w);
	if (len == 0 || len > NB_MESSAGE_MAX || memchr(data, '\0', len))
		return -EBADMSG;
	w->copy = malloc(len + 1);
	if (!w->copy)
		return -ENOMEM;
	memcpy(w->copy, data, len);
	w->copy[len] = '\0';
	err = split(w);
	if (err)
		words_fini(w);
	return err;
}

void words_fini(struct words *w)
{
	free(w->copy);
	words_empty(w);
}

const char *words_get(const struct words *w, const char *key)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->pair[i].key, key) == 0)
			return w->pair[i].value;
	return NULL;
}

int words_i64(const struct words *w, const char *key, int64_t min, int64_t max, int64_t *out)
{
	const char *text = words_get(w, key);

	return text ? num_parse_i64(text, min, max, out) : -ENOENT;
}

int words_u64(const struct words *w, const char *key, uint64_t *out)
{
	const char *text = words_get(w, key);
	uint64_t value = 0, digit;

	if (!text)
		return -ENOENT;
	if (!*text)
		return -EINVAL;
	for (const char *c = text; *c; c++)
		if (*c < '0' || *c > '9')
			return -EINVAL;
	for (; *text; text++) {
		digit = (uint64_t)(*text - '0');
		if (value > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	*out = value;
	return 0;
}

/* The number up to the next comma; *text moves behind that comma, or becomes NULL at the end. */
static int list_next(const char **text, int64_t *out)
{
	char item[32];
	size_t len = strcspn(*text, ",");

	if (len >= sizeof(item))
		return -EINVAL;
	memcpy(item, *text, len);
	item[len] = '\0';
	*text = (*text)[len] ? *text + len + 1 : NULL;
	return num_parse_i64(item, INT64_MIN, INT64_MAX, out);
}

int words_list(const struct words *w, const char *key, int64_t *out, size_t *n)
{
	const char *text = words_get(w, key);
	const char *at = text;
	size_t count = 0;
	int64_t value;
	int err;

	if (!text)
		return -ENOENT;
	for (at = *text ? text : NULL; at;
	     count++) { /* nothing is written before all of it is good */
		err = list_next(&at, &value);
		if (err)
			return err;
		if (count == *n)
			return -ERANGE;
	}
	at = text;
	for (size_t i = 0; i < count; i++)
		if (list_next(&at, &out[i]))
			return -EINVAL;
	*n = count;
	return 0;
}

int words_hex(const struct words *w, const char *key, uint8_t *out, size_t max, size_t *n)
{
	const char *text = words_get(w, key);
	size_t len;

	if (!text)
		return -ENOENT;
	len = strlen(text);
	for (size_t i = 0; i < len; i++)
		if (hex_digit(text[i]) < 0)
			return -EINVAL;
	if (len % 2)
		return -EINVAL;
	if (len / 2 > max)
		return -ERANGE;
	for (size_t i = 0; i < len / 2; i++)
		out[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	*n = len / 2;
	return 0;
}
