/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each kernel against its plain C twin: the same bytes, the same count of wrong ones, the same
 * first one. Sizes around every border (nothing, less than a vector, odd, more than a grid),
 * buffers that do not begin at a vector, every element type and reduction. Ends with 77 where there
 * is no GPU.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "ncclbench/exitcode.h"
#include "ncclbench/kernels.h"
#include "ncclbench/pattern.h"

#define BUFFER (48U << 20)
#define GUARD 64 /* bytes after the data that no kernel may touch */

static unsigned char *device, *host, *twin;
static struct nb_mismatch *found;
static int failures, comparisons;

static bool good(int rc, const char *what)
{
	if (rc == cudaSuccess)
		return true;
	if (failures++ < 20)
		fprintf(stderr, "%s: %s\n", what, cudaGetErrorString((cudaError_t)rc));
	return false;
}

static void expect(bool ok, const char *what, uint64_t size, uint64_t shift, int dtype, int redop)
{
	comparisons++;
	if (ok)
		return;
	if (failures++ < 20)
		fprintf(stderr, "%s differs: size %llu at +%llu, dtype %d redop %d\n", what,
			(unsigned long long)size, (unsigned long long)shift, dtype, redop);
}

static void fetch(uint64_t bytes)
{
	good(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
	good(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

static void blank(uint64_t bytes)
{
	good(cudaMemset(device, 0x11, bytes), "cudaMemset");
	memset(twin, 0x11, bytes);
}

static struct nb_mismatch take(void)
{
	struct nb_mismatch m = { 0, 0 };

	good(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
	good(cudaMemcpy(&m, found, sizeof(m), cudaMemcpyDeviceToHost), "cudaMemcpy");
	return m;
}

static void reset(void)
{
	static const struct nb_mismatch none = { 0, ~0ULL };

	good(cudaMemcpy(found, &none, sizeof(none), cudaMemcpyHostToDevice), "cudaMemcpy");
}

static bool same(struct nb_mismatch a, struct nb_mismatch b)
{
	return a.wrong == b.wrong && a.first == b.first;
}

static const uint64_t sizes[] = { 0,  1,  7,   8,    15,   16,     17,
				  31, 33, 255, 4096, 4099, 100003, (2U << 20) + 5 };
static const uint64_t shifts[] = { 0, 1, 3, 8, 15 };

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Damages `n` more places (an odd number in all: hits on one place cannot all cancel)
 * of the of the (already right) device buffer and of its twin alike. */
static void damage(uint64_t bytes, uint64_t shift, unsigned n)
{
	uint64_t at;
	unsigned i;

	for (i = 0; i < n && bytes; i++) {
		at = shift + nb_pattern_mix(bytes * 31 + i) % bytes;
		twin[at] ^= 0x81;
	}
	good(cudaMemcpy(device, twin, shift + bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

static void check_bytes_case(uint64_t size, uint64_t shift, uint64_t offset, unsigned wrong)
{
	struct nb_mismatch want = { 0, ~0ULL };

	damage(size, shift, wrong);
	reset();
	good(nb_check_bytes(device + shift, size, 3, offset, 1000, found, NULL), "nb_check_bytes");
	nb_check_bytes_ref(twin + shift, size, 3, offset, 1000, &want);
	expect(same(take(), want), "nb_check_bytes", size, shift, -1, -1);
	expect((want.wrong > 0) == (wrong > 0 && size > 0), "planted bytes", size, shift, -1, -1);
}

static void bytes_case(uint64_t size, uint64_t shift, uint64_t offset)
{
	uint64_t all = shift + size + GUARD;

	blank(all);
	good(nb_fill_bytes(device + shift, size, 3, offset, NULL), "nb_fill_bytes");
	nb_fill_bytes_ref(twin + shift, size, 3, offset);
	fetch(all);
	expect(memcmp(host, twin, all) == 0, "nb_fill_bytes", size, shift, -1, -1);
	check_bytes_case(size, shift, offset, 0);
	check_bytes_case(size, shift, offset, 1);
	check_bytes_case(size, shift, offset, 8);
}

static void test_bytes(void)
{
	static const uint64_t offsets[] = { 0, 1, 4, 7, 8, (5ULL << 32) + 3 };
	size_t i, j, k;

	for (i = 0; i < N(sizes); i++)
		for (j = 0; j < N(shifts); j++)
			for (k = 0; k < N(offsets); k++)
				bytes_case(sizes[i], shifts[j], offsets[k]);
	bytes_case(40ULL << 20, 0, 0); /* more than one vector per thread */
}

static void check_values_case(uint64_t count, uint64_t shift, int dtype, int redop, int nranks,
			      uint64_t offset, unsigned wrong)
{
	uint64_t bytes = count * nb_dtype_bytes(dtype);
	struct nb_mismatch want = { 0, ~0ULL };

	damage(bytes, shift, wrong);
	reset();
	good(nb_check_values(device + shift, count, dtype, redop, nranks, offset, found, NULL),
	     "nb_check_values");
	nb_check_values_ref(twin + shift, count, dtype, redop, nranks, offset, &want);
	expect(same(take(), want), "nb_check_values", count, shift, dtype, redop);
}

/* What the ranks together must give, as a correct reduction would have left it. */
static void put_expected(uint64_t count, uint64_t shift, int dtype, int redop, int nranks,
			 uint64_t offset)
{
	int whole = nb_dtype_is_integer(dtype);
	struct nb_mismatch none = { 0, ~0ULL };
	uint64_t i;

	for (i = 0; i < count; i++)
		nb_store_element(dtype, twin + shift, i,
				 nb_pattern_expect(redop, nranks, offset + i, whole));
	nb_check_values_ref(twin + shift, count, dtype, redop, nranks, offset, &none);
	expect(none.wrong == 0, "expected values", count, shift, dtype, redop);
}

static void values_case(uint64_t count, uint64_t shift, int dtype, int redop, int nranks)
{
	uint64_t all = shift + count * nb_dtype_bytes(dtype) + GUARD, offset = count * 3 + 1;

	blank(all);
	good(nb_fill_values(device + shift, count, dtype, redop, 1, nranks, offset, NULL),
	     "nb_fill_values");
	nb_fill_values_ref(twin + shift, count, dtype, redop, 1, nranks, offset);
	fetch(all);
	expect(memcmp(host, twin, all) == 0, "nb_fill_values", count, shift, dtype, redop);
	put_expected(count, shift, dtype, redop, nranks, offset);
	check_values_case(count, shift, dtype, redop, nranks, offset, 0);
	check_values_case(count, shift, dtype, redop, nranks, offset, 1);
	check_values_case(count, shift, dtype, redop, nranks, offset, 8);
}

static void test_values_of(int dtype, int redop)
{
	static const uint64_t counts[] = { 0, 1, 3, 15, 16, 17, 1000, 70001 };
	static const unsigned starts[] = { 0, 1, 3 }; /* elements before the data */
	static const int ranks[] = { 1, 2, 3, 8 };
	size_t c, n, s;

	for (s = 0; s < N(starts); s++)
		for (c = 0; c < N(counts); c++)
			for (n = 0; n < N(ranks); n++)
				values_case(counts[c], starts[s] * nb_dtype_bytes(dtype), dtype,
					    redop, ranks[n]);
}

static void test_values(void)
{
	int dtype, redop;

	for (dtype = NB_INT8; dtype <= NB_FP8E5M2; dtype++)
		for (redop = NB_SUM; redop <= NB_AVG; redop++)
			test_values_of(dtype, redop);
	values_case(5000011, 8, NB_INT64, NB_SUM, 2); /* more than one vector per thread */
	values_case(17000003, 2, NB_HALF, NB_AVG, 3);
}

/* From one end of the buffer to the other, at every pair of shifts: vectors, and all byte by byte.
 */
static void copy_case(uint64_t size, uint64_t from, uint64_t to)
{
	const uint64_t half = BUFFER / 2;
	uint64_t i;

	for (i = 0; i < from + size; i++)
		host[i] = (unsigned char)nb_pattern_mix(i);
	memset(host + half, 0x11, to + size + GUARD);
	memcpy(twin, host, from + size);
	memcpy(twin + half, host + half, to + size + GUARD);
	good(cudaMemcpy(device, host, from + size, cudaMemcpyHostToDevice), "cudaMemcpy");
	good(cudaMemcpy(device + half, host + half, to + size + GUARD, cudaMemcpyHostToDevice),
	     "cudaMemcpy");
	good(nb_copy(device + half + to, device + from, size, NULL), "nb_copy");
	nb_copy_ref(twin + half + to, twin + from, size);
	good(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
	good(cudaMemcpy(host + half, device + half, to + size + GUARD, cudaMemcpyDeviceToHost),
	     "cudaMemcpy");
	expect(memcmp(host + half, twin + half, to + size + GUARD) == 0, "nb_copy", size,
	       from * 100 + to, -1, -1);
}

static void test_copy(void)
{
	size_t i, j, k;

	for (i = 0; i < N(sizes); i++)
		for (j = 0; j < N(shifts); j++)
			for (k = 0; k < N(shifts); k++)
				copy_case(sizes[i], shifts[j], shifts[k]);
	copy_case(20U << 20, 0, 0); /* several rounds of every thread */
	copy_case((20U << 20) + 16 * 1234 + 5, 16, 32);
}

static void put_floats(uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes / sizeof(float); i++) {
		float x = (float)(nb_pattern_mix(i) % 1000003) / 8;

		memcpy(twin + i * sizeof(x), &x, sizeof(x));
	}
	good(cudaMemcpy(device, twin, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

/* Two pieces of work add 1 twice, to whole vectors only. */
static void load_memory_case(uint64_t size)
{
	const uint64_t all = (size + GUARD + 3) / 4 * 4;

	put_floats(all);
	for (int i = 0; i < 2; i++) {
		good(nb_load_memory(device, size, NULL), "nb_load_memory");
		nb_load_memory_ref(twin, size);
	}
	fetch(all);
	expect(memcmp(host, twin, all) == 0, "nb_load_memory", size, 0, -1, -1);
}

/* The same kernel as the load, asked to keep what it computed; the load itself keeps nothing. */
static void load_arithmetic_case(uint64_t size)
{
	blank(size + GUARD);
	good(nb_load_arithmetic(device, size, NULL), "nb_load_arithmetic");
	fetch(size + GUARD);
	expect(memcmp(host, twin, size + GUARD) == 0, "nb_load_arithmetic", size, 0, -1, -1);
	good(nb_load_arithmetic_kept(device, size, NULL), "nb_load_arithmetic_kept");
	nb_load_arithmetic_kept_ref(twin, size);
	fetch(size + GUARD);
	expect(memcmp(host, twin, size + GUARD) == 0, "nb_load_arithmetic_kept", size, 0, -1, -1);
}

static void test_loads(void)
{
	size_t i;

	for (i = 0; i < N(sizes); i++)
		load_memory_case(sizes[i]);
	load_memory_case(BUFFER - 4096 - 5); /* several rounds of every thread */
	load_arithmetic_case(0);
	load_arithmetic_case(3);
	load_arithmetic_case(4);
	/* More than a block, fewer than any grid: 32 blocks per SM. */
	load_arithmetic_case(sizeof(float) * (3 * NB_LOAD_THREADS + 77) + 1);
}

static void test_refusals(void)
{
	expect(nb_fill_values(device, 1, 99, NB_SUM, 0, 2, 0, NULL) != cudaSuccess, "unknown dtype",
	       1, 0, 99, 0);
	expect(nb_check_values(device, 1, -1, NB_SUM, 2, 0, found, NULL) != cudaSuccess,
	       "unknown dtype", 1, 0, -1, 0);
}

static int fill_bytes(void *buf, uint64_t bytes, void *stream)
{
	return nb_fill_bytes(buf, bytes, 0, 0, stream);
}

static int fill_floats(void *buf, uint64_t bytes, void *stream)
{
	return nb_fill_values(buf, bytes / 4, NB_FLOAT, NB_SUM, 0, 2, 0, stream);
}

/* Not a verdict (machines differ): the figures by which a slow fill, or a load that is no load,
 * would be noticed. */
static void show_speed(void)
{
	static const struct {
		const char *name;
		int (*launch)(void *buf, uint64_t bytes, void *stream);
		uint64_t bytes;
	} shown[] = {
		{ "1 GiB: fill_bytes", fill_bytes, 1ULL << 30 },
		{ "1 GiB: fill_values(float)", fill_floats, 1ULL << 30 },
		{ "256 MiB: load_memory", nb_load_memory, 256ULL << 20 },
		{ "load_arithmetic", nb_load_arithmetic, 256ULL << 20 },
	};
	cudaEvent_t start, stop;
	void *big = NULL;
	float ms = 0;

	if (cudaMalloc(&big, 1ULL << 30) != cudaSuccess)
		return;
	cudaEventCreate(&start);
	cudaEventCreate(&stop);
	for (size_t i = 0; i < N(shown); i++) {
		for (int turn = 0; turn < 2; turn++) { /* the first one is a warm-up */
			cudaEventRecord(start, NULL);
			shown[i].launch(big, shown[i].bytes, NULL);
			cudaEventRecord(stop, NULL);
			cudaEventSynchronize(stop);
			cudaEventElapsedTime(&ms, start, stop);
		}
		printf("%s %.3f ms\n", shown[i].name, (double)ms);
	}
	cudaEventDestroy(start);
	cudaEventDestroy(stop);
	cudaFree(big);
}

int main(void)
{
	int n = 0, rc = (int)cudaGetDeviceCount(&n);

	if (rc != cudaSuccess || n == 0) {
		printf("no GPU: %s\n", cudaGetErrorString((cudaError_t)rc));
		return NB_EXIT_SKIP;
	}
	host = malloc(BUFFER);
	twin = aligned_alloc(64, BUFFER);
	if (!host || !twin || !good(cudaMalloc((void **)&device, BUFFER), "cudaMalloc") ||
	    !good(cudaMalloc((void **)&found, sizeof(*found)), "cudaMalloc"))
		return NB_EXIT_BROKEN;
	test_bytes();
	test_values();
	test_copy();
	test_loads();
	test_refusals();
	show_speed();
	printf("%d comparisons, %d failures\n", comparisons, failures);
	cudaFree(device);
	cudaFree(found);
	free(host);
	free(twin);
	return failures ? NB_EXIT_BROKEN : NB_EXIT_OK;
}
