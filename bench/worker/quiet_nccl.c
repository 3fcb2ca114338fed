/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes NCCL stop writing a line per collective (subsystem TUNING) once the path is proven: the log
 * goes on without it into the file at NB_QUIET_LOG_FD. ncclResetDebugInit makes NCCL read its
 * NCCL_DEBUG variables again; it is exported since 2.24 and deprecated, so its absence is normal
 * and costs a noisier log only.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ncclbench/protocol.h"
#include "worker/nccl_rank.h"

#define SUBSYS "NCCL_DEBUG_SUBSYS"

/* `list` without TUNING, which may stand anywhere; "" is never made of a list (that means INIT). */
static void without_tuning(const char *list, char *out, size_t max)
{
	const char *word = list;
	size_t used = 0, len;

	out[0] = '\0';
	for (;;) {
		len = strcspn(word, ",");
		if (len && !(len == 6 && memcmp(word, "TUNING", 6) == 0))
			used += (size_t)snprintf(out + used, max - used, "%s%.*s", used ? "," : "",
						 (int)len, word);
		if (!word[len] || used >= max)
			break;
		word += len + 1;
	}
}

void nccl_quiet(void)
{
	const char *now = getenv(SUBSYS);
	void (*reset)(void);
	char list[512], path[32];
	void *symbol;

	symbol = dlsym(RTLD_DEFAULT, "ncclResetDebugInit");
	if (!symbol || !now || !strstr(now, "TUNING") || strlen(now) >= sizeof(list))
		return;
	without_tuning(now, list, sizeof(list));
	if (setenv(SUBSYS, list[0] ? list : "INIT", 1))
		return;
	if (fcntl(NB_QUIET_LOG_FD, F_GETFD) >= 0) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", NB_QUIET_LOG_FD);
		(void)setenv("NCCL_DEBUG_FILE", path, 1);
	}
	memcpy(&reset, &symbol, sizeof(reset));
	reset();
}
