/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that keeps a GPU busy beside communication: one that memory limits, one that arithmetic
 * limits. Each launch is short, and so are its blocks, so that other kernels always get in. Not a
 * model of any network: two ends between which real kernels lie.
 */
#include <stdint.h>

#include <cuda_runtime.h>

#include "ncclbench/kernels.h"

/* Many short blocks: with one wave of long ones a few SMs less would cost a second wave, and a
 * kernel that finds no room on an SM would wait for the whole piece. All rounds of an SM take about
 * 70 us at 1.98 GHz; a thread of the other load takes a few vectors. */
#define FMA_BLOCKS_PER_SM 32
#define MEM_VECTORS 8
#define BLOCKS_MOST (1 << 20)
#define KEEP_NONE 0.0f /* every sum is above */
#define KEEP_ALL 1e30f

/* Reads, adds and writes every element once: 32 bytes move for each 16 of the buffer. */
__global__ static void load_memory(float4 *v, uint64_t n)
{
	const uint64_t all = (uint64_t)gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
		float4 x = v[i];

		x.x += 1.0f;
		x.y += 1.0f;
		x.z += 1.0f;
		x.w += 1.0f;
		v[i] = x;
	}
}

/* Four chains of fused multiply-adds per thread in registers. What is stored depends on their
 * result, so that the compiler cannot leave them out. */
__global__ static void load_arithmetic(float *out, uint64_t n, int rounds, float keep_below)
{
	const uint64_t me = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	float a = (float)threadIdx.x, b = a + 1, c = a + 2, d = a + 3;

	for (int i = 0; i < rounds; i++) {
		a = fmaf(a, 0.999f, 0.5f);
		b = fmaf(b, 0.999f, 0.5f);
		c = fmaf(c, 0.999f, 0.5f);
		d = fmaf(d, 0.999f, 0.5f);
	}
	a = a + b + c + d;
	if (a < keep_below && me < n)
		out[me] = a;
}

static int blocks(int per_sm)
{
	int device = 0, sms = 0;

	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
		sms = 0;
	return (sms > 0 ? sms : 32) * per_sm;
}

extern "C" int nb_load_memory(void *buf, uint64_t bytes, void *stream)
{
	const uint64_t n = bytes / sizeof(float4), each = NB_LOAD_THREADS * MEM_VECTORS;
	const uint64_t grid = n < each ? 1 : n / each;

	load_memory<<<(unsigned)(grid < BLOCKS_MOST ? grid : BLOCKS_MOST), NB_LOAD_THREADS, 0,
		      (cudaStream_t)stream>>>((float4 *)buf, n);
	return cudaGetLastError();
}

static int launch_arithmetic(void *out, uint64_t n, float keep_below, void *stream)
{
	load_arithmetic<<<blocks(FMA_BLOCKS_PER_SM), NB_LOAD_THREADS, 0, (cudaStream_t)stream>>>(
	    (float *)out, n, NB_LOAD_ROUNDS, keep_below);
	return cudaGetLastError();
}

extern "C" int nb_load_arithmetic(void *buf, uint64_t bytes, void *stream)
{
	return launch_arithmetic(buf, bytes / sizeof(float), KEEP_NONE, stream);
}

extern "C" int nb_load_arithmetic_kept(void *buf, uint64_t bytes, void *stream)
{
	return launch_arithmetic(buf, bytes / sizeof(float), KEEP_ALL, stream);
}
