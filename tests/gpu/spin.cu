/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that does nothing for a given time, for slower.c. Not part of any worker. */
#include <stdint.h>

#include <cuda_runtime.h>

__global__ static void spin(uint64_t ns)
{
	uint64_t began, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - began < ns);
}

extern "C" int spin_launch(uint64_t ns, void *stream)
{
	spin<<<1, 1, 0, (cudaStream_t)stream>>>(ns);
	return cudaGetLastError();
}
