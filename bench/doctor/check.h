/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TABLE of what doctor asks about a machine. A judge looks at facts and adds one verdict or more;
 * it reads nothing itself. Adding a check: a row in check.c and a judge in judge_*.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "doctor/doctor.h"

enum level { LEVEL_OK, LEVEL_INFO, LEVEL_UNKNOWN, LEVEL_WARNING, LEVEL_ERROR, LEVEL_COUNT };
extern const char *const level_names[LEVEL_COUNT];

struct headroom { /* does a step of a sharded model fit? bytes */
	bool asked, has_free;
	uint64_t shard, unshard, free;
};

struct check;

struct judgement {
	const struct check *check;
	enum level level;
	char *seen;   /* one line */
	char *remedy; /* commands, one a line; "" none */
};

struct judgements {
	struct judgement *list;
	size_t n, cap;
	bool failed; /* out of memory */
	const struct check *now;
	const struct headroom *room;
};

struct check {
	const char *id, *question;
	void (*judge)(const struct doctor *d, struct judgements *v);
};

extern const struct check check_table[];
extern const size_t check_count;

/* All checks, worst verdict first, else in the table's order. */
void check_all(const struct doctor *d, const struct headroom *room, struct judgements *v);
void judgements_fini(struct judgements *v);
enum level judgements_worst(const struct judgements *v);

/* For judges. `remedy` may be NULL. */
void judgement_add(struct judgements *v, enum level level, const char *remedy, const char *fmt, ...)
    ATTR_PRINTF(4, 5);

/* judge_gpu.c */
void judge_gpus(const struct doctor *d, struct judgements *v);
void judge_driver(const struct doctor *d, struct judgements *v);
void judge_nccl(const struct doctor *d, struct judgements *v);
void judge_p2p_claimed(const struct doctor *d, struct judgements *v);
void judge_p2p_fact(const struct doctor *d, struct judgements *v);
void judge_groups(const struct doctor *d, struct judgements *v);
void judge_memory(const struct doctor *d, struct judgements *v);
void judge_busy(const struct doctor *d, struct judgements *v);
/* judge_host.c */
void judge_iommu(const struct doctor *d, struct judgements *v);
void judge_acs(const struct doctor *d, struct judgements *v);
void judge_shm(const struct doctor *d, struct judgements *v);
void judge_memlock(const struct doctor *d, struct judgements *v);
void judge_nofile(const struct doctor *d, struct judgements *v);
void judge_cpus(const struct doctor *d, struct judgements *v);
void judge_numa(const struct doctor *d, struct judgements *v);
void judge_container(const struct doctor *d, struct judgements *v);
void judge_vm(const struct doctor *d, struct judgements *v);
void judge_ptrace(const struct doctor *d, struct judgements *v);
void judge_interfaces(const struct doctor *d, struct judgements *v);
void judge_rdma(const struct doctor *d, struct judgements *v);
/* judge_environment.c */
void judge_files(const struct doctor *d, struct judgements *v);
void judge_environment(const struct doctor *d, struct judgements *v);
