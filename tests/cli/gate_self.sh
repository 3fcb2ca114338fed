#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two runs of this build on host memory, one gated against the other, and a copy of the first against the first: that the
# copy passes shows that the chain works; of the second run, made by a machine that may have been busy with something else
# meanwhile, only that there is a verdict about speed and nothing worse. Then a slow-down planted in another copy, whose
# suspects the sweep measures again. How fast anything is is no matter here.
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
later() { # NAME SECOND: a mere copy is the same measurement; this one says that it was made later
	sed 's/"started": "[^"]*"/"started": "2000-01-01T00:00:'"$2"'Z"/' "$tmp/a/run.json" >"$tmp/$1/run.json"
}
later copy 01

gate() { # NEW OPTION...
	new=$1
	shift
	"$build/ncclbench" gate "$tmp/a" "$tmp/$new" "$@" --inconclusive pass --group-limit 300 --point-limit 400 --all
}

gate copy || exit 1
gate b
code=$?
[ "$code" -le 1 ] || { echo "exit $code of two runs of one build"; exit 1; }

# By 1000, in a copy of the first. What the gate says once the suspects were measured again on the machine as it is, is the
# machine's matter; that it says something about those rows is what counts.
cp -r "$tmp/a" "$tmp/slow"
later slow 02
for file in points.csv:time_us samples.csv:max_us; do
	awk -F, -v OFS=, -v name="${file#*:}" '/^#/ { print; next } !at { for (i = 1; i <= NF; i++) if ($i == name) at = i; print; next }
		{ $at *= 1000; print }' "$tmp/a/${file%:*}" >"$tmp/slow/${file%:*}"
done
gate slow --json="$tmp/verdict.json" --text
[ $? -eq 1 ] || { echo "a planted slow-down was not found"; exit 1; }
mpirun -np 2 "$build/ncclbench" sweep --confirm "$tmp/verdict.json" --timeout 240 --no-charts --out "$tmp/again" >"$tmp/log" 2>&1 </dev/null || {
	cat "$tmp/log"
	exit 1
}
[ "$(grep -c '^ucx,shm,plain,all_reduce,.*,8,host,.*,ok,' "$tmp/again/points.csv")" -eq 1 ] || { cat "$tmp/again/points.csv"; exit 1; }
gate slow --confirm "$tmp/again"
code=$?
case $code in 0 | 1 | 3) ;; *) echo "the gate with a confirming run ended with $code"; exit 1 ;; esac
