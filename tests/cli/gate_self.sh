#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two runs of this build on host memory, one gated against the other: nothing changed, so nothing may be slower. Before that
# the same with a planted slow-down, whose suspects the sweep measures again. Limits are
# wide, since test machines are shared: this shows that the chain works and says nothing about speed.
# usage: gate_self.sh BUILD-ROOT     exit 0 good, 1 not, 77 mpirun is missing
set -u
build=$1
command -v mpirun >/dev/null || exit 77
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
for run in a b; do
	timeout 120 mpirun -np 2 "$build/ncclbench" --sweep --backend ucx --profile gate --restarts 7 --ops all_reduce --sizes 8 \
		--transports shm --no-charts --out "$tmp/$run" >"$tmp/log" 2>&1 </dev/null || { cat "$tmp/log"; exit 1; }
done
# A slow-down by 1000 is planted in a copy; the suspects are measured again on the machine as it is. What the gate then says is
# the machine's matter: that it says something about those rows is what counts here.
cp -r "$tmp/b" "$tmp/slow"
for file in points.csv:time_us samples.csv:max_us; do
	awk -F, -v OFS=, -v name="${file#*:}" '/^#/ { print; next } !at { for (i = 1; i <= NF; i++) if ($i == name) at = i; print; next }
		{ $at *= 1000; print }' "$tmp/b/${file%:*}" >"$tmp/slow/${file%:*}"
done
"$build/ncclbench" gate "$tmp/a" "$tmp/slow" --group-limit 300 --point-limit 400 --json="$tmp/verdict.json" --text
[ $? -eq 1 ] || { echo "a planted slow-down was not found"; exit 1; }
timeout 120 mpirun -np 2 "$build/ncclbench" sweep --confirm "$tmp/verdict.json" --no-charts --out "$tmp/again" >"$tmp/log" 2>&1 </dev/null || {
	cat "$tmp/log"
	exit 1
}
[ "$(grep -c '^ucx,shm,plain,all_reduce,.*,8,host,.*,ok,' "$tmp/again/points.csv")" -eq 1 ] || { cat "$tmp/again/points.csv"; exit 1; }
"$build/ncclbench" gate "$tmp/a" "$tmp/slow" --group-limit 300 --point-limit 400 --confirm "$tmp/again"
code=$?
case $code in 0 | 1 | 3) ;; *) echo "the gate with a confirming run ended with $code"; exit 1 ;; esac
"$build/ncclbench" gate "$tmp/a" "$tmp/b" --inconclusive pass --group-limit 300 --point-limit 400 --all
