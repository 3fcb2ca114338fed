/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of transports: the environment that forces one, what proves it, what it is compared with.
 * Each value cites where NCCL reads it (docs/transports.md). A value may hold %r: the rank.
 */
#pragma once

#include <stdbool.h>

enum transport_id {
	TRANSPORT_AUTO,
	TRANSPORT_P2P,
	TRANSPORT_P2P_IPC,
	TRANSPORT_P2P_CE,
	TRANSPORT_SHM,
	TRANSPORT_SOCKET,
	TRANSPORT_IB,
	TRANSPORT_IB_NOGDR,
	TRANSPORT_NVLS, /* backend nccl */
	TRANSPORT_UCX_CMA,
	TRANSPORT_UCX_SHM,
	TRANSPORT_UCX_TCP, /* backend ucx */
	TRANSPORT_COUNT,
};

enum backend_id { BACKEND_NCCL, BACKEND_UCX, BACKEND_COUNT };

enum transport_flag {
	TRANSPORT_DEFAULT = 1 << 0,   /* in the default sweep */
	TRANSPORT_FORCED = 1 << 1,    /* adds the base (transport_base) and blocks the others */
	TRANSPORT_ONE_HOST = 1 << 2,  /* N/A when ranks are on several hosts */
	TRANSPORT_NEEDS_P2P = 1 << 3, /* CUDA and NVML must say yes for the pairs */
	/* needs a device in /sys/class/infiniband; default only with one */
	TRANSPORT_NEEDS_IB = 1 << 4,
	TRANSPORT_NETWORK = 1 << 5,     /* on one host: loopback, labelled, never ranked */
	TRANSPORT_MULTICAST = 1 << 6,   /* vetoed by NCCL_NVLS_ENABLE=0 */
	TRANSPORT_STREAM_ONLY = 1 << 7, /* graph capture would change the path */
	/* works with several ranks on one GPU (distinct NCCL_HOSTID) */
	TRANSPORT_SHARES_GPU = 1 << 8,
};

enum peak_kind { PEAK_NONE, PEAK_P2P, PEAK_PCIE, PEAK_TCP };

struct env_pair {
	const char *name, *value;
};

struct transport {
	const char *name;      /* unique within a backend: --transports, CSV */
	int backend;
	const char *help;
	unsigned flags;
	int peak;
	/* What the log must say: class of "via CLASS/..." (P2P, SHM, NET/Socket, NET/IB) or a UCX
	 * transport name; NULL: whatever the log says (auto). variant: a word that must follow
	 * (IPC, CE), or NULL; counter: a word that must not (GDRDMA for ib-nogdr), or NULL. */
	const char *proof_class, *proof_variant, *proof_counter;
	struct env_pair set[12];        /* ends with name == NULL */
	/* added only when ranks share a host (NCCL_HOSTID of socket) */
	struct env_pair one_host_set[4];
};

extern const struct transport transport_table[TRANSPORT_COUNT];
extern const struct env_pair transport_base[]; /* of every TRANSPORT_FORCED row; ends with NULL */
extern const struct env_pair
    transport_debug[]; /* of every nccl row, auto included: NCCL_DEBUG, _SUBSYS, _FILE */
extern const char *const backend_names[BACKEND_COUNT];

int transport_find(int backend, const char *name); /* -1 */
int backend_find(const char *name);
/* Does a variable of the user's steer NCCL's choice of transport (one that a forced row sets)? */
bool transport_steers(const char *variable);
