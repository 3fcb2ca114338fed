/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which libnccl a program would load here and which one PyTorch brings. Only names of files are
 * looked at, and at the loader's cache: nothing is loaded, no Python is started.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "doctor/doctor.h"
#include "machine/root.h"
#include "proc/child.h"

enum { CACHE_MAX = 1 << 20 };
#define LIBRARY_MAX (2LL << 30)
#define LDCONFIG_NS (30 * CLOCK_S)

static const char *get(char *const *environment, const char *name)
{
	size_t n = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=')
			return *environment + n + 1;
	return NULL;
}

/* "/usr/lib/libnccl.so.2.28.3" -> "2.28.3": the name behind the link tells. */
static void version_of_name(const char *path, char *out, size_t max)
{
	const char *p = strstr(path, "libnccl.so.");
	int parts = 0;

	out[0] = '\0';
	p = p ? p + strlen("libnccl.so.") : "";
	for (const char *q = p; *q; q++)
		parts += *q == '.';
	if (parts == 2)
		snprintf(out, max, "%s", p);
}

/* Where no name tells: the library's banner, "NCCL version 2.28.3 compiled with CUDA". */
static void version_of_banner(const char *path, char *out, size_t max)
{
	static const char words[] = "NCCL version ";
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *map = MAP_FAILED, *p;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 64 && st.st_size < LIBRARY_MAX)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return;
	for (size_t at = 0; (p = memmem(map + at, (size_t)st.st_size - at, words, strlen(words)));
	     at = (size_t)(p - map)) {
		char text[24];

		p += strlen(words);
		if (map + st.st_size - p < (ptrdiff_t)sizeof(text))
			break;
		snprintf(text, sizeof(text), "%.*s", (int)sizeof(text) - 1, p);
		text[strspn(text, "0123456789.")] = '\0';
		if (text[0] && strchr(text, '.')) {
			snprintf(out, max, "%s", text);
			break;
		}
	}
	(void)munmap(map, (size_t)st.st_size);
}

/* False when there is no such file. Paths under a root lose it again. */
static bool add_library(struct doctor *d, const char *where, const char *path, const char *version)
{
	struct doctor_lib *l = &d->lib[d->n_libs];
	char real[PATH_MAX];
	size_t root = strlen(d->root);

	if (!realpath(path, real))
		return false;
	if (d->n_libs == DOCTOR_LIBS_MAX)
		return true;
	*l = (struct doctor_lib){ .where = "" };
	snprintf(l->where, sizeof(l->where), "%s", where);
	snprintf(l->path, sizeof(l->path), "%.511s",
		 strncmp(path, d->root, root) == 0 ? path + root : path);
	root_clean(l->path);
	version_of_name(real, l->version, sizeof(l->version));
	if (!l->version[0] && !version)
		version_of_banner(real, l->version, sizeof(l->version));
	if (version)
		snprintf(l->version, sizeof(l->version), "%s", version);
	d->n_libs++;
	return true;
}

/* As the loader: LD_LIBRARY_PATH, the cache, the usual folders. */
static bool find_in_path(struct doctor *d, const char *folders)
{
	char *copy = strdup(folders), *save = NULL, path[PATH_MAX];
	bool found = false;

	for (char *dir = copy ? strtok_r(copy, ":", &save) : NULL; dir && !found;
	     dir = strtok_r(NULL, ":", &save)) {
		snprintf(path, sizeof(path), "%s%.2000s/libnccl.so.2", d->root, dir);
		found = add_library(d, "loader", path, NULL);
	}
	free(copy);
	return found;
}

static bool find_in_cache(struct doctor *d)
{
	char *argv[] = { (char *)"ldconfig", (char *)"-p", NULL };
	char *out = d->recorded ? NULL : calloc(1, CACHE_MAX), *p;
	bool found = false;

	if (out &&
	    (child_run("/sbin/ldconfig", argv, NULL, LDCONFIG_NS, out, CACHE_MAX) == 0 ||
	     child_run("ldconfig", argv, NULL, LDCONFIG_NS, out, CACHE_MAX) == 0) &&
	    (p = strstr(out, "libnccl.so.2 ")) && (p = strstr(p, "=> "))) {
		p += 3;
		p[strcspn(p, "\n")] = '\0';
		found = add_library(d, "loader", p, NULL);
	}
	free(out);
	return found;
}

/* ---- PyTorch ---- */

/* ".../nvidia_nccl_cu12-2.21.5.dist-info", ".../torch-2.5.1+cu124.dist-info" -> what lies between -
 * and .dist-info */
static bool dist_version(const char *site, const char *pattern, char *out, size_t max)
{
	char path[PATH_MAX];
	glob_t g;
	bool found = false;

	snprintf(path, sizeof(path), "%.3000s/%s", site, pattern);
	if (glob(path, 0, NULL, &g) == 0 && g.gl_pathc) {
		const char *name = strrchr(g.gl_pathv[0], '/'),
			   *dash = name ? strchr(name, '-') : NULL;

		if (dash) {
			snprintf(out, max, "%s", dash + 1);
			if (strstr(out, ".dist-info"))
				*strstr(out, ".dist-info") = '\0';
			root_clean(out);
			found = true;
		}
	}
	globfree(&g);
	return found;
}

static bool read_site(struct doctor *d, const char *site)
{
	char path[PATH_MAX], version[24] = "";
	bool torch = dist_version(site, "torch-[0-9]*.dist-info", d->torch, sizeof(d->torch));
	bool nccl =
	    dist_version(site, "nvidia_nccl_cu*-[0-9]*.dist-info", version, sizeof(version));

	snprintf(path, sizeof(path), "%.3000s/nvidia/nccl/lib/libnccl.so.2", site);
	return add_library(d, "pytorch", path, nccl ? version : NULL) || torch;
}

/* The first that holds something, as the order of a shell's python3 would have it. */
static void find_torch(struct doctor *d, char *const *environment)
{
	static const struct {
		const char *variable, *rest;
	} places[] = {
		{ "VIRTUAL_ENV", "/lib/python3*/site-packages" },
		{ "CONDA_PREFIX", "/lib/python3*/site-packages" },
		{ NULL, "/opt/conda/lib/python3*/site-packages" },
		{ NULL, "/opt/venv/lib/python3*/site-packages" },
		{ "HOME", "/.local/lib/python3*/site-packages" },
		{ NULL, "/usr/local/lib/python3*/dist-packages" },
		{ NULL, "/usr/local/lib/python3*/site-packages" },
		{ NULL, "/usr/lib/python3*/site-packages" },
		{ NULL, "/usr/lib/python3/dist-packages" },
	};
	char pattern[PATH_MAX];
	bool found = false;

	for (size_t i = 0; i < N_ELEMENTS(places) && !found; i++) {
		const char *base = places[i].variable ? get(environment, places[i].variable) : "";
		glob_t g;

		if (!base || (places[i].variable && !base[0]))
			continue;
		snprintf(pattern, sizeof(pattern), "%s%.2000s%s", d->root, base, places[i].rest);
		if (glob(pattern, 0, NULL, &g) == 0)
			for (size_t k = 0; k < g.gl_pathc && !found; k++)
				found = read_site(d, g.gl_pathv[k]);
		globfree(&g);
	}
}

void doctor_read_libs(struct doctor *d, char *const *environment)
{
	const char *path = get(environment, "LD_LIBRARY_PATH");

	if (!(path && find_in_path(d, path)) && !find_in_cache(d))
		(void)find_in_path(
		    d, "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:"
		       "/usr/lib/aarch64-linux-gnu:/usr/lib64:/lib64:/usr/lib:/usr/local/lib");
	find_torch(d, environment);
}

int doctor_nccl_version(const struct doctor *d, const struct doctor_lib **which)
{
	static const char *const order[] = { "pytorch", "loader", "worker" };
	int a, b, c;

	for (size_t o = 0; o < N_ELEMENTS(order); o++)
		for (int i = 0; i < d->n_libs; i++)
			if (strcmp(d->lib[i].where, order[o]) == 0 &&
			    sscanf(d->lib[i].version, "%d.%d.%d", &a, &b, &c) == 3) {
				if (which)
					*which = &d->lib[i];
				return a * 10000 + b * 100 + c;
			}
	return 0;
}
