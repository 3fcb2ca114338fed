/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one rank this process is: shared by the files of the NCCL backend, by nobody else.
 * Zeroed is "not joined"; every pointer is NULL until it is owned.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "ncclbench/backend.h"
#include "ncclbench/kernels.h"
#include "spec/op.h"
#include "worker/launch_nccl.h"
#include "worker/load_slow.h"

#define RANK_EVENT_PAIRS 128 /* batches that may be queued before the host waits */

struct area { /* device memory that only grows */
	void *base;
	uint64_t bytes;
	void *handle; /* of ncclCommRegister or ncclCommWindowRegister */
};

struct buffers {
	struct area area[2]; /* send and receive; in place uses the first alone */
	int variant;         /* how both were made: variant_id */
};

#define RANK_SEEN_MAX 1024

struct busy {   /* load_nccl.c; zeroed: nothing was ever asked for */
	int id; /* load_id */
	cudaStream_t stream;
	void *buf;
	cudaEvent_t mark[LOAD_GROUPS_MAX + 1]; /* after the first piece, after each group */
	double alone_ns[LOAD_STEPS];           /* a group with nothing beside it */
	struct load_plan plan;                 /* what is queued beside the batch */
	int batches, uncovered;                /* of the run; those that outlasted it */
	int n_slow;                            /* batches with a figure */
	double slow[64];                       /* see load_slowdown; the latest of them */
};

struct nccl_rank {
	int rank, nranks, device;
	int nccl_version, cc_major;
	ncclComm_t comm;
	cudaStream_t stream;
	cudaEvent_t start[RANK_EVENT_PAIRS], stop[RANK_EVENT_PAIRS];
	int *barrier_word;            /* device memory, private to the in-stream barrier */
	struct nb_mismatch *mismatch; /* device memory */
	struct buffers buffers;
	/* The prepared case; launch.c points to c. */
	struct op_case c;
	struct op_shape shape;
	int timing;
	struct launch_args launch;
	cudaGraphExec_t graph; /* NULL until measured with timing graph */
	int graph_ops;
	struct busy busy;     /* computation beside the batches */
	cudaStream_t own[2];  /* `stream` is one of them: without and with a load */
	bool once_from_fresh; /* the buffers hold what one operation made of the pattern */
	/* Cases that ran in plain memory already: NCCL has the connections they need. Full: forgets
	 * nothing, learns nothing. */
	struct op_case seen[RANK_SEEN_MAX];
	int n_seen;
};

/* buffers_nccl.c. NB_BACKEND_SKIPPED: it would not fit. On NB_BACKEND_OOM both areas are in a valid
 * state, perhaps empty. */
int buffers_ensure(struct buffers *b, const uint64_t need[2], int variant,
		   const struct nccl_rank *r);
/* NB_BACKEND_OOM where so much more would leave too little for NCCL and other ranks. */
int buffers_room(uint64_t bytes, int device);
int buffers_release(struct buffers *b, ncclComm_t comm);

/* measure_nccl.c */
int rank_wait(struct nccl_rank *r, cudaEvent_t event); /* yields, then sleeps; sees NCCL's errors */
int rank_wait_all(struct nccl_rank *r);                /* for what the stream holds now */
int rank_run_once(struct nccl_rank *r, int64_t *host_ns); /* one operation, waited for */
int rank_measure(struct nccl_rank *r, const struct nb_run *run, int64_t *ns, int64_t *first_us);
void rank_drop_graph(struct nccl_rank *r);

/* load_nccl.c. begin queues work and makes `stream` wait until it runs; end judges the batch
 * between start and stop, which has passed. */
int rank_load(struct nccl_rank *r, int id);
int rank_load_begin(struct nccl_rank *r, int64_t cover_us);
int rank_load_end(struct nccl_rank *r, cudaEvent_t start, cudaEvent_t stop);
void rank_loaded(struct nccl_rank *r, struct msg *done);
int rank_load_release(struct nccl_rank *r);

/* verify_nccl.c */
int rank_fill(struct nccl_rank *me); /* pattern to send, poison where results go; not waited for */
int rank_check(struct nccl_rank *me, struct nb_check *check);

/* facts_nccl.c */
int nccl_facts(struct msg *hello);

/* p2p_check_nccl.c */
int p2p_check_nccl(int argc, char **argv);

/* quiet_nccl.c */
void nccl_quiet(void);
