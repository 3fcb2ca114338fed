/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL for one process that believes to be one of several ranks. What this rank sends is read from
 * its real buffer; what the others would have sent is made from the pattern (ncclbench/pattern.h).
 * So a worker that fills, addresses or compares its buffers wrongly fails its own check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nccl.h>

#include "fake_lib.h"
#include "ncclbench/kernels.h"
#include "ncclbench/pattern.h"

#define CALL()                          \
	int what = fake_call(__func__); \
	if (what > 0)                   \
	return (ncclResult_t)what

#define GROUP_MAX 64

struct fake_comm {
	int rank, nranks;
};

enum kind { ALL_REDUCE, BROADCAST, REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECV };

struct operation {
	enum kind kind;
	const struct fake_comm *comm;
	const void *send;
	void *recv;
	size_t count;
	int type, redop, peer; /* peer: or root */
	int what;              /* FAKE_* */
};

struct group {
	struct operation op[GROUP_MAX];
	int n;
};

static struct group group; /* of the one thread that calls us */
static int group_depth;

static size_t bytes_of(const struct operation *o)
{
	return o->count * nb_dtype_bytes(o->type);
}

static double combine(int redop, double a, double b)
{
	switch (redop) {
	case NB_PROD:
		return a * b;
	case NB_MAX:
		return a > b ? a : b;
	case NB_MIN:
		return a < b ? a : b;
	default:
		return a + b;
	}
}

/* Elements from..from+count of everybody's send buffers, into recv. */
static void reduce_into(const struct operation *o, size_t from)
{
	const struct fake_comm *c = o->comm;
	double value;
	size_t i;
	int r;

	for (i = 0; i < o->count; i++) {
		value = nb_load_element(o->type, o->send, from + i);
		for (r = 0; r < c->nranks; r++)
			if (r != c->rank)
				value = combine(o->redop, value,
						nb_pattern_value(o->redop, r, c->nranks, from + i));
		if (o->redop == NB_AVG)
			value /= c->nranks;
		if (!(value < 100)) /* in place, again and again: it must only not overflow */
			value = 100;
		if (nb_dtype_is_integer(o->type))
			value = (double)(long long)value;
		nb_store_element(o->type, o->recv, i, value);
	}
}

static void gather_into(const struct operation *o)
{
	char *recv = o->recv;
	int r;

	memmove(recv + (size_t)o->comm->rank * bytes_of(o), o->send, bytes_of(o));
	for (r = 0; r < o->comm->nranks; r++)
		if (r != o->comm->rank)
			nb_fill_bytes_ref(recv + (size_t)r * bytes_of(o), bytes_of(o), r, 0);
}

static void do_collective(const struct operation *o)
{
	switch (o->kind) {
	case ALL_REDUCE:
		reduce_into(o, 0);
		break;
	case REDUCE:
		if (o->comm->rank == o->peer)
			reduce_into(o, 0);
		break;
	case REDUCE_SCATTER:
		reduce_into(o, (size_t)o->comm->rank * o->count);
		break;
	case ALL_GATHER:
		gather_into(o);
		break;
	case BROADCAST:
		if (o->comm->rank == o->peer)
			memmove(o->recv, o->send, bytes_of(o));
		else
			nb_fill_bytes_ref(o->recv, bytes_of(o), o->peer, 0);
		break;
	case SEND:
	case RECV:
		break;
	}
}

/* A message to oneself is the matching send's bytes. Another rank's is its pattern: of an alltoall
 * or scatter (as seen from what this rank does in the group) the share meant for us, else its
 * start. */
static void do_recv(const struct group *g, const struct operation *o)
{
	const struct fake_comm *c = o->comm;
	int i, sends = 0;
	uint64_t offset;

	for (i = 0; i < g->n; i++) {
		sends += g->op[i].kind == SEND;
		if (o->peer == c->rank && g->op[i].kind == SEND && g->op[i].peer == c->rank) {
			memmove(o->recv, g->op[i].send, bytes_of(o));
			return;
		}
	}
	offset = 0;
	if ((g->n > 1 && g->n == 2 * c->nranks && sends == c->nranks) ||
	    (sends == 0 && group_depth < 0))
		offset = (uint64_t)c->rank * bytes_of(o);
	nb_fill_bytes_ref(o->recv, bytes_of(o), o->peer, offset);
}

static void do_one(const struct group *g, const struct operation *o)
{
	if (o->what == FAKE_LOST)
		return;
	if (o->kind == RECV)
		do_recv(g, o);
	else
		do_collective(o);
	if (o->what == FAKE_CORRUPT && o->recv)
		((unsigned char *)o->recv)[bytes_of(o) / 2] ^= 0x40;
}

static void do_group(const void *arg)
{
	const struct group *g = arg;
	int i;

	for (i = 0; i < g->n; i++)
		do_one(g, &g->op[i]);
	fake_advance(FAKE_OPERATION_NS);
}

/* A group that only receives is a scatter's: marked for do_recv by a depth no caller can have. */
static void do_explicit_group(const void *arg)
{
	group_depth = -1;
	do_group(arg);
	group_depth = 0;
}

static ncclResult_t add(const struct operation *o)
{
	if (group.n == GROUP_MAX)
		return ncclInternalError;
	group.op[group.n++] = *o;
	if (group_depth)
		return ncclSuccess;
	fake_submit(do_group, &group, sizeof(group));
	group.n = 0;
	return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
	CALL();
	group_depth++;
	return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
	CALL();
	if (group_depth == 0)
		return ncclInvalidUsage;
	if (--group_depth)
		return ncclSuccess;
	fake_submit(do_explicit_group, &group, sizeof(group));
	group.n = 0;
	return ncclSuccess;
}

ncclResult_t ncclGetVersion(int *version)
{
	CALL();
	*version = (int)fake_number("version", 22809);
	return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	CALL();
	memset(id, 0x5a, sizeof(*id));
	return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t rc)
{
	static const char *const texts[] = {
		"no error",
		"unhandled cuda error",
		"unhandled system error",
		"internal error",
		"invalid argument",
		"invalid usage",
		"remote process exited",
		"in progress",
	};

	return (unsigned)rc < sizeof(texts) / sizeof(texts[0]) ? texts[rc] : "unknown";
}

const char *ncclGetLastError(ncclComm_t comm)
{
	return "the fake was told so\n";
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
	CALL();
	if (id.internal[0] != 0x5a || rank >= nranks)
		return ncclInvalidArgument;
	*comm = malloc(sizeof(**comm));
	if (!*comm)
		return ncclSystemError;
	**comm = (struct fake_comm){ rank, nranks };
	return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *rc)
{
	*rc = (ncclResult_t)fake_call(__func__);
	return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	CALL();
	return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	CALL();
	free(comm);
	return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
			   ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	CALL();
	return add(&(struct operation){ ALL_REDUCE, comm, send, recv, count, type, op, 0, what });
}

ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count, ncclDataType_t type,
			   int root, ncclComm_t comm, cudaStream_t stream)
{
	CALL();
	return add(&(struct operation){ BROADCAST, comm, send, recv, count, type, 0, root, what });
}

ncclResult_t ncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
			ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
	CALL();
	return add(&(struct operation){ REDUCE, comm, send, recv, count, type, op, root, what });
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t count, ncclDataType_t type,
			   ncclComm_t comm, cudaStream_t stream)
{
	CALL();
	return add(&(struct operation){ ALL_GATHER, comm, send, recv, count, type, 0, 0, what });
}

ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count, ncclDataType_t type,
			       ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	CALL();
	return add(
	    &(struct operation){ REDUCE_SCATTER, comm, send, recv, count, type, op, 0, what });
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
		      ncclComm_t comm, cudaStream_t stream)
{
	CALL();
	return add(&(struct operation){ SEND, comm, send, NULL, count, type, 0, peer, what });
}

ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
		      cudaStream_t stream)
{
	CALL();
	return add(&(struct operation){ RECV, comm, NULL, recv, count, type, 0, peer, what });
}

ncclResult_t ncclMemAlloc(void **ptr, size_t bytes)
{
	CALL();
	*ptr = aligned_alloc(4096, bytes);
	return *ptr ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void *ptr)
{
	CALL();
	free(ptr);
	return ncclSuccess;
}

ncclResult_t ncclCommRegister(ncclComm_t comm, void *ptr, size_t bytes, void **handle)
{
	CALL();
	*handle = malloc(1); /* a leak shows */
	return *handle ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclCommDeregister(ncclComm_t comm, void *handle)
{
	CALL();
	free(handle);
	return ncclSuccess;
}

void ncclResetDebugInit(void)
{
	const char *path = getenv("NCCL_DEBUG_FILE"), *subsys = getenv("NCCL_DEBUG_SUBSYS");
	FILE *log = path ? fopen(path, "w") : NULL;

	if (!log)
		return;
	(void)fprintf(log, "log of %s\n", subsys ? subsys : "(unset)");
	(void)fclose(log);
}
