/* SPDX-License-Identifier: Apache-2.0 */
/* What single lines mean: numbers and their precision, names, layouts, methods, checks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "import/format.h"
#include "import/ops.h"
#include "import/repair.h"

static void number(const char *text, double v, double half)
{
	struct import_number n;

	assert_true(import_number(text, strlen(text), &n));
	assert_true((isnan(v) && isnan(n.v)) || n.v == v);
	assert_true(fabs(n.half - half) <= 1e-12 * half);
}

static void numbers(void **state)
{
	struct import_number n;

	(void)state;
	number("20.52", 20.52, 0.005);
	number("12326.5", 12326.5, 0.05);
	number("123457", 123457, 0.5);
	number("1e+06", 1e6, 5e5); /* the 2.19.6 form of what does not fit */
	number("2e-07", 2e-7, 5e-8);
	number("N/A", NAN, 0);
	number("-nan", NAN, 0);
	number("inf", INFINITY, 0);
	assert_false(import_number("1.0x", 4, &n));
	assert_false(import_number("sum", 3, &n));
	assert_false(import_number("", 0, &n));
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(import_op_within("runs/allreduce-2x.txt")->name, "all_reduce");
	assert_string_equal(import_op_within("v2.0-reduce_scatter.txt")->name, "reduce_scatter");
	assert_string_equal(import_op_within("reduce/all-gather.log")->name, "all_gather");
	assert_string_equal(import_op_within("alltoallv.txt")->name, "alltoallv");
	assert_null(import_op_within("reduced.txt"));
	assert_null(import_op_within("out.txt"));
	assert_null(import_op_find("all_reduc", 9));
}

static void read_text(struct imported *im, const char *text)
{
	struct import_request r = { .format = NULL };

	assert_int_equal(import_read(im, &r, "file", text, strlen(text)), 0);
}

#define CONFIG                                                                                     \
	"# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg " \
	"iters: 1 validation: 1 graph: 0\n"
#define DEVICES                                                                                    \
	"#  Rank  0 Group  0 Pid 1 on h device  0 [0000:06:00] A\n#  Rank  1 Group  0 Pid 1 on h " \
	"device  1 [0000:07:00] A\n"
#define HEADER "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"

static void methods(void **state)
{
	struct imported im = { 0 };

	(void)state;
	read_text(&im,
		  "$ ./all_reduce_perf -z 1 -a3 --local_register=1 -n 50\n" CONFIG DEVICES HEADER
		  "8 2 float sum -1 10.00 0.00 0.00 0 10.00 0.00 0.00 0\n");
	assert_string_equal(im.tables[0].timing, "blocking");
	assert_string_equal(im.tables[0].method,
			    "nccl-tests warmup=ends:5 ranks=max n=20 m=1 blocking=1 register=1");
	assert_true(im.tables[0].ops_per_batch == 20);
	imported_fini(&im);
	read_text(&im, "# nccl-tests version 2.16.8 nccl-headers=21800 nccl-library=22304\n" CONFIG
			   DEVICES HEADER "8 2 float sum -1 10.00 0.00 0.00 0 10.00 0.00 0.00 0\n");
	assert_string_equal(im.tables[0].method, "nccl-tests warmup=each:5 ranks=mean n=20 m=1");
	assert_string_equal(im.tables[0].nccl_version, "2.23.4");
	imported_fini(&im);
}

/* 1 MiB in 50 us is 20.97152 GB/s. 20.97 is it rounded; 20.99 is not; with a time of 50.0 +-
 * 0.05 20.99 may be. */
static void contradictions(void **state)
{
	static const struct {
		const char *row;
		size_t n;
	} rows[] = {
		{ "1048576 262144 float sum -1 50.00 20.97 20.97 0 50.00 20.97 20.97 0\n", 0 },
		{ "1048576 262144 float sum -1 50.00 20.99 20.99 0 50.00 20.97 20.97 0\n", 1 },
		{ "1048576 262144 float sum -1 50.0 20.99 20.99 0 50.00 20.97 20.97 0\n", 0 },
		{ "1048576 262144 float sum -1 50.00 20.97 36.70 0 50.00 20.97 20.97 0\n",
		  1 }, /* busbw of 8 ranks */
		{ "8 2 float sum -1 10.00 0.00 0.00 0 10.00 0.00 0.00 0\n", 0 },
		{ "8 2 float sum -1 10.00 0.01 0.01 0 10.00 0.00 0.00 0\n", 1 },
	};

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		struct imported im = { 0 };
		struct buf text = { 0 };

		buf_printf(&text, "# Collective test starting: all_reduce_perf\n%s%s%s%s", CONFIG,
			   DEVICES, HEADER, rows[i].row);
		read_text(&im, buf_text(&text));
		assert_int_equal(im.tables[0].n_rows, 1);
		assert_int_equal(im.tables[0].n_contradict, rows[i].n);
		buf_fini(&text);
		imported_fini(&im);
	}
}

/* The header says us; the figures say ms: 1 GiB in 4.000 is 268.44 GB/s only in ms. */
static void units(void **state)
{
	struct imported im = { 0 };

	(void)state;
	read_text(
	    &im, CONFIG DEVICES HEADER
	    "1073741824 268435456 float sum -1 4.000 268.44 268.44 0 4.000 268.44 268.44 0\n");
	assert_string_equal(im.tables[0].unit, "ms");
	assert_true(im.tables[0].unit_guessed);
	assert_true(fabs(im.tables[0].rows[0].half[0].time_us - 4000) < 1e-9);
	assert_string_equal(im.tables[0].op,
			    "all_reduce"); /* a ratio of 1 on two ranks and a reduction */
	imported_fini(&im);
}

static void json(const char *in, const char *want, bool cut_wanted)
{
	struct buf out = { 0 };
	size_t at = 0;
	bool cut;

	assert_true(repair_next(in, strlen(in), &at, &out, &cut));
	assert_string_equal(buf_text(&out), want);
	assert_int_equal(cut, cut_wanted);
	buf_fini(&out);
}

static void repaired(void **state)
{
	(void)state;
	json("{\"a\":inf,\"b\":-nan}x", "{\"a\":null,\"b\":null}", false);
	json("{\"a\":[{\"b\":1},{\"b\":2},{\"b\":", "{\"a\":[{\"b\":1},{\"b\":2}]}", true);
	json("{\"inf\":\"inf \\\" }\"}", "{\"inf\":\"inf \\\" }\"}", false);
	json("{\"a\":\"\x01\xc3\"}", "{\"a\":\"??\"}", false);
	json("{\"a\":1", "", true); /* not one complete value */
}

static void environment(void **state)
{
	struct imported im = { 0 };

	(void)state;
	read_text(&im, "{\"version\":1,\"args\":[\"all_reduce_perf\"],\"env\":[\"TOKEN=x\",\"NCCL_"
		       "ALGO=Ring\",\"OMPI_MCA_a=b\"],"
		       "\"config\":{},\"results\":[]}");
	assert_string_equal(buf_text(&im.environment), "NCCL_ALGO=Ring\n");
	assert_string_equal(im.tables[0].settings, "NCCL_ALGO=Ring");
	imported_fini(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),     cmocka_unit_test(names),
		cmocka_unit_test(methods),     cmocka_unit_test(contradictions),
		cmocka_unit_test(units),       cmocka_unit_test(repaired),
		cmocka_unit_test(environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
