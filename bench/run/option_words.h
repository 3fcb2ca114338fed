/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of options: a word of a table, a list of words, sizes and numbers. Every refusal is one
 * line that names the option, the value and a right one, and -EINVAL. Knows no option and does not
 * know where a value goes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define QUOTED_MAX 120 /* of a word in a message: what follows it must still be read */

/* Names of one kind: `n` of them, `stride` bytes apart. */
struct word_table {
	const char *what;   /* "operation" */
	const char *option; /* "--ops" */
	int n;
	const void *names;
	size_t stride;
	int (*find)(const char *word); /* -1; knows aliases too */
};

typedef int (*word_fn)(void *arg, const char *word);

/* ---- one word ---- */

int word_id(const struct word_table *t, const char *word, int *out) ATTR_MUST;
/* Three words that are numbered. */
int word_choice(const char *option, const char *text, const char *const words[3],
		int *out) ATTR_MUST;
int word_size(const char *option, const char *text, uint64_t *out) ATTR_MUST;
/* 0 would be taken for "not given". */
int word_positive_size(const char *option, const char *text, uint64_t *out) ATTR_MUST;
int word_number(const char *option, const char *text, int64_t min, int64_t max,
		int64_t *out) ATTR_MUST;
int word_name(const char *option, const char *text) ATTR_MUST; /* not empty */

/* ---- lists ---- */

/* "8,,64K" and "1," are slips of the hand: what is missing is not guessed. Nothing at all is the
 * caller's to refuse. */
int list_whole(const char *option, const char *text) ATTR_MUST;
/* Gives each word between commas to `take`, up to the first that it refuses. */
int list_each(const char *text, word_fn take, void *arg) ATTR_MUST;
/* Both of them. */
int list_words(const char *option, const char *text, word_fn take, void *arg) ATTR_MUST;
/* "a,b,c" or "all" -> a bit per row of the table. */
int list_bits(const struct word_table *t, const char *text, unsigned long long *bits) ATTR_MUST;
/* Numbers from 0 to 65535, at most `max` of them. */
int list_numbers(const char *option, const char *text, int *out, int max, int *n) ATTR_MUST;
