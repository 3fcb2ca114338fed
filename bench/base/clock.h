/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time and deadlines, in nanoseconds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CLOCK_NEVER INT64_MAX
#define CLOCK_US 1000LL
#define CLOCK_MS 1000000LL
#define CLOCK_S 1000000000LL

int64_t clock_now_ns(void);               /* CLOCK_MONOTONIC */
int64_t clock_after_ns(int64_t delay_ns); /* now + delay, saturating */
/* What to give poll(2): rounded up, at most max_ms (negative: no such bound), 0 when past. */
int clock_poll_ms(int64_t deadline_ns, int max_ms);
void clock_sleep_ns(int64_t ns);
/* UTC "20261130T165830Z" (compact) or "2026-11-30T16:58:30Z". */
void clock_utc(int compact, char *out, size_t max);
