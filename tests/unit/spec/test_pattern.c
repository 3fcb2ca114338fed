/* SPDX-License-Identifier: Apache-2.0 */
/* Test data: known bit patterns, reductions rank by rank, and errors that must be seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "ncclbench/kernels.h"
#include "ncclbench/pattern.h"

#define N_DTYPES (NB_FP8E5M2 + 1)
#define N_REDOPS (NB_AVG + 1)

static const struct nb_mismatch none = { 0, ~0ULL };

static void test_known_bits(void **state)
{
	static const struct {
		int dtype;
		double value;
		uint16_t bits;
	} want[] = {
		{ NB_HALF, 1, 0x3c00 },
		{ NB_HALF, -2, 0xc000 },
		{ NB_HALF, 65504, 0x7bff },
		{ NB_HALF, 65519, 0x7bff },
		{ NB_HALF, 65520, 0x7c00 },
		{ NB_HALF, 1e300, 0x7c00 },
		{ NB_HALF, 0x1p-14, 0x0400 },
		{ NB_HALF, 0x1p-24, 0x0001 },
		{ NB_HALF, 0x1p-25, 0x0000 },
		{ NB_HALF, 0x1.8p-25, 0x0001 },
		{ NB_HALF, 0x1.ffcp-15, 0x0400 },
		{ NB_HALF, 1.0 / 3, 0x3555 },
		{ NB_HALF, 2049, 0x6800 },
		{ NB_HALF, 2051, 0x6802 },
		{ NB_HALF, 0, 0 },
		{ NB_HALF, -0.0, 0x8000 },
		{ NB_BFLOAT16, 1, 0x3f80 },
		{ NB_BFLOAT16, -3, 0xc040 },
		{ NB_BFLOAT16, 257, 0x4380 },
		{ NB_BFLOAT16, 259, 0x4382 },
		{ NB_BFLOAT16, 1e39, 0x7f80 },
		{ NB_BFLOAT16, 0x1p-133, 0x0001 },
		{ NB_FP8E4M3, 1.5, 0x3c },
		{ NB_FP8E4M3, 448, 0x7e },
		{ NB_FP8E4M3, 1000, 0x7e },
		{ NB_FP8E4M3, -448, 0xfe },
		{ NB_FP8E4M3, 1, 0x38 },
		{ NB_FP8E4M3, 0x1p-9, 0x01 },
		{ NB_FP8E4M3, 0x1p-10, 0x00 },
		{ NB_FP8E4M3, 0x1.8p-10, 0x01 },
		{ NB_FP8E4M3, 0x1p-6, 0x08 },
		{ NB_FP8E4M3, 17, 0x58 },
		{ NB_FP8E4M3, 19, 0x5a },
		{ NB_FP8E4M3, INFINITY, 0x7e },
		{ NB_FP8E5M2, 1, 0x3c },
		{ NB_FP8E5M2, 57344, 0x7b },
		{ NB_FP8E5M2, 1e9, 0x7b },
		{ NB_FP8E5M2, 0x1p-16, 0x01 },
		{ NB_FP8E5M2, 7, 0x47 },
		{ NB_FP8E5M2, 9, 0x48 },
		{ NB_FP8E5M2, 11, 0x4a },
		{ NB_HALF, INFINITY, 0x7c00 },
		{ NB_HALF, -INFINITY, 0xfc00 },
		{ NB_HALF, 5e-324, 0 },
	};

	for (size_t i = 0; i < N_ELEMENTS(want); i++) {
		uint16_t got = nb_narrow(want[i].dtype, want[i].value);

		if (got != want[i].bits)
			fail_msg("row %zu: %g gives %#x, not %#x", i, want[i].value, got,
				 want[i].bits);
	}
	assert_int_equal(nb_narrow(NB_HALF, NAN) & 0x7fff, 0x7e00);
	assert_int_equal(nb_narrow(NB_BFLOAT16, NAN) & 0x7fff, 0x7fc0);
	assert_int_equal(nb_narrow(NB_FP8E4M3, NAN) & 0x7f, 0x7f);
	assert_int_equal(nb_narrow(NB_FP8E5M2, NAN) & 0x7f, 0x7e);
}

static void test_known_values(void **state)
{
	static const struct {
		int dtype;
		uint16_t bits;
		double value;
	} want[] = {
		{ NB_HALF, 0x3c00, 1 },
		{ NB_HALF, 0x0001, 0x1p-24 },
		{ NB_HALF, 0x7bff, 65504 },
		{ NB_HALF, 0xfc00, -INFINITY },
		{ NB_HALF, 0x83ff, -0x1.ff8p-15 },
		{ NB_BFLOAT16, 0x3f80, 1 },
		{ NB_BFLOAT16, 0xc2f7, -123.5 },
		{ NB_FP8E4M3, 0x3c, 1.5 },
		{ NB_FP8E4M3, 0x7e, 448 },
		{ NB_FP8E4M3, 0x78, 256 },
		{ NB_FP8E4M3, 0x07, 0x1.cp-7 },
		{ NB_FP8E5M2, 0x3c, 1 },
		{ NB_FP8E5M2, 0x7c, INFINITY },
		{ NB_FP8E5M2, 0xfb, -57344 },
	};

	for (size_t i = 0; i < N_ELEMENTS(want); i++)
		assert_true(nb_widen(want[i].dtype, want[i].bits) == want[i].value);
	assert_true(isnan(nb_widen(NB_HALF, 0x7e01)));
	assert_true(isnan(nb_widen(NB_FP8E4M3, 0x7f)));
	assert_true(isnan(nb_widen(NB_FP8E4M3, 0xff)));
	assert_true(isnan(nb_widen(NB_FP8E5M2, 0x7d)));
}

/* Each storable number comes back as itself; halfway between neighbours goes to the even one. */
static void test_all_bits_return(void **state)
{
	static const int dtypes[] = { NB_HALF, NB_BFLOAT16, NB_FP8E4M3, NB_FP8E5M2 };

	for (size_t t = 0; t < N_ELEMENTS(dtypes); t++) {
		uint32_t top = nb_dtype_bytes(dtypes[t]) == 1 ? 0x7f : 0x7fff;

		for (uint32_t bits = 0; bits < top; bits++) {
			double v = nb_widen(dtypes[t], (uint16_t)bits);
			double next = nb_widen(dtypes[t], (uint16_t)(bits + 1));

			if (isnan(v) || isinf(v))
				continue;
			assert_int_equal(nb_narrow(dtypes[t], v), bits);
			assert_int_equal(nb_narrow(dtypes[t], -v), bits | (top + 1));
			if (isfinite(next))
				assert_int_equal(nb_narrow(dtypes[t], (v + next) / 2),
						 bits + (bits & 1));
		}
	}
}

static void test_elements(void **state)
{
	for (int d = 0; d < N_DTYPES; d++) {
		double room[4] = { 0 };

		for (int v = 0; v <= 8; v++) {
			nb_store_element(d, room, 2, v);
			assert_true(nb_load_element(d, room, 2) == v);
			assert_true(nb_load_element(d, room, 1) == 0);
		}
	}
}

/* n ranks one by one, in the order of ranks, in double: whole numbers, so exact. */
static double simulate(int redop, int nranks, uint64_t i, int dtype, int skip)
{
	double total = redop == NB_PROD ? 1 : redop == NB_MIN ? 1e9 : redop == NB_MAX ? -1e9 : 0;
	double stored[1];

	for (int rank = 0; rank < nranks; rank++) {
		double v;

		nb_store_element(dtype, stored, 0, nb_pattern_value(redop, rank, nranks, i));
		v = nb_load_element(dtype, stored, 0);
		if (rank == skip)
			continue;
		if (redop == NB_PROD)
			total *= v;
		else if (redop == NB_MAX)
			total = v > total ? v : total;
		else if (redop == NB_MIN)
			total = v < total ? v : total;
		else
			total += v;
	}
	if (redop == NB_AVG)
		total = nb_dtype_is_integer(dtype) ? trunc(total / nranks) : total / nranks;
	nb_store_element(dtype, stored, 0, total);
	return nb_load_element(dtype, stored, 0);
}

static void test_reductions_are_as_expected(void **state)
{
	static const int ranks[] = { 1, 2, 3, 4, 5, 7, 8, 16, 31 };

	for (int d = 0; d < N_DTYPES; d++)
		for (int op = 0; op < N_REDOPS; op++)
			for (size_t k = 0; k < N_ELEMENTS(ranks); k++)
				for (uint64_t i = 0; i < 100; i++) {
					double got = simulate(op, ranks[k], i * 7919, d, -1);
					double want = nb_pattern_expect(op, ranks[k], i * 7919,
									nb_dtype_is_integer(d));

					if (op != NB_AVG)
						assert_true(got == want && want >= 1 && want <= 8);
					assert_true(nb_pattern_matches(d, op, got, want));
				}
}

/* An average as NCCL makes it: each term times 1/n, all in the type. */
static void test_averages_within_tolerance(void **state)
{
	static const int dtypes[] = { NB_HALF,     NB_FLOAT,   NB_DOUBLE,
				      NB_BFLOAT16, NB_FP8E4M3, NB_FP8E5M2 };
	static const int ranks[] = { 1, 2, 3, 6, 7, 10, 48, 65, 129, 1000, 3000, 4096 };

	for (size_t t = 0; t < N_ELEMENTS(dtypes); t++)
		for (size_t k = 0; k < N_ELEMENTS(ranks); k++)
			for (uint64_t i = 0; i < 64; i++) {
				struct nb_pattern_pick p = nb_pattern_pick(ranks[k], i);
				double cell[4] = { 0 };
				double third, a, b = 0;
				int d = dtypes[t];

				nb_store_element(d, cell, 0, 1.0 / ranks[k]);
				third = nb_load_element(d, cell, 0);
				nb_store_element(
				    d, cell, 0, third * nb_pattern_value(NB_AVG, p.a, ranks[k], i));
				a = nb_load_element(d, cell, 0);
				if (p.b >= 0) {
					nb_store_element(
					    d, cell, 0,
					    third * nb_pattern_value(NB_AVG, p.b, ranks[k], i));
					b = nb_load_element(d, cell, 0);
				}
				nb_store_element(d, cell, 0, a + b);
				assert_true(
				    nb_pattern_matches(d, NB_AVG, nb_load_element(d, cell, 0),
						       nb_pattern_expect(NB_AVG, ranks[k], i, 0)));
			}
}

/* Leaving out any one rank must show within 2 n - 1 elements, from any start; avg of few ranks too.
 */
static void test_missing_rank_shows(void **state)
{
	static const int ranks[] = { 2, 3, 4, 8, 13 };

	for (int op = NB_SUM; op <= NB_MIN; op++)
		for (size_t k = 0; k < N_ELEMENTS(ranks); k++)
			for (int skip = 0; skip < ranks[k]; skip++)
				for (uint64_t start = 0; start < 40; start++) {
					bool seen = false;

					for (uint64_t i = start;
					     i < start + 2 * (uint64_t)ranks[k] - 1; i++)
						if (simulate(op, ranks[k], i, NB_FLOAT, skip) !=
						    nb_pattern_expect(op, ranks[k], i, 0))
							seen = true;
					assert_true(seen);
				}
}

static void test_many_ranks(void **state)
{
	static bool was_a[4096];

	for (uint64_t i = 0; i < 4096; i++) {
		/* Far out, but a block of its period. */
		struct nb_pattern_pick p =
		    nb_pattern_pick(4096, (uint64_t)NB_PATTERN_PERIOD * 1000003 + 4096 + i);

		assert_in_range(p.a, 0, 4095);
		assert_in_range(p.b, 0, 4095);
		assert_int_not_equal(p.a, p.b);
		assert_false(was_a[p.a]); /* once each in an aligned block */
		was_a[p.a] = true;
	}
	assert_int_equal(nb_pattern_pick(1, 5).a, 0);
	assert_int_equal(nb_pattern_pick(1, 5).b, -1);
}

static void test_matching(void **state)
{
	assert_true(nb_pattern_matches(NB_FLOAT, NB_SUM, 3, 3));
	assert_false(nb_pattern_matches(NB_FLOAT, NB_SUM, nextafterf(3, 4), 3));
	assert_true(nb_pattern_matches(NB_FLOAT, NB_AVG, nextafterf(3, 4), 3));
	assert_false(nb_pattern_matches(NB_FLOAT, NB_AVG, 3.00001, 3));
	assert_false(nb_pattern_matches(NB_FLOAT, NB_AVG, NAN, 3));
	assert_false(nb_pattern_matches(NB_FLOAT, NB_SUM, NAN, 3));
	assert_false(nb_pattern_matches(NB_HALF, NB_AVG, INFINITY, 3));
	assert_false(nb_pattern_matches(NB_FP8E5M2, NB_AVG, -3, 3));
	assert_false(nb_pattern_matches(NB_INT32, NB_AVG, 1, 0));
	assert_true(nb_pattern_matches(NB_FP8E4M3, NB_AVG, 2.5, 2));
	assert_false(nb_pattern_matches(NB_FP8E4M3, NB_AVG, 2.625, 2));
}

static void test_bytes(void **state)
{
	uint8_t whole[10000], part[100];
	struct nb_mismatch m = none;

	nb_fill_bytes_ref(whole, sizeof(whole), 3, 0);
	for (size_t k = 0; k < sizeof(whole); k++)
		assert_int_equal(whole[k], nb_pattern_byte(3, k));
	assert_int_equal(whole[9], nb_pattern_word(3, 1) >> 8 & 0xff); /* lowest byte first */
	for (uint64_t offset = 0; offset < 24; offset++) {
		nb_fill_bytes_ref(part, sizeof(part), 3, offset);
		assert_memory_equal(part, whole + offset, sizeof(part));
		nb_check_bytes_ref(whole + offset, 5000, 3, offset, 0, &m);
	}
	assert_int_equal(m.wrong, 0);
	assert_true(m.first == ~0ULL);
}

/* splitmix64's first outputs from seed 0, as published with the generator: the finaliser is the
 * real one. */
static void test_mix(void **state)
{
	assert_true(nb_pattern_mix(0) == 0xe220a8397b1dcdafULL);
	assert_true(nb_pattern_mix(0x9e3779b97f4a7c15ULL) == 0x6e789e6aa1b965f4ULL);
}

static void test_planted_bytes_found(void **state)
{
	uint8_t data[10000];
	struct nb_mismatch m = none;

	nb_fill_bytes_ref(data, sizeof(data), 0, 16);
	data[4097] ^= 1;
	data[9999] ^= 0x80;
	nb_check_bytes_ref(data, sizeof(data), 0, 16, 0, &m);
	assert_int_equal(m.wrong, 2);
	assert_int_equal(m.first, 4097);
	nb_check_bytes_ref(data + 4096, 2, 0, 16 + 4096, 100, &m); /* adds up; base 100 + index 1 */
	assert_int_equal(m.wrong, 3);
	assert_int_equal(m.first, 101);

	m = none; /* another rank's data, or the right data at the wrong place */
	nb_check_bytes_ref(data, 4096, 1, 16, 0, &m);
	assert_true(m.wrong > 4000);
	m = none;
	nb_check_bytes_ref(data, 4096, 0, 24, 0, &m);
	assert_true(m.wrong > 4000);
}

static void test_planted_values_found(void **state)
{
	double room[200];

	for (int d = 0; d < N_DTYPES; d++) {
		for (int op = 0; op < N_REDOPS; op++) {
			struct nb_mismatch m = none;

			for (uint64_t k = 0; k < 200; k++)
				nb_store_element(d, room, k, simulate(op, 3, 50 + k, d, -1));
			nb_check_values_ref(room, 200, d, op, 3, 50, &m);
			assert_int_equal(m.wrong, 0);
			nb_store_element(d, room, 17, 99);
			nb_store_element(d, room, 199, 77);
			nb_check_values_ref(room, 200, d, op, 3, 50, &m);
			assert_int_equal(m.wrong, 2);
			assert_int_equal(m.first, 17);
		}
	}
}

static void test_fill_values(void **state)
{
	float data[64];

	nb_fill_values_ref(data, 64, NB_FLOAT, NB_SUM, 1, 3, 1000);
	for (uint64_t k = 0; k < 64; k++)
		assert_true(data[k] == (float)nb_pattern_value(NB_SUM, 1, 3, 1000 + k));
}

/* One rank's input is not the result: a reduction that does nothing is found. */
static void test_untouched_input_found(void **state)
{
	float data[64];

	for (int op = 0; op < N_REDOPS; op++) {
		struct nb_mismatch m = none;

		nb_fill_values_ref(data, 64, NB_FLOAT, op, 0, 2, 0);
		nb_check_values_ref(data, 64, NB_FLOAT, op, 2, 0, &m);
		assert_true(m.wrong >= 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_bits),
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_all_bits_return),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_reductions_are_as_expected),
		cmocka_unit_test(test_averages_within_tolerance),
		cmocka_unit_test(test_missing_rank_shows),
		cmocka_unit_test(test_many_ranks),
		cmocka_unit_test(test_matching),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_mix),
		cmocka_unit_test(test_planted_bytes_found),
		cmocka_unit_test(test_planted_values_found),
		cmocka_unit_test(test_fill_values),
		cmocka_unit_test(test_untouched_input_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
