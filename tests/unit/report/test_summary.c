/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison's figures: columns, ratios, what may win. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/summary.h"
#include "sample.h"

static struct sample_run run;
static struct summary s;

static void build(const struct view_peak *peaks, size_t n_peaks)
{
	struct view v = { .rows = run.row,
			  .n_rows = run.n,
			  .one_host = true,
			  .peaks = peaks,
			  .n_peaks = n_peaks };

	summary_build(&s, &v);
}

static void test_empty_run(void **state)
{
	(void)state;
	run.n = 0;
	build(NULL, 0);
	assert_int_equal(s.n, 0);
	assert_null(s.bandwidth[0].op);
	assert_string_equal(s.backend, "");
}

static void test_columns(void **state)
{
	(void)state;
	run.n = 0;
	sample_ok(&run, "auto", "all_reduce", 8, "graph", 5);
	sample_ok(&run, "auto", "all_reduce", 1 << 20, "graph", 10);
	sample_ok(&run, "auto", "all_reduce", 1 << 20, "stream", 12);
	sample_ok(&run, "auto", "pingpong", 8, "graph", 4);
	build(NULL, 0);
	assert_string_equal(s.bandwidth[0].op, "all_reduce");
	assert_string_equal(s.bandwidth[0].timing, "stream");
	assert_int_equal(s.bandwidth[0].bytes, 1 << 20);
	assert_null(s.bandwidth[1].op);
	assert_string_equal(s.latency[0].timing, "graph");
	assert_int_equal(s.latency[0].bytes, 8);
	assert_string_equal(s.latency[1].op, "pingpong");
	assert_true(s.row[0].latency[1].value == 4);
}

static void test_other_ops_stand_in(void **state)
{
	(void)state;
	run.n = 0;
	sample_ok(&run, "auto", "broadcast", 1000, "graph", 1);
	build(NULL, 0);
	assert_string_equal(s.bandwidth[0].op, "broadcast");
	assert_null(s.latency[0].op); /* the root of a broadcast does not wait: no latency */
	assert_float_equal(s.row[0].bandwidth[0].value, 1, 1e-12);
}

static void test_ratio_and_peak(void **state)
{
	const struct view_peak peaks[] = { { "NVLink", "p2p", 400 } };

	(void)state;
	run.n = 0;
	sample_ok(&run, "auto", "all_reduce", 1000000, "stream", 10); /* 100 GB/s */
	sample_ok(&run, "p2p", "all_reduce", 1000000, "stream", 5);   /* 200 GB/s */
	sample_ok(&run, "shm", "all_reduce", 1000000, "stream", 40)->peak_pct = 12.5;
	build(peaks, 1);
	assert_float_equal(s.row[0].ratio, 1, 1e-12);
	assert_float_equal(s.row[1].ratio, 2, 1e-12);
	assert_float_equal(s.row[2].ratio, 0.25, 1e-12);
	assert_float_equal(s.row[1].peak_pct, 50, 1e-12);
	assert_true(s.row[2].peak_pct == 12.5);
	assert_true(isnan(s.row[0].peak_pct));
	assert_true(s.row[1].best && !s.row[0].best && !s.row[2].best);
}

static void test_unproven_is_shown_but_never_wins(void **state)
{
	struct record *r;

	(void)state;
	run.n = 0;
	sample_ok(&run, "auto", "all_reduce", 1000, "stream", 10);
	r = sample_ok(&run, "p2p", "all_reduce", 1000, "stream", 1);
	strcpy(r->outcome, "unproven");
	strcpy(r->proof, "no");
	strcpy(r->used, "SHM/direct");
	build(NULL, 0);
	assert_string_equal(s.row[1].used, "SHM/direct (unproven)");
	assert_true(s.row[1].unproven && s.row[1].bandwidth[0].unproven);
	assert_float_equal(s.row[1].bandwidth[0].value, 1, 1e-12);
	assert_true(isnan(s.row[1].ratio));
	assert_true(s.row[0].best && !s.row[1].best);
}

static void test_loopback_never_wins(void **state)
{
	(void)state;
	run.n = 0;
	sample_ok(&run, "shm", "all_reduce", 1000, "stream", 10);
	sample_ok(&run, "socket", "all_reduce", 1000, "stream", 1);
	build(NULL, 0);
	assert_true(s.row[0].best && !s.row[1].best);
	assert_string_equal(s.row[1].label, "socket (loopback TCP)");
}

static void test_loopback_chooses_no_size(void **state)
{
	char size[40];

	(void)state;
	run.n = 0;
	sample_ok(&run, "auto", "all_reduce", 1 << 20, "stream", 10);
	sample_ok(&run, "auto", "all_reduce", 1 << 30, "stream", 8388608); /* 0.128 GB/s */
	sample_ok(&run, "p2p", "all_reduce", 1 << 20, "stream", 20);
	sample_ok(&run, "p2p", "all_reduce", 1 << 30, "stream", 4194304); /* 0.256 GB/s */
	sample_ok(&run, "socket", "all_reduce", 1 << 10, "stream", 32);
	sample_ok(&run, "socket", "all_reduce", 1 << 20, "stream", 1024); /* 1.024 GB/s */
	build(NULL, 0);
	assert_int_equal(s.bandwidth[0].bytes, 1 << 30);
	assert_float_equal(s.row[1].ratio, 2, 1e-12);
	assert_string_equal(summary_other_size(&s.bandwidth[0], &s.row[1].bandwidth[0], size, 40),
			    "");
	assert_float_equal(s.row[2].bandwidth[0].value, 1.024, 1e-12);
	assert_string_equal(summary_other_size(&s.bandwidth[0], &s.row[2].bandwidth[0], size, 40),
			    " at 1 MiB");
	assert_true(isnan(s.row[2].ratio)); /* another size is no comparison */
	assert_true(s.row[1].best);
}

static void test_other_timing_is_not_compared(void **state)
{
	(void)state;
	run.n = 0;
	sample_ok(&run, "auto", "all_reduce", 1000, "stream", 10);
	sample_ok(&run, "p2p", "all_reduce", 1000, "graph", 5);
	build(NULL, 0);
	assert_string_equal(s.row[1].bandwidth[0].timing, "graph");
	assert_true(isnan(s.row[1].ratio));
}

static void test_used(void **state)
{
	(void)state;
	run.n = 0;
	strcpy(sample_ok(&run, "auto", "all_reduce", 8, "stream", 10)->proof, "unknown");
	sample_ok(&run, "p2p", "all_reduce", 8, "stream", 10);
	strcpy(sample_ok(&run, "p2p", "sendrecv", 8, "stream", 10)->used, "NET/Socket");
	sample_bad(&run, "shm", "all_reduce", 8, "stream", "unavailable", "join", "no");
	build(NULL, 0);
	assert_string_equal(s.row[0].used, "P2P/CUMEM (proof unknown)");
	assert_string_equal(s.row[1].used, "P2P/CUMEM and others (yes)");
	assert_string_equal(s.row[2].used, "");
	assert_string_equal(s.row[2].why, "N/A (no)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_run),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_other_ops_stand_in),
		cmocka_unit_test(test_ratio_and_peak),
		cmocka_unit_test(test_unproven_is_shown_but_never_wins),
		cmocka_unit_test(test_loopback_never_wins),
		cmocka_unit_test(test_loopback_chooses_no_size),
		cmocka_unit_test(test_other_timing_is_not_compared),
		cmocka_unit_test(test_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
