/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of this host from /proc and /sys under any root (tests use recorded trees; root "" is the
 * live one). */
#pragma once

#include <stdint.h>

#include "base/attr.h"

struct host_facts {
	char name[256];          /* host name up to the first dot, cleaned of control bytes */
	char id[17]; /* hex hash of machine-id: names the machine without telling it; "" unknown */
	char boot[17];           /* hex hash of boot_id: a machine start */
	char kernel[128], os[128], cpu[128];
	int cpus_online;         /* -1 unknown */
	int64_t mem_bytes, mem_free_bytes;  /* -1 unknown; free = MemAvailable */
	int64_t shm_bytes, shm_free_bytes;  /* size of /dev/shm, -1 when not mounted */
	int ib_devices;          /* entries of /sys/class/infiniband, 0 when absent */
	char ib_names[256];      /* "mlx5_0 mlx5_1" */
	int gpus_proc; /* entries of /proc/driver/nvidia/gpus: GPUs the driver shows, without CUDA
			*/
	char driver[64];         /* NVIDIA kernel driver version, "" without one */
};

void host_read(const char *root, struct host_facts *out);
/* PCIe of one device from sysfs: maximum generation (1..6) and width of card and slot, whichever is
 * lower; -1 unknown. */
void host_pcie(const char *root, const char *bus_id, int *gen, int *width);
/* NUMA node of a PCI device, -1 unknown. */
int host_pci_node(const char *root, const char *bus_id);
/* GB/s per direction of PCIe generation x width (encoding included): 3 x16 15.75, 4 31.5, 5 63.0, 6
 * 121. NaN unknown. */
double host_pcie_gbps(int gen, int width);
/* CPUs that the cgroup/affinity lets us use right now: count of sched_getaffinity. */
int host_cpus_allowed(void);
