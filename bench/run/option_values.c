/* SPDX-License-Identifier: Apache-2.0 */
/* The table of option_values.h. What a list of sizes, pairs or channels may be is in
 * option_points.c. */
#include "run/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "doctor/emit.h"
#include "run/option_rows.h"
#include "run/option_value.h"
#include "run/option_words.h"
#include "run/options.h"
#include "run/order.h"
#include "run/tune_class.h"
#include "search/tunable.h"
#include "spec/dtype.h"
#include "spec/profile.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "spec/transport.h"

/* JOIN may take twice it, and other ranks wait 900 s for a round (fault.c). */
#define TIMEOUT_MAX_NS (300 * CLOCK_S)
#define BUDGET_MAX_NS (86400 * CLOCK_S)
#define RANK_MAX 65535

static void *member(struct options *o, size_t at)
{
	return (char *)o + at;
}

/* ---- tables of words ---- */

#define ROWS(table) .names = &(table)[0].name, .stride = sizeof((table)[0])
#define LIST(table) .names = (table), .stride = sizeof((table)[0])

static const struct word_table ops_words = { "operation", "--ops", OP_COUNT, ROWS(op_table),
					     .find = op_find };
static const struct word_table dtype_words = { "element type", "-d", DTYPE_COUNT, ROWS(dtype_table),
					       .find = dtype_find };
static const struct word_table redop_words = { "reduction", "-o", REDOP_COUNT, ROWS(redop_table),
					       .find = redop_find };
static const struct word_table timing_words = { "timing", "--timing", TIMING_COUNT,
						ROWS(timing_table), .find = timing_find };
static const struct word_table variant_words = { "registration", "--register", VARIANT_COUNT,
						 ROWS(variant_table), .find = variant_find };
static const struct word_table bind_words = { "binding", "--bind", PLACE_COUNT, LIST(place_names),
					      .find = place_find };
static const struct word_table backend_words = { "backend", "--backend", BACKEND_COUNT,
						 LIST(backend_names), .find = backend_find };

/* ---- values of a kind ---- */

static int take_long_bits(const struct option_value *v, struct options *o, const char *text)
{
	return list_bits(v->words, text, member(o, v->at));
}

static int take_bits(const struct option_value *v, struct options *o, const char *text)
{
	unsigned long long wide = 0;
	int r = list_bits(v->words, text, &wide);

	if (r == 0)
		*(unsigned *)member(o, v->at) = (unsigned)wide;
	return r;
}

static int take_word(const struct option_value *v, struct options *o, const char *text)
{
	return word_id(v->words, text, member(o, v->at));
}

static int take_size(const struct option_value *v, struct options *o, const char *text)
{
	return word_positive_size(v->option, text, member(o, v->at));
}

static int take_int(const struct option_value *v, struct options *o, const char *text)
{
	int64_t n;
	int r = word_number(v->option, text, v->min, v->max, &n);

	if (r == 0)
		*(int *)member(o, v->at) = (int)n;
	return r;
}

static int take_u64(const struct option_value *v, struct options *o, const char *text)
{
	int64_t n;
	int r = word_number(v->option, text, v->min, v->max, &n);

	if (r == 0)
		*(uint64_t *)member(o, v->at) = (uint64_t)n;
	return r;
}

static int take_duration(const struct option_value *v, struct options *o, const char *text)
{
	int64_t *ns = member(o, v->at);

	if (num_parse_duration(text, ns) == 0 && *ns >= v->min && *ns <= v->max)
		return 0;
	log_error("%s: '%.*s' is no duration %s", v->option, QUOTED_MAX, text, v->range);
	return -EINVAL;
}

static int take_text(const struct option_value *v, struct options *o, const char *text)
{
	*(const char **)member(o, v->at) = text;
	return 0;
}

static int take_name(const struct option_value *v, struct options *o, const char *text)
{
	*(const char **)member(o, v->at) = text;
	return word_name(v->option, text);
}

/* Its words are looked up where they are known (matrix.c). */
static int take_list(const struct option_value *v, struct options *o, const char *text)
{
	*(const char **)member(o, v->at) = text;
	return list_whole(v->option, text);
}

static int take_switch(const struct option_value *v, struct options *o, const char *text)
{
	*(bool *)member(o, v->at) = v->min;
	return 0;
}

static int take_state(const struct option_value *v, struct options *o, const char *text)
{
	*(int *)member(o, v->at) = (int)v->min;
	return 0;
}

/* ---- how and where ---- */

static int take_match(const struct option_value *v, struct options *o, const char *text)
{
	o->match = strcmp(text, "nccl-tests") == 0;
	if (o->match)
		return 0;
	log_error("--match: '%.*s' is no tool whose method is known; give nccl-tests", QUOTED_MAX,
		  text);
	return -EINVAL;
}

static int take_profile(const struct option_value *v, struct options *o, const char *text)
{
	struct word_table t = { "profile", v->option, profile_count, ROWS(profile_table),
				.find = profile_find };

	return word_id(&t, text, &o->plan.profile);
}

static int take_backend(const struct option_value *v, struct options *o, const char *text)
{
	if (strcmp(text, "auto") == 0) {
		o->backend = -1;
		return 0;
	}
	return word_id(v->words, text, &o->backend);
}

static int take_map(const struct option_value *v, struct options *o, const char *text)
{
	o->order = order_find(text);
	o->n_map = 0;
	if (o->order >= 0)
		return 0;
	if (isalpha((unsigned char)text[0])) {
		log_error("--map: '%.*s' is none of near, far, numa; or give the GPU of each rank, "
			  "for example --map 0,1",
			  QUOTED_MAX, text);
		return -EINVAL;
	}
	return list_numbers(v->option, text, o->map, OPTIONS_MAP_MAX, &o->n_map);
}

static int take_library(const struct option_value *v, struct options *o, const char *text)
{
	char why[300];

	free((char *)o->nccl_lib);
	o->nccl_lib = arm_library(text, why, sizeof(why));
	if (o->nccl_lib)
		return 0;
	log_error("%s", why);
	return -EINVAL;
}

static int take_arm(const struct option_value *v, struct options *o, const char *text)
{
	if (o->n_ab == N_ELEMENTS(o->ab)) {
		log_error(
		    "--ab: more than %d environments; at most that many are compared in one run",
		    ARMS_MAX);
		return -EINVAL;
	}
	o->ab[o->n_ab++] = text;
	return 0;
}

static int take_color(const struct option_value *v, struct options *o, const char *text)
{
	static const char *const words[3] = { "auto", "always", "never" };

	return word_choice(v->option, text, words, &o->color);
}

/* ---- of tune ---- */

static int take_objective(const struct option_value *v, struct options *o, const char *text)
{
	char why[300];

	o->objective = text;
	if (tune_objective_check(text, why, sizeof(why)) == 0)
		return 0;
	log_error("--objective: %s", why);
	return -EINVAL;
}

static int take_emit(const struct option_value *v, struct options *o, const char *text)
{
	const char *names[16], *near;
	size_t n = 0;

	o->emit = text;
	if (emit_find(text))
		return 0;
	for (; n < emit_count && n < N_ELEMENTS(names); n++)
		names[n] = emit_formats[n].name;
	near = num_nearest(text, names, n);
	log_error("--emit: unknown form '%.*s'%s%s; ncclbench tune --help names all", QUOTED_MAX,
		  text, near ? "; did you mean " : "", near ? near : "");
	return -EINVAL;
}

static int known_tunable(void *arg, const char *word)
{
	if (tunable_find(word) >= 0)
		return 0;
	log_error("--only: '%.*s' is nothing that tune tries; ncclbench list tunables shows all",
		  QUOTED_MAX, word);
	return -EINVAL;
}

static int take_only(const struct option_value *v, struct options *o, const char *text)
{
	o->only = text;
	return list_words(v->option, text, known_tunable, NULL);
}

/* ---- the table ---- */

#define AT(m) .at = offsetof(struct options, m)
#define GIVEN(m) .given = offsetof(struct options, m)
#define POINTS GIVEN(points_given)

static const struct option_value values[] = {
	{ KEY_OPS, "--ops", take_long_bits, AT(plan.ops), .words = &ops_words, POINTS },
	{ 'd', "-d", take_bits, AT(plan.dtypes), .words = &dtype_words, POINTS },
	{ 'o', "-o", take_bits, AT(plan.redops), .words = &redop_words, POINTS },
	{ 'b', "-b", take_size, AT(plan.begin), POINTS },
	{ 'e', "-e", take_size, AT(plan.end), POINTS },
	{ 'i', "-i", take_size, AT(plan.step), POINTS },
	{ 'f', "-f", take_u64, AT(plan.factor), POINTS, .min = 2, .max = 1 << 20 },
	{ KEY_SIZES, "--sizes", option_sizes, POINTS },
	{ KEY_PLACE, "--place", option_place, POINTS },
	{ KEY_ROOT, "--root", take_int, AT(plan.root), POINTS, .min = 0, .max = RANK_MAX },
	{ KEY_PAIR, "--pair", option_pair, POINTS },
	{ KEY_PAIRS, "--pairs", option_pairs, POINTS },
	{ KEY_OVERLAP, "--overlap", option_overlap, POINTS },
	{ KEY_CHANNELS, "--channels", option_channels, POINTS },
	{ KEY_RANKS, "--ranks", option_counts, POINTS },
	{ KEY_REGISTER, "--register", take_bits, AT(plan.variants), .words = &variant_words,
	  POINTS },
	{ KEY_TIMING, "--timing", take_bits, AT(plan.timings), .words = &timing_words, POINTS },
	{ KEY_PROFILE, "--profile", take_profile, POINTS },
	{ KEY_MATCH, "--match", take_match },
	{ KEY_RESTARTS, "--restarts", take_int, AT(plan.restarts), GIVEN(restarts_given), .min = 1,
	  .max = 1000 },
	{ KEY_SEED, "--seed", take_u64, AT(plan.seed), GIVEN(seed_given), .min = 0,
	  .max = INT64_MAX },
	{ KEY_CEILINGS, "--ceilings", take_state, AT(ceilings), .min = 1 },
	{ KEY_NO_CEILINGS, "--no-ceilings", take_state, AT(ceilings), .min = 0 },
	{ KEY_TIMEOUT, "--timeout", take_duration, AT(timeout_ns), .min = 100 * CLOCK_MS,
	  .max = TIMEOUT_MAX_NS,
	  .range = "from 0.1 s to 5 minutes; give for example 30, 1.5 or 2m" },
	{ KEY_BACKEND, "--backend", take_backend, .words = &backend_words },
	{ KEY_BIND, "--bind", take_word, AT(bind), .words = &bind_words },
	{ KEY_MAP, "--map", take_map },
	{ KEY_FAKE_HOSTS, "--fake-hosts", take_int, AT(fake_hosts), .min = 2, .max = RANK_MAX },
	{ KEY_SHARE_GPU, "--share-gpu", take_switch, AT(share_gpu), .min = true },
	{ KEY_NCCL_LIB, "--nccl-lib", take_library },
	{ KEY_TRANSPORTS, "--transports", take_text, AT(transports) },
	{ KEY_REQUIRE, "--require", take_text, AT(require) },
	{ KEY_AB, "--ab", take_arm },
	{ KEY_ALGOS, "--algos", take_list, AT(algos) },
	{ KEY_PROTOS, "--protos", take_list, AT(protos) },
	{ KEY_TUNED, "--tuned", take_name, AT(tuned) },
	{ KEY_CONFIRM, "--confirm", take_name, AT(confirm) },
	{ KEY_BUDGET, "--budget", take_duration, AT(budget_ns), .min = CLOCK_S,
	  .max = BUDGET_MAX_NS, .range = "from 1 s to a day; give for example 120, 5m" },
	{ KEY_OBJECTIVE, "--objective", take_objective },
	{ KEY_ONLY, "--only", take_only },
	{ KEY_EMIT, "--emit", take_emit },
	{ KEY_OUT, "--out", take_name, AT(out) },
	{ KEY_RESUME, "--resume", take_name, AT(resume) },
	{ KEY_KEEP, "--keep", take_text, AT(keep) },
	{ KEY_JSON, "--json", take_switch, AT(json), .min = true },
	{ KEY_COLOR, "--color", take_color },
	{ KEY_NO_CHARTS, "--no-charts", take_switch, AT(charts), .min = false },
	{ KEY_DRY_RUN, "--dry-run", take_switch, AT(dry_run), .min = true },
};

int option_take(struct options *o, int key, const char *text)
{
	for (size_t i = 0; i < N_ELEMENTS(values); i++) {
		const struct option_value *v = &values[i];

		if (v->key != key)
			continue;
		if (v->given)
			*(bool *)member(o, v->given) = true;
		return v->take(v, o, text);
	}
	return OPTION_UNKNOWN;
}
