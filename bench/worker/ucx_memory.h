/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker's buffers: grown on demand, kept from point to point (touching 64 MiB anew costs more
 * than many measurements), never beyond this rank's share of the host's free memory.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

enum ucx_area { UCX_AREA_SEND, UCX_AREA_RECV, UCX_AREA_SCRATCH, UCX_AREA_COUNT };

struct ucx_memory {
	uint8_t *base[UCX_AREA_COUNT]; /* page-aligned, NULL while size is 0 */
	uint64_t size[UCX_AREA_COUNT];
};

/* Makes every area at least that large; contents are undefined afterwards. `sharers` ranks of this
 * host take the same. 0; -ENOMEM with numbers in *need and *limit (0 when the allocation itself
 * failed). */
int ucx_memory_fit(struct ucx_memory *m, const uint64_t want[UCX_AREA_COUNT], int sharers,
		   uint64_t *need, uint64_t *limit) ATTR_MUST;
void ucx_memory_fini(struct ucx_memory *m);
/* Bytes a new process may use on this host or in this container; 0 when that cannot be told. */
uint64_t ucx_memory_available(void);
