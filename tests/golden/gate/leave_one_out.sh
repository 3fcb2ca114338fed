#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every series of a folder is gated against all the others: nothing was changed between them, so each failure is a false one.
# Prints how many fail and the 95 % upper bound of the rate (Clopper-Pearson for none: 1 - 0.05^(1/n)). It judges nothing itself.
# usage: leave_one_out.sh NCCLBENCH FOLDER [gate options]     exit 0 none fails, 1 one does, 77 fewer than 4 series
set -u
ncclbench=$1
folder=$2
shift 2
n=0
failed=0
unsure=0
for run in "$folder"/*/; do
	[ -f "$run/points.csv" ] && n=$((n + 1))
done
[ "$n" -ge 4 ] || { echo "$n series in $folder: too few"; exit 77; }
for run in "$folder"/*/; do
	[ -f "$run/points.csv" ] || continue
	said=$("$ncclbench" gate "$folder" "$run" "$@" 2>&1)
	code=$?
	case $code in
	0) ;;
	3) unsure=$((unsure + 1)) ;;
	*) failed=$((failed + 1)); printf '%s: exit %d\n%s\n' "$run" "$code" "$said" ;;
	esac
done
bound=$(awk -v n="$n" 'BEGIN { printf "%.0f", 100 * (1 - exp(log(0.05) / n)) }')
echo "$n series, each against the others: $failed fail, $unsure cannot say (none of $n: the rate is below $bound % at 95 %)"
[ "$failed" -eq 0 ]
