#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two runs of this build on host memory, one gated against the other: nothing changed, so nothing may be slower. Limits are
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
"$build/ncclbench" gate "$tmp/a" "$tmp/b" --inconclusive pass --group-limit 300 --point-limit 400 --all
