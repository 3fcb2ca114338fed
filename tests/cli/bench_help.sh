#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How long does `ncclbench --help` take? Users and completion scripts wait for it. Smallest of 30.
# usage: bench_help.sh NCCLBENCH
set -u
LC_ALL=C
export LC_ALL
goal_us=10000
best=999999999
for _ in {1..30}; do
	before=${EPOCHREALTIME/./}
	"$1" --help >/dev/null || exit 1
	took=$((${EPOCHREALTIME/./} - before))
	[ "$took" -ge "$best" ] || best=$took
done
echo "ncclbench --help: $((best / 1000)).$(printf '%03d' $((best % 1000))) ms, goal $((goal_us / 1000)) ms"
[ "$best" -le "$goal_us" ]
