/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates against figures worked out by hand. Curves are made of latency and bandwidth, exactly
 * at the sizes that the messages have, so that interpolation plays no part where it is not what is
 * tested.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/record.h"
#include "report/estimate.h"

static void near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%.9g, wanted %.9g", got, want);
}

/* us + bytes * factor / gbps at each size. */
static size_t fill(struct record *rows, const double *bytes, size_t n, int ranks, double us,
		   double factor, double gbps)
{
	for (size_t i = 0; i < n; i++) {
		struct record *r = &rows[i];

		record_init(r);
		record_set(r->backend, sizeof(r->backend), "nccl");
		record_set(r->transport, sizeof(r->transport), "p2p");
		record_set(r->variant, sizeof(r->variant), "plain");
		record_set(r->op, sizeof(r->op), "all_reduce");
		record_set(r->dtype, sizeof(r->dtype), "float");
		record_set(r->redop, sizeof(r->redop), "sum");
		record_set(r->timing, sizeof(r->timing), "stream");
		record_set(r->outcome, sizeof(r->outcome), "ok");
		r->ranks = ranks;
		r->bytes = (uint64_t)bytes[i];
		r->time_us = us + bytes[i] * factor / gbps / 1e3;
	}
	return n;
}

static struct estimate_request ask(const char *model, const char *scheme, int gpus, double tokens,
				   double tflops, double mfu)
{
	return (struct estimate_request){
		.model = &estimate_models[estimate_model_find(model)],
		.scheme = &estimate_schemes[estimate_scheme_find(scheme)],
		.gpus = gpus,
		.tokens = tokens,
		.accumulate = 1,
		.flops = tflops * mfu * 1e12,
		.compute_seconds = NAN,
		.overlap_lo = 0,
		.overlap_hi = 1,
	};
}

/* 8 GPUs, all_reduce busbw 20 GB/s and 20 us; 253.7 TFLOP/s measured, 0.7 of it; 8192 tokens.
 * Sizes: a bucket, its rest (16.06e9
 * - 612 x 26214400), a layer of the 8B model (16.06e9 / 32), TP's activations of the 70B model (2 x
 * 8192 x 8192). */
static const double sizes[] = { 8, 16787200, 26214400, 134217728, 501875000 };

/* Forward 16.06e9 x 0.875 / 20e9 + 32 x 10 us = 0.70295 s, backward twice that; computing 4.4747e14
 * / 1.7759e14 = 2.5197 s; the first gather and the last scatter, 2 x (21.957 ms + 10 us), hide
 * behind nothing. */
static void fsdp_over_pcie(void **state)
{
	struct estimate_request q = ask("llama3-8b", "fsdp", 8, 8192, 253.7, 0.7);
	struct record rows[N_ELEMENTS(sizes)];
	size_t n = fill(rows, sizes, N_ELEMENTS(sizes), 8, 20, 1.75, 20);
	struct estimate_row r;

	(void)state;
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	assert_true(r.complete && r.assumed && !r.extrapolated && !r.other_ranks);
	near(r.compute, 2.5197, 1e-4);
	near(r.seconds[STEP_FORWARD], 0.70295, 1e-4);
	near(r.seconds[STEP_BACKWARD], 1.40589, 1e-4);
	near(r.lo, 2.5636, 1e-4);
	near(r.hi, 4.6285, 1e-4);
	near((r.seconds[STEP_FORWARD] + r.seconds[STEP_BACKWARD]) / r.compute, 0.8369, 1e-3);
	near(r.break_even_tokens, 6856, 1e-3);
}

/* 16.06e9 x 1.75 / 20e9 + 613 x 20 us = 1.41751 s; the last bucket 1.4889 ms. */
static void ddp_over_pcie(void **state)
{
	struct estimate_request q = ask("llama3-8b", "ddp", 8, 8192, 253.7, 0.7);
	struct record rows[N_ELEMENTS(sizes)];
	size_t n = fill(rows, sizes, N_ELEMENTS(sizes), 8, 20, 1.75, 20);
	struct estimate_row r;

	(void)state;
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	near(r.seconds[STEP_BACKWARD], 1.41751, 1e-5);
	near(r.tail, 1.4889e-3, 1e-3);
	near(r.lo, 2.5212, 1e-4);
	near(r.hi, 3.9372, 1e-4);
	near(r.break_even_tokens, 4609, 1e-3);
	q.accumulate = 4; /* reduced once in four micro-batches, behind the last one's backward */
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	near(r.seconds[STEP_BACKWARD], 1.41751, 1e-5);
	near(r.hi, 4 * 2.5197 + 1.41751, 1e-4);
}

/* 320 x (134217728 x 1.75 / 20e9 + 20 us) = 3.76450 s on top of 4.66752e14 / 1.7759e14 = 2.62826 s.
 */
static void tp_over_pcie(void **state)
{
	struct estimate_request q = ask("llama3-70b", "tp", 8, 8192, 253.7, 0.7);
	struct record rows[N_ELEMENTS(sizes)];
	size_t n = fill(rows, sizes, N_ELEMENTS(sizes), 8, 20, 1.75, 20);
	struct estimate_row r;

	(void)state;
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	near(r.seconds[STEP_CRITICAL], 3.76450, 1e-5);
	near(r.lo, 6.39276, 1e-4);
	near(r.hi, r.lo, 1e-12); /* nothing hides */
	assert_true(isnan(r.break_even_tokens));
	assert_string_equal(estimate_dominates(&r, NULL), "the volume of data");
}

/* GPT-2, gradients in 32 bit, 497.6e6 bytes: 18 buckets and 25740800 bytes. 2 GPUs, 40 GB/s, 10 us:
 * 497.6e6 / 40e9 + 19 x 10 us = 12.630 ms. 12288 tokens x 803023104 / 4e13 = 246.689 ms. */
static void gpt2_on_two(void **state)
{
	static const double at[] = { 8, 25740800, 26214400 };
	struct estimate_request q = ask("gpt2", "ddp", 2, 12288, 100, 0.4);
	struct record rows[N_ELEMENTS(at)];
	size_t n = fill(rows, at, N_ELEMENTS(at), 2, 10, 1, 40);
	struct estimate_row r;

	(void)state;
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	near(r.seconds[STEP_BACKWARD], 0.012630, 1e-4);
	near(r.compute, 0.246689, 1e-5);
	near(r.lo, 0.247342, 1e-5);
	near(r.hi, 0.259319, 1e-5);
	near(r.break_even_tokens, 629.1, 1e-3);
	assert_string_equal(estimate_dominates(&r, NULL), "computing");
}

/* TP on 4: 128 x (16777216 x 1.5 / 300e9 + 5 us) = 11.3774 ms; 512 x 54622450944 / 4e14 = 69.9167
 * ms. */
static void tp_on_four(void **state)
{
	static const double at[] = { 8, 16777216 };
	struct estimate_request q = ask("llama3-8b", "tp", 4, 2048, 800, 0.5);
	struct record rows[N_ELEMENTS(at)];
	size_t n = fill(rows, at, N_ELEMENTS(at), 4, 5, 1.5, 300);
	struct estimate_row r;

	(void)state;
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	near(r.seconds[STEP_CRITICAL], 0.0113774, 1e-4);
	near(r.hi, 0.0812942, 1e-4);
	/* The same curve as if measured with two: 1.5 instead of 1 at equal bus bandwidth. */
	n = fill(rows, at, N_ELEMENTS(at), 2, 5, 1, 300);
	assert_int_equal(estimate_row_compute(&q, rows, n, "nccl", "p2p", &r), 0);
	assert_true(r.other_ranks);
	near(r.seconds[STEP_CRITICAL], 128 * 1.5 * (16777216 / 300e9 + 5e-6), 1e-9);
}

/* A power law is a straight line in logarithms: 100 us at 1 MiB, 400 us at 4 MiB: 200 us between.
 */
static void interpolation(void **state)
{
	static const double at[] = { 1048576, 4194304, 16777216 };
	struct estimate_curve c;
	struct record rows[N_ELEMENTS(at)];
	size_t n = fill(rows, at, N_ELEMENTS(at), 2, 0, 1, 10.48576);
	double rms, max;
	int outside;

	(void)state;
	assert_int_equal(
	    estimate_curve_build(rows, n, "nccl", "p2p", "all_reduce", "stream", 0, &c), 0);
	near(estimate_curve_us(&c, 2097152, &outside), 200, 1e-9);
	assert_int_equal(outside, CURVE_MEASURED);
	near(estimate_curve_us(&c, 16777216, &outside), 1600, 1e-9);
	assert_int_equal(outside, CURVE_MEASURED);
	near(estimate_curve_us(&c, 33554432, &outside), 3200,
	     1e-9); /* the largest size's bandwidth */
	assert_int_equal(outside, CURVE_ABOVE);
	near(estimate_curve_us(&c, 8, &outside), 100, 1e-9); /* the smallest size's time */
	assert_int_equal(outside, CURVE_BELOW);
	estimate_curve_leave_one_out(&c, &rms, &max);
	assert_true(rms < 1e-9 && max < 1e-9);
	estimate_curve_fini(&c);
	assert_int_equal(
	    estimate_curve_build(rows, n, "nccl", "shm", "all_reduce", "stream", 0, &c), 0);
	assert_int_equal(c.n, 0);
	assert_true(isnan(estimate_curve_us(&c, 8, &outside)));
	estimate_curve_fini(&c);
}

/* Of a run with several numbers of ranks: those that were asked for, unless they have hardly any
 * point. */
static void curve_of_the_wanted_ranks(void **state)
{
	static const double at[] = { 1024, 2048, 4096, 8192 };
	struct estimate_curve c;
	struct record rows[7];

	(void)state;
	fill(rows, at, 4, 2, 0, 1, 1);
	fill(rows + 4, at, 3, 8, 0, 1, 1);
	for (int wanted = 0; wanted < 10; wanted++) {
		assert_int_equal(estimate_curve_build(rows, 7, "nccl", "p2p", "all_reduce",
						      "stream", wanted, &c),
				 0);
		assert_int_equal(c.ranks, wanted == 8 ? 8 : 2);
		assert_int_equal(c.n, wanted == 8 ? 3 : 4);
		estimate_curve_fini(&c);
	}
	/* one of 8 ranks beside four of 2 */
	assert_int_equal(
	    estimate_curve_build(rows, 5, "nccl", "p2p", "all_reduce", "stream", 8, &c), 0);
	assert_int_equal(c.ranks, 2);
	estimate_curve_fini(&c);
}

/* nccl-tests 2.19.6 on two H200 over NVLink and over shared memory, all_reduce, us, 1 MiB .. 1 GiB,
 * as printed. */
static void leave_one_out(void **state)
{
	static const double us[2][11] = {
		{ 24.79, 29.93, 35.47, 49.93, 78.98, 139.42, 251.45, 469.88, 892.63, 1694.00,
		  3281.95 },
		{ 65.06, 99.92, 173.93, 324.29, 640.64, 1288.13, 2475.75, 5092.68, 9839.33, 19745.6,
		  40083.4 },
	};
	struct estimate_curve c;
	struct record rows[11];
	double at[11], rms, max;

	(void)state;
	for (size_t i = 0; i < 11; i++)
		at[i] = 1048576.0 * (double)(1 << i);
	fill(rows, at, 11, 2, 0, 1, 1);
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < 11; i++)
			rows[i].time_us = us[k][i];
		assert_int_equal(
		    estimate_curve_build(rows, 11, "nccl", "p2p", "all_reduce", "stream", 0, &c),
		    0);
		estimate_curve_leave_one_out(&c, &rms, &max);
		assert_true(rms <= 0.05);
		estimate_curve_fini(&c);
	}
}

static void models(void **state)
{
	static const char good[] =
	    "{\"name\":\"m\",\"parameters\":1e9,\"layers\":10,\"hidden\":100,\"value_bytes\":1}";
	static const char *const bad[] = { "", "[]", "{}",
					   "{\"parameters\":-1,\"layers\":1,\"hidden\":1}",
					   "{\"parameters\":\"1\",\"layers\":1,\"hidden\":1}" };
	struct estimate_model m;
	char why[200];

	(void)state;
	assert_int_equal(estimate_model_parse(good, strlen(good), &m, why, sizeof(why)), 0);
	assert_true(m.parameters == 1e9 && m.sequence == 2048 && m.value_bytes == 1 &&
		    m.gradient_bytes == 2);
	for (size_t i = 0; i < N_ELEMENTS(bad); i++)
		assert_true(estimate_model_parse(bad[i], strlen(bad[i]), &m, why, sizeof(why)) < 0);
	assert_true(estimate_datasheet_tflops("NVIDIA H200", NULL) == 989);
	assert_true(estimate_datasheet_tflops("NVIDIA A100-SXM4-80GB", NULL) == 312);
	assert_true(isnan(estimate_datasheet_tflops("NVIDIA RTX A4000", NULL)));
}

static void missing(void **state)
{
	struct estimate_request q = ask("llama3-8b", "fsdp", 8, 8192, 253.7, 0.7);
	struct estimate_row r;
	struct buf text = { 0 };
	char *json;

	(void)state;
	assert_int_equal(estimate_row_compute(&q, NULL, 0, "nccl", "shm", &r), 0);
	assert_false(r.complete);
	r.run = "<script>\n";
	r.label = "shm";
	assert_null(estimate_best(&r, 1));
	estimate_text(&text, &q, &r, 1);
	assert_non_null(strstr(buf_text(&text), "N/A (the run has no curve of all_gather)"));
	json = estimate_json(&q, &r, 1);
	assert_non_null(strstr(json, "\"step_hi_s\":null"));
	free(json);
	buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fsdp_over_pcie),
		cmocka_unit_test(ddp_over_pcie),
		cmocka_unit_test(tp_over_pcie),
		cmocka_unit_test(gpt2_on_two),
		cmocka_unit_test(tp_on_four),
		cmocka_unit_test(interpolation),
		cmocka_unit_test(curve_of_the_wanted_ranks),
		cmocka_unit_test(leave_one_out),
		cmocka_unit_test(models),
		cmocka_unit_test(missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
