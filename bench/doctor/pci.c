/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the GPUs hang in the PCI tree, what lies above them, whether addresses are translated
 * (IOMMU) and whether bridges send peer traffic up to the CPU (ACS). Read from sysfs; no lspci, no
 * library.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "doctor/doctor.h"
#include "doctor/hardware.h"
#include "machine/root.h"

enum {
	CONFIG_BYTES = 4096, /* root reads all of it, others 64 bytes */
	EXTENDED = 0x100,    /* first extended capability */
	CAP_ACS = 0x000d,
	ACS_CONTROL = 6,
	ACS_REDIRECTS = 0x04 | 0x08, /* P2P request and completion redirect */
};

const char *const path_names[PATH_COUNT] = { "?", "X", "NVL", "PIX", "PXB", "PHB", "NODE", "SYS" };

/* CUDA writes capitals, NVML eight digits of domain. */
static void normal_bus(char *bus)
{
	char *first = strchr(bus, ':');

	for (char *p = bus; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (first && first - bus == 8)
		memmove(bus, bus + 4, strlen(bus + 4) + 1);
}

/* "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0" -> what follows devices/, one each. */
static void read_place(struct doctor *d, struct doctor_gpu *g)
{
	char rest[96], link[PATH_MAX], real[PATH_MAX], *save = NULL, *p;

	snprintf(rest, sizeof(rest), "/sys/bus/pci/devices/%s", g->bus);
	root_path(d->root, rest, link);
	if (!g->bus[0] || !realpath(link, real))
		return;
	p = strstr(real, "/devices/");
	while (p && strstr(p + 1, "/devices/")) /* the root's own name may hold the word */
		p = strstr(p + 1, "/devices/");
	for (p = p ? strtok_r(p + strlen("/devices/"), "/", &save) : NULL;
	     p && g->depth < DOCTOR_DEPTH_MAX; p = strtok_r(NULL, "/", &save))
		snprintf(g->above[g->depth++], sizeof(g->above[0]), "%s", p);
	g->numa = host_pci_node(d->root, g->bus);
	snprintf(rest, sizeof(rest), "/sys/bus/pci/devices/%s/iommu_group/type", g->bus);
	root_line(d->root, rest, g->iommu, sizeof(g->iommu));
}

/* As NCCL and nvidia-smi: one switch PIX, several PXB, the same host bridge PHB, then NODE and SYS.
 */
static enum path path_between(const struct doctor_gpu *a, const struct doctor_gpu *b)
{
	int common = 0, deepest = a->depth > b->depth ? a->depth : b->depth;

	if (!a->depth || !b->depth)
		return PATH_UNKNOWN;
	while (common < a->depth && common < b->depth &&
	       strcmp(a->above[common], b->above[common]) == 0)
		common++;
	if (common == 0)
		return a->numa >= 0 && a->numa == b->numa ? PATH_NODE : PATH_SYS;
	if (common == 1)
		return PATH_PHB;
	return common == deepest - 2 ? PATH_PIX : PATH_PXB;
}

/* Value of the ACS control register; false when the device has none or it may not be read. */
static bool acs_control(const unsigned char *c, size_t len, unsigned *control)
{
	size_t at = EXTENDED;

	for (int i = 0; i < 64 && at + 8 <= len && at >= EXTENDED; i++) {
		unsigned head = (unsigned)c[at] | (unsigned)c[at + 1] << 8 |
				(unsigned)c[at + 2] << 16 | (unsigned)c[at + 3] << 24;

		if ((head & 0xffff) == CAP_ACS) {
			*control = (unsigned)c[at + ACS_CONTROL] | (unsigned)c[at + ACS_CONTROL + 1]
								       << 8;
			return true;
		}
		at = head >> 20;
	}
	return false;
}

static void read_bridge(struct doctor *d, const char *bus)
{
	struct doctor_bridge *b = &d->bridge[d->n_bridges];
	char rest[96], path[PATH_MAX], *text = NULL;
	size_t len = 0;

	for (int i = 0; i < d->n_bridges; i++)
		if (strcmp(d->bridge[i].bus, bus) == 0)
			return;
	if (d->n_bridges == DOCTOR_BRIDGES_MAX)
		return;
	d->n_bridges++;
	*b = (struct doctor_bridge){ .redirects = ANSWER_UNKNOWN };
	snprintf(b->bus, sizeof(b->bus), "%s", bus);
	snprintf(rest, sizeof(rest), "/sys/bus/pci/devices/%s/config", bus);
	root_path(d->root, rest, path);
	if (file_read_all(path, CONFIG_BYTES, &text, &len) == 0 && len >= EXTENDED + 4) {
		bool has = acs_control((const unsigned char *)text, len, &b->control);

		b->redirects = has && b->control & ACS_REDIRECTS ? ANSWER_YES : ANSWER_NO;
	}
	free(text);
}

static void read_iommu(struct doctor *d)
{
	char path[PATH_MAX];
	bool empty = true;

	root_path(d->root, "/sys/class/iommu", path);
	d->iommu_on = file_dir_empty(path, &empty) == 0 && !empty;
	root_path(d->root, "/sys/module/nvidia_peermem", path);
	d->peermem = file_exists(path) ? ANSWER_YES : ANSWER_NO;
}

void doctor_read_pci(struct doctor *d)
{
	for (int i = 0; i < d->n_gpus; i++) {
		normal_bus(d->gpu[i].bus);
		read_place(d, &d->gpu[i]);
		d->gpu[i].family = hardware_find(d->gpu[i].name, d->gpu[i].cc);
		for (int k = 1; k + 1 < d->gpu[i].depth;
		     k++) /* 0 is the host bridge, the last the GPU */
			read_bridge(d, d->gpu[i].above[k]);
	}
	for (int i = 0; i < d->n_gpus; i++)
		for (int j = 0; j < d->n_gpus; j++)
			d->pair[i][j].path =
			    i == j ? PATH_SELF : path_between(&d->gpu[i], &d->gpu[j]);
	read_iommu(d);
}

/* ---- without CUDA ---- */

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static bool is_gpu(const struct doctor *d, const char *bus)
{
	char rest[128], text[32];

	snprintf(rest, sizeof(rest), "/sys/bus/pci/devices/%.40s/vendor", bus);
	root_line(d->root, rest, text, sizeof(text));
	if (strcmp(text, "0x10de") != 0)
		return false;
	snprintf(rest, sizeof(rest), "/sys/bus/pci/devices/%.40s/class", bus);
	root_line(d->root, rest, text, sizeof(text));
	return strncmp(text, "0x0300", 6) == 0 || strncmp(text, "0x0302", 6) == 0;
}

static void read_model(const struct doctor *d, const char *bus, char *out, size_t max)
{
	char rest[128], path[PATH_MAX], *text = NULL, *p;
	size_t len;

	snprintf(rest, sizeof(rest), "/proc/driver/nvidia/gpus/%.40s/information", bus);
	root_path(d->root, rest, path);
	if (file_read_all(path, 65536, &text, &len) == 0 && (p = strstr(text, "Model:"))) {
		p += strlen("Model:");
		p += strspn(p, " \t");
		snprintf(out, max, "%.*s", (int)strcspn(p, "\n"), p);
		root_clean(out);
	}
	free(text);
}

void doctor_find_gpus(struct doctor *d)
{
	struct dirent **names = NULL;
	char path[PATH_MAX];
	int n;

	root_path(d->root, "/sys/bus/pci/devices", path);
	n = scandir(path, &names, visible, alphasort);
	for (int i = 0; i < n; i++) {
		struct doctor_gpu *g = &d->gpu[d->n_gpus];

		if (d->n_gpus < DOCTOR_GPUS_MAX && strlen(names[i]->d_name) < sizeof(g->bus) &&
		    is_gpu(d, names[i]->d_name)) {
			*g = (struct doctor_gpu){ .index = d->n_gpus,
						  .mem_total = -1,
						  .mem_free = -1,
						  .nvlinks = -1,
						  .numa = -1 };
			snprintf(g->bus, sizeof(g->bus), "%.31s", names[i]->d_name);
			read_model(d, names[i]->d_name, g->name, sizeof(g->name));
			d->n_gpus++;
		}
		free(names[i]);
	}
	free(names);
}

void doctor_path(const struct doctor *d, int i, int j, char *out, size_t max)
{
	if (i != j && d->pair[i][j].links > 0)
		snprintf(out, max, "NV%d", d->pair[i][j].links);
	else
		snprintf(out, max, "%s", path_names[d->pair[i][j].path]);
}
