/* SPDX-License-Identifier: Apache-2.0 */
/* Tables -> rows of points.csv: restarts, cycles, methods that must not share a key, what is left
 * out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "data/record.h"
#include "data/store.h"
#include "import/format.h"
#include "import/result.h"

static const char *folder;

static void add(struct imported *im, const char *name)
{
	struct import_request r = { .format = NULL };
	char *path = file_join(folder, name), *data = NULL;
	size_t len = 0;

	assert_non_null(path);
	assert_int_equal(file_read_all(path, 1 << 20, &data, &len), 0);
	assert_int_equal(import_read(im, &r, name, data, len), 0);
	free(data);
	free(path);
}

struct run {
	struct record *rows;
	size_t n;
	char *json, *samples;
};

static void drop(const char *dir, const char *name)
{
	char *path = file_join(dir, name);

	assert_non_null(path);
	if (unlink(path))
		rmdir(path);
	free(path);
}

static char *take(const char *dir, const char *name, size_t *len)
{
	char *path = file_join(dir, name), *data = NULL;

	assert_non_null(path);
	assert_int_equal(file_read_all(path, 1 << 24, &data, len), 0);
	free(path);
	return data;
}

static void write_run(const struct imported *im, struct run *out)
{
	static const char *const parts[] = { "points.csv", "samples.csv", "run.json", "logs",
					     "charts" };
	char dir[] = "/tmp/import-XXXXXX", why[200], *points, *json;
	struct store s;
	size_t len;

	assert_non_null(mkdtemp(dir));
	store_init(&s);
	assert_int_equal(store_create(&s, dir), 0);
	assert_int_equal(import_write_points(im, &s), 0);
	json = import_run_json(im, "import");
	assert_non_null(json);
	assert_int_equal(store_text(&s, "run.json", json, strlen(json)), 0);
	assert_int_equal(store_close(&s), 0);
	points = take(dir, "points.csv", &len);
	assert_int_equal(record_read_all(points, len, &out->rows, &out->n, why, sizeof(why)), 0);
	out->samples = take(dir, "samples.csv", &len);
	out->json = json;
	free(points);
	for (size_t i = 0; i < N_ELEMENTS(parts); i++)
		drop(dir, parts[i]);
	rmdir(dir);
}

static void run_fini(struct run *r)
{
	free(r->rows);
	free(r->json);
	free(r->samples);
}

/* 50, 52, 60 us: median 52; one start of the tool, three batches. */
static void cycles(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "cycles.txt");
	write_run(&im, &r);
	assert_int_equal(r.n, 2);
	assert_true(r.rows[0].time_us == 52 && r.rows[0].min_us == 50 && r.rows[0].max_us == 60);
	assert_true(r.rows[0].samples == 3 && r.rows[0].restarts == 1 &&
		    r.rows[0].ops_per_batch == 20);
	assert_true(fabs(r.rows[0].busbw_gbps - 1048576 / 52e3) < 1e-9);
	assert_int_equal(r.rows[1].in_place, 1);
	run_fini(&r);
	imported_fini(&im);
}

static void restarts(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "crlf.txt");
	add(&im, "prefix-mpirun.txt");
	add(&im, "v2.19-graph.txt");
	write_run(&im, &r);
	assert_int_equal(r.n, 20); /* 5 sizes x 2 placements x {stream, graph} */
	assert_string_equal(r.rows[0].timing, "stream");
	assert_true(r.rows[0].restarts == 2);
	assert_string_equal(r.rows[10].timing, "graph");
	assert_true(r.rows[10].restarts == 1);
	run_fini(&r);
	imported_fini(&im);
}

static void methods_apart(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "crlf.txt");
	add(&im, "v2.13-all_reduce.txt"); /* another warm-up */
	write_run(&im, &r);
	assert_int_equal(r.n, 20);
	assert_string_equal(r.rows[10].timing, "stream~2");
	assert_non_null(strstr(r.rows[10].detail, "warmup=ends:5"));
	run_fini(&r);
	imported_fini(&im);
}

static void transports(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "several-tables.txt");
	write_run(&im, &r);
	assert_int_equal(r.n, 30);
	assert_string_equal(r.rows[0].transport,
			    "p2p"); /* its heading says so, nothing proves it */
	assert_string_equal(r.rows[0].proof, "unknown");
	assert_string_equal(r.rows[10].transport, "shm"); /* its log proves it */
	assert_string_equal(r.rows[10].used, "SHM/direct");
	assert_string_equal(r.rows[10].proof, "yes");
	run_fini(&r);
	imported_fini(&im);
}

static void left_out(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "v2.19-sendrecv-in-place-na.txt");
	write_run(&im, &r);
	assert_int_equal(r.n, 5); /* in-place sendrecv is timed by the tool and means nothing */
	run_fini(&r);
	imported_fini(&im);
	add(&im, "v2.18-wrong-data.txt");
	write_run(&im, &r);
	assert_int_equal(r.n, 10);
	assert_string_equal(r.rows[6].outcome, "corrupt");
	assert_true(r.rows[6].wrong == 512 && r.rows[7].wrong == 1e6);
	assert_string_equal(r.rows[4].outcome, "ok");
	run_fini(&r);
	imported_fini(&im);
	add(&im, "json-inf.json");
	write_run(&im, &r);
	assert_int_equal(r.n, 10);
	run_fini(&r);
	imported_fini(&im);
}

/* -C prints the time of launching: 1 GiB at 268.44 GB/s is 3999.93 us. */
static void cputime(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "v2.18-cputime.txt");
	write_run(&im, &r);
	assert_string_equal(r.rows[0].outcome, "skipped"); /* 0.00 GB/s says nothing */
	assert_true(fabs(r.rows[8].time_us - 1073741824 / 268.44e3) < 1e-6);
	run_fini(&r);
	imported_fini(&im);
}

/* 55.4 GB/s and 512 MiB: 9690.81 us. */
static void nvbandwidth(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "nvbandwidth.txt");
	write_run(&im, &r);
	assert_int_equal(r.n, 6);
	assert_string_equal(r.rows[0].op, "h_to_d");
	assert_string_equal(r.rows[0].variant, "ce");
	assert_true(fabs(r.rows[0].time_us - 536870912 / 55.4e3) < 1e-6);
	assert_string_equal(r.rows[2].pair, "0-1");
	assert_true(fabs(r.rows[4].time_us - 0.8125) < 1e-9);
	run_fini(&r);
	imported_fini(&im);
}

static void secrets(void **state)
{
	struct imported im = { 0 };
	struct run r;

	(void)state;
	add(&im, "v2.17-json1.json");
	write_run(&im, &r);
	assert_null(strstr(r.json, "hunter2"));
	assert_null(strstr(r.json, "AWS_"));
	assert_null(strstr(r.json, "ssh -i"));
	assert_non_null(strstr(r.json, "NCCL_ALGO"));
	assert_null(strstr(r.samples, "hunter2"));
	run_fini(&r);
	imported_fini(&im);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles),        cmocka_unit_test(restarts),
		cmocka_unit_test(methods_apart), cmocka_unit_test(transports),
		cmocka_unit_test(left_out),      cmocka_unit_test(cputime),
		cmocka_unit_test(nvbandwidth),   cmocka_unit_test(secrets),
	};

	folder = argc > 1 ? argv[1] : ".";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
