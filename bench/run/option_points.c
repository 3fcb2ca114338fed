/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the options that choose what is measured: sizes, ranks, pairs, places, channels, loads.
 * Each by itself; whether they fit together is option_check.c's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "run/option_value.h"
#include "run/option_words.h"
#include "run/options.h"
#include "spec/load.h"

#define SIZES_MAX 4096
#define CHANNELS_MAX 64 /* of NCCL (MAXCHANNELS) */

struct sizes {
	uint64_t *list;
	size_t n;
};

static int add_size(void *arg, const char *word)
{
	struct sizes *s = arg;
	int r;

	if (s->n == SIZES_MAX) {
		log_error("--sizes: more than %d sizes", SIZES_MAX);
		return -EINVAL;
	}
	r = word_size("--sizes", word, &s->list[s->n]);
	s->n += r == 0;
	return r;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Ascending, each once. */
static void sort_sizes(struct sizes *s)
{
	size_t kept = 1;

	qsort(s->list, s->n, sizeof(*s->list), by_size);
	for (size_t i = 1; i < s->n; i++)
		if (s->list[i] != s->list[kept - 1])
			s->list[kept++] = s->list[i];
	s->n = kept;
}

int option_sizes(const struct option_value *v, struct options *o, const char *text)
{
	struct sizes s = { calloc(SIZES_MAX, sizeof(*s.list)), 0 };
	int r = s.list ? list_words(v->option, text, add_size, &s) : -ENOMEM;

	if (r == 0 && s.n == 0) {
		log_error("--sizes: the list is empty; give for example --sizes 8,1M,1G");
		r = -EINVAL;
	}
	if (r < 0) {
		free(s.list);
		return r;
	}
	sort_sizes(&s);
	free(o->sizes);
	o->sizes = s.list;
	o->plan.sizes = s.list;
	o->plan.n_sizes = s.n;
	return 0;
}

int option_place(const struct option_value *v, struct options *o, const char *text)
{
	static const char *const words[3] = { "out", "in", "both" };
	int place, r = word_choice(v->option, text, words, &place);

	if (r == 0)
		o->plan.in_place = (unsigned)place + 1; /* bits */
	return r;
}

int option_channels(const struct option_value *v, struct options *o, const char *text)
{
	int r = list_numbers(v->option, text, o->channels, ARMS_MAX - 1, &o->n_channels);

	for (int i = 0; r == 0 && i < o->n_channels; i++) {
		bool twice = false;

		for (int k = 0; k < i; k++)
			twice |= o->channels[k] == o->channels[i];
		if (o->channels[i] >= 1 && o->channels[i] <= CHANNELS_MAX && !twice)
			continue;
		log_error("--channels: %d is %s; give different numbers from 1 to %d",
			  o->channels[i], twice ? "there twice" : "no number of channels",
			  CHANNELS_MAX);
		r = -EINVAL;
	}
	return r;
}

static int add_load(void *arg, const char *word)
{
	unsigned *loads = arg;
	int id = load_find(word);

	if (id > LOAD_NONE) {
		*loads |= 1u << id;
		return 0;
	}
	log_error("--overlap: unknown word '%.*s'; known: %s, %s", QUOTED_MAX, word,
		  load_table[LOAD_MEM].name, load_table[LOAD_FMA].name);
	return -EINVAL;
}

/* Rows without a load are always there: what the others are held against. */
int option_overlap(const struct option_value *v, struct options *o, const char *text)
{
	o->overlap = true;
	o->plan.loads = 1u << LOAD_NONE;
	return list_words(v->option, text ? text : "mem,fma", add_load, &o->plan.loads);
}

int option_pair(const struct option_value *v, struct options *o, const char *text)
{
	int ranks[2], n = 0;

	if (list_numbers(v->option, text, ranks, 2, &n) < 0)
		return -EINVAL;
	if (n != 2 || ranks[0] == ranks[1]) {
		log_error("--pair: '%.*s' is not two different ranks; give for example --pair 0,3",
			  QUOTED_MAX, text);
		return -EINVAL;
	}
	o->plan.a = ranks[0];
	o->plan.b = ranks[1];
	return 0;
}

int option_pairs(const struct option_value *v, struct options *o, const char *text)
{
	o->plan.all_pairs = true;
	for (int i = 0; i < PAIRS_RULES; i++)
		if (strcmp(text, plan_pairs_words[i]) == 0) {
			o->plan.pairs_rule = i;
			return 0;
		}
	log_error("--pairs: '%.*s' is none of all, alone, together; one pair is --pair I,J",
		  QUOTED_MAX, text);
	return -EINVAL;
}

static int counts_refused(const char *text, const char *why)
{
	log_error("--ranks: '%.*s' %s; give for example --ranks 2,4,8", QUOTED_MAX, text, why);
	return -EINVAL;
}

int option_counts(const struct option_value *v, struct options *o, const char *text)
{
	const int *n = o->plan.counts;

	if (list_numbers(v->option, text, o->plan.counts, PLAN_COUNTS_MAX, &o->plan.n_counts) < 0)
		return -EINVAL;
	for (int i = 0; i < o->plan.n_counts; i++) {
		if (n[i] < 2)
			return counts_refused(text, "has a number below 2: one rank has nobody "
						    "to exchange data with");
		if (i > 0 && n[i] == n[i - 1])
			return counts_refused(text, "names a number twice");
		if (i > 0 && n[i] < n[i - 1])
			return counts_refused(text, "does not ascend");
	}
	return 0;
}
