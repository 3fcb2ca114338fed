/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timing on the device: barrier, mark, operations, mark, all in one stream (docs/measuring.md). The
 * host only queues and then waits without spinning: a wait that never yields starves NCCL's proxy
 * threads on a one-core binding (measured: 400 times slower).
 */
#include <math.h>
#include <sched.h>
#include <stddef.h>

#include "base/clock.h"
#include "spec/timing.h"
#include "worker/cu_check.h"
#include "worker/nccl_rank.h"

#define QUEUED_MAX 500              /* launches; the driver's queue blocks at about 1000 */
#define YIELD_NS 200000LL           /* at first give only the processor away, not the time */
#define YIELD_BLOCKING_NS 2000000LL /* timing blocking: a sleep would be part of the figure */
#define YIELD_NEVER_NAP_NS INT64_MAX
#define NAP_MIN_NS 20000LL
#define NAP_MAX_NS 200000LL
#define ASYNC_EVERY_NS (100 * CLOCK_MS)

static int async_error(ncclComm_t comm)
{
	ncclResult_t rc = ncclSuccess;

	NC_TRY(ncclCommGetAsyncError(comm, &rc));
	if (rc == ncclSuccess || rc == ncclInProgress)
		return NB_BACKEND_OK;
	return failure_nccl("asynchronous operation", (int)rc);
}

static int wait_for(ncclComm_t comm, cudaEvent_t event, int64_t yield_ns)
{
	int64_t began = clock_now_ns(), asked = began, now, nap = NAP_MIN_NS;
	cudaError_t rc;
	int r;

	for (;;) {
		rc = cudaEventQuery(event);
		if (rc != cudaErrorNotReady)
			break;
		now = clock_now_ns();
		if (now - began < yield_ns) {
			(void)sched_yield();
			continue;
		}
		clock_sleep_ns(nap);
		nap = nap * 2 < NAP_MAX_NS ? nap * 2 : NAP_MAX_NS;
		if (now - asked < ASYNC_EVERY_NS)
			continue;
		asked = now;
		r = async_error(comm);
		if (r)
			return r;
	}
	if (rc != cudaSuccess) /* whatever in the stream failed shows here */
		return failure_cuda("waiting", (int)rc);
	(void)cudaGetLastError(); /* "not ready" may be remembered as an error until read */
	return NB_BACKEND_OK;
}

int rank_wait(struct nccl_rank *r, cudaEvent_t event)
{
	return wait_for(r->comm, event, YIELD_NS);
}

int rank_wait_all(struct nccl_rank *r)
{
	CU_TRY(cudaEventRecord(r->stop[0], r->stream));
	return rank_wait(r, r->stop[0]);
}

/* No rank passes it in its stream before all have reached it: what follows starts together. */
static int barrier(struct nccl_rank *r)
{
	NC_TRY(ncclAllReduce(r->barrier_word, r->barrier_word, 1, ncclInt32, ncclSum, r->comm,
			     r->stream));
	return NB_BACKEND_OK;
}

int rank_run_once(struct nccl_rank *r, int64_t *host_ns)
{
	int64_t began = clock_now_ns();
	int rc;

	rc = launch_op(&r->launch);
	if (rc)
		return rc;
	rc = rank_wait_all(r);
	if (!rc && host_ns)
		*host_ns = clock_now_ns() - began;
	return rc;
}

void rank_drop_graph(struct nccl_rank *r)
{
	if (r->graph)
		(void)cudaGraphExecDestroy(r->graph);
	r->graph = NULL;
	r->graph_ops = 0;
}

/* What NCCL chooses from: without the ranks of a pair or a root. */
static bool same_choice(const struct op_case *a, const struct op_case *b)
{
	return a->op == b->op && a->bytes == b->bytes && a->dtype == b->dtype &&
	       a->redop == b->redop && a->root == b->root && a->a == b->a && a->b == b->b &&
	       a->in_place == b->in_place;
}

/* Equal on all ranks that take part, or one would wait for an operation that the other leaves out:
 * pairs are told to each rank as its own, and their lists grow apart. */
static bool may_remember(const struct nccl_rank *r)
{
	return r->buffers.variant == VARIANT_PLAIN && !(op_table[r->c.op].flags & OP_PAIR);
}

static bool seen(const struct nccl_rank *r)
{
	int i;

	for (i = 0; may_remember(r) && i < r->n_seen; i++)
		if (same_choice(&r->seen[i], &r->c))
			return true;
	return false;
}

static void remember_case(struct nccl_rank *r)
{
	if (may_remember(r) && r->n_seen < RANK_SEEN_MAX && !seen(r))
		r->seen[r->n_seen++] = r->c;
}

/* Connections are made by an operation outside of it: what NCCL allocates then is no part of a
 * graph. */
static int capture(struct nccl_rank *r, int ops)
{
	cudaGraph_t graph;
	int i, rc;

	if (r->graph && r->graph_ops == ops)
		return NB_BACKEND_OK;
	rank_drop_graph(r);
	rc = seen(r) ? NB_BACKEND_OK : rank_run_once(r, NULL);
	if (rc)
		return rc;
	remember_case(r);
	CU_TRY(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));
	for (i = 0; !rc && i < ops; i++)
		rc = launch_op(&r->launch);
	if (rc)
		return rc; /* an error ends the worker: the half-made capture goes with it */
	CU_TRY(cudaStreamEndCapture(r->stream, &graph));
	CU_TRY(cudaGraphInstantiateWithFlags(&r->graph, graph, 0));
	CU_TRY(cudaGraphDestroy(graph));
	r->graph_ops = ops;
	return NB_BACKEND_OK;
}

static int queue_operations(struct nccl_rank *r, const struct nb_run *run)
{
	int64_t i, n = (int64_t)run->ops * run->replays;
	int rc = NB_BACKEND_OK;

	if (r->timing == TIMING_GRAPH) {
		for (i = 0; i < run->replays; i++)
			CU_TRY(cudaGraphLaunch(r->graph, r->stream));
		return NB_BACKEND_OK;
	}
	for (i = 0; !rc && i < n; i++)
		rc = launch_op(&r->launch);
	return rc;
}

static int queue_batch(struct nccl_rank *r, const struct nb_run *run, int pair)
{
	int rc = run->cover_us ? rank_load_begin(r, run->cover_us) : NB_BACKEND_OK;

	if (!rc)
		rc = barrier(r);
	if (rc)
		return rc;
	CU_TRY(cudaEventRecord(r->start[pair], r->stream));
	rc = queue_operations(r, run);
	if (rc)
		return rc;
	CU_TRY(cudaEventRecord(r->stop[pair], r->stream));
	return NB_BACKEND_OK;
}

static int elapsed(const struct nccl_rank *r, int pair, int64_t *ns)
{
	float ms = 0;

	CU_TRY(cudaEventElapsedTime(&ms, r->start[pair], r->stop[pair]));
	*ns = llround((double)ms * 1e6);
	return NB_BACKEND_OK;
}

/* Graph batches are queued one behind the other, so that the host is ahead of the device; with
 * launches per operation each batch is waited for. */
static int batches_at_once(const struct nccl_rank *r, const struct nb_run *run)
{
	int n;

	if (r->timing != TIMING_GRAPH || run->replays >= QUEUED_MAX || run->cover_us)
		return 1;
	n = QUEUED_MAX / (run->replays + 1);
	return n < 1 ? 1 : n > RANK_EVENT_PAIRS ? RANK_EVENT_PAIRS : n;
}

static int measure_device(struct nccl_rank *r, const struct nb_run *run, int64_t *ns)
{
	int total = run->warmup + run->batches, step = batches_at_once(r, run);
	int done, i, n, rc = NB_BACKEND_OK;
	int64_t value = 0;

	for (done = 0; done < total; done += n) {
		n = total - done < step ? total - done : step;
		for (i = 0; !rc && i < n; i++)
			rc = queue_batch(r, run, i);
		if (!rc)
			rc = rank_wait(r, r->stop[n - 1]);
		for (i = 0; !rc && i < n; i++) {
			rc = elapsed(r, i, &value);
			if (!rc && run->cover_us && done + i >= run->warmup)
				rc = rank_load_end(r, r->start[i], r->stop[i]);
			if (!rc && done + i >= run->warmup)
				ns[done + i - run->warmup] = value;
		}
		if (rc)
			return rc;
	}
	return NB_BACKEND_OK;
}

/* The host's clock, after a barrier that was waited for. Blocking: each operation is waited for
 * before the next, what a program that needs each result sees. Else all are launched and then
 * waited for, without ever sleeping: nccl-tests' way. */
static int host_batch(struct nccl_rank *r, const struct nb_run *run, int64_t *ns)
{
	int64_t i, began, n = (int64_t)run->ops * run->replays;
	bool each = r->timing == TIMING_BLOCKING;
	int64_t yield_ns = each ? YIELD_BLOCKING_NS : YIELD_NEVER_NAP_NS;
	int rc;

	rc = barrier(r);
	if (rc)
		return rc;
	CU_TRY(cudaEventRecord(r->stop[0], r->stream));
	rc = wait_for(r->comm, r->stop[0], YIELD_BLOCKING_NS);
	began = clock_now_ns();
	for (i = 0; !rc && i < n; i++) {
		rc = launch_op(&r->launch);
		if (rc)
			return rc;
		if (!each && i + 1 < n)
			continue;
		CU_TRY(cudaEventRecord(r->stop[0], r->stream));
		rc = wait_for(r->comm, r->stop[0], yield_ns);
	}
	*ns = clock_now_ns() - began;
	return rc;
}

static int measure_host(struct nccl_rank *r, const struct nb_run *run, int64_t *ns)
{
	int64_t unused;
	int i, rc = NB_BACKEND_OK;

	for (i = 0; !rc && i < run->warmup + run->batches; i++)
		rc = host_batch(r, run, i < run->warmup ? &unused : &ns[i - run->warmup]);
	return rc;
}

/* The first operation pays for the connections (made lazily since NCCL 2.22) and is timed by the
 * host; the second, behind a barrier, predicts what one operation takes. Whether one is enough is
 * not for this rank to decide: the second is a collective call. */
static int single(struct nccl_rank *r, bool once, int64_t *ns, int64_t *first_us)
{
	const struct nb_run one = { .mode = NB_RUN_SINGLE, .batches = 1, .ops = 1, .replays = 1 };
	int64_t host_ns = 0;
	int timing = r->timing, rc;

	rc = rank_run_once(r, &host_ns);
	if (rc)
		return rc;
	*first_us = host_ns / 1000;
	remember_case(r);
	/* A second one in place would work on the first one's result. */
	r->once_from_fresh = once || !r->c.in_place;
	*ns = host_ns;
	if (once)
		return NB_BACKEND_OK;
	r->timing = TIMING_STREAM; /* whatever the case's: nothing is captured for one operation */
	rc = measure_device(r, &one, ns);
	r->timing = timing;
	return rc;
}

int rank_measure(struct nccl_rank *r, const struct nb_run *run, int64_t *ns, int64_t *first_us)
{
	int rc = NB_BACKEND_OK;

	if (run->mode == NB_RUN_SINGLE)
		return single(r, run->once, ns, first_us);
	r->once_from_fresh = false;
	r->busy.batches = r->busy.uncovered = r->busy.n_slow = 0;
	if (r->timing == TIMING_BLOCKING || r->timing == TIMING_NCCL_TESTS)
		return measure_host(r, run, ns);
	if (r->timing == TIMING_GRAPH)
		rc = capture(r, run->ops);
	return rc ? rc : measure_device(r, run, ns);
}
