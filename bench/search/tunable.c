/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of tunable.h. Files and lines are of NCCL's src/ at 2.28.9 unless a version is named. */
#include "search/tunable.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

#define B(t) (1ULL << TRANSPORT_##t)
#define P2P_WAYS (B(P2P) | B(P2P_IPC))
#define SOCKET_WAYS (B(AUTO) | B(SOCKET))
#define IB_WAYS (B(AUTO) | B(IB) | B(IB_NOGDR))
#define NET_WAYS (SOCKET_WAYS | IB_WAYS)
#define NCCL_WAYS (P2P_WAYS | B(P2P_CE) | B(SHM) | NET_WAYS)
#define UCX_COPY (B(UCX_SHM) | B(UCX_TCP))

#define V(a, b, c) ((a)*10000 + (b)*100 + (c))

#define MORE_MEMORY "memory: one buffer per channel and peer"
#define MORE_SMS "channels are thread blocks: they take SMs from computing"
#define H200 "2 x H200, NCCL 2.28.3"

const char *const tunable_group_names[TUNE_GROUPS] = {
	[TUNE_CHANNELS] = "channels",
	[TUNE_SOCKETS] = "sockets",
	[TUNE_QUEUES] = "queue pairs",
	[TUNE_GDR] = "GPUDirect RDMA",
	[TUNE_PROTOCOL] = "protocol",
	[TUNE_ALGORITHM] = "algorithm",
	[TUNE_THREADS] = "threads",
	[TUNE_BUFFER] = "buffers",
	[TUNE_CHUNK] = "chunks",
	[TUNE_EAGER] = "thresholds",
	[TUNE_COPY_ENGINE] = "copy engine",
	[TUNE_CPUS] = "CPUs",
};

/* clang-format off */
const struct tunable tunable_table[] = {
	/* ---- NCCL ---- */
	{ "NCCL_MIN_NCHANNELS", BACKEND_NCCL, TUNE_CHANNELS, NCCL_WAYS, TUNE_COLLECTIVE, { "4", "8", "16", "32" }, "",
	  V(2, 5, 6), 0, 1, "least number of channels of collectives", MORE_SMS,
	  "graph/connect.cc:325; " H200 ": SHM 26.8 to 31.0 GB/s with 8 or 16, P2P 299 to 314 with 32" },
	{ "NCCL_MAX_NCHANNELS", BACKEND_NCCL, TUNE_CHANNELS, NCCL_WAYS, TUNE_COLLECTIVE, { "1", "2", "4", "8" }, "",
	  V(2, 5, 6), 0, 3, "most channels of collectives", "large messages get slower",
	  "graph/connect.cc:326; " H200 ": 20 instead of 24 costs P2P 4 to 5 %" },
	{ "NCCL_MIN_CTAS", BACKEND_NCCL, TUNE_CHANNELS, NCCL_WAYS, TUNE_COLLECTIVE, { "8", "16", "32" }, "",
	  V(2, 17, 1), 0, 3, "config.minCTAs: as NCCL_MIN_NCHANNELS, per communicator", MORE_SMS, "init.cc:1416" },
	{ "NCCL_MAX_CTAS", BACKEND_NCCL, TUNE_CHANNELS, NCCL_WAYS, TUNE_COLLECTIVE, { "2", "4", "8" }, "",
	  V(2, 17, 1), 0, 3, "config.maxCTAs: as NCCL_MAX_NCHANNELS, per communicator", "large messages get slower",
	  "init.cc:1415" },
	{ "NCCL_MIN_P2P_NCHANNELS", BACKEND_NCCL, TUNE_CHANNELS, NCCL_WAYS, TUNE_SEND_RECV, { "2", "4", "8", "16" }, "",
	  V(2, 7, 3), 0, 1, "least number of channels of send and receive", MORE_SMS, "graph/paths.cc:856" },
	{ "NCCL_NCHANNELS_PER_NET_PEER", BACKEND_NCCL, TUNE_CHANNELS, NET_WAYS, TUNE_SEND_RECV, { "2", "4", "8" }, "",
	  V(2, 12, 7), 0, 2, "channels of send and receive to one rank over a network", MORE_SMS, "init.cc:1419" },
	{ "NCCL_SOCKET_NTHREADS", BACKEND_NCCL, TUNE_SOCKETS, SOCKET_WAYS, TUNE_ANY, { "2", "4", "8", "16" }, "",
	  V(2, 4, 8), 0, 1, "helper threads per connection", "cores: each thread polls",
	  "transport/net_socket.cc:141, at most 16; " H200 ": 3.0 to 12.8 GB/s with 4 x 4 and 8 channels" },
	{ "NCCL_NSOCKS_PERTHREAD", BACKEND_NCCL, TUNE_SOCKETS, SOCKET_WAYS, TUNE_ANY, { "2", "4", "8" }, "",
	  V(2, 4, 8), 0, 1, "TCP connections of each helper thread", "files and ports",
	  "transport/net_socket.cc:140; times threads at most 64" },
	{ "NCCL_SOCKET_SNDBUF", BACKEND_NCCL, TUNE_SOCKETS, SOCKET_WAYS, TUNE_ANY, { "1048576", "4194304" }, "-1",
	  V(2, 27, 3), 0, 3, "send buffer of each socket", "kernel memory; net.core.wmem_max caps it", "misc/socket.cc:465" },
	{ "NCCL_SOCKET_RCVBUF", BACKEND_NCCL, TUNE_SOCKETS, SOCKET_WAYS, TUNE_ANY, { "1048576", "4194304" }, "-1",
	  V(2, 27, 3), 0, 3, "receive buffer of each socket", "kernel memory; net.core.rmem_max caps it", "misc/socket.cc:464" },
	{ "NCCL_SOCKET_MIN_TASKSIZE", BACKEND_NCCL, TUNE_SOCKETS, SOCKET_WAYS, TUNE_ANY, { "16384", "262144" }, "65536",
	  V(2, 27, 3), 0, 3, "smallest piece that goes to a socket of its own", "undocumented", "transport/net_socket.cc:139" },
	{ "NCCL_IB_QPS_PER_CONNECTION", BACKEND_NCCL, TUNE_QUEUES, IB_WAYS, TUNE_ANY, { "2", "4", "8" }, "1",
	  V(2, 10, 3), 0, 1, "queue pairs per connection: other ways through the fabric", "queue pairs of the adapter",
	  "transport/net_ib.cc:1215" },
	{ "NCCL_IB_SPLIT_DATA_ON_QPS", BACKEND_NCCL, TUNE_QUEUES, IB_WAYS, TUNE_ANY, { "1" }, "0",
	  V(2, 18, 1), 0, 2, "each message over all queue pairs instead of in turn", "", "transport/net_ib.cc:2062" },
	{ "NCCL_NET_GDR_LEVEL", BACKEND_NCCL, TUNE_GDR, B(AUTO) | B(IB), TUNE_ANY, { "LOC", "PHB", "SYS" }, "",
	  V(2, 4, 2), 0, 2, "largest distance of GPU and adapter for GPUDirect RDMA",
	  "slow where the PCIe root forwards badly", "graph/paths.cc:454" },
	{ "NCCL_NET_GDR_READ", BACKEND_NCCL, TUNE_GDR, B(AUTO) | B(IB), TUNE_ANY, { "0", "1" }, "-2",
	  0, 0, 2, "GPUDirect RDMA for sending, too", "", "graph/paths.cc:411" },
	/* LL128 is no value: forced on a link that tears 128-byte stores it corrupts now and then, and a check that
	 * found nothing would prove nothing. */
	{ "NCCL_PROTO", BACKEND_NCCL, TUNE_PROTOCOL, NCCL_WAYS & ~B(P2P_CE), TUNE_ANY, { "LL", "Simple", "^LL" }, "",
	  V(2, 5, 6), 0, 2, "protocols NCCL may choose from", "a forced protocol loses at the other end of the sizes",
	  "enqueue.cc:1855" },
	{ "NCCL_ALGO", BACKEND_NCCL, TUNE_ALGORITHM, NCCL_WAYS, TUNE_COLLECTIVE, { "Ring", "Tree" }, "",
	  V(2, 5, 6), 0, 2, "algorithms NCCL may choose from",
	  "operations that have no such algorithm fail", "enqueue.cc:1851" },
	{ "NCCL_NTHREADS", BACKEND_NCCL, TUNE_THREADS, NCCL_WAYS, TUNE_ANY, { "128", "256", "512" }, "",
	  0, 0, 2, "threads per channel; a multiple of 32", "registers and SMs of computing", "graph/tuning.cc:13" },
	{ "NCCL_BUFFSIZE", BACKEND_NCCL, TUNE_BUFFER, NCCL_WAYS, TUNE_ANY, { "1048576", "2097152", "8388608", "16777216" }, "",
	  0, 0, 1, "bytes of protocol Simple's buffer per channel (default 4 MiB)", MORE_MEMORY, "init.cc:700" },
	{ "NCCL_P2P_NET_CHUNKSIZE", BACKEND_NCCL, TUNE_CHUNK, NET_WAYS, TUNE_SEND_RECV, { "262144", "524288", "1048576" }, "131072",
	  V(2, 14, 3), 0, 1, "pieces of send and receive over a network", "latency of middle sizes", "init.cc:704" },
	{ "NCCL_P2P_NVL_CHUNKSIZE", BACKEND_NCCL, TUNE_CHUNK, P2P_WAYS | B(AUTO), TUNE_SEND_RECV, { "262144", "1048576" }, "524288",
	  V(2, 16, 2), 0, 2, "pieces of send and receive over NVLink", "undocumented", "init.cc:706" },
	{ "NCCL_P2P_PCI_CHUNKSIZE", BACKEND_NCCL, TUNE_CHUNK, P2P_WAYS | B(SHM) | B(AUTO), TUNE_SEND_RECV, { "262144", "524288" },
	  "131072", V(2, 16, 2), 0, 2, "pieces of send and receive over PCIe", "undocumented", "init.cc:705" },
	{ "NCCL_CHUNK_SIZE", BACKEND_NCCL, TUNE_CHUNK, NCCL_WAYS, TUNE_COLLECTIVE, { "131072", "524288" }, "0",
	  V(2, 12, 7), 0, 3, "pieces of collectives", "undocumented", "enqueue.cc:780" },
	{ "NCCL_P2P_USE_CUDA_MEMCPY", BACKEND_NCCL, TUNE_COPY_ENGINE, P2P_WAYS | B(AUTO), TUNE_ANY, { "1" }, "0",
	  V(2, 13, 4), 0, 3, "copy engines instead of kernels move P2P data",
	  "only protocol Simple; latency", "transport/p2p.cc:115; " H200 ": 299 falls to 103 GB/s" },
	{ "NCCL_SHM_USE_CUDA_MEMCPY", BACKEND_NCCL, TUNE_COPY_ENGINE, B(SHM) | B(AUTO), TUNE_ANY, { "1" }, "0",
	  V(2, 13, 4), V(2, 30, 4), 2, "copy engines instead of kernels move SHM data", "latency", "transport/shm.cc:66" },
	{ "NCCL_IGNORE_CPU_AFFINITY", BACKEND_NCCL, TUNE_CPUS, NCCL_WAYS, TUNE_ANY, { "1" }, "0",
	  V(2, 4, 6), 0, 2, "NCCL's threads run near the GPU, not where the job was bound",
	  "cores that the launcher gave to others", "graph/topo.cc:1726" },
	/* ---- UCX: names and words as ucx_info -c of 1.13 gives them ---- */
	{ "UCX_RNDV_THRESH", BACKEND_UCX, TUNE_EAGER, UCX_COPY, TUNE_ANY, { "8k", "32k", "128k", "512k", "inf" }, "auto",
	  0, 0, 1, "from this size on a message is announced, then fetched", "eager messages need receive buffers",
	  "ucx_info -c 1.13" },
	{ "UCX_RNDV_SCHEME", BACKEND_UCX, TUNE_PROTOCOL, UCX_COPY, TUNE_ANY, { "get_zcopy", "put_zcopy", "am" }, "auto",
	  0, 0, 2, "who moves an announced message", "", "ucx_info -c 1.13" },
	{ "UCX_ZCOPY_THRESH", BACKEND_UCX, TUNE_EAGER, UCX_COPY, TUNE_ANY, { "4k", "32k", "inf" }, "auto",
	  0, 0, 2, "from this size on eager messages are not copied", "registration", "ucx_info -c 1.13" },
	{ "UCX_BCOPY_THRESH", BACKEND_UCX, TUNE_EAGER, UCX_COPY, TUNE_ANY, { "0", "1k" }, "auto",
	  0, 0, 3, "from this size on messages go through a buffer of the transport", "", "ucx_info -c 1.13" },
	{ "UCX_TCP_TX_SEG_SIZE", BACKEND_UCX, TUNE_BUFFER, B(UCX_TCP), TUNE_ANY, { "16k", "64k", "256k" }, "8k",
	  0, 0, 1, "send buffer of the transport: the largest eager piece", "memory per connection", "ucx_info -c 1.13" },
	{ "UCX_TCP_RX_SEG_SIZE", BACKEND_UCX, TUNE_BUFFER, B(UCX_TCP), TUNE_ANY, { "128k", "512k" }, "64k",
	  0, 0, 2, "receive buffer of the transport", "memory per connection", "ucx_info -c 1.13" },
	{ "UCX_TCP_SNDBUF", BACKEND_UCX, TUNE_SOCKETS, B(UCX_TCP), TUNE_ANY, { "256k", "2m" }, "auto",
	  0, 0, 2, "send buffer of each socket", "kernel memory; net.core.wmem_max caps it", "ucx_info -c 1.13" },
	{ "UCX_TCP_RCVBUF", BACKEND_UCX, TUNE_SOCKETS, B(UCX_TCP), TUNE_ANY, { "256k", "2m" }, "auto",
	  0, 0, 2, "receive buffer of each socket", "kernel memory; net.core.rmem_max caps it", "ucx_info -c 1.13" },
	{ "UCX_TCP_PUT_ENABLE", BACKEND_UCX, TUNE_PROTOCOL, B(UCX_TCP), TUNE_ANY, { "n" }, "y",
	  0, 0, 2, "announced messages are put by the sender", "", "ucx_info -c 1.13" },
	{ "UCX_TCP_MAX_POLL", BACKEND_UCX, TUNE_THREADS, B(UCX_TCP), TUNE_ANY, { "4", "64" }, "16",
	  0, 0, 3, "polls of a ready socket before the others get their turn", "", "ucx_info -c 1.13" },
	{ "UCX_MAX_EAGER_RAILS", BACKEND_UCX, TUNE_CHANNELS, B(UCX_TCP), TUNE_ANY, { "2" }, "1",
	  0, 0, 3, "devices an eager message is spread over; acts where there are several", "", "ucx_info -c 1.13" },
	{ "UCX_MAX_RNDV_RAILS", BACKEND_UCX, TUNE_CHANNELS, B(UCX_TCP), TUNE_ANY, { "1", "4" }, "2",
	  0, 0, 3, "devices an announced message is spread over; acts where there are several", "", "ucx_info -c 1.13" },
	{ "UCX_POSIX_SEG_SIZE", BACKEND_UCX, TUNE_BUFFER, B(UCX_SHM), TUNE_ANY, { "16k", "32k" }, "8256",
	  0, 0, 1, "buffers in shared memory: the largest eager piece", "shared memory per rank", "ucx_info -c 1.13, where 64k and more crash" },
	{ "UCX_POSIX_FIFO_SIZE", BACKEND_UCX, TUNE_BUFFER, B(UCX_SHM) | B(UCX_CMA), TUNE_ANY, { "128", "512" }, "64",
	  0, 0, 2, "places in the receive queue; a power of two", "shared memory per rank", "ucx_info -c 1.13" },
	{ "UCX_CMA_SEG_SIZE", BACKEND_UCX, TUNE_CHUNK, B(UCX_CMA), TUNE_ANY, { "64k", "128k", "2m", "8m" }, "512k",
	  0, 0, 1, "pieces of one copy between processes", "", "ucx_info -c 1.13" },
};

const struct recipe recipe_table[] = {
	{ BACKEND_NCCL, SOCKET_WAYS, "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4 NCCL_MIN_NCHANNELS=8",
	  H200 ": 3.0 to 12.8 GB/s" },
	{ BACKEND_NCCL, SOCKET_WAYS, "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4", "as above, without the channels" },
	{ BACKEND_UCX, B(UCX_TCP), "UCX_TCP_TX_SEG_SIZE=64k UCX_TCP_RX_SEG_SIZE=128k", "both buffers together" },
};

const struct tunable_limit limit_table[] = {
	{ "NCCL_SOCKET_NTHREADS", "NCCL_NSOCKS_PERTHREAD", 64, "transport/net_socket.cc:140" },
	{ "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", 0, "a minimum above the maximum means nothing" },
	{ "NCCL_MIN_CTAS", "NCCL_MAX_CTAS", 0, "a minimum above the maximum means nothing" },
	{ "NCCL_MIN_NCHANNELS", "NCCL_MAX_CTAS", 0, "two names of one thing" },
	{ "NCCL_MIN_CTAS", "NCCL_MAX_NCHANNELS", 0, "two names of one thing" },
};
/* clang-format on */

const size_t n_tunables = N_ELEMENTS(tunable_table), n_recipes = N_ELEMENTS(recipe_table),
	     n_limits = N_ELEMENTS(limit_table);

int tunable_find(const char *name)
{
	for (size_t i = 0; i < n_tunables; i++)
		if (strcmp(tunable_table[i].name, name) == 0)
			return (int)i;
	return -1;
}

int tunable_version(const char *text)
{
	int part[3] = { 0 };
	char *end;

	for (int i = 0; i < 3; i++) {
		unsigned long v = strtoul(text, &end, 10);

		if (end == text || v > 99 || *text < '0' || *text > '9')
			return 0;
		part[i] = (int)v;
		if (*end != '.')
			return i == 2   ? V(part[0], part[1], part[2])
			       : i == 1 ? V(part[0], part[1], 0)
					: 0;
		text = end + 1;
	}
	return V(part[0], part[1], part[2]);
}

bool tunable_in_version(const struct tunable *t, int version)
{
	return version == 0 ||
	       ((t->since == 0 || version >= t->since) && (t->until == 0 || version <= t->until));
}
