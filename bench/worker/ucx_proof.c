/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/ucx_lanes.h"
#include "worker/ucx_proof.h"

struct judge {
	struct ucx_proof *out;
	char wanted[32];
	char data[64], control[64]; /* transports seen so far, lists */
	bool unknown, refuted;
};

static void append_names(char *list, size_t max, const char *names, const char *except)
{
	size_t len, used;
	const char *p;

	for (p = names; *p; p += len + (p[len] == ',')) {
		char one[64];

		len = strcspn(p, ",");
		snprintf(one, sizeof(one), "%.*s", (int)len, p);
		used = strlen(list);
		if (ucx_lanes_has(list, one) || ucx_lanes_has(except, one) || used + len + 2 > max)
			continue;
		snprintf(list + used, max - used, "%s%s", used ? "," : "", one);
	}
}

static void explain(struct judge *j, int peer, uint64_t bytes, const struct ucx_lanes *lanes)
{
	if (j->out->detail[0])
		return;
	if (!lanes->data[0])
		snprintf(j->out->detail, sizeof(j->out->detail),
			 "UCX does not say which lane carries %" PRIu64 " B to rank %d (lanes %s)",
			 bytes, peer, lanes->all);
	else
		snprintf(j->out->detail, sizeof(j->out->detail),
			 "%" PRIu64 " B to or from rank %d go through %s (%s), not %s", bytes, peer,
			 lanes->data, lanes->how, j->wanted);
}

static void judge_size(struct judge *j, int peer, const char *text, uint64_t bytes)
{
	struct ucx_lanes lanes = { 0 };

	if (!text || ucx_lanes_parse(text, bytes, &lanes) || !lanes.data[0]) {
		j->unknown = true;
		explain(j, peer, bytes, &lanes);
		return;
	}
	append_names(j->data, sizeof(j->data), lanes.data, "");
	append_names(j->control, sizeof(j->control), lanes.control, "");
	if (j->out->channels < 0 || lanes.n_data < j->out->channels)
		j->out->channels = lanes.n_data;
	if (!j->wanted[0] || ucx_lanes_match(lanes.data, j->wanted))
		return;
	j->refuted = true;
	explain(j, peer, bytes, &lanes);
}

static void judge_peer(struct judge *j, struct ucx_net *net, int rank)
{
	const struct ucx_peer *peer = &net->peers[rank];
	char *text = ucx_net_describe(net, rank);

	judge_size(j, rank, text, peer->most);
	if (peer->least != peer->most)
		judge_size(j, rank, text, peer->least);
	free(text);
}

static void describe_used(const struct judge *j)
{
	char control[64] = "";

	append_names(control, sizeof(control), j->control, j->data);
	snprintf(j->out->used, sizeof(j->out->used), "%s%s%s%s", j->data,
		 control[0] ? " (control: " : "", control, control[0] ? ")" : "");
}

void ucx_proof_judge(struct ucx_net *net, const char *ucx_tls, struct ucx_proof *out)
{
	struct judge j = { .out = out };
	int i;

	*out = (struct ucx_proof){ .verdict = "yes", .channels = -1 };
	ucx_lanes_wanted(ucx_tls, j.wanted, sizeof(j.wanted));
	for (i = 0; i < net->nranks; i++) {
		if (i == net->rank || !net->peers[i].most)
			continue;
		out->peers++;
		judge_peer(&j, net, i);
	}
	describe_used(&j);
	if (j.refuted)
		out->verdict = "no";
	else if (j.unknown)
		out->verdict = "unknown";
	/* A rank that takes no part refutes nothing; a run of one rank proves nothing. */
	if (net->nranks == 1) {
		out->verdict = "unknown";
		snprintf(out->detail, sizeof(out->detail), "one rank alone uses no transport");
	}
}

static void lanes_of(struct ucx_net *net, int peer, char *out, size_t max)
{
	struct ucx_lanes lanes = { 0 };
	char *text = ucx_net_describe(net, peer);

	if (text && ucx_lanes_parse(text, 1, &lanes) == 0)
		snprintf(out, max, "%s", lanes.all);
	else
		snprintf(out, max, "unknown");
	free(text);
}

void ucx_proof_lanes(struct ucx_net *net, char *out, size_t max)
{
	char first[sizeof(((struct ucx_lanes *)0)->all)] = "", one[sizeof(first)];
	size_t used = 0;
	bool differ = false;
	int i, n;

	out[0] = '\0';
	for (i = 0; i < net->nranks; i++) {
		if (i == net->rank)
			continue;
		lanes_of(net, i, one, sizeof(one));
		if (!first[0])
			snprintf(first, sizeof(first), "%s", one);
		differ |= strcmp(first, one) != 0;
		n = snprintf(out + used, max - used, "%s%d:%s", used ? " " : "", i, one);
		if (n < 0 || (size_t)n >= max - used)
			break; /* cut: the first peers say enough */
		used += (size_t)n;
	}
	if (!differ)
		snprintf(out, max, "%s", first);
}
