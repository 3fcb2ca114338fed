/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns and one record: the names users' scripts know, derived values, and back through CSV.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/record.h"

#define KEY_NAMES                                                                                  \
	"backend,transport,variant,op,dtype,redop,inplace,root,ranks,map,pair,algo_req,proto_req," \
	"load,bytes,timing"
#define POINT_NAMES                                                                              \
	KEY_NAMES ",used,proof,outcome,phase,detail,time_us,ci_lo_us,ci_hi_us,p5_us,p95_us,p99_" \
		  "us,min_us,max_us,"                                                            \
		  "algbw_gbps,busbw_gbps,peak_pct,algo,proto,channels,wrong,ops_per_batch,"      \
		  "samples,restarts,stop,arm,load_slowdown"
#define SAMPLE_NAMES \
	KEY_NAMES ",restart,batch,ops_per_batch,max_us,mean_us,min_us,slowest_rank,flags,arm"
#define SET(member, text) record_set(member, sizeof(member), text)

static struct record example(void)
{
	struct record r;

	record_init(&r);
	SET(r.backend, "nccl");
	SET(r.transport, "shm");
	SET(r.variant, "plain");
	SET(r.op, "all_gather");
	SET(r.dtype, "float");
	r.ranks = 4;
	r.bytes = 1073741824;
	SET(r.timing, "graph");
	SET(r.used, "SHM/direct");
	SET(r.proof, "yes");
	SET(r.outcome, "ok");
	SET(r.detail, "said \"fine\", twice");
	r.time_us = 40000.5;
	r.ci_lo_us = 0.1;
	r.channels = 8;
	r.wrong = 0;
	SET(r.stop, "precision");
	return r;
}

static void test_header(void **state)
{
	struct buf b = { 0 };

	record_header(&b, 0);
	assert_string_equal(buf_text(&b), "# ncclbench points schema 2\n" POINT_NAMES "\n");
	buf_clear(&b);
	record_header(&b, 1);
	assert_string_equal(buf_text(&b), "# ncclbench samples schema 2\n" SAMPLE_NAMES "\n");
	buf_fini(&b);
}

static void test_columns_are_complete(void **state)
{
	assert_int_equal(record_n_columns, 42);
	assert_int_equal(sample_n_columns, 8);
	for (size_t i = 0; i < record_n_columns + sample_n_columns; i++) {
		const struct column *c = i < record_n_columns
					     ? &record_columns[i]
					     : &sample_columns[i - record_n_columns];

		assert_true(c->help != NULL && strlen(c->help) > 10);
		assert_null(strchr(c->help, '|')); /* it goes into a table */
		assert_non_null(c->unit);
		assert_int_equal(
		    c->since,
		    strcmp(c->name, "arm") == 0 || strcmp(c->name, "load_slowdown") == 0 ? 2 : 1);
		assert_true(c->type != COLUMN_DOUBLE || c->size == sizeof(double));
		assert_true(c->type != COLUMN_INT || c->size == sizeof(int));
		assert_true(c->type != COLUMN_U64 || c->size == sizeof(uint64_t));
	}
}

static void test_set_is_bounded(void **state)
{
	char text[6] = "xxxxx";

	record_set(text, sizeof(text), "a\nb\033longer");
	assert_string_equal(text, "a b l");
	record_set(text, sizeof(text), NULL);
	assert_string_equal(text, "");
	record_set(text, 0, "no room");
	assert_string_equal(text, "");
}

static void test_derive(void **state)
{
	struct record r = example();

	/* 2^30 bytes in 40000.5 us; all_gather on 4: x 3/4 */
	record_derive(&r);
	assert_true(fabs(r.algbw_gbps - 26.843210) < 1e-6);
	assert_true(fabs(r.busbw_gbps - 20.132407) < 1e-6);
	SET(r.op, "all_reduce");
	r.ranks = 2; /* 2(n-1)/n = 1 */
	record_derive(&r);
	assert_true(fabs(r.busbw_gbps - 26.843210) < 1e-6);
}

static void test_derive_leaves_the_unknown(void **state)
{
	struct record r = example();

	r.time_us = NAN;
	record_derive(&r);
	assert_true(isnan(r.algbw_gbps) && isnan(r.busbw_gbps));
	r.time_us = 0;
	record_derive(&r);
	assert_true(isnan(r.algbw_gbps));
	SET(r.op, "hypercube"); /* an imported operation of which only the file knows the factor */
	r.time_us = 1000;
	r.busbw_gbps = 7.5;
	record_derive(&r);
	assert_true(fabs(r.algbw_gbps - 1073.741824) < 1e-9);
	assert_true(fabs(r.busbw_gbps - 7.5) < 1e-9);
}

static void test_write(void **state)
{
	struct record r = example();
	struct buf b = { 0 };

	r.bytes = 8;
	r.time_us = 2;
	r.ci_hi_us = INFINITY; /* cannot be: not known */
	record_write(&b, &r);
	assert_string_equal(
	    buf_text(&b),
	    "nccl,shm,plain,all_gather,float,,0,-1,4,,,,,,8,graph,SHM/direct,yes,ok,,"
	    "\"said \"\"fine\"\", twice\",2,0.1,,,,,,,0.004,0.003,,,,8,0,,,,precision,,\n");
	buf_fini(&b);
}

static void test_write_sample(void **state)
{
	const struct sample s = { .restart = 2,
				  .batch = 7,
				  .ops_per_batch = 100,
				  .max_us = 5.75,
				  .mean_us = 5.5,
				  .min_us = 5.25,
				  .slowest_rank = 3,
				  .flags = "late, slow" };
	struct record r = example();
	struct buf b = { 0 };

	sample_write(&b, &r, &s);
	assert_string_equal(buf_text(&b),
			    "nccl,shm,plain,all_gather,float,,0,-1,4,,,,,,1073741824,graph,"
			    "2,7,100,5.75,5.5,5.25,3,\"late, slow\",\n");
	buf_clear(&b);
	SET(r.arm, "B"); /* a later key: at the end, so that positions stay */
	sample_write(&b, &r, &s);
	assert_non_null(strstr(buf_text(&b), "graph,2,7,100,5.75,5.5,5.25,3,\"late, slow\",B\n"));
	buf_fini(&b);
}

static void test_round_trip(void **state)
{
	struct record a = example(), b = example(), *rows = NULL;
	struct buf text = { 0 };
	char why[128];
	size_t n = 0;

	SET(b.pair, "0-1");
	SET(b.arm, "NCCL_ALGO=Tree, with a comma");
	b.in_place = 1;
	b.time_us = 1.0 / 3;
	record_header(&text, 0);
	record_write(&text, &a);
	record_write(&text, &b);
	assert_int_equal(record_read_all(buf_text(&text), text.len, &rows, &n, why, sizeof(why)),
			 0);
	assert_string_equal(why, "");
	assert_int_equal(n, 2);
	assert_true(record_same_key(&rows[0], &a));
	assert_true(record_same_key(&rows[1], &b));
	assert_string_equal(rows[0].detail, a.detail);
	assert_true(rows[0].time_us == 40000.5 && rows[0].ci_lo_us == 0.1);
	assert_true(rows[1].time_us == 1.0 / 3);
	assert_true(isnan(rows[0].p99_us) && isnan(rows[0].samples));
	assert_true(rows[0].wrong == 0);
	assert_true(fabs(rows[0].algbw_gbps - 26.843210) < 1e-6);
	assert_int_equal(rows[1].root, -1);
	free(rows);
	buf_fini(&text);
}

static void test_other_versions(void **state)
{
	static const char text[] = "# ncclbench points schema 9\n"
				   "colour,op,bytes,time_us,root,phase_of_moon\r\n"
				   "red,all_reduce,8,5.5,,full\r\n";
	struct record *rows = NULL;
	char why[128];
	size_t n = 0;

	assert_int_equal(record_read_all(text, sizeof(text) - 1, &rows, &n, why, sizeof(why)), 0);
	assert_int_equal(n, 1);
	assert_string_equal(rows[0].op, "all_reduce");
	assert_int_equal(rows[0].bytes, 8);
	assert_int_equal(rows[0].root, -1);
	assert_string_equal(rows[0].backend, "");
	assert_true(rows[0].time_us == 5.5 && isnan(rows[0].max_us));
	free(rows);
}

/* Each key member alone makes another point, and nothing else does. */
static void test_same_key(void **state)
{
	for (size_t i = 0; i < record_n_columns; i++) {
		struct record a = example(), b = example();

		*((char *)&b + record_columns[i].offset) ^= 1;
		assert_int_equal(record_same_key(&a, &b), record_columns[i].role != COLUMN_KEY);
	}
}

/* The names of the enum are those of the table, all of them; a key that is ignored makes no
 * difference, and the others still do. */
static void test_compare(void **state)
{
	static const char *const names[RECORD_KEYS] = {
		[RECORD_BACKEND] = "backend",
		[RECORD_TRANSPORT] = "transport",
		[RECORD_VARIANT] = "variant",
		[RECORD_OP] = "op",
		[RECORD_DTYPE] = "dtype",
		[RECORD_REDOP] = "redop",
		[RECORD_IN_PLACE] = "inplace",
		[RECORD_ROOT] = "root",
		[RECORD_RANKS] = "ranks",
		[RECORD_MAP] = "map",
		[RECORD_PAIR] = "pair",
		[RECORD_ALGO_REQ] = "algo_req",
		[RECORD_PROTO_REQ] = "proto_req",
		[RECORD_LOAD] = "load",
		[RECORD_BYTES] = "bytes",
		[RECORD_TIMING] = "timing",
		[RECORD_ARM] = "arm",
	};
	size_t keys = 0;

	for (size_t i = 0; i < record_n_columns; i++)
		keys += record_columns[i].role == COLUMN_KEY;
	assert_int_equal(keys, RECORD_KEYS);
	for (int key = 0; key < RECORD_KEYS; key++) {
		struct record a = example(), b = example();
		unsigned others = RECORD_BIT(RECORD_KEYS) - 1 - RECORD_BIT(key);

		assert_string_equal(record_key_column(key)->name, names[key]);
		*((char *)&b + record_key_column(key)->offset) ^= 1;
		assert_int_not_equal(record_compare(&a, &b, 0), 0);
		assert_int_not_equal(record_compare(&a, &b, others), 0);
		assert_int_equal(record_compare(&a, &b, RECORD_BIT(key)), 0);
		assert_true((record_compare(&a, &b, 0) < 0) == (record_compare(&b, &a, 0) > 0));
	}
	assert_null(record_key_column(RECORD_KEYS));
}

/* Sizes as numbers: 8 before 16; the table's order: the size before the timing. */
static void test_order(void **state)
{
	struct record a = example(), b = example();
	char text[32];

	a.bytes = 8;
	b.bytes = 16;
	record_set(a.timing, sizeof(a.timing), "stream");
	record_set(b.timing, sizeof(b.timing), "graph");
	assert_true(record_compare(&a, &b, 0) < 0);
	assert_true(record_compare(&a, &b, RECORD_BIT(RECORD_BYTES)) > 0);
	a.root = 9;
	b.root = 10;
	assert_true(record_compare(&a, &b, 0) < 0);
	record_key_text(&b, RECORD_BYTES, text, sizeof(text));
	assert_string_equal(text, "16");
	record_key_text(&b, RECORD_ROOT, text, sizeof(text));
	assert_string_equal(text, "10");
	record_key_text(&b, RECORD_TIMING, text, sizeof(text));
	assert_string_equal(text, "graph");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_columns_are_complete),
		cmocka_unit_test(test_set_is_bounded),
		cmocka_unit_test(test_derive),
		cmocka_unit_test(test_derive_leaves_the_unknown),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_sample),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_other_versions),
		cmocka_unit_test(test_same_key),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
