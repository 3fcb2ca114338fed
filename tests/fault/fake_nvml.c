/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libnvidia-ml.so for the worker's NVML part; NCCLBENCH_TEST_NVML names it. Every device is the
 * same one. Its script, NCCLBENCH_TEST_FAKE_NVML, is a comma-separated list of name:number (sm,
 * mem, power, temp, reasons, ecc0, ecc1, replays, delay) that replace the values below; -1 makes
 * that function fail. `delay` is in ms, of the power query. Declarations are ours on purpose: they
 * are written down a second time from NVML's documentation, not shared with the code under test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int device;

static long long number(const char *name, long long otherwise)
{
	const char *p = getenv("NCCLBENCH_TEST_FAKE_NVML");
	size_t len = strlen(name);

	for (; p && *p; p = strchr(p, ','), p = p ? p + 1 : NULL)
		if (strncmp(p, name, len) == 0 && p[len] == ':')
			return strtoll(p + len + 1, NULL, 10);
	return otherwise;
}

static int give(const char *name, long long otherwise, unsigned int *out)
{
	long long v = number(name, otherwise);

	if (v < 0)
		return 3; /* NVML_ERROR_NOT_SUPPORTED */
	*out = (unsigned int)v;
	return 0;
}

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out);
int nvmlDeviceGetClockInfo(void *d, int type, unsigned int *mhz);
int nvmlDeviceGetPowerUsage(void *d, unsigned int *mw);
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned int *celsius);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *mask);
int nvmlDeviceGetTotalEccErrors(void *d, int type, int counter, unsigned long long *count);
int nvmlDeviceGetPcieReplayCounter(void *d, unsigned int *count);
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned int *count, void *infos);
int nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length);

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out)
{
	*out = &device;
	return 0;
}

int nvmlDeviceGetClockInfo(void *d, int type, unsigned int *mhz)
{
	return type == 1 ? give("sm", 1980, mhz) : type == 2 ? give("mem", 3201, mhz) : 3;
}

int nvmlDeviceGetPowerUsage(void *d, unsigned int *mw)
{
	struct timespec t = { 0, (long)number("delay", 0) * 1000000 };

	nanosleep(&t, NULL);
	return give("power", 125500, mw);
}

int nvmlDeviceGetTemperature(void *d, int sensor, unsigned int *celsius)
{
	return sensor == 0 ? give("temp", 37, celsius) : 3;
}

/* The name of before 2023: the newer one is missing here on purpose. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *mask)
{
	unsigned int v = 0;
	int r = give("reasons", 1, &v);

	*mask = v;
	return r;
}

int nvmlDeviceGetTotalEccErrors(void *d, int type, int counter, unsigned long long *count)
{
	unsigned int v = 0;
	int r = counter == 0 ? give(type == 0 ? "ecc0" : "ecc1", type == 0 ? 2 : 0, &v) : 3;

	*count = v;
	return r;
}

int nvmlDeviceGetPcieReplayCounter(void *d, unsigned int *count)
{
	return give("replays", 7, count);
}

struct info { /* nvmlProcessInfo_t */
	unsigned int pid;
	unsigned long long used;
	unsigned int gi, ci;
};

/* A stranger, one of our workers, and one whose memory and name the driver does not tell. */
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned int *count, void *infos)
{
	static const struct info all[] = { { 4711, 512ULL << 20, 0, 0 },
					   { 4712, 64ULL << 20, 0, 0 },
					   { 4713, ~0ULL, 0, 0 } };

	if (*count < 3)
		return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
	*count = 3;
	memcpy(infos, all, sizeof(all));
	return 0;
}

int nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
	if (pid == 4713)
		return 6; /* NVML_ERROR_NOT_FOUND */
	snprintf(name, length, "%s",
		 pid == 4711 ? "/usr/bin/python3 train.py" : "/opt/bin/ncclbench-worker-nccl");
	return 0;
}
