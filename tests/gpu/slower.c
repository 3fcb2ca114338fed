/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An NCCL that is slower by a known amount, for studies of the gate: preloaded into a worker, it
 * lets a kernel spin behind every all_reduce of the sizes it is told, in the same stream. Not for
 * measuring anything.
 *
 *   SLOWER="BYTES:NS,BYTES:NS" LD_PRELOAD=.../libslower.so
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

int spin_launch(uint64_t ns, void *stream);

static const size_t bytes_of[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 }; /* ncclDataType_t from 0 on */

/* ns for that size; 0: leave it alone. */
static uint64_t delay(size_t bytes)
{
	const char *at = getenv("SLOWER");
	char *end;

	while (at && *at) {
		unsigned long long size = strtoull(at, &end, 10), ns = 0;

		if (*end == ':')
			ns = strtoull(end + 1, &end, 10);
		if (size == bytes)
			return ns;
		at = *end == ',' ? end + 1 : NULL;
	}
	return 0;
}

__attribute__((visibility("default"))) ncclResult_t
ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t redop,
	      ncclComm_t comm, cudaStream_t stream)
{
	static ncclResult_t (*real)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t,
				    ncclComm_t, cudaStream_t);
	uint64_t ns =
	    (size_t)type < sizeof(bytes_of) / sizeof(*bytes_of) ? delay(count * bytes_of[type]) : 0;
	ncclResult_t rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ncclAllReduce");
	if (!real)
		return ncclSystemError;
	rc = real(send, recv, count, type, redop, comm, stream);
	if (rc == ncclSuccess && ns && spin_launch(ns, stream) != cudaSuccess)
		return ncclUnhandledCudaError;
	return rc;
}
