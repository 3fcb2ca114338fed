/* SPDX-License-Identifier: Apache-2.0 */
/* Operations beside computation: which rows belong together, ratios by hand, tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/attr.h"
#include "base/buf.h"
#include "report/curve.h"
#include "report/overlap.h"
#include "sample.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

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

/* c: the operation alone, s: the load alone, t: both at once; the share is (c + s - t) / min(c, s).
 */
static void hidden(void **state)
{
	/* Neither is slowed: c = s = t. */
	NEAR(overlap_hidden_of(1, 1), 1);
	/* t = 12, slowed 2 and 2: c = 6, s = 6, as in turns. */
	NEAR(overlap_hidden_of(2, 2), 0);
	/* t = 12, slowed 3 and 1.5: c = 4, s = 8, as in turns, too. */
	NEAR(overlap_hidden_of(3, 1.5), 0);
	/* t = 15, slowed 1.5 and 1.25: c = 10, s = 12: 7 of 10. */
	NEAR(overlap_hidden_of(1.5, 1.25), .7);
	NEAR(overlap_hidden_of(1.25, 1.5), .7);
	/* t = 15, slowed 1 and 5: c = 15, s = 3: all 3 of the load. */
	NEAR(overlap_hidden_of(1, 5), 1);
	/* t = 12, slowed 3 and 3: c = 4, s = 4: -4 of 4, worse than in turns. */
	NEAR(overlap_hidden_of(3, 3), -1);
	assert_true(isnan(overlap_hidden_of(NAN, 1.2)));
	assert_true(isnan(overlap_hidden_of(1.2, NAN)));
	assert_true(isnan(overlap_hidden_of(0, 1.2)));
}

/* 1 MiB: 20 us alone, 30 beside mem (x1.5; it x1.25; as above 70 %), 22 beside fma (x1.1, it x1:
 * 100 %). 64 MiB: 250 alone, 500 beside mem (x2; it x2: 0 %), beside fma it failed. With 4 channels
 * 25 us alone and 30 beside mem (x1.2; it is not known). */
static void ratios(void **state)
{
	struct overlap_row *rows;
	struct buf out = { 0 };
	struct view v;
	size_t n;

	run.n = 0;
	row(1 << 20, "", "", 20, NAN)->channels = 24;
	row(1 << 20, "mem", "", 30, 1.25);
	row(1 << 20, "fma", "", 22, 1);
	row(64 << 20, "", "", 250, NAN);
	row(64 << 20, "mem", "", 500, 2);
	record_set(row(64 << 20, "fma", "", NAN, NAN)->outcome, 16, "skipped");
	row(1 << 20, "", "16 channels", 24, NAN);
	row(1 << 20, "", "4 channels", 25, NAN);
	row(1 << 20, "mem", "4 channels", 30, NAN);
	v = view(6);
	assert_int_equal(overlap_rows(&v, &rows, &n), 0);
	assert_int_equal(n, 4); /* own, 4, 16 channels, then the larger size */
	NEAR(overlap_slowed(&rows[0], LOAD_MEM), 1.5);
	NEAR(overlap_slowed(&rows[0], LOAD_FMA), 1.1);
	NEAR(overlap_hidden(&rows[0], LOAD_MEM), .7);
	NEAR(overlap_slowed(&rows[1], LOAD_MEM), 1.2);
	assert_true(isnan(overlap_hidden(&rows[1], LOAD_MEM)));
	assert_int_equal(overlap_asked(rows[2].at[LOAD_NONE]), 16);
	NEAR(overlap_slowed(&rows[3], LOAD_MEM), 2);
	assert_true(isnan(overlap_slowed(&rows[3], LOAD_FMA)));
	free(rows);
	assert_int_equal(overlap_text(&v, &out), 0);
	assert_non_null(strstr(
	    buf_text(&out),
	    "\np2p, all_reduce, stream: beside computation, times as long as alone\n"
	    "        size  channels            alone      mem      it  hidden      fma      it  "
	    "hidden\n"
	    "       1 MiB  NCCL's 24         20.0 us     x1.5   x1.25    70 %     x1.1      x1   "
	    "100 %\n"
	    "       1 MiB  4                 25.0 us     x1.2       -       -        -       -   "
	    "    -\n"
	    "       1 MiB  16                24.0 us        -       -       -        -       -   "
	    "    -\n"
	    "      64 MiB  NCCL's own         250 us       x2      x2     0 %        -       -   "
	    "    -\n"));
	buf_fini(&out);
}

/* A table for each type, reduction and number of ranks, which its title then names: a load is held
 * against the row of its own kind. */
static void kinds(void **state)
{
	static const struct {
		const char *dtype, *redop;
		int ranks;
		double us, beside_us;
		const char *title;
	} kind[] = {
		{ "float", "sum", 2, 20, 30, "stream, dtype float, redop sum, ranks 2: beside" },
		{ "half", "sum", 2, 10, 12, "stream, dtype half, redop sum, ranks 2: beside" },
		{ "float", "max", 2, 40, 44, "stream, dtype float, redop max, ranks 2: beside" },
		{ "float", "sum", 4, 50, 100, "stream, dtype float, redop sum, ranks 4: beside" },
	};
	struct overlap_row *rows;
	struct buf out = { 0 };
	struct view v;
	size_t n;

	run.n = 0;
	for (int load = 0; load < 2; load++)
		for (size_t i = 0; i < N_ELEMENTS(kind); i++) {
			struct record *r = row(1 << 20, load ? "mem" : "", "",
					       load ? kind[i].beside_us : kind[i].us, NAN);

			record_set(r->dtype, sizeof(r->dtype), kind[i].dtype);
			record_set(r->redop, sizeof(r->redop), kind[i].redop);
			r->ranks = kind[i].ranks;
		}
	v = view(run.n);
	assert_int_equal(overlap_rows(&v, &rows, &n), 0);
	assert_int_equal(n, N_ELEMENTS(kind));
	assert_int_equal(overlap_text(&v, &out), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].table, i);
		NEAR(overlap_slowed(&rows[i], LOAD_MEM), kind[i].beside_us / kind[i].us);
		assert_non_null(strstr(buf_text(&out), kind[i].title));
	}
	free(rows);
	buf_fini(&out);
}

/* Curves: alone, mem, fma; the other arm has none. 1 MiB in 20 us is 52.4 GB/s. */
static void curves(void **state)
{
	struct buf data = { 0 }, vars = { 0 };
	struct view v;

	run.n = 0;
	row(1 << 20, "", "", 20, NAN);
	row(1 << 20, "mem", "", 30, 1.25);
	row(1 << 20, "fma", "", 22, 1);
	row(1 << 20, "", "4 channels", 25, NAN);
	row(1 << 20, "mem", "4 channels", 30, 1.1);
	v = view(3);
	assert_int_equal(curve_overlap(&v, "all_reduce", &data, &vars), 3);
	assert_non_null(strstr(buf_text(&vars), "beside mem"));
	assert_non_null(strstr(buf_text(&vars), "beside fma"));
	assert_null(strstr(buf_text(&vars), "channels"));
	assert_int_equal(curve_overlap(&v, "broadcast", &data, &vars), 0);
	buf_fini(&data);
	buf_fini(&vars);
}

/* Slow-downs at 64 MiB, where three numbers of channels have figures (two at 1 MiB). */
static void over_channels(void **state)
{
	static const struct {
		const char *arm;
		double us, beside_us, slow;
	} arms[] = {
		/* not in the order of the axis, as arms may be; x1.05, x1.2, x2 */
		{ "16 channels", 200, 400, 1.5 },
		{ "4 channels", 800, 840, 1.02 },
		{ "8 channels", 400, 480, NAN },
	};
	struct buf data = { 0 }, vars = { 0 };
	struct view v;

	run.n = 0;
	row(64 << 20, "", "", 250, NAN);
	row(64 << 20, "mem", "", 500, 2);
	row(1 << 20, "", "4 channels", 20, NAN);
	row(1 << 20, "mem", "4 channels", 30, 2);
	row(1 << 20, "", "8 channels", 20, NAN);
	row(1 << 20, "mem", "8 channels", 30, 2);
	for (size_t i = 0; i < N_ELEMENTS(arms); i++) {
		row(64 << 20, "", arms[i].arm, arms[i].us, NAN);
		row(64 << 20, "mem", arms[i].arm, arms[i].beside_us, arms[i].slow);
		/* another kind: no point of these curves */
		record_set(row(64 << 20, "", arms[i].arm, 7, NAN)->dtype, 16, "half");
		record_set(row(64 << 20, "mem", arms[i].arm, 70, 9)->dtype, 16, "half");
	}
	v = view(2);
	assert_int_equal(curve_channels(&v, "all_reduce", &data, &vars), 2);
	assert_string_equal(buf_text(&data),
			    "4.0 1.05 1.05 1.05 \n8.0 1.2 1.2 1.2 \n16.0 2.0 2.0 2.0 \n"
			    "\n\n4.0 1.02 1.02 1.02 \n16.0 1.5 1.5 1.5 \n");
	assert_non_null(strstr(buf_text(&vars), "label[1] = 'p2p beside mem'"));
	assert_non_null(strstr(buf_text(&vars), "label[2] = 'mem beside p2p'"));
	assert_non_null(strstr(buf_text(&vars), "64 MiB, timing stream"));
	assert_non_null(strstr(buf_text(&vars), "ticks = 3\n"));
	assert_int_equal(curve_channels(&v, "broadcast", &data, &vars), 0);
	/* One number of channels is no curve, and none is nothing. */
	v.n_all = 4;
	assert_int_equal(curve_channels(&v, "all_reduce", &data, &vars), 0);
	v.n_all = 2;
	assert_int_equal(curve_channels(&v, "all_reduce", &data, &vars), 0);
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
	assert_int_equal(curve_channels(&v, "all_reduce", &out, &out), 0);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden),        cmocka_unit_test(ratios),
		cmocka_unit_test(kinds),         cmocka_unit_test(curves),
		cmocka_unit_test(over_channels), cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
