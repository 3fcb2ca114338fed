#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two runs of this build on host memory, one gated against the other, and a copy of the first against the first. That the
# copy passes shows that the chain works; of the second run, made by a machine that may have been busy with something else
# meanwhile, only that there is a verdict about speed and nothing worse. How fast it is is no matter here.
# usage: gate_self.sh BUILD-ROOT     exit 0 good, 1 not, 77 mpirun is missing
set -u
build=$1
command -v mpirun >/dev/null || exit 77
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
for run in a b; do
	mpirun -np 2 "$build/ncclbench" --sweep --backend ucx --profile gate --restarts 7 --ops all_reduce --sizes 8 \
		--transports shm --timeout 240 --no-charts --out "$tmp/$run" >"$tmp/log" 2>&1 </dev/null || { cat "$tmp/log"; exit 1; }
done
cp -r "$tmp/a" "$tmp/copy"

gate() { # NEW
	"$build/ncclbench" gate "$tmp/a" "$tmp/$1" --inconclusive pass --group-limit 300 --point-limit 400 --all
}

gate copy || exit 1
gate b
code=$?
[ "$code" -le 1 ] || { echo "exit $code of two runs of one build"; exit 1; }
