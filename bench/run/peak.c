/* SPDX-License-Identifier: Apache-2.0 */
#include "run/peak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/num.h"
#include "data/record.h"
#include "machine/host.h"
#include "run/facts.h"
#include "spec/transport.h"

struct generation {
	const char *capability; /* the first row whose text begins it */
	double gbps;
};

static const struct generation nvlink_table[] = {
	{ "6.", 20 },       { "7.", 25 },
	{ "8.6", 14.0625 }, /* A40, A6000, RTX 3090: four links give 112.5 GB/s in both directions
			       together */
	{ "8.0", 25 },      { "9.", 25 },
	{ "10.", 50 },
};

double peak_nvlink_per_link(const char *compute_capability)
{
	for (size_t i = 0; i < N_ELEMENTS(nvlink_table); i++)
		if (strncmp(nvlink_table[i].capability, compute_capability,
			    strlen(nvlink_table[i].capability)) == 0)
			return nvlink_table[i].gbps;
	return 0;
}

static int64_t gpu_int(const struct facts *f, int rank, const char *key)
{
	char text[64];
	int64_t v = -1;

	if (!facts_gpu(f, rank, key, text, sizeof(text)) ||
	    num_parse_i64(text, 0, 1000000, &v) != 0)
		return -1;
	return v;
}

static void nvlink(const struct facts *f, int rank, struct view_peak *out)
{
	char cc[16];
	int64_t links = gpu_int(f, rank, "nvlinks");
	double per = facts_gpu(f, rank, "cc", cc, sizeof(cc)) ? peak_nvlink_per_link(cc) : 0;

	if (links <= 0 || per <= 0)
		return;
	out->gbps = (double)links * per;
	snprintf(out->name, sizeof(out->name), "NVLink %d x %g GB/s (spec)", (int)links, per);
}

/* Card (NVML) and slot (sysfs): the lower one that is known. */
static int lower(int64_t card, int64_t slot)
{
	if (card < 0 || slot < 0)
		return (int)(card < 0 ? slot : card);
	return (int)(card < slot ? card : slot);
}

static void pcie_of(const struct facts *f, int rank, int *gen, int *width)
{
	*gen = lower(gpu_int(f, rank, "pci_gen"), gpu_int(f, rank, "slot_gen"));
	*width = lower(gpu_int(f, rank, "pci_width"), gpu_int(f, rank, "slot_width"));
}

static void pcie(const struct facts *f, int rank, struct view_peak *out)
{
	int gen, width;

	pcie_of(f, rank, &gen, &width);
	out->gbps = host_pcie_gbps(gen, width);
	snprintf(out->name, sizeof(out->name), "PCIe %d.0 x%d (spec)", gen, width);
}

/* TABLE: NCCL's NVLink figures (graph/topo.h; the same from 2.28 to 2.30). The first row that is
 * not above the GPU's capability. */
static const struct {
	int cc;
	double gbps;
	int links_max;
} model_table[] = {
	{ 100, 40.1, 18 }, { 90, 20.6, 18 }, { 87, 20, 12 }, { 86, 12, 12 },
	{ 80, 20, 12 },    { 70, 20, 6 },    { 60, 18, 4 },
};

double peak_model_per_link(const char *compute_capability, int *links_max)
{
	int major = 0, minor = 0;

	if (sscanf(compute_capability, "%d.%d", &major, &minor) != 2)
		return 0;
	for (size_t i = 0; i < N_ELEMENTS(model_table); i++)
		if (major * 10 + minor >= model_table[i].cc) {
			*links_max = model_table[i].links_max;
			return model_table[i].gbps;
		}
	return 0;
}

/* 16 lanes of generation 1 count as 3 GB/s; each generation doubles it. */
double peak_model_pcie(int gen, int width)
{
	if (gen < 1 || gen > 6 || width < 1 || width > 32)
		return NAN;
	return 3.0 * (1 << (gen - 1)) * width / 16;
}

static void line_rate(const struct facts *f, int rank, struct view_peak *out)
{
	int64_t links = gpu_int(f, rank, "nvlinks"), mbps = gpu_int(f, rank, "nvlink_mbps");

	if (links <= 0 || mbps <= 0)
		return;
	out->gbps = (double)links * (double)mbps / 1e3;
	snprintf(out->name, sizeof(out->name), "NVLink %d x %g GB/s (line rate)", (int)links,
		 (double)mbps / 1e3);
}

static void nvlink_model(const struct facts *f, int rank, struct view_peak *out)
{
	int most = 0, links = (int)gpu_int(f, rank, "nvlinks");
	char cc[16];
	double per = facts_gpu(f, rank, "cc", cc, sizeof(cc)) ? peak_model_per_link(cc, &most) : 0;

	if (links <= 0 || per <= 0)
		return;
	links = links < most ? links : most;
	out->gbps = links * per;
	snprintf(out->name, sizeof(out->name), "NVLink %d x %g GB/s (NCCL model)", links, per);
}

static void pcie_model(const struct facts *f, int rank, struct view_peak *out)
{
	int gen, width;

	pcie_of(f, rank, &gen, &width);
	out->gbps = peak_model_pcie(gen, width);
	snprintf(out->name, sizeof(out->name), "PCIe %d.0 x%d (NCCL model)", gen, width);
}

/* TABLE: what is known without measuring. Only specifications are what a transport is held against.
 */
static const struct {
	void (*of_rank)(const struct facts *f, int rank, struct view_peak *out);
	const char *of;
	int kind;
	const char *how;
} known[] = {
	{ nvlink, "p2p", VIEW_PEAK_SPEC, "active links times the data rate of their generation" },
	{ pcie, "shm", VIEW_PEAK_SPEC, "the lower maximum of card and slot, encoding included" },
	{ line_rate, "", VIEW_PEAK_LINE_RATE,
	  "active links times the speed that the driver states" },
	{ nvlink_model, "", VIEW_PEAK_MODEL, "what NCCL's planning takes the links for" },
	{ pcie_model, "", VIEW_PEAK_MODEL,
	  "what NCCL's planning takes PCIe for where the system tells it speed and width" },
};

/* The rank with the lowest; unknown when it is so for any. */
static void lowest(size_t row, const struct facts *f, int nranks, struct view_peak *out)
{
	struct view_peak one, least = { .gbps = NAN };

	*out = least;
	for (int r = 0; r < nranks; r++) {
		memset(&one, 0, sizeof(one));
		one.gbps = NAN;
		known[row].of_rank(f, r, &one);
		if (isnan(one.gbps))
			return;
		if (!(one.gbps >= least.gbps))
			least = one;
	}
	*out = least;
	snprintf(out->transport, sizeof(out->transport), "%s", known[row].of);
	out->kind = known[row].kind;
	out->how = known[row].how;
}

static size_t fill(const struct facts *f, int nranks, bool spec, struct view_peak *out)
{
	size_t n = 0;

	for (size_t i = 0; i < N_ELEMENTS(known); i++) {
		if ((known[i].kind == VIEW_PEAK_SPEC) != spec)
			continue;
		lowest(i, f, nranks, &out[n]);
		n += !isnan(out[n].gbps);
	}
	return n;
}

size_t peak_spec(const struct facts *f, int nranks, struct view_peak *out)
{
	memset(out, 0, PEAK_MAX * sizeof(*out));
	return fill(f, nranks, true, out);
}

size_t peak_other(const struct facts *f, int nranks, struct view_peak *out)
{
	return fill(f, nranks, false, out);
}

/* Peak of the first of `names` that has one. */
static double first_of(const struct view_peak *peaks, size_t n, const char *const *names)
{
	for (; *names; names++)
		for (size_t i = 0; i < n; i++)
			if (strcmp(peaks[i].transport, *names) == 0)
				return peaks[i].gbps;
	return NAN;
}

double peak_of(const struct view_peak *peaks, size_t n, int transport)
{
	static const char *const of_kind[][3] = {
		[PEAK_NONE] = { NULL },
		[PEAK_P2P] = { "p2p", "shm", NULL }, /* without NVLink, P2P goes over PCIe */
		[PEAK_PCIE] = { "shm", NULL },
		[PEAK_TCP] = { "socket", "tcp", NULL },
	};

	return first_of(peaks, n, of_kind[transport_table[transport].peak]);
}

static double line_rate_of(const struct view_peak *peaks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (peaks[i].kind == VIEW_PEAK_LINE_RATE)
			return peaks[i].gbps;
	return NAN;
}

double peak_percent(const struct view_peak *peaks, size_t n, int transport, const struct record *r)
{
	static const char *const reduced_on_the_way[] = { "NVLS", "CollNet" };

	for (size_t i = 0; i < N_ELEMENTS(reduced_on_the_way); i++)
		if (strncasecmp(r->algo, reduced_on_the_way[i], strlen(reduced_on_the_way[i])) == 0)
			return r->algbw_gbps / line_rate_of(peaks, n) * 100;
	return r->busbw_gbps / peak_of(peaks, n, transport) * 100;
}
