/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "worker/ucx_memory.h"

#define PAGE_BYTES 4096
#define MEMINFO_MAX 65536

static uint64_t meminfo_available(void)
{
	static const char key[] = "\nMemAvailable:";
	uint64_t bytes = 0;
	char *text, *at;
	size_t len;

	if (file_read_all("/proc/meminfo", MEMINFO_MAX, &text, &len))
		return 0;
	at = strstr(text, key);
	if (at)
		bytes = strtoull(at + strlen(key), NULL, 10) *
			1024; /* the kernel says kB and means KiB */
	free(text);
	return bytes;
}

static int64_t cgroup_number(const char *path)
{
	char line[64];
	int64_t value;

	file_first_line(path, line, sizeof(line));
	return num_parse_i64(line, 0, INT64_MAX, &value) ? -1 : value; /* "max" or no such file */
}

uint64_t ucx_memory_available(void)
{
	uint64_t host = meminfo_available();
	int64_t limit = cgroup_number("/sys/fs/cgroup/memory.max");
	int64_t used = cgroup_number("/sys/fs/cgroup/memory.current");
	uint64_t rest;

	if (limit < 0 || used < 0)
		return host;
	rest = limit > used ? (uint64_t)(limit - used) : 1;
	return host && host < rest ? host : rest;
}

static int grow(struct ucx_memory *m, int area, uint64_t bytes)
{
	void *p;

	if (bytes <= m->size[area])
		return 0;
	free(m->base[area]);
	m->base[area] = NULL;
	m->size[area] = 0;
	if (posix_memalign(&p, PAGE_BYTES, bytes))
		return -ENOMEM;
	m->base[area] = p;
	m->size[area] = bytes;
	return 0;
}

/* What is held counts as available: it is counted again in `need`. */
static int within_limit(const struct ucx_memory *m, const uint64_t *want, int sharers,
			uint64_t *need, uint64_t *limit)
{
	uint64_t held = 0, total = 0, available;
	int i;

	for (i = 0; i < UCX_AREA_COUNT; i++) {
		uint64_t size = want[i] > m->size[i] ? want[i] : m->size[i];

		if (size > UINT64_MAX / 2 - total)
			size = UINT64_MAX / 2 - total;
		held += m->size[i];
		total += size;
	}
	*need = total;
	*limit = 0;
	available = ucx_memory_available();
	if (!available)
		return 0;
	*limit = (available + held) / 2 / (uint64_t)(sharers > 0 ? sharers : 1);
	return total <= *limit ? 0 : -ENOMEM;
}

int ucx_memory_fit(struct ucx_memory *m, const uint64_t want[UCX_AREA_COUNT], int sharers,
		   uint64_t *need, uint64_t *limit)
{
	int i, r;

	for (i = 0; i < UCX_AREA_COUNT && want[i] <= m->size[i]; i++)
		;
	if (i == UCX_AREA_COUNT)
		return 0;
	r = within_limit(m, want, sharers, need, limit);
	for (i = 0; i < UCX_AREA_COUNT && !r; i++) {
		r = grow(m, i, want[i]);
		if (r)
			*limit = 0;
	}
	return r;
}

void ucx_memory_fini(struct ucx_memory *m)
{
	int i;

	for (i = 0; i < UCX_AREA_COUNT; i++)
		free(m->base[i]);
	*m = (struct ucx_memory){ 0 };
}
