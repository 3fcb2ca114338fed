/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of the host: buses, limits, containers, networks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "doctor/check.h"

#define MIB (1024.0 * 1024)
/* The three protocols' buffers of one channel and direction (4 + 0.5 + 4.69 MiB), in /dev/shm. */
#define SHM_CHANNEL_MIB 9.2
enum { SHM_CHANNELS = 4, NOFILE_GOOD = 65536, NOFILE_POOR = 4096 };

/* Does P2P between some GPUs go over PCIe? Only then do IOMMU and ACS matter. */
static bool over_pcie(const struct doctor *d)
{
	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j && d->pair[i][j].links <= 0 && d->pair[i][j].cuda != ANSWER_NO)
				return true;
	return false;
}

static bool proven(const struct doctor *d)
{
	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j && d->pair[i][j].fact != P2P_OK &&
			    d->pair[i][j].fact != P2P_REFUSED)
				return false;
	return d->n_gpus > 1;
}

void judge_iommu(const struct doctor *d, struct judgements *v)
{
	const char *type = "";

	for (int i = 0; i < d->n_gpus && (!type[0] || strcmp(type, "identity") == 0); i++)
		type = d->gpu[i].iommu;
	if (!d->iommu_on)
		judgement_add(v, d->vm[0] ? LEVEL_INFO : LEVEL_OK, NULL, "no IOMMU is active%s",
			      d->vm[0] ? " inside this virtual machine" : "");
	else if (strcmp(type, "identity") == 0)
		judgement_add(v, LEVEL_OK, NULL,
			      "an IOMMU is active in passthrough: addresses are not translated");
	else if (strncmp(type, "DMA", 3) == 0)
		judgement_add(v, over_pcie(d) && !proven(d) ? LEVEL_WARNING : LEVEL_INFO,
			      over_pcie(d) ? "# kernel command line (or switch VT-d/AMD-Vi off in "
					     "the BIOS), then reboot:\n"
					     "iommu=pt                      # amd_iommu=off or "
					     "intel_iommu=off if that is not enough\n"
					     "# until then: export NCCL_P2P_DISABLE=1"
					   : NULL,
			      "the IOMMU translates the GPUs' addresses (%s): P2P over PCIe may "
			      "hang or corrupt without a word%s",
			      type, proven(d) ? "; copies arrived here" : "");
	else
		judgement_add(v, d->n_gpus ? LEVEL_UNKNOWN : LEVEL_INFO, NULL,
			      "an IOMMU is active; the mode of the GPUs is not readable");
}

void judge_acs(const struct doctor *d, struct judgements *v)
{
	struct buf on = { 0 }, remedy = { 0 };
	int yes = 0, unknown = 0;

	for (int i = 0; i < d->n_bridges; i++) {
		unknown += d->bridge[i].redirects == ANSWER_UNKNOWN;
		if (d->bridge[i].redirects != ANSWER_YES)
			continue;
		buf_printf(&on, "%s%s", yes ? " " : "", d->bridge[i].bus);
		buf_printf(&remedy, "setpci -v -s %s ECAP_ACS+0x6.w=0000\n", d->bridge[i].bus);
		yes++;
	}
	buf_puts(&remedy,
		 "# not inside a virtual machine; lost at reboot: the BIOS has a switch, too");
	if (yes)
		judgement_add(v, over_pcie(d) ? LEVEL_WARNING : LEVEL_INFO,
			      over_pcie(d) ? buf_text(&remedy) : NULL,
			      "ACS sends peer traffic through the CPU at %d bridge%s (%s): P2P "
			      "over PCIe is slow, or hangs with the IOMMU",
			      yes, yes == 1 ? "" : "s", buf_text(&on));
	else if (unknown)
		judgement_add(
		    v, over_pcie(d) ? LEVEL_UNKNOWN : LEVEL_INFO,
		    over_pcie(d) ? "sudo ncclbench doctor         # reads it" : NULL,
		    "the ACS bits of %d bridge%s above the GPUs are readable by root only", unknown,
		    unknown == 1 ? "" : "s");
	else
		judgement_add(v, d->n_gpus ? LEVEL_OK : LEVEL_INFO, NULL, "%s",
			      d->n_bridges ? "no bridge above the GPUs redirects peer traffic"
					   : "no bridge above GPUs is seen");
	buf_fini(&on);
	buf_fini(&remedy);
}

static bool needs_shm(const struct doctor *d)
{
	const char *why;

	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			if (i != j && doctor_nccl_p2p(d, i, j, &why) != ANSWER_YES)
				return true;
	return false;
}

static bool cumem_host(const struct doctor *d)
{
	int a = 0, b = 0;

	return doctor_nccl_version(d, NULL) >= 22400 &&
	       sscanf(d->cuda_driver, "%d.%d", &a, &b) == 2 && a * 100 + b >= 1206;
}

/* Room does not help who may not use it. TABLE: why no file could be made there. */
static void shm_not_writable(const struct doctor *d, struct judgements *v)
{
	static const struct {
		int error;
		const char *remedy;
	} ways[] = {
		{ EACCES, "chmod 1777 /dev/shm  # as root; or run as a user who may write there" },
		{ EPERM, "chmod 1777 /dev/shm  # as root; or run as a user who may write there" },
		{ EROFS,
		  "mount -o remount,rw /dev/shm  # as root; in a container: mount it without ro" },
		{ ENOSPC, "ls -l /dev/shm  # files that nobody uses any more take the room" },
		{ EDQUOT, "ls -l /dev/shm  # files that nobody uses any more take the room" },
	};
	const char *remedy = "ls -ld /dev/shm";

	for (size_t i = 0; i < N_ELEMENTS(ways); i++)
		if (ways[i].error == d->shm_error)
			remedy = ways[i].remedy;
	judgement_add(v, needs_shm(d) && d->n_gpus > 1 ? LEVEL_ERROR : LEVEL_WARNING, remedy,
		      "this user cannot make a file in /dev/shm: %s; NCCL's SHM transport needs it",
		      strerror(d->shm_error));
}

void judge_shm(const struct doctor *d, struct judgements *v)
{
	int ranks = d->n_gpus > 2 ? d->n_gpus : 2;
	double need = ranks * SHM_CHANNELS * SHM_CHANNEL_MIB * MIB,
	       have = (double)d->host.shm_bytes;
	const char *remedy = d->container[0]
				 ? "docker run --shm-size=1g ...  # or --ipc=host; Kubernetes: an "
				   "emptyDir of medium Memory at /dev/shm"
				 : "mount -o remount,size=4G /dev/shm";

	if (d->host.shm_bytes < 0) {
		judgement_add(v, LEVEL_WARNING, "mount -t tmpfs shm /dev/shm",
			      "/dev/shm is not mounted, or its size is not known");
		return;
	}
	if (d->shm_error) {
		shm_not_writable(d, v);
		return;
	}
	if (have >= need && (double)d->host.shm_free_bytes >= need)
		judgement_add(v, LEVEL_OK, NULL,
			      "/dev/shm has %.0f MiB, %.0f free; %d ranks may take about %.0f",
			      have / MIB, (double)d->host.shm_free_bytes / MIB, ranks, need / MIB);
	else if (cumem_host(d) && !d->container[0])
		judgement_add(v, LEVEL_INFO, remedy,
			      "/dev/shm has %.0f MiB free of %.0f, less than %d ranks may take "
			      "(%.0f); this NCCL can use cuMem "
			      "host memory instead",
			      (double)d->host.shm_free_bytes / MIB, have / MIB, ranks, need / MIB);
	else
		judgement_add(v, needs_shm(d) && d->n_gpus > 1 ? LEVEL_ERROR : LEVEL_WARNING,
			      remedy,
			      "/dev/shm has %.0f MiB free of %.0f; %d ranks may take about %.0f: "
			      "NCCL stops with \"No space left on device\" or a bus error",
			      (double)d->host.shm_free_bytes / MIB, have / MIB, ranks, need / MIB);
}

void judge_memlock(const struct doctor *d, struct judgements *v)
{
	enum level bad = d->n_rdma ? LEVEL_WARNING : LEVEL_INFO;
	char size[32];

	if (d->memlock < 0)
		judgement_add(v, LEVEL_UNKNOWN, NULL, "the limit of locked memory is not known");
	else if (d->memlock == INT64_MAX)
		judgement_add(v, LEVEL_OK, NULL, "locked memory is unlimited");
	else {
		num_format_size((uint64_t)d->memlock, size, sizeof(size));
		judgement_add(v, bad,
			      d->n_rdma ? "ulimit -l unlimited           # docker run --ulimit "
					  "memlock=-1; systemd: LimitMEMLOCK=infinity"
					: NULL,
			      "locked memory is limited to %s%s", size,
			      d->n_rdma ? ": registering memory for RDMA will fail"
					: "; it matters for RDMA only, and there is none");
	}
}

void judge_nofile(const struct doctor *d, struct judgements *v)
{
	if (d->nofile < 0)
		judgement_add(v, LEVEL_UNKNOWN, NULL, "the limit of open files is not known");
	else if (d->nofile >= NOFILE_GOOD)
		judgement_add(v, LEVEL_OK, NULL, "many files may be open");
	else
		judgement_add(
		    v, d->nofile < NOFILE_POOR && d->n_gpus > 4 ? LEVEL_WARNING : LEVEL_INFO,
		    "ulimit -n 65536",
		    "%lld files may be open; large jobs (sockets to many ranks) need more",
		    (long long)d->nofile);
}

void judge_cpus(const struct doctor *d, struct judgements *v)
{
	int n = d->cpus_allowed;

	if (n < 0)
		judgement_add(v, LEVEL_UNKNOWN, NULL, "which CPUs may be used is not known");
	else if (n == 1 && d->host.cpus_online > 1)
		judgement_add(v, LEVEL_WARNING,
			      "mpirun --bind-to none ...     # taskset, srun --cpus-per-task, "
			      "docker --cpuset-cpus",
			      "this process may use 1 of %d CPUs: NCCL's proxy threads and the "
			      "program fight for it",
			      d->host.cpus_online);
	else
		judgement_add(v, d->n_gpus > 0 && n < 2 * d->n_gpus ? LEVEL_WARNING : LEVEL_OK,
			      NULL, "%d of %d CPUs may be used%s", n, d->host.cpus_online,
			      d->n_gpus > 0 && n < 2 * d->n_gpus ? "; two per GPU are wanted" : "");
}

void judge_numa(const struct doctor *d, struct judgements *v)
{
	int first = -1, unknown = 0, differ = 0;

	for (int i = 0; i < d->n_gpus; i++) {
		unknown += d->gpu[i].numa < 0;
		if (first < 0)
			first = d->gpu[i].numa;
		differ += d->gpu[i].numa >= 0 && d->gpu[i].numa != first;
	}
	if (d->n_gpus < 2)
		judgement_add(v, LEVEL_INFO, NULL, "fewer than two GPUs");
	else if (unknown == d->n_gpus)
		judgement_add(v, LEVEL_INFO, NULL, "the system names no NUMA node for the GPUs%s",
			      d->vm[0] ? " (usual in virtual machines)" : "");
	else if (differ)
		judgement_add(v, LEVEL_INFO, NULL,
			      "GPUs hang at different NUMA nodes: bind each rank near its GPU "
			      "(ncclbench does)");
	else
		judgement_add(v, LEVEL_OK, NULL, "all GPUs at NUMA node %d", first);
}

void judge_container(const struct doctor *d, struct judgements *v)
{
	if (d->container[0])
		judgement_add(v, LEVEL_INFO, NULL,
			      "%s container: /dev/shm, locked memory and the network are its own; "
			      "ranks in several containers of one "
			      "host need --ipc=host",
			      d->container);
	else
		judgement_add(v, LEVEL_OK, NULL, "no sign of a container");
}

void judge_vm(const struct doctor *d, struct judgements *v)
{
	if (d->wsl)
		judgement_add(v, LEVEL_WARNING,
			      "export NCCL_P2P_DISABLE=1     # if it hangs at start",
			      "WSL: P2P and legacy IPC between GPUs do not work in it");
	else if (d->vm[0])
		judgement_add(v, LEVEL_INFO, NULL,
			      "virtual machine (%s): PCI topology and speeds may be invented, ACS "
			      "must stay on",
			      d->vm);
	else
		judgement_add(v, LEVEL_OK, NULL, "no sign of a virtual machine");
}

void judge_ptrace(const struct doctor *d, struct judgements *v)
{
	if (d->ptrace_scope < 0)
		judgement_add(v, LEVEL_INFO, NULL, "Yama is not there: ptrace is not restricted");
	else
		judgement_add(v, d->ptrace_scope ? LEVEL_INFO : LEVEL_OK,
			      d->ptrace_scope ? "sysctl kernel.yama.ptrace_scope=0     # only for "
						"UCX and MPI on host memory"
					      : NULL,
			      "ptrace_scope is %d%s", d->ptrace_scope,
			      d->ptrace_scope ? ": single-copy (CMA) transports of UCX and MPI are "
						"refused; NCCL does not need them"
					      : "");
}

/* ---- networks ---- */

/* NCCL's order: ib*, then all but docker* and lo, then docker*, then lo. */
static bool in_class(const struct doctor_net *n, int class)
{
	bool ib = strncmp(n->name, "ib", 2) == 0, docker = strncmp(n->name, "docker", 6) == 0;

	if (!n->up || !n->address)
		return false;
	switch (class) {
	case 0:
		return ib;
	case 1:
		return !docker && !n->loopback;
	case 2:
		return docker;
	default:
		return n->loopback;
	}
}

static bool one_match(const char *p, size_t len, const char *name, bool exact)
{
	size_t n = strcspn(p, ":") < len ? strcspn(p, ":") : len; /* name:port */

	return exact ? strlen(name) == n && strncmp(p, name, n) == 0 : strncmp(p, name, n) == 0;
}

static bool chosen(const char *choice, const char *name)
{
	bool not = *choice == '^', exact, hit = false;

	choice += not ;
	exact = *choice == '=';
	choice += exact;
	for (const char *p = choice; *p && !hit;) {
		size_t n = strcspn(p, ",");

		hit = n > 0 && one_match(p, n, name, exact);
		p += n + (p[n] == ',');
	}
	return hit != not ;
}

static int pick(const struct doctor *d, const char *choice, struct buf *names, int *bridges)
{
	int n = 0;

	for (int class = 0; class < (choice ? 1 : 4) && n == 0; class ++)
		for (int i = 0; i < d->n_nets; i++) {
			const struct doctor_net *x = &d->net[i];

			if (choice ? !(x->up && x->address && chosen(choice, x->name))
				   : !in_class(x, class))
				continue;
			buf_printf(names, "%s%s", n ? "," : "", x->name);
			*bridges += x->bridge;
			n++;
		}
	return n;
}

static const char *physical_name(const struct doctor *d)
{
	for (int i = 0; i < d->n_nets; i++)
		if (d->net[i].up && d->net[i].address && !d->net[i].bridge && !d->net[i].loopback)
			return d->net[i].name;
	return NULL;
}

void judge_interfaces(const struct doctor *d, struct judgements *v)
{
	const char *choice = doctor_setting(d, "NCCL_SOCKET_IFNAME"), *real = physical_name(d);
	struct buf names = { 0 };
	char remedy[96] = "ip -br addr";
	int bridges = 0, n;

	if (choice && strlen(choice) < 2)
		choice = NULL; /* as NCCL */
	n = pick(d, choice, &names, &bridges);
	if (real)
		snprintf(remedy, sizeof(remedy), "export NCCL_SOCKET_IFNAME=%s", real);
	if (n == 0 && choice)
		judgement_add(
		    v, LEVEL_ERROR, remedy,
		    "NCCL_SOCKET_IFNAME=%s matches no interface that is up: NCCL fails to start",
		    choice);
	else if (n == 0)
		judgement_add(v, LEVEL_ERROR, "ip link set lo up",
			      "no network interface is up: NCCL needs one even for P2P");
	else if (bridges && bridges < n)
		judgement_add(v, LEVEL_WARNING, remedy,
			      "NCCL will use %s, and %d of them %s a bridge of containers that "
			      "other hosts cannot reach",
			      buf_text(&names), bridges, bridges == 1 ? "is" : "are");
	else
		judgement_add(v, LEVEL_OK, NULL, "NCCL will use %s", buf_text(&names));
	buf_fini(&names);
}

void judge_rdma(const struct doctor *d, struct judgements *v)
{
	struct buf names = { 0 };
	int active = 0;

	for (int i = 0; i < d->n_rdma; i++)
		if (strstr(d->rdma[i].state, "ACTIVE")) {
			buf_printf(&names, "%s%s (%s%s%s)", active ? ", " : "", d->rdma[i].name,
				   d->rdma[i].link_layer, d->rdma[i].rate[0] ? ", " : "",
				   d->rdma[i].rate);
			active++;
		}
	if (d->n_rdma == 0)
		judgement_add(v, LEVEL_INFO, NULL,
			      "no RDMA device: between hosts NCCL will use TCP");
	else if (!active)
		judgement_add(v, LEVEL_WARNING,
			      "ibstat                        # cable, subnet manager, driver",
			      "%d RDMA device%s, none with an active port", d->n_rdma,
			      d->n_rdma == 1 ? "" : "s");
	else
		judgement_add(v, LEVEL_OK, NULL, "NCCL will use %s", buf_text(&names));
	if (active && d->n_gpus && d->peermem != ANSWER_YES)
		judgement_add(
		    v, LEVEL_INFO,
		    "modprobe nvidia_peermem       # not needed where NCCL takes DMA-BUF (open "
		    "kernel modules)",
		    "nvidia_peermem is not loaded: GPUDirect RDMA works by DMA-BUF or not at all");
	buf_fini(&names);
}
