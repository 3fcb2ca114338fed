#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No test may fail because a machine is slow or busy: an assertion about time that passed has no upper bound but those of
# tests/slack.h, and one about speed is for a benchmark. It sees assertions that name a clock or a time; it does not see races.
# usage: timing.sh [SOURCE-ROOT]
# shellcheck disable=SC2016  # the single quotes are awk
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
cd "$root" || exit 99

# A statement may go on over several lines.
find tests/unit tests/fault tests/golden -name '*.c' | sort | xargs awk '
	FNR == 1 { text = "" }
	/assert_(true|in_range|false|int_equal)\(/ && text == "" { line = FNR; text = " " }
	text != "" {
		text = text $0
		if ($0 !~ /;/) next
		if (text ~ /clock_now_ns\(\)|elapsed_ns|took_ns|took |ask_ns\[|stop_ns/ && text ~ / < | <= |in_range/ && text !~ /SLACK|LONG|PATIENCE|most_ms/) {
			print FILENAME ":" line ": an upper bound that is not of tests/slack.h"
			bad = 1
		}
		text = ""
	}
	END { exit bad }' || { echo "How long something takes depends on the machine; see tests/slack.h"; exit 1; }
