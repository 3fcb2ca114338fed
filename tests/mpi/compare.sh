#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a slow-down to its verdict, with scripted workers whose times are exact: a baseline, a run that is 20 % slower from
# 1 MiB on, the gate, `sweep --confirm`, the gate again; and two environments in one run. Nothing here depends on speed.
# usage: compare.sh NCCLBENCH-RUN NCCLBENCH FAKE-WORKER MPIRUN     exit 0 good, 1 not, 77 mpirun is missing
set -u
run=$1
gate=$2
export NCCLBENCH_TEST_WORKER="$3"
# Open MPI as root in a container, more ranks than cores, no ssh. MPICH ignores these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_plm=isolated OMPI_MCA_hwloc_base_binding_policy=none
mpirun=$4
command -v "$mpirun" >/dev/null || exit 77
command -v python3 >/dev/null || exit 77
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

wrong() {
	echo "FAILED: $1"
	[ -f "$tmp/log" ] && tail -n 20 "$tmp/log" | sed 's/^/    /'
	failed=1
}

# name, wanted exit code, pattern in what is printed ('' any), command...
expect() {
	name=$1 code=$2 pattern=$3
	shift 3
	timeout -s KILL 1200 "$@" >"$tmp/log" 2>&1 </dev/null
	got=$?
	[ "$got" -eq "$code" ] || wrong "$name: exit $got, wanted $code"
	[ -z "$pattern" ] || grep -Eq -- "$pattern" "$tmp/log" || wrong "$name: no '$pattern'"
}

sweep() { # name, pattern, options...
	name=$1 pattern=$2
	shift 2
	expect "$name" 0 "$pattern" "$mpirun" -np 2 "$run" --no-charts --no-ceilings "$@"
}

points='--backend nccl --transports p2p,shm --ops all_reduce,sendrecv --sizes 8,4K,1M,64M --timing stream --restarts 7'

# ---- confirmation ----
for series in a b; do
	# shellcheck disable=SC2086  # words
	sweep "baseline $series" '' $points --out "$tmp/$series"
done
# shellcheck disable=SC2086
FAKE_WORKER_SLOW=20:1048576 sweep "slow run" '' $points --out "$tmp/slow"
expect "the gate" 1 '^p2p all_reduce .* mid +REGRESSED +\+20\.0' "$gate" gate "$tmp/a" "$tmp/b" "$tmp/slow" --json="$tmp/v.json" --text
FAKE_WORKER_SLOW=20:1048576 sweep "confirm" '8 suspects were measured again' --confirm "$tmp/v.json" --out "$tmp/again"
sweep "confirm on a healthy machine" '' --confirm "$tmp/v.json" --out "$tmp/healthy"
expect "the gate, confirmed" 1 'at first, \+20\.0 % when measured again' "$gate" gate "$tmp/a" "$tmp/b" "$tmp/slow" --confirm "$tmp/again"
expect "the gate, cleared" 0 '^gate: pass' "$gate" gate "$tmp/a" "$tmp/b" "$tmp/slow" --confirm "$tmp/healthy"
python3 - "$tmp" <<'PY' || failed=1
import csv, json, sys
tmp = sys.argv[1]
rows = lambda d: list(csv.DictReader(l for l in open(f"{tmp}/{d}/points.csv") if not l.startswith("#")))
key = lambda r: (r["transport"], r["op"], int(r["bytes"]), r["timing"], r["map"])
suspects = json.load(open(f"{tmp}/v.json"))["suspects"]
assert len(suspects) == 8, suspects
assert all(s["bytes"] >= 1 << 20 for s in suspects), suspects
again = rows("again")
assert sorted(map(key, again)) == sorted(map(key, suspects)), again
assert {r["restarts"] for r in again} == {"7"}, again
run = json.load(open(f"{tmp}/again/run.json"))
assert run["profile"] == "quick" and run["confirms"].endswith("v.json"), run
PY

# ---- verdicts that are none ----
expect "no suspects" 0 '' "$gate" gate "$tmp/a" "$tmp/b" --allow-weak --json="$tmp/good.json"
expect "nothing to confirm" 0 'no suspects: nothing was slower' "$mpirun" -np 2 "$run" --confirm "$tmp/good.json" --out "$tmp/none"
[ ! -e "$tmp/none" ] || wrong "a run directory without a measurement"
spoil() { # name, Python statement on o, pattern
	python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(o, open(sys.argv[2], "w"))' "$tmp/v.json" "$tmp/bad.json" "$2" || failed=1
	expect "$1" 2 "bad.json: $3" "$mpirun" -np 2 "$run" --confirm "$tmp/bad.json" --out "$tmp/none"
}
spoil "not a gate's" 'o["command"] = "sweep"' 'line 1: not a verdict'
spoil "newer schema" 'o["schema"] = 9' 'schema 9; this version knows up to 1'
spoil "no list" 'del o["suspects"]' "no list 'suspects'"
spoil "bytes as text" 'o["suspects"][2]["bytes"] = "8"' 'suspects\[2\]\.bytes: must be a whole number'
spoil "an operation of nobody" 'o["suspects"][1]["op"] = "hyper\u001b[31m"' "suspects\[1\]\.op: .* is not known here"
spoil "a long word" 'o["suspects"][0]["timing"] = "x" * 99' 'suspects\[0\]\.timing: .* is too long'
spoil "twice" 'o["suspects"][3] = o["suspects"][0]' 'suspects\[3\]: the same point as suspects\[0\]'
spoil "a size of nobody" 'o["suspects"][0]["bytes"] = 3' 'suspects\[0\]: .* of 3 bytes .* is no point'
spoil "another library" 'o["conditions"]["nccl"] = "9.9.9"' "conditions\.nccl: '9\.9\.9' was judged, '.*' is here"
spoil "another machine" 'o["conditions"]["machine"] = "elsewhere"' 'conditions\.machine: '
spoil "another profile" 'o["conditions"]["profile"] = "fast"' "conditions\.profile: 'fast' is none"
spoil "an older gate" 'del o["conditions"]' "no object 'conditions'"
head -c 700 "$tmp/v.json" >"$tmp/bad.json"
expect "cut short" 2 'bad\.json: line [0-9]+, column' "$mpirun" -np 2 "$run" --confirm "$tmp/bad.json" --out "$tmp/none"
expect "not there" 2 'none\.json: No such file' "$mpirun" -np 2 "$run" --confirm "$tmp/none.json" --out "$tmp/none"
expect "other ranks" 2 'conditions\.(hardware|ranks): ' "$mpirun" -np 3 "$run" --confirm "$tmp/v.json" --share-gpu --out "$tmp/none"
[ ! -e "$tmp/none" ] || wrong "a run directory after a refusal"

# ---- two environments in one run ----
# shellcheck disable=SC2086
sweep "ab" '^p2p all_reduce .* mid +SLOWER +\+3\.0' $points --ab "FAKE_WORKER_SLOW=3:1048576" --restarts 10 --out "$tmp/ab"
grep -Eq '^p2p all_reduce .* small +SAME +within 0\.0' "$tmp/log" || wrong "ab: what is the same"
sweep "ab, path" 'PATH_CHANGED P2P/CUMEM becomes SHM/direct; then SLOWER' --backend nccl --transports auto --ops all_reduce --sizes 64M \
	--timing stream --ab "NCCL_P2P_DISABLE=1" --out "$tmp/path"
sweep "ab, a name of nobody" 'arm B: NCCL_BUFSIZE .* did you mean NCCL_BUFFSIZE' --backend nccl --transports auto --ops all_reduce \
	--sizes 8 --timing stream --restarts 1 --ab NCCL_BUFSIZE=1 --out "$tmp/lint"
expect "ab and the gate" 4 "arms: 'none' in the baseline, 'A: ; B: NCCL_BUFSIZE=1' now" "$gate" gate "$tmp/a" "$tmp/lint"
python3 - "$tmp" <<'PY' || failed=1
import csv, json, sys
tmp = sys.argv[1]
o = json.load(open(f"{tmp}/ab/ab.json"))
assert o["schema"] == 1 and o["restarts"] == 10 and [a["arm"] for a in o["arms"]] == ["A", "B"], o
for r in o["rows"]:
    slow = r["bytes"] >= 1 << 20
    assert r["pairs"] == 10 and r["arm"] == "B", r
    assert abs(r["change_pct"] - (3 if slow else 0)) < 0.1, r
for g in o["groups"]:
    assert g["verdict"] == ("SAME" if g["class"] == "small" else "SLOWER"), g
path = json.load(open(f"{tmp}/path/ab.json"))["groups"][0]
assert path["verdict"] == "PATH_CHANGED" and path["time_verdict"] == "SLOWER" and path["change_pct"] > 100, path
rows = [r for r in csv.DictReader(l for l in open(f"{tmp}/ab/samples.csv") if not l.startswith("#"))]
order = []
for r in rows:
    if (r["transport"], r["restart"], r["arm"]) not in order:
        order.append((r["transport"], r["restart"], r["arm"]))
p2p = "".join(a for t, _, a in order if t == "p2p")
assert p2p == "ABBA" * 5, p2p
PY
[ "$failed" -eq 0 ] && echo "all as expected"
exit "$failed"
