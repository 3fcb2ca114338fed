/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C twin of copy.cu: the same vectors and rest, one after the other. */
#include <stdint.h>
#include <string.h>

#include "ncclbench/kernels.h"

#define VECTOR 16

void nb_copy_ref(void *dst, const void *src, uint64_t bytes)
{
	unsigned char *to = dst;
	const unsigned char *from = src;
	uint64_t i;

	for (i = 0; i + VECTOR <= bytes; i += VECTOR)
		memcpy(to + i, from + i, VECTOR);
	for (; i < bytes; i++)
		to[i] = from[i];
}
