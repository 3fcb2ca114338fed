/* SPDX-License-Identifier: Apache-2.0 */
#include "run/confirm.h"

#include <errno.h>
#include <limits.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/facts.h"
#include "run/point.h"
#include "spec/dtype.h"
#include "spec/op.h"
#include "spec/plan.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define GATE_SCHEMA 1
#define RESTARTS_LEAST 7 /* the gate decides nothing with fewer */
#define RESTARTS_MOST 1000

struct reading {
	struct confirm *c;
	char *why;
	size_t why_max;
};

static int refuse(struct reading *rd, const char *fmt, ...) ATTR_PRINTF(2, 3);

static int refuse(struct reading *rd, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(rd->why, rd->why_max, fmt, args);
	va_end(args);
	for (char *p = rd->why; *p; p++)
		*p = (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p;
	return -EBADMSG;
}

/* ---- a suspect ---- */

static int take_text(struct reading *rd, const json_t *v, size_t i, const struct column *c,
		     char *at)
{
	const char *text = json_string_value(v);

	if (!text)
		return refuse(rd, "suspects[%zu].%s: must be a text", i, c->name);
	if (json_string_length(v) >= c->size || strlen(text) != json_string_length(v))
		return refuse(rd, "suspects[%zu].%s: '%.40s' is too long", i, c->name, text);
	record_set(at, c->size, text);
	return 0;
}

static int take_number(struct reading *rd, const json_t *v, size_t i, const struct column *c,
		       void *at)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < (c->type == COLUMN_INT ? -1 : 0) ||
	    (c->type == COLUMN_INT && n > INT_MAX))
		return refuse(rd, "suspects[%zu].%s: must be a whole number", i, c->name);
	if (c->type == COLUMN_INT)
		*(int *)at = (int)n;
	else
		*(uint64_t *)at = (uint64_t)n;
	return 0;
}

static int take_suspect(struct reading *rd, const json_t *o, size_t i)
{
	struct record *r = &rd->c->suspects[i];
	int rc = 0;

	if (!json_is_object(o))
		return refuse(rd, "suspects[%zu]: must be an object", i);
	record_init(r);
	for (size_t k = 0; k < record_n_columns && rc == 0; k++) {
		const struct column *c = &record_columns[k];
		const json_t *v = json_object_get(o, c->name);
		char *at = (char *)r + c->offset;

		if (c->role != COLUMN_KEY ||
		    (!v && c->since > 1)) /* a gate from before that column */
			continue;
		if (!v)
			return refuse(rd, "suspects[%zu].%s: is missing", i, c->name);
		rc = c->type == COLUMN_TEXT ? take_text(rd, v, i, c, at)
					    : take_number(rd, v, i, c, at);
	}
	if (rc == 0 && (r->algo_req[0] || r->proto_req[0] || r->load[0] || r->arm[0]))
		return refuse(rd,
			      "suspects[%zu]: was measured with an algorithm, a load or an arm of "
			      "its own, which a sweep cannot repeat",
			      i);
	for (size_t k = 0; k < i && rc == 0; k++)
		if (record_same_key(r, &rd->c->suspects[k]))
			return refuse(rd, "suspects[%zu]: the same point as suspects[%zu]", i, k);
	return rc;
}

static int take_suspects(struct reading *rd, const json_t *list)
{
	size_t n = json_array_size(list);
	int rc = 0;

	if (!json_is_array(list))
		return refuse(rd, "no list 'suspects': not what `ncclbench gate --json` writes");
	if (n > CONFIRM_SUSPECTS_MAX)
		return refuse(rd, "suspects: %zu are more than %d", n, CONFIRM_SUSPECTS_MAX);
	rd->c->suspects = calloc(n + 1, sizeof(*rd->c->suspects));
	if (!rd->c->suspects)
		return -ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = take_suspect(rd, json_array_get(list, i), i);
		rd->c->n = i + 1;
	}
	return rc;
}

/* ---- conditions ---- */

static int take_conditions(struct reading *rd, const json_t *o)
{
	struct confirm *c = rd->c;
	const json_t *restarts = json_object_get(o, "restarts");
	int least = RESTARTS_LEAST;

	if (!json_is_object(o))
		return refuse(
		    rd,
		    "no object 'conditions': an older gate wrote it; gate again with this version");
	for (int i = 0; i < FACT_COUNT; i++) {
		const char *text = json_string_value(json_object_get(o, fact_table[i].name));

		record_set(c->conditions[i], FACT_TEXT, text ? text : "");
	}
	c->profile = profile_find(c->conditions[FACT_PROFILE]);
	if (c->profile < 0)
		return refuse(rd,
			      "conditions.profile: '%.40s' is none of the profiles; the new run "
			      "needs its run.json",
			      c->conditions[FACT_PROFILE]);
	if (profile_table[c->profile].restarts > least)
		least = profile_table[c->profile].restarts;
	c->restarts = least;
	if (json_is_integer(restarts) && json_integer_value(restarts) > least)
		c->restarts = json_integer_value(restarts) > RESTARTS_MOST
				  ? RESTARTS_MOST
				  : (int)json_integer_value(restarts);
	return 0;
}

/* One run has one backend and one root; one pair or all of them; the numbers of ranks may be
 * several. */
static int take_common(struct reading *rd)
{
	struct confirm *c = rd->c;
	const struct record *first = &c->suspects[0];

	c->backend = backend_find(first->backend);
	for (size_t i = 0; i < c->n; i++)
		c->ranks = c->suspects[i].ranks > c->ranks ? c->suspects[i].ranks : c->ranks;
	if (c->backend < 0)
		return refuse(rd, "suspects[0].backend: '%.20s' is neither nccl nor ucx",
			      first->backend);
	for (size_t i = 1; i < c->n; i++)
		if (strcmp(c->suspects[i].backend, first->backend) != 0)
			return refuse(rd, "suspects[%zu].backend: is not that of suspects[0]", i);
	return 0;
}

static int take(struct reading *rd, const json_t *o)
{
	const json_t *schema = json_object_get(o, "schema");
	const char *command = json_string_value(json_object_get(o, "command"));
	int rc;

	if (!json_is_integer(schema) || !command || strcmp(command, "gate") != 0)
		return refuse(rd, "line 1: not a verdict: `ncclbench gate --json` writes "
				  "\"schema\" and \"command\": \"gate\"");
	if (json_integer_value(schema) < 1 || json_integer_value(schema) > GATE_SCHEMA)
		return refuse(
		    rd, "schema %lld; this version knows up to %d: a newer ncclbench wrote it",
		    (long long)json_integer_value(schema), GATE_SCHEMA);
	rc = take_suspects(rd, json_object_get(o, "suspects"));
	if (rc || rd->c->n == 0)
		return rc;
	rc = take_conditions(rd, json_object_get(o, "conditions"));
	return rc ? rc : take_common(rd);
}

int confirm_parse(const char *json, size_t len, struct confirm *out, char *why, size_t why_max)
{
	struct confirm c = { 0 };
	struct reading rd = { .c = &c, .why = why, .why_max = why_max };
	json_error_t error;
	json_t *o = json_loadb(json, len, JSON_REJECT_DUPLICATES, &error);
	int rc =
	    o ? take(&rd, o)
	      : refuse(&rd, "line %d, column %d: %.120s", error.line, error.column, error.text);

	json_decref(o);
	if (rc)
		confirm_fini(&c);
	else
		*out = c;
	return rc;
}

void confirm_fini(struct confirm *c)
{
	free(c->suspects);
	*c = (struct confirm){ 0 };
}

char *confirm_extract(const char *json, size_t len)
{
	static const char *const members[] = { "schema", "command", "suspects", "conditions" };
	json_t *o = json_loadb(json, len, JSON_REJECT_DUPLICATES, NULL), *part = json_object();
	char *text = NULL;

	for (size_t i = 0; o && i < N_ELEMENTS(members); i++)
		if (json_object_get(o, members[i]))
			json_object_set(part, members[i], json_object_get(o, members[i]));
	if (o)
		text = json_dumps(part, JSON_COMPACT);
	json_decref(part);
	json_decref(o);
	return text;
}

/* "a" when all ranks say a, else "a + b": as judge/facts.c puts run.json together. */
static void ranks_say(const struct facts *f, const char *key, char *out, size_t max)
{
	char one[FACT_TEXT], last[FACT_TEXT] = "";

	out[0] = '\0';
	for (int i = 0; i < f->n; i++) {
		size_t at = strlen(out);

		if (!facts_get(f, i, key, one, sizeof(one)) || !one[0] || strcmp(one, last) == 0)
			continue;
		snprintf(out + at, max - at, "%s%s", at ? " + " : "", one);
		memcpy(last, one, sizeof(last));
	}
}

/* The release without its last number. */
static void own_method(char *out, size_t max)
{
	char *dot;

	snprintf(out, max, "%s", NCCLBENCH_VERSION);
	dot = strrchr(out, '.');
	if (dot && dot != strchr(out, '.'))
		*dot = '\0';
}

static void own_sampling(const struct profile *p, char *out, size_t max)
{
	const int64_t number[] = { p->min_batches, p->max_batches, p->batch_min_ns / CLOCK_US,
				   p->point_budget_ns / CLOCK_US };

	fact_sampling(number, out, max);
}

int confirm_conditions(const struct confirm *c, const struct facts *f, const char *hardware,
		       char *why, size_t why_max)
{
	for (int i = 0; i < FACT_COUNT; i++) {
		const char *was = c->conditions[i];
		char now[FACT_TEXT] = "";

		if (!fact_table[i].must)
			continue;
		if (fact_table[i].rank_key)
			ranks_say(f, fact_table[i].rank_key, now, sizeof(now));
		else if (i == FACT_HARDWARE)
			snprintf(now, sizeof(now), "%s", hardware);
		else if (i == FACT_METHOD)
			own_method(now, sizeof(now));
		else if (i == FACT_SAMPLING)
			own_sampling(&profile_table[c->profile], now, sizeof(now));
		else if (i == FACT_RANKS)
			snprintf(now, sizeof(now), "%d", f->n);
		if (!was[0] || !now[0] || strcmp(was, now) == 0)
			continue;
		snprintf(why, why_max,
			 "conditions.%s: '%.70s' was judged, '%.70s' is here; what is measured now "
			 "would confirm nothing",
			 fact_table[i].name, was, now);
		return -EINVAL;
	}
	return 0;
}

/* ---- plan ---- */

static int unknown(const char *column, const char *word, size_t i, char *why, size_t max)
{
	snprintf(why, max, "suspects[%zu].%s: '%.40s' is not known here", i, column, word);
	return -EINVAL;
}

static int add_words(const struct confirm *c, size_t i, struct plan_request *q, char *why,
		     size_t max)
{
	const struct record *r = &c->suspects[i];
	int op = op_find(r->op), transport = transport_find(c->backend, r->transport),
	    dtype = dtype_find(r->dtype);
	int timing = timing_find(r->timing), variant = variant_find(r->variant),
	    redop = redop_find(r->redop);

	if (op < 0)
		return unknown("op", r->op, i, why, max);
	if (transport < 0)
		return unknown("transport", r->transport, i, why, max);
	if (dtype < 0)
		return unknown("dtype", r->dtype, i, why, max);
	if (timing < 0)
		return unknown("timing", r->timing, i, why, max);
	if (variant < 0)
		return unknown("variant", r->variant, i, why, max);
	if (redop < 0 && strcmp(r->redop, "none") != 0)
		return unknown("redop", r->redop, i, why, max);
	q->ops |= 1ULL << op;
	q->transports |= 1ULL << transport;
	q->dtypes |= 1u << dtype;
	q->timings |= 1u << timing;
	q->variants |= 1u << variant;
	q->redops |= redop < 0 ? 0 : 1u << redop;
	q->in_place |= r->in_place == 1 ? 2u : 1u;
	if (op_table[op].flags & OP_ROOTED)
		q->root = r->root;
	if (op_table[op].flags & OP_PAIR && sscanf(r->pair, "%d-%d", &q->a, &q->b) != 2)
		return unknown("pair", r->pair, i, why, max);
	return 0;
}

static bool several_pairs(const struct confirm *c)
{
	const char *first = "";

	for (size_t i = 0; i < c->n; i++) {
		const char *pair = c->suspects[i].pair;

		if (first[0] && pair[0] && strcmp(first, pair) != 0)
			return true;
		first = first[0] ? first : pair;
	}
	return false;
}

/* As the judged run had it: the gate compares the word. An older run did not tell. */
static void take_pairs(const struct confirm *c, struct plan_request *q)
{
	q->all_pairs = several_pairs(c);
	for (int i = 0; i < PAIRS_RULES; i++)
		if (strcmp(c->conditions[FACT_PAIRS], plan_pairs_words[i]) == 0) {
			q->pairs_rule = i;
			q->all_pairs |= i != PAIRS_ALONE;
		}
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t *sizes_of(const struct confirm *c, size_t *n)
{
	uint64_t *v = calloc(c->n + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; v && i < c->n; i++)
		v[i] = c->suspects[i].bytes;
	if (v)
		qsort(v, c->n, sizeof(*v), by_size);
	for (size_t i = 0; v && i < c->n; i++)
		if (i == 0 || v[i] != v[*n - 1])
			v[(*n)++] = v[i];
	return v;
}

/* Ascending, each once. None where all suspects are of all ranks. */
static int take_counts(const struct confirm *c, struct plan_request *q, char *why, size_t max)
{
	int last = 1, next;

	q->n_counts = 0;
	do {
		next = INT_MAX;
		for (size_t i = 0; i < c->n; i++)
			if (c->suspects[i].ranks > last && c->suspects[i].ranks < next)
				next = c->suspects[i].ranks;
		if (next != INT_MAX && q->n_counts == PLAN_COUNTS_MAX) {
			snprintf(why, max, "suspects: of more than %d numbers of ranks",
				 PLAN_COUNTS_MAX);
			return -EINVAL;
		}
		if (next != INT_MAX)
			q->counts[q->n_counts++] = next;
		last = next;
	} while (next != INT_MAX);
	if (q->n_counts == 1 && q->counts[0] == q->nranks)
		q->n_counts = 0;
	return 0;
}

int confirm_request(const struct confirm *c, struct plan_request *q, uint64_t **sizes, char *why,
		    size_t why_max)
{
	int rc = 0;

	for (size_t i = 0; i < c->n && rc == 0; i++)
		rc = add_words(c, i, q, why, why_max);
	if (rc == 0)
		rc = take_counts(c, q, why, why_max);
	if (rc)
		return rc;
	free(*sizes);
	*sizes = sizes_of(c, &q->n_sizes);
	q->sizes = *sizes;
	take_pairs(c, q);
	q->profile = c->profile;
	q->restarts = q->restarts ? q->restarts : c->restarts;
	return *sizes ? 0 : -ENOMEM;
}

/* Index of the suspect that this point is; c->n: none. */
static size_t suspect_of(const struct confirm *c, const struct record *key)
{
	size_t i = 0;

	while (i < c->n &&
	       (c->suspects[i].bytes != key->bytes || !record_same_key(&c->suspects[i], key)))
		i++;
	return i;
}

int confirm_plan(const struct confirm *c, const char *map, struct plan *p, char *why,
		 size_t why_max)
{
	bool *keep = calloc(p->n_points + 1, sizeof(*keep)),
	     *found = calloc(c->n + 1, sizeof(*found));
	int rc = keep && found ? 0 : -ENOMEM;

	for (size_t k = 0; k < p->n_configs && rc == 0; k++)
		for (size_t i = p->configs[k].first; i < p->configs[k].first + p->configs[k].n;
		     i++) {
			struct record key;
			size_t s;

			record_init(&key);
			point_key(p->configs[k].transport, &p->points[i], map, &key);
			s = suspect_of(c, &key);
			keep[i] = s < c->n && !p->points[i].impossible;
			found[s] |= keep[i];
		}
	for (size_t i = 0; i < c->n && rc == 0; i++)
		if (!found[i]) {
			const struct record *r = &c->suspects[i];

			snprintf(why, why_max,
				 "suspects[%zu]: %.24s %.24s %.16s of %llu bytes (map '%.40s', "
				 "root %d, pair '%.15s') is no point "
				 "that this launch can measure; start the same ranks with the same "
				 "--map",
				 i, r->transport, r->op, r->timing, (unsigned long long)r->bytes,
				 r->map, r->root, r->pair);
			rc = -EINVAL;
		}
	if (rc == 0)
		plan_keep(p, keep);
	free(keep);
	free(found);
	return rc;
}
