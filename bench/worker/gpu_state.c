/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Own prototypes again (nvml.c says why). Numbers are NVML's: clock domains SM 1 and memory 2,
 * sensor GPU 0, ECC corrected 0 and uncorrected 1, counters since the driver was loaded 0.
 */
#include "worker/gpu_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "wire/msg.h"
#include "worker/nvml.h"

#define EVERY_NS (50 * CLOCK_MS)
#define SHARE 50 /* reading may take 1/50 of the time: a slow driver is asked less often */
#define PROCESSES_MAX 64
#define OWN_NAME "ncclbench-worker"
#define MIB (1ULL << 20)
#define UNKNOWN_MEMORY (1ULL << 60) /* the driver says ~0 where it does not tell */

/* Of nvmlDeviceGetComputeRunningProcesses_v2 and _v3. One series of drivers (535) put one more word
 * behind; the room for it is there, and then only the first process is read right. */
struct process {
	unsigned int pid;
	unsigned long long used_bytes;
	unsigned int gpu_instance, compute_instance;
};

struct process_room {
	struct process p[PROCESSES_MAX];
	unsigned long long more[PROCESSES_MAX];
};

static struct {
	void *device; /* NULL: nothing is known */
	int64_t next_ns;
	int (*clock)(void *device, int domain, unsigned int *mhz);
	int (*power)(void *device, unsigned int *mw);
	int (*temperature)(void *device, int sensor, unsigned int *celsius);
	int (*reasons)(void *device, unsigned long long *mask);
	int (*old_reasons)(void *device, unsigned long long *mask);
	int (*ecc)(void *device, int type, int counter, unsigned long long *count);
	int (*replays)(void *device, unsigned int *count);
} gpu;

static const struct {
	const char *symbol;
	void *slot;
} symbols[] = {
	{ "nvmlDeviceGetClockInfo", &gpu.clock },
	{ "nvmlDeviceGetPowerUsage", &gpu.power },
	{ "nvmlDeviceGetTemperature", &gpu.temperature },
	{ "nvmlDeviceGetCurrentClocksEventReasons", &gpu.reasons },
	{ "nvmlDeviceGetCurrentClocksThrottleReasons", &gpu.old_reasons },
	{ "nvmlDeviceGetTotalEccErrors", &gpu.ecc },
	{ "nvmlDeviceGetPcieReplayCounter", &gpu.replays },
};

void gpu_state_watch(const char *bus_id)
{
	void *address;
	size_t i;

	memset(&gpu, 0, sizeof(gpu));
	gpu.device = nvml_handle(bus_id);
	for (i = 0; gpu.device && i < N_ELEMENTS(symbols); i++) {
		address = nvml_symbol(symbols[i].symbol);
		memcpy(symbols[i].slot, &address, sizeof(address));
	}
}

static void add_clock(struct msg *m, const char *key, int domain)
{
	unsigned int mhz = 0;

	if (gpu.clock && gpu.clock(gpu.device, domain, &mhz) == 0)
		msg_add_i64(m, key, mhz);
}

static void add_reasons(struct msg *m)
{
	unsigned long long mask = 0;
	char text[24];

	if ((!gpu.reasons || gpu.reasons(gpu.device, &mask)) &&
	    (!gpu.old_reasons || gpu.old_reasons(gpu.device, &mask)))
		return;
	(void)snprintf(text, sizeof(text), "%llx", mask);
	msg_add(m, "throttle", text);
}

static void add_counters(struct msg *m)
{
	static const char *const keys[] = { "ecc_corrected", "ecc_uncorrected" };
	unsigned long long errors = 0;
	unsigned int replays = 0;
	int type;

	for (type = 0; type < 2; type++)
		if (gpu.ecc && gpu.ecc(gpu.device, type, 0, &errors) == 0)
			msg_add_u64(m, keys[type], errors);
	if (gpu.replays && gpu.replays(gpu.device, &replays) == 0)
		msg_add_u64(m, "pcie_replays", replays);
}

void gpu_state_add(struct msg *m, bool whole)
{
	int64_t began = clock_now_ns(), took;
	unsigned int value = 0;

	if (!gpu.device || (!whole && began < gpu.next_ns))
		return;
	add_clock(m, "sm_mhz", 1);
	add_clock(m, "mem_mhz", 2);
	if (gpu.power && gpu.power(gpu.device, &value) == 0)
		msg_add_i64(m, "power_mw", value);
	if (gpu.temperature && gpu.temperature(gpu.device, 0, &value) == 0)
		msg_add_i64(m, "temp_c", value);
	add_reasons(m);
	if (whole)
		add_counters(m);
	took = (clock_now_ns() - began) * SHARE;
	gpu.next_ns = clock_after_ns(took > EVERY_NS ? took : EVERY_NS);
}

/* ---- who else ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* NVML names a process by its command's path; in a container it may know only the number, or
 * nothing. */
static void name_of(unsigned int pid, char *out, size_t max)
{
	int (*ask)(unsigned int pid, char *name, unsigned int length);
	void *address = nvml_symbol("nvmlSystemGetProcessName");
	char path[256] = "";

	memcpy(&ask, &address, sizeof(ask));
	if (!ask || ask(pid, path, sizeof(path)) != 0)
		path[0] = '\0';
	path[sizeof(path) - 1] = '\0';
	path[strcspn(path, " ;")] = '\0'; /* arguments are nobody's business */
	(void)snprintf(out, max, "%.63s", path[0] ? base_name(path) : "(unknown)");
}

static unsigned int list(void *device, struct process_room *room)
{
	static const char *const newest_first[] = { "nvmlDeviceGetComputeRunningProcesses_v3",
						    "nvmlDeviceGetComputeRunningProcesses_v2" };
	int (*ask)(void *device, unsigned int *count, void *processes);
	unsigned int n;
	void *address;
	size_t i;

	for (i = 0; i < N_ELEMENTS(newest_first); i++) {
		address = nvml_symbol(newest_first[i]);
		memcpy(&ask, &address, sizeof(ask));
		n = PROCESSES_MAX;
		if (ask && ask(device, &n, room->p) == 0)
			return n < PROCESSES_MAX ? n : PROCESSES_MAX;
	}
	return 0;
}

static void add_process(const struct process *p, char *out, size_t max)
{
	size_t len = strlen(out);
	char name[64];

	if (p->pid == 0 || p->pid == (unsigned int)getpid())
		return;
	name_of(p->pid, name, sizeof(name));
	if (strncmp(name, OWN_NAME, strlen(OWN_NAME)) == 0)
		return;
	if (p->used_bytes < UNKNOWN_MEMORY)
		(void)snprintf(out + len, max - len, "%s%u %s %llu MiB", len ? "; " : "", p->pid,
			       name, p->used_bytes / MIB);
	else
		(void)snprintf(out + len, max - len, "%s%u %s", len ? "; " : "", p->pid, name);
}

void gpu_state_processes(const char *bus_id, char *out, size_t max)
{
	struct process_room room;
	void *device = nvml_handle(bus_id);
	unsigned int i, n;

	out[0] = '\0';
	memset(&room, 0, sizeof(room));
	n = device ? list(device, &room) : 0;
	for (i = 0; i < n; i++)
		add_process(&room.p[i], out, max);
}
