/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict text <-> number. The C locale everywhere, whatever setlocale was told: files written on
 * one machine are read on another. Not here: tables of sizes, statistics.
 */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_TEXT_MAX 64
#define EDIT_MAX 63

/* Enters the C locale for this thread. glibc hands out a static object for it, so this neither
 * allocates nor fails there; elsewhere a failure leaves the locale as it was. */
static locale_t c_locale_enter(locale_t *c)
{
	*c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return *c ? uselocale(*c) : (locale_t)0;
}

static void c_locale_leave(locale_t c, locale_t before)
{
	if (!c)
		return;
	uselocale(before);
	freelocale(c);
}

ATTR_PRINTF(3, 4) static void format_c(char *out, size_t max, const char *fmt, ...)
{
	locale_t c, before = c_locale_enter(&c);
	va_list args;

	va_start(args, fmt);
	vsnprintf(out, max, fmt, args);
	va_end(args);
	c_locale_leave(c, before);
}

static double read_c(const char *text)
{
	locale_t c, before = c_locale_enter(&c);
	double v = strtod(text, NULL);

	c_locale_leave(c, before);
	return v;
}

static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

int num_parse_i64(const char *text, int64_t min, int64_t max, int64_t *out)
{
	const char *digits = text + (text[0] == '-');
	size_t n = count_digits(digits);
	long long v;

	if (!n || digits[n])
		return -EINVAL;
	errno = 0;
	v = strtoll(text, NULL, 10);
	if (errno || v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

/* -?(D+[.D*]|.D+)([eE][+-]?D+)? and nothing after it. strtod takes blanks, hex, inf and nan too. */
static bool is_decimal(const char *p)
{
	size_t before, after = 0, exponent;

	p += *p == '-';
	before = count_digits(p);
	p += before;
	if (*p == '.') {
		after = count_digits(++p);
		p += after;
	}
	if (!before && !after)
		return false;
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		exponent = count_digits(p);
		if (!exponent)
			return false;
		p += exponent;
	}
	return *p == '\0';
}

int num_parse_double(const char *text, double *out)
{
	double v;

	if (!is_decimal(text))
		return -EINVAL;
	v = read_c(text);
	if (!isfinite(v)) /* underflow is no error: subnormals must read back */
		return -ERANGE;
	*out = v;
	return 0;
}

/* Bits to shift for "", "B", "K", "KB", "KiB", ...; -1 for anything else. */
static int size_shift(const char *suffix)
{
	static const char letters[] = "kmgt";
	const char *at;

	if (!suffix[0] || !strcasecmp(suffix, "b"))
		return 0;
	at = strchr(letters, tolower((unsigned char)suffix[0]));
	if (!at)
		return -1;
	suffix++;
	if (suffix[0] && strcasecmp(suffix, "b") && strcasecmp(suffix, "ib"))
		return -1;
	return 10 * (int)(at - letters + 1);
}

int num_parse_size(const char *text, uint64_t *out)
{
	size_t n = count_digits(text);
	unsigned long long v;
	int shift;

	if (!n)
		return -EINVAL;
	shift = size_shift(text + n);
	if (shift < 0)
		return -EINVAL;
	errno = 0;
	v = strtoull(text, NULL, 10);
	if (errno || v > UINT64_MAX >> shift)
		return -ERANGE;
	*out = (uint64_t)v << shift;
	return 0;
}

static const struct {
	const char *suffix;
	double ns;
} durations[] = {
	{ .suffix = "", .ns = 1e9 },
	{ .suffix = "ms", .ns = 1e6 },
	{ .suffix = "s", .ns = 1e9 },
	{ .suffix = "m", .ns = 60e9 },
};

static double duration_scale(const char *suffix)
{
	for (size_t i = 0; i < N_ELEMENTS(durations); i++)
		if (!strcmp(suffix, durations[i].suffix))
			return durations[i].ns;
	return 0;
}

int num_parse_duration(const char *text, int64_t *ns)
{
	size_t n = strcspn(text, "ms");
	double scale = duration_scale(text + n);
	char number[NUMBER_TEXT_MAX];
	double v;
	int rc;

	if (scale <= 0 || n >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, n);
	number[n] = '\0';
	rc = num_parse_double(number, &v);
	if (rc)
		return rc;
	v = round(v * scale);
	if (v < 1 || v >= 0x1p63)
		return -ERANGE;
	*ns = (int64_t)v;
	return 0;
}

/* Decimals that show three significant digits of v >= 0, looking at v as it will be after rounding
 * (9.996 is "10.0", not "10.00"). */
static int three_digit_decimals(double v)
{
	if (v < 0.9995)
		return 3;
	if (v < 9.995)
		return 2;
	return v < 99.95 ? 1 : 0;
}

static void strip_zeros(char *text)
{
	size_t len = strlen(text);

	if (!strchr(text, '.'))
		return;
	while (len && text[len - 1] == '0')
		text[--len] = '\0';
	if (len && text[len - 1] == '.')
		text[len - 1] = '\0';
}

void num_format_size(uint64_t bytes, char *out, size_t max)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	char number[NUMBER_TEXT_MAX];
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 1023.5 && u + 1 < N_ELEMENTS(units)) { /* 1023.7 would be printed as 1024 */
		v /= 1024;
		u++;
	}
	format_c(number, sizeof(number), "%.*f", three_digit_decimals(v), v);
	strip_zeros(number);
	snprintf(out, max, "%s %s", number, units[u]);
}

void num_format_time(double ns, int utf8, char *out, size_t max)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = fabs(ns);
	size_t u = 0;

	if (!isfinite(ns)) {
		snprintf(out, max, "%s", "");
		return;
	}
	while (v >= 999.5 && u + 1 < N_ELEMENTS(units)) {
		v /= 1000;
		u++;
	}
	format_c(out, max, "%.*f %s", v > 0 ? three_digit_decimals(v) : 0, ns < 0 ? -v : v,
		 u == 1 && utf8 ? "\xc2\xb5s" : units[u]);
}

/* Significant digits that identify v (17 always do), and its decimal exponent. */
static int digits_needed(double v, int *exponent)
{
	char text[NUMBER_TEXT_MAX];
	int digits = 0;

	do {
		digits++;
		format_c(text, sizeof(text), "%.*e", digits - 1, v);
	} while (digits < 17 && read_c(text) != v);
	*exponent = atoi(strchr(text, 'e') + 1);
	return digits;
}

void num_format_double(double v, char *out, size_t max)
{
	int digits, exponent, decimals;

	if (!isfinite(v)) {
		snprintf(out, max, "%s", "");
		return;
	}
	digits = digits_needed(v, &exponent);
	if (exponent < -5 || exponent > 15) {
		format_c(out, max, "%.*e", digits - 1, v);
		return;
	}
	decimals = digits - 1 - exponent;
	format_c(out, max, "%.*f", decimals > 0 ? decimals : 0, v);
}

static int min3(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

int num_edit_distance(const char *a, const char *b)
{
	size_t na = strnlen(a, EDIT_MAX), nb = strnlen(b, EDIT_MAX);
	int row[EDIT_MAX + 1]; /* row[j]: distance of the a seen so far to the first j bytes of b */

	for (size_t j = 0; j <= nb; j++)
		row[j] = (int)j;
	for (size_t i = 1; i <= na; i++) {
		int diagonal = row[0];

		row[0] = (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[nb];
}

const char *num_nearest(const char *word, const char *const *candidates, size_t n)
{
	int best = 2 + (int)(strnlen(word, EDIT_MAX) / 3);
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		int d = num_edit_distance(word, candidates[i]);

		if (d < best) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}
