/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of a host, read from /proc, /sys and /etc under a root. Only what a file says: no library,
 * no command is asked, and what cannot be read stays unknown. Topology is hwloc's matter, not this
 * file's.
 */
#include "machine/host.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "base/num.h"
#include "machine/root.h"

#define FILE_BYTES_MAX (16 << 20) /* cpuinfo of thousands of processors */

/* Value of the first line "key<separator>value" of a file; false leaves out as it was. */
static bool key_value(const char *root, const char *rest, const char *key, char separator,
		      char *out, size_t max)
{
	char path[PATH_MAX], *text, *rest_of_text, *line;
	bool found = false;
	size_t len;

	root_path(root, rest, path);
	if (file_read_all(path, FILE_BYTES_MAX, &text, &len) < 0)
		return false;
	for (line = strtok_r(text, "\n", &rest_of_text); line != NULL && !found;
	     line = strtok_r(NULL, "\n", &rest_of_text)) {
		char *value = strchr(line, separator);

		if (value == NULL)
			continue;
		*value++ = '\0';
		if (strcmp(root_trim(line), key) != 0)
			continue;
		snprintf(out, max, "%s", root_trim(value));
		root_clean(out);
		found = true;
	}
	free(text);
	return found;
}

/*
 * FNV-1a: it has to differ between machines, and must not give back the id; it need not be secret.
 */
static void hash_line(const char *root, const char *rest, char out[17])
{
	uint64_t hash = 14695981039346656037u;
	char line[128];

	out[0] = '\0';
	root_line(root, rest, line, sizeof(line));
	/* "uninitialized" is systemd's word before the first boot. */
	if (line[0] == '\0' || strcmp(line, "uninitialized") == 0)
		return;
	for (const char *p = line; *p != '\0'; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211u;
	snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

static void read_name(const char *root, char *out, size_t max)
{
	root_line(root, "/proc/sys/kernel/hostname", out, max);
	out[strcspn(out, ".")] = '\0';
	if (out[0] == '\0')
		snprintf(out, max, "unknown");
}

static void read_os(const char *root, char *out, size_t max)
{
	char text[256] = "";
	size_t n;

	if (!key_value(root, "/etc/os-release", "PRETTY_NAME", '=', text, sizeof(text)))
		key_value(root, "/usr/lib/os-release", "PRETTY_NAME", '=', text, sizeof(text));
	n = strlen(text);
	if (n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0]) {
		text[n - 1] = '\0';
		snprintf(out, max, "%s", text + 1);
	} else {
		snprintf(out, max, "%s", text);
	}
}

static void read_cpu(const char *root, char *out, size_t max)
{
	char maker[32], part[32];

	if (key_value(root, "/proc/cpuinfo", "model name", ':', out, max))
		return;
	/* Arm has no name there, only numbers. */
	if (key_value(root, "/proc/cpuinfo", "CPU implementer", ':', maker, sizeof(maker)) &&
	    key_value(root, "/proc/cpuinfo", "CPU part", ':', part, sizeof(part)))
		snprintf(out, max, "Arm implementer %s part %s", maker, part);
}

/* "0-3,8,10-11" -> 7; -1 for anything else. */
static int count_cpu_list(char *text)
{
	int64_t total = 0;

	for (char *save = NULL, *range = strtok_r(text, ",", &save); range != NULL;
	     range = strtok_r(NULL, ",", &save)) {
		char *dash = strchr(range, '-');
		int64_t first, last;

		if (dash != NULL)
			*dash++ = '\0';
		if (num_parse_i64(range, 0, 1 << 20, &first) ||
		    num_parse_i64(dash ? dash : range, first, 1 << 20, &last))
			return -1;
		total += last - first + 1;
	}
	return total > 0 && total <= 1 << 20 ? (int)total : -1;
}

static int64_t meminfo_bytes(const char *root, const char *key)
{
	char text[64];
	int64_t kib;

	if (!key_value(root, "/proc/meminfo", key, ':', text, sizeof(text)))
		return -1;
	text[strcspn(text, " ")] = '\0';
	if (num_parse_i64(text, 0, INT64_MAX / 1024, &kib))
		return -1;
	return kib * 1024;
}

static void read_shm(const char *root, struct host_facts *out)
{
	char path[PATH_MAX];
	struct statvfs fs;

	root_path(root, "/dev/shm", path);
	if (statvfs(path, &fs))
		return;
	out->shm_bytes = (int64_t)(fs.f_blocks * (uint64_t)fs.f_frsize);
	out->shm_free_bytes = (int64_t)(fs.f_bavail * (uint64_t)fs.f_frsize);
}

static int visible_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Number of entries; their names, in order, as many as fit whole, go to out (may be NULL). */
static int list_dir(const char *root, const char *rest, char *out, size_t max)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX];
	size_t used = 0;
	int n;

	root_path(root, rest, path);
	n = scandir(path, &entries, visible_entry, alphasort);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entries[i]->d_name);

		if (out != NULL && used + len + 2 <= max)
			used += (size_t)snprintf(out + used, max - used, "%s%s", used ? " " : "",
						 entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (out != NULL)
		root_clean(out);
	return n < 0 ? 0 : n;
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug ..." -> the dotted number */
static void read_driver(const char *root, char *out, size_t max)
{
	char line[256];

	root_line(root, "/proc/driver/nvidia/version", line, sizeof(line));
	for (char *save = NULL, *word = strtok_r(line, " \t?", &save); word != NULL;
	     word = strtok_r(NULL, " \t?", &save)) {
		if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.') != NULL) {
			snprintf(out, max, "%s", word);
			return;
		}
	}
	root_line(root, "/sys/module/nvidia/version", out, max);
}

void host_read(const char *root, struct host_facts *out)
{
	char online[512];

	*out = (struct host_facts){ .mem_bytes = -1, .shm_bytes = -1, .shm_free_bytes = -1 };
	read_name(root, out->name, sizeof(out->name));
	hash_line(root, "/etc/machine-id", out->id);
	if (out->id[0] == '\0')
		hash_line(root, "/var/lib/dbus/machine-id", out->id);
	hash_line(root, "/proc/sys/kernel/random/boot_id", out->boot);
	root_line(root, "/proc/sys/kernel/osrelease", out->kernel, sizeof(out->kernel));
	read_os(root, out->os, sizeof(out->os));
	read_cpu(root, out->cpu, sizeof(out->cpu));
	root_line(root, "/sys/devices/system/cpu/online", online, sizeof(online));
	out->cpus_online = count_cpu_list(online);
	out->mem_bytes = meminfo_bytes(root, "MemTotal");
	out->mem_free_bytes = meminfo_bytes(root, "MemAvailable");
	read_shm(root, out);
	out->ib_devices =
	    list_dir(root, "/sys/class/infiniband", out->ib_names, sizeof(out->ib_names));
	out->gpus_proc = list_dir(root, "/proc/driver/nvidia/gpus", NULL, 0);
	read_driver(root, out->driver, sizeof(out->driver));
}

/* The kernel wants a mask at least as long as its own and says EINVAL until it is. */
int host_cpus_allowed(void)
{
	for (size_t cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		size_t size = CPU_ALLOC_SIZE(cpus);
		int n = -1, fault = 0;

		if (set == NULL)
			return -1;
		CPU_ZERO_S(size, set);
		if (sched_getaffinity(0, size, set) == 0)
			n = CPU_COUNT_S(size, set);
		else
			fault = errno;
		CPU_FREE(set);
		if (n >= 0 || fault != EINVAL)
			return n;
	}
	return -1;
}
