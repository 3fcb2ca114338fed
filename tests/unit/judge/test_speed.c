/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 100 000 rows on each side are read, joined and judged: in how much memory, and, as a benchmark
 * (test_speed SECONDS), in how many seconds of processor time. The bounds are those of
 * docs/gate.md. Prints both.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "data/record.h"
#include "judge/judge.h"
#include "judge/pool.h"
#include "judge/series.h"

#define ROWS 100000
#define SIZES 25
#define MIB_MAX 300.0

static void add_row(struct buf *b, int i, double factor)
{
	struct record r;
	char map[RECORD_TEXT];

	record_init(&r);
	record_set(r.backend, sizeof(r.backend), "nccl");
	record_set(r.transport, sizeof(r.transport), "p2p");
	record_set(r.variant, sizeof(r.variant), "plain");
	record_set(r.op, sizeof(r.op), "all_reduce");
	record_set(r.dtype, sizeof(r.dtype), "float");
	record_set(r.redop, sizeof(r.redop), "sum");
	record_set(r.timing, sizeof(r.timing), "graph");
	record_set(r.outcome, sizeof(r.outcome), "ok");
	record_set(r.used, sizeof(r.used), "P2P/CUMEM");
	snprintf(map, sizeof(map), "map%d", i / SIZES);
	record_set(r.map, sizeof(r.map), map);
	r.ranks = 2;
	r.bytes = (uint64_t)8 << i % SIZES;
	r.time_us = (10 + i % 7) * factor /* few digits: writing them is not what is timed */;
	r.ci_lo_us = r.time_us * .99;
	r.ci_hi_us = r.time_us * 1.01;
	r.restarts = 10;
	r.samples = 100;
	r.ops_per_batch = 20;
	record_write(b, &r);
}

static void one_side(struct buf *b, double factor)
{
	record_header(b, 0);
	for (int i = 0; i < ROWS; i++) /* far apart in the file what is near in the key: unsorted */
		add_row(b, (int)((long long)i * 7919 % ROWS), factor);
}

static double mib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1024;
}

/* Not the clock on the wall: others use this machine, too. */
static double processor_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	double allowed = argc > 1 ? strtod(argv[1], NULL) : INFINITY;
	struct buf old = { 0 }, new = { 0 };
	struct pool pool = { 0 };
	struct series base, now;
	const struct series *bases[] = { &base };
	struct judge_options o;
	struct judgement j;
	char why[512];
	double seconds;
	int rc;

	one_side(&old, 1);
	one_side(&new, 1.2);
	judge_defaults(&o);
	seconds = processor_seconds();
	rc = series_parse(&pool, old.data, old.len, NULL, 0, NULL, 0, &base, why, sizeof(why));
	if (rc == 0)
		rc = series_parse(&pool, new.data, new.len, NULL, 0, NULL, 0, &now, why,
				  sizeof(why));
	if (rc == 0)
		rc = judge_run(&pool, bases, 1, &now, NULL, &o, &j);
	seconds = processor_seconds() - seconds;
	if (rc) {
		printf("failed: %s (%d)\n", why, rc);
		return 1;
	}
	printf("2 x %d rows, %.0f MB of text: %.2f s of processor time, %.0f MiB at most (with the "
	       "texts), %zu "
	       "points, %zu groups, exit %d\n",
	       ROWS, (double)(old.len + new.len) / 1e6, seconds, mib(), j.n_points, j.n_groups,
	       j.exit_code);
	rc = seconds > allowed || mib() > MIB_MAX || j.n_points != ROWS || j.exit_code != 1;
	judge_fini(&j);
	series_fini(&base);
	series_fini(&now);
	pool_fini(&pool);
	buf_fini(&old);
	buf_fini(&new);
	return rc;
}
