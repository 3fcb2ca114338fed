/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Own prototypes of a dozen NVML functions (its interface is frozen: new behaviour gets new names).
 * GPUs are addressed by PCI bus id, because CUDA_VISIBLE_DEVICES renumbers CUDA's and not NVML's.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "worker/nvml.h"

#define LINKS_MAX 36               /* no GPU has more; the first refused number ends the count */
#define P2P_READ 0                 /* nvmlGpuP2PCapsIndex_t */
#define FIELD_NVLINK_MBPS 90       /* NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON */

struct memory {
	unsigned long long total, free, used;
};

struct field { /* nvmlFieldValue_t */
	unsigned int id, scope;
	long long timestamp, latency_us;
	int value_type, rc;
	union {
		double d;
		unsigned int u;
		unsigned long long ull;
	} value;
};

/* Each takes what NVML takes; a device is an opaque pointer, a result is 0 when good. */
static struct {
	void *lib;
	int (*init)(void);
	int (*shutdown)(void);
	int (*driver)(char *out, unsigned int max);
	int (*by_bus)(const char *bus, void **device);
	int (*memory)(void *device, struct memory *out);
	int (*pcie_gen)(void *device, unsigned int *out);
	int (*pcie_width)(void *device, unsigned int *out);
	int (*link_state)(void *device, unsigned int link, int *active);
	int (*link_version)(void *device, unsigned int link, unsigned int *version);
	int (*fields)(void *device, int n, struct field *values);
	int (*p2p)(void *a, void *b, int what, int *status);
} nvml;

static const struct {
	const char *symbol;
	void *slot;
} symbols[] = {
	{ "nvmlInit_v2", &nvml.init },
	{ "nvmlShutdown", &nvml.shutdown },
	{ "nvmlSystemGetDriverVersion", &nvml.driver },
	{ "nvmlDeviceGetHandleByPciBusId_v2", &nvml.by_bus },
	{ "nvmlDeviceGetMemoryInfo", &nvml.memory },
	{ "nvmlDeviceGetMaxPcieLinkGeneration", &nvml.pcie_gen },
	{ "nvmlDeviceGetMaxPcieLinkWidth", &nvml.pcie_width },
	{ "nvmlDeviceGetNvLinkState", &nvml.link_state },
	{ "nvmlDeviceGetNvLinkVersion", &nvml.link_version },
	{ "nvmlDeviceGetFieldValues", &nvml.fields },
	{ "nvmlDeviceGetP2PStatus", &nvml.p2p },
};

static const char *const p2p_texts[] = { /* nvmlGpuP2PStatus_t */
	"ok", "chipset not supported", "GPU not supported", "topology not supported",
	"disabled by a driver setting", "not supported", "unknown",
};

static const char *const link_versions[] = { /* nvmlNvlinkVersion_t */
	"", "1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0",
};

bool nvml_open(void)
{
	const char *path;
	void *address;
	size_t i;

	if (nvml.lib)
		return true;
	path = getenv("NCCLBENCH_TEST_NVML");
	nvml.lib = dlopen(path ? path : "libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!nvml.lib)
		return false;
	for (i = 0; i < N_ELEMENTS(symbols); i++) {
		address = dlsym(nvml.lib, symbols[i].symbol);
		memcpy(symbols[i].slot, &address, sizeof(address));
	}
	if (nvml.init && nvml.shutdown && nvml.by_bus && nvml.init() == 0)
		return true;
	nvml.init = NULL; /* what was not initialised is not shut down */
	nvml_close();
	return false;
}

void nvml_close(void)
{
	if (nvml.lib && nvml.init)
		(void)nvml.shutdown();
	if (nvml.lib)
		(void)dlclose(nvml.lib);
	memset(&nvml, 0, sizeof(nvml));
}

void nvml_driver_version(char *out, size_t max)
{
	if (!nvml.driver || nvml.driver(out, (unsigned int)max))
		out[0] = '\0';
}

static void *find(const char *bus_id)
{
	void *device = NULL;

	if (!nvml.by_bus || nvml.by_bus(bus_id, &device))
		return NULL;
	return device;
}

void *nvml_symbol(const char *name)
{
	return nvml.lib ? dlsym(nvml.lib, name) : NULL;
}

void *nvml_handle(const char *bus_id)
{
	return find(bus_id);
}

static int number(int (*get)(void *device, unsigned int *out), void *device)
{
	unsigned int value = 0;

	return get && get(device, &value) == 0 ? (int)value : -1;
}

static void read_memory(void *device, struct nvml_facts *out)
{
	struct memory memory = { 0 };

	if (!nvml.memory || nvml.memory(device, &memory))
		return;
	out->mem_total = (int64_t)memory.total;
	out->mem_free = (int64_t)memory.free;
}

static void read_links(void *device, struct nvml_facts *out)
{
	struct field speed = { .id = FIELD_NVLINK_MBPS };
	unsigned int link, version = 0;
	int active, first = -1;

	if (!nvml.link_state)
		return;
	out->nvlinks = 0;
	for (link = 0; link < LINKS_MAX; link++) {
		active = 0;
		if (nvml.link_state(device, link, &active))
			break;
		out->nvlinks += active != 0;
		if (active && first < 0)
			first = (int)link;
	}
	if (first < 0)
		return;
	if (nvml.link_version && nvml.link_version(device, (unsigned int)first, &version) == 0 &&
	    version < N_ELEMENTS(link_versions))
		(void)snprintf(out->nvlink_version, sizeof(out->nvlink_version), "%s",
			       link_versions[version]);
	if (nvml.fields && nvml.fields(device, 1, &speed) == 0 && speed.rc == 0)
		out->nvlink_mbps = (int)speed.value.u;
}

void nvml_device(const char *bus_id, struct nvml_facts *out)
{
	void *device = find(bus_id);

	*out = (struct nvml_facts){ -1, -1, -1, -1, -1, -1, "" };
	if (!device)
		return;
	read_memory(device, out);
	out->pcie_gen = number(nvml.pcie_gen, device);
	out->pcie_width = number(nvml.pcie_width, device);
	read_links(device, out);
}

const char *nvml_p2p(const char *bus_a, const char *bus_b)
{
	void *a = find(bus_a), *b = find(bus_b);
	int status = -1;

	if (!a || !b || !nvml.p2p || nvml.p2p(a, b, P2P_READ, &status))
		return "unknown";
	if (status < 0 || status >= (int)N_ELEMENTS(p2p_texts))
		return "unknown";
	return p2p_texts[status];
}
