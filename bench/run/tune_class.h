/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tune compares: the points of a transport folded into classes (an operation within a size
 * class, or the messages of a model), each with the logarithm of its time as a weighted mean.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "search/race.h"

struct plan;
struct plan_request;

#define OBJECTIVE_MODEL "model:"

struct tune_classes {
	struct search_class v[SEARCH_CLASSES];
	uint64_t lo[SEARCH_CLASSES], hi[SEARCH_CLASSES]; /* sizes in it */
	size_t n;
	double (*weight)[SEARCH_CLASSES]; /* per point of the config */
	size_t n_points;
};

/* 0, or -EINVAL with a line in `why`: words are bandwidth, latency, model:NAME. */
int tune_objective_check(const char *objective, char *why, size_t why_max) ATTR_MUST;
/* Operations and sizes of the objective; A new *sizes is heap and the caller's. */
int tune_objective_request(const char *objective, struct plan_request *q, uint64_t **sizes,
			   char *why, size_t why_max) ATTR_MUST;
/* 0; 1: no point of this transport can be measured, `why` says why; -EINVAL with a line in `why`:
 * no class is a target, or too many; -ENOMEM. */
int tune_classes_build(const struct plan *plan, size_t config, const char *objective,
		       struct tune_classes *out, char *why, size_t why_max) ATTR_MUST;
void tune_classes_fini(struct tune_classes *c);
/* us[i] is the time of point i of the config. */
void tune_classes_fold(const struct tune_classes *c, const double *us, double *out);
/* "64 MiB" or "64 MiB..256 MiB". */
void tune_class_sizes(const struct tune_classes *c, size_t k, char *out, size_t max);
