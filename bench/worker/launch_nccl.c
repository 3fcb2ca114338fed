/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE op_id -> calls. Operations NCCL has no single call for (or only since 2.28) are groups of
 * send and receive, as every framework writes them, so that all versions are measured alike.
 */
#include "base/attr.h"
#include "worker/cu_check.h"
#include "worker/launch_nccl.h"

static char *share_of(const void *buffer, int index, const struct launch_args *a)
{
	return (char *)buffer + (size_t)index * a->count * a->elem_bytes;
}

static int send_to(const struct launch_args *a, const void *from, int peer)
{
	NC_TRY(ncclSend(from, a->count, a->type, peer, a->comm, a->stream));
	return 0;
}

static int recv_from(const struct launch_args *a, void *to, int peer)
{
	NC_TRY(ncclRecv(to, a->count, a->type, peer, a->comm, a->stream));
	return 0;
}

static int group_begin(void)
{
	NC_TRY(ncclGroupStart());
	return 0;
}

/* Always closes the group; the failure inside it is the one worth telling. */
static int group_end(int failed)
{
	if (failed) {
		(void)ncclGroupEnd();
		return failed;
	}
	NC_TRY(ncclGroupEnd());
	return 0;
}

static int all_reduce(const struct launch_args *a)
{
	NC_TRY(ncclAllReduce(a->send, a->recv, a->count, a->type, a->redop, a->comm, a->stream));
	return 0;
}

/* A rank without one of the buffers names the other twice: NCCL reads at the root only and writes
 * elsewhere; for a root equal pointers mean "no copy to yourself". */
static int broadcast(const struct launch_args *a)
{
	const void *send = a->send ? a->send : a->recv;
	void *recv = a->recv ? a->recv : (void *)a->send;

	NC_TRY(ncclBroadcast(send, recv, a->count, a->type, a->c->root, a->comm, a->stream));
	return 0;
}

static int reduce(const struct launch_args *a)
{
	NC_TRY(ncclReduce(a->send, a->recv, a->count, a->type, a->redop, a->c->root, a->comm,
			  a->stream));
	return 0;
}

static int all_gather(const struct launch_args *a)
{
	NC_TRY(ncclAllGather(a->send, a->recv, a->count, a->type, a->comm, a->stream));
	return 0;
}

static int reduce_scatter(const struct launch_args *a)
{
	NC_TRY(ncclReduceScatter(a->send, a->recv, a->count, a->type, a->redop, a->comm,
				 a->stream));
	return 0;
}

/* To the next rank, from the previous one, at once. */
static int sendrecv(const struct launch_args *a)
{
	int n = a->c->nranks, r;

	r = group_begin();
	if (r)
		return r;
	r = send_to(a, a->send, (a->rank + 1) % n);
	if (!r)
		r = recv_from(a, a->recv, (a->rank + n - 1) % n);
	return group_end(r);
}

/* There and back: the second half starts in the stream when the first has ended. */
static int pingpong(const struct launch_args *a)
{
	int r;

	if (a->rank == a->c->a) {
		r = send_to(a, a->send, a->c->b);
		return r ? r : recv_from(a, a->recv, a->c->b);
	}
	r = recv_from(a, a->recv, a->c->a);
	return r ? r : send_to(a, a->send, a->c->a);
}

static int send_one_way(const struct launch_args *a)
{
	if (a->rank == a->c->a)
		return send_to(a, a->send, a->c->b);
	return recv_from(a, a->recv, a->c->a);
}

static int send_both_ways(const struct launch_args *a)
{
	int peer = a->rank == a->c->a ? a->c->b : a->c->a;
	int r;

	r = group_begin();
	if (r)
		return r;
	r = send_to(a, a->send, peer);
	if (!r)
		r = recv_from(a, a->recv, peer);
	return group_end(r);
}

static int alltoall(const struct launch_args *a)
{
	int peer, r;

	r = group_begin();
	if (r)
		return r;
	for (peer = 0; !r && peer < a->c->nranks; peer++) {
		r = send_to(a, share_of(a->send, peer, a), peer);
		if (!r)
			r = recv_from(a, share_of(a->recv, peer, a), peer);
	}
	return group_end(r);
}

/* The root sends to itself as well: gather and scatter include its own share. */
static int gather(const struct launch_args *a)
{
	int peer, r;

	r = group_begin();
	if (r)
		return r;
	r = send_to(a, a->send, a->c->root);
	if (a->rank == a->c->root)
		for (peer = 0; !r && peer < a->c->nranks; peer++)
			r = recv_from(a, share_of(a->recv, peer, a), peer);
	return group_end(r);
}

static int scatter(const struct launch_args *a)
{
	int peer, r;

	r = group_begin();
	if (r)
		return r;
	if (a->rank == a->c->root)
		for (peer = 0; !r && peer < a->c->nranks; peer++)
			r = send_to(a, share_of(a->send, peer, a), peer);
	if (!r)
		r = recv_from(a, a->recv, a->c->root);
	return group_end(r);
}

static int (*const launchers[OP_COUNT])(const struct launch_args *a) = {
	[OP_ALL_REDUCE] = all_reduce,
	[OP_BROADCAST] = broadcast,
	[OP_SENDRECV] = sendrecv,
	[OP_PINGPONG] = pingpong,
	[OP_SEND] = send_one_way,
	[OP_SEND_BIDIR] = send_both_ways,
	[OP_ALL_GATHER] = all_gather,
	[OP_REDUCE_SCATTER] = reduce_scatter,
	[OP_REDUCE] = reduce,
	[OP_ALLTOALL] = alltoall,
	[OP_GATHER] = gather,
	[OP_SCATTER] = scatter,
};

int launch_op(const struct launch_args *a)
{
	if ((op_table[a->c->op].flags & OP_PAIR) && a->rank != a->c->a && a->rank != a->c->b)
		return 0;
	return launchers[a->c->op](a);
}
