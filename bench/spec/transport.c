/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of transport.h. Names only: dropping, inheriting and the user's own settings are the
 * supervisor's. Where NCCL reads a variable is given as file:line of its src/ at 2.28.9.
 */
#include "spec/transport.h"

#include <string.h>

#include "spec/lookup.h"

/*
 * Three mechanisms move data without any "Channel ... via" transport and do not obey
 * NCCL_P2P_DISABLE: NVLS, symmetric-memory kernels, copy-engine collectives. A forced row switches
 * them off, and with them all that could change the path: plugins, the user's ~/.nccl.conf,
 * registration by graphs.
 */
/* clang-format off */
const struct env_pair transport_base[] = {
	{ "NCCL_NVLS_ENABLE", "0" },          /* transport/nvls.cc:152: before any multicast call */
	{ "NCCL_WIN_ENABLE", "0" },           /* init.cc:58: no symmetric windows */
	{ "NCCL_COLLNET_ENABLE", "0" },       /* init.cc:59 */
	{ "NCCL_MNNVL_ENABLE", "0" },         /* init.cc:740: no NVLink between hosts */
	{ "NCCL_CTA_POLICY", "0" },           /* init.cc:60: 1 prefers NVLS, 2 copy engines */
	{ "NCCL_P2P_USE_CUDA_MEMCPY", "0" },  /* transport/p2p.cc:115 */
	{ "NCCL_SHM_USE_CUDA_MEMCPY", "0" },  /* transport/shm.cc:66; gone in 2.30.7 */
	{ "NCCL_IGNORE_DISABLED_P2P", "0" },  /* graph/paths.cc:255: the driver decides */
	{ "NCCL_RAS_ENABLE", "0" },           /* bootstrap.cc:630: no listener beside a benchmark */
	{ "NCCL_CONF_FILE", "/dev/null" },    /* misc/param.cc:56: instead of ~/.nccl.conf */
	{ "NCCL_NET_PLUGIN", "none" },        /* plugin/net.cc:289 */
	{ "NCCL_TUNER_PLUGIN", "none" },      /* plugin/tuner.cc:56 */
	{ "NCCL_GRAPH_REGISTER", "0" },       /* enqueue.cc:258: else captures go zero-copy */
	{ NULL, NULL },
};

const struct env_pair transport_debug[] = {
	{ "NCCL_DEBUG", "INFO" },                                               /* debug.cc:46 */
	{ "NCCL_DEBUG_SUBSYS", "INIT,ENV,BOOTSTRAP,P2P,SHM,NET,GRAPH,TUNING" }, /* debug.cc:73 */
	{ "NCCL_DEBUG_FILE", "/proc/self/fd/4" }, /* debug.cc:224; NB_LOG_FD */
	{ NULL, NULL },
};

/*
 * Only the integer 1 acts in P2P_DISABLE (graph/paths.cc:263), SHM_DISABLE (transport/shm.cc:65)
 * and NET_DISABLE_INTRA (graph/paths.cc:533). P2P_LEVEL (graph/paths.cc:263) lifts the distance
 * rule only: what CUDA and NVML refuse stays refused.
 */
#define P2P_ONLY \
	{ "NCCL_P2P_DISABLE", "0" }, { "NCCL_P2P_LEVEL", "SYS" }, \
	{ "NCCL_SHM_DISABLE", "1" }, { "NCCL_NET_DISABLE_INTRA", "1" }

/*
 * Ranks with different NCCL_HOSTID (misc/utils.cc:87) are on different hosts for NCCL: P2P and SHM
 * refuse, and only the network is left. Disabling P2P and SHM instead works as well, but in 2.29.2
 * fails for send/recv over sockets (NVIDIA/nccl#2057). An empty value means the default and, being
 * in the environment, keeps /etc/nccl.conf from setting another (misc/param.cc: never overwrites).
 */
#define NET_ONLY(net) \
	{ "NCCL_NET", net }, /* init.cc:1706; beats faster networks and plugins */ \
	{ "NCCL_NET_DISABLE_INTRA", "0" }, { "NCCL_P2P_DISABLE", "" }, { "NCCL_SHM_DISABLE", "" }
#define OWN_HOSTID { { "NCCL_HOSTID", "ncclbench-rank%r" } }

/* UCX writes its log to standard output otherwise; descriptor 4 is the worker's log file (protocol.h). */
#define UCX_LOG { "UCX_LOG_FILE", "/proc/self/fd/4" }

const struct transport transport_table[TRANSPORT_COUNT] = {
	[TRANSPORT_AUTO] = {
		.name = "auto", .backend = BACKEND_NCCL,
		.help = "NCCL's own choice in your environment",
		.flags = TRANSPORT_DEFAULT, .peak = PEAK_NONE,
	},
	[TRANSPORT_P2P] = {
		.name = "p2p", .backend = BACKEND_NCCL,
		.help = "direct GPU to GPU, over NVLink or PCIe",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_FORCED | TRANSPORT_ONE_HOST |
			 TRANSPORT_NEEDS_P2P,
		.peak = PEAK_P2P, .proof_class = "P2P",
		.set = { P2P_ONLY },
	},
	[TRANSPORT_P2P_IPC] = {
		.name = "p2p-ipc", .backend = BACKEND_NCCL,
		.help = "p2p with CUDA IPC memory instead of cuMem",
		.flags = TRANSPORT_FORCED | TRANSPORT_ONE_HOST | TRANSPORT_NEEDS_P2P,
		.peak = PEAK_P2P, .proof_class = "P2P", .proof_variant = "IPC",
		.set = { P2P_ONLY, { "NCCL_CUMEM_ENABLE", "0" } }, /* misc/cudawrap.cc:15 */
	},
	[TRANSPORT_P2P_CE] = {
		.name = "p2p-ce", .backend = BACKEND_NCCL,
		.help = "p2p moved by copy engines (stream timing only)",
		.flags = TRANSPORT_FORCED | TRANSPORT_ONE_HOST | TRANSPORT_NEEDS_P2P |
			 TRANSPORT_STREAM_ONLY,
		.peak = PEAK_P2P, .proof_class = "P2P", .proof_variant = "CE",
		/* Only protocol Simple uses the copy engine, others would be measured under this
		 * name (transport/p2p.cc:115, enqueue.cc:1855). */
		.set = { P2P_ONLY, { "NCCL_P2P_USE_CUDA_MEMCPY", "1" },
			 { "NCCL_PROTO", "Simple" } },
	},
	[TRANSPORT_SHM] = {
		.name = "shm", .backend = BACKEND_NCCL,
		.help = "through host memory shared by the processes",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_FORCED | TRANSPORT_ONE_HOST,
		.peak = PEAK_PCIE, .proof_class = "SHM",
		.set = { { "NCCL_P2P_DISABLE", "1" }, { "NCCL_SHM_DISABLE", "0" },
			 { "NCCL_NET_DISABLE_INTRA", "1" } },
	},
	[TRANSPORT_SOCKET] = {
		.name = "socket", .backend = BACKEND_NCCL,
		.help = "TCP sockets; on one host over loopback",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_FORCED | TRANSPORT_NETWORK |
			 TRANSPORT_SHARES_GPU,
		.peak = PEAK_TCP, .proof_class = "NET/Socket",
		.set = { NET_ONLY("Socket"),
			 { "NCCL_IB_DISABLE", "1" } }, /* transport/net_ib.cc:507 */
		.one_host_set = OWN_HOSTID,
	},
	[TRANSPORT_IB] = {
		.name = "ib", .backend = BACKEND_NCCL,
		.help = "InfiniBand or RoCE verbs",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_FORCED | TRANSPORT_NETWORK |
			 TRANSPORT_NEEDS_IB | TRANSPORT_SHARES_GPU,
		.peak = PEAK_NONE, .proof_class = "NET/IB",
		.set = { NET_ONLY("IB"), { "NCCL_IB_DISABLE", "0" } },
		.one_host_set = OWN_HOSTID,
	},
	[TRANSPORT_IB_NOGDR] = {
		.name = "ib-nogdr", .backend = BACKEND_NCCL,
		.help = "ib without GPUDirect RDMA: staged in host memory",
		.flags = TRANSPORT_FORCED | TRANSPORT_NETWORK | TRANSPORT_NEEDS_IB |
			 TRANSPORT_SHARES_GPU,
		.peak = PEAK_NONE, .proof_class = "NET/IB", .proof_counter = "GDRDMA",
		.set = { NET_ONLY("IB"), { "NCCL_IB_DISABLE", "0" },
			 { "NCCL_NET_GDR_LEVEL", "LOC" } }, /* graph/paths.cc:454 */
		.one_host_set = OWN_HOSTID,
	},
	[TRANSPORT_NVLS] = {
		.name = "nvls", .backend = BACKEND_NCCL,
		.help = "NVLink multicast: only by name, never where NCCL_NVLS_ENABLE=0 is set",
		/* No peak: the switch reduces, so bus bandwidth does not describe the wire. */
		.flags = TRANSPORT_FORCED | TRANSPORT_ONE_HOST | TRANSPORT_NEEDS_P2P |
			 TRANSPORT_MULTICAST,
		.peak = PEAK_NONE, .proof_class = "NVLS",
		.set = { { "NCCL_NVLS_ENABLE", "1" },
			 { "NCCL_ALGO", "NVLS" } }, /* enqueue.cc:1851 */
	},
	/* UCX: not FORCED, since the base is NCCL's. UCX_TLS alone decides which transports exist
	 * (src/ucp/core/ucp_context.c); cma moves no control messages and takes posix for them. */
	[TRANSPORT_UCX_CMA] = {
		.name = "cma", .backend = BACKEND_UCX,
		.help = "single copy between processes (process_vm_readv)",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_ONE_HOST,
		.peak = PEAK_NONE, .proof_class = "cma",
		/* Without the scheme UCX 1.18 sends up to 2 KiB over posix; 1.13 takes cma either way. */
		.set = { { "UCX_TLS", "cma,posix" },
			 { "UCX_RNDV_THRESH", "0" },
			 { "UCX_RNDV_SCHEME", "get_zcopy" },
			 UCX_LOG },
	},
	[TRANSPORT_UCX_SHM] = {
		.name = "shm", .backend = BACKEND_UCX,
		.help = "two copies through POSIX shared memory",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_ONE_HOST,
		.peak = PEAK_NONE, .proof_class = "posix",
		.set = { { "UCX_TLS", "posix" }, UCX_LOG },
	},
	[TRANSPORT_UCX_TCP] = {
		.name = "tcp", .backend = BACKEND_UCX,
		.help = "TCP sockets; on one host over loopback",
		.flags = TRANSPORT_DEFAULT | TRANSPORT_NETWORK,
		.peak = PEAK_TCP, .proof_class = "tcp",
		.set = { { "UCX_TLS", "tcp" }, UCX_LOG },
	},
};
/* clang-format on */

const char *const backend_names[BACKEND_COUNT] = { [BACKEND_NCCL] = "nccl", [BACKEND_UCX] = "ucx" };

int transport_find(int backend, const char *name)
{
	for (int i = 0; name && i < TRANSPORT_COUNT; i++)
		if (transport_table[i].backend == backend &&
		    strcmp(transport_table[i].name, name) == 0)
			return i;
	return -1;
}

int backend_find(const char *name)
{
	return lookup(backend_names, BACKEND_COUNT, sizeof(backend_names[0]), 0, name);
}

bool transport_steers(const char *variable)
{
	/* Multicast is no way between two ranks of its own: switching it off sends nothing
	 * elsewhere. */
	for (int t = 0; t < TRANSPORT_COUNT; t++)
		for (const struct env_pair *p = transport_table[t].set; p->name; p++)
			if (transport_table[t].backend == BACKEND_NCCL &&
			    !(transport_table[t].flags & TRANSPORT_MULTICAST) &&
			    strcmp(p->name, variable) == 0)
				return true;
	return strcmp(variable, "NCCL_HOSTID") == 0 || strcmp(variable, "NCCL_ALGO") == 0;
}
