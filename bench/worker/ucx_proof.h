/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which transport carried the messages of the last operation on this rank, by the library's own
 * account: for every peer that was sent to or received from, the lane of the smallest and of the
 * largest message.
 */
#pragma once

#include "base/attr.h"
#include "worker/ucx_net.h"

struct ucx_proof {
	const char *verdict; /* "yes", "no", "unknown": every lane is the wanted one, one is not,
				not said */
	char used[128]; /* "cma (control: posix)", "posix"; "" when nothing was exchanged or said */
	char detail[200]; /* why not yes */
	int channels;     /* lanes that carry the data, of the peer with the fewest; -1 not known */
	int peers;        /* ranks with which data was exchanged */
};

/* Judges what was exchanged since ucx_net_watch; `ucx_tls` as in the environment, may be NULL. */
void ucx_proof_judge(struct ucx_net *net, const char *ucx_tls, struct ucx_proof *out);
/* Lanes of all connections: "posix/memory,cma/memory", or "1:tcp/eth0 2:..." where peers differ. */
void ucx_proof_lanes(struct ucx_net *net, char *out, size_t max);
