/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about versions, interfaces, P2P and networks: a table of them, each on its own. */
#include <stdlib.h>
#include <string.h>

#include "explain/variable.h"
#include "explain/findings.h"

/* ---- versions ---- */

static void show_version(struct finding *out, const struct fact_proc *p)
{
	struct buf b = { 0 };

	buf_printf(&b, "NCCL %s, CUDA %s, driver %d on %s", p->version, p->cuda[0] ? p->cuda : "?",
		   p->driver, p->host);
	finding_evidence(out, p->first, buf_text(&b));
	buf_fini(&b);
}

static void ask_versions(const struct facts *f, struct findings *fs)
{
	const struct fact_proc *a = NULL;
	bool complete = true;

	for (size_t i = 0; i < f->n_procs; i++) {
		const struct fact_proc *p = &f->procs[i];
		struct finding *out;

		complete &= p->complete;
		if (!p->version[0])
			continue;
		if (!a) {
			a = p;
			continue;
		}
		if (strcmp(a->version, p->version) == 0 || findings_find(fs, RULE_VERSION_MISMATCH))
			continue;
		out = findings_add(fs, RULE_VERSION_MISMATCH);
		if (!out)
			return;
		out->severity = complete ? SEVERITY_WARNING : SEVERITY_ERROR;
		buf_printf(&out->text, "the ranks run different NCCL versions: %s and %s",
			   a->version, p->version);
		show_version(out, a);
		show_version(out, p);
	}
	if (f->other_version[0] && !findings_find(fs, RULE_VERSION_MISMATCH)) {
		struct finding *out = findings_add(fs, RULE_VERSION_MISMATCH);

		if (!out)
			return;
		buf_printf(&out->text,
			   "processes of different NCCL versions wrote this log (one is %s)",
			   f->other_version);
		out->confidence = "likely";
		finding_evidence(out, f->other_version_at, f->other_version);
	}
}

static void ask_builds(const struct facts *f, struct findings *fs)
{
	const struct fact_proc *a = NULL;
	struct finding *out;

	for (size_t i = 0; i < f->n_procs; i++) {
		const struct fact_proc *p = &f->procs[i];

		if (!p->cuda[0] || !p->driver)
			continue;
		if (!a)
			a = p;
		if (strcmp(a->cuda, p->cuda) == 0 && a->driver == p->driver)
			continue;
		out = findings_add(fs, RULE_BUILDS_DIFFER);
		if (!out)
			return;
		buf_printf(&out->text,
			   "ranks differ in CUDA or driver: NCCL for CUDA %s with driver for CUDA "
			   "%d.%d, and %s with %d.%d",
			   a->cuda, a->driver / 1000, a->driver % 1000 / 10, p->cuda,
			   p->driver / 1000, p->driver % 1000 / 10);
		show_version(out, a);
		show_version(out, p);
		return;
	}
}

static void ask_driver(const struct facts *f, struct findings *fs)
{
	for (size_t i = 0; i < f->n_procs; i++) {
		const struct fact_proc *p = &f->procs[i];
		struct finding *out;

		if (!p->driver || !p->cuda[0] || atoi(p->cuda) <= p->driver / 1000)
			continue;
		out = findings_add(fs, RULE_DRIVER_MAYBE_OLD);
		if (!out)
			return;
		buf_printf(&out->text,
			   "the driver serves CUDA %d.%d, but this NCCL was built for CUDA %s",
			   p->driver / 1000, p->driver % 1000 / 10, p->cuda);
		show_version(out, p);
		return;
	}
}

/* ---- links ---- */

static size_t count_links(const struct facts *f, const char *cls, const char *word)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_comms; i++)
		for (size_t k = 0; k < f->comms[i].n_links; k++) {
			const struct scan_link *l = &f->comms[i].links[k];

			n += strncmp(l->cls, cls, strlen(cls)) == 0 &&
			     (!word || strstr(l->variant, word));
		}
	return n;
}

static bool is_on(const struct facts *f, const char *name)
{
	const struct fact_setting *s = facts_setting(f, name);

	return s && s->logged && strtoll(s->value, NULL, 0) != 0;
}

/* Each host has one rank: P2P would have nothing to do. */
static bool one_rank_per_host(const struct facts *f)
{
	bool any = false;

	for (size_t i = 0; i < f->n_comms; i++) {
		const struct fact_comm *c = &f->comms[i];

		if (c->nranks > 1 && !(c->nnodes == c->nranks && !c->one_host))
			return false;
		any |= c->nranks > 1;
	}
	return any;
}

static void ask_p2p(const struct facts *f, struct findings *fs)
{
	const struct fact_setting *level = facts_setting(f, "NCCL_P2P_LEVEL");
	const struct fact_setting *off =
	    facts_is(f, "NCCL_P2P_DISABLE", "1") ? facts_setting(f, "NCCL_P2P_DISABLE") : NULL;
	struct finding *out;

	if (!off && level && level->logged &&
	    (strcmp(level->value, "LOC") == 0 || strcmp(level->value, "0") == 0))
		off = level;
	if (!off || count_links(f, "P2P", NULL) || one_rank_per_host(f))
		return;
	out = findings_add(fs, RULE_P2P_OFF_ENV);
	if (!out)
		return;
	buf_printf(&out->text, "P2P is switched off by %s=%s", off->name, off->value);
	if (count_links(f, "SHM", NULL))
		buf_puts(&out->text, "; GPUs talk through host memory (SHM)");
	else if (count_links(f, "NET/", NULL))
		buf_puts(&out->text, "; GPUs talk over the network, even inside the host");
	buf_printf(&out->remedy,
		   "unset %s             # in scripts, ~/.nccl.conf and /etc/nccl.conf\n"
		   "nvidia-smi topo -p2p rw             # can these GPUs do it?",
		   off->name);
	finding_setting(out, off);
}

/* Same host name, yet NCCL counts several nodes. */
static void ask_split_host(const struct facts *f, struct findings *fs)
{
	bool forced = facts_is(f, "NCCL_P2P_DISABLE", "1") && facts_is(f, "NCCL_SHM_DISABLE", "1");

	for (size_t i = 0; i < f->n_comms; i++) {
		const struct fact_comm *c = &f->comms[i];
		struct finding *out;

		if (!c->one_host || c->nnodes < 2 || c->n_started < c->nranks || c->gone)
			continue;
		if (forced || facts_setting(f, "NCCL_HOSTID"))
			return; /* it was asked for */
		out = findings_add(fs, RULE_SPLIT_HOST);
		if (!out)
			return;
		buf_printf(&out->text,
			   "all %d ranks run on host %s, but NCCL counts %d nodes: they do not see "
			   "that they share it",
			   c->nranks, f->procs[c->first_proc].host, c->nnodes);
		finding_evidence(out, c->at, "this communicator");
		return;
	}
}

/* ---- interfaces ---- */

/* By its name; or, on several hosts, by the addresses that Docker and libvirt give by themselves.
 */
static bool is_bridge(const struct fact_device *d, bool several_hosts)
{
	static const char *const names[] = { "docker",  "br-",           "virbr", "cni",
					     "flannel", "cali",          "lxc",   "podman",
					     "vmnet",   "tailscale",     "zt",    "tunl",
					     "ip6tnl",  "tun",           "tap",   "wg",
					     "sit",     "CloudflareWARP" };

	for (size_t i = 0; i < N_ELEMENTS(names); i++)
		if (strncmp(d->name, names[i], strlen(names[i])) == 0)
			return true;
	/* "vethe9ac691" is the host's end of a container's cable, "veth0" may be the container's */
	if (strncmp(d->name, "veth", 4) == 0 && strlen(d->name) > 6)
		return true;
	return several_hosts && (strncmp(d->address, "172.17.0.", 9) == 0 ||
				 strncmp(d->address, "192.168.122.", 12) == 0);
}

static void show_device(struct finding *out, const struct fact_device *d)
{
	struct buf b = { 0 };

	buf_printf(&b, "Using %s:%s", d->name, d->address);
	finding_evidence(out, d->at, buf_text(&b));
	buf_fini(&b);
}

static void interface_finding(struct findings *fs, enum rule_id rule, const struct fact_device *d)
{
	struct finding *out = findings_find(fs, rule);

	if (!out) {
		out = findings_add(fs, rule);
		if (!out)
			return;
		buf_printf(&out->text, "%s: %s (%s)", rule_table[rule].cause, d->name, d->address);
		/* one host reaches itself by any address */
		if (rule == RULE_INTERFACE_BRIDGE && !fs->several_hosts && !fs->connect_trouble)
			out->severity = SEVERITY_INFO;
	}
	show_device(out, d);
}

static bool is_loopback(const struct fact_device *d)
{
	return strcmp(d->name, "lo") == 0 || strncmp(d->address, "127.", 4) == 0;
}

static void ask_interfaces(const struct facts *f, struct findings *fs)
{
	for (int i = 0; i < f->n_boots + f->n_sockets; i++) {
		const struct fact_device *d =
		    i < f->n_boots ? &f->boots[i] : &f->sockets[i - f->n_boots];

		if (is_bridge(d, fs->several_hosts))
			interface_finding(fs, RULE_INTERFACE_BRIDGE, d);
		if (fs->several_hosts && is_loopback(d))
			interface_finding(fs, RULE_INTERFACE_LOOPBACK, d);
	}
}

/* "Using [0]lo:127.0.0.1<0> [1]eth0:...": whoever lists both means to reach other hosts. */
static void ask_loopback_too(const struct facts *f, struct findings *fs)
{
	for (int i = 1; i < f->n_sockets && !fs->several_hosts; i++) {
		struct finding *out;

		if (!is_loopback(&f->sockets[0]) || is_loopback(&f->sockets[i]) ||
		    f->sockets[i].at.line != f->sockets[0].at.line)
			continue;
		out = findings_add(fs, RULE_INTERFACE_LOOPBACK);
		if (!out)
			return;
		out->severity = SEVERITY_WARNING;
		out->confidence = "possible";
		buf_printf(
		    &out->text,
		    "NCCL uses the loopback interface beside %s: with ranks on several hosts "
		    "they cannot find each other",
		    f->sockets[i].name);
		show_device(out, &f->sockets[0]);
		return;
	}
}

/* An address of no family although an interface was named and none was found: since 2.24 NCCL may
 * go on with an empty list. */
static void ask_no_interface(const struct facts *f, struct findings *fs)
{
	const struct fact_setting *s = facts_setting(f, "NCCL_SOCKET_IFNAME");
	struct finding *family = findings_find(fs, RULE_SOCKET_FAMILY), *out;

	if (!family || !s || !s->logged || f->n_boots || f->n_sockets ||
	    findings_find(fs, RULE_NO_INTERFACE))
		return;
	out = findings_add(fs, RULE_NO_INTERFACE);
	if (!out)
		return;
	out->confidence = "likely";
	buf_printf(&out->text, "%s (NCCL_SOCKET_IFNAME=%s)", rule_table[RULE_NO_INTERFACE].cause,
		   s->value);
	finding_setting(out, s);
	family = findings_find(fs, RULE_SOCKET_FAMILY); /* the list may have moved */
	family->weight = 4;
}

static void ask_many_interfaces(const struct facts *f, struct findings *fs)
{
	for (int i = 1; i < f->n_sockets && fs->several_hosts; i++) {
		struct finding *out;

		if (strcmp(f->sockets[i].name, f->sockets[0].name) == 0 ||
		    f->sockets[i].at.line != f->sockets[0].at.line)
			continue;
		out = findings_add(fs, RULE_INTERFACE_MANY);
		if (!out)
			return;
		buf_printf(&out->text, "NCCL uses several network interfaces at once: %s, %s",
			   f->sockets[0].name, f->sockets[i].name);
		if (fs->connect_trouble)
			out->severity = SEVERITY_WARNING;
		show_device(out, &f->sockets[0]);
		return;
	}
}

static void ask_networks_differ(const struct facts *f, struct findings *fs)
{
	for (int i = 1; i < f->n_boots && fs->several_hosts; i++) {
		const struct fact_device *a = &f->boots[0], *b = &f->boots[i];
		const char *dot = strchr(a->address, '.'),
			   *second = dot ? strchr(dot + 1, '.') : NULL;
		struct finding *out;

		if (!second || strcmp(a->host, b->host) == 0 ||
		    strncmp(a->address, b->address, (size_t)(second + 1 - a->address)) == 0)
			continue;
		out = findings_add(fs, RULE_INTERFACES_DIFFER);
		if (!out)
			return;
		buf_printf(
		    &out->text,
		    "ranks use addresses of different networks: %s (%s) on %s, %s (%s) on %s",
		    a->name, a->address, a->host, b->name, b->address, b->host);
		if (fs->connect_trouble)
			out->severity = SEVERITY_WARNING;
		show_device(out, a);
		show_device(out, b);
		return;
	}
}

/* ---- RDMA ---- */

static void ask_ib(const struct facts *f, struct findings *fs)
{
	/* before 2.5 no line names the network that was assigned */
	bool tcp = count_links(f, "NET/Socket", NULL) || strcmp(f->network, "Socket") == 0 ||
		   (!f->network[0] && f->n_sockets && !f->n_hcas);
	const struct fact_setting *hca = facts_setting(f, "NCCL_IB_HCA"),
				  *off = facts_setting(f, "NCCL_IB_DISABLE");
	struct finding *out;

	if (!fs->several_hosts || !tcp)
		return;
	if (is_on(f, "NCCL_IB_DISABLE") && off) {
		out = findings_add(fs, RULE_IB_DISABLED);
		if (out)
			finding_setting(out, off);
	} else if (f->ib_none.line || f->n_hcas) {
		out = findings_add(fs, RULE_IB_NO_DEVICE);
		if (!out)
			return;
		if (!hca && !f->n_hcas)
			out->severity = SEVERITY_INFO;
		if (!hca && !f->n_hcas)
			buf_puts(&out->text,
				 "NCCL found no RDMA device, so hosts talk over TCP sockets");
		finding_evidence(out, f->ib_none, "NET/IB : No device found.");
		if (f->n_hcas)
			show_device(out, &f->hcas[0]);
	}
}

static void ask_gdr(const struct facts *f, struct findings *fs)
{
	size_t ib = count_links(f, "NET/IB", NULL);
	struct finding *out;

	if (!ib || count_links(f, "NET/IB", "GDRDMA") || findings_find(fs, RULE_GDR_OFF))
		return;
	out = findings_add(fs, RULE_GDR_OFF);
	if (!out)
		return;
	buf_puts(&out->text, "InfiniBand/RoCE is used without GPUDirect RDMA");
	if (facts_setting(f, "NCCL_NET_GDR_LEVEL"))
		buf_printf(&out->text, " (NCCL_NET_GDR_LEVEL=%s)",
			   facts_setting(f, "NCCL_NET_GDR_LEVEL")->value);
	for (size_t i = 0; i < f->n_comms; i++)
		if (f->comms[i].n_links) {
			finding_evidence(out, f->comms[i].at,
					 "no link of this communicator says GDRDMA");
			break;
		}
}

void ask_machine(const struct facts *f, struct findings *fs)
{
	static void (*const questions[])(const struct facts *, struct findings *) = {
		ask_versions,        ask_builds,          ask_driver,       ask_p2p,
		ask_split_host,      ask_interfaces,      ask_loopback_too, ask_no_interface,
		ask_many_interfaces, ask_networks_differ, ask_ib,           ask_gdr,
	};

	for (size_t i = 0; i < N_ELEMENTS(questions); i++)
		questions[i](f, fs);
}
