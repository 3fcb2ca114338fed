/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real UCX workers on this host, talked to as a supervisor would: every operation gives right data
 * over every host transport, the transport is proven, times are plausible, and what goes wrong
 * stays an answer. Argument: the worker program.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "slack.h"
#include "ucx_ranks.h"
#include "wire/chan.h"

static const char *worker;

static const char *const cma[] = { "UCX_TLS=cma,posix", "UCX_RNDV_THRESH=0",
				   "UCX_RNDV_SCHEME=get_zcopy", "UCX_LOG_FILE=/dev/null", NULL };
static const char *const shm[] = { "UCX_TLS=posix", "UCX_LOG_FILE=/dev/null", NULL };
static const char *const tcp[] = { "UCX_TLS=tcp", "UCX_NET_DEVICES=lo", "UCX_LOG_FILE=/dev/null",
				   NULL };

struct point {
	const char *op, *dtype, *redop;
	int inplace;
	unsigned long bytes;
};

static int prepare(struct ranks *r, const struct point *p, const char *timing, const char *verb)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "PREPARE op=%s dtype=%s redop=%s inplace=%d root=%d a=0 b=1 bytes=%lu timing=%s "
		 "variant=plain",
		 p->op, p->dtype, p->redop, p->inplace, r->n - 1, p->bytes, timing);
	return ranks_ask(r, text, verb);
}

static int run_single(struct ranks *r)
{
	return ranks_ask(r, "RUN mode=single batches=1 ops=1 replays=1 warmup=0", "DONE");
}

/* Elements or bytes that rank must have compared. Only b receives a send; pairs leave others out.
 */
static unsigned long expected(const struct ranks *r, const struct point *p, int rank)
{
	if (strcmp(p->op, "all_reduce") == 0)
		return p->bytes / 4;
	if (strcmp(p->op, "send") == 0)
		return rank == 1 ? p->bytes : 0;
	if (strcmp(p->op, "pingpong") == 0)
		return rank < 2 ? p->bytes : 0;
	return p->bytes;
}

static void right_data(struct ranks *r, const struct point *p)
{
	char want[32];
	int i;

	assert_int_equal(prepare(r, p, "host", "READY"), 0);
	assert_int_equal(run_single(r), 0);
	assert_int_equal(ranks_ask(r, "CHECK", "CHECKED"), 0);
	for (i = 0; i < r->n; i++) {
		snprintf(want, sizeof(want), "%lu", expected(r, p, i));
		if (strcmp(ranks_get(r, i, "wrong"), "0") != 0)
			fail_msg("%s %s %s %d %lu of %d: rank %d has %s wrong, first %s: %s "
				 "instead of %s",
				 p->op, p->dtype, p->redop, p->inplace, p->bytes, r->n, i,
				 ranks_get(r, i, "wrong"), ranks_get(r, i, "first"),
				 ranks_get(r, i, "got"), ranks_get(r, i, "want"));
		assert_string_equal(ranks_get(r, i, "checked"), want);
	}
}

/* Sizes around every border: one element, no multiple of the ranks, small and large algorithm (32
 * KiB), one and several pieces (256 KiB). */
static const unsigned long sizes[] = { 4, 20, 4092, 32768, 32772, 262148, 1048580 };
static const struct point shapes[] = {
	{ "all_reduce", "float", "sum", 0, 0 }, { "all_reduce", "float", "max", 1, 0 },
	{ "all_reduce", "int32", "sum", 1, 0 }, { "all_reduce", "int32", "max", 0, 0 },
	{ "broadcast", "float", "sum", 0, 0 },  { "broadcast", "int32", "sum", 1, 0 },
	{ "sendrecv", "float", "sum", 0, 0 },   { "send", "float", "sum", 0, 0 },
	{ "pingpong", "float", "sum", 0, 0 },
};

static void all_points(struct ranks *r)
{
	size_t i, k;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct point p = shapes[i];

			p.bytes = sizes[k];
			right_data(r, &p);
		}
	}
}

static void start_or_skip(struct ranks *r, int n, const char *const *settings)
{
	if (ranks_start(r, worker, n, settings) == 0)
		return;
	ranks_stop(r);
	print_message("UCX cannot connect here with %s\n", settings[0]);
	skip();
}

static void end(struct ranks *r)
{
	assert_int_equal(ranks_ask(r, "BYE", "GONE"), 0);
	assert_int_equal(ranks_stop(r), 0);
}

static void data_is_right(const char *const *settings, int n)
{
	struct ranks r;

	start_or_skip(&r, n, settings);
	all_points(&r);
	end(&r);
}

static void test_two_shm(void **state)
{
	data_is_right(shm, 2);
}

static void test_three_cma(void **state)
{
	data_is_right(cma, 3);
}

static void test_five_tcp(void **state)
{
	data_is_right(tcp, 5);
}

/* A rank outside of the pair answers, too: zero time, nothing used, nothing refuted. */
static void proven(const char *const *settings, const char *used, const char *lane)
{
	static const unsigned long proof_sizes[] = { 8, 65536, 1048576 };
	struct ranks r;
	size_t k;
	int i;

	start_or_skip(&r, 3, settings);
	if (!strstr(ranks_get(&r, 0, "lanes"), lane)) {
		print_message("UCX has no %s here (lanes %s)\n", lane, ranks_get(&r, 0, "lanes"));
		ranks_stop(&r);
		skip();
	}
	for (k = 0; k < sizeof(proof_sizes) / sizeof(proof_sizes[0]); k++) {
		struct point p = { "pingpong", "float", "sum", 0, proof_sizes[k] };

		assert_int_equal(prepare(&r, &p, "host", "READY"), 0);
		assert_int_equal(run_single(&r), 0);
		for (i = 0; i < 3; i++) {
			assert_string_equal(ranks_get(&r, i, "proof"), "yes");
			assert_string_equal(ranks_get(&r, i, "peers"), i < 2 ? "1" : "0");
			assert_string_equal(ranks_get(&r, i, "used"), i < 2 ? used : "");
		}
		assert_string_equal(ranks_get(&r, 2, "ns"), "0");
	}
	end(&r);
}

static void test_proof_cma(void **state)
{
	proven(cma, "cma (control: posix)", "cma/");
}

static void test_proof_shm(void **state)
{
	proven(shm, "posix", "posix/");
}

static void test_proof_tcp(void **state)
{
	proven(tcp, "tcp", "tcp/");
}

/* Wanted is the first name of UCX_TLS. A threshold that cma messages never reach must be seen
 * through. */
static void test_proof_refuted(void **state)
{
	static const char *const eager[] = { "UCX_TLS=cma,posix", "UCX_RNDV_THRESH=1g",
					     "UCX_LOG_FILE=/dev/null", NULL };
	struct point p = { "sendrecv", "float", "sum", 0, 4096 };
	struct ranks r;

	start_or_skip(&r, 2, eager);
	assert_int_equal(prepare(&r, &p, "host", "READY"), 0);
	assert_int_equal(run_single(&r), 0);
	assert_string_equal(ranks_get(&r, 0, "proof"), "no");
	assert_string_equal(ranks_get(&r, 0, "used"), "posix");
	assert_non_null(strstr(ranks_get(&r, 1, "proof_detail"), "4096 B"));
	end(&r);
}

/* 4 MiB cannot cross in less than 4 us (1 TB/s), 8 B not in less than a nanosecond; twice the
 * operations take more than the same time, and no batch is free. */
static void test_times(void **state)
{
	struct point small = { "pingpong", "float", "sum", 0, 8 };
	struct point large = { "pingpong", "float", "sum", 0, 4 << 20 };
	int64_t few, many, big;
	struct ranks r;

	start_or_skip(&r, 2, shm);
	assert_int_equal(prepare(&r, &small, "host", "READY"), 0);
	assert_int_equal(
	    ranks_ask(&r, "RUN mode=measure batches=3 ops=20 replays=5 warmup=1", "DONE"), 0);
	few = ranks_ns(&r, 2);
	for (int i = 0; i < 2; i++) /* a measurement says, too, which way it went */
		assert_string_equal(ranks_get(&r, i, "proof"), "yes");
	assert_int_equal(
	    ranks_ask(&r, "RUN mode=measure batches=1 ops=20 replays=50 warmup=0", "DONE"), 0);
	many = ranks_ns(&r, 0);
	assert_true(few > 100);
	assert_true(many > 1000 && many < LONG_NS);
	assert_int_equal(prepare(&r, &large, "host", "READY"), 0);
	assert_int_equal(
	    ranks_ask(&r, "RUN mode=measure batches=2 ops=1 replays=1 warmup=0", "DONE"), 0);
	big = ranks_ns(&r, 1);
	assert_true(big > 8000 && big < LONG_NS);
	assert_int_equal(ranks_ns(&r, 2), -1);
	end(&r);
}

/* In place a measurement eats its input: the next single must start from fresh data again. */
static void test_single_after_measure(void **state)
{
	struct point p = { "all_reduce", "int32", "sum", 1, 40000 };
	struct ranks r;

	start_or_skip(&r, 2, shm);
	assert_int_equal(prepare(&r, &p, "host", "READY"), 0);
	assert_int_equal(
	    ranks_ask(&r, "RUN mode=measure batches=2 ops=20 replays=3 warmup=1", "DONE"), 0);
	assert_int_equal(ranks_ask(&r, "CHECK", "CHECKED"), 0);
	assert_string_equal(ranks_get(&r, 0, "checked"),
			    "10000"); /* filled anew: in place the input was gone */
	assert_string_equal(ranks_get(&r, 0, "wrong"), "0");
	assert_int_equal(run_single(&r), 0);
	assert_int_equal(ranks_ask(&r, "CHECK", "CHECKED"), 0);
	assert_string_equal(ranks_get(&r, 0, "checked"), "10000");
	assert_string_equal(ranks_get(&r, 0, "wrong"), "0");
	end(&r);
}

static void refused(struct ranks *r, const struct point *p, const char *timing, const char *kind)
{
	int i;

	assert_int_equal(prepare(r, p, timing, "FAIL"), 0);
	for (i = 0; i < r->n; i++) {
		assert_string_equal(ranks_get(r, i, "kind"), kind);
		assert_string_equal(ranks_get(r, i, "fatal"), "");
		assert_true(strlen(ranks_get(r, i, "text")) > 5);
	}
}

static void test_refusals_leave_it_alive(void **state)
{
	static const struct point good = { "all_reduce", "float", "sum", 0, 1000 };
	static const struct point too_large = { "all_reduce", "float", "sum", 0, 1UL << 46 };
	static const struct point no_dtype = { "all_reduce", "half", "sum", 0, 1000 };
	static const struct point no_op = { "alltoall", "float", "sum", 0, 4000 };
	struct ranks r;

	start_or_skip(&r, 2, shm);
	refused(&r, &too_large, "host", "skipped");
	refused(&r, &no_dtype, "host", "unavailable");
	refused(&r, &no_op, "host", "unavailable");
	refused(&r, &good, "graph", "unavailable");
	right_data(&r, &good);
	end(&r);
}

static void test_no_such_transport(void **state)
{
	static const char *const nothing[] = { "UCX_TLS=nosuch", "UCX_LOG_FILE=/dev/null", NULL };
	struct ranks r;

	assert_int_not_equal(ranks_start(&r, worker, 1, nothing), 0);
	assert_string_equal(r.answer[0].verb, "FAIL");
	assert_string_equal(ranks_get(&r, 0, "kind"), "unavailable");
	assert_non_null(strstr(ranks_get(&r, 0, "text"), "nosuch"));
	ranks_stop(&r);
}

/* Addresses come from other hosts: too short, not ours, cut, for an impossible rank. */
static void test_bad_addresses(void **state)
{
	static const char *const peers[] = {
		"PEER rank=0 blob=00",
		"PEER rank=0 blob=000102030405060708090a0b0c0d0e0f10111213",
		"PEER rank=1 blob=6e627531ff000000aaaaaaaaaaaaaaaa0102",
		"PEER rank=99999 blob=00",
	};
	struct ranks r;
	size_t i;

	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
		assert_int_equal(ranks_launch(&r, worker, 1, shm), 0);
		assert_int_equal(ranks_ask(&r, peers[i], "FAIL"), 0);
		assert_string_equal(ranks_get(&r, 0, "kind"), "error");
		assert_string_equal(ranks_get(&r, 0, "fatal"), "1");
		assert_int_equal(ranks_stop(&r), 1);
	}
}

/* JOIN for two ranks when only one address was told. */
static void test_missing_address(void **state)
{
	struct ranks r;

	assert_int_equal(ranks_launch(&r, worker, 1, shm), 0);
	assert_int_equal(ranks_ask(&r, "ID", "IDENT"), 0);
	assert_int_equal(ranks_ask(&r, "JOIN rank=0 nranks=2 device=0", "FAIL"), 0);
	assert_non_null(strstr(ranks_get(&r, 0, "text"), "rank 1"));
	assert_int_equal(ranks_stop(&r), 1);
}

/* One rank is killed in the middle of a batch. The other one either reports or waits; it never
 * claims success, and closing its socket and killing it always works. */
static void killed_in_batch(const char *const *settings)
{
	struct point p = { "all_reduce", "float", "sum", 0, 65536 };
	struct ranks r;
	int result;

	start_or_skip(&r, 2, settings);
	assert_int_equal(prepare(&r, &p, "host", "READY"), 0);
	assert_int_equal(
	    ranks_tell(&r, "RUN mode=measure batches=1 ops=20 replays=10000000 warmup=0"), 0);
	clock_sleep_ns(50 * CLOCK_MS);
	assert_int_equal(kill(r.pid[1], SIGKILL), 0);
	result = ranks_hear(&r, 0, CLOCK_S / 2);
	if (result == CHAN_OK) {
		print_message("the other rank says: %s\n", ranks_get(&r, 0, "text"));
		assert_string_equal(r.answer[0].verb, "FAIL");
	} else
		assert_true(result == CHAN_LATE || result == CHAN_CLOSED);
	assert_int_equal(ranks_hear(&r, 1, SLACK_NS), CHAN_CLOSED);
	kill(r.pid[0], SIGKILL);
	assert_int_equal(ranks_stop(&r), 2);
}

static void test_killed_shm(void **state)
{
	killed_in_batch(shm);
}

static void test_killed_cma(void **state)
{
	killed_in_batch(cma);
}

static void test_killed_tcp(void **state)
{
	killed_in_batch(tcp);
}

/* Without JOIN, as the supervisor asks; the one ceiling this worker has. */
static void test_ceiling(void **state)
{
	struct ranks r;
	int64_t ns[3];
	size_t n = 3, i;

	assert_int_equal(ranks_launch(&r, worker, 1, shm), 0);
	assert_int_equal(
	    ranks_ask(&r,
		      "CEILING name=host-copy device=-1 peer=-1 bytes=4194304 copies=2 samples=3",
		      "CEILED"),
	    0);
	assert_int_equal(words_list(&r.answer[0], "ns", ns, &n), 0);
	assert_int_equal(n, 3);
	for (i = 0; i < n; i++) /* 8 MiB: slower than 1 TB/s */
		assert_in_range(ns[i], 8000, LONG_NS);
	assert_int_equal(
	    ranks_ask(&r, "CEILING name=local device=-1 peer=-1 bytes=4096 copies=1 samples=1",
		      "FAIL"),
	    0);
	assert_string_equal(ranks_get(&r, 0, "kind"), "unavailable");
	assert_int_equal(ranks_ask(&r, "BYE", "GONE"), 0);
	assert_int_equal(ranks_stop(&r), 0);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_shm),
		cmocka_unit_test(test_three_cma),
		cmocka_unit_test(test_five_tcp),
		cmocka_unit_test(test_proof_cma),
		cmocka_unit_test(test_proof_shm),
		cmocka_unit_test(test_proof_tcp),
		cmocka_unit_test(test_proof_refuted),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_single_after_measure),
		cmocka_unit_test(test_refusals_leave_it_alive),
		cmocka_unit_test(test_no_such_transport),
		cmocka_unit_test(test_bad_addresses),
		cmocka_unit_test(test_missing_address),
		cmocka_unit_test(test_killed_shm),
		cmocka_unit_test(test_killed_cma),
		cmocka_unit_test(test_killed_tcp),
		cmocka_unit_test(test_ceiling),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: test_worker_ucx WORKER\n");
		return 2;
	}
	worker = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
