/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fake CUDA runtime and the fake NCCL share: the script, the one stream, the clock.
 *
 * NCCLBENCH_TEST_FAKE_LIB is a comma-separated list of
 *   symbol@n:result   the n-th call of that function (n = * for every one) gives `result`:
 *                     a number   returned as it is, nothing done
 *                     hang       never returns        crash   dies by SIGSEGV
 *                     corrupt    an operation whose result has one wrong byte
 *                     lost       an operation that writes nothing
 *   name:number       devices (2), free (bytes of device memory, 4 GiB), version (22809),
 *                     p2p (1: all GPUs may access each other; 0: none)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { FAKE_CORRUPT = -1, FAKE_LOST = -2 };

/* cudaMemcpyAsync; cudaMemcpyPeerAsync is twice, nb_copy four times as fast, so that a mix-up
 * shows. */
#define FAKE_COPY_BYTES_PER_NS 16
#define FAKE_OPERATION_NS 10000 /* what each operation takes on the fake clock */

/* Counts a call of `symbol`; 0, a code to return, FAKE_CORRUPT or FAKE_LOST; may never return. */
int fake_call(const char *symbol);
long long fake_number(const char *name, long long otherwise);

/* Does fn(arg) now, or keeps it (with a copy of arg) while the stream is being captured. */
void fake_submit(void (*fn)(const void *arg), const void *arg, size_t bytes);
void fake_advance(int64_t ns);
