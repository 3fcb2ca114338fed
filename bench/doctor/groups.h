/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs worth using together: those that reach each other best. */
#pragma once

#include "base/buf.h"
#include "doctor/doctor.h"

struct group {
	int gpu[DOCTOR_GPUS_MAX], n; /* indices in doctor.gpu */
	const char *by; /* "NVLink", "P2P over PCIe", "one PCIe switch", "one NUMA node" */
};

/* Groups of two or more by the best tie that exists; at most DOCTOR_GPUS_MAX. Returns how many. */
int groups_find(const struct doctor *d, struct group *out);
/* "0,1" as CUDA_VISIBLE_DEVICES wants it, under the numbering that is in force now. */
void group_visible(const struct doctor *d, const struct group *g, struct buf *out);
