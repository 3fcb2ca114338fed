/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before anything is measured: what the ranks are, which backend fits, which GPU each rank takes.
 * Collective; every rank comes to the same decision from the same facts, rank 0 explains it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "run/facts.h"
#include "run/options.h"

struct coord;

struct launch {
	struct facts facts;
	int backend;
	int device;          /* this rank's */
	int fake_hosts;      /* for NCCL; 0: as it is */
	bool shared_gpu;     /* two ranks of one host use one GPU */
	char worker[4096];   /* executable of the chosen backend */
	char net_device[64]; /* UCX tcp: the one interface; "" = leave to UCX */
	char bus[32];        /* PCI bus id of this rank's GPU, "" unknown */
	char refusal[800];   /* health: why nothing could be started; the caller says it */
};

/* 0, or an exit code + 1 after one printed line, or negative. */
int launch_decide(struct coord *c, const struct options *o, struct launch *out) ATTR_MUST;
/* "2 x NVIDIA H200, NVLink 18" and "NCCL 2.28.3, CUDA 13.0, driver 580.159.04". */
void launch_titles(const struct launch *l, int nranks, char *machine, size_t machine_max,
		   char *versions, size_t versions_max);
/* InfiniBand devices of the rank that has the fewest. */
int launch_ib_devices(const struct launch *l);
/* "0:gpu0 1:gpu1" of all ranks, or as many as fit; "" without GPUs. */
void launch_map(const struct launch *l, char *out, size_t max);
