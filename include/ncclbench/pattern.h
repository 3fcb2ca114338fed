/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What test data looks like and what must come out: shared by C, by CUDA kernels and by their
 * tests. No libc, no state, no loop over ranks: every function costs the same for 2 ranks and for
 * 4096.
 *
 * Copies. What rank r sends is a stream of 64-bit words, nb_pattern_word(r, 0), nb_pattern_word(r,
 * 1),
 * ..., stored lowest byte first. Another rank, another offset or old data does not look alike.
 *
 * Reductions. Of element i two ranks matter, A and B. All numbers are whole and at most 8, results
 * included, so every type down to f8e5m2 holds them exactly, in whatever order they are combined:
 *   sum, avg  A gives 1..3, B gives 1..2, all others 0
 *   prod      A gives 2..3, B gives 1..2, all others 1
 *   max       A gives 4..7, all others 1..3
 *   min       A gives 1..4, all others 5..7
 * A runs once through all ranks in each aligned block of nranks elements, from a start that differs
 * by block. So of any 2 * nranks - 1 consecutive elements (3 * nranks - 2 where a period ends among
 * them) at least one shows a rank that was left out. B is any rank but A. With one rank there is no
 * B. The values repeat after NB_PATTERN_PERIOD elements, a prime: data moved by a power of two is
 * still wrong data, and the plain C twins can copy and compare whole periods.
 *
 * dtype and redop are the numbers of ncclDataType_t and ncclRedOp_t, as in spec/dtype.h,
 * spec/redop.h.
 */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define NB_HD static inline __host__ __device__
#else
#define NB_HD static inline
#endif

enum nb_dtype {
	NB_INT8,
	NB_UINT8,
	NB_INT32,
	NB_UINT32,
	NB_INT64,
	NB_UINT64,
	NB_HALF,
	NB_FLOAT,
	NB_DOUBLE,
	NB_BFLOAT16,
	NB_FP8E4M3,
	NB_FP8E5M2,
};

enum nb_redop { NB_SUM, NB_PROD, NB_MAX, NB_MIN, NB_AVG };

/* The finaliser of splitmix64: each input bit changes about half of the output bits. */
NB_HD uint64_t nb_pattern_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Copies */

NB_HD uint64_t nb_pattern_word(int rank, uint64_t word_index)
{
	return nb_pattern_mix(word_index + (uint64_t)(rank + 1) * 0xa0761d6478bd642fULL);
}

NB_HD uint8_t nb_pattern_byte(int rank, uint64_t k)
{
	return (uint8_t)(nb_pattern_word(rank, k / 8) >> (8 * (k % 8)));
}

/* Reductions */

#define NB_PATTERN_PERIOD 65521

struct nb_pattern_pick {
	int a, b;        /* b is -1 with one rank */
	uint32_t digits; /* random bits that the values of this element are made of */
};

NB_HD struct nb_pattern_pick nb_pattern_pick(int nranks, uint64_t i)
{
	struct nb_pattern_pick p;
	uint32_t n = (uint32_t)nranks, at = (uint32_t)(i % NB_PATTERN_PERIOD);
	uint64_t start = (nb_pattern_mix(at / n) >> 32) * n >> 32;
	uint64_t e = nb_pattern_mix(~(uint64_t)at);
	uint64_t a = at % n + start;

	a = a >= n ? a - n : a;
	p.a = (int)a;
	p.b = -1;
	p.digits = (uint32_t)e;
	if (n > 1) {
		uint64_t b = a + 1 + ((e >> 32) * (n - 1) >> 32);

		p.b = (int)(b >= n ? b - n : b);
	}
	return p;
}

NB_HD int nb_pattern_value_a(int redop, uint32_t digits)
{
	switch (redop) {
	case NB_PROD:
		return 2 + (int)(digits & 1);
	case NB_MAX:
		return 4 + (int)(digits & 3);
	case NB_MIN:
		return 1 + (int)(digits & 3);
	default:
		return 1 + (int)((digits & 0xff) % 3);
	}
}

NB_HD int nb_pattern_value_b(uint32_t digits) /* of sum, avg and prod */
{
	return 1 + (int)(digits >> 8 & 1);
}

/* What rank gives at element i. */
NB_HD int nb_pattern_value(int redop, int rank, int nranks, uint64_t i)
{
	struct nb_pattern_pick p = nb_pattern_pick(nranks, i);
	uint32_t crowd = ((p.digits >> 16) + (uint32_t)rank) % 3;

	if (rank == p.a)
		return nb_pattern_value_a(redop, p.digits);
	switch (redop) {
	case NB_MAX:
		return 1 + (int)crowd;
	case NB_MIN:
		return 5 + (int)crowd;
	case NB_PROD:
		return rank == p.b ? nb_pattern_value_b(p.digits) : 1;
	default:
		return rank == p.b ? nb_pattern_value_b(p.digits) : 0;
	}
}

/* What all ranks together must give at element i. An average of integers is truncated, as NCCL
 * does. */
NB_HD double nb_pattern_expect(int redop, int nranks, uint64_t i, int is_integer)
{
	struct nb_pattern_pick p = nb_pattern_pick(nranks, i);
	int a = nb_pattern_value_a(redop, p.digits);
	int b = nb_pattern_value_b(p.digits);

	switch (redop) {
	case NB_MAX:
	case NB_MIN:
		return a;
	case NB_PROD:
		return p.b < 0 ? a : a * b;
	case NB_AVG:
		a += p.b < 0 ? 0 : b;
		return is_integer ? (double)(a / nranks) : (double)a / nranks;
	default:
		return p.b < 0 ? a : a + b;
	}
}

/* Allowed relative error: averages are computed as the sum of x * (1/n), rounded in the type. */
NB_HD double nb_pattern_tolerance(int dtype, int redop)
{
	if (redop != NB_AVG)
		return 0;
	switch (dtype) {
	case NB_HALF:
		return 1.0 / (1 << 9);
	case NB_BFLOAT16:
		return 1.0 / (1 << 6);
	case NB_FP8E4M3:
		return 1.0 / (1 << 2);
	case NB_FP8E5M2:
		return 1.0 / (1 << 1);
	case NB_FLOAT:
		return 1.0 / (1 << 21);
	case NB_DOUBLE:
		return 1.0 / (1ULL << 50);
	default:
		return 0;
	}
}

/*
 * Is `got` a right result where `want` (> 0 or 0) is expected? NaN and infinity are not. f8e4m3
 * alone cannot hold 1/n of more than 64 ranks as a normal number: its steps are 2^-9 there, and the
 * two terms of an average may be off by four of them.
 */
NB_HD int nb_pattern_matches(int dtype, int redop, double got, double want)
{
	double room = nb_pattern_tolerance(dtype, redop) * want;
	double off = got < want ? want - got : got - want;

	if (dtype == NB_FP8E4M3 && redop == NB_AVG)
		room += 4.0 / (1 << 9);
	return off <= room;
}

/* Storage of numbers */

NB_HD uint32_t nb_dtype_bytes(int dtype) /* 0: no such type */
{
	switch (dtype) {
	case NB_INT8:
	case NB_UINT8:
	case NB_FP8E4M3:
	case NB_FP8E5M2:
		return 1;
	case NB_HALF:
	case NB_BFLOAT16:
		return 2;
	case NB_INT32:
	case NB_UINT32:
	case NB_FLOAT:
		return 4;
	case NB_INT64:
	case NB_UINT64:
	case NB_DOUBLE:
		return 8;
	default:
		return 0;
	}
}

NB_HD int nb_dtype_is_integer(int dtype)
{
	return dtype <= NB_UINT64;
}

struct nb_format {              /* a small binary floating-point format */
	int exponent, mantissa; /* bits */
	int finite_only; /* no infinity; all ones is NaN, everything else a number (f8e4m3) */
	int saturates;   /* too large becomes the largest, as CUDA converts to both f8 types */
};

NB_HD struct nb_format nb_format_of(int dtype)
{
	struct nb_format f = { 5, 10, 0, 0 }; /* half */

	if (dtype == NB_BFLOAT16) {
		f.exponent = 8;
		f.mantissa = 7;
	} else if (dtype == NB_FP8E4M3) {
		f.exponent = 4;
		f.mantissa = 3;
		f.finite_only = f.saturates = 1;
	} else if (dtype == NB_FP8E5M2) {
		f.mantissa = 2;
		f.saturates = 1;
	}
	return f;
}

union nb_double_bits {
	double value;
	uint64_t bits;
};

NB_HD double nb_double_from_bits(uint64_t bits)
{
	union nb_double_bits u;

	u.bits = bits;
	return u.value;
}

NB_HD uint64_t nb_bits_from_double(double value)
{
	union nb_double_bits u;

	u.value = value;
	return u.bits;
}

/* `significand` >> shift, to nearest, ties to even. */
NB_HD uint32_t nb_round_shift(uint64_t significand, int shift)
{
	uint64_t kept, rest, half;

	if (shift > 53) /* below a quarter of the smallest step */
		return 0;
	kept = significand >> shift;
	rest = significand & ((1ULL << shift) - 1);
	half = 1ULL << (shift - 1);
	return (uint32_t)(kept + (rest > half || (rest == half && (kept & 1))));
}

/* To nearest even, subnormals included; the bits of half, bfloat16, f8e4m3 or f8e5m2. */
NB_HD uint16_t nb_narrow(int dtype, double value)
{
	struct nb_format f = nb_format_of(dtype);
	uint64_t bits = nb_bits_from_double(value);
	uint32_t sign = (uint32_t)(bits >> 63) << (f.exponent + f.mantissa);
	uint64_t fraction = bits & ((1ULL << 52) - 1);
	int exponent = (int)(bits >> 52 & 0x7ff);
	int scaled = exponent - 1023 + (1 << (f.exponent - 1)) - 1;
	uint32_t infinity = ((1U << f.exponent) - 1) << f.mantissa;
	uint32_t largest = f.finite_only ? (infinity | ((1U << f.mantissa) - 1)) - 1 : infinity - 1;
	uint32_t out;

	if (exponent == 0x7ff && fraction) /* quiet NaN */
		return (
		    uint16_t)(sign | infinity |
			      (f.finite_only ? (1U << f.mantissa) - 1 : 1U << (f.mantissa - 1)));
	if (exponent == 0) /* a double's own subnormals are below every step here */
		out = 0;
	else if (scaled >= 1 << f.exponent)
		out = infinity + (1U << f.mantissa); /* past everything */
	else if (scaled > 0)
		out = ((uint32_t)(scaled - 1) << f.mantissa) +
		      nb_round_shift(fraction | 1ULL << 52, 52 - f.mantissa);
	else
		out = nb_round_shift(fraction | 1ULL << 52, 52 - f.mantissa + 1 - scaled);
	if (out > largest)
		out = f.saturates ? largest : infinity;
	return (uint16_t)(sign | out);
}

NB_HD double nb_widen(int dtype, uint16_t bits)
{
	struct nb_format f = nb_format_of(dtype);
	uint32_t ones = (1U << f.exponent) - 1;
	uint32_t exponent = bits >> f.mantissa & ones;
	uint64_t fraction = bits & ((1U << f.mantissa) - 1);
	uint64_t sign = (uint64_t)(bits >> (f.exponent + f.mantissa) & 1) << 63;
	int bias = (1 << (f.exponent - 1)) - 1;
	double step;

	if (exponent == ones && (!f.finite_only || fraction == (1U << f.mantissa) - 1))
		return nb_double_from_bits(sign | 0x7ffULL << 52 | (fraction ? 1ULL << 51 : 0));
	if (exponent)
		return nb_double_from_bits(sign | (uint64_t)((int)exponent - bias + 1023) << 52 |
					   fraction << (52 - f.mantissa));
	step = nb_double_from_bits((uint64_t)(1 - bias - f.mantissa + 1023) << 52);
	return sign ? -step * (double)fraction : step * (double)fraction;
}

/* buf is aligned for the type; value is whole and fits where the type is an integer. */
NB_HD void nb_store_element(int dtype, void *buf, uint64_t i, double value)
{
	switch (dtype) {
	case NB_INT8:
		((int8_t *)buf)[i] = (int8_t)value;
		break;
	case NB_UINT8:
		((uint8_t *)buf)[i] = (uint8_t)value;
		break;
	case NB_INT32:
		((int32_t *)buf)[i] = (int32_t)value;
		break;
	case NB_UINT32:
		((uint32_t *)buf)[i] = (uint32_t)value;
		break;
	case NB_INT64:
		((int64_t *)buf)[i] = (int64_t)value;
		break;
	case NB_UINT64:
		((uint64_t *)buf)[i] = (uint64_t)value;
		break;
	case NB_FLOAT:
		((float *)buf)[i] = (float)value;
		break;
	case NB_DOUBLE:
		((double *)buf)[i] = value;
		break;
	case NB_HALF:
	case NB_BFLOAT16:
		((uint16_t *)buf)[i] = nb_narrow(dtype, value);
		break;
	default:
		((uint8_t *)buf)[i] = (uint8_t)nb_narrow(dtype, value);
		break;
	}
}

/* 64-bit integers beyond 2^53 come back rounded, never as one of the small numbers expected here.
 */
NB_HD double nb_load_element(int dtype, const void *buf, uint64_t i)
{
	switch (dtype) {
	case NB_INT8:
		return ((const int8_t *)buf)[i];
	case NB_UINT8:
		return ((const uint8_t *)buf)[i];
	case NB_INT32:
		return ((const int32_t *)buf)[i];
	case NB_UINT32:
		return ((const uint32_t *)buf)[i];
	case NB_INT64:
		return (double)((const int64_t *)buf)[i];
	case NB_UINT64:
		return (double)((const uint64_t *)buf)[i];
	case NB_FLOAT:
		return ((const float *)buf)[i];
	case NB_DOUBLE:
		return ((const double *)buf)[i];
	case NB_HALF:
	case NB_BFLOAT16:
		return nb_widen(dtype, ((const uint16_t *)buf)[i]);
	default:
		return nb_widen(dtype, ((const uint8_t *)buf)[i]);
	}
}
