/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole campaigns with something going wrong in the middle: what is lost, what is kept, how long it
 * takes. Two ranks as threads, scripted workers, rows read back from the disk. Tests that change
 * the process (signals, limits, mounts) run in a child.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "leftovers.h"
#include "ncclbench/exitcode.h"
#include "run/session.h"
#include "slack.h"
#include "spec/op.h"
#include "spec/timing.h"
#include "spec/transport.h"
#include "trial.h"
#include "trouble.h"

static const char *worker;
static char dir[] = "/tmp/ncclbench-campaign-XXXXXX";
static int counter; /* names of run directories; main thread only */

struct run {
	struct trial t;
	char out[128], once[128], script[256];
};

/* `once` is in front of the script: the worker that replaces a broken one is healthy. */
static void set_up(struct run *r, const char *script, bool once)
{
	int n = counter++;

	snprintf(r->out, sizeof(r->out), "%s/run%d", dir, n);
	snprintf(r->once, sizeof(r->once), "%s/once%d", dir, n);
	if (once)
		snprintf(r->script, sizeof(r->script), "once=%s %s", r->once, script);
	else
		snprintf(r->script, sizeof(r->script), "%s", script);
	trial_init(&r->t, worker, r->out);
	r->t.script = r->script;
}

static void go(struct run *r)
{
	if (!trial_run(&r->t))
		fail_msg("%s", r->t.why);
}

static void go_to_the_end(struct run *r)
{
	go(r);
	for (int i = 0; i < r->t.ranks; i++)
		assert_int_equal(r->t.code[i], 0);
	assert_false(r->t.broken);
	assert_false(r->t.interrupted);
	if (!trial_is_complete(&r->t))
		fail_msg("%s", r->t.why);
}

static void expect_row(const struct run *r, size_t point, const char *outcome, const char *phase,
		       const char *says)
{
	const struct record *row = trial_row(&r->t, point);

	assert_non_null(row);
	if (strcmp(row->outcome, outcome) != 0 || strcmp(row->phase, phase) != 0 ||
	    !strstr(row->detail, says))
		fail_msg("point %zu is \"%s\" at \"%s\": \"%s\"; must be \"%s\" at \"%s\": \"%s\"",
			 point, row->outcome, row->phase, row->detail, outcome, phase, says);
}

static void expect_ok(const struct run *r, size_t point)
{
	expect_row(r, point, "ok", "", "");
	assert_string_equal(trial_row(&r->t, point)->proof, "yes");
	assert_true(trial_row(&r->t, point)->time_us > 0);
	assert_int_equal(trial_row(&r->t, point)->wrong, 0);
}

static void expect_times(const struct run *r, int64_t least_ms, int64_t most_ms)
{
	for (int i = 0; i < r->t.ranks; i++)
		assert_in_range(r->t.elapsed_ns[i], least_ms * CLOCK_MS, most_ms * CLOCK_MS);
}

/* ---- the matrix ---- */

struct cell {
	const struct trouble *trouble;
	int phase;
	struct run run;
	char wrong[600];
};

__attribute__((format(printf, 2, 3))) static void complain(struct cell *c, const char *fmt, ...)
{
	size_t n = strlen(c->wrong);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->wrong + n, sizeof(c->wrong) - n, fmt, ap);
	va_end(ap);
}

static bool takes_transport(const struct trouble *t, int phase)
{
	return t->outcome == OUTCOME_UNAVAILABLE && trouble_phases[phase].id <= PHASE_JOIN;
}

static void judge_rows(struct cell *c, const struct trouble_effect *e)
{
	for (int i = 0; i < 2; i++) {
		const struct record *row = trial_row(&c->run.t, (size_t)i);
		bool hit = e->outcome != OUTCOME_OK &&
			   (e->point == i || takes_transport(c->trouble, c->phase));
		const char *outcome = hit ? outcome_table[e->outcome].name : "ok";
		/* What the machine cannot do is no event at a phase. */
		const char *phase = hit && !takes_transport(c->trouble, c->phase)
					? phase_names[e->phase]
				    : hit ? "none"
					  : "";

		if (!row)
			complain(c, " no row %d;", i);
		else if (strcmp(row->outcome, outcome) != 0 || strcmp(row->phase, phase) != 0 ||
			 (hit && !strstr(row->detail, e->says)) ||
			 (!hit && strcmp(row->proof, "yes") != 0))
			complain(
			    c,
			    " row %d is %s at \"%s\" (%.100s, proof \"%s\"), must be %s at \"%s\";",
			    i, row->outcome, row->phase, row->detail, row->proof, outcome, phase);
	}
}

/* Who needs a second worker: all that hit it outside of a plain refusal or a wrong comparison. */
static int workers_needed(const struct cell *c, const struct trouble_effect *e)
{
	bool polite = strncmp(c->trouble->word, "fail:", 5) == 0 && e->outcome != OUTCOME_ERROR;

	if (e->outcome == OUTCOME_OK || takes_transport(c->trouble, c->phase))
		return 1;
	if (polite && (e->phase == PHASE_PREPARE ||
		       (e->phase == PHASE_CHECK && e->outcome == OUTCOME_CORRUPT)))
		return 1;
	return 2;
}

static void judge_times(struct cell *c, const struct trouble_effect *e)
{
	const struct trouble *t = c->trouble;
	int64_t least = t->ladder_ms + t->ask_ms;

	if (t->late)
		least += (int64_t)TROUBLE_CAMPAIGN_LATE_MS * trouble_phases[c->phase].percent / 100;
	if (c->run.t.elapsed_ns[0] < t->ask_ms * CLOCK_MS ||
	    c->run.t.elapsed_ns[1] < least * CLOCK_MS ||
	    c->run.t.elapsed_ns[0] > (least + SLACK_MS) * CLOCK_MS ||
	    c->run.t.elapsed_ns[1] > (least + SLACK_MS) * CLOCK_MS)
		complain(c, " took %lld and %lld ms, must be %lld and up to %d more;",
			 (long long)(c->run.t.elapsed_ns[0] / CLOCK_MS),
			 (long long)(c->run.t.elapsed_ns[1] / CLOCK_MS), (long long)least,
			 SLACK_MS);
}

static void judge(struct cell *c)
{
	struct trial *t = &c->run.t;
	struct trouble_effect e;

	trouble_in_campaign(c->trouble, c->phase, &e);
	if (t->code[0] || t->code[1] || t->broken || t->interrupted)
		complain(c, " the campaign returned %d and %d;", t->code[0], t->code[1]);
	if (!trial_is_complete(t))
		complain(c, " %s;", t->why);
	judge_rows(c, &e);
	for (int i = 0; i < 2; i++)
		if (t->workers[i] != workers_needed(c, &e))
			complain(c, " rank %d started %d workers, must be %d;", i, t->workers[i],
				 workers_needed(c, &e));
	/* The rank that noticed nothing is done as soon as the faulty one has told; except where
	 * only id is asked of rank 0. */
	if (trouble_phases[c->phase].id != PHASE_ID)
		judge_times(c, &e);
}

static void *run_cell(void *arg)
{
	struct cell *c = arg;

	if (!trial_run(&c->run.t))
		complain(c, " %s;", c->run.t.why);
	else
		judge(c);
	trial_fini(&c->run.t);
	return NULL;
}

static void start_cell(struct cell *c, const struct trouble *t, int phase, pthread_t *thread)
{
	char script[96];
	/* Only rank 0 is asked for an id. */
	int faulty = trouble_phases[phase].id == PHASE_ID ? 0 : 1;

	*c = (struct cell){ .trouble = t, .phase = phase };
	snprintf(script, sizeof(script), "%s@%s:1#%d", t->word, trouble_phases[phase].name, faulty);
	set_up(&c->run, script, true);
	c->run.t.peer_grace_ms = SLACK_MS; /* the other rank's worker is well and shall be heard */
	c->run.t.timeout_ms = t->late ? TROUBLE_CAMPAIGN_LATE_MS : TROUBLE_EARLY_MS;
	assert_int_equal(pthread_create(thread, NULL, run_cell, c), 0);
}

static int run_words(const struct trouble *t, int n)
{
	static struct cell cells[TROUBLE_TOGETHER * TROUBLE_PHASES];
	static pthread_t threads[TROUBLE_TOGETHER * TROUBLE_PHASES];
	char left[128];
	int bad = 0;

	for (int i = 0; i < n * TROUBLE_PHASES; i++)
		start_cell(&cells[i], t + i / TROUBLE_PHASES, i % TROUBLE_PHASES, &threads[i]);
	for (int i = 0; i < n * TROUBLE_PHASES; i++) {
		const struct cell *c = &cells[i];

		pthread_join(threads[i], NULL);
		if (c->wrong[0])
			print_error("%s@%s:%s\n", c->trouble->word, trouble_phases[c->phase].name,
				    c->wrong);
		bad += c->wrong[0] != '\0';
	}
	if (leftovers_processes(left, sizeof(left)) > 0) {
		print_error("%s leaves processes behind: %s\n", t->word, left);
		bad++;
	}
	return bad;
}

static void every_word_at_every_phase(void **state)
{
	int bad = 0;

	for (int i = 0, n; i < n_troubles; i += n) {
		n = trouble_together(i);
		bad += run_words(&troubles[i], n);
	}
	assert_int_equal(bad, 0);
}

/* ---- healthy ---- */

static const uint64_t six_sizes[] = { 8, 16, 32, 64, 128, 256 };

static void healthy_with(int ranks, int restarts)
{
	struct run r;

	set_up(&r, "", false);
	r.t.ranks = ranks;
	r.t.request.transports |=
	    1ULL << TRANSPORT_P2P | 1ULL << TRANSPORT_SOCKET | 1ULL << TRANSPORT_AUTO;
	r.t.request.ops |= 1ULL << OP_SENDRECV | 1ULL << OP_PINGPONG;
	r.t.request.timings = 1u << TIMING_STREAM | 1u << TIMING_GRAPH;
	r.t.request.restarts = restarts;
	go_to_the_end(&r);
	assert_int_equal(r.t.n_rows, 4 * 3 * 2 * 2);
	for (size_t i = 0; i < r.t.plan.n_points; i++) {
		expect_ok(&r, i);
		/* Only the ascending pass of the first restart logs it; rows are of the last one.
		 */
		assert_string_equal(trial_row(&r.t, i)->algo,
				    r.t.plan.points[i].c.op == OP_ALL_REDUCE ? "RING" : "");
	}
	for (int i = 0; i < ranks; i++)
		assert_int_equal(r.t.workers[i], 4 * restarts);
	trial_fini(&r.t);
}

static void healthy(void **state)
{
	healthy_with(2, 1);
	healthy_with(2, 3);
	healthy_with(3, 1);
	healthy_with(8, 1);
}

/* ---- what one fault costs ---- */

static void oom_skips_one_point_and_keeps_the_worker(void **state)
{
	struct run r;

	set_up(&r, "fail:oom@prepare:2#1", false);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	go_to_the_end(&r);
	expect_row(&r, 1, "out-of-memory", "prepare", "rank 1: the script says so");
	for (size_t i = 0; i < 6; i++)
		if (i != 1)
			expect_ok(&r, i);
	assert_int_equal(r.t.workers[0], 1);
	assert_int_equal(r.t.workers[1], 1);
	trial_fini(&r.t);
}

/* A symmetric window is made by all ranks together. Rank 1 has no memory for it and says so at
 * once; rank 0's worker waits for it inside NCCL. The row is about memory, not about a rank that
 * hangs. */
static void out_of_memory_where_all_register_together(void **state)
{
	struct run r;
	int64_t began = clock_now_ns();

	set_up(&r, "fail:oom@prepare:2#1 hang@prepare:2#0", true);
	r.t.timeout_ms = LONG_MS;
	r.t.request.transports = 1ULL << TRANSPORT_AUTO; /* forced rows refuse it */
	r.t.request.variants = 1u << VARIANT_SYMMETRIC;
	go_to_the_end(&r);
	expect_row(&r, 1, "out-of-memory", "prepare", "rank 1: the script says so");
	expect_ok(&r, 0);
	/* Not what an answer may take. */
	assert_true(clock_now_ns() - began < SLACK_NS);
	assert_int_equal(r.t.workers[0], 2);
	assert_int_equal(r.t.workers[1], 2);
	trial_fini(&r.t);
}

static void corrupt_data_make_a_row(void **state)
{
	struct run r;

	set_up(&r, "wrong:5@check:2#1 wrong:1@check:3#0", false);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	go_to_the_end(&r);
	expect_row(&r, 1, "corrupt", "check",
		   "rank 1: 5 wrong elements; the first at 0: got 7, must be 3");
	expect_row(&r, 2, "corrupt", "check",
		   "rank 0: 1 wrong element; the first at 0: got 7, must be 3");
	assert_true(trial_row(&r.t, 1)->wrong == 5);
	assert_true(trial_row(&r.t, 2)->wrong == 1);
	expect_ok(&r, 0);
	expect_ok(&r, 5);
	assert_int_equal(r.t.workers[1], 1);
	trial_fini(&r.t);
}

static void wrong_elements_are_counted_over_all_ranks(void **state)
{
	struct run r;

	set_up(&r, "wrong:5@check:1#1 wrong:3@check:1#0", false);
	go_to_the_end(&r);
	assert_string_equal(trial_row(&r.t, 0)->outcome, "corrupt");
	assert_true(trial_row(&r.t, 0)->wrong == 8);
	trial_fini(&r.t);
}

/* The first restart's data took another way, the others' did not: the figures are of all of them.
 */
static void one_restart_on_another_way_is_no_proof(void **state)
{
	struct run r;

	set_up(&r, "detour@hello#0", true);
	r.t.request.restarts = 3;
	go_to_the_end(&r);
	for (size_t i = 0; i < 2; i++) {
		expect_row(&r, i, "unproven", "", "asked for shm");
		assert_string_equal(trial_row(&r.t, i)->proof, "no");
		assert_true(trial_row(&r.t, i)->restarts == 3);
	}
	trial_fini(&r.t);
}

static void ucx_says_why_it_is_not_proven(void **state)
{
	static const char *const settings[] = { "NCCLBENCH_TEST_FAKE_BACKEND=ucx", NULL };
	struct run r;

	set_up(&r, "proof:no@run:1#0 proof:unknown@run:2#0 proof:no@run:3#1", false);
	r.t.settings = settings;
	r.t.request.backend = BACKEND_UCX;
	r.t.request.transports = 1ULL << TRANSPORT_UCX_SHM;
	r.t.request.timings = 1u << TIMING_HOST;
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	go_to_the_end(&r);
	expect_row(&r, 0, "unproven", "", "rank 0: the lanes say so");
	expect_row(&r, 1, "ok", "", "rank 0: the lanes say so");
	assert_string_equal(trial_row(&r.t, 1)->proof, "unknown");
	expect_row(&r, 2, "unproven", "", "rank 1: the lanes say so");
	expect_ok(&r, 3);
	trial_fini(&r.t);
}

/* The two single operations of the ascending pass go as asked; what is measured after them does
 * not. A worker counts its own RUNs: 1 and 2 are the singles of the first restart and a pilot and
 * its batches of the second. */
static void ucx_is_judged_in_every_restart(void **state)
{
	static const char *const settings[] = { "NCCLBENCH_TEST_FAKE_BACKEND=ucx", NULL };
	static const struct {
		const char *script, *proof, *outcome, *detail;
	} cases[] = {
		{ "proof:no@run:3#1", "no", "unproven", "rank 1: the lanes say so" },
		{ "proof:unknown@run:4#1", "unknown", "ok", "rank 1: the lanes say so" },
		{ "proof:unknown@run:5#0 proof:no@run:4#1", "no", "unproven",
		  "rank 1: the lanes say so" },
	};

	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct run r;
		int bad = 0;

		set_up(&r, cases[i].script, false);
		r.t.settings = settings;
		r.t.request.backend = BACKEND_UCX;
		r.t.request.transports = 1ULL << TRANSPORT_UCX_SHM;
		r.t.request.timings = 1u << TIMING_HOST;
		r.t.request.restarts = 2;
		go_to_the_end(&r);
		for (size_t p = 0; p < 2; p++) {
			if (strcmp(trial_row(&r.t, p)->proof, "yes") == 0)
				continue;
			assert_string_equal(trial_row(&r.t, p)->proof, cases[i].proof);
			expect_row(&r, p, cases[i].outcome, "", cases[i].detail);
			bad++;
		}
		assert_true(bad > 0);
		trial_fini(&r.t);
	}
}

/* Six checks pass in the ascending pass, the seventh is of a measurement. */
static void data_that_become_corrupt_while_measured(void **state)
{
	struct run r;
	int corrupt = 0;

	set_up(&r, "wrong:2@check:7#1", false);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	go_to_the_end(&r);
	for (size_t i = 0; i < 6; i++)
		corrupt += strcmp(trial_row(&r.t, i)->outcome, "corrupt") == 0;
	assert_int_equal(corrupt, 1);
	trial_fini(&r.t);
}

/* The worse of two faults is told, and a worker that is gone is replaced although the row is about
 * the other one. */
static void corrupt_beside_a_crash(void **state)
{
	struct run r;

	set_up(&r, "fail:corrupt@check:1#0 crash@check:1#1", true);
	r.t.peer_grace_ms = SLACK_MS;
	go_to_the_end(&r);
	expect_row(&r, 0, "corrupt", "check", "rank 0: ");
	expect_ok(&r, 1);
	assert_int_equal(r.t.workers[0], 2);
	assert_int_equal(r.t.workers[1], 2);
	trial_fini(&r.t);
}

/* Two that cost their workers; the one that is told second has as long as it needs here. */
static void an_error_beside_a_crash(void **state)
{
	struct run r;

	set_up(&r, "fail:error@run:1#2 crash@run:1#1", true);
	r.t.ranks = 3;
	r.t.peer_grace_ms = SLACK_MS;
	go_to_the_end(&r);
	expect_row(&r, 0, "crash", "run", "rank 1: worker ended");
	expect_ok(&r, 1);
	trial_fini(&r.t);
}

static void a_refusal_at_join_is_the_whole_transport(void **state)
{
	struct run r;

	set_up(&r, "fail:unavailable@join#1", false);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	r.t.request.restarts = 3;
	go_to_the_end(&r);
	for (size_t i = 0; i < 6; i++)
		expect_row(&r, i, "unavailable", "none", "rank 1: the script says so");
	assert_int_equal(r.t.workers[0], 1);
	trial_fini(&r.t);
}

/* Four lost workers, then the rest of the transport is skipped, and the next transport gets its own
 * chance. */
static void the_restart_budget_ends(void **state)
{
	struct run r;

	set_up(&r, "crash@run#1", false);
	r.t.request.transports |= 1ULL << TRANSPORT_SOCKET;
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	go_to_the_end(&r);
	for (size_t i = 0; i < 12; i++) {
		if (i % 6 < 4)
			expect_row(&r, i, "crash", "run",
				   "rank 1: worker ended before it answered: killed by signal 11");
		else
			expect_row(
			    &r, i, "skipped", "none",
			    "not measured: 4 workers were lost before (the last: crash at run)");
	}
	assert_int_equal(r.t.workers[1], 8);
	expect_times(&r, 0, 2 * SLACK_MS);
	trial_fini(&r.t);
}

static void workers_that_never_start(void **state)
{
	struct run r;

	set_up(&r, "exit:3@join#1", false);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	go_to_the_end(&r);
	for (size_t i = 0; i < 2; i++)
		expect_row(&r, i, "crash", "join",
			   "rank 1: worker ended before it answered: exit status 3");
	for (size_t i = 2; i < 6; i++)
		expect_row(&r, i, "skipped", "none",
			   "the workers did not start 2 times in a row (crash at join: rank 1: ");
	assert_int_equal(r.t.workers[0], 2);
	trial_fini(&r.t);
}

static void no_worker_at_all(void **state)
{
	struct run r;

	set_up(&r, "", false);
	r.t.worker = "/proc/nonexistent/worker";
	go_to_the_end(&r);
	expect_row(&r, 0, "error", "start", "cannot start the worker /proc/nonexistent/worker");
	expect_row(&r, 1, "error", "start", "cannot start the worker /proc/nonexistent/worker");
	trial_fini(&r.t);
}

/* A loss in the second restart costs that point, though the first restart had measured it; the row
 * is not written twice. */
static void a_loss_in_a_later_restart(void **state)
{
	struct run r;
	int lost = 0;

	/* run: 1..6 ascending, then at least two for each of six points; another worker starts
	 * again at 1. */
	set_up(&r, "crash@run:4#1", false);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	r.t.request.restarts = 3;
	go_to_the_end(&r);
	for (size_t i = 0; i < 6; i++)
		lost += strcmp(trial_row(&r.t, i)->outcome, "ok") != 0;
	assert_in_range(lost, 1, 6);
	trial_fini(&r.t);
}

static void one_transport_does_not_harm_another(void **state)
{
	struct run r;

	set_up(&r, "hang@run:1#1", true);
	r.t.request.transports = 1ULL << TRANSPORT_P2P | 1ULL << TRANSPORT_SHM;
	r.t.timeout_ms = TROUBLE_CAMPAIGN_LATE_MS;
	go_to_the_end(&r);
	expect_row(&r, 0, "hang", "run", "rank 1: no answer within");
	for (size_t i = 1; i < 4; i++)
		expect_ok(&r, i);
	trial_fini(&r.t);
}

/* The first transport's workers end while the second's come up: how they end is told of the first,
 * costs no point, and is never taken for an answer of the second's. */
static void one_that_ends_late_is_told_of_its_own(void **state)
{
	static const struct {
		const char *script;
		int64_t teardown_us;
	} rows[] = {
		{ "slow:300@bye#1?NCCL_P2P_DISABLE=1", 1000 },
		{ "crash@bye?NCCL_P2P_DISABLE=1", -1 },
		{ "garbage@bye?NCCL_P2P_DISABLE=1", -1 },
		{ "fail:error@bye?NCCL_P2P_DISABLE=1", -1 },
		{ "twice@bye?NCCL_P2P_DISABLE=1", 1000 },
		{ "hang@bye?NCCL_P2P_DISABLE=1", -1 },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		struct run r;

		set_up(&r, rows[i].script, false);
		r.t.request.transports = 1ULL << TRANSPORT_P2P | 1ULL << TRANSPORT_SHM;
		r.t.request.restarts = 2; /* p2p, shm, shm, p2p */
		if (strncmp(rows[i].script, "hang", 4) == 0)
			r.t.timeout_ms = TROUBLE_CAMPAIGN_LATE_MS;
		go_to_the_end(&r);
		for (size_t p = 0; p < 4; p++) {
			expect_ok(&r, p);
			assert_true(trial_row(&r.t, p)->restarts == 2);
		}
		assert_int_equal(r.t.workers[0], 4);
		assert_int_equal(r.t.workers[1], 4);
		assert_int_equal(r.t.teardown_us[0], 1000);
		assert_int_equal(r.t.teardown_us[1], rows[i].teardown_us);
		assert_int_equal(r.t.lost[0], 0);
		assert_int_equal(r.t.lost[1], 0);
		trial_fini(&r.t);
	}
}

/* With one restart the next worker comes up meanwhile; with more the first shows it alone. */
static void teardown_alone_where_there_is_time(void **state)
{
	for (int restarts = 1; restarts <= 2; restarts++) {
		struct run r;

		set_up(&r, "", false);
		r.t.request.transports = 1ULL << TRANSPORT_P2P | 1ULL << TRANSPORT_SHM;
		r.t.request.restarts = restarts;
		go_to_the_end(&r);
		assert_int_equal(r.t.teardown_us[0], 1000);
		assert_int_equal(r.t.teardown_us[1], 1000);
		assert_true(r.t.teardown_beside[0] == (restarts == 1));
		assert_false(r.t.teardown_beside[1]); /* nothing comes after it */
		trial_fini(&r.t);
	}
}

/* ---- figures that are there ---- */

/* The workers of the second restart do not start: what the first one measured stays. */
static void figures_outlive_starts_that_fail(void **state)
{
	struct run r;

	set_up(&r, "exit:3@join#1", false);
	snprintf(r.script, sizeof(r.script), "after=%s.joined exit:3@join#1", r.out);
	r.t.request.restarts = 3;
	go_to_the_end(&r);
	for (size_t i = 0; i < 2; i++) {
		expect_row(&r, i, "ok", "",
			   "1 of 3 restarts: not measured: the workers did not start 2 times in a "
			   "row (crash at join: rank 1: ");
		assert_true(trial_row(&r.t, i)->restarts == 1);
		assert_true(trial_row(&r.t, i)->time_us > 0);
	}
	/* One, which ends alone, and two that do not start. */
	assert_int_equal(r.t.workers[0], 3);
	trial_fini(&r.t);
}

/* ---- alarms ---- */

/* Rank 0's worker waits for ever for the dead one, as NCCL does: it is given 300 ms, not --timeout.
 */
static void a_crash_ends_the_others_wait(void **state)
{
	static const char *const at[] = { "join", "prepare", "run", "check" };

	for (size_t i = 0; i < N_ELEMENTS(at); i++) {
		struct run r;
		char script[80];

		snprintf(script, sizeof(script), "hang@%s:1#0 slow:100@%s:1#1 crash:11@%s:1#1",
			 at[i], at[i], at[i]);
		set_up(&r, script, true);
		go_to_the_end(&r);
		expect_row(&r, 0, "crash", at[i],
			   "rank 1: worker ended before it answered: killed by signal 11");
		expect_ok(&r, 1);
		/* 100 until the crash, 300 for last words, 500 of the ladder */
		expect_times(&r, 900, 900 + SLACK_MS);
		trial_fini(&r.t);
	}
}

/* The rank that hangs is found by its own deadline; the healthy one waits for it in agreement, and
 * is well. */
static void a_hang_is_told_by_its_own_rank(void **state)
{
	struct run r;

	set_up(&r, "hang@run:1#1", true);
	r.t.timeout_ms = TROUBLE_CAMPAIGN_LATE_MS;
	go_to_the_end(&r);
	expect_row(&r, 0, "hang", "run", "rank 1: no answer within 5.0 s");
	expect_ok(&r, 1);
	expect_times(&r, 5000, 5000 + 500 + SLACK_MS);
	trial_fini(&r.t);
}

/* ---- killed from outside ---- */

static void wait_for_file(const char *path)
{
	int64_t until = clock_after_ns(SLACK_NS);

	while (!file_exists(path) && clock_now_ns() < until)
		clock_sleep_ns(CLOCK_MS);
}

struct killer {
	const char *once, *dump;
	int killed;
};

static int pid_of_rank(const char *dump, int rank)
{
	char *data = NULL, want[32], *at;
	size_t len;
	int pid = -1;

	if (file_read_all(dump, 1 << 20, &data, &len) != 0)
		return -1;
	snprintf(want, sizeof(want), "worker rank=%d pid=", rank);
	at = strstr(data, want);
	if (at)
		pid = atoi(at + strlen(want));
	free(data);
	return pid;
}

/* Once the word has fired, the worker sits in its long answer. */
static void *kill_soon(void *arg)
{
	struct killer *k = arg;

	wait_for_file(k->once);
	k->killed = pid_of_rank(k->dump, 1);
	if (k->killed > 0)
		kill(k->killed, SIGKILL);
	return NULL;
}

static void a_killed_worker_costs_one_point(void **state)
{
	char dump[160], setting[200];
	const char *const settings[] = { setting, NULL };
	struct killer killer = { .dump = dump };
	struct run r;
	pthread_t thread;
	int lost = 0;

	set_up(&r, "slow:240000@run:8#1", true);
	snprintf(dump, sizeof(dump), "%s.env", r.out);
	snprintf(setting, sizeof(setting), "NCCLBENCH_TEST_ENV_DUMP=%s", dump);
	r.t.settings = settings;
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	killer.once = r.once;
	assert_int_equal(pthread_create(&thread, NULL, kill_soon, &killer), 0);
	go_to_the_end(&r);
	pthread_join(thread, NULL);
	assert_true(killer.killed > 0);
	for (size_t i = 0; i < 6; i++) {
		if (strcmp(trial_row(&r.t, i)->outcome, "ok") == 0)
			continue;
		expect_row(&r, i, "crash", "run",
			   "rank 1: worker ended before it answered: killed by signal 9");
		lost++;
	}
	assert_int_equal(lost, 1);
	expect_times(&r, 0, SLACK_MS);
	trial_fini(&r.t);
}

/* ---- NCCL_NVLS_ENABLE=0 ---- */

/* Number of lines equal to `line`, and of those that begin with its name. */
static void count_lines(const char *text, const char *line, int *equal, int *named)
{
	size_t name = strcspn(line, "=") + 1, len = strlen(line);

	*equal = *named = 0;
	for (const char *p = text; *p;
	     p = *strchrnul(p, '\n') ? strchrnul(p, '\n') + 1 : strchrnul(p, '\n')) {
		*named += strncmp(p, line, name) == 0;
		*equal += strncmp(p, line, len) == 0 && (p[len] == '\n' || p[len] == '\0');
	}
}

static void read_dump(const struct run *r, char **text)
{
	char path[160];
	size_t len;

	snprintf(path, sizeof(path), "%s.env", r->out);
	assert_int_equal(file_read_all(path, 1 << 22, text, &len), 0);
}

static void run_all_transports(struct run *r, const char *veto)
{
	char setting[200];
	const char *const settings[] = { setting, veto, NULL };

	set_up(r, "", false);
	snprintf(setting, sizeof(setting), "NCCLBENCH_TEST_ENV_DUMP=%s.env", r->out);
	r->t.settings = settings;
	r->t.request.transports = 0;
	for (int i = 0; i < TRANSPORT_COUNT; i++)
		if (transport_table[i].backend == BACKEND_NCCL &&
		    !(transport_table[i].flags & TRANSPORT_NEEDS_IB))
			r->t.request.transports |= 1ULL << i;
	r->t.request.restarts = 2;
	go_to_the_end(r);
	r->t.settings = NULL;
}

/* ---- arms ---- */

/* "p2p A" of each worker of rank 0, in the order they were started; from the dump of their
 * environments. */
static size_t turns(const char *dump, char out[][8], size_t max)
{
	size_t n = 0;

	for (const char *at = strstr(dump, "worker rank=0 "); at && n < max;
	     at = strstr(at + 1, "worker rank=0 ")) {
		const char *end = strstr(at + 1, "worker rank=");
		char one[4096];

		snprintf(one, sizeof(one), "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
		snprintf(out[n++], 8, "%s %s",
			 strstr(one, "\nNCCL_P2P_DISABLE=1\n") ? "shm" : "p2p",
			 strstr(one, "\nNCCL_BUFFSIZE=1048576\n") ? "B" : "A");
	}
	return n;
}

static void run_two_arms(struct run *r, const char *const *settings, char **dump)
{
	set_up(r, "", false);
	r->t.settings = settings;
	r->t.request.transports = 1ULL << TRANSPORT_P2P | 1ULL << TRANSPORT_SHM;
	r->t.request.restarts = 3;
	r->t.arms[0] = "NCCL_BUFFSIZE=1048576";
	go_to_the_end(r);
	r->t.settings = NULL;
	read_dump(r, dump);
}

/* A B, then B A, then A B: whatever rises or falls with time does so for both alike. */
static void arms_go_there_and_back(void **state)
{
	static const char *const expected[] = {
		"p2p A", "p2p B", "shm A", "shm B", /* restart 0 */
		"shm B", "shm A", "p2p B", "p2p A", /* transports rotate, arms turn round */
		"p2p A", "p2p B", "shm A", "shm B",
	};
	char setting[160], got[16][8], log[200], *text = NULL;
	const char *settings[] = { setting, NULL };
	struct run r;

	snprintf(setting, sizeof(setting), "NCCLBENCH_TEST_ENV_DUMP=%s/run%d.env", dir, counter);
	run_two_arms(&r, settings, &text);
	assert_int_equal(turns(text, got, 16), N_ELEMENTS(expected));
	for (size_t i = 0; i < N_ELEMENTS(expected); i++)
		assert_string_equal(got[i], expected[i]);
	assert_int_equal(r.t.plan.n_configs, 4);
	assert_int_equal(r.t.n_rows,
			 2 * 2 * 2); /* sizes, transports, arms: each row says its arm */
	for (size_t i = 0; i < r.t.n_rows; i++) {
		expect_ok(&r, i);
		assert_true(trial_row(&r.t, i)->restarts == 3);
		assert_string_equal(trial_row(&r.t, i)->arm, i / 2 % 2 ? "B" : "A");
	}
	for (int arm = 'A'; arm <= 'B'; arm++) {
		snprintf(log, sizeof(log), "%s/logs/nccl-shm@%c.rank1.start2.out", r.out, arm);
		log[sizeof(log) - 1] = '\0';
		if (access(log, F_OK) != 0) /* restarts after the first are numbered, too */
			snprintf(log, sizeof(log), "%s/logs/nccl-shm@%c.rank1.start2-2.out", r.out,
				 arm);
		assert_int_equal(access(log, F_OK), 0);
	}
	free(text);
	trial_fini(&r.t);
}

static void the_veto_holds_in_every_arm(void **state)
{
	char setting[160], *text = NULL;
	const char *settings[] = { setting, "NCCL_NVLS_ENABLE=0", NULL };
	int equal, named;
	struct run r;

	snprintf(setting, sizeof(setting), "NCCLBENCH_TEST_ENV_DUMP=%s/run%d.env", dir, counter);
	run_two_arms(&r, settings, &text);
	count_lines(text, "NCCL_NVLS_ENABLE=0", &equal, &named);
	assert_int_equal(equal, 2 * 2 * 3 * 2); /* transports, arms, restarts, ranks */
	assert_int_equal(named, equal);
	free(text);
	trial_fini(&r.t);
}

/* A worker that dies in one arm costs that arm's row, not the other's. */
static void a_fault_in_one_arm_is_its_own(void **state)
{
	struct run r;

	set_up(&r, "crash@run:2#1", true);
	r.t.arms[0] = "NCCL_BUFFSIZE=1048576";
	go_to_the_end(&r);
	expect_ok(&r, 0);
	expect_row(&r, 1, "crash", "run", "");
	expect_ok(&r, 2);
	expect_ok(&r, 3);
	trial_fini(&r.t);
}

static void the_multicast_veto_reaches_every_worker(void **state)
{
	static const char *const vetoes[] = { "NCCL_NVLS_ENABLE=0", "NCCL_NVLS_ENABLE=0x0",
					      "NCCL_NVLS_ENABLE=off" };

	for (size_t v = 0; v < N_ELEMENTS(vetoes); v++) {
		struct run r;
		char *text = NULL;
		int equal, named, workers;

		run_all_transports(&r, vetoes[v]);
		for (size_t c = 0; c < r.t.plan.n_configs; c++)
			for (size_t i = r.t.plan.configs[c].first;
			     i < r.t.plan.configs[c].first + r.t.plan.configs[c].n; i++) {
				if (r.t.plan.configs[c].transport == TRANSPORT_NVLS)
					expect_row(&r, i, "unavailable", "none",
						   "NCCL_NVLS_ENABLE=0 is set");
				else if (!r.t.plan.points[i].impossible)
					expect_row(&r, i, "ok", "", "");
			}
		read_dump(&r, &text);
		count_lines(text, "NCCL_NVLS_ENABLE=0", &equal, &named);
		workers = r.t.workers[0] + r.t.workers[1];
		/* auto, p2p, p2p-ipc, p2p-ce, shm, socket: two restarts, two ranks; nvls: none */
		assert_int_equal(workers, 6 * 2 * 2);
		assert_int_equal(equal, workers);
		assert_int_equal(named, workers);
		free(text);
		trial_fini(&r.t);
	}
}

/* Without it, auto gets nothing and nvls its row's value: the test above would notice a veto that
 * is always there. */
static void without_a_veto_nvls_is_tried(void **state)
{
	struct run r;
	char *text = NULL;
	int equal, named;

	run_all_transports(&r, "NCCL_NVLS_ENABLE=");
	read_dump(&r, &text);
	count_lines(text, "NCCL_NVLS_ENABLE=1", &equal, &named);
	assert_int_equal(equal, 4);  /* nvls */
	assert_int_equal(named, 28); /* the empty value of the user reaches auto */
	count_lines(text, "NCCL_NVLS_ENABLE=", &equal, &named);
	assert_int_equal(equal, 4);
	count_lines(text, "NCCL_NVLS_ENABLE=0", &equal, &named);
	assert_int_equal(equal, 20);
	free(text);
	trial_fini(&r.t);
}

/* ---- growing numbers of ranks ---- */

/* 8 ranks, communicators of 2, 4 and 8, two sizes each: points 0 and 1 are of 2 ranks, 2 and 3 of
 * 4, 4 and 5 of 8. */
static void grow(struct run *r, const char *script)
{
	set_up(r, script, false);
	r->t.ranks = 8;
	r->t.request.counts[0] = 2;
	r->t.request.counts[1] = 4;
	r->t.request.counts[2] = 8;
	r->t.request.n_counts = 3;
}

static void expect_workers(const struct run *r, const int want[8])
{
	for (int i = 0; i < 8; i++)
		if (r->t.workers[i] != want[i])
			fail_msg("rank %d started %d workers, must be %d", i, r->t.workers[i],
				 want[i]);
}

static void subsets_are_measured_and_the_others_are_idle(void **state)
{
	static const int want[8] = { 3, 3, 2, 2, 1, 1, 1, 1 };
	static const int ranks[6] = { 2, 2, 4, 4, 8, 8 };
	struct run r;

	grow(&r, "");
	go_to_the_end(&r);
	assert_int_equal(r.t.plan.n_points, 6);
	for (size_t i = 0; i < 6; i++) {
		expect_ok(&r, i);
		assert_int_equal(trial_row(&r.t, i)->ranks, ranks[i]);
		assert_string_equal(trial_row(&r.t, i)->used, "SHM/direct");
	}
	expect_workers(&r, want);
	trial_fini(&r.t);
}

/* The words of the fake worker name the communicator: the others are well. */
static void a_fault_in_one_subset_is_its_own(void **state)
{
	static const struct {
		const char *script, *outcome, *phase, *says;
	} rows[] = {
		{ "crash@run#1/4", "crash", "run", "rank 1: worker ended before it answered" },
		{ "crash@check#3/4", "crash", "check", "rank 3: worker ended before it answered" },
		{ "fail:error@prepare#2/4", "error", "prepare", "rank 2: " },
		{ "exit:3@run#0/4", "crash", "run", "rank 0: worker ended before it answered" },
	};

	for (size_t k = 0; k < N_ELEMENTS(rows); k++) {
		struct run r;

		grow(&r, rows[k].script);
		go_to_the_end(&r);
		for (size_t i = 0; i < 6; i++) {
			if (i == 2 || i == 3)
				expect_row(&r, i, rows[k].outcome, rows[k].phase, rows[k].says);
			else
				expect_ok(&r, i);
		}
		assert_true(r.t.workers[4] == 1 && r.t.workers[7] == 1);
		trial_fini(&r.t);
	}
}

/* The deadline of 4 ranks passes while 4 others have nothing to wait for but them. */
static void a_hang_in_one_subset_is_its_own(void **state)
{
	struct run r;

	grow(&r, "hang@run#1/4");
	r.t.timeout_ms = TROUBLE_CAMPAIGN_LATE_MS;
	go_to_the_end(&r);
	for (size_t i = 0; i < 6; i++) {
		if (i == 2 || i == 3)
			expect_row(&r, i, "hang", "run", "rank 1: no answer within");
		else
			expect_ok(&r, i);
	}
	trial_fini(&r.t);
}

static void wrong_data_of_one_subset(void **state)
{
	struct run r;

	grow(&r, "wrong:5@check#1/8 wrong:2@check#7/8");
	go_to_the_end(&r);
	for (size_t i = 0; i < 4; i++)
		expect_ok(&r, i);
	for (size_t i = 4; i < 6; i++) {
		expect_row(&r, i, "corrupt", "check", "rank 1: 5 wrong elements");
		assert_int_equal(trial_row(&r.t, i)->wrong, 7);
	}
	trial_fini(&r.t);
}

/* Of several restarts every subset has as many, and the turns go round over them. */
static void subsets_over_restarts(void **state)
{
	static const int want[8] = { 9, 9, 6, 6, 3, 3, 3, 3 };
	struct run r;

	grow(&r, "");
	r.t.request.restarts = 3;
	go_to_the_end(&r);
	for (size_t i = 0; i < 6; i++) {
		expect_ok(&r, i);
		assert_true(trial_row(&r.t, i)->restarts == 3);
	}
	expect_workers(&r, want);
	trial_fini(&r.t);
}

static void subsets_of_arms(void **state)
{
	static const int want[8] = { 6, 6, 4, 4, 2, 2, 2, 2 };
	struct run r;

	grow(&r, "crash@run#1/4?NCCL_BUFFSIZE=1");
	r.t.arms[0] = "NCCL_BUFFSIZE=1";
	r.t.arms[1] = "NCCL_BUFFSIZE=2";
	go_to_the_end(&r);
	assert_int_equal(r.t.plan.n_points, 12);
	for (size_t c = 0; c < r.t.plan.n_configs; c++) {
		const struct plan_config *pc = &r.t.plan.configs[c];
		bool broken = pc->nranks == 4 && pc->arm == 0;

		assert_int_equal(pc->arm, c % 2);
		assert_int_equal(pc->nranks, c < 2 ? 2 : c < 4 ? 4 : 8);
		for (size_t i = pc->first; i < pc->first + pc->n; i++) {
			if (broken)
				expect_row(&r, i, "crash", "run", "rank 1: ");
			else
				expect_ok(&r, i);
		}
	}
	/* Arm A of 4 ranks lost its first worker and started another. */
	for (int i = 0; i < 8; i++)
		assert_int_equal(r.t.workers[i], want[i] + (i < 4));
	trial_fini(&r.t);
}

/* Two hosts of two ranks: the first two share one, so shared memory is there for them only, and the
 * network row of theirs is of one host. */
static void a_subset_may_have_one_host_of_several(void **state)
{
	struct run r;

	grow(&r, "");
	r.t.ranks = 4;
	r.t.hosts = 2;
	r.t.request.n_counts = 2;
	r.t.request.transports = 1ULL << TRANSPORT_SHM | 1ULL << TRANSPORT_SOCKET;
	go_to_the_end(&r);
	assert_int_equal(r.t.plan.n_points, 8);
	expect_ok(&r, 0);
	expect_ok(&r, 1);
	expect_row(&r, 2, "unavailable", "none", "different hosts");
	expect_row(&r, 3, "unavailable", "none", "different hosts");
	for (size_t i = 4; i < 8; i++) {
		expect_ok(&r, i);
		assert_string_equal(trial_row(&r.t, i)->used, "NET/Socket");
	}
	trial_fini(&r.t);
}

/* ---- faked hosts ---- */

/* Four ranks as 0 1 | 2 3: of the ring's hops 1 -> 2 and 3 -> 0 are between hosts. */
static void faked_hosts_are_mixed(void **state)
{
	static const char *const settings[] = { "NCCLBENCH_TEST_FAKE_HOSTS=2", NULL };
	struct run r;

	set_up(&r, "", false);
	r.t.ranks = 4;
	r.t.fake_hosts = 2;
	r.t.settings = settings;
	r.t.request.transports = 1ULL << TRANSPORT_AUTO | 1ULL << TRANSPORT_P2P |
				 1ULL << TRANSPORT_SHM | 1ULL << TRANSPORT_SOCKET;
	go_to_the_end(&r);
	for (size_t i = 0; i < 8; i++) {
		if (i / 2 == 1 || i / 2 == 2) {
			expect_row(&r, i, "unavailable", "none", "different hosts");
			continue;
		}
		expect_ok(&r, i);
		assert_string_equal(trial_row(&r.t, i)->used, "mixed: 2 of 4 hops NET/Socket");
	}
	trial_fini(&r.t);
}

/* Without the host ids the same workers see one host, where p2p is possible. */
static void the_host_ids_are_what_fakes_them(void **state)
{
	static const char *const settings[] = { "NCCLBENCH_TEST_FAKE_HOSTS=2", NULL };
	struct run r;

	set_up(&r, "", false);
	r.t.ranks = 4;
	r.t.settings = settings;
	r.t.request.transports = 1ULL << TRANSPORT_P2P;
	go_to_the_end(&r);
	expect_ok(&r, 0);
	assert_string_equal(trial_row(&r.t, 0)->used, "P2P/CUMEM");
	trial_fini(&r.t);
}

/* 2, 4 and 8 ranks on two hosts each: the blocks grow with the subset. */
static void faked_hosts_of_subsets(void **state)
{
	static const char *const settings[] = { "NCCLBENCH_TEST_FAKE_HOSTS=2", NULL };
	static const char *const used[3] = { "NET/Socket", "mixed: 2 of 4 hops NET/Socket",
					     "mixed: 2 of 8 hops NET/Socket" };
	struct run r;

	grow(&r, "");
	r.t.fake_hosts = 2;
	r.t.settings = settings;
	r.t.request.transports = 1ULL << TRANSPORT_SOCKET;
	go_to_the_end(&r);
	for (size_t i = 0; i < 6; i++) {
		expect_ok(&r, i);
		assert_string_equal(trial_row(&r.t, i)->used, used[i / 2]);
	}
	trial_fini(&r.t);
}

/* ---- the disk fills ---- */

/* Runs `fn` in a child of its own, which may change limits, mounts and signals: its exit status, 99
 * when it did not end in time. */
static int in_child(int (*fn)(struct run *r), struct run *r)
{
	int64_t deadline = clock_after_ns(2 * LONG_NS);
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(fn(r));
	assert_true(pid > 0);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_now_ns() > deadline) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return 99;
		}
		clock_sleep_ns(5 * CLOCK_MS);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int complain_in_child(const char *text)
{
	fprintf(stderr, "%s\n", text);
	return 1;
}

/* The rows that are there are whole, right and those of the first points; both ranks stopped;
 * samples.csv ends with a line. */
static int judge_full_disk(struct run *r)
{
	char path[200], *samples = NULL;
	size_t len = 0;

	if (!trial_run(&r->t))
		return complain_in_child(r->t.why);
	if (!r->t.broken || !r->t.interrupted || r->t.code[0] != 0 || r->t.code[1] != 0)
		return complain_in_child("a full disk did not stop the sweep on both ranks");
	if (r->t.n_rows == 0 || r->t.n_rows >= r->t.plan.n_points)
		return complain_in_child("no row, or all rows, in spite of the full disk");
	for (size_t i = 0; i < r->t.n_rows; i++)
		if (strcmp(r->t.rows[i].outcome, "ok") != 0)
			return complain_in_child("an earlier row was harmed");
	snprintf(path, sizeof(path), "%s/samples.csv", r->out);
	if (file_read_all(path, 1 << 22, &samples, &len) != 0 || len == 0 ||
	    samples[len - 1] != '\n')
		return complain_in_child("samples.csv ends within a line");
	free(samples);
	if (r->t.elapsed_ns[1] > SLACK_NS)
		return complain_in_child("the other rank heard too late of it");
	printf("%zu of %zu rows were kept\n", r->t.n_rows, r->t.plan.n_points);
	fflush(stdout);
	return 0;
}

static int on_a_tiny_disk(struct run *r)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mkdir(r->out, 0700) != 0 ||
	    mount("tmpfs", r->out, "tmpfs", 0, "size=64k,mode=700") != 0)
		return NB_EXIT_SKIP;
	return judge_full_disk(r);
}

static int with_a_file_limit(struct run *r)
{
	struct rlimit limit = { 12000, 12000 };

	session_catch_signals(); /* SIGXFSZ is ignored as in the program */
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		return NB_EXIT_SKIP;
	return judge_full_disk(r);
}

static uint64_t many_sizes[100];

static void fill_the_disk(int (*fn)(struct run *r))
{
	struct run r;
	int status;

	for (size_t i = 0; i < N_ELEMENTS(many_sizes); i++)
		many_sizes[i] = 8 * (i + 1);
	set_up(&r, "", false);
	r.t.request.sizes = many_sizes;
	r.t.request.n_sizes = N_ELEMENTS(many_sizes);
	status = in_child(fn, &r);
	if (status == NB_EXIT_SKIP)
		skip();
	assert_int_equal(status, 0);
}

static void a_full_disk_stops_the_sweep(void **state)
{
	fill_the_disk(on_a_tiny_disk);
}

static void a_file_limit_stops_the_sweep(void **state)
{
	fill_the_disk(with_a_file_limit);
}

/* ---- Ctrl-C ---- */

static void *interrupt_soon(void *arg)
{
	const char *once = arg;

	wait_for_file(once);
	kill(getpid(), SIGINT);
	return NULL;
}

static int interrupted_run(struct run *r)
{
	pthread_t thread;
	size_t whole = 0;

	session_catch_signals();
	if (pthread_create(&thread, NULL, interrupt_soon, r->once) != 0 || !trial_run(&r->t))
		return complain_in_child(r->t.why);
	pthread_join(thread, NULL);
	if (!r->t.interrupted || r->t.broken || r->t.code[0] || r->t.code[1])
		return complain_in_child("the interruption was not agreed");
	for (size_t i = 0; i < r->t.n_rows; i++)
		whole += strcmp(r->t.rows[i].outcome, "ok") == 0;
	if (whole == 0 || whole == r->t.plan.n_points || whole + 1 < r->t.n_rows)
		return complain_in_child(
		    "rows that were complete are missing, or others are there");
	if (r->t.elapsed_ns[0] > SLACK_MS * CLOCK_MS || r->t.elapsed_ns[1] > SLACK_MS * CLOCK_MS)
		return complain_in_child("it took too long");
	return 0;
}

/* Six runs of the ascending pass, about two for each point: the fifteenth is in the middle of the
 * measurements. */
static void ctrl_c_keeps_what_is_there(void **state)
{
	struct run r;

	set_up(&r, "slow:240000@run:15#1", true);
	r.t.request.sizes = six_sizes;
	r.t.request.n_sizes = 6;
	assert_int_equal(in_child(interrupted_run, &r), 0);
}

/* ---- around every test ---- */

static int descriptors;

static int before(void **state)
{
	descriptors = leftovers_descriptors();
	return 0;
}

static int after(void **state)
{
	char left[128];
	int more = leftovers_descriptors() - descriptors,
	    alive = leftovers_processes(left, sizeof(left));

	if (more != 0)
		print_error("%d descriptors leaked\n", more);
	if (alive > 0)
		print_error("processes left behind: %s\n", left);
	return more != 0 || alive > 0 ? -1 : 0;
}

static int make_dir(void **state)
{
	return leftovers_watch() != 0 || !mkdtemp(dir) ? -1 : 0;
}

static int remove_dir(void **state)
{
	return leftovers_remove(dir);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, before, after)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy),
		TEST(every_word_at_every_phase),
		TEST(oom_skips_one_point_and_keeps_the_worker),
		TEST(out_of_memory_where_all_register_together),
		TEST(corrupt_data_make_a_row),
		TEST(wrong_elements_are_counted_over_all_ranks),
		TEST(one_restart_on_another_way_is_no_proof),
		TEST(ucx_is_judged_in_every_restart),
		TEST(ucx_says_why_it_is_not_proven),
		TEST(data_that_become_corrupt_while_measured),
		TEST(corrupt_beside_a_crash),
		TEST(an_error_beside_a_crash),
		TEST(a_refusal_at_join_is_the_whole_transport),
		TEST(the_restart_budget_ends),
		TEST(workers_that_never_start),
		TEST(no_worker_at_all),
		TEST(a_loss_in_a_later_restart),
		TEST(one_transport_does_not_harm_another),
		TEST(one_that_ends_late_is_told_of_its_own),
		TEST(teardown_alone_where_there_is_time),
		TEST(figures_outlive_starts_that_fail),
		TEST(a_crash_ends_the_others_wait),
		TEST(a_hang_is_told_by_its_own_rank),
		TEST(a_killed_worker_costs_one_point),
		TEST(arms_go_there_and_back),
		TEST(the_veto_holds_in_every_arm),
		TEST(a_fault_in_one_arm_is_its_own),
		TEST(the_multicast_veto_reaches_every_worker),
		TEST(without_a_veto_nvls_is_tried),
		TEST(subsets_are_measured_and_the_others_are_idle),
		TEST(a_fault_in_one_subset_is_its_own),
		TEST(a_hang_in_one_subset_is_its_own),
		TEST(wrong_data_of_one_subset),
		TEST(subsets_over_restarts),
		TEST(subsets_of_arms),
		TEST(a_subset_may_have_one_host_of_several),
		TEST(faked_hosts_are_mixed),
		TEST(the_host_ids_are_what_fakes_them),
		TEST(faked_hosts_of_subsets),
		TEST(a_full_disk_stops_the_sweep),
		TEST(a_file_limit_stops_the_sweep),
		TEST(ctrl_c_keeps_what_is_there),
	};

	if (argc != 2)
		return 2;
	worker = argv[1];
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
