/* SPDX-License-Identifier: Apache-2.0 */
#include "run/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/pairs.h"
#include "proc/child.h"
#include "run/coord.h"
#include "run/environment.h"

#define PROBE_MAX 262144

bool facts_text_get(const char *text, const char *key, char *out, size_t max)
{
	return pairs_get(text, key, out, max);
}

bool facts_get(const struct facts *f, int rank, const char *key, char *out, size_t max)
{
	out[0] = '\0';
	return rank >= 0 && rank < f->n && facts_text_get(f->text[rank], key, out, max);
}

int64_t facts_int(const struct facts *f, int rank, const char *key, int64_t absent)
{
	char text[64];
	int64_t v = absent;

	if (!facts_get(f, rank, key, text, sizeof(text)) ||
	    num_parse_i64(text, INT64_MIN, INT64_MAX, &v) != 0)
		return absent;
	return v;
}

int facts_device(const struct facts *f, int rank)
{
	return (int)facts_int(f, rank, "device", 0);
}

bool facts_gpu(const struct facts *f, int rank, const char *key, char *out, size_t max)
{
	char name[80];

	snprintf(name, sizeof(name), "gpu%d.%s", facts_device(f, rank), key);
	return facts_get(f, rank, name, out, max);
}

bool facts_same_host(const struct facts *f, int a, int b)
{
	char x[256], y[256];
	bool same = true;

	for (int i = 0; i < 2 && same; i++) {
		const char *key = i ? "boot" : "host";

		facts_get(f, a, key, x, sizeof(x));
		facts_get(f, b, key, y, sizeof(y));
		same = strcmp(x, y) == 0;
	}
	return same;
}

void facts_free(struct facts *f)
{
	coord_free_texts(f->text, f->n);
	f->text = NULL;
	f->n = 0;
}

bool facts_probe(const char *worker, const char *nccl_lib, int64_t timeout_ns, char **text,
		 char *why, size_t why_max)
{
	char *argv[] = { (char *)worker, (char *)"--probe", NULL };
	char *out = calloc(1, PROBE_MAX);
	struct env env = { 0 };
	int r = out ? env_inherit(&env, environ) : -ENOMEM;

	if (r == 0 && nccl_lib)
		r = environment_preload(&env, nccl_lib);
	if (r == 0)
		r = child_run(worker, argv, env.vec, timeout_ns, out, PROBE_MAX);
	env_fini(&env);
	if (r == 0) {
		*text = out;
		return true;
	}
	if (r == -ENOENT)
		snprintf(why, why_max, "%s is not there", worker);
	else if (r == -ETIMEDOUT)
		snprintf(why, why_max, "%s --probe " FACTS_PROBE_HUNG " within %.0f s", worker,
			 (double)timeout_ns / 1e9);
	else if (r < 0)
		snprintf(why, why_max, "cannot run %s: %s", worker, strerror(-r));
	else if (r > 128)
		snprintf(why, why_max, "%s --probe " FACTS_PROBE_DIED " by signal %d (%s)", worker,
			 r - 128, strsignal(r - 128));
	else
		snprintf(why, why_max, "%s --probe ended with status %d%s%.200s", worker, r,
			 out[0] ? ": " : "", out);
	free(out);
	return false;
}
