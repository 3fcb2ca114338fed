/* SPDX-License-Identifier: Apache-2.0 */
/* See salvage.h. Points are found by a hash of their key: a long run has thousands, and comes back
 * to each in every restart. */
#include "data/salvage.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/merge.h"
#include "spec/outcome.h"
#include "spec/timing.h"

#define POINTS_MOST (1u << 17) /* as in a points.csv */
#define RESTARTS_MOST 100000
#define SLOTS (2u * POINTS_MOST) /* a power of two */

struct lost {
	struct record key;
	struct merged samples;
	bool has_row;
};

struct salvage {
	struct lost *points;
	size_t n, cap, last; /* last: of the previous sample */
	uint32_t *slot;      /* index + 1; 0 free */
	char *why;
	size_t why_max;
};

static uint64_t hash_of(const struct record *r)
{
	const char *const words[] = { r->transport, r->op,  r->timing, r->map,      r->pair,
				      r->variant,   r->arm, r->dtype,  r->algo_req, r->proto_req };
	uint64_t hash = 14695981039346656037ULL ^ r->bytes; /* FNV-1a */

	for (size_t i = 0; i < N_ELEMENTS(words); i++)
		for (const char *p = words[i]; *p; p++)
			hash = (hash ^ (unsigned char)*p) * 1099511628211ULL;
	return hash ^ hash >> 29;
}

static int add_point(struct salvage *s, const struct record *key, size_t at)
{
	size_t cap = s->cap ? s->cap * 2 : 64;
	struct lost *grown;

	if (s->n == POINTS_MOST) {
		snprintf(s->why, s->why_max, "more than %u points", POINTS_MOST);
		return -EBADMSG;
	}
	if (s->n == s->cap) {
		grown = reallocarray(s->points, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->points = grown;
		s->cap = cap;
	}
	s->points[s->n] = (struct lost){ .key = *key };
	s->points[s->n].samples.mean =
	    strcmp(key->timing, timing_table[TIMING_NCCL_TESTS].name) == 0;
	s->last = s->n++;
	s->slot[at] = (uint32_t)s->n;
	return 0;
}

/* The point becomes s->last. */
static int find_point(struct salvage *s, const struct record *key)
{
	size_t at = hash_of(key) % SLOTS;

	if (s->n > 0 && record_same_key(&s->points[s->last].key, key))
		return 0;
	for (; s->slot[at]; at = (at + 1) % SLOTS) {
		s->last = s->slot[at] - 1;
		if (record_same_key(&s->points[s->last].key, key))
			return 0;
	}
	return add_point(s, key, at);
}

static int add_sample(void *arg, const struct record *key, const struct sample *v, size_t line)
{
	struct salvage *s = arg;
	const char *wrong = NULL;
	int rc = 0;

	if (v->restart < 0 || v->restart > RESTARTS_MOST)
		wrong = "restart is out of range";
	else if (!(v->max_us > 0) || !isfinite(v->max_us) || !(v->mean_us > 0))
		wrong = "times must be above 0";
	if (!wrong)
		rc = find_point(s, key);
	if (!wrong && rc == 0 && !s->points[s->last].has_row)
		rc = merged_put(&s->points[s->last].samples, v);
	if (rc == -EINVAL)
		wrong = "an earlier restart than that of the sample before it";
	if (wrong)
		snprintf(s->why, s->why_max, "line %zu: %s", line, wrong);
	return wrong ? -EBADMSG : rc;
}

static int know_rows(struct salvage *s, const struct record *rows, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = find_point(s, &rows[i]);
		if (rc == 0)
			s->points[s->last].has_row = true;
	}
	return rc;
}

static int fill_row(const struct lost *p, struct record *r)
{
	int rc;

	*r = p->key;
	rc = merged_fill(&p->samples, r);
	record_set(r->outcome, sizeof(r->outcome), outcome_table[OUTCOME_OK].name);
	record_set(r->proof, sizeof(r->proof), "unknown");
	record_set(r->detail, sizeof(r->detail), SALVAGE_DETAIL);
	record_derive(r);
	return rc;
}

static int take_rows(const struct salvage *s, struct record **rows, size_t *n, size_t *added)
{
	struct record *all = calloc(*n + s->n + 1, sizeof(*all));
	size_t k = *n;
	int rc = all ? 0 : -ENOMEM;

	if (all && *n)
		memcpy(all, *rows, *n * sizeof(*all));
	for (size_t i = 0; i < s->n && rc == 0; i++)
		if (s->points[i].samples.n > 0)
			rc = fill_row(&s->points[i], &all[k++]);
	if (rc < 0) {
		free(all);
		return rc;
	}
	*added = k - *n;
	*n = k;
	free(*rows);
	*rows = all;
	return 0;
}

int salvage_rows(const char *samples, size_t len, struct record **rows, size_t *n, size_t *added,
		 char *why, size_t why_max)
{
	struct salvage s = { .why = why, .why_max = why_max };
	const struct record_stream to = {
		.row = add_sample, .arg = &s, .samples = 1, .may_be_empty = 1
	};
	int rc;

	while (len > 0 && samples[len - 1] != '\n')
		len--;
	s.slot = calloc(SLOTS, sizeof(*s.slot));
	rc = s.slot ? know_rows(&s, *rows, *n) : -ENOMEM;
	if (rc == 0)
		rc = record_read_stream(samples, len, &to, why, why_max);
	if (rc == 0)
		rc = take_rows(&s, rows, n, added);
	for (size_t i = 0; i < s.n; i++)
		merged_fini(&s.points[i].samples);
	free(s.points);
	free(s.slot);
	return rc;
}
