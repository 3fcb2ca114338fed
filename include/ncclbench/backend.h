/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker's backend must provide. worker/serve.c holds the conversation and calls these; a
 * backend knows one communication library and one kind of memory, no messages and no CSV.
 *
 * Every function returns NB_BACKEND_OK or one of the alternatives, and on an alternative has put
 * one line of text (what failed, on what, the library's words) where `error` returns it.
 * Nothing here may wait for ever without yielding the processor: supervisors enforce deadlines
 * by killing, and a spinning wait on a one-core binding starves the library's own threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msg;     /* wire/msg.h */
struct op_case; /* spec/op.h */

enum nb_backend_status {
	NB_BACKEND_OK = 0,
	NB_BACKEND_UNAVAILABLE, /* this library, device or build cannot do it: not a failure */
	NB_BACKEND_OOM,         /* memory is short; other points may fit */
	NB_BACKEND_SKIPPED,     /* makes no sense here (0 elements, no in-place form) */
	NB_BACKEND_ERROR,       /* the library failed: the worker must be replaced */
};

enum nb_run_mode { NB_RUN_SINGLE, NB_RUN_MEASURE };

struct nb_run {
	enum nb_run_mode mode;
	int batches;      /* batches to time; 1 in single mode */
	int ops;          /* operations per graph (graph) or per loop (stream); >= 1 */
	int replays;      /* times that loop is repeated inside one batch; >= 1 */
	int warmup;       /* batches run before and not reported */
	bool once;        /* single mode: its first operation is enough */
	int64_t cover_us; /* a load beside a batch must last so long; 0: there is none */
};

struct nb_check {
	uint64_t checked; /* elements (reductions) or bytes (copies) compared on this rank */
	uint64_t wrong;   /* of those, different from what the operation must give */
	uint64_t first;   /* index of the first wrong one, if any */
	char got[32], want[32];
	bool poisoned; /* the first wrong one still holds the 0xA5 put there: never written */
};

struct nb_ceiling {
	int id;           /* ceiling_id of spec/ceiling.h */
	int device, peer; /* peer -1: there is none */
	uint64_t bytes;   /* of one copy */
	int copies;       /* back to back in one sample */
	int samples;
};

struct nb_backend {
	const char *name;   /* "nccl" or "ucx" */
	bool exits_at_once; /* after GONE nothing of the library is worth waiting for at exit */
	bool blob_from_all; /* addresses of all ranks are needed (UCX), or rank 0's id (NCCL) */
	/* Facts that need no device to be chosen: appended to HELLO as key=value. Keys:
	 * devices, reason (why there are none), lib_version ("2.28.3"), lib_path, driver_version
	 * ("580.159.04"), cuda_driver and runtime_version ("13.0"), and per device i of the first
	 * 16 gpu<i>.name .uuid .bus .cc .mem_total .mem_free .pci_gen .pci_width .nvlinks (active
	 * ones) .nvlink_mbps (one link, one direction) .nvlink_version ("4.0"); p2p.<i>.<j>=yes|no
	 * (cudaDeviceCanAccessPeer) and nvml_p2p.<i>.<j>=<status text>. What is not known is left
	 * out. */
	int (*facts)(struct msg *hello);
	int (*blob)(uint8_t *blob, size_t max, size_t *len);
	int (*peer)(int rank, const uint8_t *blob, size_t len);
	/* The context alone, ahead of join; what fails shows in join. NULL: there is none. */
	void (*device)(int device);
	/* Context and communicator; appends context_us, init_us and device facts to `joined`. */
	int (*join)(int rank, int nranks, int device, struct msg *joined);
	/* What keeps the device busy beside the batches of the case that is prepared next (load_id
	 * of spec/load.h); LOAD_NONE ends it. NULL: nothing can. */
	int (*load)(int id);
	/* After a run with one: appends load_slow= (thousandths of its time alone, the median of
	 * the batches; nothing where most are too short to tell) and uncovered= (batches that
	 * outlasted it) to `done`. NULL with load NULL. */
	void (*loaded)(struct msg *done);
	/* Buffers of the case, filled with the pattern, and (timing graph) nothing captured yet. */
	int (*prepare)(const struct op_case *c, int timing, int variant, uint64_t *device_bytes);
	int (*run)(const struct nb_run *run, int64_t *ns, int64_t *first_us);
	/* Which transport carried the last run's data on this rank, where no log proves it:
	 * appends used= proof=yes|no|unknown proof_detail= channels= peers= to `done`. NULL:
	 * nothing to say. */
	int (*proof)(struct msg *done);
	int (*check)(struct nb_check *check);
	/* *teardown_us stays as it is where there is nothing to tear down. */
	int (*leave)(int64_t *teardown_us);
	/* PREPARE quiet=1: no log line per operation from now on, as far as the library lets itself
	 * be told. Called at most once. NULL: it writes none. */
	void (*quiet)(void);
	/* Copies without the library: elapsed ns of each sample. Needs no join. NULL: can do none.
	 */
	int (*ceiling)(const struct nb_ceiling *c, int64_t *ns);
	/* Appends the state of this rank's GPU; `whole` with the slow counters, else at most every
	 * 50 ms and never while anything is timed. NULL: there is none. */
	void (*state)(struct msg *m, bool whole);
	/* --p2p-check [I,J ...]: copies between GPUs with a check of the data; prints lines of
	 * key=value as they become known. Exit code. NULL: there are no GPUs. */
	int (*p2p_check)(int argc, char **argv);
	/* Text of the last alternative; never NULL. */
	const char *(*error)(int *code);
};

extern const struct nb_backend nb_backend; /* the one this worker was built with */
