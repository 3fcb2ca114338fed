/* SPDX-License-Identifier: Apache-2.0 */
/* The few figures of a run that decide a setting. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "data/record.h"
#include "doctor/emit.h"

enum { POINTS_MAX = 256 << 20 };

static bool good(const struct record *r)
{
	return strcmp(r->op, "all_reduce") == 0 && strcmp(r->outcome, "ok") == 0 &&
	       isfinite(r->busbw_gbps) && strcmp(r->proof, "no") != 0 &&
	       strcmp(r->backend, "nccl") == 0;
}

static double best(const struct record *rows, size_t n, const char *transport, uint64_t bytes,
		   char *used, size_t max)
{
	double v = NAN;

	for (size_t i = 0; i < n; i++)
		if (good(&rows[i]) && strcmp(rows[i].transport, transport) == 0 &&
		    rows[i].bytes == bytes && !(rows[i].busbw_gbps <= v)) {
			v = rows[i].busbw_gbps;
			if (used)
				snprintf(used, max, "%s", rows[i].used);
		}
	return v;
}

/* The largest size that auto and at least one other have. */
static void compare(const struct record *rows, size_t n, struct measured *m)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t b = rows[i].bytes;

		if (good(&rows[i]) && b > size && isfinite(best(rows, n, "auto", b, NULL, 0)) &&
		    (isfinite(best(rows, n, "p2p", b, NULL, 0)) ||
		     isfinite(best(rows, n, "shm", b, NULL, 0))))
			size = b;
	}
	m->auto_gbps = best(rows, n, "auto", size, m->auto_used, sizeof(m->auto_used));
	m->p2p_gbps = best(rows, n, "p2p", size, NULL, 0);
	m->shm_gbps = best(rows, n, "shm", size, NULL, 0);
}

int measured_read(const char *dir, struct measured *m, char *why, size_t why_max)
{
	char *path = file_join(dir, "points.csv"), *text = NULL;
	struct record *rows = NULL;
	size_t len = 0, n = 0;
	int r = path ? file_read_all(path, POINTS_MAX, &text, &len) : -ENOMEM;

	*m = (struct measured){ .auto_gbps = NAN, .p2p_gbps = NAN, .shm_gbps = NAN };
	if (r)
		snprintf(why, why_max, "%.200s/points.csv: %s", dir, strerror(-r));
	else
		r = record_read_all(text, len, &rows, &n, why, why_max);
	if (r == 0) {
		m->there = true;
		snprintf(m->run, sizeof(m->run), "%s", dir);
		compare(rows, n, m);
	}
	free(rows);
	free(text);
	free(path);
	return r;
}
