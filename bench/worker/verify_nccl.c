/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the data right? Pattern in, poison where results go, one operation, comparison on the device;
 * outside of every clock. What the pattern is stands in ncclbench/pattern.h, who sent what in
 * spec/op.h.
 */
#include <stdalign.h>
#include <stdio.h>

#include "ncclbench/kernels.h"
#include "ncclbench/pattern.h"
#include "worker/cu_check.h"
#include "worker/nccl_rank.h"

#define POISON 0xA5

static bool reduces(const struct nccl_rank *me)
{
	return op_table[me->c.op].flags & OP_REDUCES;
}

/* Poison first: in place the two overlap, and what is sent must be whole. */
int rank_fill(struct nccl_rank *me)
{
	const struct op_case *c = &me->c;
	const struct op_shape *s = &me->shape;
	void *send = (void *)me->launch.send;

	me->once_from_fresh = false;
	if (me->launch.recv)
		CU_TRY(cudaMemsetAsync(me->launch.recv, POISON, s->recv_bytes, me->stream));
	if (!send)
		return NB_BACKEND_OK;
	if (reduces(me))
		CU_TRY(nb_fill_values(send, s->send_bytes / me->launch.elem_bytes, c->dtype,
				      c->redop, me->rank, c->nranks, 0, me->stream));
	else
		CU_TRY(nb_fill_bytes(send, s->send_bytes, me->rank, 0, me->stream));
	return NB_BACKEND_OK;
}

/* The path that was timed: a graph's operations give what one gives, unless they work in place. */
static int run_for_check(struct nccl_rank *me)
{
	if (!me->graph || me->c.in_place)
		return rank_run_once(me, NULL);
	CU_TRY(cudaGraphLaunch(me->graph, me->stream));
	return rank_wait_all(me);
}

static int compare_copies(const struct nccl_rank *me)
{
	const struct op_shape *s = &me->shape;
	const char *recv = me->launch.recv;
	uint64_t bytes = s->recv_bytes / (uint64_t)s->segments, offset = 0, base;
	int seg, src = 0;

	for (seg = 0; seg < s->segments; seg++) {
		op_table[me->c.op].source(&me->c, me->rank, seg, &src, &offset);
		base = (uint64_t)seg * bytes;
		CU_TRY(nb_check_bytes(recv + base, bytes, src, offset, base, me->mismatch,
				      me->stream));
	}
	return NB_BACKEND_OK;
}

static int compare_values(const struct nccl_rank *me)
{
	size_t elem = me->launch.elem_bytes;

	CU_TRY(nb_check_values(me->launch.recv, me->shape.recv_bytes / elem, me->c.dtype,
			       me->c.redop, me->c.nranks, me->shape.reduce_offset / elem,
			       me->mismatch, me->stream));
	return NB_BACKEND_OK;
}

static int compare(struct nccl_rank *me, struct nb_mismatch *found)
{
	static const struct nb_mismatch none = { 0, ~0ULL };
	int rc;

	CU_TRY(
	    cudaMemcpyAsync(me->mismatch, &none, sizeof(none), cudaMemcpyHostToDevice, me->stream));
	rc = reduces(me) ? compare_values(me) : compare_copies(me);
	if (rc)
		return rc;
	CU_TRY(cudaMemcpyAsync(found, me->mismatch, sizeof(*found), cudaMemcpyDeviceToHost,
			       me->stream));
	return rank_wait_all(me);
}

/* Byte `index` of the receive buffer: which segment it lies in says what it should be. */
static uint8_t wanted_byte(const struct nccl_rank *me, uint64_t index)
{
	uint64_t bytes = me->shape.recv_bytes / (uint64_t)me->shape.segments, offset = 0;
	int src = 0;

	op_table[me->c.op].source(&me->c, me->rank, (int)(index / bytes), &src, &offset);
	return nb_pattern_byte(src, offset + index % bytes);
}

static void put_texts(const struct nccl_rank *me, struct nb_check *check, const uint8_t *got)
{
	uint64_t index = me->shape.reduce_offset / me->launch.elem_bytes + check->first;
	double want;

	if (!reduces(me)) {
		(void)snprintf(check->got, sizeof(check->got), "0x%02x", got[0]);
		(void)snprintf(check->want, sizeof(check->want), "0x%02x",
			       wanted_byte(me, check->first));
		return;
	}
	want = nb_pattern_expect(me->c.redop, me->nranks, index, nb_dtype_is_integer(me->c.dtype));
	(void)snprintf(check->got, sizeof(check->got), "%.9g",
		       nb_load_element(me->c.dtype, got, 0));
	(void)snprintf(check->want, sizeof(check->want), "%.9g", want);
}

static int describe_first(struct nccl_rank *me, struct nb_check *check, size_t unit)
{
	const char *recv = me->launch.recv;
	alignas(8) uint8_t got[8] = { 0 }; /* the largest element */
	size_t i;
	int rc;

	CU_TRY(cudaMemcpyAsync(got, recv + check->first * unit, unit, cudaMemcpyDeviceToHost,
			       me->stream));
	rc = rank_wait_all(me);
	if (rc)
		return rc;
	check->poisoned = true;
	for (i = 0; i < unit; i++)
		check->poisoned = check->poisoned && got[i] == POISON;
	put_texts(me, check, got);
	return NB_BACKEND_OK;
}

int rank_check(struct nccl_rank *me, struct nb_check *check)
{
	size_t unit = reduces(me) ? me->launch.elem_bytes : 1;
	struct nb_mismatch found = { 0, ~0ULL };
	int rc;

	rc = me->once_from_fresh ? NB_BACKEND_OK : rank_fill(me);
	if (!rc && !me->once_from_fresh)
		rc = run_for_check(me);
	if (rc || !me->launch.recv)
		return rc;
	rc = compare(me, &found);
	if (rc)
		return rc;
	check->checked = me->shape.recv_bytes / unit;
	check->wrong = found.wrong;
	if (!found.wrong)
		return NB_BACKEND_OK;
	check->first = found.first;
	return describe_first(me, check, unit);
}
