/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces and RDMA devices. Which of them NCCL picks is a judgement (judge_host.c). */
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/file.h"
#include "base/num.h"
#include "doctor/doctor.h"
#include "machine/root.h"

/* Made by container managers and hypervisors: other hosts do not reach them. */
static bool is_bridge(const char *name)
{
	static const char *const prefixes[] = { "docker", "br-",     "veth", "virbr",
						"cni",    "flannel", "cali", "tunl",
						"lxc",    "podman",  "kube" };

	for (size_t i = 0; i < N_ELEMENTS(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int list(const struct doctor *d, const char *rest, struct dirent ***names)
{
	char path[PATH_MAX];
	int n;

	root_path(d->root, rest, path);
	*names = NULL;
	n = scandir(path, names, visible, alphasort);
	return n < 0 ? 0 : n;
}

static void read_interface(struct doctor *d, const char *name)
{
	struct doctor_net *n = &d->net[d->n_nets];
	char rest[160], text[32], path[PATH_MAX];
	int64_t mbps;
	unsigned long flags;

	if (d->n_nets == DOCTOR_NETS_MAX || strlen(name) >= sizeof(n->name))
		return;
	*n = (struct doctor_net){ .mbps = -1, .address = d->recorded, .bridge = is_bridge(name) };
	snprintf(n->name, sizeof(n->name), "%s", name);
	root_clean(n->name);
	snprintf(rest, sizeof(rest), "/sys/class/net/%s/flags", name);
	root_line(d->root, rest, text, sizeof(text));
	flags = strtoul(text, NULL, 0);
	n->up = flags & IFF_UP;
	n->loopback = flags & IFF_LOOPBACK || strcmp(name, "lo") == 0;
	snprintf(rest, sizeof(rest), "/sys/class/net/%s/operstate", name);
	root_line(d->root, rest, text, sizeof(text));
	n->up = n->up && strcmp(text, "down") != 0;
	snprintf(rest, sizeof(rest), "/sys/class/net/%s/speed", name);
	root_line(d->root, rest, text, sizeof(text));
	n->mbps = num_parse_i64(text, 1, 10000000, &mbps) == 0 ? (int)mbps : -1;
	snprintf(rest, sizeof(rest), "/sys/class/net/%s/device", name);
	root_path(d->root, rest, path);
	n->physical = file_exists(path);
	d->n_nets++;
}

static void read_addresses(struct doctor *d)
{
	struct ifaddrs *all = NULL;

	if (d->recorded || getifaddrs(&all) != 0)
		return;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		for (int i = 0; i < d->n_nets; i++)
			if (a->ifa_addr && strcmp(a->ifa_name, d->net[i].name) == 0 &&
			    (a->ifa_addr->sa_family == AF_INET ||
			     a->ifa_addr->sa_family == AF_INET6))
				d->net[i].address = true;
	freeifaddrs(all);
}

static void read_port(struct doctor *d, const char *name)
{
	struct doctor_rdma *r = &d->rdma[d->n_rdma];
	const struct {
		const char *file;
		char *out;
		size_t max;
	} parts[] = {
		{ "state", r->state, sizeof(r->state) },
		{ "link_layer", r->link_layer, sizeof(r->link_layer) },
		{ "rate", r->rate, sizeof(r->rate) },
	};
	char rest[160];

	if (d->n_rdma == DOCTOR_NETS_MAX || strlen(name) >= sizeof(r->name))
		return;
	snprintf(r->name, sizeof(r->name), "%s", name);
	root_clean(r->name);
	for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
		snprintf(rest, sizeof(rest), "/sys/class/infiniband/%s/ports/1/%s", name,
			 parts[i].file);
		root_line(d->root, rest, parts[i].out, parts[i].max);
	}
	d->n_rdma++;
}

void doctor_read_net(struct doctor *d)
{
	struct dirent **names;
	int n = list(d, "/sys/class/net", &names);

	for (int i = 0; i < n; i++) {
		read_interface(d, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	read_addresses(d);
	n = list(d, "/sys/class/infiniband", &names);
	for (int i = 0; i < n; i++) {
		read_port(d, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}
