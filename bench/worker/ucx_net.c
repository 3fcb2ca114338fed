/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "ncclbench/backend.h"
#include "worker/ucx_net.h"

#define ADDRESS_MAGIC "nbu1"
#define RANKS_MAX 65536

/* How long a wait polls before it offers the processor to others. With a core for each rank the
 * answer usually comes sooner; with fewer, the peer we wait for may need this very core, and each
 * poll delays it (8 B over tcp, two ranks on one core: 6 us instead of 75 us). Between looks at the
 * clock it polls POLLS times: a poll of shared memory takes 20 ns, of tcp, which asks the kernel,
 * ten times that. */
#define PATIENCE_ALONE_NS 5000
#define PATIENCE_SHARED_NS 500
#define POLLS 16

/* Tags: kind above, sender below. UCX matches messages of one sender in order, so no counter. */
enum kind { KIND_DATA = 1, KIND_BARRIER = 2, KIND_WIREUP = 3 };

struct address_head {
	char magic[4];
	uint32_t bytes; /* of the UCX address that follows */
	uint64_t host;  /* hash of the boot id: equal on one host, also across containers */
};

static const ucp_request_param_t host_memory = {
	.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE,
	.memory_type = UCS_MEMORY_TYPE_HOST,
};

static const ucp_request_param_t no_options = { 0 };

int ucx_net_fail(struct ucx_net *net, int status, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(net->error, sizeof(net->error), fmt, ap);
	va_end(ap);
	net->code = code;
	return status;
}

void ucx_net_init(struct ucx_net *net)
{
	*net = (struct ucx_net){ .nranks = 1, .n_local = 1 };
}

static uint64_t host_hash(void)
{
	uint64_t hash = 14695981039346656037ULL;
	char id[64];
	const char *p;

	file_first_line("/proc/sys/kernel/random/boot_id", id, sizeof(id));
	for (p = id; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211ULL;
	return hash;
}

int ucx_net_open(struct ucx_net *net)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED,
		.features = UCP_FEATURE_TAG,
		.mt_workers_shared = 0,
	};
	const ucp_worker_params_t worker_params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	ucs_status_t st;

	st = ucp_init(&params, NULL, &net->context);
	if (st != UCS_OK) {
		const char *tls = getenv("UCX_TLS");

		net->context = NULL;
		/* No device for the transports named in UCX_TLS is not a failure of anything. */
		return ucx_net_fail(
		    net, st == UCS_ERR_NO_DEVICE ? NB_BACKEND_UNAVAILABLE : NB_BACKEND_ERROR, st,
		    "UCX cannot start with UCX_TLS=%.60s: %s", tls ? tls : "",
		    ucs_status_string(st));
	}
	st = ucp_worker_create(net->context, &worker_params, &net->worker);
	if (st != UCS_OK) {
		net->worker = NULL;
		return ucx_net_fail(net, NB_BACKEND_ERROR, st, "UCX cannot create a worker: %s",
				    ucs_status_string(st));
	}
	return NB_BACKEND_OK;
}

int ucx_net_address(struct ucx_net *net, uint8_t *out, size_t max, size_t *len)
{
	struct address_head head = { .magic = ADDRESS_MAGIC, .host = host_hash() };
	ucp_address_t *address;
	ucs_status_t st;
	size_t n = 0;

	st = ucp_worker_get_address(net->worker, &address, &n);
	if (st != UCS_OK)
		return ucx_net_fail(net, NB_BACKEND_ERROR, st, "UCX gives no address: %s",
				    ucs_status_string(st));
	if (n + sizeof(head) > max) {
		ucp_worker_release_address(net->worker, address);
		return ucx_net_fail(net, NB_BACKEND_ERROR, 0,
				    "UCX's address has %zu bytes, more than the protocol's %zu", n,
				    max - sizeof(head));
	}
	head.bytes = (uint32_t)n;
	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), address, n);
	*len = n + sizeof(head);
	ucp_worker_release_address(net->worker, address);
	return NB_BACKEND_OK;
}

static int reserve_peers(struct ucx_net *net, int n)
{
	struct ucx_peer *grown;

	if (n <= net->cap_peers)
		return NB_BACKEND_OK;
	grown = realloc(net->peers, (size_t)n * sizeof(*grown));
	if (!grown)
		return ucx_net_fail(net, NB_BACKEND_OOM, 0, "no memory for %d peers", n);
	memset(grown + net->cap_peers, 0, (size_t)(n - net->cap_peers) * sizeof(*grown));
	net->peers = grown;
	net->cap_peers = n;
	return NB_BACKEND_OK;
}

int ucx_net_add_peer(struct ucx_net *net, int rank, const uint8_t *address, size_t len)
{
	struct address_head head;
	struct ucx_peer *peer;
	int r;

	if (rank < 0 || rank >= RANKS_MAX || len < sizeof(head))
		return ucx_net_fail(net, NB_BACKEND_ERROR, 0, "rank %d's address is too short",
				    rank);
	memcpy(&head, address, sizeof(head));
	if (memcmp(head.magic, ADDRESS_MAGIC, sizeof(head.magic)) != 0 ||
	    head.bytes != len - sizeof(head))
		return ucx_net_fail(net, NB_BACKEND_ERROR, 0,
				    "rank %d's address is not one of ours", rank);
	r = reserve_peers(net, rank + 1);
	if (r)
		return r;
	peer = &net->peers[rank];
	free(peer->address);
	peer->address = malloc(head.bytes + 1);
	if (!peer->address)
		return ucx_net_fail(net, NB_BACKEND_OOM, 0, "no memory for rank %d's address",
				    rank);
	memcpy(peer->address, address + sizeof(head), head.bytes);
	peer->local = head.host == host_hash();
	return NB_BACKEND_OK;
}

static int connect_peer(struct ucx_net *net, int rank)
{
	struct ucx_peer *peer = &net->peers[rank];
	ucp_ep_params_t params = {
		.field_mask =
		    UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
		.err_mode = UCP_ERR_HANDLING_MODE_NONE,
	};
	ucs_status_t st;

	if (!peer->address)
		return ucx_net_fail(net, NB_BACKEND_ERROR, 0, "rank %d's address is not known",
				    rank);
	params.address = (const ucp_address_t *)peer->address;
	st = ucp_ep_create(net->worker, &params, &peer->ep);
	free(peer->address);
	peer->address = NULL;
	if (st == UCS_OK)
		return NB_BACKEND_OK;
	peer->ep = NULL;
	return ucx_net_fail(net,
			    st == UCS_ERR_UNREACHABLE ? NB_BACKEND_UNAVAILABLE : NB_BACKEND_ERROR,
			    st, "UCX cannot connect to rank %d: %s", rank, ucs_status_string(st));
}

static void choose_patience(struct ucx_net *net)
{
	cpu_set_t cpus;
	int i, n_cpus = 1;

	net->n_local = 1;
	for (i = 0; i < net->nranks; i++)
		net->n_local += i != net->rank && net->peers[i].local;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n_cpus = CPU_COUNT(&cpus);
	net->patience_ns = n_cpus < net->n_local ? PATIENCE_SHARED_NS : PATIENCE_ALONE_NS;
}

/* ------------------------------------------------------------------ messages */

static uint64_t tag_of(int kind, int sender)
{
	return (uint64_t)kind << 32 | (uint32_t)sender;
}

static int posted(struct ucx_net *net, void *handle, struct ucx_request *r)
{
	r->handle = NULL;
	if (UCS_PTR_IS_ERR(handle))
		return ucx_net_fail(net, NB_BACKEND_ERROR, UCS_PTR_STATUS(handle), "%s rank %d: %s",
				    r->send ? "sending to" : "receiving from", r->peer,
				    ucs_status_string(UCS_PTR_STATUS(handle)));
	r->handle = handle;
	return NB_BACKEND_OK;
}

static int post_send(struct ucx_net *net, int kind, int peer, const void *data, size_t bytes,
		     struct ucx_request *r)
{
	r->peer = peer;
	r->send = true;
	return posted(net,
		      ucp_tag_send_nbx(net->peers[peer].ep, data, bytes, tag_of(kind, net->rank),
				       &host_memory),
		      r);
}

static int post_receive(struct ucx_net *net, int kind, int peer, void *data, size_t bytes,
			struct ucx_request *r)
{
	r->peer = peer;
	r->send = false;
	return posted(net,
		      ucp_tag_recv_nbx(net->worker, data, bytes, tag_of(kind, peer), UINT64_MAX,
				       &host_memory),
		      r);
}

static void note_message(struct ucx_peer *peer, uint64_t bytes)
{
	if (!peer->most || bytes < peer->least)
		peer->least = bytes;
	if (bytes > peer->most)
		peer->most = bytes;
}

int ucx_send(struct ucx_net *net, int peer, const void *data, size_t bytes, struct ucx_request *r)
{
	note_message(&net->peers[peer], bytes);
	return post_send(net, KIND_DATA, peer, data, bytes, r);
}

int ucx_receive(struct ucx_net *net, int peer, void *data, size_t bytes, struct ucx_request *r)
{
	note_message(&net->peers[peer], bytes);
	return post_receive(net, KIND_DATA, peer, data, bytes, r);
}

/* Nothing happened for POLLS polls: yields when that has lasted. There is no deadline here, since
 * only the supervisor knows it, and it ends a wait by ending the process. */
static void be_patient(const struct ucx_net *net, int64_t *idle_since)
{
	int64_t now = clock_now_ns();

	if (*idle_since == 0)
		*idle_since = now;
	if (now - *idle_since < net->patience_ns)
		return;
	*idle_since = 0;
	sched_yield();
}

int ucx_wait(struct ucx_net *net, struct ucx_request *r)
{
	int64_t idle_since = 0;
	ucs_status_t st;
	int idle = 0;

	if (!r->handle)
		return NB_BACKEND_OK;
	while ((st = ucp_request_check_status(r->handle)) == UCS_INPROGRESS) {
		if (ucp_worker_progress(net->worker)) {
			idle = 0;
			idle_since = 0;
		} else if (++idle % POLLS == 0) {
			be_patient(net, &idle_since);
		}
	}
	ucp_request_free(r->handle);
	r->handle = NULL;
	if (st == UCS_OK)
		return NB_BACKEND_OK;
	return ucx_net_fail(net, NB_BACKEND_ERROR, st, "%s rank %d: %s",
			    r->send ? "sending to" : "receiving from", r->peer,
			    ucs_status_string(st));
}

static int exchange(struct ucx_net *net, int kind, int to, const void *out, size_t out_bytes,
		    int from, void *in, size_t in_bytes)
{
	struct ucx_request receive, send;
	int r, second;

	r = post_receive(net, kind, from, in, in_bytes, &receive);
	if (r)
		return r;
	r = post_send(net, kind, to, out, out_bytes, &send);
	if (r)
		return r; /* the worker is replaced: the receive goes down with it */
	r = ucx_wait(net, &send);
	second = ucx_wait(net, &receive);
	return r ? r : second;
}

int ucx_exchange(struct ucx_net *net, int to, const void *out, size_t out_bytes, int from, void *in,
		 size_t in_bytes)
{
	note_message(&net->peers[to], out_bytes);
	note_message(&net->peers[from], in_bytes);
	return exchange(net, KIND_DATA, to, out, out_bytes, from, in, in_bytes);
}

static int member(const struct ucx_group *g, int index)
{
	return g->is_pair ? g->pair[index] : index;
}

/* Dissemination: after round k everybody knows of 2^k others. */
int ucx_barrier(struct ucx_net *net, const struct ucx_group *g)
{
	uint64_t out = 0, in;
	int step, r;

	if (g->me < 0)
		return NB_BACKEND_OK;
	for (step = 1; step < g->n; step *= 2) {
		r = exchange(net, KIND_BARRIER, member(g, (g->me + step) % g->n), &out, sizeof(out),
			     member(g, (g->me - step + g->n) % g->n), &in, sizeof(in));
		if (r)
			return r;
	}
	return NB_BACKEND_OK;
}

int ucx_settle(struct ucx_net *net, const struct ucx_group *g)
{
	struct ucx_request flush = { .peer = net->rank, .send = true };
	int r;

	if (g->me < 0)
		return NB_BACKEND_OK;
	r = ucx_barrier(net, g);
	if (r)
		return r;
	r = posted(net, ucp_worker_flush_nbx(net->worker, &no_options), &flush);
	return r ? r : ucx_wait(net, &flush);
}

/* ------------------------------------------------------------------ life */

static int greet_everyone(struct ucx_net *net)
{
	uint64_t out = 0, in;
	int d, r;

	for (d = 1; d < net->nranks; d++) {
		r = exchange(net, KIND_WIREUP, (net->rank + d) % net->nranks, &out, sizeof(out),
			     (net->rank - d + net->nranks) % net->nranks, &in, sizeof(in));
		if (r)
			return r;
	}
	return NB_BACKEND_OK;
}

int ucx_net_connect(struct ucx_net *net, int rank, int nranks)
{
	const struct ucx_group everyone = { .n = nranks, .me = rank };
	int i, r;

	r = reserve_peers(net, nranks);
	if (r)
		return r;
	net->rank = rank;
	net->nranks = nranks;
	for (i = 0; i < nranks; i++) {
		r = i == rank ? NB_BACKEND_OK : connect_peer(net, i);
		if (r)
			return r;
	}
	choose_patience(net);
	r = greet_everyone(net);
	return r ? r : ucx_settle(net, &everyone);
}

void ucx_net_watch(struct ucx_net *net)
{
	int i;

	for (i = 0; i < net->nranks; i++)
		net->peers[i].least = net->peers[i].most = 0;
}

char *ucx_net_describe(struct ucx_net *net, int peer)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;

	if (!net->peers[peer].ep)
		return NULL;
	f = open_memstream(&text, &len);
	if (!f)
		return NULL;
	ucp_ep_print_info(net->peers[peer].ep, f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* The worker takes its endpoints along. Closing them one by one needs the peers, which are leaving
 * too: whoever is last finds broken connections and says so in red letters. */
void ucx_net_close(struct ucx_net *net)
{
	int i;

	for (i = 0; i < net->cap_peers; i++)
		free(net->peers[i].address);
	free(net->peers);
	if (net->worker)
		ucp_worker_destroy(net->worker);
	if (net->context)
		ucp_cleanup(net->context);
	ucx_net_init(net);
}
