/* SPDX-License-Identifier: Apache-2.0 */
/* Links and flags -> verdict and words, for each kind of transport. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ncclog/proof.h"
#include "spec/transport.h"

/* clang-format off */
#define LINK(from_, to_, conn_, cls_, variant_) \
	{ .from = from_, .to = to_, .conn = conn_, .cls = cls_, .variant = variant_, .channels = 2, \
	  .send_mask = { 3 } }
/* clang-format on */

static const struct proof_need collective2 = { .a = -1, .b = -1, .nranks = 2 };
static const struct proof_need collective4 = { .a = -1, .b = -1, .nranks = 4 };
static const struct proof_need pair_one_way = {
	.point_to_point = true, .a = 0, .b = 1, .nranks = 2
};
static const struct proof_need pair_both = {
	.point_to_point = true, .a = 0, .b = 1, .both_ways = true, .nranks = 2
};

static const struct scan_link p2p[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					LINK(0, 1, 1, "P2P", "CUMEM"),
					LINK(1, 0, 0, "P2P", "CUMEM"),
					LINK(1, 0, 1, "P2P", "CUMEM") };
static const struct scan_link ipc[] = { LINK(0, 1, 0, "P2P", "IPC/read"),
					LINK(1, 0, 0, "P2P", "IPC/read") };
static const struct scan_link ce[] = { LINK(0, 1, 0, "P2P", "CUMEM/CE"),
				       LINK(1, 0, 0, "P2P", "CUMEM/CE") };
static const struct scan_link half_ce[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					    LINK(1, 0, 0, "P2P", "CUMEM/CE") };
static const struct scan_link shm[] = { LINK(0, 1, -1, "SHM", "direct"),
					LINK(1, 0, -1, "SHM", "direct") };
static const struct scan_link sock[] = { LINK(0, 1, 0, "NET/Socket", "0"),
					 LINK(0, 1, 1, "NET/Socket", "0/Shared"),
					 LINK(1, 0, 0, "NET/Socket", "0"),
					 LINK(1, 0, 1, "NET/Socket", "0/Shared") };
static const struct scan_link ib[] = { LINK(0, 1, 0, "NET/IB", "0/GDRDMA"),
				       LINK(1, 0, 0, "NET/IB", "1(3)/GDRDMA(PCI)") };
static const struct scan_link ib_host[] = { LINK(0, 1, 0, "NET/IB", "0"),
					    LINK(1, 0, 0, "NET/IB", "1") };
static const struct scan_link ib_both[] = { LINK(0, 1, 0, "NET/IB", "0"),
					    LINK(0, 1, 0, "NET/IB", "0/GDRDMA"),
					    LINK(1, 0, 0, "NET/IB", "0") };
static const struct scan_link only_coll[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					      LINK(1, 0, 0, "P2P", "CUMEM") };
static const struct scan_link one_way[] = { LINK(0, 1, 1, "P2P", "CUMEM") };
/* collectives by P2P, send/recv by the network */
static const struct scan_link split[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					  LINK(0, 1, 1, "NET/Socket", "0/Shared"),
					  LINK(1, 0, 0, "P2P", "CUMEM"),
					  LINK(1, 0, 1, "NET/Socket", "0/Shared") };
/* two hosts of two */
static const struct scan_link ring4[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					  LINK(1, 2, 0, "NET/Socket", "0"),
					  LINK(2, 3, 0, "P2P", "CUMEM"),
					  LINK(3, 0, 0, "NET/Socket", "0") };
static const struct scan_link variants4[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					      LINK(1, 2, 0, "P2P", "indirect/3[3]"),
					      LINK(2, 3, 0, "P2P", "CUMEM"),
					      LINK(3, 0, 0, "P2P", "CUMEM") };
static const struct scan_link ring3of4[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					     LINK(1, 2, 0, "P2P", "CUMEM"),
					     LINK(3, 0, 0, "P2P", "CUMEM") };

/* the same ring, the network first */
static const struct scan_link turned4[] = { LINK(0, 2, 0, "NET/Socket", "0"),
					    LINK(1, 0, 0, "P2P", "CUMEM"),
					    LINK(2, 3, 0, "SHM", "direct"),
					    LINK(3, 1, 0, "NET/Socket", "0") };
static const struct scan_link net4[] = { LINK(0, 1, 0, "NET/Socket", "0"),
					 LINK(1, 2, 0, "NET/Socket", "0"),
					 LINK(2, 3, 0, "NET/Socket", "0"),
					 LINK(3, 0, 0, "NET/Socket", "0") };
static const struct scan_link half_ib4[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					     LINK(1, 2, 0, "NET/Socket", "0"),
					     LINK(2, 3, 0, "P2P", "CUMEM"),
					     LINK(3, 0, 0, "NET/IB", "0") };
static const struct scan_link inside4[] = { LINK(0, 1, 0, "P2P", "CUMEM"),
					    LINK(1, 0, 0, "P2P", "CUMEM"),
					    LINK(2, 3, 0, "P2P", "CUMEM"),
					    LINK(3, 2, 0, "P2P", "CUMEM") };
static const int two_by_two[] = { 0, 0, 2, 2 }, crossed[] = { 0, 1, 0, 1 };
static const struct proof_need hosts2x2 = { .a = -1, .b = -1, .nranks = 4, .host = two_by_two };
static const struct proof_need hosts_crossed = { .a = -1, .b = -1, .nranks = 4, .host = crossed };
static const struct proof_need pair_inside = {
	.point_to_point = true, .a = 0, .b = 1, .both_ways = true, .nranks = 4, .host = two_by_two
};

#define SET(a) a, N_ELEMENTS(a)

static const struct {
	const char *what;
	const struct scan_link *links;
	size_t n;
	int transport;
	const struct proof_need *need;
	enum proof_id verdict;
	const char *used, *detail; /* detail: a part of it; NULL = empty */
} cases[] = {
	{ "p2p", SET(p2p), TRANSPORT_P2P, &collective2, PROOF_YES, "P2P/CUMEM", NULL },
	{ "p2p pair", SET(p2p), TRANSPORT_P2P, &pair_both, PROOF_YES, "P2P/CUMEM", NULL },
	{ "ipc is p2p", SET(ipc), TRANSPORT_P2P, &collective2, PROOF_YES, "P2P/IPC/read", NULL },
	{ "ipc", SET(ipc), TRANSPORT_P2P_IPC, &collective2, PROOF_YES, "P2P/IPC/read", NULL },
	{ "not ipc", SET(p2p), TRANSPORT_P2P_IPC, &collective2, PROOF_NO, "P2P/CUMEM",
	  "asked for p2p-ipc, but 2 of 2 pairs" },
	{ "ce", SET(ce), TRANSPORT_P2P_CE, &collective2, PROOF_YES, "P2P/CUMEM/CE", NULL },
	{ "half ce", SET(half_ce), TRANSPORT_P2P_CE, &collective2, PROOF_NO,
	  "mixed: 1 of 2 hops P2P/CUMEM",
	  "1 of 2 pairs used another way; first 0 -> 1 by P2P/CUMEM" },
	{ "ce is p2p", SET(half_ce), TRANSPORT_P2P, &collective2, PROOF_YES, "P2P", NULL },
	/* SHM has no connection kind: it counts for both */
	{ "shm", SET(shm), TRANSPORT_SHM, &collective2, PROOF_YES, "SHM/direct", NULL },
	{ "shm pair", SET(shm), TRANSPORT_SHM, &pair_both, PROOF_YES, "SHM/direct", NULL },
	{ "shm, not p2p", SET(shm), TRANSPORT_P2P, &pair_both, PROOF_NO, "SHM/direct",
	  "first 0 -> 1 by SHM/direct" },
	{ "socket", SET(sock), TRANSPORT_SOCKET, &collective2, PROOF_YES, "NET/Socket", NULL },
	{ "socket pair", SET(sock), TRANSPORT_SOCKET, &pair_both, PROOF_YES, "NET/Socket", NULL },
	{ "socket, not ib", SET(sock), TRANSPORT_IB, &collective2, PROOF_NO, "NET/Socket",
	  "asked for ib" },
	{ "ib", SET(ib), TRANSPORT_IB, &collective2, PROOF_YES, "NET/IB/GDRDMA", NULL },
	{ "ib-nogdr", SET(ib_host), TRANSPORT_IB_NOGDR, &collective2, PROOF_YES, "NET/IB", NULL },
	{ "ib-nogdr with gdr", SET(ib), TRANSPORT_IB_NOGDR, &collective2, PROOF_NO, "NET/IB/GDRDMA",
	  "2 of 2 pairs" },
	{ "ib-nogdr, one end with gdr", SET(ib_both), TRANSPORT_IB_NOGDR, &collective2, PROOF_NO,
	  "mixed: 1 of 2 hops NET/IB/GDRDMA", "first 0 -> 1" },
	{ "ib, one end with gdr", SET(ib_both), TRANSPORT_IB, &collective2, PROOF_YES, "NET/IB",
	  NULL },
	/* the kind of connection matters */
	{ "no send/recv seen", SET(only_coll), TRANSPORT_P2P, &pair_both, PROOF_UNKNOWN, "",
	  "no \"via\" line for 0 -> 1" },
	{ "one way is enough", SET(one_way), TRANSPORT_P2P, &pair_one_way, PROOF_YES, "P2P/CUMEM",
	  NULL },
	{ "one way is not", SET(one_way), TRANSPORT_P2P, &pair_both, PROOF_UNKNOWN, "P2P/CUMEM",
	  "no \"via\" line for 1 -> 0" },
	{ "collectives by p2p", SET(split), TRANSPORT_P2P, &collective2, PROOF_YES, "P2P/CUMEM",
	  NULL },
	{ "send/recv not", SET(split), TRANSPORT_P2P, &pair_both, PROOF_NO, "NET/Socket",
	  "first 0 -> 1 by NET/Socket" },
	/* mixtures */
	{ "mixed", SET(ring4), TRANSPORT_P2P, &collective4, PROOF_NO,
	  "mixed: 2 of 4 hops NET/Socket",
	  "asked for p2p, but 2 of 4 pairs used another way; first 1 -> 2 by NET/Socket" },
	{ "mixed, other way", SET(ring4), TRANSPORT_SOCKET, &collective4, PROOF_NO,
	  "mixed: 2 of 4 hops P2P/CUMEM", "first 0 -> 1" },
	{ "mixed, auto", SET(ring4), TRANSPORT_AUTO, &collective4, PROOF_YES,
	  "mixed: 2 of 4 hops NET/Socket", NULL },
	/* two hosts of two: a network's row forces the way between them only */
	{ "socket between hosts", SET(ring4), TRANSPORT_SOCKET, &hosts2x2, PROOF_YES,
	  "mixed: 2 of 4 hops NET/Socket", NULL },
	{ "socket between hosts, first", SET(turned4), TRANSPORT_SOCKET, &hosts2x2, PROOF_YES,
	  "mixed: 2 of 4 hops NET/Socket", NULL },
	{ "all socket", SET(net4), TRANSPORT_SOCKET, &hosts2x2, PROOF_YES, "NET/Socket", NULL },
	{ "ib was asked for", SET(ring4), TRANSPORT_IB, &hosts2x2, PROOF_NO,
	  "mixed: 2 of 4 hops NET/Socket",
	  "asked for ib, but 2 of 4 pairs used another way; first 1 -> 2 by NET/Socket" },
	{ "p2p has no such right", SET(ring4), TRANSPORT_P2P, &hosts2x2, PROOF_NO,
	  "mixed: 2 of 4 hops NET/Socket", "asked for p2p, but 2 of 4 pairs" },
	{ "one hop between hosts by ib", SET(half_ib4), TRANSPORT_SOCKET, &hosts2x2, PROOF_NO,
	  "mixed: 1 of 4 hops NET/IB", "1 of 4 pairs used another way; first 3 -> 0 by NET/IB" },
	{ "nothing between hosts", SET(inside4), TRANSPORT_SOCKET, &hosts2x2, PROOF_UNKNOWN,
	  "P2P/CUMEM", "no \"via\" line between hosts" },
	{ "other hosts than the links say", SET(ring4), TRANSPORT_SOCKET, &hosts_crossed, PROOF_NO,
	  "mixed: 2 of 4 hops P2P/CUMEM", "first 0 -> 1" },
	/* a pair inside a host: its figure would be P2P's */
	{ "pair inside a host", SET(p2p), TRANSPORT_SOCKET, &pair_inside, PROOF_NO, "P2P/CUMEM",
	  "asked for socket, but 2 of 2 pairs" },
	{ "auto on two hosts", SET(turned4), TRANSPORT_AUTO, &hosts2x2, PROOF_YES,
	  "mixed: 2 of 4 hops NET/Socket", NULL },
	{ "variants", SET(variants4), TRANSPORT_P2P, &collective4, PROOF_YES, "P2P", NULL },
	{ "variants, auto", SET(variants4), TRANSPORT_AUTO, &collective4, PROOF_YES, "P2P", NULL },
	/* nothing, or not all */
	{ "nothing", NULL, 0, TRANSPORT_P2P, &collective2, PROOF_UNKNOWN, "",
	  "no \"via\" line of rank 0 of 2" },
	{ "nothing, auto", NULL, 0, TRANSPORT_AUTO, &collective2, PROOF_UNKNOWN, "",
	  "no \"via\" line of rank 0 of 2" },
	{ "one rank silent", SET(ring3of4), TRANSPORT_P2P, &collective4, PROOF_UNKNOWN, "P2P/CUMEM",
	  "no \"via\" line of rank 2 of 4" },
	{ "auto", SET(p2p), TRANSPORT_AUTO, &collective2, PROOF_YES, "P2P/CUMEM", NULL },
	{ "auto, one way", SET(one_way), TRANSPORT_AUTO, &pair_both, PROOF_UNKNOWN, "P2P/CUMEM",
	  "1 -> 0" },
	{ "nvls without a sign", SET(p2p), TRANSPORT_NVLS, &collective2, PROOF_NO, "P2P/CUMEM",
	  "no sign of NVLS" },
	{ "nvls, nothing", NULL, 0, TRANSPORT_NVLS, &collective2, PROOF_UNKNOWN, "",
	  "no sign of NVLS" },
	{ "ucx", SET(p2p), TRANSPORT_UCX_SHM, &collective2, PROOF_UNKNOWN, "",
	  "not a transport of NCCL" },
	{ "no such", SET(p2p), TRANSPORT_COUNT, &collective2, PROOF_UNKNOWN, "",
	  "not a transport of NCCL" },
};

static void verdicts(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
		struct proof p;

		proof_judge(cases[i].links, cases[i].n, NULL, cases[i].transport, cases[i].need,
			    &p);
		if (p.verdict != cases[i].verdict || strcmp(p.used, cases[i].used) != 0)
			fail_msg("%s: %s, used '%s', detail '%s'", cases[i].what,
				 proof_names[p.verdict], p.used, p.detail);
		if (cases[i].detail ? !strstr(p.detail, cases[i].detail) : p.detail[0] != '\0')
			fail_msg("%s: detail '%s'", cases[i].what, p.detail);
	}
}

static void counter_evidence(void **state)
{
	static const struct proof_need by_ring = { .a = -1, .b = -1, .nranks = 2, .algo = "RING" };
	static const struct proof_need by_nvls = {
		.a = -1, .b = -1, .nranks = 2, .algo = "NVLS_TREE"
	};
	const struct scan none = { 0 }, nvls = { .nvls = true, .nvls_comm = true },
			  set_up = { .nvls_comm = true }, symmetric = { .symmetric = true };
	const struct scan copies = { .copy_engine = true }, collnet = { .collnet = true },
			  broken = { .failed = true }, cut = { .n_cut = 1 };
	const struct {
		const struct scan *flags;
		int transport;
		const struct proof_need *need;
		enum proof_id verdict;
		const char *used, *detail;
	} table[] = {
		{ &none, TRANSPORT_P2P, &collective2, PROOF_YES, "P2P/CUMEM", "" },
		{ &nvls, TRANSPORT_P2P, &collective2, PROOF_NO, "P2P/CUMEM",
		  "asked for p2p, but the log shows data going around the channels: NVLS" },
		{ &symmetric, TRANSPORT_P2P, &collective2, PROOF_NO, "P2P/CUMEM",
		  "asked for p2p, but the log shows data going around the channels: symmetric "
		  "kernels" },
		{ &copies, TRANSPORT_P2P, &collective2, PROOF_NO, "P2P/CUMEM",
		  "asked for p2p, but the log shows data going around the channels: copy engine "
		  "collectives" },
		{ &collnet, TRANSPORT_P2P, &collective2, PROOF_NO, "P2P/CUMEM",
		  "asked for p2p, but the log shows data going around the channels: CollNet" },
		{ &broken, TRANSPORT_P2P, &collective2, PROOF_UNKNOWN, "P2P/CUMEM",
		  "part of the log was not read (memory, too long, or unknown words)" },
		{ &cut, TRANSPORT_AUTO, &collective2, PROOF_UNKNOWN, "P2P/CUMEM",
		  "part of the log was not read (memory, too long, or unknown words)" },
		{ &set_up, TRANSPORT_P2P, &collective2, PROOF_UNKNOWN, "P2P/CUMEM",
		  "NVLS was set up and the log does not say whether this operation used it" },
		{ &set_up, TRANSPORT_P2P, &by_ring, PROOF_YES, "P2P/CUMEM", "" },
		{ &set_up, TRANSPORT_P2P, &pair_both, PROOF_YES, "P2P/CUMEM", "" },
		{ &nvls, TRANSPORT_AUTO, &collective2, PROOF_YES, "P2P/CUMEM and NVLS", "" },
		{ &nvls, TRANSPORT_AUTO, &by_ring, PROOF_YES, "P2P/CUMEM", "" },
		{ &nvls, TRANSPORT_AUTO, &by_nvls, PROOF_YES, "P2P/CUMEM and NVLS", "" },
		{ &set_up, TRANSPORT_AUTO, &collective2, PROOF_YES, "P2P/CUMEM", "" },
		{ &nvls, TRANSPORT_AUTO, &pair_both, PROOF_YES, "P2P/CUMEM", "" },
		{ &nvls, TRANSPORT_NVLS, &by_nvls, PROOF_YES, "NVLS", "" },
		{ &set_up, TRANSPORT_NVLS, &by_nvls, PROOF_YES, "NVLS",
		  "" }, /* a later restart: no tuning lines */
		{ &none, TRANSPORT_NVLS, &by_nvls, PROOF_NO, "P2P/CUMEM",
		  "the log has channels and no sign of NVLS" },
		/* Set up for the communicator is not used by the operation. */
		{ &set_up, TRANSPORT_NVLS, &collective2, PROOF_UNKNOWN, "P2P/CUMEM",
		  "NVLS was set up, but the log does not say that this operation used it" },
		{ &set_up, TRANSPORT_NVLS, &by_ring, PROOF_NO, "P2P/CUMEM",
		  "NVLS was set up, but the operation used algorithm RING" },
		/* Another operation of the same log used it. */
		{ &nvls, TRANSPORT_NVLS, &collective2, PROOF_UNKNOWN, "P2P/CUMEM",
		  "NVLS was set up, but the log does not say that this operation used it" },
		{ &nvls, TRANSPORT_NVLS, &by_ring, PROOF_NO, "P2P/CUMEM",
		  "NVLS was set up, but the operation used algorithm RING" },
		{ &nvls, TRANSPORT_NVLS, &pair_both, PROOF_NO, "P2P/CUMEM",
		  "NVLS carries no send/recv" },
	};

	for (size_t i = 0; i < N_ELEMENTS(table); i++) {
		struct proof p;

		proof_judge(p2p, N_ELEMENTS(p2p), table[i].flags, table[i].transport, table[i].need,
			    &p);
		assert_int_equal(p.verdict, table[i].verdict);
		assert_string_equal(p.used, table[i].used);
		assert_string_equal(p.detail, table[i].detail);
	}
}

static void one_rank(void **state)
{
	const struct proof_need alone = { .a = -1, .b = -1, .nranks = 1 };
	struct proof p;

	proof_judge(NULL, 0, NULL, TRANSPORT_P2P, &alone, &p);
	assert_int_equal(p.verdict, PROOF_UNKNOWN);
	assert_int_equal(p.channels, -1);
	assert_string_equal(p.detail, "with 1 rank nothing is sent");
}

static void fewest_channels(void **state)
{
	struct scan_link links[] = { LINK(0, 1, 0, "P2P", "CUMEM"), LINK(0, 1, 1, "P2P", "CUMEM"),
				     LINK(1, 0, 0, "P2P", "CUMEM") };
	struct proof p;

	links[0].send_mask[0] = 0xff;
	links[1].send_mask[0] = 1;
	links[2].send_mask[0] = 0;
	links[2].recv_mask[2] = 0x1f; /* only the receiver was seen */
	proof_judge(links, 3, NULL, TRANSPORT_P2P, &collective2, &p);
	assert_int_equal(p.channels, 5);
	proof_judge(links, 3, NULL, TRANSPORT_P2P, &pair_one_way, &p);
	assert_int_equal(p.channels, 1);
}

/* In a gather the root sends to nobody. */
static void either_end(void **state)
{
	const struct scan_link gather[] = { LINK(1, 0, 1, "P2P", "CUMEM"),
					    LINK(2, 0, 1, "P2P", "CUMEM") };
	struct proof_need need = { .point_to_point = true, .a = -1, .b = -1, .nranks = 3 };
	struct proof p;

	proof_judge(gather, 2, NULL, TRANSPORT_P2P, &need, &p);
	assert_int_equal(p.verdict, PROOF_UNKNOWN);
	need.either_end = true;
	proof_judge(gather, 2, NULL, TRANSPORT_P2P, &need, &p);
	assert_int_equal(p.verdict, PROOF_YES);
	need.nranks = 4;
	proof_judge(gather, 2, NULL, TRANSPORT_P2P, &need, &p);
	assert_int_equal(p.verdict, PROOF_UNKNOWN);
	assert_string_equal(p.detail, "no \"via\" line of rank 3 of 4 in the log");
}

/* All words at their longest: nothing may overflow (sanitizers watch), all ends in a NUL. */
static void longest_words(void **state)
{
	struct scan_link l[2] = {
		LINK(0, 1, 0, "NET/abcdefghijklmnopqrs", "abcdefghijklmnopqrstuvwxyz01234"),
		LINK(1 << 23, 1, 0, "NET/abcdefghijklmnopqrt", "abcdefghijklmnopqrstuvwxyz01234")
	};
	struct proof p;

	proof_judge(l, 2, NULL, TRANSPORT_P2P, &collective2, &p);
	assert_int_equal(p.verdict, PROOF_NO);
	assert_int_equal(strlen(p.used), sizeof(p.used) - 1);
	assert_non_null(strstr(p.used, "mixed: 1 of 2 hops NET/abcdefghijklmnopqrs/"));
}

static const struct scan_link *find(const struct scan_link *set, size_t n, int from, int conn)
{
	for (size_t i = 0; i < n; i++)
		if (set[i].from == from && set[i].conn == conn)
			return &set[i];
	return NULL;
}

static void merge(void **state)
{
	const struct scan_link rank0[] = { { .from = 0,
					     .to = 1,
					     .conn = 0,
					     .cls = "NET/Socket",
					     .variant = "0",
					     .send_mask = { 1 } },
					   { .from = 1,
					     .to = 0,
					     .conn = 0,
					     .cls = "NET/Socket",
					     .variant = "0",
					     .recv_mask = { 7 } } };
	const struct scan_link rank1[] = { { .from = 1,
					     .to = 0,
					     .conn = 0,
					     .cls = "NET/Socket",
					     .variant = "0",
					     .send_mask = { 3 } },
					   { .from = 0,
					     .to = 1,
					     .conn = 0,
					     .cls = "NET/Socket",
					     .variant = "0",
					     .send_mask = { 0, 1 } },
					   { .from = 0,
					     .to = 1,
					     .conn = 1,
					     .cls = "NET/Socket",
					     .variant = "0/Shared",
					     .send_mask = { 1 } } };
	struct scan_link *set = NULL;
	size_t n = 0;

	assert_int_equal(proof_merge(&set, &n, rank0, 2), 0);
	assert_int_equal(n, 2);
	assert_int_equal(proof_merge(&set, &n, rank1, 3), 0);
	assert_int_equal(n, 3);
	assert_int_equal(find(set, n, 0, 0)->channels, 2); /* 0 and 64 */
	assert_int_equal(find(set, n, 1, 0)->channels,
			 2); /* the sender's word goes before the receiver's */
	assert_int_equal(find(set, n, 0, 1)->channels, 1);
	assert_int_equal(proof_merge(&set, &n, NULL, 0), 0);
	assert_int_equal(n, 3);
	free(set);
}

/* Grows past each power of two, in falling order, and stays ordered. */
static void merge_many(void **state)
{
	struct scan_link *set = NULL;
	size_t n = 0;

	for (int i = 999; i >= 0; i--) {
		struct scan_link l = LINK(i, 0, 0, "P2P", "IPC");

		assert_int_equal(proof_merge(&set, &n, &l, 1), 0);
		assert_int_equal(proof_merge(&set, &n, &l, 1), 0);
	}
	assert_int_equal(n, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(set[i].from, i);
	free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),   cmocka_unit_test(counter_evidence),
		cmocka_unit_test(one_rank),   cmocka_unit_test(fewest_channels),
		cmocka_unit_test(either_end), cmocka_unit_test(longest_words),
		cmocka_unit_test(merge),      cmocka_unit_test(merge_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
