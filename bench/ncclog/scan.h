/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL's log -> events. Resumable: feed it what the file has gained. Knows the formats of NCCL 2.3
 * to 2.30 (docs/nccl-logs.md); skips anything that stands before "NCCL INFO" or "NCCL WARN". No
 * regular expressions: memory and time are bounded by the line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "ncclog/lines.h"

struct scan_link { /* one ordered pair and connection kind seen in "Channel ... via ..." */
	int from, to;          /* ranks in the communicator */
	int conn; /* 0 collectives, 1 send/recv, -1 the log does not say (SHM, old versions) */
	char cls[24];          /* "P2P" "SHM" "NET/Socket" "NET/IB" ... */
	char variant[32];      /* "CUMEM" "IPC" "direct" "CUMEM/CE" "0/GDRDMA" "0/Shared" ... what
				* follows      the class; "direct pointer", "direct/direct", "direct
				* shared      memory" are      "direct" */
	int channels;          /* distinct lines from the sender's side, else from the receiver's */
	uint64_t send_mask[4], recv_mask[4]; /* channel numbers seen, 0..255 */
};

struct scan_tuning { /* "AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}"
		      */
	char func[24];
	uint64_t bytes;
	char algo[16], proto[16]; /* 2.24's words, also where the log has numbers; proto "" when
				   * algo is SYMMETRIC or COPY_ENGINE */
	int channels;          /* Hi - Lo + 1, or -1 */
};

struct scan {
	/* result so far */
	struct scan_link *links; size_t n_links;       /* ordered by from, to, conn, cls, variant */
	struct scan_tuning *tunings;
	size_t n_tunings;          /* last one per (func, bytes), ordered by bytes,
				    * func; func is "" before 2.23 */
	char version[32];          /* "2.28.3" */
	char first_warn[400];      /* text of the first WARN, without prefix */
	char warn_place[64];       /* "misc/socket.cc:71", "" when not given */
	int n_warns;
	int n_nodes, nranks; /* of the largest communicator ("comm ... nRanks 8 nNodes 2"), or -1 */
	bool nvls, symmetric, copy_engine,
	    collnet;               /* counter evidence: data moved without a channel */
	bool nvls_comm;            /* NVLS was set up for a communicator: by itself no use of it */
	char p2p_refused[400]; /* the line that says why P2P is off ("P2P is disabled between...",
				* "Could not enable P2P...", "Legacy IPC not supported"), or "" */
	size_t n_cut;          /* lines over 64 KiB (their end is not read), links and tunings past
				* the room for them, connections that cannot be read */
	struct lines lines;        /* resumable state */
	bool failed;               /* out of memory: the result is incomplete */
};

void scan_init(struct scan *s);
void scan_fini(struct scan *s);
void scan_feed(struct scan *s, const char *data, size_t len);
/* Treats what is left without a newline as a line; more may still be fed. */
void scan_end(struct scan *s);
const struct scan_tuning *scan_find_tuning(const struct scan *s, const char *func, uint64_t bytes);
/* "AllReduce: 8 Bytes -> Algo ...", in all its spellings; false: the record is not one. */
bool scan_parse_tuning(const struct log_record *r, struct scan_tuning *out) ATTR_MUST;
