/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of ceiling.h. Sizes: large enough that starting a copy costs little, small enough
 * for a second in all. */
#include "spec/ceiling.h"

#include "spec/lookup.h"

#define PEER_BYTES (256u << 20) /* 0.7 ms at 400 GB/s, and several times any L2 */
#define HOST_BYTES (64u << 20)  /* 1.2 ms at 55 GB/s */
#define PEER (CEILING_NEEDS_GPU | CEILING_NEEDS_PEER)
#define BOTH ", while the other direction is busy in the same way"

const struct ceiling ceiling_table[CEILING_COUNT] = {
	[CEILING_CE_WRITE] = { "ce-write", "copy engine write (measured)",
			       "cudaMemcpyPeerAsync from the own GPU to the other one by the own "
			       "copy engine",
			       "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_CE_READ] = { "ce-read", "copy engine read (measured)",
			      "cudaMemcpyPeerAsync from the other GPU to the own one by the own "
			      "copy engine",
			      "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_CE_WRITE_BOTH] = { "ce-write-both", "copy engine write, both ways (measured)",
				    "as copy engine write" BOTH, "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_CE_READ_BOTH] = { "ce-read-both", "copy engine read, both ways (measured)",
				   "as copy engine read" BOTH, "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_SM_WRITE] = { "sm-write", "SM kernel write (measured)",
			       "a kernel on the own GPU copies from its memory to the other GPU's",
			       "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_SM_READ] = { "sm-read", "SM kernel read (measured)",
			      "a kernel on the own GPU copies from the other GPU's memory to its "
			      "own",
			      "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_SM_WRITE_BOTH] = { "sm-write-both", "SM kernel write, both ways (measured)",
				    "as SM kernel write" BOTH, "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_SM_READ_BOTH] = { "sm-read-both", "SM kernel read, both ways (measured)",
				   "as SM kernel read" BOTH, "p2p", PEER, PEER_BYTES, 4, 0 },
	[CEILING_HOST_TO_GPU] = { "host-to-gpu", "pinned host to GPU (measured)",
				  "cudaMemcpyAsync from pinned host memory", "shm",
				  CEILING_NEEDS_GPU, HOST_BYTES, 4, 0 },
	[CEILING_GPU_TO_HOST] = { "gpu-to-host", "GPU to pinned host (measured)",
				  "cudaMemcpyAsync to pinned host memory", "shm", CEILING_NEEDS_GPU,
				  HOST_BYTES, 4, 0 },
	[CEILING_HOST_TO_GPU_BOTH] = { "host-to-gpu-both",
				       "pinned host to GPU, both ways (measured)",
				       "as pinned host to GPU, while the GPU copies to pinned host "
				       "memory",
				       "shm", CEILING_NEEDS_GPU, HOST_BYTES, 4, 0 },
	[CEILING_GPU_TO_HOST_BOTH] = { "gpu-to-host-both",
				       "GPU to pinned host, both ways (measured)",
				       "as GPU to pinned host, while the GPU is copied to from "
				       "pinned host memory",
				       "shm", CEILING_NEEDS_GPU, HOST_BYTES, 4, 0 },
	[CEILING_LOCAL] = { "local", "copy within the GPU (measured)",
			    "cudaMemcpyAsync between two buffers of one GPU; bytes copied, so "
			    "memory moves twice as many",
			    "", CEILING_NEEDS_GPU, PEER_BYTES, 8, 0 },
	[CEILING_HOST_COPY] = { "host-copy", "host memory copy, one thread (measured)",
				"memcpy between two buffers of host memory; bytes copied", "", 0,
				HOST_BYTES, 1, 0 },
	[CEILING_TCP_1] = { "tcp-1", "TCP 1 stream (measured)",
			    "plain sockets between two ranks, a thread per stream and end",
			    "socket", CEILING_NEEDS_TCP, 0, 0, 1 },
	[CEILING_TCP_4] = { "tcp-4", "TCP 4 streams (measured)",
			    "plain sockets between two ranks, a thread per stream and end",
			    "socket", CEILING_NEEDS_TCP, 0, 0, 4 },
	[CEILING_TCP_16] = { "tcp-16", "TCP 16 streams (measured)",
			     "plain sockets between two ranks, a thread per stream and end",
			     "socket", CEILING_NEEDS_TCP, 0, 0, 16 },
	[CEILING_TCP_BOTH] = { "tcp-both", "TCP, both ways (measured)",
			       "as the fastest TCP row, each stream in both directions at once; "
			       "the slower direction",
			       "socket", CEILING_NEEDS_TCP, 0, 0, 0 },
};

int ceiling_find(const char *name)
{
	return LOOKUP(ceiling_table, CEILING_COUNT, struct ceiling, name, name);
}
