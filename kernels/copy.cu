/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies by SMs, for the ceilings: what a kernel can read from or write to another GPU's memory.
 * 16-byte vectors, several in flight per thread, the whole grid striding over the buffer. Not a
 * tuned memcpy: NCCL's kernels move data in this way, too.
 */
#include <stdint.h>

#include <cuda_runtime.h>

#include "ncclbench/kernels.h"

#define THREADS 512
#define BLOCKS_PER_SM 2
#define IN_FLIGHT 8     /* loads per thread before the first store */

__global__ static void copy_vectors(uint4 *to, const uint4 *from, uint64_t n)
{
	const uint64_t all = (uint64_t)gridDim.x * blockDim.x;
	uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint4 held[IN_FLIGHT];
	int k;

	for (; at + (IN_FLIGHT - 1) * all < n; at += IN_FLIGHT * all) {
#pragma unroll
		for (k = 0; k < IN_FLIGHT; k++)
			held[k] = from[at + k * all];
#pragma unroll
		for (k = 0; k < IN_FLIGHT; k++)
			to[at + k * all] = held[k];
	}
	for (; at < n; at += all)
		to[at] = from[at];
}

__global__ static void copy_bytes(unsigned char *to, const unsigned char *from, uint64_t n)
{
	const uint64_t all = (uint64_t)gridDim.x * blockDim.x;
	uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

	for (; at < n; at += all)
		to[at] = from[at];
}

/* Vectors where both ends allow them; what is left at the end, and everything of buffers that lie
 * badly, byte by byte. */
int nb_copy(void *dst, const void *src, uint64_t bytes, void *stream)
{
	const uint64_t vector = sizeof(uint4);
	bool aligned = (uintptr_t)dst % vector == 0 && (uintptr_t)src % vector == 0;
	uint64_t whole = aligned ? bytes / vector : 0, rest = bytes - whole * vector;
	int device = 0, sms = 0;
	cudaError_t rc = cudaGetDevice(&device);

	if (rc == cudaSuccess)
		rc = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	if (rc != cudaSuccess)
		return rc;
	if (whole)
		copy_vectors<<<sms * BLOCKS_PER_SM, THREADS, 0, (cudaStream_t)stream>>>(
		    (uint4 *)dst, (const uint4 *)src, whole);
	if (rest)
		copy_bytes<<<rest < vector ? 1 : sms, THREADS, 0, (cudaStream_t)stream>>>(
		    (unsigned char *)dst + whole * vector,
		    (const unsigned char *)src + whole * vector, rest);
	return cudaGetLastError();
}
