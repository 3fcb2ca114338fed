/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C twins of the pattern kernels: the UCX worker's checks, and what tests/gpu compares with.
 */
#include "ncclbench/kernels.h"

#include <string.h>

#include "ncclbench/pattern.h"

static void note_wrong(struct nb_mismatch *result, uint64_t index)
{
	result->wrong++;
	if (index < result->first)
		result->first = index;
}

void nb_fill_bytes_ref(void *dst, uint64_t bytes, int rank, uint64_t offset)
{
	uint8_t *out = dst;
	uint64_t k = 0;

	while (k < bytes) {
		uint64_t at = offset + k;

		if (at % 8 || bytes - k < 8) {
			out[k++] = nb_pattern_byte(rank, at);
			continue;
		}
		for (uint64_t word = nb_pattern_word(rank, at / 8), i = 0; i < 8; i++, word >>= 8)
			out[k++] = (uint8_t)word;
	}
}

void nb_check_bytes_ref(const void *buf, uint64_t bytes, int rank, uint64_t offset, uint64_t base,
			struct nb_mismatch *result)
{
	const uint8_t *in = buf;
	uint8_t want[4096];

	for (uint64_t k = 0; k < bytes; k += sizeof(want)) {
		uint64_t n = bytes - k < sizeof(want) ? bytes - k : sizeof(want);

		nb_fill_bytes_ref(want, n, rank, offset + k);
		if (memcmp(in + k, want, n) == 0)
			continue;
		for (uint64_t i = 0; i < n; i++)
			if (in[k + i] != want[i])
				note_wrong(result, base + k + i);
	}
}

void nb_fill_values_ref(void *dst, uint64_t count, int dtype, int redop, int rank, int nranks,
			uint64_t offset)
{
	for (uint64_t k = 0; k < count; k++)
		nb_store_element(dtype, dst, k, nb_pattern_value(redop, rank, nranks, offset + k));
}

void nb_check_values_ref(const void *buf, uint64_t count, int dtype, int redop, int nranks,
			 uint64_t offset, struct nb_mismatch *result)
{
	int is_integer = nb_dtype_is_integer(dtype);

	for (uint64_t k = 0; k < count; k++) {
		double want = nb_pattern_expect(redop, nranks, offset + k, is_integer);

		if (!nb_pattern_matches(dtype, redop, nb_load_element(dtype, buf, k), want))
			note_wrong(result, k);
	}
}
