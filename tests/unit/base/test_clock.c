/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: saturation, rounding, and a sleep that a signal does not shorten. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "slack.h"

static void now_advances(void **state)
{
	int64_t a = clock_now_ns(), b;

	clock_sleep_ns(2 * CLOCK_MS);
	b = clock_now_ns();
	assert_true(a > 0);
	assert_true(b - a >= 2 * CLOCK_MS);
}

static void after_saturates(void **state)
{
	int64_t now = clock_now_ns();

	assert_true(clock_after_ns(CLOCK_NEVER) == CLOCK_NEVER);
	assert_true(clock_after_ns(CLOCK_NEVER - now) == CLOCK_NEVER);
	assert_true(clock_after_ns(CLOCK_S) >= now + CLOCK_S);
	assert_true(clock_after_ns(CLOCK_S) < now + CLOCK_S + SLACK_NS);
	assert_true(clock_now_ns() > clock_after_ns(-CLOCK_S));
	assert_true(clock_after_ns(INT64_MIN) < 0);
}

static void poll_argument(void **state)
{
	int ms;

	assert_int_equal(clock_poll_ms(0, 100), 0);
	assert_int_equal(clock_poll_ms(INT64_MIN, 100), 0);
	assert_int_equal(clock_poll_ms(clock_now_ns() - 1, 100), 0);
	assert_int_equal(clock_poll_ms(CLOCK_NEVER, 100), 100);
	assert_int_equal(clock_poll_ms(CLOCK_NEVER, 0), 0);
	assert_int_equal(clock_poll_ms(CLOCK_NEVER, -1), INT_MAX);
	ms = clock_poll_ms(clock_after_ns(LONG_NS), 1000000);
	assert_in_range(ms, LONG_MS - SLACK_MS, LONG_MS);
	/* Rounded up: rounding down would spin through the last millisecond. */
	ms = clock_poll_ms(clock_after_ns(CLOCK_MS / 2), 100);
	assert_in_range(ms, 0, 1);
	for (int i = 0; i < 100; i++) {
		int64_t deadline = clock_now_ns() + CLOCK_MS / 2;

		ms = clock_poll_ms(deadline, 100);
		if (clock_now_ns() < deadline)
			assert_int_equal(ms, 1);
	}
}

static void on_alarm(int sig)
{
}

static void sleep_outlasts_signals(void **state)
{
	struct sigaction act = { .sa_handler = on_alarm }, before;
	struct itimerval every = { .it_interval.tv_usec = 2000, .it_value.tv_usec = 2000 },
			 off = { 0 };
	int64_t start;

	sigaction(SIGALRM, &act, &before);
	setitimer(ITIMER_REAL, &every, NULL);
	start = clock_now_ns();
	clock_sleep_ns(20 * CLOCK_MS);
	assert_true(clock_now_ns() - start >= 20 * CLOCK_MS);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &before, NULL);
	start = clock_now_ns();
	clock_sleep_ns(0);
	clock_sleep_ns(-CLOCK_S);
	clock_sleep_ns(INT64_MIN);
	assert_true(clock_now_ns() - start < SLACK_NS);
}

static void utc_shapes(void **state)
{
	char out[32], small[8] = "xxxxxxx";
	struct tm tm = { 0 };
	time_t now = time(NULL), then;
	char *end;

	clock_utc(1, out, sizeof(out));
	assert_int_equal(strlen(out), 16);
	end = strptime(out, "%Y%m%dT%H%M%SZ", &tm);
	assert_non_null(end);
	assert_int_equal(*end, '\0');
	then = timegm(&tm);
	assert_in_range(then, now, now + SLACK_MS / 1000);
	clock_utc(0, out, sizeof(out));
	assert_int_equal(strlen(out), 20);
	end = strptime(out, "%Y-%m-%dT%H:%M:%SZ", &tm);
	assert_non_null(end);
	assert_int_equal(*end, '\0');
	clock_utc(0, small, sizeof(small));
	assert_string_equal(small, ""); /* no half of a date */
	clock_utc(0, small, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(now_advances),  cmocka_unit_test(after_saturates),
		cmocka_unit_test(poll_argument), cmocka_unit_test(sleep_outlasts_signals),
		cmocka_unit_test(utc_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
