/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process can see of GPUs, driver and NCCL without choosing a device: no call here makes
 * a context (that would cost memory and a quarter of a second on every GPU).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "ncclbench/backend.h"
#include "wire/msg.h"
#include "worker/gpu_state.h"
#include "worker/nccl_rank.h"
#include "worker/nvml.h"

#define DEVICES_MAX 16 /* described; HELLO's pairs (MSG_PAIRS_MAX) hold the p2p matrix of 16 */
#define BUS_ID_BYTES 32

static void add_indexed(struct msg *m, int device, const char *key, const char *value)
{
	char name[48];

	if (!value[0])
		return;
	(void)snprintf(name, sizeof(name), "gpu%d.%s", device, key);
	msg_add(m, name, value);
}

/* Unknown (negative) is left out. */
static void add_number(struct msg *m, int device, const char *key, int64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	add_indexed(m, device, key, value < 0 ? "" : text);
}

static void add_cuda_version(struct msg *m, const char *key, int version)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%d.%d", version / 1000, version % 1000 / 10);
	msg_add(m, key, text);
}

/* 22809 is 2.28.9; before 2.9 the code had one digit less: 2804 was 2.8.4. */
static void add_library(struct msg *m)
{
	char text[32], path[4096];
	Dl_info info;
	int code = 0, unit;
	void *symbol;

	(void)ncclGetVersion(&code);
	unit = code < 10000 ? 1000 : 10000;
	(void)snprintf(text, sizeof(text), "%d.%d.%d", code / unit, code % unit / 100, code % 100);
	msg_add(m, "lib_version", text);
	symbol = dlsym(RTLD_DEFAULT, "ncclGetVersion"); /* not &ncclGetVersion: maybe our own PLT */
	if (symbol && dladdr(symbol, &info) && info.dli_fname)
		msg_add(m, "lib_path", realpath(info.dli_fname, path) ? path : info.dli_fname);
}

static void add_versions(struct msg *m)
{
	char driver[96];
	int version = 0;

	add_library(m);
	if (cudaRuntimeGetVersion(&version) == cudaSuccess)
		add_cuda_version(m, "runtime_version", version);
	version = 0; /* 0 stays when there is no driver */
	if (cudaDriverGetVersion(&version) == cudaSuccess && version)
		add_cuda_version(m, "cuda_driver", version);
	nvml_driver_version(driver, sizeof(driver));
	if (driver[0])
		msg_add(m, "driver_version", driver);
}

static void add_uuid(struct msg *m, int device, const unsigned char *u)
{
	char text[48];

	(void)snprintf(text, sizeof(text),
		       "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		       u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11],
		       u[12], u[13], u[14], u[15]);
	add_indexed(m, device, "uuid", text);
}

static void add_device(struct msg *m, int device, const char *bus)
{
	struct cudaDeviceProp prop;
	struct nvml_facts nvml;
	char cc[16], processes[512];

	add_indexed(m, device, "bus", bus);
	nvml_device(bus, &nvml);
	if (cudaGetDeviceProperties(&prop, device) == cudaSuccess) {
		add_indexed(m, device, "name", prop.name);
		add_uuid(m, device, (const unsigned char *)prop.uuid.bytes);
		(void)snprintf(cc, sizeof(cc), "%d.%d", prop.major, prop.minor);
		add_indexed(m, device, "cc", cc);
		if (nvml.mem_total < 0)
			nvml.mem_total = (int64_t)prop.totalGlobalMem;
	}
	add_number(m, device, "mem_total", nvml.mem_total);
	add_number(m, device, "mem_free", nvml.mem_free);
	add_number(m, device, "pci_gen", nvml.pcie_gen);
	add_number(m, device, "pci_width", nvml.pcie_width);
	add_number(m, device, "nvlinks", nvml.nvlinks);
	add_number(m, device, "nvlink_mbps", nvml.nvlink_mbps);
	add_indexed(m, device, "nvlink_version", nvml.nvlink_version);
	gpu_state_processes(bus, processes, sizeof(processes));
	add_indexed(m, device, "procs", processes);
}

static void add_pair(struct msg *m, int i, int j, const char *bus_i, const char *bus_j)
{
	char name[48];
	int can = 0;

	if (cudaDeviceCanAccessPeer(&can, i, j) == cudaSuccess) {
		(void)snprintf(name, sizeof(name), "p2p.%d.%d", i, j);
		msg_add(m, name, can ? "yes" : "no");
	}
	(void)snprintf(name, sizeof(name), "nvml_p2p.%d.%d", i, j);
	msg_add(m, name, nvml_p2p(bus_i, bus_j));
}

static void add_devices(struct msg *m, int n)
{
	char bus[DEVICES_MAX][BUS_ID_BYTES] = { "" };
	int i, j;

	n = n < DEVICES_MAX ? n : DEVICES_MAX;
	for (i = 0; i < n; i++)
		if (cudaDeviceGetPCIBusId(bus[i], BUS_ID_BYTES, i) != cudaSuccess)
			bus[i][0] = '\0';
	for (i = 0; i < n; i++)
		add_device(m, i, bus[i]);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (i != j)
				add_pair(m, i, j, bus[i], bus[j]);
}

/* No driver, a stub of it, or no device is a fact about this machine, not a failure; so is whatever
 * else the driver says: the reason travels, and JOIN fails with it. */
int nccl_facts(struct msg *hello)
{
	char reason[256];
	cudaError_t rc;
	int n = 0;

	(void)nvml_open();
	add_versions(hello);
	rc = cudaGetDeviceCount(&n);
	if (rc != cudaSuccess)
		n = 0;
	msg_add_i64(hello, "devices", n);
	if (rc != cudaSuccess) {
		(void)snprintf(reason, sizeof(reason), "cudaGetDeviceCount: %s (%d)",
			       cudaGetErrorString(rc), (int)rc);
		msg_add(hello, "reason", reason);
		(void)cudaGetLastError();
	}
	add_devices(hello, n);
	return NB_BACKEND_OK; /* NVML stays open: the state of the card is read again and again */
}
