/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the card is doing: clocks, power, temperature, reasons for slower clocks, error counters,
 * and who else uses it. Read through NVML between measurements, never inside one. Every function of
 * NVML may be missing; what is not known is left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct msg;

/* From now on gpu_state_add speaks of this GPU. NVML must be open; without it nothing is ever
 * added. */
void gpu_state_watch(const char *bus_id);
/* Keys of protocol.h. `whole`: with the error counters; else nothing when the last reading is
 * recent. */
void gpu_state_add(struct msg *m, bool whole);
/* Processes on that GPU, without this project's workers: "4711 python3 512 MiB; ...", "" for none
 * or unknown. */
void gpu_state_processes(const char *bus_id, char *out, size_t max);
