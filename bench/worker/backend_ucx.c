/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nb_backend over UCX on host memory: order of calls, clock and batches. How bytes move is
 * launch_ucx.c's, how messages travel ucx_net.c's, what proves the transport ucx_proof.c's.
 * One process is one rank, so its state is one static object.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ncclbench/backend.h"
#include "spec/ceiling.h"
#include "spec/dtype.h"
#include "spec/op.h"
#include "spec/redop.h"
#include "spec/timing.h"
#include "wire/msg.h"
#include "worker/ceiling_host.h"
#include "worker/launch_ucx.h"
#include "worker/ucx_memory.h"
#include "worker/ucx_net.h"
#include "worker/ucx_proof.h"
#include "worker/ucx_verify.h"

struct pattern {          /* what the send area holds: a prefix of one rank's input */
	bool values;      /* of a reduction; else bytes */
	int dtype, redop; /* of values */
	uint64_t bytes;
};

static struct {
	struct ucx_net net;
	struct ucx_memory memory;
	struct ucx_job job;
	launch_fn *launch;
	struct pattern held;
	bool fresh;      /* inputs are as prepared: nothing ran in place since */
	bool verifiable; /* the receive buffer holds one operation's result of fresh inputs */
	int64_t open_us;
} ucx;

static int64_t since_us(int64_t start_ns)
{
	return (clock_now_ns() - start_ns) / 1000;
}

static int refuse(int status, const char *what, const char *name)
{
	return ucx_net_fail(&ucx.net, status, 0, "%s %s", what, name);
}

static int open_once(void)
{
	int64_t start = clock_now_ns();
	int r;

	if (ucx.net.worker)
		return NB_BACKEND_OK;
	ucx_net_init(&ucx.net);
	r = ucx_net_open(&ucx.net);
	ucx.open_us = since_us(start);
	return r;
}

static int ucx_facts(struct msg *hello)
{
	unsigned major, minor, release;
	char version[32];
	Dl_info info;

	ucp_get_version(&major, &minor, &release);
	snprintf(version, sizeof(version), "%u.%u.%u", major, minor, release);
	msg_add_i64(hello, "devices", 0);
	msg_add(hello, "lib_version", version);
	if (dladdr((void *)(uintptr_t)ucp_get_version_string, &info) && info.dli_fname) {
		char *path = realpath(info.dli_fname, NULL);

		msg_add(hello, "lib_path", path ? path : info.dli_fname);
		free(path);
	}
	return NB_BACKEND_OK;
}

static int ucx_blob(uint8_t *blob, size_t max, size_t *len)
{
	int r = open_once();

	return r ? r : ucx_net_address(&ucx.net, blob, max, len);
}

static int ucx_peer(int rank, const uint8_t *blob, size_t len)
{
	int r = open_once();

	return r ? r : ucx_net_add_peer(&ucx.net, rank, blob, len);
}

static int ucx_join(int rank, int nranks, int device, struct msg *joined)
{
	char lanes[512];
	int64_t start;
	int r;

	r = open_once();
	if (r)
		return r;
	start = clock_now_ns();
	r = ucx_net_connect(&ucx.net, rank, nranks);
	if (r)
		return r;
	msg_add_i64(joined, "context_us", ucx.open_us);
	msg_add_i64(joined, "init_us", since_us(start));
	msg_add_i64(joined, "local_ranks", ucx.net.n_local);
	ucx_proof_lanes(&ucx.net, lanes, sizeof(lanes));
	msg_add(joined, "lanes", lanes);
	return NB_BACKEND_OK;
}

/* ------------------------------------------------------------------ prepare */

static int supported(const struct op_case *c, int timing, int variant)
{
	ucx.launch = launch_find(c->op);
	if (!ucx.launch)
		return refuse(NB_BACKEND_UNAVAILABLE, "the UCX backend has no operation",
			      op_table[c->op].name);
	if (timing != TIMING_HOST)
		return refuse(NB_BACKEND_UNAVAILABLE, "the UCX backend has no timing",
			      timing_table[timing].name);
	if (variant != VARIANT_PLAIN)
		return refuse(NB_BACKEND_UNAVAILABLE, "the UCX backend has no variant",
			      variant_table[variant].name);
	if ((op_table[c->op].flags & OP_REDUCES) && !ucx_reduce_find(c->dtype, c->redop))
		return ucx_net_fail(&ucx.net, NB_BACKEND_UNAVAILABLE, 0,
				    "the UCX backend does not reduce %s with %s",
				    dtype_table[c->dtype].name, redop_table[c->redop].name);
	return NB_BACKEND_OK;
}

static void choose_group(const struct op_case *c, struct ucx_group *g)
{
	int rank = ucx.net.rank;

	*g = (struct ucx_group){ .n = c->nranks, .me = rank };
	if (!(op_table[c->op].flags & OP_PAIR))
		return;
	*g = (struct ucx_group){ .n = 2, .me = -1, .is_pair = true, .pair = { c->a, c->b } };
	if (rank == c->a || rank == c->b)
		g->me = rank == c->b;
}

/* In place both buffers are one area, and so the send area keeps its pattern for later points. */
static void wanted_areas(const struct ucx_job *job, uint64_t want[UCX_AREA_COUNT])
{
	const struct op_shape *s = &job->shape;
	uint64_t send_end = s->alias_send + s->send_bytes, recv_end = s->alias_recv + s->recv_bytes;

	want[UCX_AREA_SCRATCH] = s->takes_part ? launch_scratch_bytes(&job->c) : 0;
	want[UCX_AREA_SEND] = job->c.in_place ? 0 : s->send_bytes;
	want[UCX_AREA_RECV] = s->recv_bytes;
	if (job->c.in_place)
		want[UCX_AREA_RECV] = send_end > recv_end ? send_end : recv_end;
}

static int allocate(const uint64_t want[UCX_AREA_COUNT])
{
	uint64_t old[UCX_AREA_COUNT], need = 0, limit = 0;
	int i, r;

	memcpy(old, ucx.memory.size, sizeof(old));
	r = ucx_memory_fit(&ucx.memory, want, ucx.net.n_local, &need, &limit);
	for (i = 0; i < UCX_AREA_COUNT; i++)
		if (ucx.memory.size[i] != old[i] &&
		    ucx.memory.base[i]) /* touch: no page faults in a measurement */
			memset(ucx.memory.base[i], UCX_POISON, ucx.memory.size[i]);
	if (ucx.memory.size[UCX_AREA_SEND] != old[UCX_AREA_SEND])
		ucx.held.bytes = 0;
	if (!r)
		return NB_BACKEND_OK;
	if (!limit)
		return ucx_net_fail(&ucx.net, NB_BACKEND_OOM, r,
				    "no memory for buffers of %" PRIu64 " bytes", need);
	return ucx_net_fail(&ucx.net, NB_BACKEND_SKIPPED, r,
			    "buffers of %" PRIu64 " bytes exceed this rank's share of half of the "
			    "free memory, %" PRIu64 " bytes",
			    need, limit);
}

static void place_buffers(struct ucx_job *job)
{
	const struct op_shape *s = &job->shape;
	uint8_t *recv = ucx.memory.base[UCX_AREA_RECV], *send = ucx.memory.base[UCX_AREA_SEND];

	if (job->c.in_place) {
		send = recv + s->alias_send;
		recv += s->alias_recv;
	}
	job->send = s->send_bytes ? send : NULL;
	job->recv = s->recv_bytes ? recv : NULL;
	job->scratch = ucx.memory.base[UCX_AREA_SCRATCH];
}

/* Out of place nothing writes to the send area, and a longer input starts with a shorter one: fill
 * only what is not there yet. */
static void fill_inputs(const struct ucx_job *job)
{
	struct pattern want = { .values = op_table[job->c.op].flags & OP_REDUCES,
				.bytes = job->shape.send_bytes };
	struct pattern *held = &ucx.held;
	bool same;

	if (!job->send)
		return;
	if (job->c.in_place) {
		ucx_verify_fill(job, (uint8_t *)job->send, 0);
		return;
	}
	if (want.values) {
		want.dtype = job->c.dtype;
		want.redop = job->c.redop;
	}
	same =
	    held->values == want.values && held->dtype == want.dtype && held->redop == want.redop;
	if (same && held->bytes >= want.bytes)
		return;
	ucx_verify_fill(job, (uint8_t *)job->send, same ? held->bytes & ~UINT64_C(7) : 0);
	*held = want;
}

static int ucx_prepare(const struct op_case *c, int timing, int variant, uint64_t *device_bytes)
{
	uint64_t want[UCX_AREA_COUNT];
	struct ucx_job *job = &ucx.job;
	int r;

	ucx.verifiable = false;
	r = supported(c, timing, variant);
	if (r)
		return r;
	*job = (struct ucx_job){ .net = &ucx.net,
				 .c = *c,
				 .element_bytes = dtype_table[c->dtype].bytes,
				 .reduce = ucx_reduce_find(c->dtype, c->redop) };
	op_table[c->op].shape(c, ucx.net.rank, &job->shape);
	choose_group(c, &job->group);
	wanted_areas(job, want);
	r = allocate(want);
	if (r)
		return r;
	place_buffers(job);
	fill_inputs(job);
	ucx.fresh = true;
	*device_bytes = want[UCX_AREA_SEND] + want[UCX_AREA_RECV] + want[UCX_AREA_SCRATCH];
	return NB_BACKEND_OK;
}

/* ------------------------------------------------------------------ run */

/* Poison where the result will be, unless the input is there, too. */
static void refresh(struct ucx_job *job)
{
	if (job->recv && !(job->c.in_place && job->send))
		memset(job->recv, UCX_POISON, job->shape.recv_bytes);
	if (!ucx.fresh)
		fill_inputs(job);
	ucx.fresh = !job->c.in_place;
}

/* One operation from fresh buffers, after a barrier. */
static int run_fresh(struct ucx_job *job, int64_t *ns)
{
	int64_t start;
	int r;

	refresh(job);
	r = ucx_barrier(job->net, &job->group);
	if (r)
		return r;
	start = clock_now_ns();
	r = ucx.launch(job);
	*ns = clock_now_ns() - start;
	return r;
}

/* The first one pays for what the library sets up on first use; the second one is the figure, and
 * the one that is verified and proven. */
static int run_single(struct ucx_job *job, int64_t *ns, int64_t *first_us)
{
	int64_t first_ns;
	int r;

	r = run_fresh(job, &first_ns);
	if (r)
		return r;
	*first_us = first_ns / 1000;
	ucx_net_watch(job->net);
	r = run_fresh(job, ns);
	ucx.verifiable = r == NB_BACKEND_OK;
	return r;
}

static int run_batch(struct ucx_job *job, int64_t n_ops, int64_t *ns)
{
	int64_t start, i;
	int r;

	r = ucx_barrier(job->net, &job->group);
	start = clock_now_ns();
	for (i = 0; i < n_ops && !r; i++)
		r = ucx.launch(job);
	*ns = clock_now_ns() - start;
	return r;
}

static int run_measure(struct ucx_job *job, const struct nb_run *run, int64_t *ns)
{
	int64_t n_ops = (int64_t)run->ops * run->replays, ignored;
	int i, r = NB_BACKEND_OK;

	if (job->c.in_place)
		ucx.fresh = ucx.verifiable = false;
	for (i = 0; i < run->warmup && !r; i++)
		r = run_batch(job, n_ops, &ignored);
	for (i = 0; i < run->batches && !r; i++)
		r = run_batch(job, n_ops, &ns[i]);
	return r;
}

static int ucx_run(const struct nb_run *run, int64_t *ns, int64_t *first_us)
{
	int r;

	*first_us = 0;
	memset(ns, 0, (size_t)run->batches * sizeof(*ns));
	ucx_net_watch(&ucx.net);
	if (!ucx.job.shape
		 .takes_part) /* a rank outside of the pair: its zeros lose in the maximum */
		return NB_BACKEND_OK;
	if (run->mode == NB_RUN_SINGLE)
		r = run_single(&ucx.job, ns, first_us);
	else
		r = run_measure(&ucx.job, run, ns);
	return r ? r : ucx_settle(&ucx.net, &ucx.job.group);
}

/* ------------------------------------------------------------------ after a run */

static int ucx_proof(struct msg *done)
{
	struct ucx_proof proof;

	ucx_proof_judge(&ucx.net, getenv("UCX_TLS"), &proof);
	msg_add(done, "used", proof.used);
	msg_add(done, "proof", proof.verdict);
	msg_add(done, "proof_detail", proof.detail);
	msg_add_i64(done, "channels", proof.channels);
	msg_add_i64(done, "peers", proof.peers);
	return NB_BACKEND_OK;
}

static int ucx_check(struct nb_check *check)
{
	int64_t ignored;
	int r = NB_BACKEND_OK;

	*check = (struct nb_check){ 0 };
	if (!ucx.job.shape.takes_part)
		return NB_BACKEND_OK;
	/* After a measurement the buffers hold the result of many operations: one more from fresh
	 * ones. */
	if (!ucx.verifiable)
		r = run_fresh(&ucx.job, &ignored);
	if (!r && !ucx.verifiable)
		r = ucx_settle(&ucx.net, &ucx.job.group);
	if (!r)
		ucx_verify_check(&ucx.job, check);
	return r;
}

static int ucx_leave(int64_t *teardown_us)
{
	int64_t start = clock_now_ns();

	ucx_net_close(&ucx.net);
	ucx_memory_fini(&ucx.memory);
	ucx.held = (struct pattern){ 0 };
	*teardown_us = since_us(start);
	return NB_BACKEND_OK;
}

static int ucx_ceiling(const struct nb_ceiling *c, int64_t *ns)
{
	if (c->id != CEILING_HOST_COPY)
		return refuse(NB_BACKEND_UNAVAILABLE, "the UCX worker has no GPU for",
			      ceiling_table[c->id].name);
	if (ceiling_host(c, ns))
		return refuse(NB_BACKEND_OOM, "no memory for", ceiling_table[c->id].name);
	return NB_BACKEND_OK;
}

static const char *ucx_error(int *code)
{
	*code = ucx.net.code;
	return ucx.net.error;
}

const struct nb_backend nb_backend = {
	.name = "ucx",
	.blob_from_all = true,
	.facts = ucx_facts,
	.blob = ucx_blob,
	.peer = ucx_peer,
	.join = ucx_join,
	.prepare = ucx_prepare,
	.run = ucx_run,
	.proof = ucx_proof,
	.check = ucx_check,
	.leave = ucx_leave,
	.ceiling = ucx_ceiling,
	.error = ucx_error,
};
