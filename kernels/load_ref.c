/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C twin of the loads in load.cu: the same values, none of the speed. */
#include <math.h>
#include <string.h>

#include "ncclbench/kernels.h"

#define VECTOR_BYTES 16 /* the kernel leaves what does not fill one */

void nb_load_memory_ref(void *buf, uint64_t bytes)
{
	unsigned char *at = buf, *end = at + bytes / VECTOR_BYTES * VECTOR_BYTES;
	float x;

	for (; at < end; at += sizeof(x)) {
		memcpy(&x, at, sizeof(x));
		x += 1;
		memcpy(at, &x, sizeof(x));
	}
}

static float chains(int thread)
{
	float x[4], sum;

	for (int k = 0; k < 4; k++) {
		x[k] = (float)(thread + k);
		for (int i = 0; i < NB_LOAD_ROUNDS; i++)
			x[k] = fmaf(x[k], 0.999F, 0.5F);
	}
	sum = x[0] + x[1];
	sum += x[2];
	return sum + x[3];
}

void nb_load_arithmetic_kept_ref(void *buf, uint64_t bytes)
{
	uint64_t n = bytes / sizeof(float);

	for (uint64_t i = 0; i < n; i++) {
		float sum = chains((int)(i % NB_LOAD_THREADS));

		memcpy((unsigned char *)buf + i * sizeof(sum), &sum, sizeof(sum));
	}
}
