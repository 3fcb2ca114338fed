/* SPDX-License-Identifier: Apache-2.0 */
/* See setting.h. */
#include "search/setting.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "search/tunable.h"

bool setting_put(struct setting *s, size_t tunable, size_t value)
{
	size_t at = 0;

	while (at < s->n && s->v[at].tunable < tunable)
		at++;
	if (at == s->n || s->v[at].tunable != tunable) {
		if (s->n == SETTING_MAX)
			return false;
		memmove(&s->v[at + 1], &s->v[at], (s->n - at) * sizeof(s->v[0]));
		s->n++;
	}
	s->v[at].tunable = (uint8_t)tunable;
	s->v[at].value = (uint8_t)value;
	return true;
}

void setting_drop(struct setting *s, size_t at)
{
	memmove(&s->v[at], &s->v[at + 1], (s->n - at - 1) * sizeof(s->v[0]));
	s->n--;
}

bool setting_equal(const struct setting *a, const struct setting *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (a->v[i].tunable != b->v[i].tunable || a->v[i].value != b->v[i].value)
			return false;
	return a->n == b->n;
}

const char *setting_name(const struct setting *s, size_t i)
{
	return tunable_table[s->v[i].tunable].name;
}

const char *setting_value(const struct setting *s, size_t i)
{
	const struct tunable *t = &tunable_table[s->v[i].tunable];

	return s->v[i].value == SETTING_OTHERWISE ? t->otherwise : t->values[s->v[i].value];
}

static bool number_of(const struct setting *s, const char *name, int64_t *out)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(setting_name(s, i), name) == 0)
			return num_parse_i64(setting_value(s, i), 0, INT32_MAX, out) == 0;
	return false;
}

bool setting_allowed(const struct setting *s)
{
	for (size_t i = 0; i < n_limits; i++) {
		const struct tunable_limit *l = &limit_table[i];
		int64_t a, b;

		if (!number_of(s, l->a, &a) || !number_of(s, l->b, &b))
			continue;
		if (l->product ? a * b > l->product : a > b)
			return false;
	}
	return true;
}

bool setting_join(const struct setting *a, const struct setting *b, struct setting *out)
{
	struct setting both = *a;

	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < a->n; k++)
			if (a->v[k].tunable == b->v[i].tunable && a->v[k].value != b->v[i].value)
				return false;
		if (!setting_put(&both, b->v[i].tunable, b->v[i].value))
			return false;
	}
	if (!setting_allowed(&both))
		return false;
	*out = both;
	return true;
}

void setting_text(const struct setting *s, struct buf *out)
{
	for (size_t i = 0; i < s->n; i++)
		buf_printf(out, "%s%s=%s", i ? " " : "", setting_name(s, i), setting_value(s, i));
}

static int put_word(struct setting *s, const char *word, size_t len)
{
	const char *eq = memchr(word, '=', len);
	char name[64], value[64];
	const struct tunable *t;
	size_t at = 0;
	int row;

	if (!eq || (size_t)(eq - word) >= sizeof(name) || len >= sizeof(value))
		return -EINVAL;
	memcpy(name, word, (size_t)(eq - word));
	name[eq - word] = '\0';
	memcpy(value, eq + 1, len - (size_t)(eq + 1 - word));
	value[len - (size_t)(eq + 1 - word)] = '\0';
	row = tunable_find(name);
	if (row < 0)
		return -EINVAL;
	t = &tunable_table[row];
	while (at < TUNABLE_VALUES && t->values[at] && strcmp(t->values[at], value) != 0)
		at++;
	if (at == TUNABLE_VALUES || !t->values[at]) {
		if (strcmp(t->otherwise, value) != 0)
			return -EINVAL;
		at = SETTING_OTHERWISE;
	}
	return setting_put(s, (size_t)row, at) ? 0 : -EINVAL;
}

int setting_parse(const char *text, struct setting *out)
{
	struct setting s = { .n = 0 };
	int rc = 0;

	for (const char *w = text + strspn(text, " "); *w && rc == 0; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");

		rc = put_word(&s, w, len);
		w += len;
	}
	if (rc == 0)
		*out = s;
	return rc;
}
