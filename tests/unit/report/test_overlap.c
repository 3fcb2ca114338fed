/* SPDX-License-Identifier: Apache-2.0 */
/* Operations beside computation: which rows belong together, ratios by hand, tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "report/curve.h"
#include "report/overlap.h"
#include "sample.h"

static struct sample_run run;

static struct record *row(uint64_t bytes, const char *load, const char *arm, double us, double slow)
{
	struct record *r = sample_ok(&run, "p2p", "all_reduce", bytes, "stream", us);

	record_set(r->load, sizeof(r->load), load);
	record_set(r->arm, sizeof(r->arm), arm);
	r->load_slowdown = slow;
	return r;
}

static struct view view(size_t n_first)
{
	return (
	    struct view){ .rows = run.row, .n_rows = n_first, .n_all = run.n, .one_host = true };
}

/* 1 MiB: 20 us alone, 30 beside mem (x1.5; it x1.25), 22 beside fma (x1.1; it x1.02). 64 MiB:
 * beside fma it failed. With 4 channels 25 us alone and 26 beside mem (x1.04). */
static void ratios(void **state)
{
	struct overlap_row *rows;
	struct buf out = { 0 };
	struct view v;
	size_t n;

	run.n = 0;
	row(1 << 20, "", "", 20, NAN)->channels = 24;
	row(1 << 20, "mem", "", 30, 1.25);
	row(1 << 20, "fma", "", 22, 1.02);
	row(64 << 20, "", "", 250, NAN);
	row(64 << 20, "mem", "", 500, 1.4);
	record_set(row(64 << 20, "fma", "", NAN, NAN)->outcome, 16, "skipped");
	row(1 << 20, "", "4 channels", 25, NAN);
	row(1 << 20, "mem", "4 channels", 26, 1.1);
	v = view(6);
	assert_int_equal(overlap_rows(&v, &rows, &n), 0);
	assert_int_equal(n, 3);
	assert_true(fabs(overlap_slowed(&rows[0], LOAD_MEM) - 1.5) < 1e-12);
	assert_true(fabs(overlap_slowed(&rows[0], LOAD_FMA) - 1.1) < 1e-12);
	assert_true(fabs(overlap_slowed(&rows[1], LOAD_MEM) - 2) < 1e-12);
	assert_true(isnan(overlap_slowed(&rows[1], LOAD_FMA)));
	assert_true(fabs(overlap_slowed(&rows[2], LOAD_MEM) - 1.04) < 1e-12);
	free(rows);
	assert_int_equal(overlap_text(&v, &out), 0);
	assert_non_null(strstr(buf_text(&out), "p2p, all_reduce, stream: beside computation"));
	assert_non_null(
	    strstr(buf_text(&out),
		   "  1 MiB  NCCL's 24         20.0 us     x1.5    x1.25     x1.1    x1.02"));
	assert_non_null(
	    strstr(buf_text(&out), " 64 MiB  NCCL's own         250 us       x2     x1.4"));
	assert_non_null(
	    strstr(buf_text(&out), "  1 MiB  4                 25.0 us    x1.04     x1.1"));
	buf_fini(&out);
}

/* Curves: alone, mem, fma; the other arm has none. 1 MiB in 20 us is 52.4 GB/s. */
static void curves(void **state)
{
	struct buf data = { 0 }, vars = { 0 };
	struct view v = view(6);

	assert_int_equal(curve_overlap(&v, "all_reduce", &data, &vars), 3);
	assert_non_null(strstr(buf_text(&vars), "beside mem"));
	assert_non_null(strstr(buf_text(&vars), "beside fma"));
	assert_null(strstr(buf_text(&vars), "channels"));
	assert_int_equal(curve_overlap(&v, "broadcast", &data, &vars), 0);
	buf_fini(&data);
	buf_fini(&vars);
}

static void nothing(void **state)
{
	struct overlap_row *rows;
	struct buf out = { 0 };
	struct view v;
	size_t n;

	run.n = 0;
	row(1 << 20, "", "", 20, NAN);
	v = view(1);
	assert_int_equal(overlap_rows(&v, &rows, &n), 0);
	assert_null(rows);
	assert_int_equal(overlap_text(&v, &out), 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(curve_overlap(&v, "all_reduce", &out, &out), 0);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios),
		cmocka_unit_test(curves),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
