/* SPDX-License-Identifier: Apache-2.0 */
/* Which combination is fastest, where NCCL's own choice is another, slower one; maps of pairs.
 * Pictures themselves: test_chart.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/buf.h"
#include "report/heatmap.h"
#include "report/matrix.h"
#include "report/slow_pairs.h"
#include "sample.h"

static struct sample_run run;

static struct record *row(const char *algo, const char *proto, uint64_t bytes, double us)
{
	struct record *r = sample_ok(&run, "p2p", "all_reduce", bytes, "graph", us);

	record_set(r->algo_req, sizeof(r->algo_req), algo);
	record_set(r->proto_req, sizeof(r->proto_req), proto);
	r->ci_lo_us = us * .99;
	r->ci_hi_us = us * 1.01;
	return r;
}

/* Own choice ring/simple everywhere: right at 1 MiB, 1 % off at 1 KiB, 50 % off at 8 B. */
static struct view matrix(void)
{
	static const uint64_t sizes[] = { 8, 1024, 1 << 20 };
	static const double own[] = { 15, 10.1, 100 }, tree_ll[] = { 10, 10, 300 },
			    ring_simple[] = { 15, 10.1, 100 };

	run.n = 0;
	for (int i = 0; i < 3; i++) {
		struct record *r = row("", "", sizes[i], own[i]);

		record_set(r->algo, sizeof(r->algo), "RING");
		record_set(r->proto, sizeof(r->proto), "SIMPLE");
	}
	for (int i = 0; i < 3; i++) {
		row("tree", "ll", sizes[i], tree_ll[i]);
		row("ring", "simple", sizes[i], ring_simple[i]);
		record_set(row("pat", "ll", sizes[i], 1)->outcome, sizeof(run.row[0].outcome),
			   "unavailable");
	}
	return (struct view){ .rows = run.row, .n_rows = 3, .n_all = run.n };
}

static void fastest(void **state)
{
	struct view v = matrix();
	struct matrix_cell *c;
	char name[64];
	size_t n;

	assert_int_equal(matrix_cells(&v, &c, &n), 0);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(c[i].measured, 2);
		assert_int_equal(c[i].declined, 1);
		assert_ptr_equal(c[i].own, &run.row[i]);
	}
	assert_true(c[0].worse && fabs(c[0].gain - .5) < 1e-12);
	matrix_name(c[0].best, name, sizeof(name));
	assert_string_equal(name, "tree/ll");
	matrix_name(c[0].own, name, sizeof(name));
	assert_string_equal(name, "ring/simple");
	assert_false(c[1].worse); /* 1 % is none */
	assert_false(c[2].worse);
	matrix_name(c[2].best, name, sizeof(name));
	assert_string_equal(name, "ring/simple");
	free(c);
	/* The same choice in another worker: a difference that is none of choices. */
	run.row[0].time_us = 15;
	record_set(run.row[0].algo, sizeof(run.row[0].algo), "TREE");
	record_set(run.row[0].proto, sizeof(run.row[0].proto), "LL");
	assert_int_equal(matrix_cells(&v, &c, &n), 0);
	assert_true(!c[0].worse && fabs(c[0].gain - .5) < 1e-12);
	free(c);
	/* --algos alone: only the algorithm was asked for; the log told which protocol it took. */
	record_set(run.row[3].proto_req, sizeof(run.row[3].proto_req), "");
	record_set(run.row[3].algo, sizeof(run.row[3].algo), "TREE");
	record_set(run.row[3].proto, sizeof(run.row[3].proto), "LL");
	assert_int_equal(matrix_cells(&v, &c, &n), 0);
	assert_true(!c[0].worse && c[0].best == &run.row[3]);
	free(c);
	record_set(run.row[3].proto, sizeof(run.row[3].proto), "SIMPLE");
	assert_int_equal(matrix_cells(&v, &c, &n), 0);
	assert_true(c[0].worse);
	free(c);
	record_set(run.row[3].proto, sizeof(run.row[3].proto), "LL");
	record_set(run.row[3].proto_req, sizeof(run.row[3].proto_req), "ll");
	record_set(run.row[0].algo, sizeof(run.row[0].algo), "RING");
	record_set(run.row[0].proto, sizeof(run.row[0].proto), "SIMPLE");
	/* Intervals that touch are no difference. */
	run.row[0].ci_lo_us = 10.05;
	assert_int_equal(matrix_cells(&v, &c, &n), 0);
	assert_false(c[0].worse);
	free(c);
}

static void crossovers(void **state)
{
	struct view v = matrix();
	struct buf b = { 0 };

	assert_int_equal(matrix_text(&v, &b), 0);
	assert_non_null(strstr(buf_text(&b), "p2p, all_reduce, graph"));
	assert_non_null(strstr(buf_text(&b), "own choice takes 50 % longer"));
	assert_non_null(
	    strstr(buf_text(&b),
		   "1 MiB  ring/simple        100 us  ring/simple        100 us  <- crossover\n"));
	assert_non_null(strstr(buf_text(&b), "1 of 3 sizes"));
	assert_non_null(strstr(buf_text(&b), "3 combinations are not available"));
	buf_fini(&b);
}

static void no_matrix(void **state)
{
	struct view v = matrix();
	struct buf data = { 0 }, vars = { 0 };
	struct matrix_cell *c;
	size_t n = 7;

	v.n_all = v.n_rows;
	assert_int_equal(matrix_cells(&v, &c, &n), 0);
	assert_int_equal(n, 0);
	assert_null(c);
	assert_int_equal(heatmap_algorithms(&v, "all_reduce", &data, &vars), 0);
	assert_int_equal(heatmap_pairs(&v, "send", &data, &vars), 0);
	buf_fini(&data);
	buf_fini(&vars);
}

static void algorithm_map(void **state)
{
	struct view v = matrix();
	struct buf data = { 0 }, vars = { 0 };

	assert_int_equal(heatmap_algorithms(&v, "all_reduce", &data, &vars), 1);
	assert_non_null(strstr(buf_text(&vars), "rows = 1"));
	assert_non_null(strstr(buf_text(&vars), "cols = 3"));
	assert_non_null(strstr(buf_text(&vars), "word[1] = 'tree/ll'"));
	/* 15 us instead of 10: half as long again, as matrix.md says it. */
	assert_non_null(strstr(buf_text(&vars), "note[1] = 'own +50 %'"));
	assert_non_null(strstr(buf_text(&vars), "note[3] = ''"));
	assert_int_equal(heatmap_algorithms(&v, "broadcast", &data, &vars), 0);
	buf_fini(&data);
	buf_fini(&vars);
}

static void pair_map(void **state)
{
	struct view v = { .rows = run.row };
	struct buf data = { 0 }, vars = { 0 }, text = { 0 };

	run.n = 0;
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 3; b++)
			if (a != b) {
				/* 1000 B in 1 us is 1 GB/s */
				struct record *r =
				    sample_ok(&run, "p2p", "send", 1000 * (uint64_t)(1 + a * 3 + b),
					      "graph", 1);

				r->bytes = 1000;
				snprintf(r->pair, sizeof(r->pair), "%d-%d", a, b);
				r = sample_ok(&run, "p2p", "pingpong", 8, "graph", 1 + a + b);
				snprintf(r->pair, sizeof(r->pair), "%d-%d", a, b);
			}
	v.n_rows = run.n;
	assert_int_equal(heatmap_pairs(&v, "send", &data, &vars), 3);
	assert_non_null(strstr(buf_text(&vars), "word[2] = '2'")); /* from 0 to 1 */
	assert_non_null(strstr(buf_text(&vars), "word[8] = '8'")); /* from 2 to 1 */
	assert_non_null(strstr(buf_text(&vars), "shade[1] = -1"));
	assert_non_null(strstr(buf_text(&vars), "shade[8] = 0.8\n")); /* the most */
	heatmap_pairs_text(&v, &text);
	assert_non_null(strstr(buf_text(&text), "p2p, send, 1000 B: GB/s of one direction"));
	assert_non_null(strstr(buf_text(&text), "p2p, pingpong, 8 B: half a round trip"));
	assert_non_null(strstr(buf_text(&text), "        2         7         8         -\n"));
	buf_fini(&data);
	buf_fini(&vars);
	buf_fini(&text);
}

/* 1000 B in 1 us everywhere, 2 us from 2 to 1: half of the median of its class. */
static void slow_pair_marks(void **state)
{
	static const struct view_pair pairs[] = { { 0, 1, "PIX" },
						  { 2, 0, "PIX" },
						  { 1, 2, "PIX" } };
	struct view v = { .rows = run.row, .pairs = pairs, .n_pairs = 3 };
	struct buf vars = { 0 }, data = { 0 }, text = { 0 }, said = { 0 };
	struct slow_pair *slow;
	size_t n;

	run.n = 0;
	for (int i = 0; i < 9; i++)
		if (i / 3 != i % 3) {
			struct record *r =
			    sample_ok(&run, "p2p", "send", 1000, "graph", i == 7 ? 2 : 1);

			snprintf(r->pair, sizeof(r->pair), "%d-%d", i / 3, i % 3);
		}
	v.n_rows = run.n;
	assert_int_equal(slow_pairs_find(&v, &slow, &n), 0);
	assert_int_equal(n, 1);
	assert_string_equal(slow[0].row->pair, "2-1");
	assert_int_equal(slow[0].of, 6);
	slow_pairs_say(&v, slow, n, &said);
	assert_string_equal(buf_text(&said),
			    "p2p, send, 1000 B, graph: pair 2-1 is slow: 0.5 GB/s, the median of "
			    "the 6 pairs of class PIX is 1 GB/s\n");
	free(slow);
	assert_int_equal(heatmap_pairs(&v, "send", &data, &vars), 3);
	assert_non_null(strstr(buf_text(&vars), "note[8] = 'slow'"));
	assert_non_null(strstr(buf_text(&vars), "note[7] = ''"));
	heatmap_pairs_text(&v, &text);
	assert_non_null(strstr(buf_text(&text), "        2         1      !0.5         -\n"));
	assert_non_null(strstr(buf_text(&text), "!: slow for its class\n"));
	/* Without classes nobody is slow. */
	v.n_pairs = 0;
	assert_int_equal(slow_pairs_find(&v, &slow, &n), 0);
	assert_int_equal(n, 0);
	free(slow);
	buf_fini(&vars);
	buf_fini(&data);
	buf_fini(&text);
	buf_fini(&said);
}

static void send_row(int a, int b, double us, const char *load, const char *arm)
{
	struct record *r = sample_ok(&run, "p2p", "send", 1000, "graph", us);

	snprintf(r->pair, sizeof(r->pair), "%d-%d", a, b);
	record_set(r->load, sizeof(r->load), load);
	record_set(r->arm, sizeof(r->arm), arm);
}

/* Three ranks; 1 us alone, 4 us beside a load, 2 us in another arm. Each has its own map, and no
 * pair is slow for those of another. */
static void forms_are_not_mixed(void **state)
{
	static const struct view_pair pairs[] = { { 0, 1, "PIX" },
						  { 0, 2, "PIX" },
						  { 1, 2, "PIX" } };
	struct view v = { .rows = run.row, .pairs = pairs, .n_pairs = 3 };
	struct buf vars = { 0 }, data = { 0 }, text = { 0 };
	struct slow_pair *slow;
	size_t n;

	run.n = 0;
	for (int i = 0; i < 9; i++) {
		if (i / 3 == i % 3)
			continue;
		send_row(i / 3, i % 3, 1, "", "");
		if (i % 3 == 1)
			send_row(i / 3, i % 3, 4, "mem", "");
		if (i == 1 || i == 3)
			send_row(i / 3, i % 3, 2, "", "B\n2");
	}
	v.n_rows = run.n;
	assert_int_equal(slow_pairs_find(&v, &slow, &n), 0);
	assert_int_equal(n, 0);
	free(slow);
	heatmap_pairs_text(&v, &text);
	assert_non_null(strstr(buf_text(&text), "\np2p, send, 1000 B: GB/s of one direction\n"
						"  from\\to         0         1         2\n"
						"        0         -         1         1\n"
						"        1         1         -         1\n"
						"        2         1         1         -\n"));
	assert_non_null(strstr(buf_text(&text),
			       "\np2p, send, 1000 B, beside mem: GB/s of one direction\n"
			       "  from\\to         0         1         2\n"
			       "        0         -      0.25         -\n"
			       "        1         -         -         -\n"
			       "        2         -      0.25         -\n"));
	assert_non_null(strstr(buf_text(&text), "\np2p, send, 1000 B, arm B"));
	assert_non_null(strstr(buf_text(&text), "        0         -       0.5\n"
						"        1       0.5         -\n"));
	assert_int_equal(heatmap_pairs(&v, "send", &data, &vars), 3);
	assert_non_null(strstr(buf_text(&vars), "title = 'Every pair: send, p2p, 1000 B'"));
	assert_non_null(strstr(buf_text(&vars), "word[2] = '1'"));
	buf_fini(&vars);
	buf_fini(&data);
	buf_fini(&text);
}

/* What an earlier version compared: the requested algorithm, the map and the number of ranks make
 * figures of their own, too. */
static void other_columns_make_other_figures(void **state)
{
	static const struct view_pair pairs[] = { { 0, 1, "PIX" }, { 0, 2, "PIX" } };
	struct view v = { .rows = run.row, .pairs = pairs, .n_pairs = 2 };

	for (int column = 0; column < 4; column++) {
		struct slow_pair *slow;
		size_t n;

		run.n = 0;
		send_row(0, 1, 1, "", "");
		send_row(1, 0, 1, "", "");
		send_row(0, 2, 1, "", "");
		send_row(2, 0, 9, "", "");
		v.n_rows = run.n;
		assert_int_equal(slow_pairs_find(&v, &slow, &n), 0);
		assert_int_equal(n, 1);
		free(slow);
		if (column == 0)
			record_set(run.row[3].algo_req, sizeof(run.row[3].algo_req), "ring");
		else if (column == 1)
			record_set(run.row[3].map, sizeof(run.row[3].map), "0:gpu1 1:gpu0");
		else if (column == 2)
			record_set(run.row[3].backend, sizeof(run.row[3].backend), "ucx");
		else
			run.row[3].ranks = 8;
		assert_int_equal(slow_pairs_find(&v, &slow, &n), 0);
		assert_int_equal(n, 0);
		free(slow);
	}
}

/* 0-1 PIX, all others unknown: two pairs are too few to tell. */
static void too_few_of_a_class(void **state)
{
	static const struct view_pair pairs[] = { { 0, 1, "PIX" }, { 0, 2, "" }, { 1, 2, "" } };
	struct view v = { .rows = run.row, .n_rows = run.n, .pairs = pairs, .n_pairs = 3 };
	struct slow_pair *slow;
	size_t n = 7;

	assert_int_equal(slow_pairs_find(&v, &slow, &n), 0);
	assert_int_equal(n, 0);
	free(slow);
}

static void hostile_pairs(void **state)
{
	static const char *const pairs[] = { "0-1", "-1-2", "99999-0", "x", "0-", "1-0" };
	struct view v = { .rows = run.row };
	struct buf data = { 0 }, vars = { 0 };

	run.n = 0;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct record *r = sample_ok(&run, "p2p", "send", 8, "graph", 1);

		snprintf(r->pair, sizeof(r->pair), "%s", pairs[i]);
	}
	v.n_rows = run.n;
	assert_int_equal(heatmap_pairs(&v, "send", &data, &vars), 2);
	buf_fini(&data);
	buf_fini(&vars);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fastest),
		cmocka_unit_test(crossovers),
		cmocka_unit_test(no_matrix),
		cmocka_unit_test(algorithm_map),
		cmocka_unit_test(pair_map),
		cmocka_unit_test(slow_pair_marks),
		cmocka_unit_test(forms_are_not_mixed),
		cmocka_unit_test(other_columns_make_other_figures),
		cmocka_unit_test(too_few_of_a_class),
		cmocka_unit_test(hostile_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
