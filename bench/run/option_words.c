/* SPDX-License-Identifier: Apache-2.0 */
/* See option_words.h. */
#include "run/option_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/num.h"

#define WORDS_MAX 64

/* ---- one word ---- */

static const char *name_of(const struct word_table *t, int i)
{
	const char *name;

	memcpy(&name, (const char *)t->names + (size_t)i * t->stride, sizeof(name));
	return name;
}

static int unknown_word(const struct word_table *t, const char *word)
{
	const char *names[WORDS_MAX], *near;
	struct buf all = { 0 };

	for (int i = 0; i < t->n; i++) {
		names[i] = name_of(t, i);
		buf_printf(&all, "%s%s", i ? " " : "", names[i]);
	}
	near = num_nearest(word, names, (size_t)t->n);
	if (near)
		log_error("%s: unknown %s '%.*s'; did you mean %s? Known: %s", t->option, t->what,
			  QUOTED_MAX, word, near, buf_text(&all));
	else
		log_error("%s: unknown %s '%.*s'; known: %s", t->option, t->what, QUOTED_MAX, word,
			  buf_text(&all));
	buf_fini(&all);
	return -EINVAL;
}

int word_id(const struct word_table *t, const char *word, int *out)
{
	int id = t->find(word);

	if (id < 0)
		return unknown_word(t, word);
	*out = id;
	return 0;
}

int word_choice(const char *option, const char *text, const char *const words[3], int *out)
{
	for (int i = 0; i < 3; i++)
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			return 0;
		}
	log_error("%s: '%.*s' is not one of %s, %s, %s", option, QUOTED_MAX, text, words[0],
		  words[1], words[2]);
	return -EINVAL;
}

int word_size(const char *option, const char *text, uint64_t *out)
{
	int r = num_parse_size(text, out);

	if (r < 0)
		log_error("%s: '%.*s' is no size; give a whole number of bytes with an optional K, "
			  "M or G (powers of 1024), for example 64K",
			  option, QUOTED_MAX, text);
	return r;
}

int word_positive_size(const char *option, const char *text, uint64_t *out)
{
	int r = word_size(option, text, out);

	if (r < 0 || *out > 0)
		return r;
	log_error("%s: must be at least 1 byte", option);
	return -EINVAL;
}

int word_number(const char *option, const char *text, int64_t min, int64_t max, int64_t *out)
{
	int r = num_parse_i64(text, min, max, out);

	if (r < 0)
		log_error("%s: '%.*s' is no whole number from %lld to %lld", option, QUOTED_MAX,
			  text, (long long)min, (long long)max);
	return r;
}

int word_name(const char *option, const char *text)
{
	if (text[0])
		return 0;
	log_error("%s is empty; give a name", option);
	return -EINVAL;
}

/* ---- lists ---- */

int list_whole(const char *option, const char *text)
{
	size_t n = strlen(text);

	if (strspn(text, ",") == n)
		return 0;
	if (text[0] != ',' && text[n - 1] != ',' && !strstr(text, ",,"))
		return 0;
	log_error("%s: '%.*s' has an empty element; give the words with one comma between them",
		  option, QUOTED_MAX, text);
	return -EINVAL;
}

int list_each(const char *text, word_fn take, void *arg)
{
	char *copy = strdup(text), *save = NULL;
	int r = copy ? 0 : -ENOMEM;

	for (char *w = r == 0 ? strtok_r(copy, ",", &save) : NULL; w && r == 0;
	     w = strtok_r(NULL, ",", &save))
		r = take(arg, w);
	free(copy);
	return r;
}

int list_words(const char *option, const char *text, word_fn take, void *arg)
{
	int r = list_whole(option, text);

	return r < 0 ? r : list_each(text, take, arg);
}

struct bits {
	const struct word_table *table;
	unsigned long long set;
};

static int add_bit(void *arg, const char *word)
{
	struct bits *b = arg;
	int id = 0, r;

	if (strcmp(word, "all") == 0) {
		b->set |= (1ULL << b->table->n) - 1;
		return 0;
	}
	r = word_id(b->table, word, &id);
	if (r == 0)
		b->set |= 1ULL << id;
	return r;
}

int list_bits(const struct word_table *t, const char *text, unsigned long long *bits)
{
	struct bits b = { t, 0 };
	int r = list_words(t->option, text, add_bit, &b);

	if (r == 0 && b.set == 0) {
		log_error("%s: the list is empty; give at least one %s, for example %s", t->option,
			  t->what, name_of(t, 0));
		r = -EINVAL;
	}
	*bits = b.set;
	return r;
}

struct numbers {
	const char *option, *text;
	int *out, max, n;
};

static int add_number(void *arg, const char *word)
{
	struct numbers *list = arg;
	int64_t v;
	int r;

	if (list->n == list->max) {
		log_error("%s: more than %d numbers in '%.*s'", list->option, list->max, QUOTED_MAX,
			  list->text);
		return -EINVAL;
	}
	r = word_number(list->option, word, 0, 65535, &v);
	if (r == 0)
		list->out[list->n++] = (int)v;
	return r;
}

int list_numbers(const char *option, const char *text, int *out, int max, int *n)
{
	struct numbers list = { option, text, out, max, 0 };
	int r = list_words(option, text, add_number, &list);

	if (r == 0 && list.n == 0) {
		log_error("%s: the list is empty; give at least one number", option);
		r = -EINVAL;
	}
	*n = list.n;
	return r;
}
