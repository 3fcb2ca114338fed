/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: what is read, what is refused, what is written, in any locale. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

#define ASSERT_ROW(cond, what)                          \
	do {                                            \
		if (!(cond))                            \
			fail_msg("row \"%s\"", (what)); \
	} while (0)

static const char *const never_numbers[] = {
	"",         " ",   " 1",   "1 ",       "\t1", "1\n", "+1",     "--1",  "-",
	"- 1",      "1x",  "0x10", "1_0",      "nan", "NAN", "inf",    "-inf", "INF",
	"infinity", "one", "1,5",  "\xd9\xa1", "e",   "1-",  "nan(1)",
};

static void i64_values(void **state)
{
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "7", 7 },
		{ "-7", -7 },
		{ "007", 7 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		int64_t v = 99;

		ASSERT_ROW(num_parse_i64(rows[i].text, INT64_MIN, INT64_MAX, &v) == 0,
			   rows[i].text);
		ASSERT_ROW(v == rows[i].want, rows[i].text);
	}
}

static void i64_refuses(void **state)
{
	static const char *const more[] = { "1.0", "1e3", ".5", "0b1", "1K" };
	int64_t v = 99;

	for (size_t i = 0; i < N_ELEMENTS(never_numbers); i++)
		ASSERT_ROW(num_parse_i64(never_numbers[i], INT64_MIN, INT64_MAX, &v) == -EINVAL,
			   never_numbers[i]);
	for (size_t i = 0; i < N_ELEMENTS(more); i++)
		ASSERT_ROW(num_parse_i64(more[i], INT64_MIN, INT64_MAX, &v) == -EINVAL, more[i]);
	assert_int_equal(v, 99);
}

static void i64_range(void **state)
{
	int64_t v = 99;

	assert_int_equal(num_parse_i64("9223372036854775808", INT64_MIN, INT64_MAX, &v), -ERANGE);
	assert_int_equal(num_parse_i64("-9223372036854775809", INT64_MIN, INT64_MAX, &v), -ERANGE);
	assert_int_equal(num_parse_i64("11", 1, 10, &v), -ERANGE);
	assert_int_equal(num_parse_i64("0", 1, 10, &v), -ERANGE);
	assert_int_equal(v, 99);
	assert_int_equal(num_parse_i64("10", 1, 10, &v), 0);
	assert_int_equal(num_parse_i64("1", 1, 10, &v), 0);
	assert_int_equal(v, 1);
}

static void double_values(void **state)
{
	static const struct {
		const char *text;
		double want;
	} rows[] = {
		{ "0", 0 },
		{ "1.5", 1.5 },
		{ "-2.25", -2.25 },
		{ ".5", 0.5 },
		{ "5.", 5 },
		{ "1e3", 1000 },
		{ "1E-3", 0.001 },
		{ "2e+2", 200 },
		{ "1e-400", 0 },
		{ "4.9406564584124654e-324", 0x1p-1074 },
		{ "1.7976931348623157e308", DBL_MAX },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		double v = 99;

		ASSERT_ROW(num_parse_double(rows[i].text, &v) == 0, rows[i].text);
		ASSERT_ROW(v == rows[i].want, rows[i].text);
	}
}

static void double_refuses(void **state)
{
	static const char *const more[] = { ".",  "1e",  "1e+",   "1e1.5", "1.2.3", "-.",
					    "e5", ".e5", "0x1p3", "1f",    "1d",    "1e5x" };
	double v = 99;

	for (size_t i = 0; i < N_ELEMENTS(never_numbers); i++)
		ASSERT_ROW(num_parse_double(never_numbers[i], &v) == -EINVAL, never_numbers[i]);
	for (size_t i = 0; i < N_ELEMENTS(more); i++)
		ASSERT_ROW(num_parse_double(more[i], &v) == -EINVAL, more[i]);
	assert_int_equal(num_parse_double("1e309", &v), -ERANGE);
	assert_int_equal(num_parse_double("-1e309", &v), -ERANGE);
	assert_true(v == 99);
}

static void size_values(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} rows[] = {
		{ "0", 0 },
		{ "8", 8 },
		{ "8B", 8 },
		{ "8b", 8 },
		{ "64K", 65536 },
		{ "64k", 65536 },
		{ "1KB", 1024 },
		{ "1kib", 1024 },
		{ "4MiB", 4194304 },
		{ "1g", 1073741824 },
		{ "1T", 1099511627776 },
		{ "2tIb", 2199023255552 },
		{ "0T", 0 },
		{ "08", 8 },
		{ "18446744073709551615", UINT64_MAX },
		{ "16777215T", 16777215ULL << 40 },
		{ "17179869183G", 17179869183ULL << 30 },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		uint64_t v = 99;

		ASSERT_ROW(num_parse_size(rows[i].text, &v) == 0, rows[i].text);
		ASSERT_ROW(v == rows[i].want, rows[i].text);
	}
}

static void size_refuses(void **state)
{
	static const char *const more[] = { "-1",  "1.5K", "K",   "1 K",  "8iB", "1Ki",
					    "1KK", "1P",   "1BB", "1KBs", "1e3", "1k " };
	static const char *const large[] = { "18446744073709551616",
					     "99999999999999999999999999",
					     "16777216T",
					     "17179869184G",
					     "17592186044416M",
					     "18014398509481984K",
					     "18446744073709551615K",
					     "18446744073709551616K" };
	uint64_t v = 99;

	for (size_t i = 0; i < N_ELEMENTS(never_numbers); i++)
		ASSERT_ROW(num_parse_size(never_numbers[i], &v) == -EINVAL, never_numbers[i]);
	for (size_t i = 0; i < N_ELEMENTS(more); i++)
		ASSERT_ROW(num_parse_size(more[i], &v) == -EINVAL, more[i]);
	for (size_t i = 0; i < N_ELEMENTS(large); i++)
		ASSERT_ROW(num_parse_size(large[i], &v) == -ERANGE, large[i]);
	assert_int_equal(v, 99);
}

static void duration_values(void **state)
{
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = {
		{ "30", 30000000000 },  { "1.5", 1500000000 },
		{ "250ms", 250000000 }, { "30s", 30000000000 },
		{ "2m", 120000000000 }, { "0.5m", 30000000000 },
		{ ".5ms", 500000 },     { "1e3ms", 1000000000 },
		{ "0.000001ms", 1 },    { "9223372036", 9223372036000000000 },
	};

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		int64_t v = 99;

		ASSERT_ROW(num_parse_duration(rows[i].text, &v) == 0, rows[i].text);
		ASSERT_ROW(v == rows[i].want, rows[i].text);
	}
}

static void duration_refuses(void **state)
{
	static const char *const wrong[] = {
		"ms",   "s",
		"1h",   "1 s",
		"1s ",  "1sm",
		"1mss", "30S",
		"1us",  "00000000000000000000000000000000000000000000000000000000000000001"
	};
	static const char *const far[] = {
		"0", "-1", "0s", "1e-10", "9223372037", "1e300m", "1e400"
	};
	int64_t v = 99;

	for (size_t i = 0; i < N_ELEMENTS(never_numbers); i++)
		ASSERT_ROW(num_parse_duration(never_numbers[i], &v) == -EINVAL, never_numbers[i]);
	for (size_t i = 0; i < N_ELEMENTS(wrong); i++)
		ASSERT_ROW(num_parse_duration(wrong[i], &v) == -EINVAL, wrong[i]);
	for (size_t i = 0; i < N_ELEMENTS(far); i++)
		ASSERT_ROW(num_parse_duration(far[i], &v) == -ERANGE, far[i]);
	assert_int_equal(v, 99);
}

static void sizes_for_people(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *want;
	} rows[] = {
		{ 0, "0 B" },
		{ 8, "8 B" },
		{ 1000, "1000 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1536, "1.5 KiB" },
		{ 1234, "1.21 KiB" },
		{ 1000000, "977 KiB" },
		{ 1048575, "1 MiB" },
		{ 1047552, "1023 KiB" },
		{ 1073741824, "1 GiB" },
		{ 10485760, "10 MiB" },
		{ 104857600, "100 MiB" },
		{ 67108864, "64 MiB" },
		{ 1099511627776, "1 TiB" },
		{ UINT64_MAX, "16 EiB" },
	};
	char out[32];

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		num_format_size(rows[i].bytes, out, sizeof(out));
		assert_string_equal(out, rows[i].want);
	}
}

static void times_for_people(void **state)
{
	static const struct {
		double ns;
		const char *want;
	} rows[] = {
		{ 0, "0 ns" },         { 0.5, "0.500 ns" },      { 1, "1.00 ns" },
		{ 5.75e3, "5.75 us" }, { 9996, "10.0 us" },      { 999.4, "999 ns" },
		{ 999.6, "1.00 us" },  { 99960, "100 us" },      { 12345678, "12.3 ms" },
		{ 1.5e9, "1.50 s" },   { 123456e9, "123456 s" }, { -5.75e3, "-5.75 us" },
	};
	char out[32];

	for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
		num_format_time(rows[i].ns, 0, out, sizeof(out));
		assert_string_equal(out, rows[i].want);
	}
	num_format_time(5.75e3, 1, out, sizeof(out));
	assert_string_equal(out, "5.75 \xc2\xb5s");
	num_format_time(5.75e6, 1, out, sizeof(out));
	assert_string_equal(out, "5.75 ms");
	num_format_time(NAN, 0, out, sizeof(out));
	assert_string_equal(out, "");
	num_format_time(INFINITY, 0, out, sizeof(out));
	assert_string_equal(out, "");
}

static const struct {
	double v;
	const char *want;
} shortest[] = {
	{ 0, "0" },
	{ -0.0, "-0" },
	{ 1, "1" },
	{ -1.5, "-1.5" },
	{ 30, "30" },
	{ 100000, "100000" },
	{ 0.1, "0.1" },
	{ 0.1 + 0.2, "0.30000000000000004" },
	{ 1.0 / 3, "0.3333333333333333" },
	{ 5.75, "5.75" },
	{ 0.00001, "0.00001" },
	{ 0.000001, "1e-06" },
	{ 1e15, "1000000000000000" },
	{ 1e16, "1e+16" },
	{ 1e23, "1e+23" },
	{ 9007199254740993.0, "9007199254740992" },
	{ 0x1p-1074, "5e-324" },
	{ DBL_MAX, "1.7976931348623157e+308" },
	{ DBL_MIN, "2.2250738585072014e-308" },
	{ -DBL_MAX, "-1.7976931348623157e+308" },
	{ 478.08, "478.08" },
	{ 123456789.125, "123456789.125" },
	{ NAN, "" },
	{ INFINITY, "" },
	{ -INFINITY, "" },
};

static void doubles_are_shortest(void **state)
{
	char out[32];

	for (size_t i = 0; i < N_ELEMENTS(shortest); i++) {
		num_format_double(shortest[i].v, out, sizeof(out));
		assert_string_equal(out, shortest[i].want);
	}
}

/* Random bit patterns come back bit for bit and always fit into 32 bytes. */
static void doubles_come_back(void **state)
{
	uint64_t bits = 0x9e3779b97f4a7c15;

	for (int i = 0; i < 5000; i++) {
		double v, back = 0;
		char out[32];

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&v, &bits, sizeof(v));
		if (i & 1)
			v = (double)(bits >> 20) / 1e6; /* the size of figures we write */
		if (!isfinite(v))
			continue;
		num_format_double(v, out, sizeof(out));
		assert_true(strlen(out) < sizeof(out) - 1);
		assert_int_equal(num_parse_double(out, &back), 0);
		assert_memory_equal(&back, &v, sizeof(v));
	}
}

/* A locale with a decimal comma, made here: a machine seldom has one. */
static int enter_comma_locale(char *dir)
{
	char command[512], path[64];
	FILE *f;

	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/src", dir);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fputs(
	    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n",
	    f);
	fclose(f);
	snprintf(command, sizeof(command), "localedef -c -i %s/src %s/xx_XX >/dev/null 2>&1", dir,
		 dir);
	if (system(command) == -1)
		return -1;
	setenv("LOCPATH", dir, 1);
	return setlocale(LC_NUMERIC, "xx_XX") ? 0 : -1;
}

static void locale_does_not_matter(void **state)
{
	char dir[] = "/tmp/ncclbench-locale-XXXXXX", command[64], out[32];
	int rc = enter_comma_locale(dir), comma;
	double v = 0;
	int64_t ns = 0;

	snprintf(out, sizeof(out), "%.1f", 1.5);
	comma = !strcmp(out, "1,5");
	num_format_double(1.5, out, sizeof(out));
	assert_string_equal(out, "1.5");
	assert_int_equal(num_parse_double("2.5", &v), 0);
	assert_true(v == 2.5);
	assert_int_equal(num_parse_double("2,5", &v), -EINVAL);
	assert_int_equal(num_parse_duration("1.5s", &ns), 0);
	assert_int_equal(ns, 1500000000);
	num_format_size(1536, out, sizeof(out));
	assert_string_equal(out, "1.5 KiB");
	num_format_time(5750, 0, out, sizeof(out));
	assert_string_equal(out, "5.75 us");
	snprintf(out, sizeof(out), "%.1f", 1.5);
	assert_int_equal(!strcmp(out, "1,5"), comma); /* and the caller's locale is untouched */
	setlocale(LC_ALL, "C");
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_not_equal(system(command), -1);
	if (rc || !comma)
		skip();
}

static void distances(void **state)
{
	char a[100], b[100];

	assert_int_equal(num_edit_distance("", ""), 0);
	assert_int_equal(num_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(num_edit_distance("sitting", "kitten"), 3);
	assert_int_equal(num_edit_distance("", "abc"), 3);
	assert_int_equal(num_edit_distance("abc", ""), 3);
	assert_int_equal(num_edit_distance("all_reduce", "allreduce"), 1);
	assert_int_equal(num_edit_distance("ab", "ba"), 2);
	assert_int_equal(num_edit_distance("gahtre", "gather"), 3);
	memset(a, 'a', sizeof(a));
	memset(b, 'b', sizeof(b));
	a[99] = b[99] = '\0';
	assert_int_equal(num_edit_distance(a, b), 63);
	memset(b, 'a', 63);
	assert_int_equal(num_edit_distance(a, b), 0); /* differ only behind the cut */
}

static void nearest_word(void **state)
{
	static const char *const ops[] = { "all_reduce", "broadcast", "sendrecv", "send",
					   "gather" };

	assert_ptr_equal(num_nearest("allreduce", ops, 5), ops[0]);
	assert_ptr_equal(num_nearest("brodcast", ops, 5), ops[1]);
	assert_ptr_equal(num_nearest("snd", ops, 5), ops[3]);
	assert_ptr_equal(num_nearest("send", ops, 5), ops[3]);
	assert_null(num_nearest("gxxxxr", ops, 5));              /* distance 4 > 1 + 6/3 */
	assert_ptr_equal(num_nearest("gahter", ops, 5), ops[4]); /* distance 2 */
	assert_null(num_nearest("quantum", ops, 5));
	assert_null(num_nearest("send", ops, 0));
	assert_null(num_nearest("", ops, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(i64_values),        cmocka_unit_test(i64_refuses),
		cmocka_unit_test(i64_range),         cmocka_unit_test(double_values),
		cmocka_unit_test(double_refuses),    cmocka_unit_test(size_values),
		cmocka_unit_test(size_refuses),      cmocka_unit_test(duration_values),
		cmocka_unit_test(duration_refuses),  cmocka_unit_test(sizes_for_people),
		cmocka_unit_test(times_for_people),  cmocka_unit_test(doubles_are_shortest),
		cmocka_unit_test(doubles_come_back), cmocka_unit_test(distances),
		cmocka_unit_test(nearest_word),      cmocka_unit_test(locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
