/* SPDX-License-Identifier: Apache-2.0 */
/* From a worker's log on disk to a verdict, as one rank sees it: read on, gather, judge. What lines
 * mean is test_scan's and test_proof's matter. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/coord.h"
#include "run/evidence.h"
#include "spec/transport.h"

#define LINE "host:1:1 [0] NCCL INFO "

static char dir[] = "/tmp/ncclbench-evidence-XXXXXX";
static char path[64], quiet[64];
static struct coord solo;

static const struct op_case two_ranks = { .op = OP_ALL_REDUCE, .nranks = 2, .b = 1, .bytes = 8 };

static void add(const char *file, const char *text)
{
	FILE *f = fopen(file, "a");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void start(struct evidence *e)
{
	(void)unlink(path);
	(void)unlink(quiet);
	evidence_init(e);
	assert_int_equal(evidence_open(e, path, quiet), 0);
}

static void judge(struct evidence *e, int transport, struct proof *out)
{
	assert_int_equal(evidence_gather(e, &solo), 0);
	evidence_judge(e, transport, &two_ranks, NULL, NULL, out);
}

static void a_log_that_grows_is_read_on(void **state)
{
	struct evidence e;
	struct proof proof;

	start(&e);
	assert_int_equal(evidence_read(&e), 0);
	add(path,
	    LINE "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n" LINE "Channel 00/0 : 1[1] -> 0");
	assert_int_equal(evidence_read(&e), 1);
	judge(&e, TRANSPORT_P2P, &proof);
	assert_int_equal(proof.verdict, PROOF_UNKNOWN);
	assert_int_equal(evidence_read(&e), 0);
	add(path, "[0] via P2P/CUMEM\n");
	assert_int_equal(evidence_read(&e), 1);
	judge(&e, TRANSPORT_P2P, &proof);
	assert_int_equal(proof.verdict, PROOF_YES);
	assert_string_equal(proof.used, "P2P/CUMEM");
	/* What the quiet log adds counts, too. */
	add(quiet, LINE "Channel 01/0 : 0[0] -> 1[1] via NET/Socket/0\n");
	assert_int_equal(evidence_read(&e), 1);
	judge(&e, TRANSPORT_P2P, &proof);
	assert_int_equal(proof.verdict, PROOF_NO);
	evidence_fini(&e);
}

/* Names of networks may hold blanks; between ranks they travel as text. */
static void a_network_of_two_words(void **state)
{
	struct evidence e;
	struct proof proof;

	start(&e);
	add(path, LINE "Channel 00/0 : 0[0] -> 1[1] [send] via NET/AWS Libfabric/0\n" LINE
		       "Channel 00/0 : 1[1] -> 0[0] [receive] via NET/AWS Libfabric/0\n");
	assert_int_equal(evidence_read(&e), 1);
	judge(&e, TRANSPORT_AUTO, &proof);
	assert_int_equal(proof.verdict, PROOF_YES);
	assert_string_equal(proof.used, "NET/AWS Libfabric");
	assert_int_equal(proof.channels, 1);
	judge(&e, TRANSPORT_SHM, &proof);
	assert_int_equal(proof.verdict, PROOF_NO);
	evidence_fini(&e);
}

/* The pair is seen, and one more connection of it that says nothing we know. */
static void an_unknown_way_beside_a_known_one(void **state)
{
	struct evidence e;
	struct proof proof;

	start(&e);
	add(path, LINE "Channel 00/04 :    0   1\n" LINE
		       "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n" LINE
		       "Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM\n");
	assert_int_equal(evidence_read(&e), 1);
	judge(&e, TRANSPORT_P2P, &proof);
	assert_int_equal(proof.verdict, PROOF_YES);
	add(path, LINE "Channel 01/0 : 0[0] -> 1[1] via WORMHOLE/7\n");
	assert_int_equal(evidence_read(&e), 1);
	judge(&e, TRANSPORT_P2P, &proof);
	assert_int_equal(proof.verdict, PROOF_UNKNOWN);
	evidence_fini(&e);
}

/* A ring needs each rank's next one, an exchange every pair, a star the root's: seen connections of
 * other operations do not stand in for them. */
static void every_pair_that_communicates(void **state)
{
	static const struct op_case ring = { .op = OP_SENDRECV, .nranks = 3, .b = 1, .bytes = 24 };
	static const struct op_case all = { .op = OP_ALLTOALL, .nranks = 3, .b = 1, .bytes = 24 };
	static const struct op_case star = {
		.op = OP_GATHER, .nranks = 3, .root = 2, .b = 1, .bytes = 24
	};
	static const struct op_case fan = {
		.op = OP_SCATTER, .nranks = 3, .root = 2, .b = 1, .bytes = 24
	};
	struct evidence e;
	struct proof proof;

	start(&e);
	add(path, LINE "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM\n" LINE
		       "Channel 00/1 : 1[1] -> 2[2] via P2P/CUMEM\n" LINE
		       "Channel 00/1 : 2[2] -> 0[0] via P2P/CUMEM\n");
	assert_int_equal(evidence_read(&e), 1);
	assert_int_equal(evidence_gather(&e, &solo), 0);
	evidence_judge(&e, TRANSPORT_P2P, &ring, NULL, NULL, &proof);
	assert_int_equal(proof.verdict, PROOF_YES);
	evidence_judge(&e, TRANSPORT_P2P, &all, NULL, NULL, &proof);
	assert_int_equal(proof.verdict, PROOF_UNKNOWN);
	assert_string_equal(proof.detail, "no \"via\" line for 1 -> 0 in the log");
	evidence_judge(&e, TRANSPORT_P2P, &star, NULL, NULL, &proof);
	assert_string_equal(proof.detail, "no \"via\" line for 0 -> 2 in the log");
	evidence_judge(&e, TRANSPORT_P2P, &fan, NULL, NULL, &proof);
	assert_string_equal(proof.detail, "no \"via\" line for 2 -> 1 in the log");
	add(path, LINE "Channel 00/1 : 0[0] -> 2[2] via P2P/CUMEM\n");
	assert_int_equal(evidence_read(&e), 1);
	assert_int_equal(evidence_gather(&e, &solo), 0);
	evidence_judge(&e, TRANSPORT_P2P, &star, NULL, NULL, &proof);
	assert_int_equal(proof.verdict, PROOF_YES);
	assert_string_equal(proof.detail, "");
	evidence_fini(&e);
}

static int set_up(void **state)
{
	if (!mkdtemp(dir) || coord_solo_open(&solo) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/log", dir);
	snprintf(quiet, sizeof(quiet), "%s/quiet", dir);
	return 0;
}

static int clean_up(void **state)
{
	(void)unlink(path);
	(void)unlink(quiet);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_that_grows_is_read_on),
		cmocka_unit_test(a_network_of_two_words),
		cmocka_unit_test(an_unknown_way_beside_a_known_one),
		cmocka_unit_test(every_pair_that_communicates),
	};

	return cmocka_run_group_tests(tests, set_up, clean_up);
}
