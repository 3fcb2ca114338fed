/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of operations: shape, what the result must be, bus-bandwidth factor. Pure functions only.
 *
 * bytes is nccl-tests' "size": for all_gather, reduce_scatter, alltoall, gather and scatter the sum
 * over ranks (each rank's share is bytes/nranks), else the message itself. algbw = bytes/time,
 * busbw = algbw x bus_factor (NVIDIA's definition: the factor makes the figure comparable with a
 * link's bandwidth).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum op_id {
	OP_ALL_REDUCE,
	OP_BROADCAST,
	OP_SENDRECV,
	OP_PINGPONG,
	OP_SEND,
	OP_SEND_BIDIR,
	OP_ALL_GATHER,
	OP_REDUCE_SCATTER,
	OP_REDUCE,
	OP_ALLTOALL,
	OP_GATHER,
	OP_SCATTER,
	OP_COUNT,
};

enum op_flag {
	OP_REDUCES = 1 << 0, /* result is a reduction: verified as values */
	OP_ROOTED = 1 << 1,
	OP_PAIR = 1 << 2,    /* only ranks a and b of the case take part */
	OP_LATENCY = 1 << 3, /* its time may be called a latency (pingpong, all_reduce) */
	OP_DEFAULT = 1 << 4, /* in the default sweep */
	/* bytes is the sum over ranks: rounded down to a multiple of nranks elements */
	OP_SHARED = 1 << 5,
	OP_IN_PLACE = 1 << 6,   /* has an in-place form */
	OP_UCX = 1 << 7,        /* the UCX backend has it */
	OP_COLLECTIVE = 1 << 8, /* NCCL logs its algorithm and protocol (TUNING) */
	OP_MULTICAST = 1 << 9,  /* NVLS can carry it */
	OP_ONE_WAY = 1 << 10,   /* of a pair only a sends */
	OP_STAR = 1 << 11,      /* some ranks only send or only receive (gather, scatter) */
};

struct op_case {
	int op, dtype, redop;
	bool in_place;
	int nranks, root;
	int a, b;                /* the pair of OP_PAIR operations */
	uint64_t bytes;          /* already rounded by op_round_bytes */
};

struct op_shape { /* of one rank */
	uint64_t send_bytes, recv_bytes; /* 0: this rank has no such buffer */
	int segments; /* of the receive buffer, equal in size; 0 for reductions and non-receivers */
	/* reductions: where in the senders' buffers this result starts, bytes */
	uint64_t reduce_offset;
	/* In place the two buffers overlap: send starts at alias_send and receive at alias_recv of
	 * one allocation (bytes). */
	uint64_t alias_send, alias_recv;
	bool takes_part;
};

struct op {
	const char *name;
	const char *nccl_name;   /* in TUNING lines: "AllReduce"; NULL for composed operations */
	const char *help;
	unsigned flags;
	double time_scale; /* pingpong 0.5: one operation is a round trip, the figure half of it */
	uint64_t default_max_bytes; /* of the default sweep; 0 = the profile's */
	double (*bus_factor)(int nranks);
	void (*shape)(const struct op_case *c, int rank, struct op_shape *out);
	/* Copies: segment `seg` of rank's receive buffer must equal `src`'s send buffer from
	 * *offset on. */
	void (*source)(const struct op_case *c, int rank, int seg, int *src, uint64_t *offset);
};

extern const struct op op_table[OP_COUNT];
int op_find(const char *name);
/* Largest size <= bytes the operation can have with that many ranks; 0 when not even one element
 * fits. */
uint64_t op_round_bytes(int op, int dtype, int nranks, uint64_t bytes);
/* time_us is the figure of a row, after time_scale (pingpong: half of the round trip). */
double op_algbw_gbps(uint64_t bytes, double time_us); /* 1e9 bytes per second; 0 if time is 0 */
double op_busbw_gbps(int op, int nranks, uint64_t bytes, double time_us);
