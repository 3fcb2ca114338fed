/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "ncclbench/backend.h"
#include "worker/launch_ucx.h"

/* Messages up to here are exchanged whole (log2 n rounds); above, the ring moves 2(n-1)/n of them.
 */
#define ALL_REDUCE_SMALL (32u << 10)
/* Pieces of a ring step: they stay in the second-level cache between arrival and reduction, and the
 * next one travels meanwhile. */
#define RING_PIECE (256u << 10)
/* From here on a broadcast to more than one receiver flows down a chain in pieces. */
#define CHAIN_FROM (256u << 10)
#define CHAIN_PIECE (256u << 10)

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int send_whole(struct ucx_job *job, int peer, const void *data, size_t bytes)
{
	struct ucx_request request;
	int r = ucx_send(job->net, peer, data, bytes, &request);

	return r ? r : ucx_wait(job->net, &request);
}

static int receive_whole(struct ucx_job *job, int peer, void *data, size_t bytes)
{
	struct ucx_request request;
	int r = ucx_receive(job->net, peer, data, bytes, &request);

	return r ? r : ucx_wait(job->net, &request);
}

/* ------------------------------------------------------------------ all_reduce, small */

/* Rank in the power-of-two group after the first 2*extra ranks were folded in pairs; -1: sits out.
 */
static int folded_rank(int rank, int extra)
{
	if (rank >= 2 * extra)
		return rank - extra;
	return rank % 2 ? rank / 2 : -1;
}

static int unfolded_rank(int folded, int extra)
{
	return folded < extra ? 2 * folded + 1 : folded + extra;
}

static int double_up(struct ucx_job *job, int folded, int power, int extra)
{
	size_t bytes = job->c.bytes;
	int mask, peer, r;

	for (mask = 1; mask < power; mask *= 2) {
		peer = unfolded_rank(folded ^ mask, extra);
		r = ucx_exchange(job->net, peer, job->recv, bytes, peer, job->scratch, bytes);
		if (r)
			return r;
		job->reduce(job->recv, job->scratch, bytes / job->element_bytes);
	}
	return NB_BACKEND_OK;
}

/* Recursive doubling. When n is no power of two, the even ones of the first 2*extra ranks give
 * their value to the rank after them and get the result from it. */
static int all_reduce_doubling(struct ucx_job *job)
{
	int rank = job->net->rank, n = job->c.nranks, power = 1, extra, folded, r;
	size_t bytes = job->c.bytes;

	while (power * 2 <= n)
		power *= 2;
	extra = n - power;
	folded = folded_rank(rank, extra);
	if (folded < 0) {
		r = send_whole(job, rank + 1, job->recv, bytes);
		return r ? r : receive_whole(job, rank + 1, job->recv, bytes);
	}
	if (rank < 2 * extra) {
		r = receive_whole(job, rank - 1, job->scratch, bytes);
		if (r)
			return r;
		job->reduce(job->recv, job->scratch, bytes / job->element_bytes);
	}
	r = double_up(job, folded, power, extra);
	if (r || rank >= 2 * extra)
		return r;
	return send_whole(job, rank - 1, job->recv, bytes);
}

/* ------------------------------------------------------------------ all_reduce, large */

struct span { /* bytes of the buffer */
	size_t at, len;
};

/* The share of the buffer that is called `chunk`: whole elements, the first ones get one more. */
static struct span chunk_span(const struct ucx_job *job, int chunk)
{
	size_t n = (size_t)job->c.nranks, i = (size_t)((chunk % (int)n + (int)n) % (int)n);
	size_t elements = job->c.bytes / job->element_bytes, each = elements / n,
	       more = elements % n;

	return (struct span){
		.at = (i * each + smaller(i, more)) * job->element_bytes,
		.len = (each + (i < more)) * job->element_bytes,
	};
}

static struct span piece_span(struct span chunk, size_t index)
{
	size_t from = index * RING_PIECE;

	if (from >= chunk.len)
		return (struct span){ chunk.at, 0 };
	return (struct span){ chunk.at + from, smaller(RING_PIECE, chunk.len - from) };
}

struct piece { /* of one step, in flight */
	struct span out, in;
	uint8_t *landing;
	struct ucx_request send, receive;
};

/* Out of place a piece lands where its result will be and the own input is added; in place it lands
 * in the scratch and is added to what is there. */
static int post_piece(struct ucx_job *job, struct piece *p, const uint8_t *source, size_t index)
{
	int rank = job->net->rank, n = job->c.nranks, r = NB_BACKEND_OK;

	p->send = p->receive = (struct ucx_request){ 0 };
	p->landing =
	    job->c.in_place ? job->scratch + (index % 2) * RING_PIECE : job->recv + p->in.at;
	if (p->in.len)
		r = ucx_receive(job->net, (rank - 1 + n) % n, p->landing, p->in.len, &p->receive);
	if (!r && p->out.len)
		r = ucx_send(job->net, (rank + 1) % n, source + p->out.at, p->out.len, &p->send);
	return r;
}

static int finish_piece(struct ucx_job *job, struct piece *p)
{
	uint8_t *result = job->recv + p->in.at;
	int r;

	r = ucx_wait(job->net, &p->receive);
	if (r)
		return r;
	job->reduce(result, job->c.in_place ? p->landing : job->send + p->in.at,
		    p->in.len / job->element_bytes);
	return ucx_wait(job->net, &p->send);
}

static int reduce_step(struct ucx_job *job, struct span out, struct span in, const uint8_t *source)
{
	size_t n = ((out.len > in.len ? out.len : in.len) + RING_PIECE - 1) / RING_PIECE, i;
	struct piece pieces[2];
	int r;

	for (i = 0; i <= n; i++) {
		struct piece *next = &pieces[i % 2];

		if (i < n) {
			next->out = piece_span(out, i);
			next->in = piece_span(in, i);
			r = post_piece(job, next, source, i);
			if (r)
				return r;
		}
		r = i ? finish_piece(job, &pieces[(i - 1) % 2]) : NB_BACKEND_OK;
		if (r)
			return r;
	}
	return NB_BACKEND_OK;
}

/* Reduce-scatter, then all-gather, both around the ring. After step s of the first half this rank
 * holds the sum of s+2 inputs of chunk rank-s-1. */
static int all_reduce_ring(struct ucx_job *job)
{
	int rank = job->net->rank, n = job->c.nranks, step, r;
	struct span out, in;

	for (step = 0; step < n - 1; step++) {
		out = chunk_span(job, rank - step);
		in = chunk_span(job, rank - step - 1);
		r = reduce_step(job, out, in, step ? job->recv : job->send);
		if (r)
			return r;
	}
	for (step = 0; step < n - 1; step++) {
		out = chunk_span(job, rank + 1 - step);
		in = chunk_span(job, rank - step);
		r = ucx_exchange(job->net, (rank + 1) % n, job->recv + out.at, out.len,
				 (rank - 1 + n) % n, job->recv + in.at, in.len);
		if (r)
			return r;
	}
	return NB_BACKEND_OK;
}

static int launch_all_reduce(struct ucx_job *job)
{
	bool small = job->c.bytes <= ALL_REDUCE_SMALL;

	if (!job->c.in_place && (small || job->c.nranks == 1))
		memcpy(job->recv, job->send, job->c.bytes);
	if (job->c.nranks == 1)
		return NB_BACKEND_OK;
	return small ? all_reduce_doubling(job) : all_reduce_ring(job);
}

/* ------------------------------------------------------------------ broadcast */

/* Place in the tree or chain: the root is 0. */
static int place_of(const struct ucx_job *job)
{
	return (job->net->rank - job->c.root + job->c.nranks) % job->c.nranks;
}

static int rank_at(const struct ucx_job *job, int place)
{
	return (place + job->c.root) % job->c.nranks;
}

/* Binomial tree: the lowest set bit of a place tells its parent, lower bits its children. */
static int broadcast_tree(struct ucx_job *job, const uint8_t *source)
{
	int n = job->c.nranks, place = place_of(job), mask = 1, r;

	while (mask < n && !(place & mask))
		mask *= 2;
	if (place) {
		r = receive_whole(job, rank_at(job, place - mask), job->recv, job->c.bytes);
		if (r)
			return r;
	}
	for (mask /= 2; mask > 0; mask /= 2) {
		if (place + mask >= n)
			continue;
		r = send_whole(job, rank_at(job, place + mask), source, job->c.bytes);
		if (r)
			return r;
	}
	return NB_BACKEND_OK;
}

/* Chain: each rank hands a piece on while the next one arrives. */
static int broadcast_chain(struct ucx_job *job, const uint8_t *source)
{
	int n = job->c.nranks, place = place_of(job), r;
	struct ucx_request sending = { 0 };
	size_t at, len;

	for (at = 0; at < job->c.bytes; at += len) {
		len = smaller(CHAIN_PIECE, job->c.bytes - at);
		if (place) {
			r = receive_whole(job, rank_at(job, place - 1), job->recv + at, len);
			if (r)
				return r;
		}
		r = ucx_wait(job->net, &sending);
		if (!r && place + 1 < n)
			r = ucx_send(job->net, rank_at(job, place + 1), source + at, len, &sending);
		if (r)
			return r;
	}
	return ucx_wait(job->net, &sending);
}

static int launch_broadcast(struct ucx_job *job)
{
	bool is_root = job->net->rank == job->c.root;
	const uint8_t *source = is_root ? job->send : job->recv;
	int r;

	if (job->c.nranks > 2 && job->c.bytes >= CHAIN_FROM)
		r = broadcast_chain(job, source);
	else
		r = broadcast_tree(job, source);
	if (!r && is_root && job->recv != job->send)
		memcpy(job->recv, job->send, job->c.bytes);
	return r;
}

/* ------------------------------------------------------------------ pairs and rings */

static int launch_sendrecv(struct ucx_job *job)
{
	int rank = job->net->rank, n = job->c.nranks;

	if (n == 1) {
		memcpy(job->recv, job->send, job->c.bytes);
		return NB_BACKEND_OK;
	}
	return ucx_exchange(job->net, (rank + 1) % n, job->send, job->c.bytes, (rank - 1 + n) % n,
			    job->recv, job->c.bytes);
}

static int launch_send(struct ucx_job *job)
{
	if (job->net->rank == job->c.a)
		return send_whole(job, job->c.b, job->send, job->c.bytes);
	return receive_whole(job, job->c.a, job->recv, job->c.bytes);
}

static int launch_send_bidir(struct ucx_job *job)
{
	int peer = job->net->rank == job->c.a ? job->c.b : job->c.a;

	return ucx_exchange(job->net, peer, job->send, job->c.bytes, peer, job->recv, job->c.bytes);
}

static int launch_pingpong(struct ucx_job *job)
{
	int r;

	if (job->net->rank == job->c.a) /* the answer's place is ready before the question leaves */
		return ucx_exchange(job->net, job->c.b, job->send, job->c.bytes, job->c.b,
				    job->recv, job->c.bytes);
	r = receive_whole(job, job->c.a, job->recv, job->c.bytes);
	return r ? r : send_whole(job, job->c.a, job->send, job->c.bytes);
}

/* ------------------------------------------------------------------ table */

static launch_fn *const launches[OP_COUNT] = {
	[OP_ALL_REDUCE] = launch_all_reduce, [OP_BROADCAST] = launch_broadcast,
	[OP_SENDRECV] = launch_sendrecv,     [OP_SEND] = launch_send,
	[OP_PINGPONG] = launch_pingpong,     [OP_SEND_BIDIR] = launch_send_bidir,
};

launch_fn *launch_find(int op)
{
	return op < 0 || op >= OP_COUNT ? NULL : launches[op];
}

uint64_t launch_scratch_bytes(const struct op_case *c)
{
	if (!(op_table[c->op].flags & OP_REDUCES))
		return 0;
	return c->bytes <= ALL_REDUCE_SMALL ? ALL_REDUCE_SMALL : 2 * (uint64_t)RING_PIECE;
}
