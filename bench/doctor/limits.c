/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of this process, container, virtual machine, size of /dev/shm of a recorded tree: from
 * /proc and /sys only. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "doctor/doctor.h"
#include "machine/root.h"

enum { FILE_MAX = 1 << 20 };

static char *read_text(const struct doctor *d, const char *rest)
{
	char path[PATH_MAX], *text = NULL;
	size_t len;

	root_path(d->root, rest, path);
	return path[0] && file_read_all(path, FILE_MAX, &text, &len) == 0 ? text : NULL;
}

/* "Max locked memory       8388608              8388608              bytes": the soft one counts.
 */
static int64_t limit_of(const char *text, const char *name)
{
	const char *p = text ? strstr(text, name) : NULL;

	if (!p)
		return -1;
	p += strlen(name);
	p += strspn(p, " \t");
	return strncmp(p, "unlimited", 9) == 0 ? INT64_MAX
	       : isdigit((unsigned char)*p)    ? strtoll(p, NULL, 10)
					       : -1;
}

static int count_list(const char *p)
{
	long total = 0;

	while (isdigit((unsigned char)*p)) {
		char *end;
		long first = strtol(p, &end, 10),
		     last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (first < 0 || last < first || last > 1 << 20)
			return -1;
		total += last - first + 1;
		p = end + (*end == ',');
	}
	return total > 0 && total < 1 << 20 ? (int)total : -1;
}

static void read_cpus(struct doctor *d)
{
	char *text = read_text(d, "/proc/self/status"),
	     *p = text ? strstr(text, "Cpus_allowed_list:") : NULL;

	d->cpus_allowed = -1;
	if (p) {
		p += strlen("Cpus_allowed_list:");
		d->cpus_allowed = count_list(p + strspn(p, " \t"));
	}
	free(text);
}

/* TABLE: what a file that a container manager leaves behind says. */
static void read_container(struct doctor *d)
{
	static const struct {
		const char *file, *word, *name;
	} signs[] = {
		{ "/.dockerenv", NULL, "Docker" },
		{ "/run/.containerenv", NULL, "Podman" },
		{ "/proc/1/cgroup", "kubepods", "Kubernetes" },
		{ "/proc/1/cgroup", "docker", "Docker" },
		{ "/proc/1/cgroup", "libpod", "Podman" },
		{ "/proc/1/cgroup", "lxc", "LXC" },
		{ "/proc/self/mountinfo", "/containerd/", "containerd" },
		{ "/run/secrets/kubernetes.io", NULL, "Kubernetes" },
	};
	char path[PATH_MAX];

	for (size_t i = 0; i < N_ELEMENTS(signs); i++) {
		char *text = signs[i].word ? read_text(d, signs[i].file) : NULL;

		root_path(d->root, signs[i].file, path);
		if (signs[i].word ? text && strstr(text, signs[i].word) : file_exists(path))
			snprintf(d->container, sizeof(d->container), "%s", signs[i].name);
		free(text);
	}
}

static void read_vm(struct doctor *d)
{
	char *text = read_text(d, "/proc/cpuinfo"), *flags = text ? strstr(text, "\nflags") : NULL,
	     *end;
	char vendor[64], product[64];

	root_line(d->root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	root_line(d->root, "/sys/class/dmi/id/product_name", product, sizeof(product));
	if (flags) {
		end = strchr(flags + 1, '\n');
		if (end)
			*end = '\0';
		if (strstr(flags, " hypervisor"))
			snprintf(d->vm, sizeof(d->vm), "%.30s%s%.30s",
				 vendor[0] ? vendor : "unknown hypervisor", product[0] ? " " : "",
				 product);
	}
	free(text);
	d->wsl = strcasestr(d->host.kernel, "microsoft") != NULL;
}

/* "... /dev/shm rw,nosuid ... - tmpfs shm rw,size=65536k": only of a recorded tree, whose own
 * /dev/shm is not the machine's. */
static void read_recorded_shm(struct doctor *d)
{
	char *text = read_text(d, "/proc/self/mountinfo"),
	     *line = text ? strstr(text, " /dev/shm ") : NULL, *size;
	uint64_t bytes;

	d->host.shm_bytes = d->host.shm_free_bytes = -1;
	if (line) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, " /dev/shm ro", 12) == 0 && (line[12] == ',' || line[12] == ' '))
			d->shm_error = EROFS;
		size = strstr(line, "size=");
		if (size) {
			size += 5;
			size[strcspn(size, ",")] = '\0';
			if (num_parse_size(size, &bytes) == 0)
				d->host.shm_bytes = d->host.shm_free_bytes = (int64_t)bytes;
		} else if (d->host.mem_bytes > 0) {
			d->host.shm_bytes = d->host.shm_free_bytes =
			    d->host.mem_bytes / 2; /* tmpfs' default */
		}
	}
	free(text);
}

int doctor_try_files(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	else if (error == EOPNOTSUPP || error == EISDIR) /* no such files on this file system */
		error = faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0 ? errno : 0;
	return -error;
}

void doctor_read_limits(struct doctor *d)
{
	char *limits = read_text(d, "/proc/self/limits"), text[16];
	int64_t scope;

	d->memlock = limit_of(limits, "Max locked memory");
	d->nofile = limit_of(limits, "Max open files");
	free(limits);
	root_line(d->root, "/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text));
	d->ptrace_scope = num_parse_i64(text, 0, 9, &scope) == 0 ? (int)scope : -1;
	read_cpus(d);
	read_container(d);
	read_vm(d);
	if (d->recorded)
		read_recorded_shm(d);
	else
		d->shm_error = -doctor_try_files("/dev/shm");
}
