/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computation beside communication: pieces of work queued on a stream of their own, long enough to
 * outlast a batch, and how much longer each took than alone. How many operations a rank launches
 * never depends on what is seen here: that is the supervisors' to decide.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ncclbench/kernels.h"
#include "spec/load.h"
#include "wire/msg.h"
#include "worker/cu_check.h"
#include "worker/nccl_rank.h"

#define BUF_BYTES (256ULL << 20) /* above any L2 */
#define ALONE_PIECES 32
#define PIECES_MAX 900 /* the driver's queue blocks at about 1000 */
#define MARGIN_US 2000 /* queueing takes the host a while, in which the first pieces end */

static const struct {
	int (*launch)(void *buf, uint64_t bytes, void *stream);
	const char *name;
} loads[LOAD_COUNT] = {
	[LOAD_MEM] = { nb_load_memory, "nb_load_memory" },
	[LOAD_FMA] = { nb_load_arithmetic, "nb_load_arithmetic" },
};

static int piece(struct busy *b)
{
	int rc = loads[b->id].launch(b->buf, BUF_BYTES, b->stream);

	return rc ? failure_cuda(loads[b->id].name, rc) : NB_BACKEND_OK;
}

static int make(struct nccl_rank *r)
{
	struct busy *b = &r->busy;
	int least = 0, greatest = 0;

	if (r->own[1])
		return NB_BACKEND_OK;
	if (!b->buf) /* first: without it nothing is to be undone */
		CU_TRY(cudaMalloc(&b->buf, BUF_BYTES));
	/* As frameworks do: communication goes first where both want an SM. */
	CU_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	r->own[0] = r->stream;
	CU_TRY(cudaStreamCreateWithPriority(&b->stream, cudaStreamNonBlocking, least));
	CU_TRY(cudaEventCreate(&b->from));
	CU_TRY(cudaEventCreate(&b->on));
	CU_TRY(cudaEventCreate(&b->to));
	CU_TRY(cudaMemsetAsync(b->buf, 0, BUF_BYTES, b->stream));
	CU_TRY(cudaStreamCreateWithPriority(&r->own[1], cudaStreamNonBlocking, greatest));
	return NB_BACKEND_OK;
}

static int elapsed(cudaEvent_t a, cudaEvent_t b, double *ns)
{
	float ms = 0;

	CU_TRY(cudaEventElapsedTime(&ms, a, b));
	*ns = (double)ms * 1e6;
	return NB_BACKEND_OK;
}

/* Twice: the first time lets the clocks rise. */
static int time_alone(struct nccl_rank *r)
{
	struct busy *b = &r->busy;
	double ns = 0;
	int rc = NB_BACKEND_OK;

	for (int turn = 0; turn < 2 && !rc; turn++) {
		CU_TRY(cudaEventRecord(b->from, b->stream));
		for (int i = 0; i < ALONE_PIECES && !rc; i++)
			rc = piece(b);
		if (rc)
			return rc;
		CU_TRY(cudaEventRecord(b->to, b->stream));
		rc = rank_wait(r, b->to);
		if (!rc)
			rc = elapsed(b->from, b->to, &ns);
	}
	b->alone_ns = ns / ALONE_PIECES;
	if (!rc && !(b->alone_ns > 0))
		return failure_set(NB_BACKEND_ERROR, 0, "the load '%s' took no time",
				   load_table[b->id].name);
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
	double wanted = (double)(cover_us + MARGIN_US) * 1e3 / b->alone_ns;
	int rc;

	b->n = wanted < 2 ? 2 : wanted > PIECES_MAX ? PIECES_MAX : (int)wanted;
	CU_TRY(cudaEventRecord(b->from, b->stream));
	rc = piece(b);
	if (rc)
		return rc;
	CU_TRY(cudaEventRecord(b->on, b->stream));
	CU_TRY(cudaStreamWaitEvent(r->stream, b->on, 0));
	for (int i = 1; i < b->n && !rc; i++)
		rc = piece(b);
	if (!rc)
		CU_TRY(cudaEventRecord(b->to, b->stream));
	return rc;
}

/* All pieces took T, of which the batch was there for B. Outside of B they went on as alone, so in
 * B what would have taken alone n*a - (T - B) was done. */
int rank_load_end(struct nccl_rank *r, cudaEvent_t start, cudaEvent_t stop)
{
	struct busy *b = &r->busy;
	double all = 0, batch = 0, until_stop = 0, done;
	int rc = rank_wait(r, b->to);

	if (!rc)
		rc = elapsed(b->from, b->to, &all);
	if (!rc)
		rc = elapsed(start, stop, &batch);
	if (!rc)
		rc = elapsed(b->from, stop, &until_stop);
	if (rc)
		return rc;
	if (until_stop > all) {
		b->uncovered++;
		return NB_BACKEND_OK;
	}
	done = b->n * b->alone_ns - (all - batch);
	if (done > 0 && batch > 0)
		b->slow[b->n_slow++ % (int)(sizeof(b->slow) / sizeof(*b->slow))] = batch / done;
	return NB_BACKEND_OK;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void rank_loaded(struct nccl_rank *r, struct msg *done)
{
	struct busy *b = &r->busy;
	int n = b->n_slow < (int)(sizeof(b->slow) / sizeof(*b->slow))
		    ? b->n_slow
		    : (int)(sizeof(b->slow) / sizeof(*b->slow));

	qsort(b->slow, (size_t)n, sizeof(*b->slow), by_value);
	msg_add_i64(done, "uncovered", b->uncovered);
	if (n > 0)
		msg_add_i64(done, "load_slow", (int64_t)(b->slow[n / 2] * 1000 + 0.5));
	b->uncovered = b->n_slow = 0;
}

int rank_load_release(struct nccl_rank *r)
{
	struct busy *b = &r->busy;

	if (!r->own[1])
		return NB_BACKEND_OK;
	CU_TRY(cudaEventDestroy(b->from));
	CU_TRY(cudaEventDestroy(b->on));
	CU_TRY(cudaEventDestroy(b->to));
	CU_TRY(cudaFree(b->buf));
	CU_TRY(cudaStreamDestroy(b->stream));
	CU_TRY(cudaStreamDestroy(r->own[1]));
	return NB_BACKEND_OK;
}
