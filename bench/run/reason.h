/* SPDX-License-Identifier: Apache-2.0 */
/* Why a transport cannot work here, in words: before a worker is started (facts) and after one
 * failed (NCCL's log). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct facts;
struct fault;
struct scan;

struct reason_context {
	const struct facts *facts;
	int nranks, n_hosts;
	bool shared_gpu;   /* two ranks of one host use one GPU */
	bool veto;         /* NCCL_NVLS_ENABLE=0 */
	int ib_devices;    /* the fewest of all hosts */
};

/* true and one line in `why` when the transport is N/A for a reason known beforehand. */
bool reason_before(int transport, const struct reason_context *x, char *why, size_t max);
/* Turns an `error` of a forced transport into `unavailable` where NCCL's words say that the machine
 * cannot do it, and adds NCCL's first WARN to the detail. `s` may be NULL. */
void reason_after(int transport, const struct scan *s, struct fault *f);
