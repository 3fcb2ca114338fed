/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict becomes a plan of its suspects and nothing else; everything that is wrong with it has
 * its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "run/confirm.h"
#include "run/facts.h"
#include "spec/op.h"
#include "spec/plan.h"
#include "spec/profile.h"
#include "spec/timing.h"
#include "spec/transport.h"

#define PAIR_SUSPECT(pair)                                                                     \
	"{\"backend\":\"ucx\",\"transport\":\"shm\",\"variant\":\"plain\",\"op\":\"send\","    \
	"\"dtype\":\"float\",\"redop\":\"none\",\"inplace\":0,\"root\":0,\"ranks\":3,\"map\":" \
	"\"\","                                                                                \
	"\"pair\":\"" pair                                                                     \
	"\",\"algo_req\":\"\",\"proto_req\":\"\",\"load\":\"\",\"timing\":\"host\",\"bytes\":64}"
#define SUSPECT(transport, op, redop, bytes, rest)                                                \
	"{\"backend\":\"ucx\",\"transport\":\"" transport "\",\"variant\":\"plain\",\"op\":\"" op \
	"\",\"dtype\":\"float\",\"redop\":\"" redop                                               \
	"\",\"inplace\":0,\"root\":0,\"ranks\":2,\"map\":\"\",\"pair\":\"\","                     \
	"\"algo_req\":\"\",\"proto_req\":\"\",\"load\":\"\",\"timing\":\"host\",\"bytes\":" bytes \
	    rest "}"
#define CONDITIONS                                                                                 \
	"\"conditions\":{\"profile\":\"gate\",\"nccl\":\"1.13.1\",\"ranks\":\"2\",\"method\":\"0." \
	"1\",\"restarts\":12}"
#define VERDICT(suspects) \
	"{\"schema\":1,\"command\":\"gate\",\"suspects\":[" suspects "]," CONDITIONS "}"
#define TWO                                               \
	VERDICT(SUSPECT("shm", "all_reduce", "sum", "64", \
			",\"arm\":\"\"") "," SUSPECT("tcp", "sendrecv", "none", "1024", ""))

static struct confirm parsed(const char *json)
{
	struct confirm c = { 0 };
	char why[400] = "";

	if (confirm_parse(json, strlen(json), &c, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	return c;
}

static void a_verdict_is_read(void **state)
{
	struct confirm c = parsed(TWO);

	assert_int_equal(c.n, 2);
	assert_int_equal(c.backend, BACKEND_UCX);
	assert_int_equal(c.ranks, 2);
	assert_int_equal(c.profile, profile_find("gate"));
	assert_int_equal(c.restarts, 12);
	assert_string_equal(c.suspects[1].transport, "tcp");
	assert_true(c.suspects[1].bytes == 1024);
	assert_string_equal(c.conditions[FACT_NCCL], "1.13.1");
	confirm_fini(&c);
	c = parsed(VERDICT(""));
	assert_int_equal(c.n, 0);
	confirm_fini(&c);
}

static void other_ranks_read_the_same_from_the_extract(void **state)
{
	char *part = confirm_extract(TWO, strlen(TWO));
	struct confirm c = parsed(part);

	assert_int_equal(c.n, 2);
	assert_int_equal(c.restarts, 12);
	confirm_fini(&c);
	free(part);
	assert_null(confirm_extract("{", 1));
}

/* The request spans 2 transports x 2 operations x 2 sizes; two points are left of it. */
static void the_plan_has_the_suspects_and_nothing_else(void **state)
{
	struct plan_request q = { .backend = BACKEND_UCX, .nranks = 2, .b = 1 };
	struct confirm c = parsed(TWO);
	uint64_t *sizes = NULL, before;
	struct plan p = { 0 };
	char why[400] = "";

	assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
	assert_int_equal(q.n_sizes, 2);
	assert_int_equal(q.restarts, 12);
	assert_int_equal(q.profile, profile_find("gate"));
	assert_int_equal(plan_build(&q, &p, why, sizeof(why)), 0);
	assert_int_equal(p.n_points, 8);
	before = p.fingerprint;
	assert_int_equal(confirm_plan(&c, "", &p, why, sizeof(why)), 0);
	assert_int_equal(p.n_points, 2);
	assert_int_equal(p.n_configs, 2);
	assert_true(p.fingerprint != before);
	assert_int_equal(p.configs[0].transport, TRANSPORT_UCX_SHM);
	assert_int_equal(p.points[p.configs[0].first].c.op, OP_ALL_REDUCE);
	assert_true(p.points[p.configs[0].first].c.bytes == 64);
	assert_int_equal(p.configs[1].first, 1);
	assert_int_equal(p.points[1].c.op, OP_SENDRECV);
	assert_true(p.points[1].c.bytes == 1024);
	plan_fini(&p);
	free(sizes);
	confirm_fini(&c);
}

/* Of a run with --pairs all: one plan has them all. */
static void suspects_of_several_pairs_are_planned(void **state)
{
	struct plan_request q = { .backend = BACKEND_UCX, .nranks = 3, .b = 1 };
	struct confirm c = parsed(VERDICT(PAIR_SUSPECT("0-2") "," PAIR_SUSPECT("2-1")));
	uint64_t *sizes = NULL;
	struct plan p = { 0 };
	char why[400] = "";

	assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
	assert_int_equal(plan_build(&q, &p, why, sizeof(why)), 0);
	if (confirm_plan(&c, "", &p, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	assert_int_equal(p.n_points, 2);
	assert_int_equal(p.points[0].c.a, 0);
	assert_int_equal(p.points[0].c.b, 2);
	assert_int_equal(p.points[1].c.a, 2);
	assert_int_equal(p.points[1].c.b, 1);
	plan_fini(&p);
	free(sizes);
	confirm_fini(&c);
}

/* Suspects of several numbers of ranks: those are planned, ascending, and no others. */
static void numbers_of_ranks_are_those_of_the_suspects(void **state)
{
	struct plan_request q = { .backend = BACKEND_UCX, .nranks = 8, .b = 1 };
	struct confirm c = parsed(TWO);
	uint64_t *sizes = NULL;
	struct plan p = { 0 };
	char why[400] = "";

	c.suspects[0].ranks = 8;
	c.suspects[1].ranks = 2;
	assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
	assert_int_equal(q.n_counts, 2);
	assert_int_equal(q.counts[0], 2);
	assert_int_equal(q.counts[1], 8);
	assert_int_equal(plan_build(&q, &p, why, sizeof(why)), 0);
	assert_int_equal(confirm_plan(&c, "", &p, why, sizeof(why)), 0);
	assert_int_equal(p.n_points, 2);
	assert_int_equal(p.points[0].c.nranks, 8);
	assert_int_equal(p.points[1].c.nranks, 2);
	assert_int_equal(p.configs[0].nranks, 8);
	assert_int_equal(p.configs[1].nranks, 2);
	plan_fini(&p);
	c.suspects[1].ranks = 8;
	assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
	assert_int_equal(q.n_counts, 0); /* all there are */
	c.suspects[1].ranks = 9;
	assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
	assert_int_equal(plan_build(&q, &p, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "9 ranks were asked for, but 8 were started"));
	free(sizes);
	confirm_fini(&c);
}

static void a_suspect_that_cannot_be_planned_is_named(void **state)
{
	struct plan_request q = { .backend = BACKEND_UCX, .nranks = 2, .b = 1 };
	struct confirm c = parsed(TWO);
	uint64_t *sizes = NULL;
	struct plan p = { 0 };
	char why[400] = "";

	assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
	assert_int_equal(plan_build(&q, &p, why, sizeof(why)), 0);
	assert_int_equal(confirm_plan(&c, "0:gpu1 1:gpu0", &p, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "suspects[0]: shm all_reduce host of 64 bytes"));
	assert_int_equal(p.n_points, 8); /* untouched */
	plan_fini(&p);
	free(sizes);
	confirm_fini(&c);
}

static void conditions_must_be_the_same(void **state)
{
	char here[] = "lib_version=1.13.1\n", other[] = "lib_version=1.14.0\n", why[400] = "";
	char *ranks[] = { here, here }, *mixed[] = { here, other };
	struct facts same = { .text = ranks, .n = 2 }, differ = { .text = mixed, .n = 2 };
	struct confirm c = parsed(TWO);

	assert_int_equal(confirm_conditions(&c, &same, "whatever", why, sizeof(why)), 0);
	assert_int_equal(confirm_conditions(&c, &differ, "whatever", why, sizeof(why)), -EINVAL);
	assert_non_null(
	    strstr(why, "conditions.nccl: '1.13.1' was judged, '1.13.1 + 1.14.0' is here"));
	same.n = 1;
	assert_int_equal(confirm_conditions(&c, &same, "whatever", why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "conditions.ranks: '2' was judged, '1' is here"));
	confirm_fini(&c);
}

/* A profile of that name with other numbers would confirm nothing. */
static void the_numbers_of_the_profile_must_be_the_same(void **state)
{
	const struct profile *gate = &profile_table[profile_find("gate")];
	char here[] = "lib_version=1.13.1\n", why[400] = "";
	char *ranks[] = { here, here };
	struct facts facts = { .text = ranks, .n = 2 };
	struct confirm c = parsed(TWO);

	snprintf(c.conditions[FACT_SAMPLING], FACT_TEXT,
		 "%d-%d batches of %lld us, %lld us a point", gate->min_batches, gate->max_batches,
		 (long long)gate->batch_min_ns / 1000, (long long)gate->point_budget_ns / 1000);
	assert_int_equal(confirm_conditions(&c, &facts, "whatever", why, sizeof(why)), 0);
	strcpy(c.conditions[FACT_SAMPLING], "1-2 batches of 3 us, 4 us a point");
	assert_int_equal(confirm_conditions(&c, &facts, "whatever", why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "conditions.sampling: '1-2 batches of 3 us, 4 us a point' was "
				    "judged, '"));
	confirm_fini(&c);
}

/* Pairs are measured by the word of the run that was judged; one that does not tell, as --pairs
 * all where there are several. */
static void pairs_are_measured_by_the_same_word(void **state)
{
	static const struct {
		const char *word, *suspects;
		bool all_pairs;
		int rule;
	} rows[] = {
		{ "", VERDICT(PAIR_SUSPECT("0-2") "," PAIR_SUSPECT("2-1")), true,
		  PAIRS_BY_TOPOLOGY },
		{ "all", VERDICT(PAIR_SUSPECT("0-2")), true, PAIRS_BY_TOPOLOGY },
		{ "together", VERDICT(PAIR_SUSPECT("0-2")), true, PAIRS_TOGETHER },
		{ "alone", VERDICT(PAIR_SUSPECT("0-2") "," PAIR_SUSPECT("2-1")), true,
		  PAIRS_ALONE },
		{ "alone", VERDICT(PAIR_SUSPECT("0-2")), false, PAIRS_ALONE },
		{ "sideways", VERDICT(PAIR_SUSPECT("0-2")), false, PAIRS_BY_TOPOLOGY },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		struct plan_request q = { .backend = BACKEND_UCX, .nranks = 3, .b = 1 };
		struct confirm c = parsed(rows[i].suspects);
		uint64_t *sizes = NULL;
		struct plan p = { 0 };
		char why[400] = "";

		snprintf(c.conditions[FACT_PAIRS], FACT_TEXT, "%s", rows[i].word);
		assert_int_equal(confirm_request(&c, &q, &sizes, why, sizeof(why)), 0);
		assert_int_equal(q.all_pairs, rows[i].all_pairs);
		assert_int_equal(q.pairs_rule, rows[i].rule);
		assert_int_equal(plan_build(&q, &p, why, sizeof(why)), 0);
		assert_int_equal(confirm_plan(&c, "", &p, why, sizeof(why)), 0);
		assert_int_equal(p.n_points, c.n);
		plan_fini(&p);
		free(sizes);
		confirm_fini(&c);
	}
}

static const struct {
	const char *json, *says;
} bads[] = {
	{ "", "line 1, column 0" },
	{ "[]", "line 1: not a verdict" },
	{ "{\"schema\":1,\"command\":\"sweep\"}", "line 1: not a verdict" },
	{ "{\"schema\":2,\"command\":\"gate\"}", "schema 2; this version knows up to 1" },
	{ "{\"schema\":1,\"command\":\"gate\"}", "no list 'suspects'" },
	{ "{\"schema\":1,\"command\":\"gate\",\"suspects\":{}}", "no list 'suspects'" },
	{ "{\"schema\":1,\"command\":\"gate\",\"suspects\":[7]}",
	  "suspects[0]: must be an object" },
	{ "{\"schema\":1,\"command\":\"gate\",\"suspects\":[{}]}",
	  "suspects[0].backend: is missing" },
	{ "{\"schema\":1,\"schema\":1}", "line 1, column" },
	{ "{\"schema\":1,\"command\":\"gate\",\"suspects\":[" SUSPECT("shm", "all_reduce", "sum",
								      "8", "") "]}",
	  "no object 'conditions'" },
	{ VERDICT(SUSPECT("shm", "all_reduce", "sum", "-8", "")),
	  "suspects[0].bytes: must be a whole number" },
	{ VERDICT(SUSPECT("shm", "all_reduce", "sum", "8.5", "")),
	  "suspects[0].bytes: must be a whole number" },
	{ VERDICT(SUSPECT("shm", "all_reduce", "sum", "8", ",\"arm\":7")),
	  "suspects[0].arm: must be a text" },
	{ VERDICT(SUSPECT("shm", "all_reduce", "sum", "8", ",\"arm\":\"B\"")),
	  "suspects[0]: was measured with an algorithm" },
	{ VERDICT(SUSPECT("shm", "all_reduce", "a word that is long", "8", "")),
	  "suspects[0].redop: 'a word that is long' is too long" },
	{ VERDICT(SUSPECT("shm", "a", "sum", "8", "") "," SUSPECT("shm", "a", "sum", "8", "")),
	  "suspects[1]: the same point as suspects[0]" },
};

static void every_fault_has_its_place(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < N_ELEMENTS(bads); i++) {
		struct confirm c = { 0 };
		char why[400] = "";
		int rc = confirm_parse(bads[i].json, strlen(bads[i].json), &c, why, sizeof(why));

		if (rc == -EBADMSG && strstr(why, bads[i].says) && !c.suspects)
			continue;
		print_error("%s gives %d and \"%s\"; must say \"%s\"\n", bads[i].json, rc, why,
			    bads[i].says);
		confirm_fini(&c);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* Every prefix and every changed byte: never more than an error. */
static void torn_and_changed_files(void **state)
{
	char text[sizeof(TWO)], why[400];

	for (size_t i = 0; i < sizeof(TWO) - 1; i++) {
		struct confirm c = { 0 };
		char *exact =
		    malloc(i ? i : 1); /* a read beyond the end is seen by the sanitizer */

		memcpy(exact, TWO, i);
		assert_int_equal(confirm_parse(exact, i, &c, why, sizeof(why)), -EBADMSG);
		free(exact);
		memcpy(text, TWO, sizeof(TWO));
		text[i] ^= 0x11;
		if (confirm_parse(text, sizeof(TWO) - 1, &c, why, sizeof(why)) == 0)
			confirm_fini(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_is_read),
		cmocka_unit_test(other_ranks_read_the_same_from_the_extract),
		cmocka_unit_test(the_plan_has_the_suspects_and_nothing_else),
		cmocka_unit_test(suspects_of_several_pairs_are_planned),
		cmocka_unit_test(numbers_of_ranks_are_those_of_the_suspects),
		cmocka_unit_test(a_suspect_that_cannot_be_planned_is_named),
		cmocka_unit_test(conditions_must_be_the_same),
		cmocka_unit_test(the_numbers_of_the_profile_must_be_the_same),
		cmocka_unit_test(pairs_are_measured_by_the_same_word),
		cmocka_unit_test(every_fault_has_its_place),
		cmocka_unit_test(torn_and_changed_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
