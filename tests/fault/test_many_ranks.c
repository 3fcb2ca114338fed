/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole campaigns of 512 ranks, as threads of one process over scripted in-process workers
 * (inproc.h): what is merged, agreed on, written and shown. Not how long it takes: that is
 * `test_many_ranks --benchmark`, which no test looks at.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "inproc.h"
#include "report/table.h"
#include "report/view.h"
#include "spec/op.h"
#include "spec/outcome.h"
#include "spec/timing.h"
#include "spec/transport.h"
#include "trial.h"

enum { RANKS = 512 };

/* cmocka's own compares floats. */
#define assert_near(got, want, by) assert_true(fabs((got) - (want)) <= (by))

static char dir[] = "/tmp/ncclbench-many-XXXXXX";
static int counter;

static void set_up(struct trial *t, char *out, size_t max, const struct inproc_deed *deeds, int n)
{
	snprintf(out, max, "%s/run%d", dir, counter++);
	trial_init(t, "in this process", out);
	t->ranks = RANKS;
	t->request.transports = 1ULL << TRANSPORT_SOCKET;
	inproc_script(deeds, n);
}

/* All ranks came to the same end. */
static void run(struct trial *t)
{
	if (!trial_run(t) || !trial_is_complete(t))
		fail_msg("%s", t->why);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(t->code[i], 0);
	assert_false(t->broken);
	assert_false(t->interrupted);
}

static const struct record *row(const struct trial *t, size_t point, const char *outcome,
				const char *proof)
{
	const struct record *r = trial_row(t, point);

	assert_non_null(r);
	if (strcmp(r->outcome, outcome) != 0 || strcmp(r->proof, proof) != 0)
		fail_msg("point %zu: %s, proof %s: %s", point, r->outcome, r->proof, r->detail);
	return r;
}

/* ---- merge and table ---- */

struct seen {
	size_t n;
};

/* The slowest of 512 ranks takes 2000 + 511 x 10 = 7110 ns, the mean is 2000 + 255.5 x 10 = 4555
 * ns. */
static int one_sample(void *arg, const struct record *r, const struct sample *s, size_t line)
{
	struct seen *seen = arg;

	assert_int_equal(s->slowest_rank, 511);
	assert_near(s->max_us, 7.11, 1e-9);
	assert_near(s->mean_us, 4.555, 1e-9);
	assert_near(s->min_us, 2, 1e-9);
	/* 20 operations a loop take 142.2 us; 4 replays are the first power of four above 500 us.
	 */
	assert_near(s->ops_per_batch, 80, 0);
	seen->n++;
	return 0;
}

static void look_at_samples(const struct trial *t, size_t wanted)
{
	struct seen seen = { 0 };
	const struct record_stream to = { .row = one_sample, .arg = &seen, .samples = 1 };
	char *path = file_join(t->dir, "samples.csv"), *data = NULL, why[200];
	size_t len = 0;

	assert_int_equal(file_read_all(path, 64 << 20, &data, &len), 0);
	assert_int_equal(record_read_stream(data, len, &to, why, sizeof(why)), 0);
	assert_int_equal(seen.n, wanted);
	free(data);
	free(path);
}

static void look_at_table(const struct trial *t)
{
	struct view v = { .rows = t->rows, .n_rows = t->n_rows, .one_host = true };
	struct buf b = { 0 };

	table_text(&b, &v, 0, false);
	assert_false(b.failed);
	assert_non_null(strstr(buf_text(&b), "socket (loopback TCP)"));
	assert_non_null(strstr(buf_text(&b), "backend nccl, 512 ranks"));
	assert_non_null(strstr(buf_text(&b), "NET/Socket (yes)            0.287        7.11\n"));
	assert_non_null(strstr(buf_text(&b), "2 points: 2 ok"));
	buf_fini(&b);
}

static void all_are_well(void **state)
{
	struct trial t;
	char out[128];

	set_up(&t, out, sizeof(out), NULL, 0);
	run(&t);
	for (size_t i = 0; i < 2; i++) {
		const struct record *r = row(&t, i, "ok", "yes");

		assert_string_equal(r->used, "NET/Socket");
		assert_near(r->time_us, 7.11, 1e-9);
		assert_int_equal(r->ranks, RANKS);
		assert_near(r->samples, 3, 0);
		assert_near(r->channels, 2, 0);
		assert_string_equal(r->stop, "precision");
	}
	/* 1024 B / 7.11 us = 0.1440225 GB/s; x 2 x 511 / 512 = 0.2874824 */
	assert_near(row(&t, 1, "ok", "yes")->algbw_gbps, 0.1440225, 1e-7);
	assert_near(row(&t, 1, "ok", "yes")->busbw_gbps, 0.2874824, 1e-7);
	look_at_samples(&t, 6);
	look_at_table(&t);
	trial_fini(&t);
}

/* ---- agreement ---- */

/* 511 ranks wait for the one that is dead; its alarm ends that. New workers measure the other
 * point. */
static void one_of_them_dies(void **state)
{
	/* Turn 3 at RUN: two single operations, then the first pilot. */
	static const struct inproc_deed deeds[] = {
		{ .kind = INPROC_CRASH,
		  .rank = 300,
		  .phase = PHASE_RUN,
		  .nth = 3,
		  .others_wait = 1 },
	};
	struct trial t;
	char out[128];
	size_t crashed;

	set_up(&t, out, sizeof(out), deeds, 1);
	run(&t);
	crashed = strcmp(trial_row(&t, 0)->outcome, "crash") == 0 ? 0 : 1;
	assert_string_equal(trial_row(&t, crashed)->outcome, "crash");
	assert_string_equal(trial_row(&t, crashed)->phase, "run");
	assert_string_equal(trial_row(&t, crashed)->detail,
			    "rank 300: worker ended before it answered");
	assert_near(row(&t, 1 - crashed, "ok", "yes")->time_us, 7.11, 1e-9);
	trial_fini(&t);
}

static void worst_of_several_is_told(void **state)
{
	static const struct inproc_deed deeds[] = {
		{ .kind = INPROC_OOM, .rank = 7, .phase = PHASE_PREPARE, .nth = 1 },
		{ .kind = INPROC_CRASH, .rank = 500, .phase = PHASE_PREPARE, .nth = 1 },
		{ .kind = INPROC_CRASH, .rank = 411, .phase = PHASE_PREPARE, .nth = 1 },
	};
	struct trial t;
	char out[128];

	set_up(&t, out, sizeof(out), deeds, 3);
	run(&t);
	assert_string_equal(trial_row(&t, 0)->outcome, "crash");
	assert_string_equal(trial_row(&t, 0)->detail, "rank 411: worker ended before it answered");
	row(&t, 1, "ok", "yes");
	trial_fini(&t);
}

static void wrong_elements_are_summed(void **state)
{
	static const struct inproc_deed deeds[] = {
		{ .kind = INPROC_WRONG, .rank = 2, .phase = PHASE_CHECK, .nth = 1, .value = 40 },
		{ .kind = INPROC_WRONG, .rank = 511, .phase = PHASE_CHECK, .nth = 1, .value = 2 },
	};
	struct trial t;
	char out[128];

	set_up(&t, out, sizeof(out), deeds, 2);
	run(&t);
	assert_string_equal(trial_row(&t, 0)->outcome, "corrupt");
	assert_near(trial_row(&t, 0)->wrong, 42, 0);
	assert_string_equal(trial_row(&t, 0)->detail,
			    "rank 2: 40 wrong elements; the first at 5: got 7, must be 3");
	row(&t, 1, "ok", "yes");
	trial_fini(&t);
}

/* One link of 512 that went another way spoils the proof of the row. */
static void one_link_of_another_kind(void **state)
{
	static const struct inproc_deed deeds[] = {
		{ .kind = INPROC_VIA, .rank = 100, .phase = PHASE_RUN, .nth = 1 },
	};
	struct trial t;
	char out[128];

	set_up(&t, out, sizeof(out), deeds, 1);
	run(&t);
	assert_non_null(strstr(row(&t, 0, "unproven", "no")->used, "SHM"));
	row(&t, 1, "unproven", "no");
	trial_fini(&t);
}

/* Two hosts of 256: inside one a link may take SHM, between them it may not. */
static void two_hosts(void **state)
{
	static const struct inproc_deed inside[] = {
		{ .kind = INPROC_VIA, .rank = 100, .phase = PHASE_RUN, .nth = 1 },
	};
	static const struct inproc_deed between[] = {
		{ .kind = INPROC_VIA, .rank = 255, .phase = PHASE_RUN, .nth = 1 },
	};
	struct trial t;
	char out[128];

	set_up(&t, out, sizeof(out), inside, 1);
	t.hosts = 2;
	run(&t);
	row(&t, 0, "ok", "yes");
	trial_fini(&t);
	set_up(&t, out, sizeof(out), between, 1);
	t.hosts = 2;
	run(&t);
	assert_non_null(
	    strstr(row(&t, 0, "unproven", "no")->detail, "first 255 -> 256 by SHM/direct"));
	trial_fini(&t);
}

/* ---- cost ---- */

static long peak_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld kB", &kib) != 1)
			kib = -1;
	if (f)
		fclose(f);
	return kib;
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Last: the peak of all campaigns before it. */
/* The slowest of 2 ranks takes 2010 ns, of 100 2990, of 512 7110: what idle ranks would take counts
 * for nothing. */
static void growing_numbers_of_them(void **state)
{
	static const double us[3] = { 2.01, 2.99, 7.11 };
	static const int ranks[3] = { 2, 100, 512 };
	struct trial t;
	char out[128];

	set_up(&t, out, sizeof(out), NULL, 0);
	memcpy(t.request.counts, ranks, sizeof(ranks));
	t.request.n_counts = 3;
	run(&t);
	assert_int_equal(t.plan.n_points, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct record *r = row(&t, i, "ok", "yes");

		assert_int_equal(r->ranks, ranks[i / 2]);
		assert_near(r->time_us, us[i / 2], 1e-9);
		assert_string_equal(r->used, "NET/Socket");
	}
	trial_fini(&t);
}

static void fits_into_a_gibibyte(void **state)
{
#ifdef SANITIZED
	skip();
#endif
	assert_in_range(peak_kib(), 1, 1 << 20);
}

struct cost {
	double wall, cpu; /* seconds */
};

/* Nothing sleeps for the times that the workers tell, so all that passes is ours: what one process
 * does for all ranks, on however many cores it gets. */
static struct cost cost_of(uint64_t last_bytes)
{
	clock_t before = clock();

	struct trial t;
	uint64_t sizes[32];
	size_t n = 0;
	char out[128];
	struct cost c;

	set_up(&t, out, sizeof(out), NULL, 0);
	for (uint64_t b = 8; b <= last_bytes; b *= 2)
		sizes[n++] = b;
	t.request.sizes = sizes;
	t.request.n_sizes = n;
	if (!trial_run(&t)) {
		fprintf(stderr, "%s\n", t.why);
		exit(1);
	}
	c.wall = (double)t.elapsed_ns[0] / CLOCK_S;
	c.cpu = (double)(clock() - before) / CLOCKS_PER_SEC;
	trial_fini(&t);
	return c;
}

static int benchmark(void)
{
	struct cost few = cost_of(16), many = cost_of(1 << 20); /* 2 and 18 points */
	double cpu = (many.cpu - few.cpu) / 16;

	printf("%d ranks, a point: %.1f ms passed, %.1f ms of CPU (%.2f ms per rank); start and 2 "
	       "points %.2f s; peak "
	       "memory %ld MiB\n",
	       RANKS, (many.wall - few.wall) / 16 * 1e3, cpu * 1e3, cpu / RANKS * 1e3, few.wall,
	       peak_kib() >> 10);
	return 0;
}

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command) != 0)
		perror("rm");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_well),
		cmocka_unit_test(one_of_them_dies),
		cmocka_unit_test(worst_of_several_is_told),
		cmocka_unit_test(wrong_elements_are_summed),
		cmocka_unit_test(one_link_of_another_kind),
		cmocka_unit_test(two_hosts),
		cmocka_unit_test(growing_numbers_of_them),
		cmocka_unit_test(fits_into_a_gibibyte),
	};
	int r;

	if (!mkdtemp(dir))
		return 99;
	r = argc > 1 && strcmp(argv[1], "--benchmark") == 0
		? benchmark()
		: cmocka_run_group_tests(tests, NULL, NULL);
	clean_up();
	return r;
}
