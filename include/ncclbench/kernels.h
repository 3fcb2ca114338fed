/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C face of the kernels. Each has a plain C twin in kernels/pattern_ref.c with the suffix _ref that
 * works on host memory and gives identical bytes; tests/gpu compares the two.
 *
 * Copies (broadcast, send, gather ...) are verified as bytes: byte k of what rank r sends holds
 * nb_pattern_byte(r, k). Reductions are verified as values: element i of rank r's input is chosen
 * so that the exact result is representable in every type (nb_pattern_value in pattern.h says how).
 * dtype and redop are indices of the tables in spec/dtype.h and spec/redop.h.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nb_mismatch {
	unsigned long long wrong; /* elements or bytes that differ */
	unsigned long long first; /* smallest index that differs, ~0 when none */
};

/* Launch on `stream` (a cudaStream_t); return a cudaError_t. `result` is device memory the caller
 * has set to {0, ~0}; counts are added, so several segments may share one result. `base` is added
 * to reported indices. */
int nb_fill_bytes(void *dst, uint64_t bytes, int rank, uint64_t offset, void *stream);
int nb_check_bytes(const void *buf, uint64_t bytes, int rank, uint64_t offset, uint64_t base,
		   struct nb_mismatch *result, void *stream);
int nb_fill_values(void *dst, uint64_t count, int dtype, int redop, int rank, int nranks,
		   uint64_t offset, void *stream);
int nb_check_values(const void *buf, uint64_t count, int dtype, int redop, int nranks,
		    uint64_t offset, struct nb_mismatch *result, void *stream);

/* Copies on `stream`, by SMs of the current device; both ends may be any memory that it can access.
 */
int nb_copy(void *dst, const void *src, uint64_t bytes, void *stream);

/* One short piece of work on `stream`, over a buffer of the current device: limited by memory (it
 * reads and writes all of it), by arithmetic (it touches nothing). A cudaError_t. */
int nb_load_memory(void *buf, uint64_t bytes, void *stream);
int nb_load_arithmetic(void *buf, uint64_t bytes, void *stream);
/* The same kernel, which keeps each thread's sum in a float of the buffer, as far as both reach:
 * for tests. */
int nb_load_arithmetic_kept(void *buf, uint64_t bytes, void *stream);
#define NB_LOAD_THREADS 512 /* of a block: those of all blocks compute the same */
#define NB_LOAD_ROUNDS 256  /* of four chains */

void nb_copy_ref(void *dst, const void *src, uint64_t bytes);
void nb_fill_bytes_ref(void *dst, uint64_t bytes, int rank, uint64_t offset);
void nb_check_bytes_ref(const void *buf, uint64_t bytes, int rank, uint64_t offset, uint64_t base,
			struct nb_mismatch *result);
void nb_fill_values_ref(void *dst, uint64_t count, int dtype, int redop, int rank, int nranks,
			uint64_t offset);
void nb_check_values_ref(const void *buf, uint64_t count, int dtype, int redop, int nranks,
			 uint64_t offset, struct nb_mismatch *result);
void nb_load_memory_ref(void *buf, uint64_t bytes);
void nb_load_arithmetic_kept_ref(void *buf, uint64_t bytes);

#ifdef __cplusplus
}
#endif
