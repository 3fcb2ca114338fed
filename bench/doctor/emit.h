/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings to paste. TABLE of what may be set (each with the question that must be answered yes: a
 * setting that changes nothing here is not written) and TABLE of formats.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "doctor/doctor.h"

enum { ADVICE_MAX = 16 };

struct advice {
	char name[48], value[160], reason[320];
};

struct measured { /* of a run; gbps NaN where it was not measured */
	bool there;
	char run[256];
	double auto_gbps, p2p_gbps, shm_gbps;
	char auto_used[64];
};

struct plan_of_settings {
	const struct doctor *d;
	struct measured m;
	struct advice list[ADVICE_MAX];
	size_t n;
	int ranks;        /* GPUs to use */
	char devices[96]; /* "0,1", "" all */
	bool shm;         /* a container here wants more /dev/shm */
	bool rdma;        /* locked memory matters */
};

struct emit_format {
	const char *name, *help;
	void (*write)(const struct plan_of_settings *p, struct buf *out);
};
extern const struct emit_format emit_formats[];
extern const size_t emit_count;

const struct emit_format *emit_find(const char *name);
/* Median busbw of the largest all_reduce that auto, p2p and shm all have (proven or control),
 * out-of-place. */
int measured_read(const char *dir, struct measured *m, char *why, size_t why_max) ATTR_MUST;
void settings_plan(const struct doctor *d, const struct measured *m, struct plan_of_settings *p);
