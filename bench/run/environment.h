/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment a worker starts with: what we inherited, minus the launcher's variables, plus the
 * transport's row. What was changed and what was overruled is kept for run.json and one line of
 * text.
 */
#pragma once

#include <stdbool.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/env.h"

struct arm;
struct env_pair;

struct environment_request {
	int transport; /* transport_id */
	int rank;
	int nranks, fake_hosts; /* fake_hosts > 0: NCCL takes the ranks for on so many hosts */
	bool one_host;          /* ranks share hosts: network rows get a host id per rank */
	bool share_gpu;         /* several ranks on one GPU: the same */
	bool tuning;            /* keep TUNING in NCCL_DEBUG_SUBSYS */
	bool veto; /* some rank's environment has NCCL_NVLS_ENABLE=0: it holds for all */
	const struct arm
	    *arm; /* of a comparison: comes after the user's environment and before the row; NULL */
	const char *nccl_lib;   /* --nccl-lib, or NULL; the arm's own wins */
	const struct env_pair
	    *method; /* how another tool sets up its communicators: after the row; NULL */
	const char *net_device; /* UCX_NET_DEVICES of the tcp row, or NULL */
};

struct environment {
	struct env env;
	struct buf overruled; /* "NCCL_P2P_DISABLE=1 ", user's settings that the row replaced */
	struct buf set;       /* "NCCL_P2P_DISABLE=0 ...", what the row set, in order */
	bool vetoed;          /* NCCL_NVLS_ENABLE=0 of the user was enforced over the row */
};

/*
 * What nccl-tests asks of a communicator by ncclConfig_t, as the variables that override those
 * fields: nvlinkCentricSched 1 from NCCL 2.28 on and, in sendrecv alone, maxP2pPeers 2 from 2.30 on
 * (nccl-tests 2.19.6, common.cu and sendrecv.cu). Older NCCL ignores them.
 */
const struct env_pair *environment_nccl_tests(bool sendrecv);

/* The faked host of a rank: blocks of equal size, as far as that goes. */
int environment_fake_host(int rank, int nranks, int hosts);
int environment_build(struct environment *e, char *const *inherited,
		      const struct environment_request *r) ATTR_MUST;
void environment_fini(struct environment *e);
/* --nccl-lib: the same soname loaded first wins over the one the worker was linked with. */
int environment_preload(struct env *e, const char *library) ATTR_MUST;

/* NCCL_NVLS_ENABLE in `inherited` is off: NCCL reads it with strtoll, so any text that is not a
 * number other than 0 is off; the empty string means the default. Fixed: this veto reaches every
 * worker of every command. */
bool environment_multicast_veto(char *const *inherited);
/* Would NAME=value, set for a worker, touch multicast? Nothing but the user's own environment may:
 * what is given on a command line is refused. */
bool environment_touches_multicast(const char *name, const char *value);
/* Variables that launchers and this program set for their own use: no one else may. */
bool environment_is_internal(const char *name);
/* Variables of the user that steer NCCL's choice of transport (those any forced row sets), as "A=1
 * B=2"; "" for none. */
void environment_steering(char *const *inherited, struct buf *out);
/* Variables worth recording: NCCL_*, UCX_*, CUDA_*, OMPI_MCA_* and a few more; never the whole
 * environment. */
bool environment_recordable(const char *name);
