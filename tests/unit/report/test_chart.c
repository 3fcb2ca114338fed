/* SPDX-License-Identifier: Apache-2.0 */
/* Draws every chart with gnuplot from made-up and hostile runs. 77 without gnuplot. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "proc/child.h"
#include "report/chart.h"
#include "sample.h"
#include "slack.h"

extern char **environ;

static struct sample_run run;

struct folder {
	char top[64], charts[160];
};

static void folder_make(struct folder *f, const char *name)
{
	strcpy(f->top, "/tmp/ncclbench-chart-XXXXXX");
	assert_non_null(mkdtemp(f->top));
	snprintf(f->charts, sizeof(f->charts), "%s/%s", f->top, name);
	assert_int_equal(mkdir(f->charts, 0755), 0);
}

static void remove_all(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		char path[600];

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d != NULL)
		closedir(d);
	rmdir(dir);
}

static void folder_remove(struct folder *f)
{
	remove_all(f->charts);
	remove_all(f->top);
}

static void sh(const char *script, const char *arg, int want)
{
	char a0[] = "sh", a1[] = "-c", text[512], out[2048] = "", word[512];
	char *argv[] = { a0, a1, text, word, NULL };

	snprintf(text, sizeof(text), "%s", script);
	snprintf(word, sizeof(word), "%s", arg);
	if (child_run("/bin/sh", argv, environ, LONG_NS, out, sizeof(out)) != want)
		fail_msg("%s\n%s", script, out);
}

static bool have(const char *program)
{
	char a0[] = "sh", a1[] = "-c", text[128], out[256];
	char *argv[] = { a0, a1, text, NULL };

	snprintf(text, sizeof(text), "command -v %s", program);
	return child_run("/bin/sh", argv, environ, LONG_NS, out, sizeof(out)) == 0;
}

static void check_png(const char *dir, const char *name)
{
	static const unsigned char signature[] = { 0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a };
	char path[600], *data;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s.png", dir, name);
	assert_int_equal(file_read_all(path, 16u << 20, &data, &len), 0);
	assert_true(len > 5000);
	assert_memory_equal(data, signature, sizeof(signature));
	/* width 1000 of the picture, big endian in its first chunk */
	assert_int_equal((unsigned char)data[18] * 256 + (unsigned char)data[19], 1000);
	free(data);
}

static void check_svg(const char *dir, const char *name, const char *must_hold)
{
	char path[600], *data;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s.svg", dir, name);
	assert_int_equal(file_read_all(path, 16u << 20, &data, &len), 0);
	assert_memory_equal(data, "<?xml", 5);
	assert_non_null(strstr(data, "</svg>"));
	if (strstr(data, must_hold) == NULL)
		fail_msg("%s does not say '%s'", path, must_hold);
	assert_null(strstr(data, "<script"));
	free(data);
	if (have("xmllint"))
		sh("xmllint --noout \"$0\"", path, 0);
}

static void draw(const struct view *v, const struct folder *f, int want)
{
	struct buf notes = { 0 };
	int rc = chart_draw_all(v, f->charts, &notes);

	if (rc != want || notes.len != 0)
		fail_msg("returned %d, not %d: %s", rc, want, buf_text(&notes));
	buf_fini(&notes);
}

static struct view whole_sweep(void)
{
	static const struct view_peak peaks[] = {
		{ "NVLink 18 x 25 GB/s (spec)", "auto,p2p", 450 },
		{ "PCIe gen5 x16 (spec)", "shm", 63 },
		{ "?", "socket", NAN },
	};
	struct view v = { .rows = run.row, .one_host = true, .peaks = peaks, .n_peaks = 3 };

	run.n = 0;
	sample_sweep(&run, "auto", "P2P/CUMEM", "all_reduce", 8, 1u << 30, 5.7, 326);
	sample_sweep(&run, "shm", "SHM/direct", "all_reduce", 8, 1u << 30, 9.4, 27);
	sample_sweep(&run, "socket", "NET/Socket", "all_reduce", 8, 1u << 27, 28, 3.2);
	sample_sweep(&run, "auto", "P2P/CUMEM", "broadcast", 8, 1u << 20, 5.7, 326);
	sample_sweep(&run, "auto", "P2P/CUMEM", "pingpong", 8, 1u << 20, 5.7, 326);
	sample_bad(&run, "p2p", "all_reduce", 8, "graph", "unavailable", "join",
		   "no P2P between GPU 0 and GPU 1");
	strcpy(v.machine, "2 x NVIDIA H200, NVLink 18");
	strcpy(v.versions, "NCCL 2.28.3, CUDA 13.0");
	strcpy(v.host, "node17");
	v.n_rows = run.n;
	return v;
}

static void test_whole_sweep(void **state)
{
	static const char *const names[] = { "bandwidth_all_reduce",
					     "bandwidth_broadcast",
					     "bandwidth_pingpong",
					     "latency_all_reduce",
					     "latency_pingpong",
					     "comparison",
					     "outcomes" };
	struct view v = whole_sweep();
	struct folder f;

	(void)state;
	folder_make(&f, "charts");
	draw(&v, &f, 14);
	for (size_t i = 0; i < N_ELEMENTS(names); i++) {
		check_png(f.charts, names[i]);
		check_svg(f.charts, names[i], "2 x NVIDIA H200, NVLink 18");
	}
	check_svg(f.charts, "bandwidth_all_reduce", "socket (loopback TCP)");
	check_svg(f.charts, "bandwidth_all_reduce", "325 GB/s");
	check_svg(f.charts, "bandwidth_all_reduce", "NVLink 18 x 25 GB/s (spec): 450 GB/s");
	check_svg(f.charts, "comparison", "N/A (no P2P between GPU 0 and GPU 1)");
	check_svg(f.charts, "latency_pingpong", "\302\265s");
	sh("test ! -e \"$0\"/latency_broadcast.svg", f.charts, 0);
	/* and again by hand, as the README says */
	sh("cd \"$0\" && rm *.svg *.png && gnuplot bandwidth_all_reduce.gp && gnuplot "
	   "comparison.gp",
	   f.charts, 0);
	check_png(f.charts, "bandwidth_all_reduce");
	check_svg(f.charts, "comparison", "auto");
	folder_remove(&f);
}

/* 2, 4 and 8 ranks: a curve over them beside those over sizes, which are of 8 ranks. */
static void test_growing_ranks(void **state)
{
	static const int ranks[3] = { 2, 4, 8 };
	struct view v = { .rows = run.row, .one_host = true, .ranks = 8 };
	struct folder f;

	(void)state;
	run.n = 0;
	for (int i = 0; i < 3; i++) {
		size_t first = run.n;

		sample_sweep(&run, "p2p", "P2P/CUMEM", "all_reduce", 8, 1u << 20, 5 + i,
			     400 - 50 * i);
		sample_sweep(&run, "shm", "SHM/direct", "all_reduce", 8, 1u << 20, 9, 25);
		for (size_t k = first; k < run.n; k++)
			run.row[k].ranks = ranks[i];
	}
	v.n_rows = run.n;
	folder_make(&f, "charts");
	/* bandwidth, latency, comparison, outcomes and two over ranks, each as SVG and PNG */
	draw(&v, &f, 12);
	check_png(f.charts, "scaling_all_reduce");
	check_svg(f.charts, "scaling_all_reduce",
		  "all_reduce: bus bandwidth by number of ranks, 1 MiB, timing stream");
	check_svg(f.charts, "scaling_latency_all_reduce",
		  "all_reduce: time of one operation by number of ranks, 8 B, timing graph");
	check_svg(f.charts, "scaling_latency_all_reduce", "7.00 \302\265s");
	check_svg(f.charts, "bandwidth_all_reduce", "8 ranks");
	sh("grep -q '^8.0 7.0' \"$0\"/scaling_latency_all_reduce.dat", f.charts, 0);
	folder_remove(&f);
}

/* Beside computation, with 4 and 8 channels: over sizes of NCCL's own number, over channels. */
static void test_beside_computation(void **state)
{
	static const char *const arms[] = { "", "4 channels", "8 channels" };
	struct view v = { .rows = run.row, .one_host = true, .ranks = 2 };
	struct folder f;

	(void)state;
	run.n = 0;
	for (size_t i = 0; i < N_ELEMENTS(arms); i++)
		for (int load = 0; load < 2; load++) {
			struct record *r =
			    sample_ok(&run, "p2p", "all_reduce", 1 << 20, "stream", load ? 30 : 20);

			record_set(r->arm, sizeof(r->arm), arms[i]);
			record_set(r->load, sizeof(r->load), load ? "fma" : "");
			r->load_slowdown = load ? 1.25 : NAN;
		}
	v.n_rows = 2;
	v.n_all = run.n;
	folder_make(&f, "charts");
	/* bandwidth, latency, comparison, overlap, channels, outcomes */
	draw(&v, &f, 12);
	check_png(f.charts, "channels_all_reduce");
	check_svg(f.charts, "channels_all_reduce", "by channels, 1 MiB, timing stream");
	check_svg(f.charts, "channels_all_reduce", "p2p beside fma");
	check_svg(f.charts, "channels_all_reduce", "x1.25");
	check_svg(f.charts, "overlap_all_reduce", "p2p beside fma");
	sh("grep -q '^8.0 1.5 ' \"$0\"/channels_all_reduce.dat", f.charts, 0);
	folder_remove(&f);
}

static void test_single_point(void **state)
{
	struct view v = { .rows = run.row };
	struct folder f;

	(void)state;
	run.n = 0;
	sample_ok(&run, "p2p", "all_reduce", 1 << 20, "stream", 12.5);
	run.row[0].ci_lo_us = run.row[0].ci_hi_us = NAN;
	v.n_rows = run.n;
	folder_make(&f, "charts");
	draw(&v, &f, 8);
	check_png(f.charts, "bandwidth_all_reduce");
	check_svg(f.charts, "latency_all_reduce", "12.5 \302\265s");
	folder_remove(&f);
}

static void test_nothing_to_draw_is_skipped(void **state)
{
	struct view v = { .rows = run.row };
	struct folder f;

	(void)state;
	run.n = 0;
	folder_make(&f, "charts");
	draw(&v, &f, 0);
	/* only failures: outcomes is the one picture with something to show */
	sample_bad(&run, "p2p", "all_reduce", 8, "graph", "hang", "run", "no answer in 10 s");
	sample_ok(&run, "shm", "all_reduce", 8, "graph", 0)->busbw_gbps = 0;
	sample_ok(&run, "shm", "all_reduce", 16, "graph", NAN)->busbw_gbps = NAN;
	v.n_rows = run.n;
	draw(&v, &f, 2);
	check_svg(f.charts, "outcomes", "1 hang");
	sh("test ! -e \"$0\"/comparison.gp", f.charts, 0);
	folder_remove(&f);
}

static const char *const hostile[] = {
	"`touch INJECTED`",
	"a'b\"c%d@title",
	"x_y^z{q}|&<>$(id)",
	"\377\033[31m\\n%s %g",
	"$0 ''`x`''; system('",
	"';!touch INJECTED;'",
	"\\",
	"$(touch INJECTED)",
};

static struct view hostile_run(void)
{
	static struct view_peak peaks[N_ELEMENTS(hostile)];
	struct view v = { .rows = run.row, .peaks = peaks, .n_peaks = N_ELEMENTS(hostile) };

	run.n = 0;
	for (size_t i = 0; i < N_ELEMENTS(hostile); i++) {
		char name[24];

		snprintf(name, sizeof(name), "%s", hostile[i]);
		if (i % 2 == 0)
			sample_sweep(&run, name, hostile[i], "all_reduce", 8, 1 << 20, 5,
				     350 / pow(8, (double)i));
		else
			sample_bad(&run, name, "all_reduce", 8, "graph", "unavailable", "join",
				   hostile[i]);
		snprintf(peaks[i].name, sizeof(peaks[i].name), "%s", hostile[i]);
		snprintf(peaks[i].transport, sizeof(peaks[i].transport), "%s", name);
		peaks[i].gbps = 300;
	}
	sample_ok(&run, "x", "../../`touch INJECTED`", 8, "graph", 1);
	snprintf(v.machine, sizeof(v.machine), "`touch INJECTED` 'q' \"`touch INJECTED`\" \\");
	snprintf(v.versions, sizeof(v.versions),
		 "a'\n!touch INJECTED\nsystem \"touch INJECTED\"\n'%%");
	snprintf(v.host, sizeof(v.host),
		 "an-endless-host-name.rack17.row4.hall2.site.cluster.example.com");
	v.n_rows = run.n;
	return v;
}

static void test_hostile_names(void **state)
{
	struct view v = hostile_run();
	struct folder f;

	(void)state;
	folder_make(&f, "it's `touch INJECTED` \"$(touch INJECTED)\" %d");
	draw(&v, &f, 8);
	check_png(f.charts, "bandwidth_all_reduce");
	check_svg(f.charts, "bandwidth_all_reduce", "`touch INJECTED`");
	check_svg(f.charts, "comparison", "x_y^z{q}|&amp;&lt;>$(id)");
	check_svg(f.charts, "outcomes", "an-endless-host-name");
	sh("cd \"$0\"/.. && test -z \"$(find . -name INJECTED)\" && test ! -e INJECTED", f.charts,
	   0);
	assert_false(file_exists("INJECTED"));
	folder_remove(&f);
}

static void test_many_transports(void **state)
{
	struct view v = { .rows = run.row };
	struct folder f;

	(void)state;
	run.n = 0;
	for (int i = 0; i < 20; i++) {
		char name[24];

		snprintf(name, sizeof(name), "transport-%02d", i);
		sample_sweep(&run, name, "P2P/CUMEM", "all_reduce", 1 << 20, 1 << 24, 5, 100);
	}
	v.n_rows = run.n;
	folder_make(&f, "charts");
	draw(&v, &f, 8);
	check_svg(f.charts, "comparison", "transport-19");
	folder_remove(&f);
}

static void test_without_gnuplot(void **state)
{
	struct view v = whole_sweep();
	struct buf notes = { 0 };
	struct folder f;
	char *path = strdup(getenv("PATH"));

	(void)state;
	assert_non_null(path);
	folder_make(&f, "charts");
	setenv("PATH", "/proc/nonexistent", 1);
	assert_int_equal(chart_draw_all(&v, f.charts, &notes), -ENOENT);
	setenv("PATH", path, 1);
	assert_non_null(strstr(buf_text(&notes), "gnuplot-nox"));
	/* what a later gnuplot needs is there */
	sh("cd \"$0\" && gnuplot outcomes.gp", f.charts, 0);
	check_png(f.charts, "outcomes");
	buf_fini(&notes);
	folder_remove(&f);
	free(path);
}

/* A broken script costs its own pictures only, and says which line. */
static void test_broken_script(void **state)
{
	struct view v = whole_sweep();
	struct buf notes = { 0 };
	struct folder f;

	(void)state;
	folder_make(&f, "charts");
	sh("cp \"$NCCLBENCH_PLOTS\"/*.gp \"$0\"/.. && echo 'set nonsense' > \"$0\"/../latency.gp",
	   f.charts, 0);
	setenv("OLD_PLOTS", getenv("NCCLBENCH_PLOTS"), 1);
	setenv("NCCLBENCH_PLOTS", f.top, 1);
	assert_int_equal(chart_draw_all(&v, f.charts, &notes), 10);
	assert_non_null(strstr(buf_text(&notes), "chart latency_all_reduce: gnuplot exit 1: "));
	assert_non_null(strstr(buf_text(&notes), "latency.gp\" line 1:"));
	setenv("NCCLBENCH_PLOTS", getenv("OLD_PLOTS"), 1);
	buf_fini(&notes);
	folder_remove(&f);
}

static void test_folders_that_are_not_there(void **state)
{
	struct view v = whole_sweep();
	struct buf notes = { 0 };
	char *plots = strdup(getenv("NCCLBENCH_PLOTS"));

	(void)state;
	assert_non_null(plots);
	assert_int_equal(chart_draw_all(&v, "/proc/nonexistent/charts", &notes), -ENOTDIR);
	assert_non_null(strstr(buf_text(&notes), "/proc/nonexistent/charts"));
	setenv("NCCLBENCH_PLOTS", "/proc/nonexistent", 1);
	assert_null(chart_plots_dir());
	assert_int_equal(chart_draw_all(&v, "/tmp", &notes), -ENOTDIR);
	setenv("NCCLBENCH_PLOTS", plots, 1);
	buf_fini(&notes);
	free(plots);
}

static void test_table_is_complete(void **state)
{
	(void)state;
	assert_true(chart_count >= 4);
	for (size_t i = 0; i < chart_count; i++) {
		char *dir = chart_plots_dir(), *path = file_join(dir, chart_table[i].script);

		assert_non_null(chart_table[i].id);
		assert_non_null(chart_table[i].help);
		assert_non_null(chart_table[i].write);
		assert_true(file_exists(path));
		free(path);
		free(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_is_complete),
		cmocka_unit_test(test_whole_sweep),
		cmocka_unit_test(test_growing_ranks),
		cmocka_unit_test(test_beside_computation),
		cmocka_unit_test(test_single_point),
		cmocka_unit_test(test_nothing_to_draw_is_skipped),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_many_transports),
		cmocka_unit_test(test_without_gnuplot),
		cmocka_unit_test(test_broken_script),
		cmocka_unit_test(test_folders_that_are_not_there),
	};

	if (!have("gnuplot"))
		return 77;
	setenv("NCCLBENCH_PLOTS", NCCLBENCH_TEST_PLOTS, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
