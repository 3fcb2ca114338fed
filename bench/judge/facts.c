/* SPDX-License-Identifier: Apache-2.0 */
/* See facts.h. */
#include "judge/facts.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/visible.h"
#include "data/record.h"

/* FACT_METHOD is the release that measured, without its last number; FACT_BATCH is compared point
 * by point and has no place in run.json. */
const struct fact fact_table[FACT_COUNT] = {
	[FACT_MACHINE] = { "machine", NULL, "the machine (its id, as a hash)", NULL, "machine_id",
			   true },
	[FACT_HARDWARE] = { "hardware", NULL, "GPUs and links, or the CPU", "machine", NULL, true },
	[FACT_BACKEND] = { "backend", NULL, "nccl or ucx", "backend", NULL, true },
	[FACT_NCCL] = { "nccl", "ucx", "version of the library that moved the data", NULL,
			"lib_version", true },
	[FACT_DRIVER] = { "driver", NULL, "version of the GPU driver", NULL, "driver_version",
			  true },
	[FACT_CUDA] = { "cuda", NULL, "version of the CUDA runtime", NULL, "runtime_version",
			true },
	[FACT_RANKS] = { "ranks", NULL, "number of ranks", "nranks", NULL, true },
	[FACT_PROFILE] = { "profile", NULL, "how much was measured", "profile", NULL, true },
	[FACT_SAMPLING] = { "sampling", NULL,
			    "the profile's numbers: batches, their least time, the time of a point",
			    NULL, NULL, true, "profile", true },
	[FACT_PAIRS] = { "pairs", NULL, "which pairs are measured at once (sweep --pairs)",
			 "pairs_rule", NULL, true, NULL, true },
	[FACT_METHOD] = { "method", NULL, "release of ncclbench that measured", "ncclbench", NULL,
			  true },
	[FACT_BATCH] = { "batch", NULL, "operations timed together, point by point", NULL, NULL,
			 true },
	[FACT_ARMS] = { "arms", NULL, "environments that the run itself compares (sweep --ab)",
			NULL, NULL, true },
	[FACT_KERNEL] = { "kernel", NULL, "kernel of the operating system", NULL, "kernel", false },
	[FACT_OS] = { "os", NULL, "operating system", NULL, "os", false },
};

int fact_find(const char *word)
{
	for (int i = 0; i < FACT_COUNT; i++)
		if (strcmp(fact_table[i].name, word) == 0 ||
		    (fact_table[i].alias && strcmp(fact_table[i].alias, word) == 0))
			return i;
	return -1;
}

unsigned fact_bits(int fact)
{
	unsigned bits = 1u << fact;

	for (int i = 0; i < FACT_COUNT; i++)
		if (fact_table[i].part_of &&
		    strcmp(fact_table[i].part_of, fact_table[fact].name) == 0)
			bits |= 1u << i;
	return bits;
}

const char *const fact_sampling_keys[4] = { "min_batches", "max_batches", "batch_min_us",
					    "point_budget_us" };

void fact_sampling(const int64_t number[4], char *out, size_t max)
{
	snprintf(out, max, "%lld-%lld batches of %lld us, %lld us a point", (long long)number[0],
		 (long long)number[1], (long long)number[2], (long long)number[3]);
}

/* Text of a string or number, as it may be shown. */
static void value_text(const json_t *v, char *out, size_t max)
{
	out[0] = '\0';
	if (json_is_string(v))
		snprintf(out, max, "%s", json_string_value(v));
	else if (json_is_integer(v))
		snprintf(out, max, "%lld", (long long)json_integer_value(v));
	visible_copy(out, out, max);
}

/* "a" when all ranks say a, else "a + b" in their order. */
static void ranks_text(const json_t *ranks, const char *key, char *out, size_t max)
{
	char one[FACT_TEXT], last[FACT_TEXT] = "";

	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(ranks); i++) {
		size_t at = strlen(out);

		value_text(json_object_get(json_array_get(ranks, i), key), one, sizeof(one));
		if (one[0] == '\0' || strcmp(one, last) == 0)
			continue;
		snprintf(out + at, max - at, "%s%s", at ? " + " : "", one);
		snprintf(last, sizeof(last), "%s", one);
	}
}

static void cut_method(char *version)
{
	char *dot = strrchr(version, '.');

	if (dot && dot != strchr(version, '.'))
		*dot = '\0';
}

/* "A: ; B: NCCL_ALGO=Tree"; "none" of a run that compares nothing, and of one from before there
 * were arms. */
static void arms_text(const json_t *arms, char *out, size_t max)
{
	snprintf(out, max, "%s", json_array_size(arms) > 0 ? "" : "none");
	for (size_t i = 0; i < json_array_size(arms); i++) {
		const json_t *arm = json_array_get(arms, i);
		char name[FACT_TEXT], text[FACT_TEXT];
		size_t at = strlen(out);

		value_text(json_object_get(arm, "arm"), name, sizeof(name));
		value_text(json_object_get(arm, "text"), text, sizeof(text));
		snprintf(out + at, max - at, "%s%s: %s", at ? "; " : "", name, text);
	}
}

/* "" unless all of it is there. */
static void sampling_text(const json_t *sampling, char *out, size_t max)
{
	int64_t number[N_ELEMENTS(fact_sampling_keys)];

	out[0] = '\0';
	for (size_t i = 0; i < N_ELEMENTS(number); i++) {
		const json_t *v = json_object_get(sampling, fact_sampling_keys[i]);

		if (!json_is_integer(v))
			return;
		number[i] = json_integer_value(v);
	}
	fact_sampling(number, out, max);
}

static void take(const json_t *run, struct run_facts *f)
{
	const json_t *ranks = json_object_get(run, "ranks");
	json_int_t planned = json_integer_value(json_object_get(run, "planned_points"));

	for (int i = 0; i < FACT_COUNT; i++) {
		if (fact_table[i].run_key)
			value_text(json_object_get(run, fact_table[i].run_key), f->value[i],
				   FACT_TEXT);
		else if (fact_table[i].rank_key)
			ranks_text(ranks, fact_table[i].rank_key, f->value[i], FACT_TEXT);
	}
	arms_text(json_object_get(run, "arms"), f->value[FACT_ARMS], FACT_TEXT);
	sampling_text(json_object_get(run, "sampling"), f->value[FACT_SAMPLING], FACT_TEXT);
	cut_method(f->value[FACT_METHOD]);
	ranks_text(ranks, "boot", f->boot, sizeof(f->boot));
	value_text(json_object_get(run, "started"), f->started, sizeof(f->started));
	value_text(json_object_get(run, "seed"), f->seed, sizeof(f->seed));
	value_text(json_object_get(run, "versions"), f->versions, sizeof(f->versions));
	f->planned = planned > 0 ? (size_t)planned : 0;
	f->confirms = json_string_length(json_object_get(run, "confirms")) > 0;
	f->complete = json_is_true(json_object_get(run, "complete"));
	f->known = true;
}

static int check(const json_t *run, char *why, size_t why_max)
{
	const json_t *schema = json_object_get(run, "schema");

	if (!json_is_object(run) || !json_is_integer(schema))
		return snprintf(why, why_max, "line 1: not a run.json: no whole number 'schema'"),
		       -EBADMSG;
	if (json_integer_value(schema) < 1 || json_integer_value(schema) > RECORD_RUN_SCHEMA)
		return snprintf(
			   why, why_max,
			   "schema %lld; this version knows up to %d: a newer ncclbench wrote it",
			   (long long)json_integer_value(schema), RECORD_RUN_SCHEMA),
		       -EBADMSG;
	if (!json_is_array(json_object_get(run, "ranks")))
		return snprintf(why, why_max, "not a run.json: no list 'ranks'"), -EBADMSG;
	return 0;
}

int facts_parse(const char *json, size_t len, struct run_facts *out, char *why, size_t why_max)
{
	json_error_t error;
	json_t *run = json_loadb(json, len, JSON_REJECT_DUPLICATES, &error);
	int rc;

	if (run == NULL) {
		snprintf(why, why_max, "line %d, column %d: %.120s", error.line, error.column,
			 error.text);
		visible_copy(why, why, why_max);
		return -EBADMSG;
	}
	rc = check(run, why, why_max);
	if (rc == 0)
		take(run, out);
	json_decref(run);
	return rc;
}
