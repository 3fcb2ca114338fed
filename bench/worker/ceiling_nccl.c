/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample is `copies` copies between two events of one stream. Both ways: the other direction gets
 * twice as many in a stream of its own and starts first, so that it is busy from before the first
 * mark until after the last one.
 */
#include "worker/ceiling_nccl.h"

#include <math.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/clock.h"
#include "ncclbench/kernels.h"
#include "spec/ceiling.h"
#include "worker/ceiling_host.h"
#include "worker/cu_check.h"

#define NAP_NS 100000LL
#define FILL 0x5a

enum place { OWN, PEER, HOST, PLACES };

struct flow {
	enum place from, to, by; /* by: whose copy engine or SMs */
	bool kernel;
};

struct scheme {
	struct flow main, other;
	bool both;
};

static const struct scheme schemes[CEILING_COUNT] = {
	[CEILING_CE_WRITE] = { .main = { OWN, PEER, OWN, false } },
	[CEILING_CE_READ] = { .main = { PEER, OWN, OWN, false } },
	[CEILING_CE_WRITE_BOTH] = { { OWN, PEER, OWN, false }, { PEER, OWN, PEER, false }, true },
	[CEILING_CE_READ_BOTH] = { { PEER, OWN, OWN, false }, { OWN, PEER, PEER, false }, true },
	[CEILING_SM_WRITE] = { .main = { OWN, PEER, OWN, true } },
	[CEILING_SM_READ] = { .main = { PEER, OWN, OWN, true } },
	[CEILING_SM_WRITE_BOTH] = { { OWN, PEER, OWN, true }, { PEER, OWN, PEER, true }, true },
	[CEILING_SM_READ_BOTH] = { { PEER, OWN, OWN, true }, { OWN, PEER, PEER, true }, true },
	[CEILING_HOST_TO_GPU] = { .main = { HOST, OWN, OWN, false } },
	[CEILING_GPU_TO_HOST] = { .main = { OWN, HOST, OWN, false } },
	[CEILING_HOST_TO_GPU_BOTH] = { { HOST, OWN, OWN, false }, { OWN, HOST, OWN, false }, true },
	[CEILING_GPU_TO_HOST_BOTH] = { { OWN, HOST, OWN, false }, { HOST, OWN, OWN, false }, true },
	[CEILING_LOCAL] = { .main = { OWN, OWN, OWN, false } },
};

struct lane { /* a stream and the marks in it */
	int device;
	cudaStream_t stream;
	cudaEvent_t start, stop;
};

/* Buffer 0 of a place is of the main flow, 1 of the other one (or the second one of a copy within a
 * place). */
static struct {
	void *memory[PLACES][2];
	uint64_t bytes[PLACES][2];
	struct lane lane[3]; /* main; the other flow by the own GPU; the other flow by the peer */
	bool peers;          /* both may access each other */
} bench;

static int device_of(const struct nb_ceiling *c, enum place where)
{
	return where == PEER ? c->peer : c->device;
}

static int buffer_need(const struct nb_ceiling *c, enum place where, int which)
{
	void **base = &bench.memory[where][which];
	uint64_t *has = &bench.bytes[where][which];

	if (*has >= c->bytes)
		return NB_BACKEND_OK;
	*has = 0;
	CU_TRY(cudaSetDevice(device_of(c, where)));
	if (*base && where == HOST)
		CU_TRY(cudaFreeHost(*base));
	else if (*base)
		CU_TRY(cudaFree(*base));
	*base = NULL;
	if (where == HOST) {
		CU_TRY(cudaHostAlloc(base, c->bytes, cudaHostAllocDefault));
		memset(*base, FILL, c->bytes);
	} else {
		CU_TRY(cudaMalloc(base, c->bytes));
		CU_TRY(cudaMemset(*base, FILL, c->bytes));
		CU_TRY(cudaDeviceSynchronize());
	}
	*has = c->bytes;
	return NB_BACKEND_OK;
}

static int lane_need(struct lane *l, int device)
{
	CU_TRY(cudaSetDevice(device));
	if (l->stream)
		return NB_BACKEND_OK;
	CU_TRY(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking));
	CU_TRY(cudaEventCreate(&l->start));
	CU_TRY(cudaEventCreate(&l->stop));
	l->device = device;
	return NB_BACKEND_OK;
}

static int enable_access(int from, int to)
{
	cudaError_t rc;
	int can = 0;

	CU_TRY(cudaDeviceCanAccessPeer(&can, from, to));
	if (!can)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0,
				   "GPU %d cannot access the memory of GPU %d", from, to);
	CU_TRY(cudaSetDevice(from));
	rc = cudaDeviceEnablePeerAccess(to, 0);
	if (rc != cudaSuccess && rc != cudaErrorPeerAccessAlreadyEnabled)
		return failure_cuda("cudaDeviceEnablePeerAccess", (int)rc);
	(void)cudaGetLastError(); /* "already enabled" is remembered as an error */
	return NB_BACKEND_OK;
}

static int peers_need(const struct nb_ceiling *c)
{
	int n = 0, r;

	if (bench.peers)
		return NB_BACKEND_OK;
	CU_TRY(cudaGetDeviceCount(&n));
	if (c->peer < 0 || c->peer >= n || c->peer == c->device)
		return failure_set(NB_BACKEND_UNAVAILABLE, 0, "no second GPU: this process sees %d",
				   n);
	r = enable_access(c->device, c->peer);
	if (!r)
		r = enable_access(c->peer, c->device);
	bench.peers = r == NB_BACKEND_OK;
	return r;
}

static int flow_need(const struct nb_ceiling *c, const struct flow *f, int which)
{
	int r;

	r = buffer_need(c, f->from, which);
	if (!r)
		r = buffer_need(c, f->to, f->from == f->to ? !which : which);
	return r;
}

static struct lane *lane_of(const struct flow *f, int which)
{
	return &bench.lane[which ? 1 + (f->by == PEER) : 0];
}

static int prepare(const struct nb_ceiling *c, const struct scheme *s)
{
	int r = NB_BACKEND_OK;

	if (ceiling_table[c->id].needs & CEILING_NEEDS_PEER)
		r = peers_need(c);
	if (!r)
		r = flow_need(c, &s->main, 0);
	if (!r && s->both)
		r = flow_need(c, &s->other, 1);
	if (!r && s->both)
		r = lane_need(lane_of(&s->other, 1), device_of(c, s->other.by));
	if (!r)
		r = lane_need(lane_of(&s->main, 0), c->device);
	return r;
}

static int queue_copy(const struct nb_ceiling *c, const struct flow *f, int which,
		      cudaStream_t stream)
{
	void *to = bench.memory[f->to][f->from == f->to ? !which : which];
	const void *from = bench.memory[f->from][which];

	if (f->kernel)
		CU_TRY(nb_copy(to, from, c->bytes, stream));
	else if (f->from == PEER || f->to == PEER)
		CU_TRY(cudaMemcpyPeerAsync(to, device_of(c, f->to), from, device_of(c, f->from),
					   c->bytes, stream));
	else
		CU_TRY(cudaMemcpyAsync(to, from, c->bytes, cudaMemcpyDefault, stream));
	return NB_BACKEND_OK;
}

static int queue_flow(const struct nb_ceiling *c, const struct flow *f, int which, int copies)
{
	struct lane *l = lane_of(f, which);
	int i, r = NB_BACKEND_OK;

	CU_TRY(cudaEventRecord(l->start, l->stream));
	for (i = 0; !r && i < copies; i++)
		r = queue_copy(c, f, which, l->stream);
	if (r)
		return r;
	CU_TRY(cudaEventRecord(l->stop, l->stream));
	return NB_BACKEND_OK;
}

/* Without spinning; how long it may take is the supervisor's to say. */
static int wait_for(cudaEvent_t event)
{
	cudaError_t rc;

	while ((rc = cudaEventQuery(event)) == cudaErrorNotReady)
		clock_sleep_ns(NAP_NS);
	if (rc != cudaSuccess)
		return failure_cuda("waiting", (int)rc);
	(void)cudaGetLastError();
	return NB_BACKEND_OK;
}

static int sample(const struct nb_ceiling *c, const struct scheme *s, int64_t *ns)
{
	struct lane *timed = lane_of(&s->main, 0), *other = lane_of(&s->other, 1);
	float ms = 0;
	int r;

	if (s->both) {
		CU_TRY(cudaSetDevice(device_of(c, s->other.by)));
		r = queue_flow(c, &s->other, 1, 2 * c->copies);
		if (r)
			return r;
	}
	CU_TRY(cudaSetDevice(c->device));
	if (s->both)
		CU_TRY(cudaStreamWaitEvent(timed->stream, other->start, 0));
	r = queue_flow(c, &s->main, 0, c->copies);
	if (!r)
		r = wait_for(timed->stop);
	if (!r && s->both)
		r = wait_for(other->stop);
	if (r)
		return r;
	CU_TRY(cudaEventElapsedTime(&ms, timed->start, timed->stop));
	*ns = llround((double)ms * 1e6);
	return NB_BACKEND_OK;
}

int ceiling_nccl(const struct nb_ceiling *c, int64_t *ns)
{
	const struct scheme *s = &schemes[c->id];
	int64_t unused;
	int i, r;

	if (c->id == CEILING_HOST_COPY)
		return ceiling_host(c, ns)
			   ? failure_set(NB_BACKEND_OOM, 0, "no host memory for a copy")
			   : NB_BACKEND_OK;
	if (!(ceiling_table[c->id].needs & CEILING_NEEDS_GPU))
		return failure_set(NB_BACKEND_UNAVAILABLE, 0, "%s is not a worker's to measure",
				   ceiling_table[c->id].name);
	CU_TRY(cudaSetDevice(c->device));
	r = prepare(c, s);
	for (i = -1; !r && i < c->samples;
	     i++) /* the first one pays for what is set up on first use */
		r = sample(c, s, i < 0 ? &unused : &ns[i]);
	if (r)
		return r;
	CU_TRY(cudaSetDevice(c->device));
	return NB_BACKEND_OK;
}
