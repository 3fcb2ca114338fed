/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --p2p-check of the NCCL worker on the fake CUDA runtime: a driver that works, refuses, lies,
 * fails or hangs; and what doctor makes of it. Not: real copies.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/pairs.h"
#include "doctor/doctor.h"
#include "proc/child.h"
#include "slack.h"

#define SECONDS_MAX 40 /* for one pair; the doctor waits 50 s for all */

static char *worker;
static char out[65536];

/* For one pair; short only where it hangs, and grown where what comes before was not done by then.
 */
static void set_seconds(int seconds)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", seconds);
	assert_int_equal(setenv("NCCLBENCH_TEST_P2P_SECONDS", text, 1), 0);
}

static int check(const char *script, char *first, char *second)
{
	char *argv[] = { worker, (char *)"--p2p-check", first, second, NULL };
	struct env env = { 0 };
	int rc;

	assert_int_equal(env_inherit(&env, environ), 0);
	assert_int_equal(env_set(&env, "NCCLBENCH_TEST_FAKE_LIB", script), 0);
	rc = child_run(worker, argv, env.vec, LONG_NS, out, sizeof(out));
	env_fini(&env);
	return rc;
}

static void says(const char *key, const char *want)
{
	char value[256] = "absent";

	(void)pairs_get(out, key, value, sizeof(value));
	if (strncmp(value, want, strlen(want)) != 0)
		print_message("%s=%s, wanted %s\n", key, value, want);
	assert_int_equal(strncmp(value, want, strlen(want)), 0);
}

static void works(void **state)
{
	assert_int_equal(check("p2p:1", NULL, NULL), 0);
	says("p2p_fact.0.1", "ok ");
	says("p2p_fact.1.0", "ok ");
	says("p2p_done", "2");
}

/* By itself the fake says yes for 0 to 1 and no for 1 to 0: pushing and pulling want both. */
static void refuses(void **state)
{
	assert_int_equal(check("p2p:0", NULL, NULL), 0);
	says("p2p_fact.0.1", "no");
	assert_int_equal(check("", NULL, NULL), 0);
	says("p2p_fact.0.1", "no");
	assert_null(strstr(out, "p2p_try.0.1"));
}

/* Each way has a copy of its own that can lie. */
static void lies(void **state)
{
	assert_int_equal(check("p2p:1,cudaMemcpyPeerAsync@1:corrupt", NULL, NULL), 0);
	says("p2p_fact.0.1", "corrupt copy engine: 1 of 16777216 bytes wrong, first 7");
	says("p2p_fact.1.0", "ok ");
	assert_int_equal(check("p2p:1,nb_copy@2:corrupt", NULL, NULL),
			 0); /* the second, timed copy */
	says("p2p_fact.0.1", "corrupt push: 1 of 16777216 bytes wrong, first 7");
	assert_int_equal(check("p2p:1,nb_copy@3:lost", NULL, NULL), 0);
	says("p2p_fact.0.1",
	     "corrupt pull: 16"); /* of 16 MiB; the poison may be right by chance here and there */
}

static void fails(void **state)
{
	assert_int_equal(check("p2p:1,cudaDeviceEnablePeerAccess@1:217", NULL, NULL), 0);
	says("p2p_fact.0.1", "error enable: cudaDeviceEnablePeerAccess: some error (217)");
	says("p2p_fact.1.0", "ok ");
	assert_int_equal(check("p2p:1,cudaDeviceEnablePeerAccess@1:704", NULL, NULL),
			 0); /* on already */
	says("p2p_fact.0.1", "ok ");
	assert_int_equal(check("p2p:1,nb_copy@1:700", NULL, NULL), 0);
	says("p2p_fact.0.1", "error push: copy: illegal memory access (700)");
}

/* What is known before a hang stays; the rest is asked of a new process, by name. */
static void hangs(void **state)
{
	char pair[] = "1,0", none[] = "5,6";

	for (int s = 1; s < SECONDS_MAX; s *= PATIENCE_GROWS) {
		set_seconds(s);
		assert_int_equal(check("p2p:1,cudaMemcpyPeerAsync@3:hang", NULL, NULL), 1);
		if (strstr(out, "p2p_fact.0.1=ok") && strstr(out, "p2p_fact.1.0=hang copy engine"))
			break;
	}
	set_seconds(SECONDS_MAX);
	says("p2p_fact.0.1", "ok ");
	says("p2p_fact.1.0", "hang copy engine");
	assert_null(strstr(out, "p2p_done"));
	assert_int_equal(check("p2p:1", pair, none), 0);
	says("p2p_fact.1.0", "ok ");
	assert_null(strstr(out, "p2p_fact.0.1"));
}

static void no_gpu(void **state)
{
	assert_int_equal(check("cudaGetDeviceCount@1:100", NULL, NULL), 0);
	says("p2p_reason", "no device (100)");
	assert_int_equal(check("cudaMalloc@1:2", NULL, NULL), 0);
	says("p2p_reason", "out of memory (2)");
}

/* ---- doctor asks, and asks a new process for what is left ---- */

static struct doctor d;

static void gather(const char *script, bool copies)
{
	struct doctor_request q = { .worker = worker, .copies = copies };

	setenv("NCCLBENCH_TEST_FAKE_LIB", script, 1);
	assert_int_equal(doctor_gather(&q, &d), 0);
}

/* Everything up to the copy that hangs must be done in the time that is given. */
static void gather_hang(const char *script)
{
	for (int s = 1; s < SECONDS_MAX; s *= PATIENCE_GROWS) {
		int elsewhere = 0;

		set_seconds(s);
		gather(script, true);
		for (int i = 0; i < d.n_cuda; i++)
			for (int j = 0; j < d.n_cuda; j++)
				elsewhere += d.pair[i][j].fact == P2P_HANG &&
					     strcmp(d.pair[i][j].said, "copy engine") != 0;
		if (d.n_cuda > 1 && elsewhere == 0)
			break;
	}
	set_seconds(SECONDS_MAX);
}

static void doctor_believes_copies(void **state)
{
	gather("p2p:1", true);
	assert_int_equal(d.n_cuda, 2);
	assert_string_equal(d.gpu[1].name, "Fake GPU");
	assert_int_equal(d.pair[0][1].cuda, ANSWER_YES);
	assert_int_equal(d.pair[0][1].fact, P2P_OK);
	assert_int_equal(d.pair[1][0].fact, P2P_OK);
	gather("p2p:1", false);
	assert_int_equal(d.pair[0][1].fact, P2P_UNTRIED);
	assert_string_equal(d.p2p_why, "--no-copies was given");
}

/* Each process hangs, or dies, at its first copy: each pair costs one. */
static void doctor_survives(void **state)
{
	gather_hang("p2p:1,cudaMemcpyPeerAsync@1:hang");
	assert_int_equal(d.pair[0][1].fact, P2P_HANG);
	assert_int_equal(d.pair[1][0].fact, P2P_HANG);
	assert_string_equal(d.pair[0][1].said, "copy engine");
	gather("p2p:1,nb_copy@1:crash", true);
	assert_int_equal(d.pair[0][1].fact, P2P_ERROR);
	assert_string_equal(d.pair[0][1].said, "the process died");
	assert_int_equal(d.pair[1][0].fact, P2P_ERROR);
}

/* After two hangs the GPUs are left alone. */
static void doctor_gives_up(void **state)
{
	int hangs = 0, untried = 0;

	gather_hang("devices:3,p2p:1,cudaMemcpyPeerAsync@1:hang");
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			hangs += i != j && d.pair[i][j].fact == P2P_HANG;
			untried += i != j && d.pair[i][j].fact == P2P_UNTRIED;
		}
	assert_int_equal(hangs, 2);
	assert_int_equal(untried, 4);
	assert_string_equal(d.p2p_why, "stopped after copies that hang");
}

static void doctor_without_worker(void **state)
{
	struct doctor_request q = { .worker = "/proc/nonexistent/ncclbench-worker-nccl",
				    .copies = true };

	assert_int_equal(doctor_gather(&q, &d), 0);
	assert_non_null(strstr(d.probe_why, "is not built here"));
	assert_int_equal(d.n_cuda, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(works),
		cmocka_unit_test(refuses),
		cmocka_unit_test(lies),
		cmocka_unit_test(fails),
		cmocka_unit_test(hangs),
		cmocka_unit_test(no_gpu),
		cmocka_unit_test(doctor_believes_copies),
		cmocka_unit_test(doctor_survives),
		cmocka_unit_test(doctor_gives_up),
		cmocka_unit_test(doctor_without_worker),
	};

	if (argc < 2)
		return 2;
	worker = argv[1];
	set_seconds(SECONDS_MAX);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
