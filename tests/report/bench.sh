#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How long the report of eight machines with 5000 points each takes. A figure to read, not a verdict:
# only a hang fails.
#
# usage: bench.sh NCCLBENCH MAKE_RUNS
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$2" "$tmp/in" 8 5000
set -- "$1" "$tmp"/in/m?
program=$1
shift
for how in "" --no-charts; do
	begin=$(date +%s%N)
	# shellcheck disable=SC2086
	"$program" report -o "$tmp/out" $how "$@" >/dev/null 2>"$tmp/err"
	end=$(date +%s%N)
	echo "8 machines x 5000 points ${how:-with pictures}: $(((end - begin) / 1000000)) ms"
done
