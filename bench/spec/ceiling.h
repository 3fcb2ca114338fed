/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of ceilings: what this machine can move without any communication library, measured in the
 * same run as the transports. What each one is, in words: docs/ceilings.md. How it is done:
 * worker/ceiling_nccl.c, worker/ceiling_host.c and machine/tcp.c.
 */
#pragma once

#include <stdint.h>

enum ceiling_id {
	CEILING_CE_WRITE,
	CEILING_CE_READ,
	CEILING_CE_WRITE_BOTH,
	CEILING_CE_READ_BOTH,
	CEILING_SM_WRITE,
	CEILING_SM_READ,
	CEILING_SM_WRITE_BOTH,
	CEILING_SM_READ_BOTH,
	CEILING_HOST_TO_GPU,
	CEILING_GPU_TO_HOST,
	CEILING_HOST_TO_GPU_BOTH,
	CEILING_GPU_TO_HOST_BOTH,
	CEILING_LOCAL,
	CEILING_HOST_COPY,
	CEILING_TCP_1,
	CEILING_TCP_4,
	CEILING_TCP_16,
	CEILING_TCP_BOTH,
	CEILING_COUNT,
};

enum ceiling_need {
	CEILING_NEEDS_GPU = 1 << 0,  /* asked of a worker with a GPU */
	CEILING_NEEDS_PEER = 1 << 1, /* and another GPU that the same process sees and may access */
	CEILING_NEEDS_TCP = 1 << 2,  /* two ranks; the supervisors do it */
};

struct ceiling {
	const char *name;   /* on the wire and in run.json: "ce-write" */
	const char *title;  /* of the peak row, "copy engine write (measured)" */
	const char *how;    /* one line for run.json: what was copied, by whom */
	const char *bounds; /* transport that cannot be faster: p2p, shm, socket; "" none */
	unsigned needs;
	uint64_t bytes; /* of one copy; TCP: 0 */
	int copies;     /* back to back in one sample */
	int streams;    /* TCP connections; 0: as many as were fastest one way */
};

extern const struct ceiling ceiling_table[CEILING_COUNT];

int ceiling_find(const char *name); /* -1 */
