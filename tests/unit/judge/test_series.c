/* SPDX-License-Identifier: Apache-2.0 */
/* Reading series: what is right, and everything that is wrong with file, line and reason. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/attr.h"
#include "base/buf.h"
#include "judge/groups.h"
#include "rows.h"

#define NEAR(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void medians_of_restarts(void **state)
{
	struct pool pool = { 0 };
	struct text_run t;
	struct series s;
	char why[400];

	run_start(&t, "b1", "2.28");
	run_row(&t, "p2p", 1024, 20);
	run_row(&t, "p2p", 8, 10);
	assert_int_equal(run_parse(&pool, &t, &s, why, sizeof(why)), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.points[0].bytes, 8); /* sorted, though it came last */
	assert_int_equal(s.points[0].n_m, 7);
	NEAR(exp(s.points[0].m[3]), 10, 1e-9); /* the middle restart, its middle batch */
	NEAR(exp(s.points[0].m[0]), 10 * 0.997, 1e-9);
	assert_string_equal(s.facts.boot, "b1");
	assert_string_equal(s.facts.value[FACT_NCCL], "2.28");
	assert_string_equal(s.facts.value[FACT_METHOD], "0.1");
	assert_false(s.bare);
	assert_string_equal(pool_text(&pool, s.points[0].used), "P2P/CUMEM");
	series_fini(&s);
	run_fini(&t);
	pool_fini(&pool);
}

static void a_group_is_the_key_without_bytes(void **state)
{
	struct record r;
	char text[SERIES_KEY_MAX], value[64];

	row_start(&r, "socket", 8);
	series_group_text(&r, text, sizeof(text));
	series_group_field(text, "transport", value, sizeof(value));
	assert_string_equal(value, "socket");
	series_group_field(text, "timing", value, sizeof(value));
	assert_string_equal(value, "graph");
	series_group_field(text, "ranks", value, sizeof(value));
	assert_string_equal(value, "2");
	series_group_field(text, "pair", value, sizeof(value));
	assert_string_equal(value, "");
	series_group_field(text, "bytes", value, sizeof(value));
	assert_string_equal(value, "");
}

/* Two ranks go without saying; of a run with several numbers each group says its own. */
static void a_label_says_the_ranks(void **state)
{
	static const int ranks[2] = { 2, 8 };
	static const char *const labels[2] = { "socket all_reduce graph",
					       "socket all_reduce graph ranks 8" };
	struct pool pool = { 0 };
	struct record r;
	char text[SERIES_KEY_MAX];

	row_start(&r, "socket", 8);
	for (int i = 0; i < 2; i++) {
		struct buf label = { 0 };
		uint32_t id;

		r.ranks = ranks[i];
		series_group_text(&r, text, sizeof(text));
		assert_int_equal(pool_add(&pool, text, &id), 0);
		group_label(&pool, id, &label);
		assert_string_equal(buf_text(&label), labels[i]);
		buf_fini(&label);
	}
	pool_fini(&pool);
}

/* A run that compares environments has the same point once per arm. */
static void arms_are_different_groups(void **state)
{
	struct pool pool = { 0 };
	struct text_run t;
	struct series s;
	struct record r;
	char why[300], value[64];

	run_start(&t, "1", "2.28.3");
	for (int arm = 'A'; arm <= 'B'; arm++) {
		row_start(&r, "p2p", 8);
		snprintf(r.arm, sizeof(r.arm), "%c", arm);
		row_finish(&t, &r, 10, 0, 7);
	}
	assert_int_equal(run_parse(&pool, &t, &s, why, sizeof(why)), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.points[0].n_m, 7);
	assert_int_equal(s.points[1].n_m, 7);
	series_group_field(pool_text(&pool, s.points[1].group), "arm", value, sizeof(value));
	assert_string_equal(value, "B");
	/* No list of arms in run.json: a run of before there were any. */
	assert_string_equal(s.facts.value[FACT_ARMS], "none");
	series_fini(&s);
	run_fini(&t);
	pool_fini(&pool);
}

static void what_arms_set_is_a_fact(void **state)
{
	static const char json[] =
	    "{\"schema\":1,\"ranks\":[],\"arms\":[{\"arm\":\"A\",\"text\":\"\"},"
	    "{\"arm\":\"B\",\"text\":\"NCCL_ALGO=Tree\\n\"},7]}";
	struct run_facts f = { 0 };
	char why[200];

	assert_int_equal(facts_parse(json, sizeof(json) - 1, &f, why, sizeof(why)), 0);
	assert_string_equal(f.value[FACT_ARMS], "A: ; B: NCCL_ALGO=Tree?; : ");
}

static void how_much_was_measured_is_a_fact(void **state)
{
	static const char all[] = "{\"schema\":1,\"ranks\":[],\"pairs_rule\":\"together\","
				  "\"sampling\":{\"single_limit_us\":7,\"min_batches\":3,"
				  "\"max_batches\":40,\"batch_min_us\":300,"
				  "\"point_budget_us\":8000}}",
			  some[] = "{\"schema\":1,\"ranks\":[],\"sampling\":{\"min_batches\":3,"
				   "\"max_batches\":\"40\",\"batch_min_us\":300,"
				   "\"point_budget_us\":8000}}",
			  none[] = "{\"schema\":1,\"ranks\":[],\"sampling\":[1,2,3,4]}";
	struct run_facts f = { 0 };
	char why[200];

	assert_int_equal(facts_parse(all, sizeof(all) - 1, &f, why, sizeof(why)), 0);
	assert_string_equal(f.value[FACT_SAMPLING], "3-40 batches of 300 us, 8000 us a point");
	assert_string_equal(f.value[FACT_PAIRS], "together");
	assert_int_equal(facts_parse(some, sizeof(some) - 1, &f, why, sizeof(why)), 0);
	assert_string_equal(f.value[FACT_SAMPLING], "");
	assert_string_equal(f.value[FACT_PAIRS], "");
	assert_int_equal(facts_parse(none, sizeof(none) - 1, &f, why, sizeof(why)), 0);
	assert_string_equal(f.value[FACT_SAMPLING], "");
}

/* ---- what is wrong ---- */

static void put(struct buf *b, const char *from, const char *to)
{
	char *at = strstr(b->data, from);
	struct buf out = { 0 };

	assert_non_null(at);
	buf_add(&out, b->data, (size_t)(at - b->data));
	buf_puts(&out, to);
	buf_puts(&out, at + strlen(from));
	buf_fini(b);
	*b = out;
}

static void cut(struct buf *b, size_t bytes)
{
	b->len -= bytes;
	b->data[b->len] = '\0';
}

static void last_line_off(struct buf *b)
{
	size_t n = 1;

	while (b->data[b->len - 1 - n] != '\n')
		n++;
	cut(b, n);
}

static void spoil_nan(struct text_run *t)
{
	put(&t->points, ",10,9.9,", ",nan,9.9,");
}
static void spoil_zero(struct text_run *t)
{
	put(&t->points, ",10,9.9,", ",0,9.9,");
}
static void spoil_cut(struct text_run *t)
{
	cut(&t->points, 30);
}
static void spoil_schema(struct text_run *t)
{
	put(&t->points, "points schema 2", "points schema 9");
}
static void spoil_header(struct text_run *t)
{
	put(&t->points, "timing,", "tming,");
}
static void spoil_empty(struct text_run *t)
{
	cut(&t->points, t->points.len);
}
static void spoil_no_row(struct text_run *t)
{
	put(&t->points, strstr(t->points.data, "nccl,p2p"), "");
}
static void spoil_outcome(struct text_run *t)
{
	put(&t->points, ",ok,", ",fine,");
}
static void spoil_twice(struct text_run *t)
{
	run_row(t, "p2p", 8, 11);
}
static void spoil_swap(struct text_run *t)
{
	struct buf b = t->points;

	t->points = t->samples;
	t->samples = b;
}
static void spoil_samples_cut(struct text_run *t)
{
	last_line_off(&t->samples);
}
static void spoil_samples_half(struct text_run *t)
{
	cut(&t->samples, 8);
}
static void spoil_samples_twice(struct text_run *t)
{
	put(&t->samples, ",graph,0,1,20,", ",graph,0,0,20,");
}
static void spoil_samples_time(struct text_run *t)
{
	put(&t->samples, ",graph,0,1,20,9.97,", ",graph,0,1,20,-1,");
}
static void spoil_samples_restart(struct text_run *t)
{
	put(&t->samples, ",graph,0,1,20,", ",graph,99999,1,20,");
}
static void spoil_time(struct text_run *t)
{
	put(&t->points, ",10,9.9,", ",1e308,9.9,");
}
static void spoil_time_a_little(struct text_run *t)
{
	put(&t->points, ",20,19.8,", ",20.01,19.8,");
}
static void spoil_json(struct text_run *t)
{
	cut(&t->json, 10);
}
static void spoil_json_schema(struct text_run *t)
{
	put(&t->json, "\"schema\":1", "\"schema\":7");
}
static void spoil_json_list(struct text_run *t)
{
	put(&t->json, "\"ranks\":[", "\"rnks\":[");
}
static void spoil_json_kind(struct text_run *t)
{
	buf_clear(&t->json);
	buf_puts(&t->json, "[1,2]");
}

static const struct {
	void (*spoil)(struct text_run *t);
	const char *says;
} faults[] = {
	{ spoil_nan, "points.csv: line 3, column 22 (time_us): not a number: 'nan'" },
	{ spoil_zero, "points.csv: line 3: outcome ok without a time_us above 0" },
	{ spoil_cut, "points.csv: line 4, column" },
	{ spoil_schema, "points.csv: line 1, column 1: schema 9; this version knows up to 2" },
	{ spoil_header, "points.csv: line 2, column 43: the column 'timing' is missing" },
	{ spoil_empty, "points.csv: line 1, column 1: no header" },
	{ spoil_no_row, "points.csv: line 3, column 1 (backend): no row after the header" },
	{ spoil_outcome, "points.csv: line 3: unknown outcome 'fine'" },
	{ spoil_twice, "points.csv: line 5: the same key as line 3" },
	{ spoil_swap, "points.csv: line 1, column 1: this is samples.csv, not points.csv" },
	{ spoil_samples_cut, "samples.csv: 20 batches of 7 restarts for the row of points.csv in "
			     "line 4, which says 21 of 7" },
	{ spoil_samples_half, "samples.csv: line 44, column" },
	{ spoil_samples_twice, "samples.csv: line 4: the same key, restart and batch as line 3" },
	{ spoil_samples_time, "samples.csv: line 4: max_us must be above 0" },
	{ spoil_samples_restart, "samples.csv: line 4: restart or batch out of range" },
	{ spoil_time, "points.csv: line 3: time_us is 1e+308, but the median of its restarts in "
		      "samples.csv is 10" },
	{ spoil_time_a_little, "points.csv: line 4: time_us is 20.01, but the median of its "
			       "restarts in samples.csv is 20" },
	{ spoil_json, "run.json: line 1, column" },
	{ spoil_json_schema, "run.json: schema 7; this version knows up to 1" },
	{ spoil_json_list, "run.json: not a run.json: no list 'ranks'" },
	{ spoil_json_kind, "run.json: line 1: not a run.json" },
};

static void every_fault_has_file_line_and_reason(void **state)
{
	for (size_t i = 0; i < N_ELEMENTS(faults); i++) {
		struct pool pool = { 0 };
		struct text_run t;
		struct series s = { .n = 77 };
		char why[400];

		run_start(&t, "b1", "2.28");
		run_row(&t, "p2p", 8, 10);
		run_row(&t, "p2p", 1024, 20);
		faults[i].spoil(&t);
		assert_int_equal(run_parse(&pool, &t, &s, why, sizeof(why)), -EBADMSG);
		if (strncmp(why, faults[i].says, strlen(faults[i].says)) != 0)
			fail_msg("said '%s', wanted '%s'", why, faults[i].says);
		assert_int_equal(s.n, 77); /* untouched */
		run_fini(&t);
		pool_fini(&pool);
	}
}

/* A run that was stopped: samples of a point that has no row yet are nothing. */
static void samples_without_a_row_are_left_out(void **state)
{
	struct pool pool = { 0 };
	struct text_run t;
	struct series s;
	struct record r;
	struct sample v = { .restart = 0, .batch = 0, .max_us = 1 };
	char why[400];

	run_start(&t, "b1", "2.28");
	run_row(&t, "p2p", 8, 10);
	row_start(&r, "p2p", 4096);
	sample_write(&t.samples, &r, &v);
	assert_int_equal(run_parse(&pool, &t, &s, why, sizeof(why)), 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.n_lost, 1);
	assert_int_equal(s.lost_line, 24); /* a comment, names, 21 batches, this */
	series_fini(&s);
	run_fini(&t);
	pool_fini(&pool);
}

static void absent_files(void **state)
{
	struct pool pool = { 0 };
	struct series s;
	char why[400];

	assert_int_equal(series_read(&pool, "/no/such/run", &s, why, sizeof(why)), -ENOENT);
	assert_string_equal(why, "/no/such/run: No such file or directory");
	assert_int_equal(series_read(&pool, "/proc", &s, why, sizeof(why)), -ENOENT);
	assert_string_equal(why, "/proc/points.csv: No such file or directory");
	pool_fini(&pool);
}

static void many_texts_in_a_pool(void **state)
{
	struct pool pool = { 0 };
	uint32_t id;
	char text[32];

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(text, sizeof(text), "word %u", i);
			assert_int_equal(pool_add(&pool, text, &id), 0);
			assert_int_equal(id, i + 1);
		}
	assert_string_equal(pool_text(&pool, 4321), "word 4320");
	assert_int_equal(pool_add(&pool, "", &id), 0);
	assert_int_equal(id, 0);
	assert_string_equal(pool_text(&pool, 0), "");
	assert_string_equal(pool_text(&pool, 99999), "");
	pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians_of_restarts),
		cmocka_unit_test(a_group_is_the_key_without_bytes),
		cmocka_unit_test(a_label_says_the_ranks),
		cmocka_unit_test(arms_are_different_groups),
		cmocka_unit_test(what_arms_set_is_a_fact),
		cmocka_unit_test(how_much_was_measured_is_a_fact),
		cmocka_unit_test(every_fault_has_file_line_and_reason),
		cmocka_unit_test(samples_without_a_row_are_left_out),
		cmocka_unit_test(absent_files),
		cmocka_unit_test(many_texts_in_a_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
