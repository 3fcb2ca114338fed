/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One supervisor against one scripted worker: every word of trouble.c at every phase gives the
 * right outcome, at the right phase, in the right time, and leaves no process and no descriptor
 * behind. Cells of one word run side by side, and so do all that hang: they mostly wait.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "leftovers.h"
#include "run/coord.h"
#include "run/session.h"
#include "slack.h"
#include "trouble.h"
#include "wire/chan.h"
#include "wire/msg.h"

#define PREPARE                                                                         \
	"PREPARE op=all_reduce dtype=float redop=sum inplace=0 root=0 a=0 b=1 bytes=8 " \
	"timing=stream variant=plain"

static const char *const requests[TROUBLE_PHASES] = {
	NULL,
	"ID",
	"JOIN rank=0 nranks=1 device=0",
	PREPARE,
	"RUN mode=single batches=1 ops=1 replays=1 warmup=0",
	"CHECK",
	"BYE",
};

static const char *worker;
static char dir[] = "/tmp/ncclbench-session-XXXXXX";

/* ---- one worker ---- */

struct life {
	struct coord coord;
	struct session session;
	int64_t ask_ns[TROUBLE_PHASES], stop_ns, teardown_us;
};

static bool start(struct life *l, const char *name, const char *script, int64_t timeout_ms)
{
	char log[128], quiet[128], output[128];
	struct env env = { 0 };
	struct session_spec spec = {
		.worker = worker,
		.env = &env,
		.log_path = log,
		.quiet_log_path = quiet,
		.output_path = output,
		.timeout_ns = timeout_ms * CLOCK_MS,
	};
	bool ok;

	snprintf(log, sizeof(log), "%s/%s.log", dir, name);
	snprintf(quiet, sizeof(quiet), "%s/%s.timed.log", dir, name);
	snprintf(output, sizeof(output), "%s/%s.out", dir, name);
	memset(l, 0, sizeof(*l));
	l->teardown_us = -1;
	if (coord_solo_open(&l->coord) != 0 || env_inherit(&env, environ) != 0 ||
	    env_set(&env, "NCCLBENCH_TEST_FAKE", script) != 0)
		return false;
	session_init(&l->session, &l->coord);
	ok = session_start(&l->session, &spec);
	env_fini(&env);
	return ok;
}

static bool ask(struct life *l, int phase, int64_t extra_ns)
{
	int64_t from = clock_now_ns();
	struct words answer;
	struct msg m = { 0 };
	bool ok;

	if (requests[phase])
		buf_puts(&m.text, requests[phase]);
	ok = session_ask(&l->session, trouble_phases[phase].id, requests[phase] ? &m : NULL,
			 extra_ns, &answer);
	if (ok)
		words_fini(&answer);
	msg_fini(&m);
	l->ask_ns[phase] = clock_now_ns() - from;
	return ok;
}

/* Asks up to and without `last`; false at the first fault. */
static bool walk(struct life *l, int last)
{
	for (int i = 0; i < last; i++)
		if (!ask(l, i, 0))
			return false;
	return true;
}

/* Until a word of the script fired, or the worker is dead; for a while at most. */
static void wait_for_file(const char *path)
{
	int64_t until = clock_after_ns(SLACK_NS);

	while (access(path, F_OK) != 0 && clock_now_ns() < until)
		clock_sleep_ns(CLOCK_MS);
}

static void wait_for_end(const struct life *l)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)l->session.child.pid, &info, WEXITED | WNOWAIT), 0);
}

static void stop(struct life *l, bool polite)
{
	int64_t from = clock_now_ns();

	l->teardown_us = session_stop(&l->session, polite ? SESSION_DESTROY : SESSION_KILL);
	l->stop_ns = clock_now_ns() - from;
}

/* ---- the matrix ---- */

struct cell {
	const struct trouble *trouble;
	int phase;
	char wrong[400]; /* what was not as it must be */
};

static void complain(struct cell *c, const char *what, long long got, long long least,
		     long long most)
{
	size_t n = strlen(c->wrong);

	if (got < least || got > most)
		snprintf(c->wrong + n, sizeof(c->wrong) - n, " %s is %lld, must be %lld to %lld;",
			 what, got, least, most);
}

static int index_of(int phase_id)
{
	int i = 0;

	while (i < TROUBLE_PHASES - 1 && trouble_phases[i].id != phase_id)
		i++;
	return i;
}

static void judge_times(struct cell *c, const struct life *l, const struct trouble_effect *e)
{
	const struct trouble *t = c->trouble;
	int at = e->outcome == OUTCOME_OK ? c->phase : index_of(e->phase);
	int64_t ask_ms =
	    t->late ? (int64_t)TROUBLE_LATE_MS * trouble_phases[at].percent / 100 : t->ask_ms;
	int64_t ladder_ms = e->outcome == OUTCOME_OK ? 0 : t->ladder_ms;

	/* HELLO comes unasked: the worker is ahead of our clock, who knows how far. */
	if (!t->late && trouble_phases[at].id == PHASE_HELLO)
		ask_ms = 0;

	if (trouble_phases[at].id == PHASE_BYE) {
		ladder_ms += ask_ms;
	} else {
		complain(c, "ms until it was found", l->ask_ns[at] / CLOCK_MS, ask_ms,
			 ask_ms + SLACK_MS);
	}
	complain(c, "ms until the worker was gone", l->stop_ns / CLOCK_MS, ladder_ms,
		 ladder_ms + SLACK_MS);
}

static void judge(struct cell *c, const struct life *l)
{
	const struct fault *f = &l->session.fault;
	struct trouble_effect e;
	size_t n;

	trouble_in_session(c->trouble, c->phase, &e);
	complain(c, "outcome", f->outcome, e.outcome, e.outcome);
	if (e.outcome != OUTCOME_OK)
		complain(c, "phase", f->phase, e.phase, e.phase);
	n = strlen(c->wrong);
	if (e.says && !strstr(f->detail, e.says))
		snprintf(c->wrong + n, sizeof(c->wrong) - n, " \"%.80s\" is not in \"%.160s\";",
			 e.says, f->detail);
	if (e.outcome == OUTCOME_OK && strcmp(c->trouble->word, "nan") != 0)
		complain(c, "teardown in us", l->teardown_us, 1000, 1000);
	judge_times(c, l, &e);
}

/* Only the phase that hangs is in a hurry: what a worker that is well needs until there is no
 * matter here. */
static bool walk_to_trouble(const struct cell *c, struct life *l, const char *once)
{
	bool late = c->trouble->late;

	if (late && trouble_phases[c->phase].id == PHASE_HELLO)
		wait_for_file(once);
	if (late && !walk(l, c->phase))
		return false;
	if (late)
		l->session.timeout_ns = TROUBLE_LATE_MS * CLOCK_MS;
	for (int i = late ? c->phase : 0; i < TROUBLE_PHASES - 1; i++)
		if (!ask(l, i, 0))
			return false;
	return true;
}

static void *run_cell(void *arg)
{
	struct cell *c = arg;
	char script[200], name[64], once[100];
	struct life l;
	bool well;

	snprintf(name, sizeof(name), "%d-%d", (int)(c->trouble - troubles), c->phase);
	snprintf(once, sizeof(once), "%s/%s.once", dir, name);
	snprintf(script, sizeof(script), "once=%s %s@%s", once, c->trouble->word,
		 trouble_phases[c->phase].name);
	if (!start(&l, name, script, TROUBLE_EARLY_MS)) {
		snprintf(c->wrong, sizeof(c->wrong), " it did not start: %.200s;",
			 l.session.fault.detail);
		return NULL;
	}
	well = walk_to_trouble(c, &l, once);
	stop(&l, well);
	judge(c, &l);
	return NULL;
}

/* All phases of `n` words at once; each cell's thread spawns its worker and lives until that is
 * gone. */
static int run_words(const struct trouble *t, int n)
{
	static struct cell cells[TROUBLE_TOGETHER * TROUBLE_PHASES];
	static pthread_t threads[TROUBLE_TOGETHER * TROUBLE_PHASES];
	char left[128];
	int bad = 0;

	for (int i = 0; i < n * TROUBLE_PHASES; i++) {
		cells[i] =
		    (struct cell){ .trouble = t + i / TROUBLE_PHASES, .phase = i % TROUBLE_PHASES };
		assert_int_equal(pthread_create(&threads[i], NULL, run_cell, &cells[i]), 0);
	}
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

/* ---- what the matrix does not hold ---- */

static void expect(const struct life *l, int outcome, int phase, const char *says)
{
	assert_int_equal(l->session.fault.outcome, outcome);
	assert_int_equal(l->session.fault.phase, phase);
	if (!strstr(l->session.fault.detail, says))
		fail_msg("\"%s\" is not in \"%s\"", says, l->session.fault.detail);
}

static void no_such_worker(void **state)
{
	const char *kept = worker;
	struct life l;

	worker = "/proc/nonexistent/ncclbench-worker";
	assert_false(start(&l, "absent", "", TROUBLE_EARLY_MS));
	worker = kept;
	expect(&l, OUTCOME_ERROR, PHASE_START,
	       "cannot start the worker /proc/nonexistent/ncclbench-worker: No such file");
	stop(&l, false);
	assert_in_range(l.stop_ns, 0, SLACK_NS);
}

static void no_place_for_the_log(void **state)
{
	struct life l;

	assert_false(start(&l, "no/such/folder/x", "", TROUBLE_EARLY_MS));
	expect(&l, OUTCOME_ERROR, PHASE_START, "cannot write the worker's log");
	stop(&l, false);
}

/* A worker that explains itself and dies at once: the words count, not the death. */
static void last_words_are_heard(void **state)
{
	struct life l;

	assert_true(start(&l, "words", "fatal:unavailable@hello", TROUBLE_EARLY_MS));
	wait_for_end(&l);
	assert_false(walk(&l, 2));
	expect(&l, OUTCOME_UNAVAILABLE, PHASE_HELLO, "the script says so");
	assert_true(l.session.fault.fatal);
	assert_int_equal(l.session.fault.code, 1);
	stop(&l, false);
}

static void dead_before_it_is_asked(void **state)
{
	struct life l;

	assert_true(start(&l, "dead", "", TROUBLE_EARLY_MS));
	assert_true(walk(&l, 4));
	assert_int_equal(kill(l.session.child.pid, SIGKILL), 0);
	wait_for_end(&l);
	assert_false(ask(&l, 4, 0));
	expect(&l, OUTCOME_CRASH, PHASE_RUN, "killed by signal 9");
	assert_in_range(l.ask_ns[4], 0, SLACK_MS * CLOCK_MS);
	stop(&l, false);
}

static void more_time_can_be_given(void **state)
{
	struct life l;

	assert_true(start(&l, "extra", "slow:300@run:1 hang@run:2", 100));
	/* Starting takes as long as it takes: only the answer to RUN is in a hurry. */
	l.session.timeout_ns = TROUBLE_EARLY_MS * CLOCK_MS;
	assert_true(walk(&l, 4));
	l.session.timeout_ns = 100 * CLOCK_MS;
	assert_true(ask(&l, 4, LONG_NS));
	assert_in_range(l.ask_ns[4], 300 * CLOCK_MS, (300 + SLACK_MS) * CLOCK_MS);
	assert_false(ask(&l, 4, 0));
	expect(&l, OUTCOME_HANG, PHASE_RUN, "no answer within 0.1 s");
	stop(&l, false);
}

static void deadlines_by_phase(void **state)
{
	for (int i = 0; i < TROUBLE_PHASES; i++)
		assert_int_equal(session_phase_timeout(trouble_phases[i].id, 30 * CLOCK_S),
				 30 * CLOCK_S / 100 * trouble_phases[i].percent);
}

/* ---- alarms of other ranks ---- */

static int64_t alarm_round;

static int64_t scripted_alarm(struct coord *c)
{
	return alarm_round;
}

static void alarm_life(struct life *l, struct coord_ops *ops, const char *name, const char *script,
		       int64_t round, int64_t peer_grace_ns)
{
	assert_true(start(l, name, script, TROUBLE_EARLY_MS));
	l->session.peer_grace_ns = peer_grace_ns;
	*ops = *l->coord.ops;
	ops->alarmed = scripted_alarm;
	l->coord.ops = ops;
	l->coord.round = 7;
	alarm_round = -1;
	assert_true(walk(l, 4));
	alarm_round = round;
}

/* Its worker can never finish what it does with a dead one: 300 ms for its own last words, no more.
 */
static void an_alarm_ends_the_wait(void **state)
{
	struct coord_ops ops;
	struct life l;

	alarm_life(&l, &ops, "alarm", "hang@run", 7, 0);
	assert_false(ask(&l, 4, 0));
	expect(&l, OUTCOME_ABORTED, PHASE_RUN, "another rank's worker failed");
	assert_in_range(l.ask_ns[4], 300 * CLOCK_MS, (300 + SLACK_MS) * CLOCK_MS);
	stop(&l, false);
}

static void own_words_beat_an_alarm(void **state)
{
	struct coord_ops ops;
	struct life l;

	alarm_life(&l, &ops, "alarm-words", "slow:50@run fail:error@run", 7, SLACK_NS);
	assert_false(ask(&l, 4, 0));
	expect(&l, OUTCOME_ERROR, PHASE_RUN, "the script says so");
	stop(&l, false);
	alarm_life(&l, &ops, "alarm-death", "slow:50@run crash:11@run", 7, SLACK_NS);
	assert_false(ask(&l, 4, 0));
	expect(&l, OUTCOME_CRASH, PHASE_RUN, "killed by signal 11");
	stop(&l, false);
}

static void an_old_alarm_is_no_alarm(void **state)
{
	struct coord_ops ops;
	struct life l;

	alarm_life(&l, &ops, "alarm-old", "slow:600@run", 6, 0);
	assert_true(ask(&l, 4, 0));
	assert_true(l.ask_ns[4] >= 600 * CLOCK_MS);
	stop(&l, true);
	assert_int_equal(l.teardown_us, 1000);
}

/* ---- Ctrl-C: last, the flag stays ---- */

static void *interrupt_soon(void *arg)
{
	wait_for_file(arg); /* the worker sits in its RUN, so we wait for it, or shall at once */
	kill(getpid(), SIGTERM);
	return NULL;
}

static void ctrl_c_ends_the_wait(void **state)
{
	char once[100], script[160];
	pthread_t thread;
	struct life l;

	session_catch_signals();
	snprintf(once, sizeof(once), "%s/interrupt.once", dir);
	snprintf(script, sizeof(script), "once=%s hang@run", once);
	assert_true(start(&l, "interrupt", script, TROUBLE_EARLY_MS));
	assert_true(walk(&l, 4));
	assert_false(session_interrupted());
	assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, once), 0);
	assert_false(ask(&l, 4, 0));
	pthread_join(thread, NULL);
	assert_true(session_interrupted());
	expect(&l, OUTCOME_ABORTED, PHASE_RUN, "interrupted");
	assert_in_range(l.ask_ns[4], 0, SLACK_NS);
	assert_false(ask(&l, 5, 0));
	assert_in_range(l.ask_ns[5], 0, SLACK_NS);
	stop(&l, true);
	assert_in_range(l.stop_ns, 500 * CLOCK_MS, (500 + SLACK_MS) * CLOCK_MS);
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
		TEST(every_word_at_every_phase), TEST(no_such_worker),
		TEST(no_place_for_the_log),      TEST(last_words_are_heard),
		TEST(dead_before_it_is_asked),   TEST(more_time_can_be_given),
		TEST(deadlines_by_phase),        TEST(an_alarm_ends_the_wait),
		TEST(own_words_beat_an_alarm),   TEST(an_old_alarm_is_no_alarm),
		TEST(ctrl_c_ends_the_wait),
	};

	if (argc != 2)
		return 2;
	worker = argv[1];
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
