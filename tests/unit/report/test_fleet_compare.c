/* SPDX-License-Identifier: Apache-2.0 */
/* Machines side by side, every figure worked out by hand: 1 MiB in 10.48576 us is 100 GB/s. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/fleet.h"
#include "report/fleet_compare.h"
#include "report/peak_use.h"
#include "sample.h"

#define MIB (1u << 20)
#define US_OF(gbps) (1048.576 / (gbps)) /* of 1 MiB */

static struct sample_run run[3];
static struct fleet_machine machine[3];
static struct fleet f;
static struct fleet_compare c;

/* n empty machines on one host each. */
static void fleet_of(size_t n)
{
	memset(machine, 0, sizeof(machine));
	f = (struct fleet){ .machine = machine, .n = n };
	for (size_t i = 0; i < n; i++) {
		run[i].n = 0;
		machine[i].price = machine[i].power = NAN;
		snprintf(machine[i].name, sizeof(machine[i].name), "m%zu", i);
	}
}

static void build(void)
{
	for (size_t i = 0; i < f.n; i++) {
		machine[i].run.view.rows = run[i].row;
		machine[i].run.view.n_rows = run[i].n;
		machine[i].run.view.one_host = true;
	}
	assert_int_equal(fleet_compare_build(&c, &f), 0);
}

static const struct fleet_row *row(size_t m, const char *transport)
{
	const struct fleet_row *r = fleet_compare_row(&c, m, "nccl", transport);

	assert_non_null(r);
	return r;
}

static void ok(size_t m, const char *transport, double gbps)
{
	sample_ok(&run[m], transport, "all_reduce", MIB, "stream", US_OF(gbps));
}

static void test_two_machines(void **state)
{
	(void)state;
	fleet_of(2);
	ok(0, "auto", 100);
	ok(0, "p2p", 100);
	ok(0, "shm", 20);
	ok(0, "socket", 4);
	ok(1, "shm", 25);
	ok(1, "socket", 8);
	sample_bad(&run[1], "p2p", "all_reduce", MIB, "stream", "unavailable", "none", "no P2P");
	machine[0].price = 50000;
	machine[1].price = 5000;
	machine[1].power = 500;
	build();
	assert_int_equal(c.figures.bandwidth[0].bytes, MIB);
	assert_string_equal(c.figures.bandwidth[0].timing, "stream");
	assert_int_equal(c.n, 7);
	assert_float_equal(row(1, "shm")->ratio, 1.25, 1e-9);
	assert_float_equal(row(0, "shm")->ratio, 1, 1e-9);
	assert_true(isnan(row(1, "p2p")->ratio));
	assert_string_equal(row(1, "p2p")->s.why, "N/A (no P2P)");
	assert_float_equal(row(0, "p2p")->per_price, 0.002, 1e-9);
	assert_float_equal(row(1, "shm")->per_price, 0.005, 1e-9);
	assert_float_equal(row(1, "shm")->per_watt, 0.05, 1e-9);
	assert_true(isnan(row(0, "p2p")->per_watt));     /* nobody gave its watts */
	assert_true(isnan(row(1, "socket")->per_price)); /* loopback */
	assert_true(c.priced && c.powered);
	/* auto is p2p under another name, so p2p stands for machine 0 */
	assert_ptr_equal(fleet_compare_champion(&c, 0), row(0, "p2p"));
	assert_ptr_equal(fleet_compare_champion(&c, 1), row(1, "shm"));
	assert_int_equal(c.n_classes, 1);
	assert_ptr_equal(&c.row[c.class[0].best], row(0, "p2p"));
	assert_ptr_equal(&c.row[c.class[0].next], row(1, "shm"));
	fleet_compare_fini(&c);
	f.reference = 1;
	build();
	assert_float_equal(row(0, "shm")->ratio, 0.8, 1e-9);
	assert_ptr_equal(&c.row[c.class[0].best], row(0, "p2p"));
	fleet_compare_fini(&c);
}

/* Loopback is faster here than anything, and still ranks nothing. */
static void test_loopback_never_wins(void **state)
{
	(void)state;
	fleet_of(2);
	ok(0, "socket", 900);
	ok(1, "shm", 5);
	ok(1, "socket", 800);
	build();
	assert_null(fleet_compare_champion(&c, 0));
	assert_int_equal(c.n_classes, 1);
	assert_ptr_equal(&c.row[c.class[0].best], row(1, "shm"));
	assert_int_equal(c.class[0].next, FLEET_NONE);
	fleet_compare_fini(&c);
	machine[0].run.view.one_host = false;
	for (size_t i = 0; i < 2; i++)
		machine[i].run.view.rows = run[i].row;
	assert_int_equal(fleet_compare_build(&c, &f), 0);
	assert_ptr_equal(fleet_compare_champion(&c, 0), row(0, "socket")); /* a real network */
	assert_true(isnan(row(1, "socket")->ratio)); /* loopback against a network */
	fleet_compare_fini(&c);
}

static void test_unproven_never_wins(void **state)
{
	(void)state;
	fleet_of(2);
	ok(0, "shm", 10);
	ok(1, "p2p", 300);
	strcpy(run[1].row[0].proof, "no");
	strcpy(run[1].row[0].outcome, "unproven");
	build();
	assert_null(fleet_compare_champion(&c, 1));
	assert_ptr_equal(&c.row[c.class[0].best], row(0, "shm"));
	fleet_compare_fini(&c);
}

/* UCX on host memory and NCCL on GPUs are two questions. */
static void test_backends_are_classes(void **state)
{
	(void)state;
	fleet_of(3);
	ok(0, "p2p", 100);
	sample_ok(&run[1], "shm", "all_reduce", MIB, "host", US_OF(900));
	strcpy(run[1].row[0].backend, "ucx");
	ok(2, "p2p", 110);
	build();
	assert_int_equal(c.n_classes, 2);
	assert_string_equal(c.class[0].backend, "nccl");
	assert_ptr_equal(&c.row[c.class[0].best], row(2, "p2p"));
	assert_ptr_equal(&c.row[c.class[0].next], row(0, "p2p"));
	assert_int_equal(c.class[0].machines, 2);
	assert_string_equal(c.class[1].backend, "ucx");
	assert_int_equal(c.class[1].best, 1);
	assert_true(isnan(c.row[1].ratio));
	fleet_compare_fini(&c);
}

/* Most have 4 MiB; a transport that ends at 8 B does not drag the bandwidth down to it. */
static void test_shared_size(void **state)
{
	(void)state;
	fleet_of(2);
	for (uint64_t b = 8; b <= 64 * MIB; b *= 2) {
		sample_ok(&run[0], "p2p", "all_reduce", b, "stream", 5 + (double)b / 1e5);
		if (b <= 4 * MIB)
			sample_ok(&run[1], "p2p", "all_reduce", b, "stream", 5 + (double)b / 1e5);
		if (b >= 16)
			sample_ok(&run[0], "p2p", "all_reduce", b, "graph", 4);
	}
	sample_ok(&run[1], "p2p", "all_reduce", 16, "graph", 3);
	sample_ok(&run[1], "shm", "all_reduce", 8, "stream", 9);
	build();
	assert_int_equal(c.figures.bandwidth[0].bytes, 4 * MIB);
	assert_string_equal(c.figures.latency[0].timing, "graph");
	/* shm has stream only: its 8 B count for latency, and 8 B is what people know */
	assert_int_equal(c.figures.latency[0].bytes, 8);
	assert_true(isnan(row(1, "shm")->s.bandwidth[0].value));
	fleet_compare_fini(&c);
	run[1].n--; /* without shm, both have 16 B */
	build();
	assert_int_equal(c.figures.latency[0].bytes, 16);
	assert_float_equal(row(1, "p2p")->latency_ratio, 0.75, 1e-9);
	fleet_compare_fini(&c);
}

static void test_sizes_of_a_table(void **state)
{
	uint64_t size[4];
	size_t n = 0;

	(void)state;
	fleet_of(1);
	for (uint64_t b = 8; b <= 512; b *= 2) /* 7 sizes */
		sample_ok(&run[0], "p2p", "all_reduce", b, "stream", 5);
	build();
	assert_int_equal(fleet_compare_sizes(&f, &c.figures.bandwidth[0], false, size, 4, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(size[0], 8); /* places 0, 2, 4, 6 */
	assert_int_equal(size[1], 32);
	assert_int_equal(size[2], 128);
	assert_int_equal(size[3], 512);
	fleet_compare_fini(&c);
}

/* One machine is compared as its own table is. */
static void test_one_machine(void **state)
{
	(void)state;
	fleet_of(1);
	ok(0, "auto", 100);
	ok(0, "p2p", 99);
	ok(0, "shm", 20);
	build();
	assert_ptr_equal(&c.row[c.class[0].best], row(0, "p2p"));
	assert_ptr_equal(&c.row[c.class[0].next], row(0, "shm"));
	assert_true(isnan(row(0, "p2p")->ratio));
	assert_float_equal(row(0, "p2p")->s.ratio, 0.99, 1e-9);
	/* 93 % and 110 % of the time: 100 GB/s / 1.1 and / 0.93 */
	assert_float_equal(row(0, "auto")->s.bandwidth[0].lo, 90.909090909, 1e-6);
	assert_float_equal(row(0, "auto")->s.bandwidth[0].hi, 107.526881720, 1e-6);
	assert_true(
	    fleet_compare_overlap(&row(0, "auto")->s.bandwidth[0], &row(0, "p2p")->s.bandwidth[0]));
	assert_false(
	    fleet_compare_overlap(&row(0, "p2p")->s.bandwidth[0], &row(0, "shm")->s.bandwidth[0]));
	fleet_compare_fini(&c);
}

static void test_nothing(void **state)
{
	(void)state;
	fleet_of(2);
	build();
	assert_int_equal(c.n, 0);
	assert_int_equal(c.n_classes, 0);
	assert_null(c.figures.bandwidth[0].op);
	fleet_compare_fini(&c);
	sample_bad(&run[0], "p2p", "all_reduce", 8, "graph", "crash", "run", "signal 11");
	build();
	assert_int_equal(c.n, 1);
	assert_int_equal(c.n_classes, 0);
	assert_string_equal(row(0, "p2p")->s.why, "crash at run: signal 11");
	fleet_compare_fini(&c);
}

/* NVLS: 300 GB/s of algorithm bandwidth against 480 of the line are 62.5 %, whatever the bus says.
 */
static void test_peaks(void **state)
{
	static const struct view_peak peaks[] = {
		{ "NVLink (spec)", "p2p", 450, VIEW_PEAK_SPEC, "" },
		{ "NVLink (line rate)", "", 480, VIEW_PEAK_LINE_RATE, "" },
	};
	struct view v = { .peaks = peaks, .n_peaks = 2, .rows = run[0].row };
	struct peak_use use;
	struct record *r;

	(void)state;
	run[0].n = 0;
	r = sample_ok(&run[0], "p2p", "all_reduce", MIB, "stream", US_OF(90));
	v.n_rows = 1;
	peak_use_of(&v, r, &use);
	assert_float_equal(use.pct, 20, 1e-9);
	assert_false(use.algorithm || use.recorded);
	r->algbw_gbps = 300;
	r->busbw_gbps = 525;
	strcpy(r->algo, "NVLS");
	peak_use_of(&v, r, &use);
	assert_float_equal(use.pct, 62.5, 1e-9);
	assert_true(use.algorithm);
	r->peak_pct = 61; /* the run's own word goes first */
	assert_float_equal(peak_use_pct(&v, r), 61, 1e-9);
	v.n_peaks = 0;
	r->peak_pct = NAN;
	assert_true(isnan(peak_use_pct(&v, r)));
}

/* 480 of 450 GB/s are 106.7 %: no link does that. Against a peak that was measured it may be. */
static void test_impossible(void **state)
{
	static const struct view_peak spec[] = { { "NVLink (spec)", "p2p", 450, VIEW_PEAK_SPEC,
						   "" } };
	static const struct view_peak measured[] = { { "copy", "p2p", 450, VIEW_PEAK_MEASURED,
						       "" } };

	(void)state;
	fleet_of(2);
	ok(0, "p2p", 480);
	ok(1, "shm", 20);
	machine[0].run.view.peaks = spec;
	machine[0].run.view.n_peaks = 1;
	build();
	assert_true(row(0, "p2p")->impossible);
	assert_null(fleet_compare_champion(&c, 0));
	assert_ptr_equal(&c.row[c.class[0].best], row(1, "shm"));
	fleet_compare_fini(&c);
	machine[0].run.view.peaks = measured;
	build();
	assert_false(row(0, "p2p")->impossible);
	assert_ptr_equal(&c.row[c.class[0].best], row(0, "p2p"));
	fleet_compare_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_machines),
		cmocka_unit_test(test_loopback_never_wins),
		cmocka_unit_test(test_unproven_never_wins),
		cmocka_unit_test(test_backends_are_classes),
		cmocka_unit_test(test_shared_size),
		cmocka_unit_test(test_sizes_of_a_table),
		cmocka_unit_test(test_one_machine),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
