/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPUs a worker gets. Plain `mpirun -np 2` binds each rank to one core; NCCL's proxy threads
 * then share it with the polling main thread, and socket all-reduce of 8 B went from 24 us to 10
 * 400 us. So a mask of one core is widened.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum place_policy { PLACE_INHERIT, PLACE_NEAR, PLACE_ALL, PLACE_COUNT };
extern const char *const place_names[PLACE_COUNT];

struct place {
	cpu_set_t set;
	bool changed;     /* differs from what this process has */
	int before, after; /* number of CPUs */
	char text[160];    /* "bound to 1 CPU: widened to the 16 CPUs of NUMA node 0 (GPU
			      0000:00:06.0)"; "" if not changed */
	char list[128];   /* the CPUs in list form, "0-15" */
};

int place_find(const char *name);
/* `wide` forces nothing: PLACE_NEAR keeps a mask of more than one CPU, PLACE_ALL always takes all
 * that the cgroup allows. bus_id may be "". */
void place_choose(enum place_policy policy, const char *bus_id, struct place *out);
/* Provided by place_hwloc.c or place_none.c: CPUs near a PCI device (within what the cgroup
 * allows); false when unknown. */
bool place_near(const char *bus_id, const cpu_set_t *allowed, cpu_set_t *out, char *where,
		size_t where_max);
