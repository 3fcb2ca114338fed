/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long tests wait, in one place. A test must hold on a machine that is slow, busy, has one core
 * or schedules badly. So a time has a lower bound where waiting is the point, an upper bound only
 * where it tells an end from a hang (or from a longer deadline that must not be the one that ended
 * it), and what another process or thread must have done first is waited for, not slept for. How
 * fast something is is no matter of tests: meson test --benchmark. Shell tests read the _MS lines.
 */
#pragma once

#include "base/clock.h"

#define SLACK_MS 200000 /* what such a machine may add to anything */
#define LONG_MS 290000 /* a deadline or a sleep that must not be what ended it: far above SLACK */
#define SLACK_NS (SLACK_MS * CLOCK_MS)
#define LONG_NS (LONG_MS * CLOCK_MS)

/* Where a deadline must be met by another process that is well, only a longer one tells "too slow"
 * from "never": such tests begin with the short one and try again with PATIENCE_GROWS times it as
 * long as it is below SLACK. */
#define PATIENCE_GROWS 8
