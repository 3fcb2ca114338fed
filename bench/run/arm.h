/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arms: environments that one run compares with each other. An arm is what a worker's environment
 * gets beyond the user's own, before the transport's row, and which library it loads. Knows nothing
 * of transports or plans; environment.c applies it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "data/record.h"
#include "spec/transport.h"

#define ARMS_MAX 8
#define ARM_SETTINGS_MAX 32

struct arm {
	char label[RECORD_TEXT]; /* column arm */
	char tag[24];            /* of its logs: letters, digits, '_' and '-' */
	char algo_req[24],
	    proto_req[24];    /* columns of the same names: what the arm asks of NCCL; "" */
	struct env_pair *set; /* n settings; owned */
	size_t n;
	unsigned long long
	    *only; /* of each setting: bits of the transports it is for; owned; NULL: for all */
	char *nccl_lib;  /* absolute path, or NULL: the run's */
	char *text;      /* as given, for people; "" is the plain environment */
	bool beats_base; /* its settings stand over those that every forced row shares (tune tries
			    copy engines) */
	char lib_version[32]; /* what nccl_lib says of itself, "" not asked */
};

/*
 * One arm per text: blank-separated words NAME=VALUE and --nccl-lib PATH, or nothing: the plain
 * environment. One text alone is compared with the plain environment. Labels are A, B, C ... in the
 * order given. 0; -ENOMEM; -EINVAL with one line in `why` that names the text: not NAME=VALUE, a
 * name twice, a name that is not the user's to set, multicast, two equal arms, too many.
 */
int arms_parse(const char *const *texts, size_t n_texts, struct arm **out, size_t *n, char *why,
	       size_t why_max) ATTR_MUST;
void arms_free(struct arm *arms, size_t n);
/* Is its i-th setting for that transport? */
bool arm_applies(const struct arm *a, size_t i, int transport);
const char *arm_value(const struct arm *a, const char *name); /* NULL: it does not set it */
/* A library for LD_PRELOAD: its absolute path (heap), or NULL with a line in `why`. */
char *arm_library(const char *path, char *why, size_t why_max) ATTR_MUST;
/* A line per setting of NCCL that no release reads or that means something else; to a speaking
 * rank's standard error. */
void arms_lint(const struct arm *arms, size_t n, int backend);
