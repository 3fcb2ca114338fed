/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of op.h: shapes, expected sources, bus factors. No buffers, no communication. */
#include "spec/op.h"

#include "spec/dtype.h"
#include "spec/lookup.h"

/* Bus factors after NVIDIA's definition (nccl-tests, doc/PERFORMANCE.md), n ranks. */
static double factor_one(int nranks)
{
	return 1;
}

static double factor_share(int nranks) /* what a rank keeps does not travel */
{
	return nranks > 0 ? (nranks - 1.0) / nranks : 0;
}

static double factor_twice(int nranks) /* reduce-scatter, then all-gather */
{
	return 2 * factor_share(nranks);
}

static uint64_t share_of(const struct op_case *c)
{
	return c->nranks > 0 ? c->bytes / (uint64_t)c->nranks : 0;
}

static void shape_all_reduce(const struct op_case *c, int rank, struct op_shape *out)
{
	*out =
	    (struct op_shape){ .send_bytes = c->bytes, .recv_bytes = c->bytes, .takes_part = true };
}

static void shape_broadcast(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .send_bytes = rank == c->root ? c->bytes : 0,
				  .recv_bytes = c->bytes,
				  .segments = 1,
				  .takes_part = true };
}

static void shape_reduce(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .send_bytes = c->bytes,
				  .recv_bytes = rank == c->root ? c->bytes : 0,
				  .takes_part = true };
}

static void shape_ring(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){
		.send_bytes = c->bytes, .recv_bytes = c->bytes, .segments = 1, .takes_part = true
	};
}

static void shape_both(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ 0 };
	if (rank == c->a || rank == c->b)
		shape_ring(c, rank, out);
}

static void shape_send(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .takes_part = rank == c->a || rank == c->b };
	if (rank == c->a)
		out->send_bytes = c->bytes;
	if (rank == c->b) {
		out->recv_bytes = c->bytes;
		out->segments = 1;
	}
}

static void shape_all_gather(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .send_bytes = share_of(c),
				  .recv_bytes = c->bytes,
				  .segments = c->nranks,
				  .takes_part = true };
	if (c->in_place) /* NCCL: sendbuff == recvbuff + rank * sendcount */
		out->alias_send = (uint64_t)rank * share_of(c);
}

static void shape_reduce_scatter(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .send_bytes = c->bytes,
				  .recv_bytes = share_of(c),
				  .reduce_offset = (uint64_t)rank * share_of(c),
				  .takes_part = true };
	if (c->in_place) /* NCCL: recvbuff == sendbuff + rank * recvcount */
		out->alias_recv = out->reduce_offset;
}

static void shape_alltoall(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .send_bytes = c->bytes,
				  .recv_bytes = c->bytes,
				  .segments = c->nranks,
				  .takes_part = true };
}

static void shape_gather(const struct op_case *c, int rank, struct op_shape *out)
{
	if (rank == c->root)
		shape_all_gather(c, rank, out);
	else
		*out = (struct op_shape){ .send_bytes = share_of(c), .takes_part = true };
}

static void shape_scatter(const struct op_case *c, int rank, struct op_shape *out)
{
	*out = (struct op_shape){ .recv_bytes = share_of(c), .segments = 1, .takes_part = true };
	if (rank != c->root)
		return;
	out->send_bytes = c->bytes;
	if (c->in_place)
		out->alias_recv = (uint64_t)rank * share_of(c);
}

static void source_root(const struct op_case *c, int rank, int seg, int *src, uint64_t *offset)
{
	*src = c->root;
	*offset = 0;
}

static void source_before(const struct op_case *c, int rank, int seg, int *src, uint64_t *offset)
{
	*src = (rank - 1 + c->nranks) % c->nranks;
	*offset = 0;
}

static void source_other(const struct op_case *c, int rank, int seg, int *src, uint64_t *offset)
{
	*src = rank == c->a ? c->b : c->a;
	*offset = 0;
}

static void source_each(const struct op_case *c, int rank, int seg, int *src, uint64_t *offset)
{
	*src = seg;
	*offset = 0;
}

static void source_share_of_each(const struct op_case *c, int rank, int seg, int *src,
				 uint64_t *offset)
{
	*src = seg;
	*offset = (uint64_t)rank * share_of(c);
}

static void source_share_of_root(const struct op_case *c, int rank, int seg, int *src,
				 uint64_t *offset)
{
	*src = c->root;
	*offset = (uint64_t)rank * share_of(c);
}

static void source_none(const struct op_case *c, int rank, int seg, int *src, uint64_t *offset)
{
	*src = rank; /* reductions have no segments: nobody asks */
	*offset = 0;
}

/* clang-format off */
const struct op op_table[OP_COUNT] = {
	[OP_ALL_REDUCE] = {
		.name = "all_reduce", .nccl_name = "AllReduce",
		.help = "every rank gets the reduction of all",
		.flags = OP_REDUCES | OP_LATENCY | OP_DEFAULT | OP_IN_PLACE | OP_UCX |
			 OP_COLLECTIVE | OP_MULTICAST,
		.time_scale = 1, .bus_factor = factor_twice,
		.shape = shape_all_reduce, .source = source_none,
	},
	[OP_BROADCAST] = {
		.name = "broadcast", .nccl_name = "Broadcast",
		.help = "every rank gets the root's buffer",
		.flags = OP_ROOTED | OP_DEFAULT | OP_IN_PLACE | OP_UCX | OP_COLLECTIVE,
		.time_scale = 1, .bus_factor = factor_one,
		.shape = shape_broadcast, .source = source_root,
	},
	[OP_SENDRECV] = {
		.name = "sendrecv",
		.help = "ring: each rank sends to the next and receives from the one before",
		.flags = OP_DEFAULT | OP_UCX,
		.time_scale = 1, .bus_factor = factor_one,
		.shape = shape_ring, .source = source_before,
	},
	[OP_PINGPONG] = {
		.name = "pingpong",
		.help = "a sends to b, then b to a; the time is half of the round trip",
		.flags = OP_PAIR | OP_LATENCY | OP_DEFAULT | OP_UCX, .default_max_bytes = 1 << 20,
		.time_scale = 0.5, .bus_factor = factor_one,
		.shape = shape_both, .source = source_other,
	},
	[OP_SEND] = {
		.name = "send",
		.help = "a sends to b, which only receives",
		.flags = OP_PAIR | OP_UCX | OP_ONE_WAY,
		.time_scale = 1, .bus_factor = factor_one,
		.shape = shape_send, .source = source_other,
	},
	[OP_SEND_BIDIR] = {
		.name = "send_bidir",
		.help = "a and b send to each other at once; the slower direction counts",
		.flags = OP_PAIR | OP_UCX,
		.time_scale = 1, .bus_factor = factor_one,
		.shape = shape_both, .source = source_other,
	},
	[OP_ALL_GATHER] = {
		.name = "all_gather", .nccl_name = "AllGather",
		.help = "every rank gets every rank's share",
		.flags = OP_SHARED | OP_IN_PLACE | OP_COLLECTIVE | OP_MULTICAST,
		.time_scale = 1, .bus_factor = factor_share,
		.shape = shape_all_gather, .source = source_each,
	},
	[OP_REDUCE_SCATTER] = {
		.name = "reduce_scatter", .nccl_name = "ReduceScatter",
		.help = "every rank gets its share of the reduction",
		.flags = OP_REDUCES | OP_SHARED | OP_IN_PLACE | OP_COLLECTIVE | OP_MULTICAST,
		.time_scale = 1, .bus_factor = factor_share,
		.shape = shape_reduce_scatter, .source = source_none,
	},
	[OP_REDUCE] = {
		.name = "reduce", .nccl_name = "Reduce",
		.help = "the root gets the reduction of all",
		.flags = OP_REDUCES | OP_ROOTED | OP_IN_PLACE | OP_COLLECTIVE,
		.time_scale = 1, .bus_factor = factor_one,
		.shape = shape_reduce, .source = source_none,
	},
	[OP_ALLTOALL] = {
		.name = "alltoall",
		.help = "every rank sends another share to every rank",
		.flags = OP_SHARED,
		.time_scale = 1, .bus_factor = factor_share,
		.shape = shape_alltoall, .source = source_share_of_each,
	},
	[OP_GATHER] = {
		.name = "gather",
		.help = "the root gets every rank's share",
		.flags = OP_ROOTED | OP_SHARED | OP_IN_PLACE | OP_STAR,
		.time_scale = 1, .bus_factor = factor_share,
		.shape = shape_gather, .source = source_each,
	},
	[OP_SCATTER] = {
		.name = "scatter",
		.help = "every rank gets its share of the root's buffer",
		.flags = OP_ROOTED | OP_SHARED | OP_IN_PLACE | OP_STAR,
		.time_scale = 1, .bus_factor = factor_share,
		.shape = shape_scatter, .source = source_share_of_root,
	},
};
/* clang-format on */

int op_find(const char *name)
{
	return LOOKUP(op_table, OP_COUNT, struct op, name, name);
}

uint64_t op_round_bytes(int op, int dtype, int nranks, uint64_t bytes)
{
	uint64_t grain;

	if (op < 0 || op >= OP_COUNT || dtype < 0 || dtype >= DTYPE_COUNT || nranks < 1)
		return 0;
	grain = dtype_table[dtype].bytes;
	if (op_table[op].flags & OP_SHARED)
		grain *= (uint64_t)nranks;
	return bytes - bytes % grain;
}

double op_algbw_gbps(uint64_t bytes, double time_us)
{
	return time_us > 0 ? (double)bytes / time_us / 1e3 : 0; /* bytes/us = MB/s */
}

double op_busbw_gbps(int op, int nranks, uint64_t bytes, double time_us)
{
	if (op < 0 || op >= OP_COUNT)
		return 0;
	return op_algbw_gbps(bytes, time_us) * op_table[op].bus_factor(nranks);
}
