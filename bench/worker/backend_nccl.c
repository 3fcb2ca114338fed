/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rank of one NCCL communicator, in the environment this process was given. The communicator is
 * blocking on purpose: with a non-blocking one NCCL starts a thread per launch, and the stream
 * timings would show that thread; deadlines are the supervisor's, which can kill us.
 */
#include <errno.h>
#include <string.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "base/clock.h"
#include "ncclbench/backend.h"
#include "spec/dtype.h"
#include "spec/timing.h"
#include "wire/msg.h"
#include "worker/ceiling_nccl.h"
#include "worker/cu_check.h"
#include "worker/gpu_state.h"
#include "worker/nccl_rank.h"

#define FP8_REDUCES_SINCE_CC 9 /* NCCL reduces 8-bit floats from compute capability 9.0 on */

static struct nccl_rank rank;
static int context_device = -1; /* whose context DEVICE made, and how long that took */
static int64_t context_us_ahead;
static ncclUniqueId unique_id;
static bool have_unique_id;

static int nccl_blob(uint8_t *blob, size_t max, size_t *len)
{
	if (max < sizeof(unique_id))
		return -ENOSPC;
	NC_TRY(ncclGetUniqueId(&unique_id));
	have_unique_id = true;
	memcpy(blob, &unique_id, sizeof(unique_id));
	*len = sizeof(unique_id);
	return NB_BACKEND_OK;
}

static int nccl_peer(int from, const uint8_t *blob, size_t len)
{
	if (len != sizeof(unique_id))
		return failure_set(NB_BACKEND_ERROR, 0,
				   "the id of rank %d has %zu bytes, this NCCL's have %zu", from,
				   len, sizeof(unique_id));
	memcpy(&unique_id, blob, sizeof(unique_id));
	have_unique_id = true;
	return NB_BACKEND_OK;
}

static int choose_device(int device)
{
	cudaError_t rc;
	int n = 0;

	rc = cudaGetDeviceCount(&n);
	if (rc == cudaErrorInsufficientDriver || rc == cudaErrorStubLibrary ||
	    rc == cudaErrorNoDevice)
		return failure_set(NB_BACKEND_UNAVAILABLE, (int)rc, "no GPU: %s (%d)",
				   cudaGetErrorString(rc), (int)rc);
	if (rc != cudaSuccess)
		return failure_cuda("cudaGetDeviceCount", (int)rc);
	if (device < 0 || device >= n)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0, "GPU %d was asked for, %d %s visible",
				   device, n, n == 1 ? "is" : "are");
	CU_TRY(cudaSetDevice(device));
	return NB_BACKEND_OK;
}

/* Calls of ours that synchronise sleep instead of spinning. Refused once a context exists: then the
 * default has to do. */
static int make_context(int device, int64_t *us)
{
	int64_t began = clock_now_ns();
	int r;

	r = choose_device(device);
	if (r)
		return r;
	if (cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync) != cudaSuccess)
		(void)cudaGetLastError();
	CU_TRY(cudaFree(NULL));
	*us = (clock_now_ns() - began) / 1000;
	CU_TRY(cudaDeviceGetAttribute(&rank.cc_major, cudaDevAttrComputeCapabilityMajor, device));
	return NB_BACKEND_OK;
}

static void nccl_device(int device)
{
	int64_t us = 0;

	if (make_context(device, &us))
		return;
	context_device = device;
	context_us_ahead = us;
}

static int make_communicator(int64_t *us)
{
	int64_t began = clock_now_ns();

	NC_TRY(ncclCommInitRank(&rank.comm, rank.nranks, unique_id, rank.rank));
	*us = (clock_now_ns() - began) / 1000;
	NC_TRY(ncclGetVersion(&rank.nccl_version));
	return NB_BACKEND_OK;
}

static int make_instruments(void)
{
	int i;

	CU_TRY(cudaStreamCreateWithFlags(&rank.stream, cudaStreamNonBlocking));
	CU_TRY(cudaMalloc((void **)&rank.barrier_word, sizeof(*rank.barrier_word)));
	CU_TRY(cudaMalloc((void **)&rank.mismatch, sizeof(*rank.mismatch)));
	CU_TRY(cudaMemset(rank.barrier_word, 0, sizeof(*rank.barrier_word)));
	for (i = 0; i < RANK_EVENT_PAIRS; i++) {
		CU_TRY(cudaEventCreate(&rank.start[i]));
		CU_TRY(cudaEventCreate(&rank.stop[i]));
	}
	return NB_BACKEND_OK;
}

static int join_all(int64_t *context_us, int64_t *init_us)
{
	int r;

	r = make_context(rank.device, context_us);
	if (context_device == rank.device)
		*context_us = context_us_ahead;
	if (!r)
		r = make_communicator(init_us);
	return r ? r : make_instruments();
}

static int nccl_join(int me, int nranks, int device, struct msg *joined)
{
	int64_t context_us = 0, init_us = 0;
	size_t available = 0, total = 0;
	char bus[32];
	int r;

	if (!have_unique_id)
		return failure_set(NB_BACKEND_ERROR, 0, "JOIN came before the id of rank 0");
	rank = (struct nccl_rank){ .rank = me, .nranks = nranks, .device = device };
	r = join_all(&context_us, &init_us);
	/* Half a rank cannot be joined again: short of memory here means a new worker, too. */
	if (r == NB_BACKEND_OOM && rank.comm)
		return NB_BACKEND_ERROR;
	if (r)
		return r;
	CU_TRY(cudaMemGetInfo(&available, &total));
	if (cudaDeviceGetPCIBusId(bus, sizeof(bus), device) == cudaSuccess)
		gpu_state_watch(bus);
	msg_add_i64(joined, "context_us", context_us);
	msg_add_i64(joined, "init_us", init_us);
	msg_add_i64(joined, "device", device);
	msg_add_u64(joined, "mem_total", total);
	msg_add_u64(joined, "mem_free", available);
	return NB_BACKEND_OK;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_need(const struct op_case *c, int of_rank, uint64_t need[2])
{
	struct op_shape s;

	op_table[c->op].shape(c, of_rank, &s);
	if (c->in_place) {
		need[0] = larger(need[0], s.send_bytes ? s.alias_send + s.send_bytes : 0);
		need[0] = larger(need[0], s.recv_bytes ? s.alias_recv + s.recv_bytes : 0);
		return;
	}
	need[0] = larger(need[0], s.send_bytes);
	need[1] = larger(need[1], s.recv_bytes);
}

/* Registering a window is a collective call: all ranks must make the same ones, so all take what
 * the neediest takes. */
static void needs_of(const struct op_case *c, int variant, uint64_t need[2])
{
	int i;

	need[0] = need[1] = 0;
	if (variant == VARIANT_PLAIN)
		add_need(c, rank.rank, need);
	for (i = 0; variant != VARIANT_PLAIN && i < c->nranks; i++)
		add_need(c, i, need);
}

static int refuse_impossible(const struct op_case *c, int timing, int variant)
{
	const struct dtype *d = &dtype_table[c->dtype];
	bool fp8 = c->dtype == DTYPE_FP8E4M3 || c->dtype == DTYPE_FP8E5M2;

	if (timing == TIMING_HOST)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0,
				   "timing 'host' is of transports between host memories");
	if (variant == VARIANT_GRAPH && timing != TIMING_GRAPH)
		return failure_set(NB_BACKEND_SKIPPED, 0,
				   "registration by graph needs timing 'graph'");
	if (rank.nccl_version < d->nccl_since)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0, "%s needs NCCL %d.%d", d->name,
				   d->nccl_since / 10000, d->nccl_since % 10000 / 100);
	if (fp8 && (op_table[c->op].flags & OP_REDUCES) && rank.cc_major < FP8_REDUCES_SINCE_CC)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0,
				   "NCCL reduces %s from compute capability 9.0 on", d->name);
	return NB_BACKEND_OK;
}

static void describe_launch(void)
{
	const struct op_case *c = &rank.c;
	const struct op_shape *s = &rank.shape;
	char *base[2] = { rank.buffers.area[0].base, rank.buffers.area[!c->in_place].base };
	uint32_t elem = dtype_table[c->dtype].bytes;
	uint64_t bytes = c->bytes;

	if (op_table[c->op].flags & OP_SHARED)
		bytes /= (uint64_t)c->nranks;
	rank.launch = (struct launch_args){
		.c = c,
		.rank = rank.rank,
		.count = bytes / elem,
		.elem_bytes = elem,
		.send = s->send_bytes ? base[0] + (c->in_place ? s->alias_send : 0) : NULL,
		.recv = s->recv_bytes ? base[1] + (c->in_place ? s->alias_recv : 0) : NULL,
		.type = (ncclDataType_t)c->dtype,
		.redop = (ncclRedOp_t)c->redop,
		.comm = rank.comm,
		.stream = rank.stream,
	};
}

static int nccl_prepare(const struct op_case *c, int timing, int variant, uint64_t *device_bytes)
{
	uint64_t need[2];
	int r;

	r = refuse_impossible(c, timing, variant);
	if (r)
		return r;
	rank_drop_graph(&rank); /* it names the old buffers */
	needs_of(c, variant, need);
	r = buffers_ensure(&rank.buffers, need, variant, &rank);
	if (r)
		return r;
	rank.c = *c;
	rank.timing = timing;
	op_table[c->op].shape(&rank.c, rank.rank, &rank.shape);
	describe_launch();
	r = rank_fill(&rank);
	if (!r)
		r = rank_wait_all(&rank);
	if (!r)
		*device_bytes = rank.buffers.area[0].bytes + rank.buffers.area[1].bytes;
	return r;
}

static int nccl_load(int id)
{
	return rank_load(&rank, id);
}

static void nccl_loaded(struct msg *done)
{
	rank_loaded(&rank, done);
}

static int nccl_run(const struct nb_run *run, int64_t *ns, int64_t *first_us)
{
	return rank_measure(&rank, run, ns, first_us);
}

static int nccl_check(struct nb_check *check)
{
	return rank_check(&rank, check);
}

static int release_instruments(void)
{
	int i;

	for (i = 0; i < RANK_EVENT_PAIRS; i++) {
		CU_TRY(cudaEventDestroy(rank.start[i]));
		CU_TRY(cudaEventDestroy(rank.stop[i]));
	}
	CU_TRY(cudaFree(rank.mismatch));
	CU_TRY(cudaFree(rank.barrier_word));
	CU_TRY(cudaStreamDestroy(rank.own[1] ? rank.own[0] : rank.stream));
	return rank_load_release(&rank);
}

/* The graph before the communicator (which waits for graphs that use it), memory by the way it was
 * made before it as well. Timed: NCCL's part alone. */
static int nccl_leave(int64_t *teardown_us)
{
	int64_t began;
	int r;

	*teardown_us = 0;
	if (!rank.comm)
		return NB_BACKEND_OK;
	rank_drop_graph(&rank);
	r = buffers_release(&rank.buffers, rank.comm);
	if (r)
		return r;
	began = clock_now_ns();
	NC_TRY(ncclCommFinalize(rank.comm));
	NC_TRY(ncclCommDestroy(rank.comm));
	*teardown_us = (clock_now_ns() - began) / 1000;
	r = release_instruments();
	rank = (struct nccl_rank){ 0 };
	return r;
}

const struct nb_backend nb_backend = {
	.name = "nccl",
	.exits_at_once =
	    true, /* CUDA's exit handlers would only keep the next configuration waiting */
	.blob_from_all = false,
	.facts = nccl_facts,
	.blob = nccl_blob,
	.peer = nccl_peer,
	.device = nccl_device,
	.join = nccl_join,
	.load = nccl_load,
	.loaded = nccl_loaded,
	.prepare = nccl_prepare,
	.run = nccl_run,
	.check = nccl_check,
	.leave = nccl_leave,
	.quiet = nccl_quiet,
	.ceiling = ceiling_nccl,
	.state = gpu_state_add,
	.p2p_check = p2p_check_nccl,
	.error = failure_text,
};
