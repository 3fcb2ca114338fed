/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sysfs says of a PCI device: the most its link can do and its NUMA node. The current speed is
 * no use: an idle GPU clocks its link down.
 */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "machine/host.h"
#include "machine/root.h"

static bool hex_part(const char **p, size_t max_digits, char end, unsigned *value)
{
	size_t n = strspn(*p, "0123456789abcdefABCDEF");

	if (n == 0 || n > max_digits || (*p)[n] != end)
		return false;
	*value = (unsigned)strtoul(*p, NULL, 16);
	*p += n + (end != '\0');
	return true;
}

/*
 * The kernel's spelling of a PCI address: lower case, at least 4 digits of domain. NVML writes 8
 * and CUDA 4 digits, both in upper case; lspci leaves the domain out.
 */
static bool bus_id_normal(const char *text, char *out, size_t max)
{
	const char *p = text, *colon = text ? strchr(text, ':') : NULL;
	unsigned domain = 0, bus, device, function;

	if (colon == NULL)
		return false;
	if (strchr(colon + 1, ':') != NULL && !hex_part(&p, 8, ':', &domain))
		return false;
	if (!hex_part(&p, 2, ':', &bus) || !hex_part(&p, 2, '.', &device) ||
	    !hex_part(&p, 1, '\0', &function) || device > 31 || function > 7)
		return false;
	snprintf(out, max, "%04x:%02x:%02x.%x", domain, bus, device, function);
	return true;
}

static bool device_path(const char *root, const char *bus_id, char out[PATH_MAX])
{
	char id[32], rest[96], link[PATH_MAX];

	if (!bus_id_normal(bus_id, id, sizeof(id)))
		return false;
	snprintf(rest, sizeof(rest), "/sys/bus/pci/devices/%s", id);
	root_path(root, rest, link);
	return realpath(link, out) != NULL;
}

static const struct pcie_rate {
	double gts; /* GT/s per lane, as sysfs writes it */
	double efficiency;
} pcie_rates[] = {
	/* index: generation */
	[1] = { 2.5, 8.0 / 10 },
	[2] = { 5, 8.0 / 10 },
	[3] = { 8, 128.0 / 130 },
	[4] = { 16, 128.0 / 130 },
	[5] = { 32, 128.0 / 130 },
	[6] = { 64, 242.0 / 256 }, /* 242 bytes of packets in each FLIT of 256 */
};

/* "32.0 GT/s PCIe", "8 GT/s" (before Linux 5.7); "Unknown" and anything else: -1. */
static int link_generation(const char *dir)
{
	char text[64], *unit;
	double gts;

	root_line(dir, "/max_link_speed", text, sizeof(text));
	unit = strstr(text, " GT/s");
	if (unit == NULL)
		return -1;
	*unit = '\0';
	if (num_parse_double(text, &gts))
		return -1;
	for (size_t i = 1; i < N_ELEMENTS(pcie_rates); i++)
		if (pcie_rates[i].gts == gts)
			return (int)i;
	return -1;
}

static int link_width(const char *dir)
{
	char text[32];
	int64_t lanes;

	root_line(dir, "/max_link_width", text, sizeof(text));
	/* 0 and 255 are what a device that does not answer shows */
	return num_parse_i64(text, 1, 32, &lanes) ? -1 : (int)lanes;
}

static int lower_known(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

void host_pcie(const char *root, const char *bus_id, int *gen, int *width)
{
	char card[PATH_MAX], *slash;

	*gen = *width = -1;
	if (!device_path(root, bus_id, card))
		return;
	*gen = link_generation(card);
	*width = link_width(card);
	slash = strrchr(card, '/');
	if (slash == NULL || slash == card)
		return;
	/* The port it is plugged into; a root complex has no such files and counts as unknown. */
	*slash = '\0';
	*gen = lower_known(*gen, link_generation(card));
	*width = lower_known(*width, link_width(card));
}

int host_pci_node(const char *root, const char *bus_id)
{
	char dir[PATH_MAX], text[32];
	int64_t node;

	if (!device_path(root, bus_id, dir))
		return -1;
	root_line(dir, "/numa_node", text, sizeof(text));
	return num_parse_i64(text, 0, 4095, &node) ? -1 : (int)node;
}

double host_pcie_gbps(int gen, int width)
{
	if (gen < 1 || gen >= (int)(N_ELEMENTS(pcie_rates)) || width < 1 || width > 32)
		return NAN;
	return pcie_rates[gen].gts * pcie_rates[gen].efficiency * width / 8;
}
