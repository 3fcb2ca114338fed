/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few facts of the driver's management library that CUDA does not tell, or only at the price of
 * a context on each GPU. Loaded at run time: toolkits often lack its header and always its library.
 * Everything may be absent; what is not known stays -1 or "".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvml_facts {
	int64_t mem_total, mem_free; /* bytes */
	int pcie_gen, pcie_width;    /* the lower maximum of card and slot */
	int nvlinks;                 /* active links; 0 also when the GPU has none */
	int nvlink_mbps;             /* one link, one direction, as the driver states it */
	char nvlink_version[8];      /* "4.0" */
};

bool nvml_open(void); /* false: no driver; the other calls then know nothing */
void nvml_close(void);
void nvml_driver_version(char *out, size_t max); /* "580.159.04" */
void nvml_device(const char *bus_id, struct nvml_facts *out);
/* For what reads more (gpu_state.c): a function by name and a device's handle; NULL when there is
 * none. */
void *nvml_symbol(const char *name);
void *nvml_handle(const char *bus_id);
/* Status text of reading peer memory between two GPUs: "ok", "not supported", ... or "unknown". */
const char *nvml_p2p(const char *bus_a, const char *bus_b);
