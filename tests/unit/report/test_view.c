/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: which record a cell shows, common sizes, labels, reasons. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "sample.h"

static struct sample_run run;

static struct view fresh(void)
{
	run.n = 0;
	return (struct view){ .rows = run.row, .one_host = true };
}

static void test_transports_in_table_order(void **state)
{
	struct view v = fresh();
	const char *names[8];

	(void)state;
	sample_ok(&run, "socket", "all_reduce", 8, "graph", 28);
	sample_ok(&run, "elsewhere", "all_reduce", 8, "graph", 1);
	sample_ok(&run, "auto", "all_reduce", 8, "graph", 6);
	sample_ok(&run, "socket", "sendrecv", 8, "graph", 28);
	sample_bad(&run, "p2p", "all_reduce", 8, "graph", "hang", "run", "");
	v.n_rows = run.n;
	assert_int_equal(view_transports(&v, names, 8), 4);
	assert_string_equal(names[0], "auto");
	assert_string_equal(names[1], "p2p");
	assert_string_equal(names[2], "socket");
	assert_string_equal(names[3], "elsewhere");
	assert_int_equal(view_transports(&v, names, 1), 1);
	assert_int_equal(view_transports(&v, names, 0), 0);
}

static void test_labels(void **state)
{
	struct view v = fresh();

	(void)state;
	assert_string_equal(view_transport_label(&v, "nccl", "socket"), "socket (loopback TCP)");
	assert_string_equal(view_transport_label(&v, "ucx", "tcp"), "tcp (loopback TCP)");
	assert_string_equal(view_transport_label(&v, "nccl", "shm"), "shm");
	assert_string_equal(view_transport_label(&v, "other", "socket"), "socket");
	v.one_host = false;
	assert_string_equal(view_transport_label(&v, "nccl", "socket"), "socket");
}

static void test_cell_prefers_the_plain_form_out_of_place(void **state)
{
	struct view v = fresh();

	(void)state;
	sample_ok(&run, "p2p", "all_reduce", 8, "graph", 1)->in_place = 1;
	strcpy(sample_ok(&run, "p2p", "all_reduce", 8, "graph", 2)->variant, "user");
	sample_ok(&run, "p2p", "all_reduce", 8, "graph", 3);
	strcpy(sample_ok(&run, "p2p", "all_reduce", 8, "graph", 4)->dtype, "half");
	sample_ok(&run, "p2p", "all_reduce", 8, "stream", 5);
	sample_bad(&run, "shm", "all_reduce", 8, "graph", "hang", "run", "");
	v.n_rows = run.n;
	assert_true(view_cell(&v, "p2p", "all_reduce", 8, "graph")->time_us == 3);
	assert_true(view_cell(&v, "p2p", "all_reduce", 8, "stream")->time_us == 5);
	assert_null(view_cell(&v, "p2p", "all_reduce", 16, "graph"));
	assert_null(view_cell(&v, "p2p", "broadcast", 8, "graph"));
	assert_null(view_cell(&v, "shm", "all_reduce", 8, "graph"));
	assert_null(view_cell(&v, "p2p", "all_reduce", 8, NULL));
}

static void test_in_place_only_run_still_has_cells(void **state)
{
	struct view v = fresh();

	(void)state;
	sample_ok(&run, "p2p", "all_reduce", 8, "graph", 7)->in_place = 1;
	v.n_rows = run.n;
	assert_true(view_cell(&v, "p2p", "all_reduce", 8, "graph")->time_us == 7);
}

static void test_common_size(void **state)
{
	struct view v = fresh();

	(void)state;
	assert_int_equal(view_common_size(&v, "all_reduce", "graph"), 0);
	for (uint64_t b = 8; b <= 64; b *= 2)
		sample_ok(&run, "p2p", "all_reduce", b, "graph", 5);
	for (uint64_t b = 8; b <= 32; b *= 2)
		sample_ok(&run, "socket", "all_reduce", b, "graph", 5);
	sample_bad(&run, "socket", "all_reduce", 64, "graph", "skipped", "", "time budget");
	sample_bad(&run, "shm", "all_reduce", 8, "graph", "unavailable", "join", "no");
	sample_ok(&run, "p2p", "all_reduce", 64, "stream", 5);
	v.n_rows = run.n;
	assert_int_equal(view_common_size(&v, "all_reduce", "graph"), 32);
	assert_int_equal(view_common_size(&v, "all_reduce", "stream"), 64);
	assert_int_equal(view_common_size(&v, "sendrecv", "graph"), 0);
	assert_int_equal(view_small_size(&v, "all_reduce", "graph"), 8);
	assert_int_equal(view_small_size(&v, "all_reduce", "stream"), 64);
}

static void test_no_common_size(void **state)
{
	struct view v = fresh();

	(void)state;
	sample_ok(&run, "p2p", "all_reduce", 64, "graph", 5);
	sample_ok(&run, "shm", "all_reduce", 32, "graph", 5);
	v.n_rows = run.n;
	assert_int_equal(view_common_size(&v, "all_reduce", "graph"), 0);
	assert_int_equal(view_small_size(&v, "all_reduce", "graph"), 32);
}

static void test_curve_ascends(void **state)
{
	struct view v = fresh();
	const struct record *rows[8];

	(void)state;
	sample_ok(&run, "p2p", "all_reduce", 64, "graph", 3);
	sample_ok(&run, "p2p", "all_reduce", 8, "graph", 1);
	sample_ok(&run, "p2p", "all_reduce", 0, "graph", 1);
	sample_ok(&run, "p2p", "all_reduce", 16, "graph", NAN);
	strcpy(sample_ok(&run, "p2p", "all_reduce", 32, "graph", 2)->outcome, "unproven");
	sample_bad(&run, "p2p", "all_reduce", 128, "graph", "hang", "run", "");
	v.n_rows = run.n;
	assert_int_equal(view_curve(&v, "p2p", "all_reduce", "graph", rows), 3);
	assert_int_equal(rows[0]->bytes, 8);
	assert_int_equal(rows[1]->bytes, 32);
	assert_int_equal(rows[2]->bytes, 64);
	assert_true(view_unproven(rows[1]));
	assert_int_equal(view_curve(&v, "p2p", "all_reduce", "stream", rows), 0);
}

static void test_timing_order(void **state)
{
	struct view v = fresh();

	(void)state;
	sample_ok(&run, "p2p", "all_reduce", 8, "graph", 5);
	sample_ok(&run, "p2p-ce", "all_reduce", 8, "stream", 5);
	v.n_rows = run.n;
	assert_string_equal(view_timing(&v, NULL, "all_reduce", view_timings_graph), "graph");
	assert_string_equal(view_timing(&v, NULL, "all_reduce", view_timings_stream), "stream");
	assert_string_equal(view_timing(&v, "p2p", "all_reduce", view_timings_stream), "graph");
	assert_string_equal(view_timing(&v, "p2p-ce", "all_reduce", view_timings_graph), "stream");
	assert_null(view_timing(&v, NULL, "sendrecv", view_timings_graph));
}

static void test_busbw_is_derived_when_absent(void **state)
{
	struct view v = fresh();
	struct record *r = sample_ok(&run, "p2p", "all_reduce", 1000000, "graph", 10);

	(void)state;
	(void)v;
	r->busbw_gbps = NAN;
	r->ranks = 4;
	/* 1e6 B / 10 us = 100 GB/s, times 2 x 3/4 */
	assert_float_equal(view_busbw(r), 150, 1e-9);
	r->time_us = NAN;
	assert_true(isnan(view_busbw(r)));
}

static void test_peaks(void **state)
{
	struct view v = fresh();
	const struct view_peak peaks[] = { { "line rate", "", 478 },
					   { "unknown", "shm", NAN },
					   { "NVLink", "p2p, p2p-ipc", 450 } };

	(void)state;
	v.peaks = peaks;
	v.n_peaks = 3;
	assert_true(view_peak_of(&v, "p2p-ipc") == &peaks[2]);
	assert_true(view_peak_of(&v, "p2p") == &peaks[2]);
	assert_true(view_peak_of(&v, "p2p-ce") == &peaks[2]);
	assert_null(view_peak_of(&v, "auto"));
	assert_null(view_peak_of(&v, "shm"));
	assert_null(view_peak_of(&v, ""));
	assert_null(view_peak_of(&v, "elsewhere"));
}

static void test_a_peak_stands_for_its_kind(void **state)
{
	struct view v = fresh();
	const struct view_peak peaks[] = { { "NVLink", "p2p", 450 },
					   { "PCIe", "shm", 63 },
					   { "measured", "tcp", 5 } };

	(void)state;
	v.peaks = peaks;
	v.n_peaks = 3;
	assert_true(view_peak_of(&v, "p2p-ce") == &peaks[0]);
	assert_true(view_peak_of(&v, "socket") == &peaks[2]);
	v.peaks = peaks + 1;
	v.n_peaks = 2;
	assert_true(view_peak_of(&v, "p2p") == &peaks[1]); /* no NVLink: over PCIe */
	assert_null(view_peak_of(&v, "auto"));
}

static void expect_why(const char *transport, const char *want)
{
	struct view v = { .rows = run.row, .n_rows = run.n };
	char why[600];

	view_why(&v, transport, why, sizeof(why));
	assert_string_equal(why, want);
}

static void test_why(void **state)
{
	(void)state;
	(void)fresh();
	sample_ok(&run, "auto", "all_reduce", 8, "graph", 5);
	sample_bad(&run, "auto", "all_reduce", 16, "graph", "hang", "run", "late");
	sample_bad(&run, "p2p", "all_reduce", 8, "graph", "unavailable", "join",
		   "no P2P between GPU 0 and GPU 1");
	sample_bad(&run, "shm", "all_reduce", 8, "graph", "skipped", "none", "time budget");
	sample_bad(&run, "shm", "all_reduce", 16, "graph", "hang", "run", "no answer in 10 s");
	sample_bad(&run, "shm", "all_reduce", 32, "graph", "crash", "check", "");
	sample_bad(&run, "socket", "all_reduce", 8, "graph", "skipped", "none", "time\033 budget");
	sample_bad(&run, "ib", "all_reduce", 8, "graph", "unavailable", "", "");
	strcpy(run.row[run.n - 2].detail, "time\033budget");
	expect_why("auto", "");
	expect_why("p2p", "N/A (no P2P between GPU 0 and GPU 1)");
	expect_why("shm", "crash at check");
	expect_why("socket", "skipped: time?budget");
	expect_why("ib", "N/A (no reason recorded)");
	expect_why("absent", "not measured");
}

static void test_why_is_bounded(void **state)
{
	struct view v = fresh();
	char why[12];

	(void)state;
	sample_bad(&run, "p2p", "all_reduce", 8, "graph", "unavailable", "join", "a long story");
	v.n_rows = run.n;
	view_why(&v, "p2p", why, sizeof(why));
	assert_string_equal(why, "N/A (a long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transports_in_table_order),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_cell_prefers_the_plain_form_out_of_place),
		cmocka_unit_test(test_in_place_only_run_still_has_cells),
		cmocka_unit_test(test_common_size),
		cmocka_unit_test(test_no_common_size),
		cmocka_unit_test(test_curve_ascends),
		cmocka_unit_test(test_timing_order),
		cmocka_unit_test(test_busbw_is_derived_when_absent),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_a_peak_stands_for_its_kind),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_why_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
