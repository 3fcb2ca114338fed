/* SPDX-License-Identifier: Apache-2.0 */
/* Growth with the number of ranks: which rows are taken, ratios worked out by hand, gaps. Pictures
 * themselves: test_chart.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "report/scaling.h"
#include "report/table.h"
#include "sample.h"
#include "spec/op.h"

static struct sample_run run;

static struct record *row(const char *transport, const char *op, int ranks, uint64_t bytes,
			  const char *timing, double us, double busbw)
{
	struct record *r = sample_ok(&run, transport, op, bytes, timing, us);

	r->ranks = ranks;
	r->busbw_gbps = busbw;
	return r;
}

static struct view view(void)
{
	return (struct view){ .rows = run.row,
			      .n_rows = run.n,
			      .one_host = true,
			      .ranks = view_most_ranks(run.row, run.n) };
}

/* p2p of 2, 4, 8 ranks: 400, 380, 300 GB/s at 1 MiB: 100, 95, 75 %. Of shm 8 ranks have nothing
 * above 1 KiB. 8 B takes p2p 5, 6, 10 us: 1.2 and 2 times. */
static void growing(void)
{
	static const int ranks[3] = { 2, 4, 8 };
	static const double p2p[3] = { 400, 380, 300 }, us[3] = { 5, 6, 10 };

	run.n = 0;
	for (int i = 0; i < 3; i++) {
		row("p2p", "all_reduce", ranks[i], 1 << 20, "stream", 10, p2p[i]);
		row("p2p", "all_reduce", ranks[i], 8, "stream", us[i] + 2, .001);
		row("p2p", "all_reduce", ranks[i], 8, "graph", us[i], .001);
		row("p2p", "pingpong", ranks[i], 8, "graph", 3, .001);
		row("shm", "all_reduce", ranks[i], 1024, "stream", 10, 1);
		if (i < 2)
			row("shm", "all_reduce", ranks[i], 1 << 20, "stream", 10, 20);
	}
	sample_bad(&run, "shm", "all_reduce", 1 << 20, "stream", "hang", "run", "no answer");
	run.row[run.n - 1].ranks = 8;
}

static void bandwidth_and_efficiency(void **state)
{
	struct scaling s;
	struct view v;

	growing();
	v = view();
	assert_int_equal(v.ranks, 8);
	assert_true(scaling_build(&v, OP_ALL_REDUCE, false, &s));
	assert_int_equal(s.n_counts, 3);
	assert_int_equal(s.counts[0], 2);
	assert_int_equal(s.counts[2], 8);
	assert_true(s.bytes == 1 << 20); /* five figures; 1 KiB has three, 8 B too */
	assert_int_equal(s.n, 2);
	assert_true(scaling_value(&s, 0, 1) == 380);
	assert_true(fabs(scaling_ratio(&s, 0, 0) - 1) < 1e-12);
	assert_true(fabs(scaling_ratio(&s, 0, 1) - .95) < 1e-12);
	assert_true(fabs(scaling_ratio(&s, 0, 2) - .75) < 1e-12);
	assert_true(scaling_value(&s, 1, 1) == 20);
	assert_true(isnan(scaling_value(&s, 1, 2)));
	assert_true(isnan(scaling_ratio(&s, 1, 2)));
}

static void latency(void **state)
{
	struct scaling s;
	struct view v;

	growing();
	v = view();
	assert_true(scaling_build(&v, OP_ALL_REDUCE, true, &s));
	assert_true(s.bytes == 8);
	assert_string_equal(s.row[0].timing, "graph");
	assert_true(scaling_value(&s, 0, 0) == 5);
	assert_true(fabs(scaling_ratio(&s, 0, 1) - 1.2) < 1e-12);
	assert_true(fabs(scaling_ratio(&s, 0, 2) - 2) < 1e-12);
	/* A pair does not grow. */
	assert_false(scaling_build(&v, OP_PINGPONG, true, &s));
	assert_false(scaling_build(&v, OP_BROADCAST, false, &s));
}

/* One number of ranks is no growth, nor are two of which one has no figure. */
static void nothing_grows(void **state)
{
	struct buf text = { 0 };
	struct scaling s;
	struct view v;

	run.n = 0;
	row("p2p", "all_reduce", 2, 1024, "stream", 10, 1);
	v = view();
	assert_false(scaling_build(&v, OP_ALL_REDUCE, false, &s));
	sample_bad(&run, "p2p", "all_reduce", 1024, "stream", "crash", "run", "");
	run.row[1].ranks = 4;
	v = view();
	assert_int_equal(v.ranks, 2); /* figures are of what was measured */
	assert_false(scaling_build(&v, OP_ALL_REDUCE, false, &s));
	assert_false(scaling_any(&v));
	assert_int_equal(scaling_text(&v, &text), 0);
	assert_int_equal(text.len, 0);
}

/* 3 ranks share 1 MiB as 1048572 bytes: the same size. Another element type is another thing. */
static void rounded_sizes_and_other_kinds(void **state)
{
	struct scaling s;
	struct view v;

	run.n = 0;
	row("shm", "all_gather", 2, 1 << 20, "stream", 10, 40);
	row("shm", "all_gather", 3, 1048572, "stream", 10, 30);
	record_set(row("shm", "all_gather", 4, 1 << 20, "stream", 10, 5)->dtype,
		   sizeof(run.row[0].dtype), "half");
	row("shm", "all_gather", 4, 1 << 20, "stream", 10, 20);
	record_set(run.row[0].map, sizeof(run.row[0].map), "0:gpu0 1:gpu1");
	record_set(run.row[1].map, sizeof(run.row[1].map), "0:gpu0 1:gpu1 2:gpu2");
	run.row[2].ranks = 5;
	v = view();
	v.ranks = 4;
	assert_true(scaling_build(&v, OP_ALL_GATHER, false, &s));
	assert_int_equal(s.n_counts, 3);
	assert_true(s.bytes == 1 << 20);
	assert_true(scaling_value(&s, 0, 0) == 40);
	assert_true(scaling_value(&s, 0, 1) == 30);
	assert_true(scaling_value(&s, 0, 2) == 20);
	assert_true(fabs(scaling_ratio(&s, 0, 2) - .5) < 1e-12);
}

/* Measured on another path: the figure stands, a share of it does not. */
static void unproven(void **state)
{
	struct buf text = { 0 };
	struct scaling s;
	struct view v;

	growing();
	for (size_t i = 0; i < run.n; i++)
		if (run.row[i].ranks == 4 && run.row[i].bytes == 1 << 20)
			record_set(run.row[i].proof, sizeof(run.row[i].proof), "no");
	v = view();
	assert_true(scaling_build(&v, OP_ALL_REDUCE, false, &s));
	assert_true(scaling_value(&s, 0, 1) == 380);
	assert_true(isnan(scaling_ratio(&s, 0, 1)));
	assert_true(fabs(scaling_ratio(&s, 0, 2) - .75) < 1e-12);
	assert_int_equal(scaling_text(&v, &text), 0);
	assert_non_null(strstr(buf_text(&text), "380?"));
	assert_non_null(strstr(buf_text(&text), "? unproven"));
	buf_fini(&text);
}

static void words(void **state)
{
	static const char *const wanted[] = {
		"all_reduce at 1 MiB: GB/s (busbw)",
		"2 ranks",
		"8 ranks",
		"380 (95 %)",
		"300 (75 %)",
		"20.0 (100 %)",
		"all_reduce at 8 B: time",
		"(1.2x)",
		"(2x)",
		NULL,
	};
	struct buf text = { 0 };
	struct view v;

	growing();
	v = view();
	assert_true(scaling_any(&v));
	assert_int_equal(scaling_text(&v, &text), 0);
	for (size_t i = 0; wanted[i]; i++)
		if (!strstr(buf_text(&text), wanted[i]))
			fail_msg("no '%s' in:%s", wanted[i], buf_text(&text));
	assert_null(strstr(buf_text(&text), "pingpong"));
	buf_fini(&text);
}

static void json(void **state)
{
	json_t *a, *o;
	struct view v;

	growing();
	v = view();
	a = scaling_json(&v);
	assert_int_equal(json_array_size(a), 2);
	o = json_array_get(a, 0);
	assert_string_equal(json_string_value(json_object_get(o, "quantity")), "busbw");
	o = json_array_get(json_object_get(o, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(o, "transport")), "p2p");
	o = json_array_get(json_object_get(o, "by_ranks"), 2);
	assert_int_equal(json_integer_value(json_object_get(o, "ranks")), 8);
	assert_true(fabs(json_real_value(json_object_get(o, "efficiency")) - .75) < 1e-12);
	o = json_array_get(json_object_get(json_array_get(a, 0), "rows"), 1);
	o = json_array_get(json_object_get(o, "by_ranks"), 2);
	assert_true(json_is_null(json_object_get(o, "busbw_gbps")));
	assert_true(json_is_null(json_object_get(o, "efficiency")));
	o = json_array_get(json_object_get(json_array_get(a, 1), "rows"), 0);
	o = json_array_get(json_object_get(o, "by_ranks"), 1);
	assert_true(fabs(json_real_value(json_object_get(o, "times_fewest")) - 1.2) < 1e-12);
	json_decref(a);
}

/* Cells are of the most ranks that measured something, or of those that were asked for. */
static void a_view_is_of_one_number_of_ranks(void **state)
{
	struct view v;
	char why[200];

	growing();
	v = view();
	assert_int_equal(view_ranks(&v), 8);
	assert_true(view_cell(&v, "p2p", "all_reduce", 1 << 20, "stream")->ranks == 8);
	assert_null(view_cell(&v, "shm", "all_reduce", 1 << 20, "stream"));
	v.ranks = 4;
	assert_true(view_cell(&v, "p2p", "all_reduce", 1 << 20, "stream")->ranks == 4);
	assert_true(view_cell(&v, "shm", "all_reduce", 1 << 20, "stream")->busbw_gbps == 20);
	run.n = 0;
	row("p2p", "all_reduce", 2, 8, "stream", 5, 1);
	row("shm", "all_reduce", 4, 8, "stream", 5, 1);
	sample_bad(&run, "p2p", "all_reduce", 8, "stream", "crash", "run", "gone");
	run.row[2].ranks = 4;
	v = view();
	view_why(&v, "p2p", why, sizeof(why));
	assert_string_equal(why, "crash at run: gone");
	v.ranks = 2;
	view_why(&v, "p2p", why, sizeof(why));
	assert_string_equal(why, "");
}

/* Figures are of the most ranks; what failed with others is told all the same, and by whom. */
static void a_table_names_what_failed_with_fewer(void **state)
{
	struct buf text = { 0 };
	struct view v;

	growing();
	sample_bad(&run, "p2p", "all_reduce", 64, "stream", "crash", "run", "gone");
	run.row[run.n - 1].ranks = 4;
	v = view();
	table_text(&text, &v, 0, false);
	assert_non_null(strstr(buf_text(&text), "backend nccl, 8 ranks"));
	assert_non_null(strstr(buf_text(&text), "p2p of 4 ranks all_reduce 64 B stream: crash"));
	assert_non_null(strstr(buf_text(&text), "shm all_reduce 1 MiB stream: hang at run"));
	buf_fini(&text);
	/* Of 8 ranks nothing of it was measured: why, not the path of fewer. */
	run.n = 0;
	row("p2p", "all_reduce", 8, 8, "stream", 5, 1);
	row("shm", "all_reduce", 2, 8, "stream", 5, 1);
	sample_bad(&run, "shm", "all_reduce", 8, "stream", "unavailable", "join", "no room");
	run.row[2].ranks = 8;
	v = view();
	table_text(&text, &v, 0, false);
	assert_non_null(strstr(buf_text(&text), "N/A (no room)"));
	buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bandwidth_and_efficiency),
		cmocka_unit_test(latency),
		cmocka_unit_test(nothing_grows),
		cmocka_unit_test(rounded_sizes_and_other_kinds),
		cmocka_unit_test(unproven),
		cmocka_unit_test(words),
		cmocka_unit_test(json),
		cmocka_unit_test(a_table_names_what_failed_with_fewer),
		cmocka_unit_test(a_view_is_of_one_number_of_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
