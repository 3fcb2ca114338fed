/* SPDX-License-Identifier: Apache-2.0 */
/* What a search says of machines whose answer is known, one by one. Rates over many: test_gains.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "surface.h"

#include "base/buf.h"
#include "search/journal.h"

#define QUIET              \
	{                  \
		.002, .005 \
	}

static void expect_arm(const struct search_result *r, const char *text)
{
	struct buf b = { 0 };

	assert_true(r->found[0].arm >= 0);
	setting_text(&r->confirmation.arm[r->found[0].arm].s, &b);
	assert_string_equal(buf_text(&b), text);
	buf_fini(&b);
}

static const struct effect *effect_of(const struct search_result *r, size_t k)
{
	return &r->confirmation.arm[r->found[0].arm].effect[k];
}

/* ---- surfaces ---- */

static double eight(const struct surface *w, const struct setting *s, size_t k)
{
	return k == 0 && surface_has(s, "NCCL_MIN_NCHANNELS", "8") ? -.15 : 0;
}

static double half_a_percent(const struct surface *w, const struct setting *s, size_t k)
{
	return k == 0 && surface_has(s, "NCCL_MIN_NCHANNELS", "8") ? -.007 : 0;
}

/* Large messages gain 10 %, small ones lose 5 %. */
static double trade(const struct surface *w, const struct setting *s, size_t k)
{
	if (!surface_has(s, "NCCL_BUFFSIZE", "16777216"))
		return 0;
	return k == 0 ? -.1 : .05;
}

/* The same, and 4 % for nothing. */
static double trade_or_gain(const struct surface *w, const struct setting *s, size_t k)
{
	return trade(w, s, k) + (k == 0 && surface_has(s, "NCCL_MIN_NCHANNELS", "8") ? -.04 : 0);
}

/* Everything that loads the large class helps the small one, too: one costs it 1 %, which is none.
 */
static double hardly_a_trade(const struct surface *w, const struct setting *s, size_t k)
{
	if (!surface_has(s, "NCCL_BUFFSIZE", "16777216"))
		return 0;
	return k == 0 ? -.1 : .01;
}

/* Only both together: what joining is for. */
static double joined(const struct surface *w, const struct setting *s, size_t k)
{
	bool a = surface_has(s, "NCCL_MIN_NCHANNELS", "32"),
	     b = surface_has(s, "NCCL_BUFFSIZE", "8388608");

	if (k == 1)
		return 0;
	return a && b ? -.3 : a || b ? -.05 : 0;
}

static bool is_bad(const struct setting *s)
{
	return surface_has(s, "NCCL_MIN_NCHANNELS", "8");
}

static int corrupts(const struct surface *w, const struct setting *s)
{
	return is_bad(s) ? OUTCOME_CORRUPT : OUTCOME_OK;
}

static int hangs(const struct surface *w, const struct setting *s)
{
	return is_bad(s) ? OUTCOME_HANG : OUTCOME_OK;
}

/* Well in the race; not in the confirmation, which measures it six times more. */
static int times_bad, crash_from;

static int crashes_late(const struct surface *w, const struct setting *s)
{
	times_bad += is_bad(s) && s->n == 1;
	return is_bad(s) && times_bad >= crash_from ? OUTCOME_CRASH : OUTCOME_OK;
}

static int default_fails(const struct surface *w, const struct setting *s)
{
	return s->n == 0 ? OUTCOME_ERROR : OUTCOME_OK;
}

/* ---- tests ---- */

static void run(struct surface *w, int transport, double budget_s, struct search_result *r)
{
	w->cost_s = w->cost_s > 0 ? w->cost_s : 1;
	w->hang_s = 10;
	w->trials = 0;
	w->seed = 42;
	assert_int_equal(surface_search(w, transport, budget_s, 1, r), 0);
	assert_true(r->spent_s <= budget_s * (1 + 1e-9));
	assert_int_equal(r->n_trials, w->trials);
}

static void finds_a_gain(void **state)
{
	struct surface w = { .effect = eight, .noise = QUIET };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 60, &r);
	assert_int_equal(r.found[0].id, FOUND_GAIN);
	expect_arm(&r, "NCCL_MIN_NCHANNELS=8");
	/* exp(.15) - 1 = 16.2 % */
	assert_true(effect_of(&r, 0)->lo < -.15 && effect_of(&r, 0)->hi > -.155);
	assert_true(fabs(search_gain(effect_of(&r, 0)->shift) - .162) < .01);
	assert_true(effect_of(&r, 0)->surely < 0);
	search_fini(&r);
}

static void joins_what_helps_together(void **state)
{
	struct surface w = { .effect = joined, .noise = QUIET };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 150, &r);
	assert_int_equal(r.found[0].id, FOUND_GAIN);
	expect_arm(&r, "NCCL_MIN_NCHANNELS=32 NCCL_BUFFSIZE=8388608");
	search_fini(&r);
}

static void below_one_percent_is_nothing(void **state)
{
	struct surface w = { .effect = half_a_percent, .noise = { .0005, .0005 } };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 100, &r);
	/* seen, confirmed to be there, and not worth a line */
	assert_int_equal(r.found[0].id, FOUND_UNCONFIRMED);
	assert_true(effect_of(&r, 0)->surely < 0 && effect_of(&r, 0)->shift > -.0095);
	search_fini(&r);
}

static void nothing_there(void **state)
{
	struct surface w = { .noise = { .0005, .0005 } };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 60, &r);
	assert_int_equal(r.found[0].id, FOUND_DEFAULT);
	assert_int_equal(r.confirmation.n_arms, 0);
	search_fini(&r);
}

static void tells_a_trade(void **state)
{
	struct surface w = { .effect = trade, .noise = QUIET };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 150, &r);
	assert_int_equal(r.found[0].id, FOUND_TRADE);
	assert_true(r.found[0].harms[1] && !r.found[0].harms[0]);
	assert_true(effect_of(&r, 1)->shift > .04);
	search_fini(&r);
	w = (struct surface){ .effect = hardly_a_trade, .noise = { .002, .002 } };
	run(&w, TRANSPORT_SHM, 150, &r);
	assert_int_equal(r.found[0].id, FOUND_GAIN);
	search_fini(&r);
}

static void gain_first_trade_beside_it(void **state)
{
	struct surface w = { .effect = trade_or_gain, .noise = QUIET };
	struct search_result r;
	const struct confirmed *more;

	run(&w, TRANSPORT_SHM, 150, &r);
	assert_int_equal(r.found[0].id, FOUND_GAIN);
	expect_arm(&r, "NCCL_MIN_NCHANNELS=8");
	assert_true(fabs(effect_of(&r, 0)->shift + .04) < .01);
	assert_true(r.found[0].trade >= 0 && r.found[0].trade_harms[1]);
	more = &r.confirmation.arm[r.found[0].trade];
	assert_true(surface_has(&more->s, "NCCL_BUFFSIZE", "16777216") &&
		    surface_has(&more->s, "NCCL_MIN_NCHANNELS", "8"));
	assert_true(fabs(more->effect[0].shift + .14) < .01);
	search_fini(&r);
}

/* It would be the fastest by far. */
static void never_what_is_broken(void **state)
{
	static int (*const fates[])(const struct surface *, const struct setting *) = { corrupts,
											hangs };
	static const int outcomes[] = { OUTCOME_CORRUPT, OUTCOME_HANG };

	for (size_t i = 0; i < N_ELEMENTS(fates); i++) {
		struct surface w = { .effect = eight, .fate = fates[i], .noise = QUIET };
		struct search_result r;
		size_t told = 0;

		run(&w, TRANSPORT_SHM, 100, &r);
		assert_int_equal(r.found[0].id, FOUND_DEFAULT);
		for (size_t k = 0; k < r.race.n; k++) {
			assert_true(r.race.c[k].outcome ==
				    (is_bad(&r.race.c[k].s) ? outcomes[i] : OUTCOME_OK));
			told += r.race.c[k].outcome == outcomes[i] &&
				strcmp(r.race.c[k].detail, "as planted") == 0;
		}
		assert_true(told >= 1);
		search_fini(&r);
	}
}

static void fails_at_last(void **state)
{
	struct surface w = { .effect = eight, .fate = crashes_late, .noise = QUIET };
	struct search_result r;
	int in_all;

	times_bad = 0;
	crash_from = 1000;
	run(&w, TRANSPORT_SHM, 60, &r);
	assert_int_equal(r.found[0].id, FOUND_GAIN);
	expect_arm(&r, "NCCL_MIN_NCHANNELS=8");
	search_fini(&r);
	in_all = times_bad;
	/* The last time of all is enough. */
	times_bad = 0;
	crash_from = in_all;
	run(&w, TRANSPORT_SHM, 60, &r);
	assert_int_equal(r.found[0].id, FOUND_FAILED);
	expect_arm(&r, "NCCL_MIN_NCHANNELS=8");
	assert_int_equal(r.confirmation.arm[0].outcome, OUTCOME_CRASH);
	assert_int_equal(r.confirmation.arm[0].n, 5);
	search_fini(&r);
}

static void default_that_fails(void **state)
{
	struct surface w = { .effect = eight, .fate = default_fails, .noise = QUIET };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 60, &r);
	assert_int_equal(r.found[0].id, FOUND_NO_CONTROL);
	assert_int_equal(w.trials, 1);
	assert_string_equal(r.race.control_detail, "as planted");
	search_fini(&r);
}

/* Hangs are dear and trials uneven: the budget holds all the same. */
static void budget_holds(void **state)
{
	for (int i = 0; i < 40; i++) {
		struct surface w = { .effect = eight,
				     .fate = i % 2 ? hangs : NULL,
				     .noise = QUIET,
				     .cost_spread = .4 };
		struct search_result r;

		run(&w, i % 3 ? TRANSPORT_SOCKET : TRANSPORT_SHM, 1 + i * 2, &r);
		assert_true(w.spent_s <= 1 + i * 2 + 1e-9);
		if (i < 5)
			assert_true(r.found[0].id != FOUND_GAIN && r.found[0].id != FOUND_TRADE);
		search_fini(&r);
	}
}

static void no_budget_at_all(void **state)
{
	struct surface w = { .noise = QUIET };
	struct search_result r;

	run(&w, TRANSPORT_SHM, 0, &r);
	assert_int_equal(w.trials, 0);
	assert_int_equal(r.found[0].id, FOUND_NO_BUDGET);
	search_fini(&r);
	run(&w, TRANSPORT_SHM, 1.5, &r);
	assert_int_equal(r.found[0].id, FOUND_NO_BUDGET);
	search_fini(&r);
}

/* ---- resuming ---- */

struct kept {
	struct surface w;
	struct buf text;
	struct journal before;
	int answered;
};

static int remembering(void *arg, const struct setting *s, int restart, double limit_s,
		       struct trial *out)
{
	struct kept *k = arg;
	const struct trial *known = journal_find(&k->before, "shm", s, restart);
	struct journal_row row = { .transport = "shm", .s = *s, .restart = restart };
	int rc;

	if (known) {
		*out = *known;
		k->answered++;
		return 0;
	}
	/* Noise that belongs to the question, as a real machine's would not: so that both ways must
	 * end alike. */
	k->w.seed = (uint64_t)restart * 77;
	for (size_t i = 0; i < s->n; i++)
		k->w.seed = k->w.seed * 31 + s->v[i].tunable * 256u + s->v[i].value;
	rc = surface_measure(&k->w, s, restart, limit_s, out);
	row.t = *out;
	return rc < 0 ? rc : journal_line(&k->text, &row, 2);
}

static int search_with(struct kept *k, struct search_result *r)
{
	struct space_request q = { .transport = TRANSPORT_SHM,
				   .version = 22803,
				   .ops = TUNE_COLLECTIVE };
	struct space space;
	struct search_problem p = { .space = &space,
				    .classes = surface_classes,
				    .n_classes = 2,
				    .budget_s = 60,
				    .comparisons = 1,
				    .measure = remembering,
				    .arg = k };
	int rc;

	assert_int_equal(space_build(&q, &space), 0);
	rc = search_run(&p, r);
	space_fini(&space);
	return rc;
}

static void goes_on_where_it_stopped(void **state)
{
	struct kept whole = { .w = { .effect = eight, .noise = QUIET, .cost_s = 1 } }, torn = whole;
	struct search_result r, again;
	char why[200];

	assert_int_equal(search_with(&whole, &r), 0);
	torn.w.stop_after = 17;
	assert_int_equal(journal_head(&torn.text, ""), 0);
	assert_int_equal(search_with(&torn, &again), -EINTR);
	assert_int_equal(again.n_trials, 17);
	search_fini(&again);
	assert_int_equal(
	    journal_parse(buf_text(&torn.text), torn.text.len, 2, &torn.before, why, sizeof(why)),
	    0);
	assert_int_equal(torn.before.n, 17);
	torn.w.stop_after = 0;
	torn.w.trials = 0;
	assert_int_equal(search_with(&torn, &again), 0);
	assert_int_equal(torn.answered, 17);
	assert_int_equal(torn.w.trials + 17, whole.w.trials);
	assert_int_equal(again.found[0].id, r.found[0].id);
	expect_arm(&again, "NCCL_MIN_NCHANNELS=8");
	assert_true(effect_of(&again, 0)->shift == effect_of(&r, 0)->shift);
	search_fini(&r);
	search_fini(&again);
	journal_fini(&torn.before);
	buf_fini(&torn.text);
	buf_fini(&whole.text);
}

/* ---- confirmation ---- */

static int order_at;
static char order[64];

static int note_order(void *arg, const struct setting *s, int restart, double limit_s,
		      struct trial *out)
{
	order[order_at++] = s->n == 0                                    ? 'C'
			    : surface_has(s, "NCCL_MIN_NCHANNELS", NULL) ? 'a'
									 : 'b';
	out->cost_s = 1;
	out->us[0] = s->n == 0 ? 100 + restart : 50 + restart;
	return 0;
}

static void there_and_back(void **state)
{
	struct confirmation c = { .n_classes = 1, .n_arms = 2, .alpha = .01, .wanted = 4 };
	struct meter m = { .measure = note_order, .budget_s = 100 };

	assert_int_equal(setting_parse("NCCL_MIN_NCHANNELS=8", &c.arm[0].s), 0);
	assert_int_equal(setting_parse("NCCL_BUFFSIZE=8388608", &c.arm[1].s), 0);
	order_at = 0;
	assert_int_equal(confirm_run(&c, &m), 0);
	order[order_at] = '\0';
	assert_string_equal(order, "CabbaCCabbaC");
	/* All 16 of 4 x 4 ratios: C 100..103 against 50..53; the median of ln is between ln(51/102)
	 * and ln(52/102). */
	assert_true(c.arm[0].effect[0].shift > log(50.0 / 101) &&
		    c.arm[0].effect[0].shift < log(53.0 / 102));
	/* 4 against 4 reach 1/70 at best: no bound at 1 %. */
	assert_true(isinf(c.arm[0].effect[0].surely));
	/* 1/70 = .0143 <= .025: the extreme differences bound it. */
	assert_true(fabs(c.arm[0].effect[0].hi - log(53.0 / 100)) < 1e-12);
	assert_true(fabs(c.arm[0].effect[0].lo - log(50.0 / 103)) < 1e-12);
	meter_fini(&m);
	/* 2/252 = .0079; 2/924 = .0022; 4/3432 = .0012 and 2/3432 = .0006 */
	assert_int_equal(confirm_restarts(.01), 5);
	assert_int_equal(confirm_restarts(.005), 6);
	assert_int_equal(confirm_restarts(.002), 7);
	assert_int_equal(confirm_restarts(.0006), 7);
	assert_int_equal(confirm_restarts(.0005), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_gain),
		cmocka_unit_test(joins_what_helps_together),
		cmocka_unit_test(below_one_percent_is_nothing),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(tells_a_trade),
		cmocka_unit_test(gain_first_trade_beside_it),
		cmocka_unit_test(never_what_is_broken),
		cmocka_unit_test(fails_at_last),
		cmocka_unit_test(default_that_fails),
		cmocka_unit_test(budget_holds),
		cmocka_unit_test(no_budget_at_all),
		cmocka_unit_test(goes_on_where_it_stopped),
		cmocka_unit_test(there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
