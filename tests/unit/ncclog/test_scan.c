/* SPDX-License-Identifier: Apache-2.0 */
/* The line formats of NCCL 2.3 to 2.30, what surrounds them, and what only looks like them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "ncclog/scan.h"

#define P "host1:101:202 [0] NCCL INFO "

static void scan_text(struct scan *s, const char *text)
{
	scan_init(s);
	scan_feed(s, text, strlen(text));
	scan_end(s);
}

static void feed_more(struct scan *s, const char *text)
{
	scan_feed(s, text, strlen(text));
}

/* ---- one connection line each ---- */

static const struct {
	const char *line;
	int from, to, conn;
	const char *cls, *variant;
	unsigned send, recv; /* masks of channels 0..31 */
} links[] = {
	/* 2.18.3 and later: NVML index in brackets */
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", 0, 1, 0, "P2P", "CUMEM", 1, 0 },
	{ P "Channel 03/1 : 1[1] -> 0[0] via P2P/CUMEM/CE", 1, 0, 1, "P2P", "CUMEM/CE", 8, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read/CE", 0, 1, 0, "P2P", "CUMEM/read/CE", 1,
	  0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/MNNVL", 0, 1, 0, "P2P", "MNNVL", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC/read", 0, 1, 0, "P2P", "IPC/read", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/direct pointer", 0, 1, 0, "P2P", "direct", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/direct pointer/read", 0, 1, 0, "P2P",
	  "direct/read", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 3[3] via P2P/indirect/1[1]/read", 0, 3, 0, "P2P",
	  "indirect/1[1]/read", 1, 0 },
	{ P "Channel 01 : 1[1] -> 0[0] via SHM/direct/direct", 1, 0, -1, "SHM", "direct", 2, 0 },
	{ P "Channel 01 : 1[1] -> 0[0] via SHM/CE/CE", 1, 0, -1, "SHM", "CE", 2, 0 },
	{ P "Channel 01 : 1[1] -> 0[0] via SHM/direct/CE", 1, 0, -1, "SHM", "direct/CE", 2, 0 },
	{ P "Channel 01 : 1[1] -> 0[0] via SHM/direct", 1, 0, -1, "SHM", "direct", 2,
	  0 }, /* 2.30.7 */
	{ P "Channel 00/0 : 0[0] -> 1[1] [send] via NET/Socket/0", 0, 1, 0, "NET/Socket", "0", 1,
	  0 },
	{ P "Channel 01/1 : 0[0] -> 1[1] [receive] via NET/Socket/0/Shared", 0, 1, 1, "NET/Socket",
	  "0/Shared", 0, 2 },
	{ P "Channel 02/0 : 8[0] -> 0[0] [receive] via NET/IB/3/GDRDMA", 8, 0, 0, "NET/IB",
	  "3/GDRDMA", 0, 4 },
	{ P "Channel 02/0 : 8[0] -> 0[0] [send] via NET/IB/3(12)/GDRDMA(PCI)/Shared", 8, 0, 0,
	  "NET/IB", "3(12)/GDRDMA(PCI)/Shared", 4, 0 },
	{ P "Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/0/GDRDMA", 0, 8, 0,
	  "NET/AWS Libfabric", "0/GDRDMA", 1, 0 },
	/* up to 2.18.1: bus id in brackets */
	{ P "Channel 00 : 0[1a000] -> 1[1b000] via P2P/IPC/read", 0, 1, -1, "P2P", "IPC/read", 1,
	  0 },
	{ P "Channel 07 : 7[e5000] -> 0[1a000] via direct shared memory", 7, 0, -1, "SHM", "direct",
	  128, 0 },
	{ P "Channel 00 : 0[1a000] -> 1[1b000] [send] via NET/IB/0/GDRDMA", 0, 1, -1, "NET/IB",
	  "0/GDRDMA", 1, 0 },
	/* 2.3, 2.4 */
	{ P "Ring 00 : 0[0] -> 1[1] via P2P/direct pointer", 0, 1, -1, "P2P", "direct", 1, 0 },
	{ P "Ring 01 : 0[0] -> 1[1] via direct shared memory", 0, 1, -1, "SHM", "direct", 2, 0 },
	{ P "Ring 00 : 1 -> 0 [receive] via NET/Socket/0", 1, 0, -1, "NET/Socket", "0", 0, 1 },
	{ P "Ring 00 : 3 -> 4 via NET/IB/0/GDRDMA/GDCopy", 3, 4, -1, "NET/IB", "0/GDRDMA/GDCopy", 1,
	  0 },
	/* what stands around it */
	{ "[rank0]:[2026-01-01 00:00:00] \033[32mhost:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> "
	  "1[1] via P2P/IPC\033[0m",
	  0, 1, 0, "P2P", "IPC", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM comm 0x55 nRanks 02", 0, 1, 0, "P2P",
	  "CUMEM", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\r", 0, 1, 0, "P2P", "CUMEM", 1, 0 },
	{ "      1   16.13   65.00   65.00  0" P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", 0, 1,
	  0, "P2P", "CUMEM", 1, 0 },
	/* a word newer than the tables is kept */
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/warp", 0, 1, 0, "P2P", "CUMEM/warp", 1, 0 },
	{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/HYPER", 0, 1, 0, "P2P", "HYPER", 1, 0 },
};

static void connection_formats(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(links); i++) {
		struct buf line = { 0 };
		struct scan s;

		buf_printf(&line, "%s\n", links[i].line);
		scan_text(&s, buf_text(&line));
		if (s.n_links != 1)
			fail_msg("%zu links in: %s", s.n_links, links[i].line);
		assert_int_equal(s.links[0].from, links[i].from);
		assert_int_equal(s.links[0].to, links[i].to);
		assert_int_equal(s.links[0].conn, links[i].conn);
		assert_string_equal(s.links[0].cls, links[i].cls);
		assert_string_equal(s.links[0].variant, links[i].variant);
		assert_int_equal(s.links[0].send_mask[0], links[i].send);
		assert_int_equal(s.links[0].recv_mask[0], links[i].recv);
		assert_int_equal(s.links[0].channels, 1);
		scan_fini(&s);
		buf_fini(&line);
	}
}

static const char *const no_links[] = {
	P "Channel 00/04 :    0   1", /* lists a ring */
	P "Channel 00 :    0   1",
	P "Channel 00/24 : 0 1",
	P "Ring 00 : 0 -> 1 -> 0",
	P "Ring 00 : 1 -> 0 failed to get link type and hop count",
	P "CollNet 00/0 : 0 [send] via COLLNET/SHARP/0",
	P "Channel 00/0 : 0[0] -> 1[1] via ",
	P "Channel 00/0 : 0[0] -> 1[1] via P2P/",
	P "Channel 00/0 : 0[0] -> 1[1] via NET/Socket",
	P "Channel 00/0 : 0[0] -> 1[1] via NET//0",
	P "Channel 00/0 : 0[0] -> 1[1] via CARRIER/PIGEON",
	P "Channel 256/0 : 0[0] -> 1[1] via P2P/IPC",
	P "Channel 00/0 : 99999999999[0] -> 1[1] via P2P/IPC",
	P "Channel 00/0 : 0[0 -> 1[1] via P2P/IPC",
	P "Channel 00/0 : -1[0] -> 1[1] via P2P/IPC",
	P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/andaverylongwordthatnobodywrote",
	"Channel 00/0 : 0[0] -> 1[1] via P2P/IPC", /* not a record of NCCL */
	"host:1:1 [0] NCCL TRACE Channel 00/0 : 0[0] -> 1[1] via P2P/IPC",
	P "Using network Socket",
	P "Check P2P Type isAllDirectP2p 1 directMode 0",
};

static void not_connections(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(no_links); i++) {
		struct buf line = { 0 };
		struct scan s;

		buf_printf(&line, "%s\n", no_links[i]);
		scan_text(&s, buf_text(&line));
		if (s.n_links != 0)
			fail_msg("a link in: %s", no_links[i]);
		scan_fini(&s);
		buf_fini(&line);
	}
}

/* SHM repeats channel numbers when send/recv connects after collectives: 3 lines, 2 channels. NET
 * is said by both ends. */
static void channels_are_distinct(void **state)
{
	struct scan s;

	scan_text(&s, P "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n" P
			"Channel 01 : 0[0] -> 1[1] via SHM/direct/direct\n" P
			"Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n" P
			"Channel 00/0 : 0[0] -> 2[2] [send] via NET/Socket/0\n" P
			"Channel 00/0 : 0[0] -> 2[2] [receive] via NET/Socket/0\n" P
			"Channel 70/0 : 0[0] -> 2[2] [receive] via NET/Socket/0\n" P
			"Channel 02/0 : 3[3] -> 2[2] [receive] via NET/Socket/0\n" P
			"Channel 64/0 : 3[3] -> 2[2] [receive] via NET/Socket/0\n");
	assert_int_equal(s.n_links, 3);
	assert_int_equal(s.links[0].channels, 2);
	assert_int_equal(s.links[1].channels, 1); /* the sender named one */
	assert_int_equal(s.links[1].recv_mask[1], 64);
	assert_int_equal(s.links[2].channels, 2); /* only the receiver was seen */
	scan_fini(&s);
}

/* Two processes on one line, with and without a space between. */
static void records_share_a_line(void **state)
{
	struct scan s;

	scan_text(&s, P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM" P
			"Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM " P
			"Channel 02/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA" P
			"comm 0x1 rank 0 nRanks 4 nNodes 2 localRanks 2"
			"h:1:2 [1] misc/socket.cc:71 NCCL WARN bad thing h:1:2 [0] NCCL INFO NVLS "
			"comm 0x1 headRank 0\n");
	assert_int_equal(s.n_links, 2);
	assert_string_equal(s.links[0].variant, "0/GDRDMA");
	assert_string_equal(s.links[1].variant, "CUMEM");
	assert_int_equal(s.links[1].channels, 2);
	assert_int_equal(s.nranks, 4);
	assert_int_equal(s.n_nodes, 2);
	assert_int_equal(s.n_warns, 1);
	assert_string_equal(s.first_warn, "bad thing");
	assert_string_equal(s.warn_place, "misc/socket.cc:71");
	assert_true(s.nvls_comm);
	scan_fini(&s);
}

/* A log that ends in the middle of a word proves nothing by that word. */
static void torn_ends(void **state)
{
	static const struct {
		const char *text;
		size_t links;
	} torn[] = {
		{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUM", 0 },
		{ P "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", 1 },
		{ P "Channel 00/0 : 0[0] -> 1[1] via SHM/direct/dir", 0 },
		{ P "Channel 00/0 : 0[0] -> 1[1] [send] via NET/Socket/0/Sha", 0 },
	};
	struct scan s;

	for (size_t i = 0; i < N_ELEMENTS(torn); i++) {
		scan_text(&s, torn[i].text);
		assert_int_equal(s.n_links, torn[i].links);
		scan_fini(&s);
	}
	scan_text(&s, P "comm 0x1 rank 0 nRanks 1");
	assert_int_equal(s.nranks, -1);
	feed_more(&s, "6 is another line now\n" P "comm 0x1 rank 0 nRanks 16 nNodes 2\n");
	assert_int_equal(s.nranks, 16);
	assert_int_equal(s.n_nodes, 2);
	scan_fini(&s);
	scan_text(&s, "NCCL version 2.2");
	assert_string_equal(s.version, "");
	scan_fini(&s);
}

/* ---- warnings, versions, facts ---- */

static void warnings(void **state)
{
	static const struct {
		const char *line, *text, *place;
	} warns[] = {
		{ "\nh:1:2 [0] include/socket.h:390 NCCL WARN Connect to 10.0.0.1<1> failed\n",
		  "Connect to 10.0.0.1<1> failed", "include/socket.h:390" },
		{ "[2026-11-30 15:07:54] h:1:2 [1] graph/tuning.cc:104 NCCL WARN Unrecognized\r\n",
		  "Unrecognized", "graph/tuning.cc:104" },
		{ "h:1:2 [1] transport.cc:39 (selectTransport) NCCL WARN No transport found\n",
		  "No transport found", "transport.cc:39" },
		{ "h:1:2 [1] NCCL WARN bare\033[0m\n", "bare", "" },
		/* the path of the machine that built it: the end that fits */
		{ "h:1:2 [1] /a_path_so_long_that_no_field_holds_it/of/whoever/made/this/package/"
		  "in/his/own/directories/hipify/src/transport/p2p.cc:239 NCCL WARN no\n",
		  "no", "package/in/his/own/directories/hipify/src/transport/p2p.cc:239" },
		{ "h:1:2 NCCL WARN older\n", "older", "" },
		{ "NCCL WARN alone\n", "alone", "" },
	};
	struct scan s;

	for (size_t i = 0; i < N_ELEMENTS(warns); i++) {
		scan_text(&s, warns[i].line);
		assert_int_equal(s.n_warns, 1);
		assert_string_equal(s.first_warn, warns[i].text);
		assert_string_equal(s.warn_place, warns[i].place);
		scan_fini(&s);
	}
	scan_text(&s, "h: failure 'invalid usage (run with NCCL_DEBUG=WARN for details)'\n"
		      "h:1:2 [0] a.cc:1 NCCL WARN one\nh:1:2 [0] b.cc:2 NCCL WARN two\n");
	assert_int_equal(s.n_warns, 2);
	assert_string_equal(s.first_warn, "one");
	assert_string_equal(s.warn_place, "a.cc:1");
	scan_fini(&s);
}

static void long_warning_is_cut(void **state)
{
	char line[1200] = "h:1:2 [0] a.cc:1 NCCL WARN ";
	struct scan s;

	memset(line + strlen(line), 'x', 1000);
	line[1100] = '\n';
	scan_text(&s, line);
	assert_int_equal(strlen(s.first_warn), sizeof(s.first_warn) - 1);
	scan_fini(&s);
}

static void versions(void **state)
{
	static const char *const lines[][2] = {
		{ "NCCL version 2.28.9+cuda13.0\n", "2.28.9" },
		{ P "NCCL version 2.28.3+cuda13.0\n", "2.28.3" },
		{ "NCCL version 2.4.8+cuda10.1\n", "2.4.8" },
		{ "[0] NCCL version 2.25.0a1+cuda12.8\n", "2.25.0a1" },
		{ "NCCL version mismatch with remote peer\n", "" },
		{ "# nccl-tests version 2.17.2 nccl-library=22803\n", "" },
		{ "NCCL version 2.18.1+cuda12.1\nNCCL version 2.19.3+cuda12.1\n", "2.18.1" },
	};
	struct scan s;

	for (size_t i = 0; i < N_ELEMENTS(lines); i++) {
		scan_text(&s, lines[i][0]);
		assert_string_equal(s.version, lines[i][1]);
		scan_fini(&s);
	}
}

static void communicators(void **state)
{
	struct scan s;

	scan_text(&s, P "ncclCommInitRank comm 0x5 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 70 "
			"commId 0x8 - Init START\n");
	assert_int_equal(s.nranks, 8);
	assert_int_equal(s.n_nodes, -1);
	feed_more(&s, P "comm 0x5 rank 1 nRanks 8 nNodes 2 localRanks 4 localRank 1 MNNVL 0\n");
	assert_int_equal(s.n_nodes, 2);
	/* a smaller one beside it, an older line form, and a larger one */
	feed_more(&s, P "comm 0x6 rank 1 nRanks 2 nNodes 1 localRanks 2\n");
	assert_int_equal(s.nranks, 8);
	assert_int_equal(s.n_nodes, 2);
	feed_more(&s, P "comm 0x7 rank 0 nranks 9 cudaDev 0 nvmlDev 0 - Init COMPLETE\n");
	assert_int_equal(s.nranks, 9);
	assert_int_equal(s.n_nodes, -1);
	scan_fini(&s);
}

static void refusals(void **state)
{
	static const char *const lines[][2] = {
		{ P
		  "P2P is disabled between connected GPUs 1 and 0. You can repress this message\n",
		  "P2P is disabled between connected GPUs 1 and 0. You can repress this message" },
		{ P "Could not enable P2P between dev 0(=1000) and dev 1(=2000)\r\n" P
		    "Legacy IPC not supported\n",
		  "Could not enable P2P between dev 0(=1000) and dev 1(=2000)" },
		{ P "Legacy IPC not supported\n", "Legacy IPC not supported" },
		{ P "NCCL_P2P_DISABLE set by environment to 1\n", "" },
	};
	struct scan s;

	for (size_t i = 0; i < N_ELEMENTS(lines); i++) {
		scan_text(&s, lines[i][0]);
		assert_string_equal(s.p2p_refused, lines[i][1]);
		scan_fini(&s);
	}
}

/* ---- tuning and counter-evidence ---- */

static void tunings(void **state)
{
	const struct scan_tuning *t;
	struct scan s;

	scan_text(&s,
		  P "AllReduce: 1048576 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..23}\n" P
		    "AllGather: 8 Bytes -> Algo PAT proto LL channel{Lo..Hi}={0..0}\n" P
		    "AllReduce: 1048576 Bytes -> Algo TREE proto SIMPLE channel{Lo..Hi}={4..7}\n" P
		    "Broadcast: 64 Bytes -> Algo 1 proto 2 time 12.300000\n" /* 2.23 */
		  P "4096 Bytes -> Algo 0 proto 1 time 5.100000\n");         /* 2.6 to 2.22 */
	assert_int_equal(s.n_tunings, 4);
	t = scan_find_tuning(&s, "AllReduce", 1048576);
	assert_non_null(t);
	assert_string_equal(t->algo, "TREE"); /* the last one counts */
	assert_string_equal(t->proto, "SIMPLE");
	assert_int_equal(t->channels, 4);
	t = scan_find_tuning(&s, "Broadcast", 64);
	assert_non_null(t);
	assert_string_equal(t->algo, "RING");
	assert_string_equal(t->proto, "SIMPLE");
	assert_int_equal(t->channels, -1);
	t = scan_find_tuning(&s, "", 4096);
	assert_non_null(t);
	assert_string_equal(t->algo, "TREE");
	assert_string_equal(t->proto, "LL128");
	assert_non_null(scan_find_tuning(&s, "AllGather", 8));
	assert_null(scan_find_tuning(&s, "AllGather", 9));
	assert_null(scan_find_tuning(&s, "AllReduce", 8));
	assert_false(s.nvls || s.nvls_comm || s.symmetric || s.copy_engine || s.collnet);
	scan_fini(&s);
}

enum { NVLS = 1, SYMMETRIC = 2, COPY_ENGINE = 4, COLLNET = 8, NVLS_COMM = 16 };

static const struct {
	const char *line;
	int flags;
} evidence[] = {
	{ P "NVLS comm 0x55 headRank 0 nHeads 2 nvlsRanks 2 buffSize 1048576", NVLS_COMM },
	{ P "AllReduce: 1024 Bytes -> Algo NVLS proto SIMPLE channel{Lo..Hi}={0..15}", NVLS },
	{ P "AllReduce: 1024 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..15}", NVLS },
	{ P "1024 Bytes -> Algo 4 proto 2 time 5.0", NVLS },
	{ P "1024 Bytes -> Algo 2 proto 2 time 5.0", COLLNET },
	{ P "AllReduce: 1024 Bytes -> Algo COLLNET_CHAIN proto SIMPLE channel{Lo..Hi}={0..1}",
	  COLLNET },
	{ P "CollNet 00/0 : 0 [send] via COLLNET/SHARP/0/GDRDMA", COLLNET },
	{ P "Coll 00 : 0 [send] via COLLNET/SHARP/0", COLLNET },
	{ P "AllReduce [Symmetric]: 1048576 Bytes -> Kernel AllReduce_RSxLD_AGxST nchannels 16 "
	    "nthreads 512 nWorks 1",
	  SYMMETRIC },
	{ P "AllGather [Copy Engine]: 1048576 Bytes -> cudaMemcpy", COPY_ENGINE },
	/* abilities, tables and settings are not evidence */
	{ P "NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)", 0 },
	{ P "24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 32 p2p "
	    "channels per peer",
	  0 },
	{ P "  Algorithm   |                    CollNetChain      |   NVLS    |    NVLSTree    |",
	  0 },
	{ P "NCCL_ALGO set by environment to NVLS", 0 },
	{ P "Symmetric memory is not supported", 0 },
	{ "# AllReduce [Symmetric]: 8 Bytes -> Kernel x nchannels 1", 0 },
};

static void counter_evidence(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(evidence); i++) {
		struct buf line = { 0 };
		struct scan s;
		int flags;

		buf_printf(&line, "%s\n", evidence[i].line);
		scan_text(&s, buf_text(&line));
		flags = s.nvls * NVLS + s.nvls_comm * NVLS_COMM + s.symmetric * SYMMETRIC +
			s.copy_engine * COPY_ENGINE + s.collnet * COLLNET;
		if (flags != evidence[i].flags)
			fail_msg("flags %d in: %s", flags, evidence[i].line);
		scan_fini(&s);
		buf_fini(&line);
	}
}

static void symmetric_is_a_tuning(void **state)
{
	const struct scan_tuning *t;
	struct scan s;

	scan_text(&s, P "AllReduce [Symmetric]: 4096 Bytes -> Kernel AllReduce_AGxLL_R nchannels "
			"16 nthreads 512 nWorks 1\n");
	t = scan_find_tuning(&s, "AllReduce", 4096);
	assert_non_null(t);
	assert_string_equal(t->algo, "SYMMETRIC");
	assert_string_equal(t->proto, "");
	assert_int_equal(t->channels, 16);
	scan_fini(&s);
}

/* ---- bounds and chunks ---- */

static void long_line_is_cut(void **state)
{
	static const char head[] = P "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC ";
	static const char tail[] = P "Channel 01/0 : 0[0] -> 1[1] via P2P/IPC\n" P
				     "Channel 02/0 : 0[0] -> 1[1] via P2P/IPC\n";
	size_t filler = 200 * 1024, len = strlen(head) + filler + strlen(tail);
	char *text = malloc(len + 1);
	struct scan whole, parts;

	assert_non_null(text);
	memcpy(text, head, strlen(head));
	memset(text + strlen(head), 'N', filler);
	memcpy(text + strlen(head) + filler, tail, sizeof(tail));
	scan_text(&whole, text);
	assert_int_equal(whole.n_cut, 1);
	assert_int_equal(whole.n_links, 1);
	assert_int_equal(whole.links[0].send_mask[0],
			 5); /* 0 from before the cut, 2 from the next line */
	scan_init(&parts);
	for (size_t i = 0; i < len; i += 1000)
		scan_feed(&parts, text + i, len - i < 1000 ? len - i : 1000);
	scan_end(&parts);
	assert_int_equal(parts.n_cut, 1);
	assert_int_equal(parts.links[0].send_mask[0], 5);
	assert_true(parts.lines.carry_cap <= 128 * 1024);
	scan_fini(&whole);
	scan_fini(&parts);
	free(text);
}

static void hostile_counts_are_bounded(void **state)
{
	struct buf b = { 0 };
	struct scan s;

	for (int i = 0; i < 20000; i++)
		buf_printf(&b, "NCCL INFO Channel 0 : %d[0] -> 1[1] via P2P/IPC\n", i);
	for (int i = 0; i < 5000; i++)
		buf_printf(&b, "NCCL INFO %d Bytes -> Algo 1 proto 2 time 1\n", i);
	scan_text(&s, buf_text(&b));
	assert_int_equal(s.n_links, 16384);
	assert_int_equal(s.n_tunings, 4096);
	assert_int_equal(s.n_cut, 20000 - 16384 + 5000 - 4096);
	assert_false(s.failed);
	for (size_t i = 0; i < s.n_links; i++)
		assert_int_equal(s.links[i].from, i);
	scan_fini(&s);
	buf_fini(&b);
}

static void nothing_and_zero_bytes(void **state)
{
	static const char zeros[] =
	    "NCCL INFO Chan\0nel 0 : 0 -> 1 via P2P/IPC\0\0\nNCCL WARN a\0b\n\n\r\n\0";
	struct scan s;

	scan_text(&s, "");
	assert_int_equal(s.n_links, 0);
	assert_int_equal(s.nranks, -1);
	scan_feed(&s, zeros, sizeof(zeros));
	scan_end(&s);
	scan_end(&s);
	assert_int_equal(s.n_links, 0);
	assert_string_equal(s.first_warn, "a");
	scan_fini(&s);
	scan_fini(&s);
}

/* meson test --benchmark. A dense log, every line a connection: 200 MB/s of one core is the aim,
 * measured as processor time; a tenth is asked. */
static void fast_enough(void **state)
{
	struct buf b = { 0 };
	struct timespec t0, t1;
	struct scan s;
	double seconds;

	for (int i = 0; i < 60000; i++)
		buf_printf(&b,
			   "node-17:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] via "
			   "P2P/CUMEM/read\n",
			   612 + i % 8, 900 + i % 8, i % 8, i % 32, i % 8, i % 8, (i + 1) % 8,
			   (i + 1) % 8);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
	scan_text(&s, buf_text(&b));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
	seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
	print_message("%.0f MB/s\n", (double)b.len / seconds / 1e6);
	assert_int_equal(s.n_links, 8);
	assert_true((double)b.len / seconds > 20e6);
	scan_fini(&s);
	buf_fini(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connection_formats),
		cmocka_unit_test(not_connections),
		cmocka_unit_test(channels_are_distinct),
		cmocka_unit_test(records_share_a_line),
		cmocka_unit_test(torn_ends),
		cmocka_unit_test(warnings),
		cmocka_unit_test(long_warning_is_cut),
		cmocka_unit_test(versions),
		cmocka_unit_test(communicators),
		cmocka_unit_test(refusals),
		cmocka_unit_test(tunings),
		cmocka_unit_test(counter_evidence),
		cmocka_unit_test(symmetric_is_a_tuning),
		cmocka_unit_test(long_line_is_cut),
		cmocka_unit_test(hostile_counts_are_bounded),
		cmocka_unit_test(nothing_and_zero_bytes),
	};
	const struct CMUnitTest benchmarks[] = { cmocka_unit_test(fast_enough) };

	if (argc > 1)
		return cmocka_run_group_tests(benchmarks, NULL, NULL);

	return cmocka_run_group_tests(tests, NULL, NULL);
}
