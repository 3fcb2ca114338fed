/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NCCL worker's own code on fake libraries (fake_lib.h): what it says at every phase when they
 * work, fail, lie, hang, or are short of memory. Not: what a supervisor makes of it, or speed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "ncclbench/protocol.h"
#include "proc/child.h"
#include "slack.h"
#include "wire/chan.h"
#include "wire/msg.h"
#include "wire/verb.h"

#define PATIENCE_NS SLACK_NS
#define SILENCE_NS (60 * CLOCK_MS) /* how long a hanging worker must say nothing */
#define GRACE_NS (20 * CLOCK_MS)

static char *worker_path, *nvml_path;

struct talk {
	struct child child;
	int fd;
	struct words w;
};

/* `log`, if not -1, is given to the worker as its second log file, of subsystems with TUNING. */
static void talk_start_logged(struct talk *t, const char *script, int log)
{
	char *argv[] = { worker_path, NULL };
	struct env env = { 0 };
	struct child_fd map[2] = { { 0 }, { .from = log, .to = NB_QUIET_LOG_FD } };
	struct child_spec s = {
		.path = worker_path, .argv = argv, .fds = map, .n_fds = log < 0 ? 1 : 2
	};
	int pair[2];

	memset(t, 0, sizeof(*t));
	assert_int_equal(env_inherit(&env, environ), 0);
	env_drop_prefix(&env, "NCCL_");
	assert_int_equal(env_set(&env, "NCCLBENCH_TEST_FAKE_LIB", script), 0);
	if (log >= 0)
		assert_int_equal(env_set(&env, "NCCL_DEBUG_SUBSYS", "INIT,TUNING,NET"), 0);
	s.envp = env.vec;
	child_init(&t->child);
	assert_int_equal(chan_pair(pair), 0);
	map[0] = (struct child_fd){ .from = pair[1], .to = NB_CHANNEL_FD };
	assert_int_equal(child_spawn(&t->child, &s), 0);
	close(pair[1]);
	env_fini(&env);
	t->fd = pair[0];
}

static void talk_start(struct talk *t, const char *script)
{
	talk_start_logged(t, script, -1);
}

static void say(struct talk *t, const char *text)
{
	assert_int_equal(send(t->fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static int hear(struct talk *t, int64_t wait_ns)
{
	words_fini(&t->w);
	return chan_recv(t->fd, -1, clock_after_ns(wait_ns), 0, NULL, NULL, &t->w);
}

static void hear_verb(struct talk *t, const char *verb)
{
	const char *missing = "none";

	assert_int_equal(hear(t, PATIENCE_NS), CHAN_OK);
	if (strcmp(t->w.verb, verb) != 0 && words_get(&t->w, "text"))
		print_message("%s: %s\n", t->w.verb, words_get(&t->w, "text"));
	assert_string_equal(t->w.verb, verb);
	assert_true(verb_check(&t->w, &missing) >= 0);
}

static void ask(struct talk *t, const char *request, const char *answer)
{
	say(t, request);
	hear_verb(t, answer);
}

static void holds(struct talk *t, const char *key, const char *value)
{
	assert_non_null(words_get(&t->w, key));
	assert_string_equal(words_get(&t->w, key), value);
}

static void ends_as(struct talk *t, const char *how)
{
	char text[128];

	assert_true(child_wait(&t->child, clock_after_ns(PATIENCE_NS)));
	child_describe(&t->child, text, sizeof(text));
	assert_string_equal(text, how);
}

static void talk_end(struct talk *t)
{
	words_fini(&t->w);
	close(t->fd);
	child_stop(&t->child, GRACE_NS);
	child_fini(&t->child);
}

static void say_join(struct talk *t, int rank, int nranks)
{
	char text[512] = "PEER rank=0 blob=", *end = text + strlen(text);
	int i;

	for (i = 0; i < 128; i++)
		end += sprintf(end, "5a");
	say(t, text);
	(void)snprintf(text, sizeof(text), "JOIN rank=%d nranks=%d device=%d", rank, nranks,
		       rank % 2);
	say(t, text);
}

static void joined(struct talk *t, const char *script, int rank, int nranks)
{
	talk_start(t, script);
	hear_verb(t, "HELLO");
	say_join(t, rank, nranks);
	hear_verb(t, "JOINED");
}

static void goodbye(struct talk *t)
{
	ask(t, "BYE", "GONE");
	ends_as(t, "exit status 0"); /* with a leak checker: and nothing was left behind */
	talk_end(t);
}

static char *prepare_text(const char *op, const char *dtype, const char *redop, int in_place,
			  unsigned bytes, const char *timing, const char *variant)
{
	static char text[512];

	(void)snprintf(
	    text, sizeof(text),
	    "PREPARE op=%s dtype=%s redop=%s inplace=%d root=1 a=0 b=1 bytes=%u timing=%s "
	    "variant=%s",
	    op, dtype, redop, in_place, bytes, timing, variant);
	return text;
}

#define ALL_REDUCE(timing) prepare_text("all_reduce", "float", "sum", 0, 4096, timing, "plain")
#define SINGLE "RUN mode=single batches=1 ops=1 replays=1 warmup=0"

static void test_hello(void **state)
{
	struct talk t;

	talk_start(&t, "");
	hear_verb(&t, "HELLO");
	holds(&t, "version", "2");
	holds(&t, "backend", "nccl");
	holds(&t, "blob_from_all", "0");
	holds(&t, "devices", "2");
	holds(&t, "lib_version", "2.28.9");
	holds(&t, "runtime_version", "13.0");
	holds(&t, "cuda_driver", "12.8");
	holds(&t, "gpu1.name", "Fake GPU");
	holds(&t, "gpu1.bus", "0000:f1:00.0");
	holds(&t, "gpu1.uuid", "GPU-00000000-0000-0000-0000-000000000001");
	holds(&t, "gpu1.cc", "9.0");
	holds(&t, "gpu1.mem_total", "8589934592");
	holds(&t, "p2p.0.1", "yes");
	holds(&t, "p2p.1.0", "no");
	holds(&t, "nvml_p2p.0.1", "unknown");
	assert_null(words_get(&t.w, "reason"));
	assert_null(words_get(&t.w, "p2p.0.0"));
	goodbye(&t);
}

static void test_versions(void **state)
{
	struct talk t;

	talk_start(&t, "version:2804");
	hear_verb(&t, "HELLO");
	holds(&t, "lib_version", "2.8.4");
	goodbye(&t);
}

static void test_no_driver(void **state)
{
	struct talk t;

	talk_start(&t, "cudaGetDeviceCount@*:35");
	hear_verb(&t, "HELLO");
	holds(&t, "devices", "0");
	holds(&t, "reason", "cudaGetDeviceCount: driver too old (35)");
	say_join(&t, 0, 2);
	hear_verb(&t, "FAIL");
	holds(&t, "kind", "unavailable");
	holds(&t, "code", "35");
	holds(&t, "text", "no GPU: driver too old (35)");
	assert_null(words_get(&t.w, "fatal"));
	goodbye(&t);
}

static void test_too_few_devices(void **state)
{
	struct talk t;

	talk_start(&t, "devices:1");
	hear_verb(&t, "HELLO");
	say_join(&t, 1, 2);
	hear_verb(&t, "FAIL");
	holds(&t, "kind", "unavailable");
	holds(&t, "text", "GPU 1 was asked for, 1 is visible");
	goodbye(&t);
}

static void test_id(void **state)
{
	uint8_t blob[256];
	struct talk t;
	size_t n;

	talk_start(&t, "");
	hear_verb(&t, "HELLO");
	ask(&t, "ID", "IDENT");
	assert_int_equal(words_hex(&t.w, "blob", blob, sizeof(blob), &n), 0);
	assert_int_equal(n, 128);
	assert_int_equal(blob[127], 0x5a);
	ask(&t, "JOIN rank=0 nranks=2 device=0", "JOINED"); /* rank 0 knows its own id */
	holds(&t, "mem_free", "4294967296");
	goodbye(&t);
}

/* Bytes of a message that every operation takes for 2 and 3 ranks and every element size. */
#define BYTES 480

static void run_case(struct talk *t, const char *op, const char *dtype, const char *redop,
		     int in_place, const char *checked)
{
	ask(t, prepare_text(op, dtype, redop, in_place, BYTES, "graph", "plain"), "READY");
	ask(t, SINGLE, "DONE");
	holds(t, "ns",
	      strcmp(op, "pingpong") == 0 && strcmp(checked, "-") != 0 ? "20000" : "10000");
	ask(t, "CHECK", "CHECKED"); /* one operation in the stream */
	holds(t, "wrong", "0");
	if (strcmp(checked, "-") != 0)
		holds(t, "checked", checked);
	ask(t, "RUN mode=measure batches=3 ops=4 replays=5 warmup=2", "DONE");
	ask(t, "CHECK", "CHECKED"); /* the graph */
	holds(t, "wrong", "0");
}

static void test_reductions(void **state)
{
	static const char *const dtypes[] = { "int8",   "uint8",    "int32",  "uint32",
					      "int64",  "uint64",   "half",   "float",
					      "double", "bfloat16", "f8e4m3", "f8e5m2" };
	static const char *const redops[] = { "sum", "prod", "max", "min", "avg" };
	static const char *const ops[] = { "all_reduce", "reduce", "reduce_scatter" };
	struct talk t;
	size_t d, o, r;

	joined(&t, "", 1, 3);
	for (d = 0; d < 12; d++)
		for (r = 0; r < 5; r++)
			run_case(&t, "all_reduce", dtypes[d], redops[r], (int)(r & 1),
				 d < 2 || d > 9               ? "480"
				 : d == 6 || d == 9           ? "240"
				 : d == 4 || d == 5 || d == 8 ? "60"
							      : "120");
	for (o = 0; o < 3; o++)
		for (r = 0; r < 2; r++)
			run_case(&t, ops[o], "float", "sum", (int)r, o == 2 ? "40" : "120");
	goodbye(&t);
	joined(&t, "", 0, 2); /* not the root: nothing to check */
	run_case(&t, "reduce", "float", "sum", 0, "0");
	run_case(&t, "reduce", "float", "sum", 1, "0");
	run_case(&t, "reduce_scatter", "half", "max", 1, "120");
	goodbye(&t);
}

static const struct {
	const char *op;
	int in_place;
	const char *checked[2][3]; /* bytes, for 2 and 3 ranks, by rank; root 1, pair 0 and 1 */
} copies[] = {
	{ "broadcast", 0, { { "480", "480" }, { "480", "480", "480" } } },
	{ "broadcast", 1, { { "480", "480" }, { "480", "480", "480" } } },
	{ "sendrecv", 0, { { "480", "480" }, { "480", "480", "480" } } },
	{ "pingpong", 0, { { "480", "480" }, { "480", "480", "-" } } },
	{ "send", 0, { { "0", "480" }, { "0", "480", "-" } } },
	{ "send_bidir", 0, { { "480", "480" }, { "480", "480", "-" } } },
	{ "all_gather", 0, { { "480", "480" }, { "480", "480", "480" } } },
	{ "all_gather", 1, { { "480", "480" }, { "480", "480", "480" } } },
	{ "alltoall", 0, { { "480", "480" }, { "480", "480", "480" } } },
	{ "gather", 0, { { "0", "480" }, { "0", "480", "0" } } },
	{ "gather", 1, { { "0", "480" }, { "0", "480", "0" } } },
	{ "scatter", 0, { { "240", "240" }, { "160", "160", "160" } } },
	{ "scatter", 1, { { "240", "240" }, { "160", "160", "160" } } },
};

static void test_copies(void **state)
{
	struct talk t;
	int rank, nranks;
	size_t i;

	for (nranks = 2; nranks <= 3; nranks++)
		for (rank = 0; rank < nranks; rank++) {
			joined(&t, "", rank, nranks);
			for (i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
				const char *checked = copies[i].checked[nranks - 2][rank];

				if (strcmp(checked, "-") == 0)
					continue;
				run_case(&t, copies[i].op, "float", "sum", copies[i].in_place,
					 checked);
			}
			goodbye(&t);
		}
}

/* Several pairs at once: each worker is told its own and exchanges data with that rank only. */
static void test_pair_of_its_own(void **state)
{
	struct talk t;

	joined(&t, "", 3, 4);
	ask(&t,
	    "PREPARE op=send_bidir dtype=float redop=sum inplace=0 root=0 a=2 b=3 bytes=480 "
	    "timing=graph variant=plain pairs=2",
	    "READY");
	ask(&t, SINGLE, "DONE");
	holds(&t, "ns", "10000");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	holds(&t, "checked", "480"); /* bytes: a copy */
	ask(&t, "RUN mode=measure batches=3 ops=4 replays=5 warmup=2", "DONE");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	goodbye(&t);
}

/* A rank outside the pair joins the barriers only. */
static void test_bystander(void **state)
{
	struct talk t;

	joined(&t, "", 2, 3);
	ask(&t, prepare_text("pingpong", "float", "sum", 0, 64, "stream", "plain"), "READY");
	holds(&t, "device_bytes", "0");
	ask(&t, SINGLE, "DONE");
	holds(&t, "ns", "0");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "checked", "0");
	goodbye(&t);
}

static void test_timings(void **state)
{
	struct talk t;
	int64_t ns[4096];
	size_t n = 4096;

	joined(&t, "", 0, 2);
	ask(&t, ALL_REDUCE("graph"), "READY");
	holds(&t, "device_bytes", "4194304"); /* two areas of 2 MiB */
	ask(&t, "RUN mode=measure batches=3 ops=20 replays=5 warmup=1", "DONE");
	holds(&t, "ns", "1000000,1000000,1000000"); /* 100 operations of 10 us */
	ask(&t, "RUN mode=measure batches=4096 ops=1 replays=1 warmup=0", "DONE");
	assert_int_equal(words_list(&t.w, "ns", ns, &n), 0);
	assert_int_equal(n, 4096);
	assert_int_equal(ns[4095], 10000);
	ask(&t, ALL_REDUCE("stream"), "READY");
	ask(&t, "RUN mode=measure batches=2 ops=7 replays=3 warmup=3", "DONE");
	holds(&t, "ns", "210000,210000");
	ask(&t, ALL_REDUCE("blocking"), "READY");
	ask(&t, "RUN mode=measure batches=1 ops=7 replays=3 warmup=1", "DONE");
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 4096, "host", "plain"), "FAIL");
	holds(&t, "kind", "unavailable");
	goodbye(&t);
}

/* The clock is the host's and the fake device takes no time of it: what is seen is that each batch
 * has one time, and that the memory is ncclMemAlloc's. */
static void test_method_of_nccl_tests(void **state)
{
	struct talk t;
	int64_t ns[8];
	size_t n = 8;

	joined(&t, "ncclMemAlloc@3:2", 0, 2);
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 4096, "nccl-tests", "memalloc"),
	    "READY");
	holds(&t, "device_bytes", "4194304");
	ask(&t, "RUN mode=measure batches=4 ops=20 replays=1 warmup=1", "DONE");
	assert_int_equal(words_list(&t.w, "ns", ns, &n), 0);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_true(ns[i] > 0);
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 64 << 20, "nccl-tests", "memalloc"),
	    "FAIL");
	assert_non_null(strstr(words_get(&t.w, "text"), "ncclMemAlloc"));
	talk_end(&t);
}

static void check_finds(struct talk *t, const char *wrong, const char *first, const char *poisoned)
{
	ask(t, "CHECK", "CHECKED");
	holds(t, "wrong", wrong);
	holds(t, "first", first);
	holds(t, "poisoned", poisoned);
}

static void test_corrupt(void **state)
{
	struct talk t;

	joined(&t, "ncclAllReduce@*:corrupt,ncclRecv@*:corrupt,ncclAllGather@*:corrupt", 0, 2);
	ask(&t, ALL_REDUCE("graph"), "READY");
	ask(&t, SINGLE, "DONE");
	check_finds(&t, "1", "512", "0"); /* byte 2048 of floats */
	assert_string_not_equal(words_get(&t.w, "got"), words_get(&t.w, "want"));
	ask(&t, prepare_text("sendrecv", "float", "sum", 0, 100, "graph", "plain"), "READY");
	check_finds(&t, "1", "50", "0");
	ask(&t, prepare_text("all_gather", "int8", "sum", 0, 100, "graph", "plain"), "READY");
	check_finds(&t, "1", "25", "0"); /* the fake counts one share */
	goodbye(&t);
}

/* How many operations a rank launches is its supervisor's word, never its own clock's: the second
 * call would fail here. What the single one made is what CHECK looks at. */
static void test_once(void **state)
{
	struct talk t;

	joined(&t, "ncclAllReduce@2:3", 0, 2);
	ask(&t, ALL_REDUCE("stream"), "READY");
	ask(&t, SINGLE " once=1", "DONE");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	holds(&t, "checked", "1024");
	ask(&t, ALL_REDUCE("stream"), "READY");
	ask(&t, "CHECK", "FAIL"); /* fresh buffers: an operation of its own, the second */
	talk_end(&t);
}

/* In place a second operation works on the first one's result: CHECK needs an own one. */
static void test_twice_in_place(void **state)
{
	struct talk t;

	joined(&t, "", 0, 2);
	ask(&t, prepare_text("all_reduce", "float", "sum", 1, 4096, "stream", "plain"), "READY");
	ask(&t, SINGLE, "DONE");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	ask(&t, prepare_text("all_reduce", "float", "sum", 1, 4096, "stream", "plain"), "READY");
	ask(&t, SINGLE " once=1", "DONE");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	goodbye(&t);
}

/* The context ahead of JOIN: no answer of its own, a device that is not there is told at JOIN. */
static void test_device_ahead(void **state)
{
	struct talk t;

	talk_start(&t, "");
	hear_verb(&t, "HELLO");
	say(&t, "DEVICE device=0");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED");
	goodbye(&t);
	talk_start(&t, "cudaFree@1:2");
	hear_verb(&t, "HELLO");
	say(&t, "DEVICE device=0");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED"); /* the second try is well */
	goodbye(&t);
	talk_start(&t, "devices:1");
	hear_verb(&t, "HELLO");
	say(&t, "DEVICE device=1");
	say_join(&t, 1, 2);
	hear_verb(&t, "FAIL");
	holds(&t, "kind", "unavailable");
	talk_end(&t);
}

/* Pieces take 100 us alone and 104 us each beside operations of 10 us. 100 operations last 1000 us,
 * from 10 us (the barrier) after the first piece on: 3500 us are covered by 55 groups of a piece,
 * of which those from 104 to 936 us count. 300 operations, 20 ms covered by 50 groups of four: from
 * 416 to 2912 us. 20 operations last 200 us: no three groups fit. */
static void test_load(void **state)
{
	static const char *const names[] = { "mem", "fma" };
	static const char *const slow[] = { "1040", "1000" }; /* the second's time alone was taken
								 beside, in this fake */
	char prepare[512];
	struct talk t;

	joined(&t, "beside:104000", 0, 2);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(prepare, sizeof(prepare), "%s load=%s", ALL_REDUCE("graph"),
			       names[i]);
		ask(&t, prepare, "READY");
		ask(&t, "RUN mode=measure batches=3 ops=100 replays=1 warmup=0 cover_us=3500",
		    "DONE");
		holds(&t, "ns", "1000000,1000000,1000000");
		holds(&t, "uncovered", "0");
		holds(&t, "load_slow", slow[i]);
		ask(&t, "RUN mode=measure batches=3 ops=300 replays=1 warmup=1 cover_us=18000",
		    "DONE");
		holds(&t, "uncovered", "0");
		holds(&t, "load_slow", slow[i]);
		ask(&t, "RUN mode=measure batches=3 ops=20 replays=1 warmup=0 cover_us=650",
		    "DONE");
		holds(&t, "uncovered", "0");
		assert_null(words_get(&t.w, "load_slow"));
		ask(&t, "RUN mode=measure batches=2 ops=1000 replays=1 warmup=0 cover_us=1",
		    "DONE");
		holds(&t, "uncovered", "2");
	}
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	ask(&t, ALL_REDUCE("graph"), "READY");
	ask(&t, "RUN mode=measure batches=1 ops=20 replays=1 warmup=0", "DONE");
	assert_null(words_get(&t.w, "uncovered"));
	goodbye(&t);
	joined(&t, "nb_load_memory@1:700", 0, 2);
	(void)snprintf(prepare, sizeof(prepare), "%s load=mem", ALL_REDUCE("graph"));
	ask(&t, prepare, "FAIL");
	holds(&t, "text", "nb_load_memory failed: illegal memory access (700)");
	talk_end(&t);
	joined(&t, "", 0, 2);
	(void)snprintf(prepare, sizeof(prepare), "%s load=tea", ALL_REDUCE("graph"));
	ask(&t, prepare, "FAIL");
	talk_end(&t);
}

/* destroy=0: the call that would fail is not made. */
static void test_just_exit(void **state)
{
	struct talk t;

	joined(&t, "ncclCommDestroy@1:3,ncclCommFinalize@1:3", 0, 2);
	ask(&t, "BYE destroy=0", "GONE");
	holds(&t, "teardown_us", "-1");
	ends_as(&t, "exit status 0");
	talk_end(&t);
}

static void test_lost(void **state)
{
	struct talk t;

	joined(&t, "ncclAllReduce@*:lost,ncclRecv@*:lost", 0, 2);
	ask(&t, ALL_REDUCE("graph"), "READY");
	check_finds(&t, "1024", "0", "1"); /* nothing but poison: old data cannot pass for new */
	ask(&t, prepare_text("sendrecv", "uint8", "sum", 0, 4096, "stream", "plain"), "READY");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "got", "0xa5");
	goodbye(&t);
}

/* A library call that fails: at which phase it must show, and how. */
static const struct {
	const char *script;
	int phase; /* 0 JOIN, 1 PREPARE, 2 RUN single, 3 RUN measure, 4 CHECK, 5 BYE */
	const char *code, *text;
} failures[] = {
	{ "cudaSetDevice@1:101", 0, "101", "cudaSetDevice failed: some error (101)" },
	{ "cudaGetDeviceCount@2:999", 0, "999", "cudaGetDeviceCount failed: some error (999)" },
	{ "ncclCommInitRank@1:2", 0, "2",
	  "ncclCommInitRank failed: unhandled system error (2): the fake was told so" },
	{ "cudaStreamCreateWithFlags@1:1", 0, "1",
	  "cudaStreamCreateWithFlags failed: some error (1)" },
	{ "cudaMalloc@2:2", 0, "2", "cudaMalloc failed: out of memory (2)" },
	{ "nb_fill_values@1:700", 1, "700", "nb_fill_values failed: illegal memory access (700)" },
	{ "cudaMemsetAsync@1:1", 1, "1", "cudaMemsetAsync failed: some error (1)" },
	{ "cudaEventQuery@1:700", 1, "700", "waiting failed: illegal memory access (700)" },
	{ "ncclAllReduce@1:3", 2, "3",
	  "ncclAllReduce failed: internal error (3): the fake was told so" },
	{ "ncclAllReduce@2:6", 2, "6",
	  "ncclAllReduce failed: remote process exited (6): the fake was told so" },
	{ "cudaStreamBeginCapture@1:1", 3, "1", "cudaStreamBeginCapture failed: some error (1)" },
	{ "cudaStreamEndCapture@1:1", 3, "1", "cudaStreamEndCapture failed: some error (1)" },
	{ "cudaGraphInstantiateWithFlags@1:1", 3, "1",
	  "cudaGraphInstantiateWithFlags failed: some error (1)" },
	{ "cudaGraphLaunch@1:700", 3, "700",
	  "cudaGraphLaunch failed: illegal memory access (700)" },
	{ "cudaEventElapsedTime@2:1", 3, "1", "cudaEventElapsedTime failed: some error (1)" },
	{ "nb_check_values@1:700", 4, "700",
	  "nb_check_values failed: illegal memory access (700)" },
	{ "cudaMemcpyAsync@2:700", 4, "700",
	  "cudaMemcpyAsync failed: illegal memory access (700)" },
	{ "ncclCommDestroy@1:5", 5, "5",
	  "ncclCommDestroy failed: invalid usage (5): the fake was told so" },
};

static const char *const answers[] = { "JOINED", "READY", "DONE", "DONE", "CHECKED", "GONE" };

static void say_phase(struct talk *t, int phase)
{
	static const char *const requests[] = {
		NULL,    NULL,  SINGLE, "RUN mode=measure batches=2 ops=2 replays=2 warmup=0",
		"CHECK", "BYE",
	};

	if (phase == 0)
		say_join(t, 0, 2);
	else
		say(t, phase == 1 ? ALL_REDUCE("graph") : requests[phase]);
}

static void reach_phase(struct talk *t, const char *script, int phase)
{
	int i;

	talk_start(t, script);
	hear_verb(t, "HELLO");
	for (i = 0; i < phase; i++) {
		say_phase(t, i);
		hear_verb(t, answers[i]);
	}
	say_phase(t, phase);
}

static void test_errors(void **state)
{
	struct talk t;
	size_t i;

	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		reach_phase(&t, failures[i].script, failures[i].phase);
		hear_verb(&t, "FAIL");
		holds(&t, "kind", "error");
		holds(&t, "code", failures[i].code);
		holds(&t, "text", failures[i].text);
		holds(&t, "fatal", "1");
		ends_as(&t, "exit status 5");
		talk_end(&t);
	}
}

/* NCCL's proxy found an error while the device never gets ready. */
static void test_async_error(void **state)
{
	struct talk t;

	joined(&t, "cudaEventQuery@*:600,ncclCommGetAsyncError@1:6", 0, 2);
	say(&t, ALL_REDUCE("graph"));
	hear_verb(&t, "FAIL");
	holds(&t, "kind", "error");
	holds(&t, "text",
	      "asynchronous operation failed: remote process exited (6): the fake was told so");
	ends_as(&t, "exit status 5");
	talk_end(&t);
}

static void test_hangs(void **state)
{
	static const struct {
		const char *script;
		int phase;
	} hangs[] = {
		{ "ncclCommInitRank@1:hang", 0 }, { "cudaMalloc@3:hang", 1 },
		{ "ncclAllReduce@1:hang", 2 },    { "cudaGraphLaunch@3:hang", 3 },
		{ "nb_check_values@1:hang", 4 },  { "ncclCommDestroy@1:hang", 5 },
		{ "cudaEventQuery@*:600", 1 },
	};
	struct talk t;
	size_t i;

	for (i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++) {
		reach_phase(&t, hangs[i].script, hangs[i].phase);
		assert_int_equal(hear(&t, SILENCE_NS), CHAN_LATE);
		assert_false(child_ended(&t.child));
		talk_end(&t);
	}
}

static void test_crash(void **state)
{
	struct talk t;

	reach_phase(&t, "ncclAllReduce@1:crash", 2);
	assert_int_equal(hear(&t, PATIENCE_NS), CHAN_CLOSED);
	ends_as(&t, "killed by signal 11 (Segmentation fault)");
	talk_end(&t);
}

#define BIG(bytes) prepare_text("all_reduce", "float", "sum", 0, bytes, "stream", "plain")

static void test_memory(void **state)
{
	struct talk t;

	joined(&t, "free:1395864371,cudaMalloc@5:2", 0, 2); /* 1.3 GiB */
	ask(&t, BIG(1U << 30), "FAIL");
	holds(&t, "kind", "skipped");
	holds(&t, "code", "2");
	holds(&t, "text", "needs 2 GiB, 1.3 GiB free on GPU 0 (256 MiB are kept free)");
	assert_null(words_get(&t.w, "fatal"));
	say(&t, SINGLE); /* nothing is prepared now: refused, and that is the end */
	hear_verb(&t, "FAIL");
	holds(&t, "kind", "error");
	holds(&t, "text", "RUN: said out of order");
	ends_as(&t, "exit status 5");
	talk_end(&t);

	joined(&t, "free:1395864371,cudaMalloc@4:2", 0, 2);
	ask(&t, BIG(4096), "FAIL"); /* the second of its two areas */
	holds(&t, "kind", "oom");
	holds(&t, "text", "cudaMalloc failed: out of memory (2)");
	ask(&t, BIG(8192), "READY");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	ask(&t, BIG(16U << 20), "READY");
	holds(&t, "device_bytes", "33554432");
	ask(&t, BIG(8), "READY"); /* smaller: what is there is kept */
	holds(&t, "device_bytes", "33554432");
	ask(&t, "CHECK", "CHECKED");
	holds(&t, "wrong", "0");
	goodbye(&t);
}

static void test_variants(void **state)
{
	struct talk t;

	joined(&t, "ncclCommRegister@2:3", 0, 2);
	ask(&t, prepare_text("broadcast", "float", "sum", 0, 4096, "graph", "user"), "FAIL");
	holds(&t, "kind", "error");
	holds(&t, "text", "ncclCommRegister failed: internal error (3): the fake was told so");
	talk_end(&t);

	joined(&t, "", 0, 2);
	ask(&t, prepare_text("broadcast", "float", "sum", 0, 4096, "graph", "user"), "READY");
	ask(&t, SINGLE, "DONE");
	check_finds(&t, "0", "0", "0");
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 4096, "graph", "graph"), "READY");
	check_finds(&t, "0", "0", "0");
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 4096, "stream", "graph"), "FAIL");
	holds(&t, "kind", "skipped");
	holds(&t, "text", "registration by graph needs timing 'graph'");
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 4096, "graph", "symmetric"), "FAIL");
	holds(&t, "kind", "unavailable");
	holds(&t, "text",
	      "registration 'symmetric' needs ncclCommWindowRegister, which this NCCL lacks");
	ask(&t, ALL_REDUCE("graph"), "READY");
	check_finds(&t, "0", "0", "0");
	goodbye(&t);
}

/* The fake writes what it was told about logging into the file it was told to log to. */
static void test_quiet(void **state)
{
	char text[256] = "", request[512];
	struct talk t;
	int pipe_fds[2];

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	talk_start_logged(&t, "", pipe_fds[1]);
	close(pipe_fds[1]);
	hear_verb(&t, "HELLO");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED");
	ask(&t, ALL_REDUCE("graph"), "READY");
	(void)snprintf(request, sizeof(request), "%s quiet=1", ALL_REDUCE("graph"));
	ask(&t, request, "READY");
	ask(&t, request, "READY"); /* once is enough */
	goodbye(&t);
	assert_true(read(pipe_fds[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "log of INIT,NET\n");
	close(pipe_fds[0]);
}

static void test_not_possible(void **state)
{
	struct talk t;

	joined(&t, "version:21805,cc_major:8", 0, 2);
	ask(&t, prepare_text("all_reduce", "float", "sum", 0, 0, "graph", "plain"), "FAIL");
	holds(&t, "kind", "skipped");
	holds(&t, "text", "0 elements");
	ask(&t, prepare_text("pingpong", "float", "sum", 1, 64, "graph", "plain"), "FAIL");
	holds(&t, "kind", "skipped");
	holds(&t, "text", "no in-place form");
	ask(&t, prepare_text("sendrecv", "f8e4m3", "sum", 0, 64, "graph", "plain"), "FAIL");
	holds(&t, "kind", "unavailable");
	holds(&t, "text", "f8e4m3 needs NCCL 2.24");
	goodbye(&t);

	joined(&t, "cc_major:8", 0, 2);
	ask(&t, prepare_text("all_reduce", "f8e4m3", "sum", 0, 64, "graph", "plain"), "FAIL");
	holds(&t, "kind", "unavailable");
	holds(&t, "text", "NCCL reduces f8e4m3 from compute capability 9.0 on");
	ask(&t, prepare_text("sendrecv", "f8e4m3", "sum", 0, 64, "graph", "plain"), "READY");
	goodbye(&t);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *said, *text;
	} bad[] = {
		{ "CHECK", "CHECK: said out of order" },
		{ "JOIN rank=0 nranks=2 device=0", "JOIN: said out of order" },
		{ "NONSENSE", "NONSENSE: no such verb for a worker" },
		{ "HELLO version=1 backend=x pid=1", "HELLO: no such verb for a worker" },
		{ "PREPARE op=all_reduce", "PREPARE: a required key is missing" },
		{ "not a message", "message: not of the protocol's form" },
		{ "PREPARE op=nothing dtype=float redop=sum inplace=0 root=0 a=0 b=1 bytes=64 "
		  "timing=graph variant=plain",
		  "PREPARE: PREPARE has a word this worker does not know" },
		{ "PREPARE op=all_reduce dtype=float redop=sum inplace=0 root=0 a=0 b=1 bytes=63 "
		  "timing=graph variant=plain",
		  "PREPARE: PREPARE has a size that is no multiple of the elements" },
		{ "PREPARE op=all_reduce dtype=float redop=sum inplace=0 root=2 a=0 b=1 bytes=64 "
		  "timing=graph variant=plain",
		  "PREPARE: PREPARE has a word this worker does not know" },
	};
	struct talk t;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		joined(&t, "", 0, 2);
		ask(&t, bad[i].said, "FAIL");
		holds(&t, "kind", "error");
		holds(&t, "text", bad[i].text);
		holds(&t, "fatal", "1");
		ends_as(&t, "exit status 5");
		talk_end(&t);
	}
}

static void test_hung_up(void **state)
{
	struct talk t;

	joined(&t, "", 0, 2);
	words_fini(&t.w);
	close(t.fd);
	t.fd = -1;
	ends_as(&t, "exit status 0");
	child_stop(&t.child, GRACE_NS);
	child_fini(&t.child);
}

static int run_alone(const char *option, const char *variable, const char *value, char *out,
		     size_t max)
{
	char *argv[] = { worker_path, (char *)option, NULL };
	struct env env = { 0 };
	int r;

	assert_int_equal(env_inherit(&env, environ), 0);
	if (variable)
		assert_int_equal(env_set(&env, variable, value), 0);
	r = child_run(worker_path, argv, env.vec, PATIENCE_NS, out, max);
	env_fini(&env);
	return r;
}

static void test_alone(void **state)
{
	char out[8192];

	assert_int_equal(run_alone(NULL, NULL, NULL, out, sizeof(out)), 2);
	assert_non_null(strstr(out, "started by ncclbench-run"));
	assert_int_equal(run_alone("--what", NULL, NULL, out, sizeof(out)), 2);
	assert_non_null(strstr(out, "'--what'"));
	assert_int_equal(run_alone("--version", NULL, NULL, out, sizeof(out)), 0);
	assert_non_null(strstr(out, "ncclbench-worker-nccl "));
	assert_int_equal(run_alone("--probe", NULL, NULL, out, sizeof(out)), 0);
	assert_non_null(strstr(out, "\ndevices=2\n"));
	assert_non_null(strstr(out, "\np2p.1.0=no\n"));
	assert_int_equal(run_alone("--probe", "NCCLBENCH_TEST_FAKE_LIB", "cudaGetDeviceCount@1:100",
				   out, sizeof(out)),
			 0);
	assert_non_null(strstr(out, "\ndevices=0\nreason=cudaGetDeviceCount: no device (100)\n"));
}

/* The parent named in the environment is not the one that started it: it is too late to serve. */
static void test_orphan(void **state)
{
	struct talk t;

	assert_int_equal(setenv("NCCLBENCH_PPID", "1", 1), 0);
	talk_start(&t, "");
	assert_int_equal(unsetenv("NCCLBENCH_PPID"), 0);
	ends_as(&t, "exit status 2");
	talk_end(&t);
}

/* The fake's copies: cudaMemcpyAsync 16, cudaMemcpyPeerAsync 32, nb_copy 64 bytes per ns. */
static void test_ceilings(void **state)
{
	static const struct {
		const char *name, *ns;
	} rows[] = {
		{ "ce-write", "262144,262144" },
		{ "ce-read", "262144,262144" },
		{ "ce-write-both", "262144,262144" },
		{ "ce-read-both", "262144,262144" },
		{ "sm-write", "131072,131072" },
		{ "sm-read", "131072,131072" },
		{ "sm-write-both", "131072,131072" },
		{ "sm-read-both", "131072,131072" },
		{ "host-to-gpu", "524288,524288" },
		{ "gpu-to-host", "524288,524288" },
		{ "host-to-gpu-both", "524288,524288" },
		{ "gpu-to-host-both", "524288,524288" },
		{ "local", "524288,524288" },
	};
	struct talk t;
	size_t i;

	talk_start(&t, "p2p:1");
	hear_verb(&t, "HELLO");
	for (i = 0; i < N_ELEMENTS(rows); i++) {
		char text[128];

		(void)snprintf(text, sizeof(text),
			       "CEILING name=%s device=0 peer=1 bytes=4194304 copies=2 samples=2",
			       rows[i].name);
		ask(&t, text, "CEILED");
		holds(&t, "ns", rows[i].ns);
	}
	ask(&t, "CEILING name=host-copy device=0 peer=-1 bytes=100000 copies=1 samples=3",
	    "CEILED");
	say_join(&t, 0,
		 2); /* a communicator may still be joined, and ceilings still be asked for */
	hear_verb(&t, "JOINED");
	ask(&t, "CEILING name=local device=0 peer=-1 bytes=8192 copies=1 samples=1", "CEILED");
	holds(&t, "ns", "512");
	ask(&t, "BYE", "GONE");
	ends_as(&t, "exit status 0");
	talk_end(&t);
}

static void test_ceilings_refused(void **state)
{
	static const struct {
		const char *script, *request, *kind, *text;
	} rows[] = {
		{ "", "name=ce-write device=0 peer=1 bytes=4096 copies=1 samples=1", "unavailable",
		  "GPU 1 cannot access the memory of GPU 0" },
		{ "p2p:1", "name=ce-write device=0 peer=-1 bytes=4096 copies=1 samples=1",
		  "unavailable", "no second GPU" },
		{ "p2p:1", "name=ce-write device=0 peer=0 bytes=4096 copies=1 samples=1",
		  "unavailable", "no second GPU" },
		{ "p2p:1,devices:1", "name=ce-read device=0 peer=1 bytes=4096 copies=1 samples=1",
		  "unavailable", "this process sees 1" },
		{ "", "name=tcp-4 device=0 peer=1 bytes=4096 copies=1 samples=1", "unavailable",
		  "not a worker's" },
		{ "cudaMalloc@1:2", "name=local device=0 peer=-1 bytes=4096 copies=1 samples=1",
		  "oom", "cudaMalloc failed" },
		{ "cudaHostAlloc@1:2",
		  "name=host-to-gpu device=0 peer=-1 bytes=4096 copies=1 samples=1", "oom",
		  "cudaHostAlloc failed" },
		{ "cudaMemcpyAsync@3:700",
		  "name=local device=0 peer=-1 bytes=4096 copies=1 samples=4", "error",
		  "cudaMemcpyAsync failed: illegal memory access (700)" },
		{ "", "name=warp-drive device=0 peer=1 bytes=4096 copies=1 samples=1", "error",
		  "does not take" },
		{ "", "name=local device=0 peer=1 bytes=0 copies=1 samples=1", "error",
		  "does not take" },
		{ "", "name=local device=0 peer=1 bytes=4096 copies=1 samples=5000", "error",
		  "does not take" },
		{ "", "name=local device=0 peer=1 bytes=4096 copies=1", "error",
		  "a required key is missing" },
	};
	size_t i;

	for (i = 0; i < N_ELEMENTS(rows); i++) {
		struct talk t;
		char text[200];

		talk_start(&t, rows[i].script);
		hear_verb(&t, "HELLO");
		(void)snprintf(text, sizeof(text), "CEILING %s", rows[i].request);
		ask(&t, text, "FAIL");
		holds(&t, "kind", rows[i].kind);
		if (!strstr(words_get(&t.w, "text"), rows[i].text))
			fail_msg("%s: \"%s\"", rows[i].request, words_get(&t.w, "text"));
		if (strcmp(rows[i].kind, "oom") == 0) { /* it lives on, and the next try may fit */
			ask(&t, text, "CEILED");
			ask(&t, "BYE", "GONE");
		}
		talk_end(&t);
	}
}

static void with_nvml(struct talk *t, const char *script)
{
	assert_int_equal(setenv("NCCLBENCH_TEST_NVML", nvml_path, 1), 0);
	assert_int_equal(setenv("NCCLBENCH_TEST_FAKE_NVML", script, 1), 0);
	talk_start(t, "");
	assert_int_equal(unsetenv("NCCLBENCH_TEST_NVML"), 0);
	assert_int_equal(unsetenv("NCCLBENCH_TEST_FAKE_NVML"), 0);
	hear_verb(t, "HELLO");
}

#define STATE_PREPARE                                                                   \
	"PREPARE op=all_reduce dtype=float redop=sum inplace=0 root=0 a=0 b=1 bytes=8 " \
	"timing=stream variant=plain"
#define STATE_RUN "RUN mode=measure batches=1 ops=1 replays=1 warmup=0"

/* How often the state is told depends on how long reading it took: at the latest a while after. */
static void run_until_told(struct talk *t, const char *key)
{
	int64_t until = clock_after_ns(LONG_NS);

	for (;;) {
		ask(t, STATE_RUN, "DONE");
		if (words_get(&t->w, key) || clock_now_ns() > until)
			return;
		clock_sleep_ns(10 * CLOCK_MS);
	}
}

static void test_state(void **state)
{
	struct talk t;

	with_nvml(&t, "");
	holds(&t, "gpu0.procs", "4711 python3 512 MiB; 4713 (unknown)");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED");
	holds(&t, "sm_mhz", "1980");
	holds(&t, "mem_mhz", "3201");
	holds(&t, "power_mw", "125500");
	holds(&t, "temp_c", "37");
	holds(&t, "throttle", "1");
	holds(&t, "ecc_corrected", "2");
	holds(&t, "ecc_uncorrected", "0");
	holds(&t, "pcie_replays", "7");
	ask(&t, STATE_PREPARE, "READY");
	assert_null(words_get(&t.w, "sm_mhz"));
	ask(&t, "RUN mode=single batches=1 ops=1 replays=1 warmup=0", "DONE");
	assert_null(words_get(&t.w, "sm_mhz"));
	run_until_told(&t, "sm_mhz");
	holds(&t, "sm_mhz", "1980");
	assert_null(words_get(&t.w, "ecc_corrected"));
	ask(&t, "BYE", "GONE");
	holds(&t, "pcie_replays", "7");
	talk_end(&t);
}

/* A slow driver is asked rarely: 5 ms cost 250 ms of silence, 900 ms cost 45 s. */
static void test_state_rarely(void **state)
{
	int64_t joined;
	struct talk t;

	with_nvml(&t, "delay:900");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED");
	joined = clock_now_ns();
	holds(&t, "throttle", "1");
	ask(&t, STATE_PREPARE, "READY");
	ask(&t, STATE_RUN, "DONE");
	if (clock_now_ns() - joined < 40 * CLOCK_S) /* else it may be told again */
		assert_null(words_get(&t.w, "throttle"));
	talk_end(&t);
	with_nvml(&t, "delay:5");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED");
	ask(&t, STATE_PREPARE, "READY");
	run_until_told(&t, "throttle");
	holds(&t, "throttle", "1");
	talk_end(&t);
}

/* What the driver does not tell is left out. */
static void test_state_partly(void **state)
{
	struct talk t;

	with_nvml(&t, "sm:-1,power:-1,reasons:68,ecc0:-1,ecc1:-1,replays:-1");
	say_join(&t, 0, 2);
	hear_verb(&t, "JOINED");
	assert_null(words_get(&t.w, "sm_mhz"));
	assert_null(words_get(&t.w, "power_mw"));
	assert_null(words_get(&t.w, "ecc_corrected"));
	assert_null(words_get(&t.w, "pcie_replays"));
	holds(&t, "throttle", "44");
	ask(&t, STATE_PREPARE, "READY");
	run_until_told(&t, "throttle");
	assert_null(words_get(&t.w, "sm_mhz"));
	holds(&t, "throttle", "44");
	talk_end(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_no_driver),
		cmocka_unit_test(test_too_few_devices),
		cmocka_unit_test(test_id),
		cmocka_unit_test(test_reductions),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_pair_of_its_own),
		cmocka_unit_test(test_bystander),
		cmocka_unit_test(test_timings),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_method_of_nccl_tests),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_twice_in_place),
		cmocka_unit_test(test_device_ahead),
		cmocka_unit_test(test_just_exit),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_async_error),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_crash),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_not_possible),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_hung_up),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_orphan),
		cmocka_unit_test(test_ceilings),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_state_partly),
		cmocka_unit_test(test_state_rarely),
		cmocka_unit_test(test_ceilings_refused),
	};

	if (argc < 3)
		return 2;
	worker_path = argv[1];
	nvml_path = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
