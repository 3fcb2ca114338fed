/* SPDX-License-Identifier: Apache-2.0 */
#include "run/reason.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "ncclog/scan.h"
#include "run/facts.h"
#include "run/fault.h"
#include "spec/outcome.h"
#include "spec/transport.h"

/* ---- before: one row per reason, first match speaks ---- */

struct before {
	unsigned flag; /* of the transport; 0 = any */
	bool (*applies)(const struct transport *t, const struct reason_context *x, char *why,
			size_t max);
};

static bool vetoed(const struct transport *t, const struct reason_context *x, char *why, size_t max)
{
	snprintf(why, max, "NCCL_NVLS_ENABLE=0 is set");
	return x->veto;
}

static bool several_hosts(const struct transport *t, const struct reason_context *x, char *why,
			  size_t max)
{
	snprintf(why, max, "different hosts");
	return x->n_hosts > 1;
}

static bool no_ib(const struct transport *t, const struct reason_context *x, char *why, size_t max)
{
	snprintf(why, max, "no InfiniBand or RoCE device in /sys/class/infiniband");
	return x->ib_devices == 0;
}

static bool shared_gpu(const struct transport *t, const struct reason_context *x, char *why,
		       size_t max)
{
	snprintf(why, max,
		 "ranks share a GPU: NCCL takes one rank per GPU and host; only network transports "
		 "can be faked apart");
	return x->shared_gpu && t->backend == BACKEND_NCCL && !(t->flags & TRANSPORT_SHARES_GPU);
}

static bool pair_refused(const struct facts *f, int a, int b, char *why, size_t max)
{
	char key[64], cuda[16], nvml[64], name[80];
	int da = facts_device(f, a), db = facts_device(f, b);
	bool no_cuda, no_nvml;

	snprintf(key, sizeof(key), "p2p.%d.%d", da, db);
	no_cuda = facts_get(f, a, key, cuda, sizeof(cuda)) && strcmp(cuda, "no") == 0;
	snprintf(key, sizeof(key), "nvml_p2p.%d.%d", da, db);
	no_nvml = facts_get(f, a, key, nvml, sizeof(nvml)) && strcmp(nvml, "ok") != 0 &&
		  strcmp(nvml, "unknown") != 0;
	if (!no_cuda && !no_nvml)
		return false;
	facts_gpu(f, a, "name", name, sizeof(name));
	snprintf(why, max, "no P2P between GPU %d and GPU %d: CUDA says %s, NVML \"%s\"%s", da, db,
		 no_cuda ? "no" : "yes", nvml[0] ? nvml : "unknown",
		 strstr(name, "RTX 40") || strstr(name, "RTX 50")
		     ? "; usual for GeForce RTX 40 and 50"
		     : "");
	return true;
}

static bool no_p2p(const struct transport *t, const struct reason_context *x, char *why, size_t max)
{
	for (int a = 0; a < x->nranks; a++)
		for (int b = 0; b < x->nranks; b++)
			if (a != b && facts_same_host(x->facts, a, b) &&
			    pair_refused(x->facts, a, b, why, max))
				return true;
	return false;
}

static const struct before before_table[] = {
	{ TRANSPORT_MULTICAST, vetoed }, { TRANSPORT_ONE_HOST, several_hosts },
	{ TRANSPORT_NEEDS_IB, no_ib },   { 0, shared_gpu },
	{ TRANSPORT_NEEDS_P2P, no_p2p },
};

bool reason_before(int transport, const struct reason_context *x, char *why, size_t max)
{
	const struct transport *t = &transport_table[transport];

	for (size_t i = 0; i < N_ELEMENTS(before_table); i++) {
		if (before_table[i].flag && !(t->flags & before_table[i].flag))
			continue;
		if (before_table[i].applies(t, x, why, max))
			return true;
	}
	why[0] = '\0';
	return false;
}

/* ---- after: NCCL's words that mean "this machine cannot", not "this is broken" ---- */

struct after {
	const char *words; /* in the first WARN or the fault's text */
	unsigned flag;     /* only for transports with it; 0 = any forced */
	const char *text;  /* what to say */
	bool any;          /* of any transport, forced or not: somebody asked for an algorithm */
};

static const struct after after_table[] = {
	{ "No transport found", 0, "NCCL found no such way between the ranks" },
	{ "Failed to initialize any NET plugin", TRANSPORT_NETWORK,
	  "NCCL found no device of that network" },
	{ "Error: network", TRANSPORT_NETWORK, "NCCL found no device of that network" },
	{ "no socket interface found", TRANSPORT_NETWORK,
	  "no network interface matches NCCL_SOCKET_IFNAME" },
	{ "peer access is not supported", TRANSPORT_NEEDS_P2P, "the driver refuses peer access" },
	{ "no algorithm/protocol available", 0,
	  "NCCL has no algorithm or protocol left for this operation", true },
	{ "No algorithm/protocol available", 0,
	  "NCCL has no algorithm or protocol left for this operation", true },
};

static void append(char *text, size_t max, const char *label, const char *more)
{
	size_t n = strlen(text);

	if (more[0] && !strstr(text, more))
		snprintf(text + n, max - n, "%s%s%s", n ? "; " : "", label, more);
}

static const struct after *find_after(const struct transport *t, const char *warn, const char *text)
{
	for (size_t i = 0; i < N_ELEMENTS(after_table); i++) {
		const struct after *a = &after_table[i];

		if ((a->flag && !(t->flags & a->flag)) || !(a->any || t->flags & TRANSPORT_FORCED))
			continue;
		if (strstr(warn, a->words) || strstr(text, a->words))
			return a;
	}
	return NULL;
}

void reason_after(int transport, const struct scan *s, struct fault *f)
{
	const struct transport *t = &transport_table[transport];
	const char *warn = s ? s->first_warn : "", *refused = s ? s->p2p_refused : "";
	const struct after *a;

	if (!fault_is(f))
		return;
	a = f->outcome == OUTCOME_ERROR ? find_after(t, warn, f->detail) : NULL;
	if (a) {
		f->outcome = OUTCOME_UNAVAILABLE;
		snprintf(f->detail, sizeof(f->detail), "%s", a->text);
	}
	if (f->outcome == OUTCOME_ABORTED)
		return;
	append(f->detail, sizeof(f->detail), "NCCL warned: ", warn);
	if (t->flags & TRANSPORT_NEEDS_P2P)
		append(f->detail, sizeof(f->detail), "", refused);
}
