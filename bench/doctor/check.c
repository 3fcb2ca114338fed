/* SPDX-License-Identifier: Apache-2.0 */
/* See check.h. */
#include "doctor/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const level_names[LEVEL_COUNT] = { "ok", "info", "unknown", "warning", "error" };

const struct check check_table[] = {
	{ "p2p-fact", "does a copy between GPUs arrive, whole and in time?", judge_p2p_fact },
	{ "p2p-claimed", "which pairs can do P2P, by CUDA and by NVML, and will NCCL use it?",
	  judge_p2p_claimed },
	{ "gpus", "which GPUs does CUDA show?", judge_gpus },
	{ "driver", "is the driver new enough for this CUDA and these GPUs?", judge_driver },
	{ "nccl", "which libnccl is loaded, which one does PyTorch bring, are they new enough?",
	  judge_nccl },
	{ "environment", "does every NCCL_ variable do what it seems to?", judge_environment },
	{ "config-files", "do files set variables of NCCL?", judge_files },
	{ "shm", "is /dev/shm large enough for NCCL's buffers?", judge_shm },
	{ "memory", "does a step of the sharded model fit (--shard, --unshard)?", judge_memory },
	{ "busy", "does somebody else use the GPUs?", judge_busy },
	{ "groups", "which GPUs are worth using together?", judge_groups },
	{ "iommu", "are addresses of devices translated?", judge_iommu },
	{ "acs", "do bridges above the GPUs send peer traffic through the CPU?", judge_acs },
	{ "interfaces", "which network interfaces will NCCL pick?", judge_interfaces },
	{ "rdma", "which RDMA devices will NCCL pick?", judge_rdma },
	{ "memlock", "may memory be pinned for RDMA?", judge_memlock },
	{ "nofile", "may enough files be open?", judge_nofile },
	{ "cpus", "how many CPUs may be used?", judge_cpus },
	{ "numa", "are all GPUs at one NUMA node?", judge_numa },
	{ "container", "is this a container?", judge_container },
	{ "vm", "is this a virtual machine or WSL?", judge_vm },
	{ "ptrace", "may processes look into each other (single-copy CMA)?", judge_ptrace },
};
const size_t check_count = N_ELEMENTS(check_table);

void judgement_add(struct judgements *v, enum level level, const char *remedy, const char *fmt, ...)
{
	struct judgement *x;
	va_list ap;

	if (v->n == v->cap) {
		size_t cap = v->cap ? v->cap * 2 : 32;

		x = realloc(v->list, cap * sizeof(*x));
		if (!x) {
			v->failed = true;
			return;
		}
		v->list = x;
		v->cap = cap;
	}
	x = &v->list[v->n];
	*x = (struct judgement){ .check = v->now,
				 .level = level,
				 .remedy = strdup(remedy ? remedy : "") };
	va_start(ap, fmt);
	if (vasprintf(&x->seen, fmt, ap) < 0)
		x->seen = NULL;
	va_end(ap);
	v->n++;
	v->failed = v->failed || !x->seen || !x->remedy;
}

/* Stable: the table's order stays within a level. */
static void sort_worst_first(struct judgements *v)
{
	for (size_t i = 1; i < v->n; i++)
		for (size_t k = i; k > 0 && v->list[k - 1].level < v->list[k].level; k--) {
			struct judgement x = v->list[k];

			v->list[k] = v->list[k - 1];
			v->list[k - 1] = x;
		}
}

void check_all(const struct doctor *d, const struct headroom *room, struct judgements *v)
{
	*v = (struct judgements){ .room = room };
	for (size_t i = 0; i < check_count; i++) {
		v->now = &check_table[i];
		check_table[i].judge(d, v);
	}
	sort_worst_first(v);
}

void judgements_fini(struct judgements *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->list[i].seen);
		free(v->list[i].remedy);
	}
	free(v->list);
	*v = (struct judgements){ 0 };
}

enum level judgements_worst(const struct judgements *v)
{
	return v->n ? v->list[0].level : LEVEL_OK;
}
