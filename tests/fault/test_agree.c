/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks agree on the worst of their faults: which one is told, what else travels with it, who is
 * alarmed, whose worker is gone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "coord_threads.h"
#include "run/fault.h"
#include "slack.h"
#include "spec/outcome.h"

#define RANKS 4

/* ---- whose worker cannot be used any longer ---- */

static bool lost(int outcome, int phase, bool fatal)
{
	struct fault f;

	fault_clear(&f);
	f.outcome = outcome;
	f.phase = phase;
	f.fatal = fatal;
	return fault_lost_worker(&f);
}

static void who_is_lost(void **state)
{
	static const int always[] = { OUTCOME_HANG, OUTCOME_CRASH, OUTCOME_ERROR, OUTCOME_ABORTED };
	static const int polite[] = { OUTCOME_UNAVAILABLE, OUTCOME_OOM, OUTCOME_SKIPPED,
				      OUTCOME_CORRUPT };

	for (int phase = PHASE_START; phase <= PHASE_BYE; phase++) {
		bool starting = phase <= PHASE_JOIN,
		     together = phase == PHASE_RUN || phase == PHASE_CHECK;

		assert_false(lost(OUTCOME_OK, phase, false));
		for (size_t i = 0; i < N_ELEMENTS(always); i++)
			assert_true(lost(always[i], phase, false));
		for (size_t i = 0; i < N_ELEMENTS(polite); i++) {
			bool compared = polite[i] == OUTCOME_CORRUPT && phase == PHASE_CHECK;

			assert_int_equal(lost(polite[i], phase, false),
					 starting || (together && !compared));
			assert_true(lost(polite[i], phase, true));
		}
	}
}

static void setting_forgets_the_old_one(void **state)
{
	struct fault f;
	char longer[2000];

	fault_clear(&f);
	assert_false(fault_is(&f));
	f.fatal = true;
	f.code = 7;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	fault_set(&f, OUTCOME_OOM, PHASE_PREPARE, "%s", longer);
	assert_true(fault_is(&f));
	assert_false(f.fatal);
	assert_int_equal(f.code, 0);
	assert_int_equal(strlen(f.detail), sizeof(f.detail) - 1);
}

/* ---- agreement ---- */

struct brought {
	int outcome, phase;
	bool fatal;
	int64_t extra[2];
};

struct meeting {
	const struct brought *mine; /* of each rank */
	struct fault worst[RANKS];
	int worst_rank[RANKS];
	int64_t extra[RANKS][2], alarmed[RANKS], round[RANKS];
};

static int meet(struct coord *c, void *arg)
{
	struct meeting *m = arg;
	const struct brought *b = &m->mine[c->rank];
	struct fault mine;
	int64_t wait = 0;
	int r;

	fault_clear(&mine);
	if (b->outcome != OUTCOME_OK)
		fault_set(&mine, b->outcome, b->phase, "told by %d", c->rank);
	mine.fatal = b->fatal;
	c->round = 5;
	memcpy(m->extra[c->rank], b->extra, sizeof(b->extra));
	r = fault_agree(c, &mine, m->extra[c->rank], 2, &m->worst[c->rank],
			&m->worst_rank[c->rank]);
	if (r == 0)
		r = c->ops->max(c, &wait, 1, clock_after_ns(SLACK_NS));
	m->alarmed[c->rank] = c->ops->alarmed(c);
	m->round[c->rank] = c->round;
	return r;
}

static void all_meet(struct meeting *m, const struct brought *mine)
{
	static struct coord_threads_result result;

	memset(m, 0, sizeof(*m));
	m->mine = mine;
	assert_int_equal(coord_threads_run(RANKS, clock_after_ns(LONG_NS), meet, m, &result), 0);
	for (int i = 0; i < RANKS; i++) {
		assert_int_equal(result.code[i], 0);
		assert_int_equal(m->round[i], 6);
	}
}

static void expect_worst(const struct meeting *m, int outcome, int phase, int rank, bool fatal)
{
	char detail[32];

	snprintf(detail, sizeof(detail), "told by %d", rank);
	for (int i = 0; i < RANKS; i++) {
		assert_int_equal(m->worst[i].outcome, outcome);
		assert_int_equal(m->worst[i].phase, phase);
		assert_int_equal(m->worst_rank[i], rank);
		assert_int_equal(m->worst[i].fatal, fatal);
		assert_string_equal(m->worst[i].detail, detail);
	}
}

static void all_are_well(void **state)
{
	static const struct brought mine[RANKS] = {
		{ .extra = { 1, -9 } },
		{ .extra = { 4, -8 } },
		{ .extra = { 2, INT64_MIN } },
		{ .extra = { 3, -8 } },
	};
	struct meeting m;

	all_meet(&m, mine);
	for (int i = 0; i < RANKS; i++) {
		assert_false(fault_is(&m.worst[i]));
		assert_int_equal(m.worst_rank[i], -1);
		assert_int_equal(m.extra[i][0], 4);
		assert_int_equal(m.extra[i][1], -8);
		assert_int_equal(m.alarmed[i], -1);
	}
}

static void the_worst_is_told(void **state)
{
	static const struct brought mine[RANKS] = {
		{ OUTCOME_ABORTED, PHASE_RUN, false, { 0, 0 } },
		{ OUTCOME_HANG, PHASE_RUN, false, { 0, 0 } },
		{ OUTCOME_CRASH, PHASE_RUN, false, { 0, 0 } },
		{ OUTCOME_OK, PHASE_NONE, false, { 5, 6 } },
	};
	struct meeting m;

	all_meet(&m, mine);
	expect_worst(&m, OUTCOME_CRASH, PHASE_RUN, 2, true);
	/* What the well one brought counts all the same. */
	assert_int_equal(m.extra[0][1], 6);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(m.alarmed[i], 5);
}

static void of_equal_ones_the_lowest_rank(void **state)
{
	static const struct brought mine[RANKS] = {
		{ 0 },
		{ OUTCOME_ERROR, PHASE_CHECK, false, { 0, 0 } },
		{ OUTCOME_ERROR, PHASE_RUN, false, { 0, 0 } },
		{ 0 },
	};
	struct meeting m;

	all_meet(&m, mine);
	expect_worst(&m, OUTCOME_ERROR, PHASE_CHECK, 1, true);
}

/* A refusal at PREPARE alarms nobody and costs no worker. */
static void a_refusal_is_quiet(void **state)
{
	static const struct brought mine[RANKS] = {
		{ 0 }, { 0 }, { OUTCOME_OOM, PHASE_PREPARE, false, { 0, 0 } }, { 0 }
	};
	struct meeting m;

	all_meet(&m, mine);
	expect_worst(&m, OUTCOME_OOM, PHASE_PREPARE, 2, false);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(m.alarmed[i], -1);
}

/* The row is about the worse one, but the lesser one's worker is gone too. */
static void a_lesser_loss_is_not_forgotten(void **state)
{
	static const struct brought mine[RANKS] = {
		{ OUTCOME_CORRUPT, PHASE_CHECK, false, { 0, 0 } },
		{ 0 },
		{ OUTCOME_UNAVAILABLE, PHASE_PREPARE, true, { 0, 0 } },
		{ 0 },
	};
	struct meeting m;

	all_meet(&m, mine);
	expect_worst(&m, OUTCOME_CORRUPT, PHASE_CHECK, 0, true);
	assert_int_equal(m.alarmed[0], 5);
	assert_int_equal(m.alarmed[2], -1); /* its own */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_lost),
		cmocka_unit_test(setting_forgets_the_old_one),
		cmocka_unit_test(all_are_well),
		cmocka_unit_test(the_worst_is_told),
		cmocka_unit_test(of_equal_ones_the_lowest_rank),
		cmocka_unit_test(a_refusal_is_quiet),
		cmocka_unit_test(a_lesser_loss_is_not_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
