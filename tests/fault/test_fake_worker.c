/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every word of the fake worker's script at every phase, seen from the supervisor's side of the
 * channel. Holds both the fake to its grammar and wire/ and proc/ to what they promise about such
 * workers. What a supervisor makes of it (outcomes, rows) is tested with the supervisor.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/env.h"
#include "ncclbench/protocol.h"
#include "proc/child.h"
#include "slack.h"
#include "wire/chan.h"
#include "wire/msg.h"
#include "wire/verb.h"

#define GRACE_NS (20 * CLOCK_MS)  /* for those that must be chased */
#define SILENCE_NS (30 * CLOCK_MS)

#define TERMED "killed by signal 15 (Terminated)"
#define KILLED "killed by signal 9 (Killed)"
#define FINE "exit status 0"

enum step { HELLO, ID, JOIN, PREPARE, RUN, CHECK, BYE, STEPS };

static const struct {
	const char *phase, *request, *answer;
} steps[STEPS] = {
	[HELLO] = { "hello", NULL, "HELLO" },
	[ID] = { "id", "ID", "IDENT" },
	[JOIN] = { "join", "JOIN rank=0 nranks=2 device=0", "JOINED" },
	[PREPARE] = { "prepare",
		      "PREPARE op=all_reduce dtype=float redop=sum inplace=0 root=0 a=0 b=1 "
		      "bytes=1048576"
		      " timing=graph variant=plain",
		      "READY" },
	[RUN] = { "run", "RUN mode=measure batches=3 ops=20 replays=5 warmup=1", "DONE" },
	[CHECK] = { "check", "CHECK", "CHECKED" },
	[BYE] = { "bye", "BYE", "GONE" },
};

static char *worker_path;

struct talk {
	struct child child;
	int fd, log;
	struct words w;
};

static void talk_start(struct talk *t, const char *const (*set)[2])
{
	char *argv[] = { worker_path, NULL };
	struct env env = { 0 };
	struct child_fd maps[2];
	struct child_spec s = { .path = worker_path, .argv = argv, .fds = maps, .n_fds = 2 };
	int pair[2], log_pipe[2];

	assert_int_equal(env_inherit(&env, environ), 0);
	env_drop_prefix(&env, "NCCL"); /* the caller's settings choose no path here */
	for (; (*set)[0]; set++)
		assert_int_equal(env_set(&env, (*set)[0], (*set)[1]), 0);
	s.envp = env.vec;
	assert_int_equal(chan_pair(pair), 0);
	assert_int_equal(pipe2(log_pipe, O_CLOEXEC), 0);
	maps[0] = (struct child_fd){ .from = pair[1], .to = NB_CHANNEL_FD };
	maps[1] = (struct child_fd){ .from = log_pipe[1], .to = NB_LOG_FD };
	assert_int_equal(child_spawn(&t->child, &s), 0);
	close(pair[1]);
	close(log_pipe[1]);
	env_fini(&env);
	t->fd = pair[0];
	t->log = log_pipe[0];
}

static void talk_script(struct talk *t, const char *script)
{
	const char *const set[][2] = { { "NCCLBENCH_TEST_FAKE", script }, { NULL, NULL } };

	talk_start(t, set);
}

static int talk_hear(struct talk *t, int64_t wait_ns)
{
	return chan_recv(t->fd, -1, clock_after_ns(wait_ns), 0, NULL, NULL, &t->w);
}

static void talk_say(struct talk *t, const char *text)
{
	assert_int_equal(send(t->fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void hear_verb(struct talk *t, const char *verb)
{
	const char *missing = "none";

	assert_int_equal(talk_hear(t, SLACK_NS), CHAN_OK);
	assert_string_equal(t->w.verb, verb);
	assert_true(verb_check(&t->w, &missing) >= 0);
	assert_string_equal(missing, "none");
}

static void ask(struct talk *t, const char *request, const char *answer)
{
	if (request)
		talk_say(t, request);
	hear_verb(t, answer);
	words_fini(&t->w);
}

static void walk_until(struct talk *t, int step)
{
	for (int i = 0; i < step; i++)
		ask(t, steps[i].request, steps[i].answer);
}

/* Closes the channel, climbs the ladder, reads the log to its end: nobody may hold it any longer.
 * False when the worker ended in another way. */
static bool talk_ends(struct talk *t, const char *described, int64_t grace_ns, char *log,
		      size_t log_max)
{
	char text[80], scrap[4096];
	size_t len = 0;
	ssize_t n;

	words_fini(&t->w);
	close(t->fd);
	child_stop(&t->child, grace_ns);
	child_describe(&t->child, text, sizeof(text));
	if (strcmp(text, described) != 0)
		print_message("%s, must be %s (grace of %d ms)\n", text, described,
			      (int)(grace_ns / CLOCK_MS));
	while ((n = read(t->log, scrap, sizeof(scrap))) > 0) {
		if (log && len + (size_t)n < log_max) {
			memcpy(log + len, scrap, (size_t)n);
			len += (size_t)n;
		}
	}
	if (log)
		log[len] = '\0';
	close(t->log);
	child_fini(&t->child);
	return strcmp(text, described) == 0;
}

static void talk_end(struct talk *t, const char *described, char *log, size_t log_max)
{
	assert_true(talk_ends(t, described, SLACK_NS, log, log_max));
}

struct trouble {
	const char *word;
	int heard;             /* CHAN_* */
	const char *verb;      /* of CHAN_OK; NULL: the usual one */
	int check;             /* what verb_check says, when negative */
	const char *described; /* after the ladder */
};

static const struct trouble troubles[] = {
	{ "hang", CHAN_LATE, NULL, 0, TERMED },
	{ "ignore-term", CHAN_LATE, NULL, 0, KILLED },
	{ "stop", CHAN_LATE, NULL, 0, TERMED },
	{ "crash", CHAN_CLOSED, NULL, 0, "killed by signal 11 (Segmentation fault)" },
	{ "crash:ABRT", CHAN_CLOSED, NULL, 0, "killed by signal 6 (Aborted)" },
	{ "crash:9", CHAN_CLOSED, NULL, 0, KILLED },
	{ "exit:3", CHAN_CLOSED, NULL, 0, "exit status 3" },
	{ "exit:0", CHAN_CLOSED, NULL, 0, FINE },
	{ "close", CHAN_CLOSED, NULL, 0, TERMED },
	{ "garbage", CHAN_BAD, NULL, 0, FINE },
	{ "oversize", CHAN_OVERSIZE, NULL, 0, FINE },
	{ "unknown-case", CHAN_OK, "SURPRISE", -1, FINE },
	{ "missing", CHAN_OK, NULL, -2, FINE },
	{ "flood", CHAN_OK, "NOTE", 0, FINE },
	{ "slow:20", CHAN_OK, NULL, 0, FINE },
	{ "twice", CHAN_OK, NULL, 0, FINE },
	{ "nan", CHAN_OK, NULL, 0, FINE },
	{ "grandchild", CHAN_OK, NULL, 0, FINE },
	{ "orphan", CHAN_OK, NULL, 0, FINE },
	{ "fail:oom", CHAN_OK, "FAIL", 0, FINE },
	{ "fatal:error", CHAN_OK, "FAIL", 0, "exit status 1" },
};

/* False: it ended by another rung than it must, perhaps only because it was too slow for this one.
 */
static bool one_trouble(const struct trouble *b, int step, int64_t grace_ns)
{
	int64_t wait_ns = b->heard == CHAN_LATE ? SILENCE_NS + grace_ns : SLACK_NS;
	const char *missing;
	struct talk t;
	char script[64];
	int id;

	snprintf(script, sizeof(script), "%s@%s", b->word, steps[step].phase);
	talk_script(&t, script);
	walk_until(&t, step);
	if (steps[step].request)
		talk_say(&t, steps[step].request);
	assert_int_equal(talk_hear(&t, wait_ns), b->heard);
	if (b->heard == CHAN_OK) {
		assert_string_equal(t.w.verb, b->verb ? b->verb : steps[step].answer);
		id = verb_check(&t.w, &missing);
		assert_true(b->check ? id == b->check : id >= 0);
	}
	return talk_ends(&t, b->described, grace_ns, NULL, 0);
}

static void try_trouble(const struct trouble *b, int step)
{
	bool chased = strcmp(b->described, TERMED) == 0 || strcmp(b->described, KILLED) == 0;
	int64_t grace_ns = chased ? GRACE_NS : SLACK_NS;

	while (!one_trouble(b, step, grace_ns)) {
		grace_ns *= PATIENCE_GROWS;
		assert_true(grace_ns < SLACK_NS);
	}
}

static void every_word_at_every_phase(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(troubles); i++)
		for (int step = HELLO; step < STEPS; step++)
			try_trouble(&troubles[i], step);
}

static void healthy_worker_goes_the_whole_way(void **state)
{
	static char log[65536];
	struct talk t;
	int64_t ns[4];
	size_t n = 4;

	talk_script(&t, "");
	hear_verb(&t, "HELLO");
	assert_string_equal(words_get(&t.w, "version"), "2");
	assert_string_equal(words_get(&t.w, "backend"), "fake");
	assert_string_equal(words_get(&t.w, "devices"), "2");
	assert_string_equal(words_get(&t.w, "gpu1.name"), "Fake GPU");
	assert_string_equal(words_get(&t.w, "p2p.0.1"), "yes");
	words_fini(&t.w);
	for (int i = ID; i < RUN; i++)
		ask(&t, steps[i].request, steps[i].answer);
	talk_say(&t, "PEER rank=1 blob=00"); /* no answer: the next one is RUN's */
	talk_say(&t, steps[RUN].request);
	hear_verb(&t, "DONE");
	assert_int_equal(words_list(&t.w, "ns", ns, &n), 0);
	assert_int_equal(n, 3);
	/* 100 operations of 5000 + 1048576/200 = 10242 ns each; 1 and 2 per mille more */
	assert_true(ns[0] == 1024200 && ns[1] == 1025224 && ns[2] == 1026248);
	words_fini(&t.w);
	talk_say(&t, "CHECK");
	hear_verb(&t, "CHECKED");
	assert_string_equal(words_get(&t.w, "wrong"), "0");
	assert_string_equal(words_get(&t.w, "checked"), "1048576");
	words_fini(&t.w);
	ask(&t, "BYE", "GONE");
	talk_end(&t, FINE, log, sizeof(log));
	assert_non_null(strstr(log, "[0] NCCL INFO Channel 23/0 : 0[0] -> 1[1] via P2P/CUMEM\n"));
	assert_null(strstr(log, "Channel 24/0"));
	assert_non_null(strstr(log, "NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE "
				    "channel{Lo..Hi}={0..23}\n"));
}

static void log_follows_the_environment(void **state)
{
	static const struct {
		const char *set[3][2];
		const char *want;
	} rows[] = {
		{ { { "NCCL_P2P_DISABLE", "1" } },
		  "Channel 03 : 0[0] -> 1[1] via SHM/direct/direct\n" },
		{ { { "NCCL_NET", "Socket" } },
		  "Channel 01/0 : 0[0] -> 1[1] [send] via NET/Socket/0\n" },
		{ { { "NCCL_NET", "Socket" } },
		  "Channel 01/0 : 1[1] -> 0[0] [receive] via NET/Socket/0\n" },
		{ { { "NCCL_P2P_DISABLE", "1" }, { "NCCL_SHM_DISABLE", "1" } },
		  "[send] via NET/Socket/0\n" },
		{ { { "NCCL_NET", "IB" } }, "[send] via NET/IB/0\n" },
		{ { { "NCCL_CUMEM_ENABLE", "0" } }, "0[0] -> 1[1] via P2P/IPC\n" },
		{ { { "NCCL_P2P_USE_CUDA_MEMCPY", "1" } }, "0[0] -> 1[1] via P2P/CUMEM/CE\n" },
		{ { { "NCCLBENCH_TEST_FAKE_VIA", "NVLS" } }, "0[0] -> 1[1] via NVLS\n" },
	};
	static char log[65536];
	struct talk t;

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		talk_start(&t, rows[i].set);
		walk_until(&t, STEPS);
		talk_end(&t, FINE, log, sizeof(log));
		if (!strstr(log, rows[i].want))
			fail_msg("\"%s\" is not in:\n%s", rows[i].want, log);
	}
}

static void log_can_be_silent(void **state)
{
	const char *const set[][2] = { { "NCCLBENCH_TEST_FAKE_VIA", "none" }, { NULL, NULL } };
	static char log[65536];
	struct talk t;

	talk_start(&t, set);
	walk_until(&t, STEPS);
	talk_end(&t, FINE, log, sizeof(log));
	assert_string_equal(log, "");
}

static void send_and_receive_use_connection_1(void **state)
{
	static char log[65536];
	struct talk t;

	talk_script(&t, "");
	walk_until(&t, PREPARE);
	ask(&t,
	    "PREPARE op=sendrecv dtype=float redop=sum inplace=0 root=0 a=0 b=1 bytes=8 "
	    "timing=graph variant=plain",
	    "READY");
	ask(&t, steps[RUN].request, "DONE");
	talk_end(&t, FINE, log, sizeof(log));
	assert_non_null(strstr(log, "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM\n"));
	assert_null(strstr(log, "/0 :"));
	assert_null(strstr(log, "Bytes"));
}

static void quiet_moves_the_log_and_ends_tuning_lines(void **state)
{
	static char log[65536];
	char request[256];
	struct talk t;

	talk_script(&t, "");
	walk_until(&t, PREPARE);
	snprintf(request, sizeof(request), "%s quiet=1", steps[PREPARE].request);
	ask(&t, request, "READY");
	ask(&t, steps[RUN].request, "DONE");
	talk_end(&t, FINE, log, sizeof(log)); /* no descriptor 5: what goes there is lost */
	assert_non_null(strstr(log, "NCCL version 2.28.3"));
	assert_null(strstr(log, "Channel"));
	assert_null(strstr(log, "Bytes"));
}

static void ucx_tells_its_transport_itself(void **state)
{
	const char *const set[][2] = { { "NCCLBENCH_TEST_FAKE_BACKEND", "ucx" },
				       { "UCX_TLS", "cma,posix" },
				       { "NCCLBENCH_TEST_FAKE", "proof:no@run:2" },
				       { NULL, NULL } };
	static const char *const proofs[] = { "yes", "no" };
	static char log[65536];
	struct talk t;

	talk_start(&t, set);
	hear_verb(&t, "HELLO");
	assert_string_equal(words_get(&t.w, "backend"), "ucx");
	assert_string_equal(words_get(&t.w, "blob_from_all"), "1");
	words_fini(&t.w);
	for (int i = ID; i < RUN; i++)
		ask(&t, steps[i].request, steps[i].answer);
	for (int i = 0; i < 2; i++) {
		talk_say(&t, "RUN mode=single batches=1 ops=1 replays=1 warmup=0");
		hear_verb(&t, "DONE");
		assert_string_equal(words_get(&t.w, "used"), "cma");
		assert_string_equal(words_get(&t.w, "proof"), proofs[i]);
		words_fini(&t.w);
	}
	talk_end(&t, FINE, log, sizeof(log));
	assert_string_equal(log, "");
}

static int run_probe(const char *script, char *out, size_t max)
{
	char *argv[] = { worker_path, (char *)"--probe", NULL };
	struct env env = { 0 };
	int rc;

	assert_int_equal(env_set(&env, "NCCLBENCH_TEST_FAKE", script), 0);
	rc = child_run(worker_path, argv, env.vec, SLACK_NS, out, max);
	env_fini(&env);
	return rc;
}

static void probe_prints_the_facts(void **state)
{
	char out[4096];

	assert_int_equal(run_probe("", out, sizeof(out)), 0);
	assert_memory_equal(out, "backend=fake\nblob_from_all=0\ndevices=2\n", 39);
	assert_non_null(strstr(out, "\ngpu0.name=Fake GPU\n"));
	assert_non_null(strstr(out, "\np2p.1.0=yes\nnvml_p2p.1.0=ok\n"));
	assert_int_equal(run_probe("no-p2p@probe", out, sizeof(out)), 0);
	assert_non_null(strstr(out, "\np2p.1.0=no\nnvml_p2p.1.0=not supported\n"));
	assert_int_equal(run_probe("exit:5@probe hang@hello", out, sizeof(out)), 5);
}

static void counts_and_ranks_select(void **state)
{
	struct talk t;

	talk_script(&t, "fail:oom@run:2 fail:skipped@check#1 fail:error@check#0");
	walk_until(&t, RUN);
	ask(&t, steps[RUN].request, "DONE");
	ask(&t, steps[RUN].request, "FAIL");
	ask(&t, steps[RUN].request, "DONE");
	talk_say(&t, "CHECK");
	hear_verb(&t, "FAIL");
	assert_string_equal(words_get(&t.w, "kind"), "error");
	assert_string_equal(words_get(&t.w, "text"), "the script says so");
	talk_end(&t, FINE, NULL, 0);
}

static void rank_before_join_comes_from_the_environment(void **state)
{
	const char *const one[][2] = { { "NCCLBENCH_TEST_FAKE", "fail@hello#1" },
				       { "NCCLBENCH_TEST_RANK", "1" },
				       { NULL, NULL } };
	const char *const unknown[][2] = { { "NCCLBENCH_TEST_FAKE", "fail@hello#1" },
					   { NULL, NULL } };
	struct talk t;

	talk_start(&t, one);
	hear_verb(&t, "FAIL");
	talk_end(&t, FINE, NULL, 0);
	talk_start(&t, unknown);
	hear_verb(&t, "HELLO");
	talk_end(&t, FINE, NULL, 0);
}

static void answers_can_be_bent(void **state)
{
	struct talk t;
	uint64_t wrong;
	int64_t ns[4];
	size_t n = 4;

	talk_script(
	    &t, "version:9@hello no-p2p@hello twice@join nan@run wrong:5@check poisoned:2@check");
	hear_verb(&t, "HELLO");
	assert_string_equal(words_get(&t.w, "version"), "9");
	assert_string_equal(words_get(&t.w, "p2p.1.0"), "no");
	assert_string_equal(words_get(&t.w, "nvml_p2p.1.0"), "not supported");
	words_fini(&t.w);
	ask(&t, "ID", "IDENT");
	ask(&t, steps[JOIN].request, "JOINED");
	ask(&t, NULL, "JOINED");
	ask(&t, steps[PREPARE].request, "READY");
	talk_say(&t, steps[RUN].request);
	hear_verb(&t, "DONE");
	assert_int_equal(words_list(&t.w, "ns", ns, &n), -EINVAL);
	words_fini(&t.w);
	talk_say(&t, "CHECK");
	hear_verb(&t, "CHECKED");
	assert_int_equal(words_u64(&t.w, "wrong", &wrong), 0);
	assert_int_equal(wrong, 5);
	assert_string_equal(words_get(&t.w, "got"), "7");
	assert_string_equal(words_get(&t.w, "poisoned"), "2");
	talk_end(&t, FINE, NULL, 0);
}

static void once_heals_the_next_worker(void **state)
{
	char path[] = "/tmp/fake_worker_once_XXXXXX";
	char script[128];
	struct talk t;

	close(mkstemp(path));
	unlink(path);
	snprintf(script, sizeof(script), "once=%s exit:4@id", path);
	talk_script(&t, script);
	walk_until(&t, ID);
	assert_int_equal(access(path, F_OK), -1); /* only when a word fires */
	talk_say(&t, "ID");
	assert_int_equal(talk_hear(&t, SLACK_NS), CHAN_CLOSED);
	talk_end(&t, "exit status 4", NULL, 0);
	assert_int_equal(access(path, F_OK), 0);
	talk_script(&t, script);
	walk_until(&t, STEPS);
	talk_end(&t, FINE, NULL, 0);
	unlink(path);
}

static void unreadable_scripts_are_refused(void **state)
{
	static const char *const bad[] = {
		"hang",         "hang@",      "hang@noon",     "dance@run",
		"hang@run:",    "hang@run:x", "hang@run#",     "hang@run:1#x",
		"hang@run#0:1", "@run",       "hang@run junk",
	};
	struct talk t;

	for (size_t i = 0; i < N_ELEMENTS(bad); i++) {
		talk_script(&t, bad[i]);
		assert_int_equal(talk_hear(&t, SLACK_NS), CHAN_CLOSED);
		talk_end(&t, "exit status 99", NULL, 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_worker_goes_the_whole_way),
		cmocka_unit_test(log_follows_the_environment),
		cmocka_unit_test(log_can_be_silent),
		cmocka_unit_test(send_and_receive_use_connection_1),
		cmocka_unit_test(quiet_moves_the_log_and_ends_tuning_lines),
		cmocka_unit_test(ucx_tells_its_transport_itself),
		cmocka_unit_test(probe_prints_the_facts),
		cmocka_unit_test(counts_and_ranks_select),
		cmocka_unit_test(rank_before_join_comes_from_the_environment),
		cmocka_unit_test(answers_can_be_bent),
		cmocka_unit_test(once_heals_the_next_worker),
		cmocka_unit_test(unreadable_scripts_are_refused),
		cmocka_unit_test(every_word_at_every_phase),
	};

	if (argc != 2)
		return 2;
	worker_path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
