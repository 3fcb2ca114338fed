/* SPDX-License-Identifier: Apache-2.0 */
#include "run/peak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "machine/host.h"
#include "run/facts.h"
#include "spec/transport.h"

struct generation {
	const char *capability; /* the first row whose text begins it */
	double gbps;
};

static const struct generation nvlink_table[] = {
	{ "6.", 20 },
	{ "7.", 25 },
	{ "8.6", 14.0625 }, /* A40, A6000, RTX 3090: four links give 112.5 GB/s in both directions together */
	{ "8.0", 25 },
	{ "9.", 25 },
	{ "10.", 50 },
};

double peak_nvlink_per_link(const char *compute_capability)
{
	for (size_t i = 0; i < N_ELEMENTS(nvlink_table); i++)
		if (strncmp(nvlink_table[i].capability, compute_capability, strlen(nvlink_table[i].capability)) == 0)
			return nvlink_table[i].gbps;
	return 0;
}

static int64_t gpu_int(const struct facts *f, int rank, const char *key)
{
	char text[64];
	int64_t v = -1;

	if (!facts_gpu(f, rank, key, text, sizeof(text)) || num_parse_i64(text, 0, 1000000, &v) != 0)
		return -1;
	return v;
}

static void nvlink(const struct facts *f, int nranks, struct view_peak *out)
{
	double lowest = NAN;

	out->gbps = NAN;
	for (int r = 0; r < nranks; r++) {
		char cc[16];
		int64_t links = gpu_int(f, r, "nvlinks");
		double per = facts_gpu(f, r, "cc", cc, sizeof(cc)) ? peak_nvlink_per_link(cc) : 0;

		if (links <= 0 || per <= 0)
			return;
		if (isnan(lowest) || (double)links * per < lowest) {
			lowest = (double)links * per;
			snprintf(out->name, sizeof(out->name), "NVLink %d x %g GB/s (spec)", (int)links, per);
		}
	}
	out->gbps = lowest;
}

/* Card (NVML) and slot (sysfs): the lower one that is known. */
static int lower(int64_t card, int64_t slot)
{
	if (card < 0 || slot < 0)
		return (int)(card < 0 ? slot : card);
	return (int)(card < slot ? card : slot);
}

static void pcie(const struct facts *f, int nranks, struct view_peak *out)
{
	double lowest = NAN;

	out->gbps = NAN;
	for (int r = 0; r < nranks; r++) {
		int gen = lower(gpu_int(f, r, "pci_gen"), gpu_int(f, r, "slot_gen"));
		int width = lower(gpu_int(f, r, "pci_width"), gpu_int(f, r, "slot_width"));
		double gbps = host_pcie_gbps(gen, width);

		if (isnan(gbps))
			return;
		if (isnan(lowest) || gbps < lowest) {
			lowest = gbps;
			snprintf(out->name, sizeof(out->name), "PCIe %d.0 x%d (spec)", gen, width);
		}
	}
	out->gbps = lowest;
}

size_t peak_spec(const struct facts *f, int nranks, struct view_peak *out)
{
	size_t n = 0;

	memset(out, 0, PEAK_MAX * sizeof(*out));
	nvlink(f, nranks, &out[n]);
	if (!isnan(out[n].gbps)) {
		snprintf(out[n].transport, sizeof(out[n].transport), "p2p");
		n++;
	}
	pcie(f, nranks, &out[n]);
	if (!isnan(out[n].gbps)) {
		snprintf(out[n].transport, sizeof(out[n].transport), "shm");
		n++;
	}
	return n;
}

double peak_of(const struct view_peak *peaks, size_t n, int transport)
{
	static const char *const of_kind[] = {
		[PEAK_NONE] = NULL, [PEAK_P2P] = "p2p", [PEAK_PCIE] = "shm", [PEAK_TCP] = "tcp",
	};
	const char *want = of_kind[transport_table[transport].peak];

	for (size_t i = 0; want && i < n; i++)
		if (strcmp(peaks[i].transport, want) == 0)
			return peaks[i].gbps;
	/* Without NVLink, P2P goes over PCIe. */
	if (want && strcmp(want, "p2p") == 0)
		for (size_t i = 0; i < n; i++)
			if (strcmp(peaks[i].transport, "shm") == 0)
				return peaks[i].gbps;
	return NAN;
}
