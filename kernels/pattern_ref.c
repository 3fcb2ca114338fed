/* SPDX-License-Identifier: Apache-2.0 */
/* Plain C twins of the pattern kernels: the UCX worker's checks, and what tests/gpu compares with.
 */
#include "ncclbench/kernels.h"

#include <stdlib.h>
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

/*
 * Values repeat, so that a long buffer is one period computed and then copied or compared: the UCX worker checks 64 MiB in
 * milliseconds. `first` is the element that the period starts with.
 */
static uint8_t *make_period(uint64_t bytes, uint64_t first, uint64_t count, int dtype, int redop, int rank, int nranks)
{
	uint8_t *period = count > NB_PATTERN_PERIOD ? malloc(NB_PATTERN_PERIOD * bytes) : NULL;
	int is_integer = nb_dtype_is_integer(dtype);

	for (uint64_t k = 0; period && k < NB_PATTERN_PERIOD; k++)
		nb_store_element(dtype, period, k,
				 rank < 0 ? nb_pattern_expect(redop, nranks, first + k, is_integer)
					  : nb_pattern_value(redop, rank, nranks, first + k));
	return period;
}

void nb_fill_values_ref(void *dst, uint64_t count, int dtype, int redop, int rank, int nranks,
			uint64_t offset)
{
	uint64_t bytes = nb_dtype_bytes(dtype);
	uint8_t *period = make_period(bytes, offset, count, dtype, redop, rank, nranks);

	for (uint64_t k = 0; period && k < count; k += NB_PATTERN_PERIOD) {
		uint64_t n = count - k < NB_PATTERN_PERIOD ? count - k : NB_PATTERN_PERIOD;

		memcpy((uint8_t *)dst + k * bytes, period, n * bytes);
	}
	for (uint64_t k = 0; !period && k < count; k++)
		nb_store_element(dtype, dst, k, nb_pattern_value(redop, rank, nranks, offset + k));
	free(period);
}

static void check_one_by_one(const void *buf, uint64_t from, uint64_t to, int dtype, int redop, int nranks, uint64_t offset,
			     struct nb_mismatch *result)
{
	int is_integer = nb_dtype_is_integer(dtype);

	for (uint64_t k = from; k < to; k++) {
		double want = nb_pattern_expect(redop, nranks, offset + k, is_integer);

		if (!nb_pattern_matches(dtype, redop, nb_load_element(dtype, buf, k), want))
			note_wrong(result, k);
	}
}

void nb_check_values_ref(const void *buf, uint64_t count, int dtype, int redop, int nranks,
			 uint64_t offset, struct nb_mismatch *result)
{
	uint64_t bytes = nb_dtype_bytes(dtype);
	uint8_t *period = make_period(bytes, offset, count, dtype, redop, -1, nranks);

	for (uint64_t k = 0; k < count; k += NB_PATTERN_PERIOD) {
		uint64_t n = count - k < NB_PATTERN_PERIOD ? count - k : NB_PATTERN_PERIOD;

		/* Equal bytes are right; others may still be within the tolerance. */
		if (!period || memcmp((const uint8_t *)buf + k * bytes, period, n * bytes) != 0)
			check_one_by_one(buf, k, k + n, dtype, redop, nranks, offset, result);
	}
	free(period);
}
