/* SPDX-License-Identifier: Apache-2.0 */
/* What the report's pictures are drawn from, by hand-checked figures, and that gnuplot draws it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/file.h"
#include "report/fleet.h"
#include "report/fleet_chart.h"
#include "report/fleet_draw.h"
#include "sample.h"

#define MACHINES 8

static struct sample_run runs[MACHINES];
static struct fleet_machine machines[MACHINES];
static struct fleet fleet;

static const struct fleet_chart *chart(const char *id)
{
	for (size_t i = 0; i < fleet_charts_n; i++)
		if (strcmp(fleet_charts[i].id, id) == 0)
			return &fleet_charts[i];
	fail_msg("no chart %s", id);
	return NULL;
}

static void fleet_empty(size_t n)
{
	memset(runs, 0, sizeof(runs));
	for (size_t i = 0; i < MACHINES; i++) {
		if (machines[i].run.meta != NULL)
			json_decref(machines[i].run.meta);
		machines[i] = (struct fleet_machine){ .price = NAN, .power = NAN };
		snprintf(machines[i].name, sizeof(machines[i].name), "node%zu", i + 1);
		machines[i].run.view.rows = runs[i].row;
		machines[i].run.view.one_host = true;
	}
	fleet = (struct fleet){ .machine = machines, .n = n };
}

static void fleet_seal(void)
{
	for (size_t i = 0; i < MACHINES; i++)
		machines[i].run.view.n_rows = runs[i].n;
}

static void meta(size_t machine, const char *text)
{
	machines[machine].run.meta = json_loads(text, 0, NULL);
	assert_non_null(machines[machine].run.meta);
}

static struct fleet_drawing drawing;

static int write_chart(const char *id, const char *op)
{
	buf_fini(&drawing.data);
	buf_fini(&drawing.vars);
	drawing = (struct fleet_drawing){ .f = &fleet, .op = op };
	return chart(id)->write(&drawing);
}

static void has(const struct buf *b, const char *text)
{
	if (strstr(buf_text(b), text) == NULL)
		fail_msg("no '%s' in\n%s", text, buf_text(b));
}

static void says(const char *text)
{
	if (strstr(drawing.alt, text) == NULL)
		fail_msg("no '%s' in: %s", text, drawing.alt);
}

/* The data file is one line of these four. */
static void line_is(double x, double y, double lo, double hi)
{
	double v[4];
	int end = 0;

	assert_int_equal(sscanf(buf_text(&drawing.data), "%lf %lf %lf %lf \n%n", &v[0], &v[1],
				&v[2], &v[3], &end),
			 4);
	assert_int_equal(end, drawing.data.len);
	assert_true(v[0] == x && fabs(v[1] - y) < 1e-9);
	assert_true(fabs(v[2] - lo) < 1e-9 && fabs(v[3] - hi) < 1e-9);
}

/* 1 MiB in `us`, interval from 0.8 to 1.25 of it. */
static void point(size_t machine, const char *transport, const char *timing, double us)
{
	struct record *r = sample_ok(&runs[machine], transport, "all_reduce", 1 << 20, timing, us);

	r->ci_lo_us = us * 0.8;
	r->ci_hi_us = us * 1.25;
}

/* 1048576 B in 100 us are 10.48576 GB/s; in 125 us 8.388608, in 80 us 13.1072. */
static void test_bandwidth(void **state)
{
	(void)state;
	fleet_empty(1);
	point(0, "p2p", "graph", 100);
	fleet_seal();
	assert_int_equal(write_chart("bandwidth", "all_reduce"), 1);
	line_is(1048576, 10.48576, 8.388608, 13.1072);
	has(&drawing.vars, "xmin = 524288.0\nxmax = 2097152.0\n");
	has(&drawing.vars, "ymin = 5.0\nymax = 20.0\n"); /* 8.39 / 1.3 down, 13.1 * 1.3 up */
	has(&drawing.vars, "curve_points[1] = 1\n");
	has(&drawing.vars, "words[1] = 'all_reduce: bus bandwidth in GB/s by message size'");
	has(&drawing.vars, "'p2p: 10.5'");
	says("p2p 10.5 GB/s at 1 MiB");
	assert_int_equal(write_chart("bandwidth", "broadcast"), 0);
}

static void test_latency(void **state)
{
	(void)state;
	fleet_empty(1);
	point(0, "socket", "graph", 100);
	fleet_seal();
	assert_int_equal(write_chart("latency", "all_reduce"), 1);
	line_is(1048576, 100, 80, 125);
	says("socket (loopback TCP) 100 \302\265s at 1 MiB");
	has(&drawing.vars, "'socket (loopback TCP)'");
}

/* The second machine takes half the time: 2, at worst 16.777216 / 13.1072 = 1.28, at best 26.2144 /
 * 8.388608 = 3.125. */
static void test_ratio(void **state)
{
	(void)state;
	fleet_empty(3);
	point(0, "p2p", "graph", 100);
	point(1, "p2p", "graph", 50);
	point(2, "shm", "graph", 50); /* the reference has no shm */
	fleet_seal();
	assert_int_equal(write_chart("ratio", "all_reduce"), 1);
	line_is(1048576, 2, 1.28, 3.125);
	has(&drawing.vars, "n_panels = 1\n");
	has(&drawing.vars, "line_y[1] = 1.0\n");
	has(&drawing.vars, "'2: 2.00'");
	says("Reference: node1.");
	fleet.n = 1;
	assert_int_equal(write_chart("ratio", "all_reduce"), 0);
	/* against the other one, by its own words */
	fleet.n = 2;
	fleet.reference = 1;
	assert_int_equal(write_chart("ratio", "all_reduce"), 1);
	line_is(1048576, 0.5, 0.32, 0.78125);
}

static void test_no_ratio_of_other_timings(void **state)
{
	(void)state;
	fleet_empty(2);
	point(0, "p2p", "graph", 100);
	point(1, "p2p", "stream", 50);
	fleet_seal();
	assert_int_equal(write_chart("ratio", "all_reduce"), 0);
	assert_int_equal(write_chart("bandwidth", "all_reduce"), 2);
	has(&drawing.vars, "'p2p (timings differ)'");
}

static void test_comparison(void **state)
{
	static const struct view_peak peak[] = {
		{ .name = "NVLink", .transport = "p2p", .gbps = 50, .kind = VIEW_PEAK_SPEC },
		{ .name = "TCP", .transport = "socket", .gbps = 900, .kind = VIEW_PEAK_MEASURED },
	};

	(void)state;
	fleet_empty(1);
	point(0, "p2p", "stream", 100);
	sample_ok(&runs[0], "p2p", "all_reduce", 8, "graph", 5);
	sample_bad(&runs[0], "shm", "all_reduce", 1 << 20, "stream", "unavailable", "start",
		   "no /dev/shm");
	machines[0].run.view.peaks = peak;
	machines[0].run.view.n_peaks = 2;
	fleet_seal();
	assert_int_equal(write_chart("comparison", NULL), 3); /* rows */
	/* panel, middle, half height, from, to, style: bandwidth, latency, theory */
	assert_string_equal(buf_text(&drawing.data), "1 84.0 7 0.0 10.48576 1\n"
						     "2 84.0 7 0.0 5.0 1\n"
						     "1 124.0 7 0.0 50.0 2\n");
	has(&drawing.vars, "style_fill[2] = 4\n");
	has(&drawing.vars, "'N/A (no /dev/shm)'");
	has(&drawing.vars, "'best theoretical value'");
	says("p2p: 10.5 GB/s, 5.00 \302\265s. shm: N/A (no /dev/shm).");
}

static void test_outcomes(void **state)
{
	(void)state;
	fleet_empty(1);
	point(0, "p2p", "graph", 100);
	point(0, "p2p", "stream", 100);
	sample_bad(&runs[0], "p2p", "all_reduce", 8, "graph", "hang", "run", "no answer");
	fleet_seal();
	assert_int_equal(write_chart("outcomes", NULL), 1);
	assert_string_equal(buf_text(&drawing.data), "1 84.0 7 0.0 2.0 1\n1 84.0 7 2.0 3.0 2\n");
	says("p2p: 3: 2 ok, 1 hang.");
}

static void test_communicator(void **state)
{
	(void)state;
	fleet_empty(1);
	point(0, "p2p", "graph", 100);
	fleet_seal();
	assert_int_equal(write_chart("communicator", NULL), 0);
	meta(0, "{\"transports\":[{\"backend\":\"nccl\",\"transport\":\"p2p\",\"context_us\":"
		"200000,\"init_us\":300000,\"first_operation_us\":null},{\"backend\":7},5]}");
	assert_int_equal(write_chart("communicator", NULL), 1);
	assert_string_equal(buf_text(&drawing.data),
			    "1 84.0 7 0.0 200.0 1\n1 84.0 7 200.0 500.0 2\n");
	says("communicator 300 ms, all 500 ms.");
}

static void test_value(void **state)
{
	(void)state;
	fleet_empty(2);
	point(0, "p2p", "stream", 100);
	point(1, "socket", "stream", 10); /* loopback: ranks nothing */
	fleet_seal();
	assert_int_equal(write_chart("value", NULL), 0);
	machines[0].price = 1000;
	machines[1].price = 10;
	strcpy(fleet.currency, "EUR");
	assert_int_equal(write_chart("value", NULL), 2);
	/* 10.48576 / 1000 */
	assert_string_equal(buf_text(&drawing.data), "1 84.0 7 0.0 0.01048576 1\n");
	has(&drawing.vars, "'GB/s per EUR'");
	has(&drawing.vars, "'nothing that may be ranked'");
	says("node1, p2p: 0.0105 GB/s per EUR.");
}

static void test_topology(void **state)
{
	static const char facts[] =
	    "{\"ranks\":[{\"devices\":\"3\",\"p2p.0.1\":\"yes\",\"p2p.1.0\":\"yes\","
	    "\"p2p.0.2\":\"no\",\"p2p.2.0\":\"no\",\"evil\":\"x\\ndevices=9\",\"n\":5}]}";

	(void)state;
	fleet_empty(2);
	fleet_seal();
	assert_int_equal(write_chart("topology", NULL), 0);
	meta(0, facts);
	meta(1, facts);
	assert_int_equal(write_chart("topology", NULL), 1); /* both look the same */
	has(&drawing.vars, "'machines 1, 2'");
	says("node1: 3 GPUs, P2P in 2 of 6 ordered pairs, 2 unknown. node2: 3 GPUs");
	/* the first row: itself, P2P, none */
	assert_int_equal(strncmp(buf_text(&drawing.data),
				 "59.0 113.0 103.0 157.0 0\n105.0 113.0 149.0 157.0 2\n"
				 "151.0 113.0 195.0 157.0 3\n",
				 75),
			 0);
}

static void test_nothing_to_draw(void **state)
{
	(void)state;
	fleet_empty(1);
	fleet_seal();
	for (size_t i = 0; i < fleet_charts_n; i++)
		assert_int_equal(write_chart(fleet_charts[i].id, "all_reduce"), 0);
	sample_ok(&runs[0], "p2p", "all_reduce", 8, "graph", NAN)->busbw_gbps = NAN;
	sample_ok(&runs[0], "p2p", "all_reduce", 16, "graph", 0)->busbw_gbps = 0;
	sample_ok(&runs[0], "p2p", "all_reduce", 0, "graph", 5);
	fleet_seal();
	assert_int_equal(write_chart("bandwidth", "all_reduce"), 0);
	assert_int_equal(write_chart("latency", "all_reduce"), 0);
}

/* No interval, or one that is none: a line without a band, never a NaN. */
static void test_without_interval(void **state)
{
	struct record *r;

	(void)state;
	fleet_empty(1);
	r = sample_ok(&runs[0], "p2p", "all_reduce", 1 << 20, "graph", 100);
	r->ci_lo_us = NAN;
	r->ci_hi_us = -3;
	fleet_seal();
	assert_int_equal(write_chart("bandwidth", "all_reduce"), 1);
	line_is(1048576, 10.48576, 10.48576, 10.48576);
}

static void test_names_that_fit(void **state)
{
	char text[160];

	(void)state;
	draw_fit("short", 100, DRAW_PLAIN, text, sizeof(text));
	assert_string_equal(text, "short");
	/* ten characters: five, the dots, four */
	draw_fit("abcdefghijklmnopqrstuvwxyz", 72, DRAW_PLAIN, text, sizeof(text));
	assert_string_equal(text, "abcde\342\200\246wxyz");
	/* five: two, the dots, two */
	draw_fit("\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274x\033",
		 40, DRAW_PLAIN, text, sizeof(text));
	assert_string_equal(text, "\303\244\303\266\342\200\246x?");
	draw_cut("one two three four", 72, DRAW_PLAIN, text, sizeof(text));
	assert_string_equal(text, "one two\342\200\246");
	fleet_empty(2);
	draw_machine(&fleet, 1, 200, text, sizeof(text));
	assert_string_equal(text, "2: node2");
	fleet.n = 1;
	draw_machine(&fleet, 0, 200, text, sizeof(text));
	assert_string_equal(text, "node1");
}

static void test_places(void **state)
{
	double crowd[] = { 50, 51, 52, 99 }, top[] = { 95, 98, 100 };
	static struct draw_ticks t;

	(void)state;
	draw_spread(crowd, 4, 10, 100);
	assert_true(crowd[0] == 50 && crowd[1] == 60 && crowd[2] == 70 && crowd[3] == 99);
	draw_spread(top, 3, 10, 100);
	assert_true(top[0] == 80 && top[1] == 90 && top[2] == 100);
	draw_linear_ticks(&t, 450, 5);
	assert_int_equal(t.n, 5); /* 0 100 200 300 400 */
	assert_string_equal(t.text[4], "400");
	draw_linear_ticks(&t, 46, 1);
	assert_int_equal(t.n, 3); /* 0 20 40: one step of 50 would leave only the 0 */
	assert_string_equal(t.text[2], "40");
	assert_true(draw_nice(63, true) == 100 && draw_nice(63, false) == 50);
}

/* ---- with gnuplot ---- */

static void fill(size_t n)
{
	fleet_empty(n);
	for (size_t i = 0; i < n; i++) {
		sample_sweep(&runs[i], "p2p", "P2P/CUMEM", "all_reduce", 8, 1u << 30, 5 + (double)i,
			     300 - 20 * (double)i);
		sample_sweep(&runs[i], "socket", "NET/Socket", "all_reduce", 8, 1u << 27, 28, 3);
		sample_sweep(&runs[i], "p2p", "P2P/CUMEM", "pingpong", 8, 1u << 20, 5, 300);
		meta(i,
		     "{\"ranks\":[{\"devices\":\"2\",\"p2p.0.1\":\"yes\",\"p2p.1.0\":\"yes\"}]}");
	}
	fleet_seal();
}

static void draw(struct fleet_pictures *p, int want)
{
	struct buf notes = { 0 };
	int rc = fleet_pictures_draw(&fleet, p, &notes);

	if (rc != want || (want == 0 && notes.len != 0))
		fail_msg("returned %d, not %d: %s", rc, want, buf_text(&notes));
	buf_fini(&notes);
}

static void check_svg(const struct fleet_picture *p)
{
	const char *svg = buf_text(&p->svg);

	assert_non_null(p->alt[0] ? p->alt : NULL);
	assert_int_equal(strncmp(svg, "<svg class=\"chart\" ", 19), 0);
	assert_non_null(strstr(svg, "role=\"img\" aria-label=\""));
	assert_non_null(strstr(svg, "</svg>"));
	assert_non_null(strstr(svg, "<text>"));
	assert_null(strstr(svg, "rgb("));
	assert_null(strstr(svg, "<script"));
	assert_null(strstr(svg, "xlink"));
}

static void test_one_and_many_machines(void **state)
{
	static const size_t counts[] = { 1, 2, 4, 8 };
	static const char *const ids[] = { "comparison", "topology", "outcomes" };
	struct fleet_pictures p;

	(void)state;
	for (size_t i = 0; i < N_ELEMENTS(counts); i++) {
		fill(counts[i]);
		draw(&p, 0);
		/* comparison, topology, outcomes; two operations: bandwidth, latency, ratio */
		assert_int_equal(p.n, counts[i] == 1 ? 7 : 9);
		for (size_t k = 0; k < p.n; k++)
			check_svg(&p.list[k]);
		for (size_t k = 0; k < N_ELEMENTS(ids); k++)
			assert_non_null(fleet_pictures_find(&p, ids[k], NULL));
		assert_non_null(fleet_pictures_find(&p, "latency", "pingpong"));
		assert_null(fleet_pictures_find(&p, "latency", "broadcast"));
		assert_null(fleet_pictures_find(&p, "latency", NULL));
		fleet_pictures_fini(&p);
	}
}

static void test_single_picture(void **state)
{
	struct buf svg = { 0 };
	char alt[200] = "";

	(void)state;
	fill(1);
	assert_int_equal(
	    fleet_chart_svg(&fleet, chart("bandwidth"), "all_reduce", &svg, alt, sizeof(alt)), 1);
	has(&svg, "aria-label=\"Curves, all_reduce (graph timing): bus bandwidth");
	assert_non_null(strstr(alt, "p2p"));
	buf_clear(&svg);
	assert_int_equal(
	    fleet_chart_svg(&fleet, chart("bandwidth"), "scatter", &svg, alt, sizeof(alt)), 0);
	assert_int_equal(svg.len, 0);
	buf_fini(&svg);
}

static void test_hostile_names(void **state)
{
	static const char *const hostile[] = {
		"`touch INJECTED`",
		"<script>alert(1)</script>",
		"a'b\"c%d@title{}^_|&",
		"\377\033[31m\\n$(touch INJECTED)",
		"';system('touch INJECTED');'",
		"]]>--><!--",
	};
	struct fleet_pictures p;

	(void)state;
	fill(N_ELEMENTS(hostile));
	for (size_t i = 0; i < N_ELEMENTS(hostile); i++) {
		snprintf(machines[i].name, sizeof(machines[i].name), "%s", hostile[i]);
		snprintf(machines[i].run.view.machine, sizeof(machines[i].run.view.machine), "%s",
			 hostile[i]);
		sample_bad(&runs[i], hostile[i], "all_reduce", 8, "graph", "hang", "run",
			   hostile[i]);
		record_set(runs[i].row[runs[i].n - 1].transport, 24, hostile[i]);
	}
	fleet_seal();
	draw(&p, 0);
	for (size_t k = 0; k < p.n; k++)
		check_svg(&p.list[k]);
	has(&p.list[0].svg, "`touch INJECTED`");
	assert_false(file_exists("INJECTED"));
	fleet_pictures_fini(&p);
}

static void test_thousand_points_and_names_of_60(void **state)
{
	struct fleet_pictures p;

	(void)state;
	fleet_empty(2);
	for (size_t i = 0; i < 2; i++) {
		for (int k = 0; k < 1000; k++)
			sample_ok(&runs[i], "p2p", "all_reduce", 8 + 64 * (uint64_t)k, "graph",
				  5 + k);
		memset(machines[i].name, 'a' + (int)i, 60);
		machines[i].name[60] = '\0';
	}
	fleet_seal();
	draw(&p, 0);
	for (size_t k = 0; k < p.n; k++)
		check_svg(&p.list[k]);
	fleet_pictures_fini(&p);
}

static void test_without_gnuplot(void **state)
{
	struct fleet_pictures p;
	struct buf notes = { 0 };
	char *path = strdup(getenv("PATH")), *plots = strdup(getenv("NCCLBENCH_PLOTS"));

	(void)state;
	fill(1);
	setenv("PATH", "/proc/nonexistent", 1);
	assert_int_equal(fleet_pictures_draw(&fleet, &p, &notes), -ENOENT);
	setenv("PATH", path, 1);
	has(&notes, "gnuplot-nox");
	assert_int_equal(p.n, 7); /* words and figures are there */
	assert_int_equal(p.list[0].svg.len, 0);
	fleet_pictures_fini(&p);
	buf_clear(&notes);
	setenv("NCCLBENCH_PLOTS", "/proc/nonexistent", 1);
	assert_int_equal(fleet_pictures_draw(&fleet, &p, &notes), -ENOENT);
	has(&notes, "NCCLBENCH_PLOTS");
	fleet_pictures_fini(&p);
	setenv("NCCLBENCH_PLOTS", plots, 1);
	buf_fini(&notes);
	free(path);
	free(plots);
}

/* A broken script costs its own pictures only, and says which line. */
static void test_broken_script(void **state)
{
	char dir[] = "/tmp/ncclbench-plots-XXXXXX", command[400];
	char *plots = strdup(getenv("NCCLBENCH_PLOTS"));
	struct fleet_pictures p;
	struct buf notes = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "cp '%s'/*.gp %s && echo 'set nonsense' > %s/fleet_panels.gp", plots, dir, dir);
	assert_int_equal(system(command), 0);
	setenv("NCCLBENCH_PLOTS", dir, 1);
	fill(1);
	assert_int_equal(fleet_pictures_draw(&fleet, &p, &notes), 0);
	has(&notes, "picture bandwidth_all_reduce: gnuplot exit 1: ");
	has(&notes, "fleet_panels.gp\" line 1:");
	assert_true(fleet_pictures_find(&p, "outcomes", NULL)->svg.len > 0);
	assert_int_equal(fleet_pictures_find(&p, "bandwidth", "all_reduce")->svg.len, 0);
	setenv("NCCLBENCH_PLOTS", plots, 1);
	fleet_pictures_fini(&p);
	buf_fini(&notes);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	free(plots);
}

static void test_table_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < fleet_charts_n; i++) {
		char *path = file_join(getenv("NCCLBENCH_PLOTS"), fleet_charts[i].script);

		assert_true(file_exists(path));
		assert_true(strlen(fleet_charts[i].title) > 5 && strlen(fleet_charts[i].help) > 20);
		free(path);
	}
}

static int end(void **state)
{
	(void)state;
	fleet_empty(0);
	buf_fini(&drawing.data);
	buf_fini(&drawing.vars);
	return 0;
}

int main(void)
{
	const struct CMUnitTest figures[] = {
		cmocka_unit_test(test_table_is_complete),
		cmocka_unit_test(test_bandwidth),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_no_ratio_of_other_timings),
		cmocka_unit_test(test_comparison),
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_communicator),
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_topology),
		cmocka_unit_test(test_nothing_to_draw),
		cmocka_unit_test(test_without_interval),
		cmocka_unit_test(test_names_that_fit),
		cmocka_unit_test(test_places),
	};
	const struct CMUnitTest pictures[] = {
		cmocka_unit_test(test_one_and_many_machines),
		cmocka_unit_test(test_single_picture),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_thousand_points_and_names_of_60),
		cmocka_unit_test(test_without_gnuplot),
		cmocka_unit_test(test_broken_script),
	};
	int failed;

	setenv("NCCLBENCH_PLOTS", NCCLBENCH_TEST_PLOTS, 1);
	failed = cmocka_run_group_tests(figures, NULL, end);
	if (failed == 0 && system("command -v gnuplot >/dev/null") != 0)
		return 77;
	return failed + cmocka_run_group_tests(pictures, NULL, end);
}
