/* SPDX-License-Identifier: Apache-2.0 */
/* Why a transport is N/A: from facts before a worker starts, from NCCL's words after one failed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "ncclog/scan.h"
#include "run/facts.h"
#include "run/fault.h"
#include "run/reason.h"
#include "spec/outcome.h"
#include "spec/transport.h"

static char rank0[400], rank1[400];
static char *texts[2] = { rank0, rank1 };
static const struct facts two = { .text = texts, .n = 2 };

/* Two ranks of one host with GPUs 0 and 1 of that name; rank 0's word about the pair and about the
 * way back. */
static void machine(const char *name, const char *cuda, const char *nvml)
{
	snprintf(
	    rank0, sizeof(rank0),
	    "device=0\nhost=a\nboot=1\ngpu0.name=%s\ngpu1.name=%s\np2p.0.1=%s\nnvml_p2p.0.1=%s\n",
	    name, name, cuda, nvml);
	snprintf(
	    rank1, sizeof(rank1),
	    "device=1\nhost=a\nboot=1\ngpu0.name=%s\ngpu1.name=%s\np2p.1.0=yes\nnvml_p2p.1.0=ok\n",
	    name, name);
}

static struct reason_context context(void)
{
	return (struct reason_context){ .facts = &two, .nranks = 2, .n_hosts = 1, .ib_devices = 1 };
}

static void before(int transport, const struct reason_context *x, const char *must)
{
	char why[300] = "untouched";

	assert_int_equal(reason_before(transport, x, why, sizeof(why)), must != NULL);
	assert_string_equal(why, must ? must : "");
}

/* ---- before ---- */

static void a_good_machine_has_no_reasons(void **state)
{
	struct reason_context x = context();

	machine("NVIDIA H200", "yes", "ok");
	for (int t = 0; t < TRANSPORT_COUNT; t++)
		before(t, &x, NULL);
	/* What nobody could tell is no refusal. */
	machine("NVIDIA H200", "yes", "unknown");
	before(TRANSPORT_P2P, &x, NULL);
	rank0[0] = rank1[0] = '\0';
	before(TRANSPORT_P2P, &x, NULL);
}

static void no_peer_access(void **state)
{
	struct reason_context x = context();

	machine("NVIDIA GeForce RTX 4090", "no", "not supported");
	before(TRANSPORT_P2P, &x,
	       "no P2P between GPU 0 and GPU 1: CUDA says no, NVML \"not supported\"; usual for "
	       "GeForce RTX 40 and 50");
	machine("NVIDIA H100", "yes", "chipset not supported");
	before(TRANSPORT_P2P_IPC, &x,
	       "no P2P between GPU 0 and GPU 1: CUDA says yes, NVML \"chipset not supported\"");
	machine("NVIDIA L4", "no", "unknown");
	before(TRANSPORT_P2P_CE, &x,
	       "no P2P between GPU 0 and GPU 1: CUDA says no, NVML \"unknown\"");
	before(TRANSPORT_SHM, &x, NULL);
	before(TRANSPORT_SOCKET, &x, NULL);
	before(TRANSPORT_AUTO, &x, NULL);
}

/* Only the way back is refused. */
static void either_direction_counts(void **state)
{
	struct reason_context x = context();

	machine("GPU", "yes", "ok");
	snprintf(rank1, sizeof(rank1), "device=1\nhost=a\nboot=1\np2p.1.0=no\nnvml_p2p.1.0=ok\n");
	before(TRANSPORT_P2P, &x, "no P2P between GPU 1 and GPU 0: CUDA says no, NVML \"ok\"");
}

static void ranks_on_two_hosts(void **state)
{
	struct reason_context x = context();

	machine("GPU", "no", "not supported");
	snprintf(rank1, sizeof(rank1), "device=0\nhost=b\nboot=2\n");
	x.n_hosts = 2;
	before(TRANSPORT_P2P, &x, "different hosts");
	before(TRANSPORT_SHM, &x, "different hosts");
	before(TRANSPORT_UCX_CMA, &x, "different hosts");
	before(TRANSPORT_SOCKET, &x, NULL);
	before(TRANSPORT_IB, &x, NULL);
	before(TRANSPORT_UCX_TCP, &x, NULL);
}

static void no_infiniband(void **state)
{
	struct reason_context x = context();

	machine("GPU", "yes", "ok");
	x.ib_devices = 0;
	before(TRANSPORT_IB, &x, "no InfiniBand or RoCE device in /sys/class/infiniband");
	before(TRANSPORT_IB_NOGDR, &x, "no InfiniBand or RoCE device in /sys/class/infiniband");
	before(TRANSPORT_SOCKET, &x, NULL);
}

static void a_shared_gpu(void **state)
{
	struct reason_context x = context();

	machine("GPU", "yes", "ok");
	x.shared_gpu = true;
	for (int t = 0; t < TRANSPORT_COUNT; t++) {
		bool refused = transport_table[t].backend == BACKEND_NCCL &&
			       !(transport_table[t].flags & TRANSPORT_NETWORK);
		char why[300];

		assert_int_equal(reason_before(t, &x, why, sizeof(why)), refused);
		if (refused)
			assert_non_null(strstr(why, "ranks share a GPU"));
	}
}

/* The veto is the reason, whatever else there is to say. */
static void the_veto_speaks_first(void **state)
{
	struct reason_context x = context();

	machine("NVIDIA GeForce RTX 4090", "no", "not supported");
	x.veto = true;
	x.n_hosts = 2;
	x.shared_gpu = true;
	before(TRANSPORT_NVLS, &x, "NCCL_NVLS_ENABLE=0 is set");
	x = context();
	x.veto = true;
	machine("NVIDIA H200", "yes", "ok");
	for (int t = 0; t < TRANSPORT_COUNT; t++)
		before(t, &x, t == TRANSPORT_NVLS ? "NCCL_NVLS_ENABLE=0 is set" : NULL);
}

/* ---- after ---- */

struct after_row {
	int transport, outcome;
	const char *text, *warn,
	    *refused; /* of the fault, the log's first WARN, and its line about P2P */
	int must;
	const char *detail;
};

static const struct after_row after_rows[] = {
	{ TRANSPORT_SHM, OUTCOME_ERROR, "unhandled system error",
	  "No transport found for rank 0[0] -> rank 1[1]", "", OUTCOME_UNAVAILABLE,
	  "NCCL found no such way between the ranks; NCCL warned: No transport found for rank 0[0] "
	  "-> rank 1[1]" },
	/* auto is the user's own environment: that it fails is an error. */
	{ TRANSPORT_AUTO, OUTCOME_ERROR, "internal error",
	  "No transport found for rank 0[0] -> rank 1[1]", "", OUTCOME_ERROR,
	  "internal error; NCCL warned: No transport found for rank 0[0] -> rank 1[1]" },
	{ TRANSPORT_IB, OUTCOME_ERROR, "invalid usage", "Failed to initialize any NET plugin", "",
	  OUTCOME_UNAVAILABLE,
	  "NCCL found no device of that network; NCCL warned: Failed to initialize any NET "
	  "plugin" },
	/* The same words about a transport that is no network mean something else. */
	{ TRANSPORT_SHM, OUTCOME_ERROR, "invalid usage", "Failed to initialize any NET plugin", "",
	  OUTCOME_ERROR, "invalid usage; NCCL warned: Failed to initialize any NET plugin" },
	{ TRANSPORT_SOCKET, OUTCOME_ERROR, "Bootstrap : no socket interface found", "", "",
	  OUTCOME_UNAVAILABLE, "no network interface matches NCCL_SOCKET_IFNAME" },
	{ TRANSPORT_P2P, OUTCOME_ERROR, "peer access is not supported between these two devices",
	  "", "P2P is disabled between x and y", OUTCOME_UNAVAILABLE,
	  "the driver refuses peer access; P2P is disabled between x and y" },
	{ TRANSPORT_NVLS, OUTCOME_ERROR, "no algorithm/protocol available for function Broadcast",
	  "", "", OUTCOME_UNAVAILABLE,
	  "NCCL has no algorithm or protocol left for this operation" },
	/* What it says is said once. */
	{ TRANSPORT_SHM, OUTCOME_ERROR, "shm_open failed: no space", "shm_open failed: no space",
	  "", OUTCOME_ERROR, "shm_open failed: no space" },
	/* A crash or a hang is none of "cannot", but NCCL's last words help. */
	{ TRANSPORT_P2P, OUTCOME_CRASH, "killed by signal 11", "No transport found", "",
	  OUTCOME_CRASH, "killed by signal 11; NCCL warned: No transport found" },
	/* The other rank's story is not this rank's. */
	{ TRANSPORT_P2P, OUTCOME_ABORTED, "another rank's worker failed", "No transport found",
	  "P2P is disabled", OUTCOME_ABORTED, "another rank's worker failed" },
	{ TRANSPORT_P2P, OUTCOME_OK, "", "warned about something", "", OUTCOME_OK, "" },
};

static void what_nccl_says(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(after_rows); i++) {
		const struct after_row *row = &after_rows[i];
		struct scan scan = { 0 };
		struct fault f;

		snprintf(scan.first_warn, sizeof(scan.first_warn), "%s", row->warn);
		snprintf(scan.p2p_refused, sizeof(scan.p2p_refused), "%s", row->refused);
		fault_clear(&f);
		if (row->outcome != OUTCOME_OK)
			fault_set(&f, row->outcome, PHASE_JOIN, "%s", row->text);
		reason_after(row->transport, &scan, &f);
		assert_int_equal(f.outcome, row->must);
		assert_string_equal(f.detail, row->detail);
	}
}

static void without_a_log(void **state)
{
	struct fault f;

	fault_set(&f, OUTCOME_ERROR, PHASE_JOIN, "No transport found for rank 0");
	reason_after(TRANSPORT_SHM, NULL, &f);
	assert_int_equal(f.outcome, OUTCOME_UNAVAILABLE);
	assert_int_equal(f.phase, PHASE_JOIN);
}

/* Texts as long as they can get stay within the member. */
static void long_texts_are_cut(void **state)
{
	struct scan scan = { 0 };
	struct fault f;

	memset(scan.first_warn, 'w', sizeof(scan.first_warn) - 1);
	memset(scan.p2p_refused, 'r', sizeof(scan.p2p_refused) - 1);
	fault_set(&f, OUTCOME_ERROR, PHASE_JOIN, "%0500d", 0);
	reason_after(TRANSPORT_P2P, &scan, &f);
	assert_int_equal(strlen(f.detail), sizeof(f.detail) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_machine_has_no_reasons),
		cmocka_unit_test(no_peer_access),
		cmocka_unit_test(either_direction_counts),
		cmocka_unit_test(ranks_on_two_hosts),
		cmocka_unit_test(no_infiniband),
		cmocka_unit_test(a_shared_gpu),
		cmocka_unit_test(the_veto_speaks_first),
		cmocka_unit_test(what_nccl_says),
		cmocka_unit_test(without_a_log),
		cmocka_unit_test(long_texts_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
