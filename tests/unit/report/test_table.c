/* SPDX-License-Identifier: Apache-2.0 */
/* The table's exact text, in plain and Markdown form. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/buf.h"
#include "report/table.h"
#include "sample.h"

static struct sample_run run;

static const struct view_peak peaks[] = {
	{ "NVLink 18 x 25 GB/s (spec)", "auto,p2p", 450 },
	{ "NVLink line rate (NVML)", "", 478.08 },
	{ "PCIe (spec)", "shm", NAN },
};
static const char *const notes[] = { "seed 42" };

/* Two sizes of a small sweep; 200 GB/s is 1 MiB in 5.24288 us. */
static struct view small_sweep(void)
{
	struct view v = { .rows = run.row,
			  .one_host = true,
			  .peaks = peaks,
			  .n_peaks = 3,
			  .notes = notes,
			  .n_notes = 1 };

	run.n = 0;
	sample_ok(&run, "auto", "all_reduce", 8, "graph", 5.75);
	sample_ok(&run, "auto", "all_reduce", 1 << 20, "stream", 5.24288);
	sample_ok(&run, "auto", "sendrecv", 1 << 20, "stream", 4.194304);
	sample_ok(&run, "auto", "pingpong", 8, "graph", 4.5);
	sample_bad(&run, "p2p", "all_reduce", 8, "graph", "unavailable", "join",
		   "no P2P between GPU 0 and GPU 1: CUDA says no, NVML \"not supported\"; usual "
		   "for GeForce RTX 40");
	sample_ok(&run, "socket", "all_reduce", 8, "graph", 28.04);
	sample_ok(&run, "socket", "all_reduce", 1 << 20, "stream", 327.68);
	sample_bad(&run, "socket", "all_reduce", 1 << 21, "stream", "skipped", "none",
		   "time budget: predicted 60 ms");
	strcpy(v.machine, "2 x NVIDIA H200, NVLink 18");
	strcpy(v.versions, "NCCL 2.28.3, CUDA 13.0");
	strcpy(v.host, "node17");
	strcpy(v.when, "2026-11-30T16:58:30Z");
	v.n_rows = run.n;
	return v;
}

static void expect_text(const struct view *v, int width, bool color, const char *want)
{
	struct buf b = { 0 };

	table_text(&b, v, width, color);
	assert_false(b.failed);
	assert_string_equal(buf_text(&b), want);
	buf_fini(&b);
}

static void test_exact_text(void **state)
{
	struct view v = small_sweep();

	(void)state;
	setenv("LC_ALL", "C", 1);
	expect_text(&v, 100, false,
		    "2 x NVIDIA H200, NVLink 18 (node17, 2026-11-30T16:58:30Z)\n"
		    "NCCL 2.28.3, CUDA 13.0; backend nccl, 2 ranks\n"
		    "\n"
		    "transport              really used (proof)    all_reduce      sendrecv  "
		    "all_reduce  pingpong/2   % of       vs\n"
		    "                                            GB/s @ 1 MiB  GB/s @ 1 MiB    us "
		    "@ 8 B    us @ 8 B   peak     auto\n"
		    "                                                  stream        stream       "
		    "graph       graph\n"
		    "------------------------------------------------------------------------------"
		    "--------------------------------\n"
		    "auto                   P2P/CUMEM (yes)               200           250        "
		    "5.75        4.50  44.4%    1.00x\n"
		    "p2p                    N/A (no P2P between GPU 0 and GPU 1: CUDA says no, "
		    "NVML \"not supported\";\n"
		    "                       usual for GeForce RTX 40)\n"
		    "socket (loopback TCP)  P2P/CUMEM (yes)              3.20             -        "
		    "28.0           -      -  0.0160x\n"
		    "peak per direction\n"
		    "  NVLink 18 x 25 GB/s (spec)      450 GB/s\n"
		    "  NVLink line rate (NVML)         478 GB/s\n"
		    "  PCIe (spec)                 unknown\n"
		    "8 points: 6 ok, 1 unavailable, 1 skipped (time budget)\n"
		    "seed 42\n");
}

static void test_micro_sign_where_the_locale_has_it(void **state)
{
	struct view v = small_sweep();
	struct buf b = { 0 };

	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	table_text(&b, &v, 0, false);
	assert_non_null(strstr(buf_text(&b), "\302\265s @ 8 B"));
	assert_null(strstr(buf_text(&b), "us @ 8 B"));
	/* width 0: the reason stays on one line */
	assert_non_null(strstr(buf_text(&b), "\"not supported\"; usual for GeForce RTX 40)\n"));
	buf_fini(&b);
	setenv("LC_ALL", "C", 1);
}

static void test_markdown(void **state)
{
	struct view v = small_sweep();
	struct buf b = { 0 };

	(void)state;
	strcpy(run.row[4].detail, "a|b `c` <d> & *e*");
	table_markdown(&b, &v);
	assert_string_equal(
	    buf_text(&b),
	    "\n"
	    "- 2 x NVIDIA H200, NVLink 18 (node17, 2026-11-30T16:58:30Z)\n"
	    "- NCCL 2.28.3, CUDA 13.0; backend nccl, 2 ranks\n"
	    "\n"
	    "| transport | really used (proof) | all\\_reduce GB/s @ 1 MiB (stream) | sendrecv "
	    "GB/s @ 1 MiB (stream) | "
	    "all\\_reduce \302\265s @ 8 B (graph) | pingpong/2 \302\265s @ 8 B (graph) | % of peak "
	    "| vs auto |\n"
	    "|---|---|---:|---:|---:|---:|---:|---:|\n"
	    "| auto | P2P/CUMEM (yes) | 200 | 250 | 5.75 | 4.50 | 44.4% | 1.00x |\n"
	    "| p2p | N/A (a\\|b \\`c\\` &lt;d> &amp; \\*e\\*) |  |  |  |  |  |  |\n"
	    "| socket (loopback TCP) | P2P/CUMEM (yes) | 3.20 | - | 28.0 | - | - | 0.0160x |\n"
	    "\n"
	    "- peak per direction\n"
	    "- NVLink 18 x 25 GB/s (spec)      450 GB/s\n"
	    "- NVLink line rate (NVML)         478 GB/s\n"
	    "- PCIe (spec)                 unknown\n"
	    "- 8 points: 6 ok, 1 unavailable, 1 skipped (time budget)\n"
	    "- seed 42\n");
	buf_fini(&b);
}

static void test_empty_run(void **state)
{
	struct view v = { .rows = NULL };

	(void)state;
	expect_text(
	    &v, 80, false,
	    "unknown machine\nbackend none, 0 ranks\n\n"
	    "transport  really used (proof)\n\n\n------------------------------\n0 points\n");
}

static void test_bad_points(void **state)
{
	struct view v = { .rows = run.row };
	struct buf b = { 0 };
	const char *text;

	(void)state;
	run.n = 0;
	sample_ok(&run, "shm", "all_reduce", 8, "stream", 10);
	for (int i = 0; i < 3; i++)
		sample_bad(&run, "p2p", "all_reduce", 8u << i, "stream", "hang", "run",
			   "no answer in 10 s");
	for (int i = 0; i < 9; i++) {
		char detail[32];

		snprintf(detail, sizeof(detail), "%d wrong", i + 1);
		sample_bad(&run, "shm", "sendrecv", 1024, "stream", "corrupt", "check", detail);
	}
	v.n_rows = run.n;
	table_text(&b, &v, 0, false);
	text = strstr(buf_text(&b), "13 points");
	assert_non_null(text);
	assert_string_equal(
	    text, "13 points: 1 ok, 9 corrupt, 3 hang\n"
		  "  p2p all_reduce 8 B stream and 2 more: hang at run: no answer in 10 s\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 1 wrong\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 2 wrong\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 3 wrong\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 4 wrong\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 5 wrong\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 6 wrong\n"
		  "  shm sendrecv 1 KiB stream: corrupt at check: 7 wrong\n"
		  "  +2 more in points.csv\n");
	buf_fini(&b);
}

static void test_another_timing_is_marked(void **state)
{
	struct view v = { .rows = run.row };
	struct buf b = { 0 };

	(void)state;
	run.n = 0;
	sample_ok(&run, "p2p", "all_reduce", 8, "graph", 5);
	sample_ok(&run, "p2p-ce", "all_reduce", 8, "stream", 9);
	v.n_rows = run.n;
	table_text(&b, &v, 0, false);
	assert_non_null(strstr(buf_text(&b), " 9.00*\n"));
	assert_non_null(strstr(buf_text(&b), " 5.00\n"));
	assert_non_null(strstr(buf_text(&b), "\n* in another timing"));
	buf_fini(&b);
}

static void test_hostile_text_cannot_steer_the_terminal(void **state)
{
	struct view v = { .rows = run.row, .machine = "m\033]0;owned\007\nx", .host = "h\rh" };
	const char *const hostile[] = { "note\033[2J" };
	struct buf b = { 0 };

	(void)state;
	run.n = 0;
	strcpy(sample_ok(&run, "p2p", "all_reduce", 8, "graph", 5)->used, "u\033[1m");
	strcpy(run.row[0].transport, "t\033[31m");
	sample_bad(&run, "shm", "all_reduce", 8, "graph", "crash", "run", "");
	strcpy(run.row[1].detail, "d\033[0m\n\302\233");
	v.n_rows = run.n;
	v.notes = hostile;
	v.n_notes = 1;
	table_text(&b, &v, 60, false);
	table_markdown(&b, &v);
	assert_null(strchr(buf_text(&b), '\033'));
	assert_null(strchr(buf_text(&b), '\r'));
	assert_null(strchr(buf_text(&b), '\007'));
	assert_null(strstr(buf_text(&b), "\302\233"));
	buf_fini(&b);
}

static void test_color_wraps_whole_lines(void **state)
{
	struct view v = small_sweep();
	struct buf b = { 0 };

	(void)state;
	table_text(&b, &v, 100, true);
	assert_non_null(strstr(buf_text(&b), "\n\033[32mauto "));
	assert_non_null(strstr(buf_text(&b), "\033[2mN/A (no P2P"));
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_text),
		cmocka_unit_test(test_micro_sign_where_the_locale_has_it),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_empty_run),
		cmocka_unit_test(test_bad_points),
		cmocka_unit_test(test_another_timing_is_marked),
		cmocka_unit_test(test_hostile_text_cannot_steer_the_terminal),
		cmocka_unit_test(test_color_wraps_whole_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
