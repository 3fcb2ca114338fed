/* SPDX-License-Identifier: Apache-2.0 */
/* Events of all ranks + a transport row -> proven yes, no or unknown, in words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ncclog/scan.h"

enum proof_id { PROOF_UNKNOWN, PROOF_YES, PROOF_NO };
extern const char *const proof_names[3];

struct proof_need { /* which ordered pairs must have been seen */
	bool point_to_point;  /* send/recv connections (conn 1 or -1), not collective ones (0 or -1)
			       */
	int a, b;             /* >= 0: exactly a->b and, when both_ways, b->a; -1: every rank sends
	                       * to someone */
	bool both_ways;
	bool either_end; /* with -1: a rank that only receives has taken part (gather, scatter) */
	/* With -1, where the operation says who sends to whom: the i-th rank that sends to `rank`,
	 * from 0, -1 behind the last; each of these pairs is needed. NULL: the library chooses
	 * (collectives). */
	int (*sender)(const void *arg, int rank, int i);
	const void *arg;
	int nranks;
	/* Of each rank, a number per host; NULL: one host. A network's row forces the way between
	 * hosts only: there collective operations may take P2P or SHM inside a host. */
	const int *host;
	const char *algo; /* the log's word for the algorithm of this operation; NULL or "": it does
			     not say */
};

struct proof {
	enum proof_id verdict;
	char used[64]; /* "P2P/CUMEM", "SHM/direct", "NET/Socket", "mixed: 2 of 4 hops NET/Socket",
			* the class alone when only variants differ, "" when nothing was seen */
	char detail[200];  /* why not yes */
	int channels;      /* of the pair with the fewest; -1 unknown */
};

/* `links` of all ranks together (each rank's log may repeat a pair: merged by the caller with
 * proof_merge, or one scan's; both are ordered by pair). `flags`: the counter-evidence of all ranks
 * or'ed into one (failed and n_cut as well), may be NULL. With a and b given only their links
 * count, else all. yes: all that was needed was seen and every link is what the transport's row
 * asks for. */
void proof_judge(const struct scan_link *links, size_t n, const struct scan *flags, int transport,
		 const struct proof_need *need, struct proof *out);
/* Adds links to a set, merging equal (from,to,conn,cls,variant); the set starts as NULL and 0,
 * grows by this only and is freed with free(). 0 or -ENOMEM. */
int proof_merge(struct scan_link **set, size_t *n, const struct scan_link *more, size_t n_more);
