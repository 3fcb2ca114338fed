/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the links can do by specification, per direction. NVLink: links x 25 GB/s of its generation
 * (NVLink 2, 3, 4; 20 for NVLink 1, 50 for NVLink 5), NVIDIA's data sheets; PCIe: the lower maximum
 * of card and slot (machine/host.h).
 */
#pragma once

#include <stddef.h>

#include "report/view.h"

struct facts;

#define PEAK_MAX 32

struct record;

/* Fills peaks of the run, at most PEAK_MAX; returns the count. Ranks differ: the lowest counts. */
size_t peak_spec(const struct facts *f, int nranks, struct view_peak *out);
/* The driver's line rate and NCCL's own planning figures, to be put behind them: at most 3, of no
 * transport. */
size_t peak_other(const struct facts *f, int nranks, struct view_peak *out);
/* Peak that a transport's busbw is held against; NaN unknown. */
double peak_of(const struct view_peak *peaks, size_t n, int transport);
/*
 * How much of it a row reached, NaN unknown: busbw against the transport's peak. Where the switch
 * or the network reduces (NVLS, CollNet), busbw counts bytes that never moved: there it is algbw
 * against the line rate.
 */
double peak_percent(const struct view_peak *peaks, size_t n, int transport, const struct record *r);
/* What NCCL plans with, GB/s per direction: one NVLink of that compute capability, and how many
 * links it counts at most; 0 unknown. */
double peak_model_per_link(const char *compute_capability, int *links_max);
/* The same for PCIe; NaN unknown. */
double peak_model_pcie(int gen, int width);
/* NVLink GB/s per link and direction for a compute capability "9.0"; 0 unknown. */
double peak_nvlink_per_link(const char *compute_capability);
