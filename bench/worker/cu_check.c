/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the last failure. No policy: whether it is one is the caller's business. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "worker/cu_check.h"

static struct {
	int code;
	char text[1024];
} last = { 0, "nothing failed" };

int failure_set(enum nb_backend_status status, int code, const char *fmt, ...)
{
	va_list ap;
	size_t i;

	last.code = code;
	va_start(ap, fmt);
	(void)vsnprintf(last.text, sizeof(last.text), fmt, ap);
	va_end(ap);
	for (i = 0; last.text[i]; i++) /* one line: libraries like to end theirs with a newline */
		if (last.text[i] == '\n')
			last.text[i] = ' ';
	while (i > 0 && last.text[i - 1] == ' ')
		last.text[--i] = '\0';
	return status;
}

const char *failure_text(int *code)
{
	*code = last.code;
	return last.text;
}

/* "newer.ncclMemAlloc(&a->base, bytes)": the name alone. */
static void name_of(const char *call, char *out, size_t max)
{
	size_t end = strcspn(call, "("), start = end;

	while (start > 0 && call[start - 1] != '.')
		start--;
	(void)snprintf(out, max, "%.*s", (int)(end - start), call + start);
}

int failure_cuda(const char *call, int rc)
{
	enum nb_backend_status status = NB_BACKEND_ERROR;
	char name[64];

	name_of(call, name, sizeof(name));
	if (rc == cudaErrorMemoryAllocation)
		status = NB_BACKEND_OOM;
	(void)cudaGetLastError(); /* else the next launch would report this one again */
	return failure_set(status, rc, "%s failed: %s (%d)", name,
			   cudaGetErrorString((cudaError_t)rc), rc);
}

int failure_nccl(const char *call, int rc)
{
	const char *words = ncclGetLastError(NULL);
	char name[64];

	name_of(call, name, sizeof(name));
	return failure_set(NB_BACKEND_ERROR, rc, "%s failed: %s (%d)%s%s", name,
			   ncclGetErrorString((ncclResult_t)rc), rc, words && *words ? ": " : "",
			   words ? words : "");
}
