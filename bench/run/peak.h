/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the links can do by specification, per direction. NVLink: links x 25 GB/s of its generation (NVLink 2, 3, 4; 20 for NVLink 1, 50
 * for NVLink 5), NVIDIA's data sheets; PCIe: the lower maximum of card and slot (machine/host.h).
 */
#pragma once

#include <stddef.h>

#include "report/view.h"

struct facts;

#define PEAK_MAX 8

/* Fills peaks of the run, at most PEAK_MAX; returns the count. Ranks differ: the lowest counts. */
size_t peak_spec(const struct facts *f, int nranks, struct view_peak *out);
/* Peak that a transport's busbw is held against; NaN unknown. */
double peak_of(const struct view_peak *peaks, size_t n, int transport);
/* NVLink GB/s per link and direction for a compute capability "9.0"; 0 unknown. */
double peak_nvlink_per_link(const char *compute_capability);
