/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time and deadlines. Wall-clock time is only for names and for people: clock_utc. */
#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

int64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CLOCK_S + t.tv_nsec;
}

int64_t clock_after_ns(int64_t delay_ns)
{
	int64_t now = clock_now_ns();

	return delay_ns > CLOCK_NEVER - now ? CLOCK_NEVER : now + delay_ns;
}

int clock_poll_ms(int64_t deadline_ns, int max_ms)
{
	int64_t left = deadline_ns, now = clock_now_ns(), ms;
	int cap = max_ms < 0 ? INT_MAX : max_ms; /* never -1: poll(2) would wait for ever */

	if (left <= now)
		return 0;
	left -= now;
	ms = left / CLOCK_MS + (left % CLOCK_MS != 0);
	return ms < cap ? (int)ms : cap;
}

void clock_sleep_ns(int64_t ns)
{
	int64_t until = clock_after_ns(ns);
	struct timespec t = { .tv_sec = until / CLOCK_S, .tv_nsec = until % CLOCK_S };

	if (ns <= 0)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

void clock_utc(int compact, char *out, size_t max)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!max)
		return;
	if (!gmtime_r(&now, &tm) ||
	    !strftime(out, max, compact ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ", &tm))
		out[0] = '\0';
}
