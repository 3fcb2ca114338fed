/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computation beside communication: pieces of work queued on a stream of their own, long enough to
 * outlast a batch, and how much longer each took than alone. How many operations a rank launches
 * never depends on what is seen here: that is the supervisors' to decide.
 */
#include <math.h>

#include "base/attr.h"
#include "base/clock.h"
#include "ncclbench/kernels.h"
#include "spec/load.h"
#include "wire/msg.h"
#include "worker/cu_check.h"
#include "worker/nccl_rank.h"

#define BUF_BYTES (256ULL << 20) /* above any L2 */
#define WARM_PIECES 32
#define ALONE_PIECES 16 /* of each kind of group */
#define PIECES_MAX 896  /* the driver's queue blocks at about 1000, events included */
#define MARGIN_US 2000  /* queueing takes the host a while, in which the first pieces end */

static const struct {
	int (*launch)(void *buf, uint64_t bytes, void *stream);
	const char *name;
} loads[LOAD_COUNT] = {
	[LOAD_MEM] = { nb_load_memory, "nb_load_memory" },
	[LOAD_FMA] = { nb_load_arithmetic, "nb_load_arithmetic" },
};

/* So many pieces, and an event where they end. */
static int group(struct busy *b, int pieces, int mark)
{
	int rc;

	for (int i = 0; i < pieces; i++) {
		rc = loads[b->id].launch(b->buf, BUF_BYTES, b->stream);
		if (rc)
			return failure_cuda(loads[b->id].name, rc);
	}
	CU_TRY(cudaEventRecord(b->mark[mark], b->stream));
	return NB_BACKEND_OK;
}

static int make_streams(struct nccl_rank *r)
{
	struct busy *b = &r->busy;
	int least = 0, greatest = 0;

	/* As frameworks do: communication goes first where both want an SM. */
	CU_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	r->own[0] = r->stream;
	CU_TRY(cudaStreamCreateWithPriority(&b->stream, cudaStreamNonBlocking, least));
	for (int i = 0; i <= LOAD_GROUPS_MAX; i++)
		CU_TRY(cudaEventCreate(&b->mark[i]));
	CU_TRY(cudaMemsetAsync(b->buf, 0, BUF_BYTES, b->stream));
	CU_TRY(cudaStreamCreateWithPriority(&r->own[1], cudaStreamNonBlocking, greatest));
	return NB_BACKEND_OK;
}

static int make(struct nccl_rank *r)
{
	struct busy *b = &r->busy;
	int rc = r->own[1] || b->buf ? NB_BACKEND_OK : buffers_room(BUF_BYTES, r->device);

	if (rc || r->own[1])
		return rc;
	if (!b->buf)
		CU_TRY(cudaMalloc(&b->buf, BUF_BYTES));
	rc = make_streams(r);
	/* Half made, it is made no second time: this worker ends. */
	return rc == NB_BACKEND_OOM ? NB_BACKEND_ERROR : rc;
}

/* After the first mark. */
static int when(const struct busy *b, cudaEvent_t event, double *ns)
{
	float ms = 0;

	CU_TRY(cudaEventElapsedTime(&ms, b->mark[0], event));
	*ns = (double)ms * 1e6;
	return NB_BACKEND_OK;
}

static int queue_alone(struct busy *b, int last[LOAD_STEPS])
{
	int at = 0, rc = group(b, WARM_PIECES, 0); /* lets the clocks rise */

	for (int step = 0; step < LOAD_STEPS; step++) {
		for (int i = 0; i < ALONE_PIECES / load_steps[step] && !rc; i++)
			rc = group(b, load_steps[step], ++at);
		last[step] = at;
	}
	return rc;
}

/* Each kind of group, marked as beside a batch. */
static int time_alone(struct nccl_rank *r)
{
	struct busy *b = &r->busy;
	int last[LOAD_STEPS] = { 0 }, rc = queue_alone(b, last);
	double from = 0, to = 0;

	if (!rc)
		rc = rank_wait(r, b->mark[last[LOAD_STEPS - 1]]);
	for (int step = 0; step < LOAD_STEPS && !rc; step++) {
		rc = when(b, b->mark[last[step]], &to);
		b->alone_ns[step] = (to - from) * load_steps[step] / ALONE_PIECES;
		from = to;
		if (!rc && !(b->alone_ns[step] > 0))
			rc = failure_set(NB_BACKEND_ERROR, 0, "the load '%s' took no time",
					 load_table[b->id].name);
	}
	return rc;
}

int rank_load(struct nccl_rank *r, int id)
{
	int rc = id == LOAD_NONE ? NB_BACKEND_OK : make(r);

	if (rc)
		return rc;
	if (r->own[1])
		r->stream = r->own[id != LOAD_NONE];
	if (id == r->busy.id)
		return NB_BACKEND_OK;
	r->busy.id = id;
	rc = id == LOAD_NONE ? NB_BACKEND_OK : time_alone(r);
	if (rc) /* asked for again, it is timed again */
		r->busy.id = LOAD_NONE;
	return rc;
}

int rank_load_begin(struct nccl_rank *r, int64_t cover_us)
{
	struct busy *b = &r->busy;
	double wanted = (double)(cover_us + MARGIN_US) * 1e3 / b->alone_ns[0];
	int rc = group(b, 1, 0);

	b->plan = load_plan(fmin(wanted, PIECES_MAX));
	if (rc)
		return rc;
	CU_TRY(cudaStreamWaitEvent(r->stream, b->mark[0], 0));
	for (int i = 1; i <= b->plan.groups && !rc; i++)
		rc = group(b, load_steps[b->plan.step], i);
	return rc;
}

int rank_load_end(struct nccl_rank *r, cudaEvent_t start, cudaEvent_t stop)
{
	struct busy *b = &r->busy;
	int n = b->plan.groups, rc = rank_wait(r, b->mark[n]);
	double ns[LOAD_GROUPS_MAX + 1] = { 0 }, from = 0, to = 0, slow;

	for (int i = 1; i <= n && !rc; i++)
		rc = when(b, b->mark[i], &ns[i]);
	if (!rc)
		rc = when(b, start, &from);
	if (!rc)
		rc = when(b, stop, &to);
	if (rc)
		return rc;
	b->batches++;
	if (to > ns[n]) {
		b->uncovered++;
		return NB_BACKEND_OK;
	}
	slow = load_slowdown(ns, n, from, to, b->alone_ns[b->plan.step]);
	if (!isnan(slow))
		b->slow[b->n_slow++ % (int)N_ELEMENTS(b->slow)] = slow;
	return NB_BACKEND_OK;
}

void rank_loaded(struct nccl_rank *r, struct msg *done)
{
	struct busy *b = &r->busy;
	int kept = b->n_slow < (int)N_ELEMENTS(b->slow) ? b->n_slow : (int)N_ELEMENTS(b->slow);
	double slow = load_typical(b->slow, kept, b->n_slow, b->batches);

	msg_add_i64(done, "uncovered", b->uncovered);
	if (!isnan(slow))
		msg_add_i64(done, "load_slow", (int64_t)(slow * 1000 + 0.5));
	b->uncovered = b->n_slow = b->batches = 0;
}

int rank_load_release(struct nccl_rank *r)
{
	struct busy *b = &r->busy;

	if (!r->own[1])
		return NB_BACKEND_OK;
	for (int i = 0; i <= LOAD_GROUPS_MAX; i++)
		CU_TRY(cudaEventDestroy(b->mark[i]));
	CU_TRY(cudaFree(b->buf));
	CU_TRY(cudaStreamDestroy(b->stream));
	CU_TRY(cudaStreamDestroy(r->own[1]));
	return NB_BACKEND_OK;
}
