/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE of GPU families: what the hardware and its driver offer between cards. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct hardware {
	const char *family;
	const char *names; /* words separated by '|', any of which is in the name CUDA gives */
	const char *cc;    /* compute capability, "" any */
	const char *nvlink, *p2p, *rdma;
	const char *cuda, *nccl; /* oldest with code for it */
	bool p2p_over_pcie;      /* the stock driver offers it */
};

extern const struct hardware hardware_table[];
extern const size_t hardware_count;

/* By name, else by capability alone; NULL unknown. */
const struct hardware *hardware_find(const char *name, const char *cc);
