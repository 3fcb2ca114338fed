/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between the ranks over UCP tag matching: open, connect, send, receive, wait, barrier.
 * One context and one worker per process, one thread. It knows no operation and no buffer's
 * meaning.
 *
 * Functions that return int give 0 or one of nb_backend_status with a line in `error`.
 * Endpoints are made without UCX's peer failure handling: with it, UCX 1.13 to 1.18 refuse posix
 * and cma ("no peer failure handler"). A dead peer therefore shows as a wait that never ends,
 * which the supervisor's deadline ends, as an error (tcp), or as the library's abort (cma).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucp/api/ucp.h>

#include "base/attr.h"

struct ucx_peer {
	ucp_ep_h ep;
	uint8_t *address; /* until connected; owned */
	bool local;       /* runs on this host */
	/* Bytes of the smallest and the largest message since ucx_net_watch; most 0: none. */
	uint64_t least, most;
};

struct ucx_net {
	ucp_context_h context;
	ucp_worker_h worker;
	struct ucx_peer *peers;    /* [nranks]; own rank's entry stays empty */
	int cap_peers;             /* entries there are */
	int rank, nranks, n_local; /* n_local counts this rank */
	int64_t patience_ns;       /* idle polling before the processor is offered to others */
	int code;                  /* ucs_status_t of the last error */
	char error[240];
};

/* A set of ranks among which a barrier is held: everyone, or a pair. */
struct ucx_group {
	int n;        /* members */
	int me;       /* index of this rank in it, -1 not a member */
	bool is_pair; /* members are pair[0] and pair[1]; else all ranks */
	int pair[2];
};

struct ucx_request {
	void *handle; /* NULL: complete */
	int peer;
	bool send;
};

void ucx_net_init(struct ucx_net *net);
int ucx_net_open(struct ucx_net *net) ATTR_MUST;
/* What a peer needs to reach this process: opaque bytes. */
int ucx_net_address(struct ucx_net *net, uint8_t *out, size_t max, size_t *len) ATTR_MUST;
int ucx_net_add_peer(struct ucx_net *net, int rank, const uint8_t *address, size_t len) ATTR_MUST;
/* Endpoints to everyone and one message each way, so that wire-up is over when it returns. */
int ucx_net_connect(struct ucx_net *net, int rank, int nranks) ATTR_MUST;
void ucx_net_close(struct ucx_net *net);

/* Post one message; finish every posted request with ucx_wait, also after a failure of another. */
int ucx_send(struct ucx_net *net, int peer, const void *data, size_t bytes,
	     struct ucx_request *r) ATTR_MUST;
int ucx_receive(struct ucx_net *net, int peer, void *data, size_t bytes,
		struct ucx_request *r) ATTR_MUST;
int ucx_wait(struct ucx_net *net, struct ucx_request *r) ATTR_MUST;
/* Both at once, the shape of every ring step. */
int ucx_exchange(struct ucx_net *net, int to, const void *out, size_t out_bytes, int from, void *in,
		 size_t in_bytes) ATTR_MUST;
int ucx_barrier(struct ucx_net *net, const struct ucx_group *g) ATTR_MUST;
/* Before a rank stops calling UCX: a complete tcp send may still sit in UCX's own buffer, and its
 * receiver would wait for ever. Returns when everyone has everything. */
int ucx_settle(struct ucx_net *net, const struct ucx_group *g) ATTR_MUST;

/* Forget which messages were exchanged so far (barriers never count). */
void ucx_net_watch(struct ucx_net *net);
/* What UCX prints about the endpoint to that peer; heap text or NULL. */
char *ucx_net_describe(struct ucx_net *net, int peer) ATTR_MUST;
int ucx_net_fail(struct ucx_net *net, int status, int code, const char *fmt, ...) ATTR_PRINTF(4, 5);
