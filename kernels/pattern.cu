/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fill and compare on the device; what the data is stands in ncclbench/pattern.h, the twins in
 * pattern_ref.c. 16 bytes at a time where the buffer allows; up to 15 bytes before the first and
 * after the last aligned 16 are done one element each by the first threads of the grid.
 */
#include <cuda_runtime.h>

#include "ncclbench/kernels.h"
#include "ncclbench/pattern.h"

#define THREADS 256
#define BLOCKS_MAX 8192 /* beyond it a thread simply takes more than one vector */
#define VECTOR 16

union vector {
	uint4 whole;
	unsigned long long word[2];
	unsigned char byte[VECTOR];
};

/* A buffer as head elements, aligned vectors, tail elements. */
struct cut {
	uint64_t head, vectors, tail;
};

static struct cut cut_buffer(const void *buf, uint64_t count, unsigned elem)
{
	uint64_t off = (uint64_t)(uintptr_t)buf % VECTOR;
	uint64_t head = off ? (VECTOR - off) / elem : 0;
	struct cut c;

	c.head = head < count ? head : count;
	c.vectors = (count - c.head) / (VECTOR / elem);
	c.tail = count - c.head - c.vectors * (VECTOR / elem);
	return c;
}

static unsigned blocks_for(struct cut c)
{
	uint64_t blocks = (c.vectors + THREADS - 1) / THREADS;

	if (blocks > BLOCKS_MAX)
		blocks = BLOCKS_MAX;
	return blocks ? (unsigned)blocks : 1; /* one block is enough for head and tail */
}

__device__ static uint64_t thread_id(void)
{
	return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static uint64_t thread_count(void)
{
	return (uint64_t)gridDim.x * blockDim.x;
}

/* Findings of one thread. */
struct tally {
	unsigned long long wrong, first;
};

__device__ static void note(struct tally *t, uint64_t index)
{
	t->wrong++;
	if (index < t->first)
		t->first = index;
}

/* Every thread of the block must come here. */
__device__ static void report(struct tally t, struct nb_mismatch *result)
{
	__shared__ struct tally block;

	if (threadIdx.x == 0) {
		block.wrong = 0;
		block.first = ~0ULL;
	}
	__syncthreads();
	if (t.wrong) {
		atomicAdd(&block.wrong, t.wrong);
		atomicMin(&block.first, t.first);
	}
	__syncthreads();
	if (threadIdx.x == 0 && block.wrong) {
		atomicAdd(&result->wrong, block.wrong);
		atomicMin(&result->first, block.first);
	}
}

/* Copies */

/* The 8 bytes of the stream that begin at byte `at`, which need not be a multiple of 8. */
__device__ static uint64_t stream_word(int rank, uint64_t at)
{
	unsigned shift = 8 * (unsigned)(at % 8);
	uint64_t low = nb_pattern_word(rank, at / 8);

	if (!shift)
		return low;
	return low >> shift | nb_pattern_word(rank, at / 8 + 1) << (64 - shift);
}

__device__ static union vector bytes_vector(int rank, uint64_t at)
{
	union vector v;

	v.word[0] = stream_word(rank, at);
	v.word[1] = stream_word(rank, at + 8);
	return v;
}

__global__ static void fill_bytes(unsigned char *dst, struct cut c, int rank, uint64_t offset)
{
	uint64_t t = thread_id(), i, at = c.head + c.vectors * VECTOR + t;
	union vector v;

	if (t < c.head)
		dst[t] = nb_pattern_byte(rank, offset + t);
	if (t < c.tail)
		dst[at] = nb_pattern_byte(rank, offset + at);
	for (i = t; i < c.vectors; i += thread_count()) {
		at = c.head + i * VECTOR;
		v = bytes_vector(rank, offset + at);
		*(uint4 *)(dst + at) = v.whole;
	}
}

__device__ static void compare_bytes(union vector got, union vector want, uint64_t at,
				     struct tally *t)
{
	int k;

	if (got.word[0] == want.word[0] && got.word[1] == want.word[1])
		return;
	for (k = 0; k < VECTOR; k++)
		if (got.byte[k] != want.byte[k])
			note(t, at + k);
}

__global__ static void check_bytes(const unsigned char *buf, struct cut c, int rank,
				   uint64_t offset, uint64_t base, struct nb_mismatch *result)
{
	uint64_t t = thread_id(), i, at = c.head + c.vectors * VECTOR + t;
	struct tally found = { 0, ~0ULL };
	union vector got;

	if (t < c.head && buf[t] != nb_pattern_byte(rank, offset + t))
		note(&found, base + t);
	if (t < c.tail && buf[at] != nb_pattern_byte(rank, offset + at))
		note(&found, base + at);
	for (i = t; i < c.vectors; i += thread_count()) {
		at = c.head + i * VECTOR;
		got.whole = *(const uint4 *)(buf + at);
		compare_bytes(got, bytes_vector(rank, offset + at), base + at, &found);
	}
	report(found, result);
}

int nb_fill_bytes(void *dst, uint64_t bytes, int rank, uint64_t offset, void *stream)
{
	struct cut c = cut_buffer(dst, bytes, 1);

	if (!bytes)
		return cudaSuccess;
	fill_bytes<<<blocks_for(c), THREADS, 0, (cudaStream_t)stream>>>((unsigned char *)dst, c,
									rank, offset);
	return cudaGetLastError();
}

int nb_check_bytes(const void *buf, uint64_t bytes, int rank, uint64_t offset, uint64_t base,
		   struct nb_mismatch *result, void *stream)
{
	struct cut c = cut_buffer(buf, bytes, 1);

	if (!bytes)
		return cudaSuccess;
	check_bytes<<<blocks_for(c), THREADS, 0, (cudaStream_t)stream>>>(
	    (const unsigned char *)buf, c, rank, offset, base, result);
	return cudaGetLastError();
}

/*
 * Reductions. Inputs and exact results are whole numbers up to 8 (pattern.h), so the bits of all of
 * them are encoded once on the host and elements differ by their size only: four kernels serve
 * twelve types, and comparing bits is comparing values. Averages of floating-point types alone
 * need arithmetic and a tolerance.
 */
#define WHOLE_MAX 8

struct values {
	int redop, rank, nranks, is_integer; /* rank -1: what all ranks together must give */
	uint64_t offset;
	uint64_t bits[WHOLE_MAX + 1];
};

static struct values values_of(int dtype, int redop, int rank, int nranks, uint64_t offset)
{
	struct values p = { redop, rank, nranks, nb_dtype_is_integer(dtype), offset, { 0 } };
	int i, k;

	for (i = 0; i <= WHOLE_MAX; i++) {
		alignas(8) unsigned char raw[8] = { 0 };

		nb_store_element(dtype, raw, 0, i);
		for (k = 0; k < 8; k++)
			p.bits[i] |= (uint64_t)raw[k] << (8 * k);
	}
	return p;
}

__device__ static uint64_t element_bits(const struct values *p, uint64_t k)
{
	uint64_t i = p->offset + k;

	if (p->rank >= 0)
		return p->bits[nb_pattern_value(p->redop, p->rank, p->nranks, i)];
	return p->bits[(int)nb_pattern_expect(p->redop, p->nranks, i, p->is_integer)];
}

template <int BYTES>
__device__ static union vector values_vector(const struct values *p, uint64_t at)
{
	const int per = 8 / BYTES;
	union vector v;
	int w, k;

#pragma unroll
	for (w = 0; w < 2; w++) {
		v.word[w] = 0;
		for (k = 0; k < per; k++, at++)
			v.word[w] |= element_bits(p, at) << (8 * BYTES * k);
	}
	return v;
}

template <int BYTES> __device__ static uint64_t load_bits(const unsigned char *buf, uint64_t i)
{
	uint64_t bits = 0;
	int k;

	for (k = 0; k < BYTES; k++)
		bits |= (uint64_t)buf[i * BYTES + k] << (8 * k);
	return bits;
}

template <int BYTES>
__device__ static void store_bits(unsigned char *buf, uint64_t i, uint64_t bits)
{
	int k;

	for (k = 0; k < BYTES; k++)
		buf[i * BYTES + k] = (unsigned char)(bits >> (8 * k));
}

template <int BYTES>
__global__ static void fill_values(unsigned char *dst, struct cut c, const struct values p)
{
	const int per = VECTOR / BYTES;
	uint64_t t = thread_id(), i, at = c.head + c.vectors * per + t;

	if (t < c.head)
		store_bits<BYTES>(dst, t, element_bits(&p, t));
	if (t < c.tail)
		store_bits<BYTES>(dst, at, element_bits(&p, at));
	for (i = t; i < c.vectors; i += thread_count()) {
		at = c.head + i * per;
		*(uint4 *)(dst + at * BYTES) = values_vector<BYTES>(&p, at).whole;
	}
}

template <int BYTES>
__device__ static void compare_values(union vector got, union vector want, uint64_t at,
				      struct tally *t)
{
	int k;

	if (got.word[0] == want.word[0] && got.word[1] == want.word[1])
		return;
	for (k = 0; k < VECTOR / BYTES; k++)
		if (load_bits<BYTES>(got.byte, k) != load_bits<BYTES>(want.byte, k))
			note(t, at + k);
}

template <int BYTES>
__global__ static void check_exact(const unsigned char *buf, struct cut c, const struct values p,
				   struct nb_mismatch *result)
{
	const int per = VECTOR / BYTES;
	uint64_t t = thread_id(), i, at = c.head + c.vectors * per + t;
	struct tally found = { 0, ~0ULL };
	union vector got;

	if (t < c.head && load_bits<BYTES>(buf, t) != element_bits(&p, t))
		note(&found, t);
	if (t < c.tail && load_bits<BYTES>(buf, at) != element_bits(&p, at))
		note(&found, at);
	for (i = t; i < c.vectors; i += thread_count()) {
		at = c.head + i * per;
		got.whole = *(const uint4 *)(buf + at * BYTES);
		compare_values<BYTES>(got, values_vector<BYTES>(&p, at), at, &found);
	}
	report(found, result);
}

__global__ static void check_close(const void *buf, uint64_t count, int dtype,
				   const struct values p, struct nb_mismatch *result)
{
	struct tally found = { 0, ~0ULL };
	double want;
	uint64_t i;

	for (i = thread_id(); i < count; i += thread_count()) {
		want = nb_pattern_expect(p.redop, p.nranks, p.offset + i, p.is_integer);
		if (!nb_pattern_matches(dtype, p.redop, nb_load_element(dtype, buf, i), want))
			note(&found, i);
	}
	report(found, result);
}

struct value_kernels {
	void (*fill)(unsigned char *dst, struct cut c, const struct values p);
	void (*check)(const unsigned char *buf, struct cut c, const struct values p,
		      struct nb_mismatch *result);
};

/* By the size of an element, 1 2 4 8; NULL: no such type. */
static const struct value_kernels *kernels_of(uint32_t bytes)
{
	static const struct value_kernels rows[] = {
		{ NULL, NULL },
		{ fill_values<1>, check_exact<1> },
		{ fill_values<2>, check_exact<2> },
		{ NULL, NULL },
		{ fill_values<4>, check_exact<4> },
		{ NULL, NULL },
		{ NULL, NULL },
		{ NULL, NULL },
		{ fill_values<8>, check_exact<8> },
	};

	return rows[bytes].fill ? &rows[bytes] : NULL;
}

int nb_fill_values(void *dst, uint64_t count, int dtype, int redop, int rank, int nranks,
		   uint64_t offset, void *stream)
{
	uint32_t bytes = nb_dtype_bytes(dtype);
	const struct value_kernels *k = kernels_of(bytes);
	struct cut c;

	if (!k)
		return cudaErrorInvalidValue;
	if (!count)
		return cudaSuccess;
	c = cut_buffer(dst, count, bytes);
	k->fill<<<blocks_for(c), THREADS, 0, (cudaStream_t)stream>>>(
	    (unsigned char *)dst, c, values_of(dtype, redop, rank, nranks, offset));
	return cudaGetLastError();
}

int nb_check_values(const void *buf, uint64_t count, int dtype, int redop, int nranks,
		    uint64_t offset, struct nb_mismatch *result, void *stream)
{
	struct values p = values_of(dtype, redop, -1, nranks, offset);
	uint32_t bytes = nb_dtype_bytes(dtype);
	const struct value_kernels *k = kernels_of(bytes);
	struct cut c;

	if (!k)
		return cudaErrorInvalidValue;
	if (!count)
		return cudaSuccess;
	c = cut_buffer(buf, count, bytes);
	if (redop == NB_AVG && !p.is_integer)
		check_close<<<blocks_for(c), THREADS, 0, (cudaStream_t)stream>>>(buf, count, dtype,
										 p, result);
	else
		k->check<<<blocks_for(c), THREADS, 0, (cudaStream_t)stream>>>(
		    (const unsigned char *)buf, c, p, result);
	return cudaGetLastError();
}
