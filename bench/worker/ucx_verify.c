/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "ncclbench/kernels.h"
#include "ncclbench/pattern.h"
#include "worker/ucx_verify.h"

static bool reduces(const struct ucx_job *job)
{
	return op_table[job->c.op].flags & OP_REDUCES;
}

void ucx_verify_fill(const struct ucx_job *job, uint8_t *dst, uint64_t from)
{
	uint64_t bytes = job->shape.send_bytes;

	if (from >= bytes)
		return;
	if (reduces(job))
		nb_fill_values_ref(dst + from, (bytes - from) / job->element_bytes, job->c.dtype,
				   job->c.redop, job->net->rank, job->c.nranks,
				   from / job->element_bytes);
	else
		nb_fill_bytes_ref(dst + from, bytes - from, job->net->rank, from);
}

static bool all_poison(const uint8_t *p, size_t n)
{
	while (n && *p == UCX_POISON) {
		p++;
		n--;
	}
	return n == 0;
}

static void check_values(const struct ucx_job *job, struct nb_mismatch *found, struct nb_check *out)
{
	uint64_t offset = job->shape.reduce_offset / job->element_bytes;
	int dtype = job->c.dtype;

	out->checked = job->shape.recv_bytes / job->element_bytes;
	nb_check_values_ref(job->recv, out->checked, dtype, job->c.redop, job->c.nranks, offset,
			    found);
	if (!found->wrong)
		return;
	snprintf(out->got, sizeof(out->got), "%.9g",
		 nb_load_element(dtype, job->recv, found->first));
	snprintf(out->want, sizeof(out->want), "%.9g",
		 nb_pattern_expect(job->c.redop, job->c.nranks, offset + found->first,
				   nb_dtype_is_integer(dtype)));
	out->poisoned =
	    all_poison(job->recv + found->first * job->element_bytes, job->element_bytes);
}

static void check_segments(const struct ucx_job *job, struct nb_mismatch *found,
			   struct nb_check *out)
{
	const struct op_shape *shape = &job->shape;
	uint64_t each = shape->segments ? shape->recv_bytes / (uint64_t)shape->segments : 0, offset;
	int seg, src;

	out->checked = each * (uint64_t)shape->segments;
	for (seg = 0; seg < shape->segments; seg++) {
		op_table[job->c.op].source(&job->c, job->net->rank, seg, &src, &offset);
		nb_check_bytes_ref(job->recv + (uint64_t)seg * each, each, src, offset,
				   (uint64_t)seg * each, found);
	}
	if (!found->wrong)
		return;
	seg = (int)(found->first / each);
	op_table[job->c.op].source(&job->c, job->net->rank, seg, &src, &offset);
	snprintf(out->got, sizeof(out->got), "0x%02x", job->recv[found->first]);
	snprintf(out->want, sizeof(out->want), "0x%02x",
		 nb_pattern_byte(src, offset + found->first - (uint64_t)seg * each));
	out->poisoned = job->recv[found->first] == UCX_POISON;
}

void ucx_verify_check(const struct ucx_job *job, struct nb_check *out)
{
	struct nb_mismatch found = { .wrong = 0, .first = ~0ULL };

	*out = (struct nb_check){ 0 };
	if (!job->shape.takes_part || !job->shape.recv_bytes)
		return;
	if (reduces(job))
		check_values(job, &found, out);
	else
		check_segments(job, &found, out);
	out->wrong = found.wrong;
	out->first = found.wrong ? found.first : 0;
}
