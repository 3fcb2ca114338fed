/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CUDA runtime on host memory: work is done when it is submitted, time is a counter that every
 * operation advances, a graph is a list of what was submitted. The pattern kernels are their C
 * twins.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "fake_lib.h"
#include "ncclbench/kernels.h"

#define CALL()                                   \
	do {                                     \
		int rc_ = fake_call(__func__);   \
		if (rc_ > 0)                     \
			return (cudaError_t)rc_; \
	} while (0)

/* A copy may also be scripted to lie. */
#define COPY(dst, src, bytes)                               \
	do {                                                \
		int rc_ = fake_call(__func__);              \
		if (rc_ > 0)                                \
			return (cudaError_t)rc_;            \
		if (rc_ != FAKE_LOST)                       \
			nb_copy_ref(dst, src, bytes);       \
		if (rc_ == FAKE_CORRUPT)                    \
			((unsigned char *)(dst))[7] ^= 255; \
	} while (0)

struct step {
	void (*fn)(const void *arg);
	void *arg;
};

struct fake_graph {
	struct step *steps;
	size_t n;
};

/* All streams share one clock, but for one of least priority: what runs there is beside the rest.
 */
struct fake_stream {
	bool beside;
	int64_t until_ns; /* beside: what was queued there ends then */
};

struct fake_event {
	int64_t at_ns;
};

static struct fake_graph *capturing;
static int64_t clock_ns;
static bool waited; /* something waited for an event: from then on the streams run together */

void fake_advance(int64_t ns)
{
	clock_ns += ns;
}

void fake_submit(void (*fn)(const void *arg), const void *arg, size_t bytes)
{
	struct step *s;

	if (!capturing) {
		fn(arg);
		return;
	}
	s = realloc(capturing->steps, (capturing->n + 1) * sizeof(*s));
	if (!s)
		abort();
	capturing->steps = s;
	s += capturing->n++;
	s->fn = fn;
	s->arg = malloc(bytes);
	if (!s->arg)
		abort();
	memcpy(s->arg, arg, bytes);
}

const char *cudaGetErrorString(cudaError_t rc)
{
	static const struct {
		cudaError_t rc;
		const char *text;
	} texts[] = {
		{ cudaErrorMemoryAllocation, "out of memory" },
		{ cudaErrorInsufficientDriver, "driver too old" },
		{ cudaErrorNoDevice, "no device" },
		{ cudaErrorIllegalAddress, "illegal memory access" },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].rc == rc)
			return texts[i].text;
	return "some error";
}

cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = 12080;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	CALL();
	*count = (int)fake_number("devices", 2);
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	CALL();
	*prop = (struct cudaDeviceProp){ .totalGlobalMem = 8ULL << 30, .major = 9, .minor = 0 };
	(void)snprintf(prop->name, sizeof(prop->name), "Fake GPU");
	prop->uuid.bytes[15] = (char)device;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int max, int device)
{
	CALL();
	(void)snprintf(bus, (size_t)max, "0000:%02x:00.0", 0xf0 + device);
	return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	CALL();
	*can = fake_number("p2p", device < peer) !=
	       0; /* by itself unlike each other, so that a mixed-up pair shows */
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	CALL();
	*value = (int)fake_number("cc_major", 9);
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	CALL();
	return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	CALL();
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **ptr, size_t bytes)
{
	CALL();
	*ptr = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (!*ptr)
		return cudaErrorMemoryAllocation;
	memset(*ptr, 0xEE, bytes < 1U << 20 ? bytes : 1U << 20);
	return cudaSuccess;
}

cudaError_t cudaFree(void *ptr)
{
	CALL();
	free(ptr);
	return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	CALL();
	*available = (size_t)fake_number("free", 4LL << 30);
	*total = 8ULL << 30;
	return cudaSuccess;
}

cudaError_t cudaMemset(void *ptr, int value, size_t bytes)
{
	CALL();
	memset(ptr, value, bytes);
	return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *ptr, int value, size_t bytes, cudaStream_t stream)
{
	CALL();
	memset(ptr, value, bytes);
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	CALL();
	memcpy(dst, src, bytes);
	fake_advance((int64_t)(bytes / FAKE_COPY_BYTES_PER_NS));
	return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
				size_t bytes, cudaStream_t stream)
{
	COPY(dst, src, bytes);
	fake_advance((int64_t)(bytes / FAKE_COPY_BYTES_PER_NS / 2));
	return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
	CALL();
	*ptr = malloc(bytes);
	return *ptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *ptr)
{
	CALL();
	free(ptr);
	return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	CALL();
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	CALL();
	return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	CALL();
	waited = true;
	if (event->at_ns > clock_ns)
		clock_ns = event->at_ns;
	return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	CALL();
	*stream = calloc(1, sizeof(**stream));
	return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	CALL();
	*least = 0;
	*greatest = -5;
	return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	CALL();
	*stream = calloc(1, sizeof(**stream));
	if (!*stream)
		return cudaErrorMemoryAllocation;
	(*stream)->beside = priority == 0;
	return cudaSuccess;
}

/* A piece takes 100 us alone, and what the script says once the streams run together. */
static int load_piece(struct fake_stream *s)
{
	int64_t ns = waited ? fake_number("beside", 100000) : 100000;

	s->until_ns = (s->until_ns > clock_ns ? s->until_ns : clock_ns) + ns;
	return cudaSuccess;
}

int nb_load_memory(void *buf, uint64_t bytes, void *stream)
{
	CALL();
	return load_piece(stream);
}

int nb_load_arithmetic(void *buf, uint64_t bytes, void *stream)
{
	CALL();
	return load_piece(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	CALL();
	free(stream);
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	CALL();
	*event = calloc(1, sizeof(**event));
	return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	CALL();
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	CALL();
	event->at_ns = stream->beside && stream->until_ns > clock_ns ? stream->until_ns : clock_ns;
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	CALL();
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
	CALL();
	*ms = (float)(stop->at_ns - start->at_ns) / 1e6F;
	return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	CALL();
	capturing = calloc(1, sizeof(*capturing));
	return capturing ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	CALL();
	*graph = capturing;
	capturing = NULL;
	return cudaSuccess;
}

/* The executable graph takes the steps over; the graph stays, empty. */
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
					  unsigned long long flags)
{
	CALL();
	*exec = malloc(sizeof(**exec));
	if (!*exec)
		return cudaErrorMemoryAllocation;
	**exec = *graph;
	*graph = (struct fake_graph){ 0 };
	return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	size_t i;

	CALL();
	for (i = 0; i < exec->n; i++)
		exec->steps[i].fn(exec->steps[i].arg);
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	CALL();
	return cudaGraphExecDestroy(graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	size_t i;

	CALL();
	for (i = 0; i < exec->n; i++)
		free(exec->steps[i].arg);
	free(exec->steps);
	free(exec);
	return cudaSuccess;
}

int nb_copy(void *dst, const void *src, uint64_t bytes, void *stream)
{
	COPY(dst, src, bytes);
	fake_advance((int64_t)(bytes / FAKE_COPY_BYTES_PER_NS / 4));
	return cudaSuccess;
}

int nb_fill_bytes(void *dst, uint64_t bytes, int rank, uint64_t offset, void *stream)
{
	CALL();
	nb_fill_bytes_ref(dst, bytes, rank, offset);
	return cudaSuccess;
}

int nb_check_bytes(const void *buf, uint64_t bytes, int rank, uint64_t offset, uint64_t base,
		   struct nb_mismatch *result, void *stream)
{
	CALL();
	nb_check_bytes_ref(buf, bytes, rank, offset, base, result);
	return cudaSuccess;
}

int nb_fill_values(void *dst, uint64_t count, int dtype, int redop, int rank, int nranks,
		   uint64_t offset, void *stream)
{
	CALL();
	nb_fill_values_ref(dst, count, dtype, redop, rank, nranks, offset);
	return cudaSuccess;
}

int nb_check_values(const void *buf, uint64_t count, int dtype, int redop, int nranks,
		    uint64_t offset, struct nb_mismatch *result, void *stream)
{
	CALL();
	nb_check_values_ref(buf, count, dtype, redop, nranks, offset, result);
	return cudaSuccess;
}
