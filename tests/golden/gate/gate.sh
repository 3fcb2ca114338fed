#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gate on recorded runs (README.md here): a run against itself, then the same run with one thing changed at a time, and
# what must come of each. Changes are made with awk on copies; no statistics are repeated here.
# usage: gate.sh NCCLBENCH FOLDER-OF-THIS-FILE
# shellcheck disable=SC2086,SC2016,SC2317,SC3045  # $wide is words; the single quotes are awk; functions are arguments
set -u
ncclbench=$1
here=$2
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

# Restarts of these runs differ by factors: with the usual limits all that can be said is that nothing can be said.
wide='--group-limit 100 --point-limit 200'

# name, wanted exit code, pattern in what is printed, command...
expect() {
	name=$1 code=$2 pattern=$3
	shift 3
	"$@" >"$tmp/out" 2>&1
	got=$?
	if [ "$got" -ne "$code" ] || { [ -n "$pattern" ] && ! grep -Eq -- "$pattern" "$tmp/out"; }; then
		echo "FAILED: $name: exit $got, wanted $code and '$pattern'"
		sed 's/^/    /' "$tmp/out"
		failed=1
	fi
}

# copy NAME: the second recorded run under that name, as if measured later: a mere copy is the same measurement
starts=0
copy() {
	rm -rf "${tmp:?}/$1"
	cp -r "$here/b" "$tmp/$1"
	chmod -R u+w "$tmp/$1"
	starts=$((starts + 1))
	sed 's/"started": "[^"]*"/"started": "2026-12-01T00:00:'"$(printf %02d $starts)"'Z"/' "$here/b/run.json" >"$tmp/$1/run.json"
}

# change RUN FILE AWK-PROGRAM: comma separated; columns by name in c["name"]
change() {
	awk -F, -v OFS=, '/^#/ { print; next } !head { head = 1; for (i = 1; i <= NF; i++) c[$i] = i; print; next } { '"$3"' } { print }' \
		"$tmp/$1/$2" >"$tmp/changed" && mv "$tmp/changed" "$tmp/$1/$2"
}

copy same
expect "itself" 0 '^gate: pass' "$ncclbench" gate $wide "$here/b" "$tmp/same"
expect "itself, usual limits" 3 'one baseline series' "$ncclbench" gate "$here/b" "$tmp/same"
expect "itself, usual limits, may pass" 0 '^gate: pass' "$ncclbench" gate "$here/b" "$tmp/same" --inconclusive pass
expect "the very same folder" 2 'not its own baseline' "$ncclbench" gate "$here/b" "$here/b"

# Two real runs of one machine start. What is said of them was looked at, not chosen: README.md.
expect "A/A" "$(cat "$here/aa.exit")" '^gate: ' "$ncclbench" gate "$here/a" "$here/b"

# Two real GPUs: nothing changed, fewer channels, P2P switched off (README.md).
gpu=$here/h200x2
expect "H200, nothing changed" 0 '^9 groups: 9 PASS' "$ncclbench" gate "$gpu/a1" "$gpu/a2" "$gpu/honest"
expect "H200, 20 channels" 1 '^p2p all_reduce .* large +REGRESSED +\+5\.' "$ncclbench" gate "$gpu/a1" "$gpu/a2" "$gpu/nch20"
expect "H200, 20 channels: shm is left alone" 1 '^9 groups: 5 PASS, 4 REGRESSED' "$ncclbench" gate "$gpu/a1" "$gpu/a2" "$gpu/nch20"
expect "a picture with a line per size class" 4 '' "$ncclbench" gate --charts "$tmp/charts" "$gpu/a1" "$gpu/nop2p"
expect "its lines" 0 'says\[3\] = .large: PASS' cat "$tmp/charts/gate_01_p2p_all_reduce_graph_map_0_gpu0_1_gpu1.gp"
expect "H200, P2P off" 4 'PATH_CHANGED P2P/CUMEM in the baseline, SHM/direct now' "$ncclbench" gate "$gpu/a1" "$gpu/a2" "$gpu/nop2p"

copy slow
change slow samples.csv 'if ($c["transport"] == "shm") $c["max_us"] *= 8'
change slow points.csv 'if ($c["transport"] == "shm") $c["time_us"] *= 8'
expect "slower shm" 1 '^shm all_reduce host, small +REGRESSED +\+' "$ncclbench" gate $wide "$here/b" "$tmp/slow"
expect "slower shm names no tcp" 1 '1 group slower' "$ncclbench" gate $wide "$here/b" "$tmp/slow"
copy again
cp "$tmp/slow/samples.csv" "$tmp/slow/points.csv" "$tmp/again/"
copy fast
expect "confirmed" 1 'when measured again' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/again"
expect "not confirmed" 0 '^gate: pass' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/fast"
expect "not confirmed, told on one line" 0 'pass: [23] slower at first, not confirmed' "$ncclbench" gate $wide "$here/b" "$tmp/slow" \
	--confirm "$tmp/fast" --github
expect "not confirmed, told in JUnit" 0 '<system-out>.* at first, .* when measured again</system-out>' "$ncclbench" gate $wide "$here/b" \
	"$tmp/slow" --confirm "$tmp/fast" --junit
for form in text json markdown; do
	expect "not confirmed, told in $form" 0 '1 group and [12] points? .*slower at first, not confirmed by .*fast' \
		"$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/fast" "--$form"
done

# What cannot confirm: a run from before, one of the baseline, the new run itself, each also as a copy under another name.
cp -r "$here/b" "$tmp/b-copy"
cp -r "$tmp/slow" "$tmp/slow-copy"
expect "confirmed by the baseline" 2 'is a series of the baseline' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$here/b"
expect "confirmed by its copy" 2 'is a series of the baseline' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/b-copy"
expect "confirmed by itself" 2 'is the new run itself' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/slow"
expect "confirmed by its own copy" 2 'is the new run itself' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/slow-copy"
expect "confirmed by an older run" 2 'before the new run' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$here/a"
rm "$tmp/b-copy/run.json"
expect "confirmed by a copy without run.json" 2 'is a series of the baseline' "$ncclbench" gate $wide "$here/b" "$tmp/slow" \
	--confirm "$tmp/b-copy"
rm "$tmp/fast/run.json"
expect "confirmed by nobody knows what" 2 'does not tell when it was measured' "$ncclbench" gate $wide "$here/a" "$tmp/slow" \
	--confirm "$tmp/fast"

# A run is not its own baseline, and counts once, under whatever name.
expect "a copy of itself" 2 'not its own baseline' "$ncclbench" gate $wide "$tmp/slow-copy" "$tmp/slow"
expect "a copy of itself beside others" 1 '1 left out' "$ncclbench" gate $wide "$here/b" "$tmp/slow-copy" "$tmp/slow"
expect "and it is told" 1 'left out: .*slow-copy: it is the new run itself' "$ncclbench" gate $wide "$here/b" "$tmp/slow-copy" "$tmp/slow"
expect "twice the same" 0 '1 series of 1 machine start, 1 left out' "$ncclbench" gate $wide "$here/b" "$here/b/" "$tmp/same"
expect "twice the same, told" 0 'left out: .*: the same measurement as ' "$ncclbench" gate $wide "$here/b" "$here/b/" "$tmp/same"
expect "twice the same without run.json" 0 '1 series of 1 machine start, 1 left out' "$ncclbench" gate $wide "$here/b" "$tmp/b-copy" \
	"$tmp/same"
expect "a plan of twice the same" 0 'the same measurement as' "$ncclbench" gate plan "$here/b" "$here/b/"

copy path
change path points.csv 'if ($c["transport"] == "tcp") $c["used"] = "posix"'
expect "another path" 4 'PATH_CHANGED +tcp in the baseline, posix now' "$ncclbench" gate $wide "$here/b" "$tmp/path"

copy gone
change gone points.csv 'if ($c["transport"] == "tcp") next'
expect "a transport is gone" 4 '^tcp .*MISSING' "$ncclbench" gate $wide "$here/b" "$tmp/gone"
expect "a transport is gone, warned" 0 '^tcp .*MISSING' "$ncclbench" gate $wide "$here/b" "$tmp/gone" --missing warn
expect "a transport is new" 0 '[0-9] NEW' "$ncclbench" gate $wide "$tmp/gone" "$tmp/same"

# Nothing is compared: that is no pass.
copy idle
change idle points.csv '$c["outcome"] = "skipped"'
copy idle2
cp "$tmp/idle/points.csv" "$tmp/idle2/"
expect "nothing measured on either side" 3 'no point (was|could be) compared' "$ncclbench" gate $wide "$tmp/idle" "$tmp/idle2"
expect "everything is new" 3 'no point (was|could be) compared' "$ncclbench" gate $wide "$tmp/idle" "$tmp/same"
copy only-shm
change only-shm points.csv 'if ($c["transport"] == "tcp") next'
copy only-tcp
change only-tcp points.csv 'if ($c["transport"] == "shm") next'
expect "nothing in common" 4 'no point (was|could be) compared' "$ncclbench" gate $wide "$tmp/only-shm" "$tmp/only-tcp"
expect "nothing in common, may pass" 3 'no point (was|could be) compared' "$ncclbench" gate $wide "$tmp/only-shm" "$tmp/only-tcp" --missing warn

copy corrupt
change corrupt points.csv 'if ($c["transport"] == "shm" && $c["bytes"] == 8) $c["outcome"] = "corrupt"'
expect "a corrupt row" 5 '8 B +FAILED +corrupt' "$ncclbench" gate $wide "$here/b" "$tmp/corrupt"

copy other
sed 's/"lib_version": "[^"]*"/"lib_version": "9.9.9"/' "$tmp/same/run.json" >"$tmp/other/run.json"
expect "another library" 4 "nccl: '.*' in the baseline, '9.9.9' now" "$ncclbench" gate $wide "$here/b" "$tmp/other"
expect "another library, allowed" 0 '^gate: pass' "$ncclbench" gate $wide "$here/b" "$tmp/other" --across ucx

# How much is measured, and which pairs at once. The recorded runs do not tell: that says nothing.
facts() { # NAME PAIRS BATCH-US
	copy "$1"
	sed '0,/"profile":/s//"pairs_rule": "'"$2"'", "sampling": {"min_batches": 8, "max_batches": 100, "batch_min_us": '"$3"', "point_budget_us": 100000}, "profile":/' \
		"$tmp/$1/run.json" >"$tmp/changed" && mv "$tmp/changed" "$tmp/$1/run.json"
}
facts told alone 2000
facts together together 2000
facts longer alone 9000
expect "told once only" 0 '^gate: pass' "$ncclbench" gate $wide "$here/b" "$tmp/together"
expect "told by both" 0 '^gate: pass' "$ncclbench" gate $wide "$tmp/told" "$tmp/same"
expect "other pairs" 4 "pairs: 'alone' in the baseline, 'together' now" "$ncclbench" gate $wide "$tmp/told" "$tmp/together"
expect "other pairs, allowed" 0 '^gate: pass' "$ncclbench" gate $wide "$tmp/told" "$tmp/together" --across pairs
expect "other batches" 4 "sampling: '8-100 batches of 2000 us, .*' in the baseline, '8-100 batches of 9000 us" \
	"$ncclbench" gate $wide "$tmp/told" "$tmp/longer"
expect "other batches, allowed" 0 '^gate: pass' "$ncclbench" gate $wide "$tmp/told" "$tmp/longer" --across sampling
expect "other batches, another profile allowed" 0 '^gate: pass' "$ncclbench" gate $wide "$tmp/told" "$tmp/longer" --across profile

copy torn
head -c 300 "$here/b/samples.csv" >"$tmp/torn/samples.csv"
expect "torn samples" 2 'torn/samples.csv: line ' "$ncclbench" gate "$here/b" "$tmp/torn"
expect "torn baseline" 2 'torn/samples.csv: line ' "$ncclbench" gate "$tmp/torn" "$here/b"
head -c 500 "$here/b/run.json" >"$tmp/torn/run.json"
expect "torn run.json" 2 'torn/run.json: line ' "$ncclbench" gate "$here/b" "$tmp/torn"
copy other-times
change other-times points.csv '$c["time_us"] *= 1.0001'
expect "bare points" 3 'medians and their intervals only' "$ncclbench" gate "$here/b/points.csv" "$tmp/other-times/points.csv"
expect "bare points of itself" 2 'not its own baseline' "$ncclbench" gate "$here/b/points.csv" "$tmp/same/points.csv"

copy late
# A run that says little of itself, or less than it planned: told, and no baseline.
copy stopped
sed -i 's/"complete": true/"complete": false/' "$tmp/stopped/run.json"
expect "not complete" 0 'note: the new run did not reach its end' "$ncclbench" gate $wide "$here/b" "$tmp/stopped"
copy mute
awk '/^  "ranks": \[/ { print "  \"ranks\": []"; skip = 1; next } /^  \],?$/ && skip { skip = 0; next } !skip' "$here/b/run.json" |
	sed 's/"started": "[^"]*"/"started": "2026-12-01T01:00:00Z"/' >"$tmp/mute/run.json"
expect "no rank in run.json" 0 'note: no rank in run.json beside the new points' "$ncclbench" gate $wide "$here/b" "$tmp/mute"
expect "no rank in the baseline" 0 "note: no rank in run.json beside the baseline's points" "$ncclbench" gate $wide "$tmp/mute" "$tmp/same"
copy unnamed
sed -i 's/"machine_id": "[^"]*"/"machine_id": ""/' "$tmp/unnamed/run.json"
expect "a fact of one side" 0 'note: machine was not compared: only the baseline tells it' "$ncclbench" gate $wide "$here/b" "$tmp/unnamed"
copy lied
change lied points.csv 'if ($c["transport"] == "tcp" && $c["bytes"] == 8) $c["time_us"] = 1e308'
expect "points against samples" 2 'lied/points.csv: line 6: time_us is 1e\+308, but the median' "$ncclbench" gate $wide "$here/b" "$tmp/lied"
copy short
head -n 4 "$here/b/points.csv" >"$tmp/short/points.csv"
expect "cut points are no baseline" 2 'points.csv has 2 of the 4 rows that run.json plans' "$ncclbench" baseline add "$tmp/short" \
	--dir "$tmp/cut"
expect "cut points are told" 0 'note: points.csv of the baseline has 2 of 4 planned rows' "$ncclbench" gate $wide "$tmp/short" "$tmp/late"
sed -i '/"planned_points"/d' "$tmp/short/run.json"
expect "without a plan too" 2 'samples.csv, line [0-9]*: a point that points.csv does not have' "$ncclbench" baseline add "$tmp/short" \
	--dir "$tmp/cut"

# Every form into its file at once; what reads them elsewhere reads them here, where it is installed.
expect "all forms" 1 '^::error title=' "$ncclbench" gate $wide "$here/b" "$tmp/slow" --github --json="$tmp/g.json" --junit="$tmp/g.xml" \
	--markdown="$tmp/g.md"
grep -q '^| 🔻 REGRESSED | shm' "$tmp/g.md" || { echo "FAILED: Markdown"; failed=1; }
if command -v xmllint >/dev/null; then
	xmllint --noout --schema "$here/junit.xsd" "$tmp/g.xml" 2>"$tmp/err" || { cat "$tmp/err"; failed=1; }
fi
"$ncclbench" gate $wide "$here/b" "$tmp/slow" --confirm "$tmp/late" --junit="$tmp/cleared.xml" >/dev/null || failed=1
if command -v xmllint >/dev/null; then
	xmllint --noout --schema "$here/junit.xsd" "$tmp/cleared.xml" 2>"$tmp/err" || { cat "$tmp/err"; failed=1; }
fi
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
assert o["schema"] == 1 and o["exit_code"] == 1 and o["verdict"] == "regressed", o
assert {s["transport"] for s in o["suspects"]} == {"shm"}, o["suspects"]' "$tmp/g.json" || failed=1
fi

# A baseline folder, its plan, and what is expected to fail.
"$ncclbench" baseline add "$here/a" --dir "$tmp/base" >/dev/null || failed=1
"$ncclbench" baseline add "$here/b" --dir "$tmp/base" >/dev/null || failed=1
expect "twice" 2 'already' "$ncclbench" baseline add "$here/b" --dir "$tmp/base"
expect "corrupt is no baseline" 2 'what failed is no baseline' "$ncclbench" baseline add "$tmp/corrupt" --dir "$tmp/base"
expect "list" 0 'points, 7 restarts' "$ncclbench" baseline list --dir "$tmp/base"
expect "plan" 0 '^shm all_reduce host, small ' "$ncclbench" gate plan "$tmp/base" --want 5
expect "expect" 0 '' "$ncclbench" baseline expect --dir "$tmp/base" --match "transport=tcp" --verdict missing --reason "cable" --until 2999-12-31
expect "expected" 0 'expected: cable' "$ncclbench" gate "$tmp/base" "$tmp/gone" $wide
expect "prune" 0 'would remove .*/a' "$ncclbench" baseline prune --keep 1 --dry-run --dir "$tmp/base"
expect "prune" 0 'removed .*/a' "$ncclbench" baseline prune --keep 1 --dir "$tmp/base"

# Without memory nothing is judged, and that is not "wrong data". A sanitizer needs more than there is in any case.
poor() {
	(ulimit -v 100000; "$ncclbench" "$@")
}
if poor --help >/dev/null 2>&1; then
	copy huge
	truncate -s 300M "$tmp/huge/samples.csv"
	expect "no memory for the new run" 2 'huge: out of memory' poor gate "$here/b" "$tmp/huge"
	expect "no memory for the baseline" 2 'huge: out of memory' poor gate "$tmp/huge" "$here/b"
	expect "no memory for a plan" 2 'huge: out of memory' poor gate plan "$tmp/huge"
fi

# What a folder of series survives: names that mean something there, an unreadable series, a full disk, several at once.
for name in expected.csv Expected.CSV points.csv .hidden . .. a/b ''; do
	expect "reserved name '$name'" 2 'cannot name a series' "$ncclbench" baseline add "$here/b" --dir "$tmp/names" --name "$name"
done
[ ! -e "$tmp/names" ] || { echo "FAILED: a refused name made a folder"; failed=1; }
cp -r "$here/b" "$tmp/expected.csv"
expect "a run of a reserved name" 0 'names/series' "$ncclbench" baseline add "$tmp/expected.csv" --dir "$tmp/names"

mkdir -p "$tmp/sick/bad"
echo garbage >"$tmp/sick/bad/points.csv"
expect "beside an unreadable series" 2 'nothing was added' "$ncclbench" baseline add "$here/b" --dir "$tmp/sick"
[ "$(ls "$tmp/sick")" = bad ] || { echo "FAILED: something was added beside an unreadable series"; failed=1; }

full() { # every file may have a few blocks only: the third of the series no longer fits
	(trap '' XFSZ; ulimit -f 4; "$ncclbench" baseline add "$here/b" --dir "$tmp/full")
}
expect "no room" 5 'nothing was left there' full
[ "$(find "$tmp/full" -name '*.csv' -o -name run.json | wc -l)" -eq 0 ] || { echo "FAILED: half a series"; failed=1; }
expect "room again" 0 'full/b' "$ncclbench" baseline add "$here/b" --dir "$tmp/full"
expect "and whole" 0 'points, 7 restarts' "$ncclbench" baseline list --dir "$tmp/full"

for i in 1 2 3 4 5 6 7 8; do
	"$ncclbench" baseline expect --dir "$tmp/many" --match "bytes=$i" --reason "$i" --until 2999-12-31 &
	pids="${pids:-} $!"
done
for pid in $pids; do
	wait "$pid" || { echo "FAILED: one of eight at once"; failed=1; }
done
[ "$(grep -c '^bytes=' "$tmp/many/expected.csv")" -eq 8 ] || { echo "FAILED: rows are lost"; cat "$tmp/many/expected.csv"; failed=1; }
pids=
for i in 1 2 3 4; do
	"$ncclbench" baseline add "$here/b" --dir "$tmp/once" --name "b$i" >/dev/null 2>&1 &
done
wait
[ "$(find "$tmp/once" -name points.csv | wc -l)" -eq 1 ] || { echo "FAILED: one run was added several times at once"; failed=1; }

# prune takes away series, whole, and nothing else.
copy old1
mkdir "$tmp/linked"
mv "$tmp/old1" "$tmp/elsewhere"
ln -s "$tmp/elsewhere" "$tmp/linked/old1"
copy young
mv "$tmp/young" "$tmp/linked/"
expect "prune and a link" 2 'left as it is.*symbolic link' "$ncclbench" baseline prune --keep 1 --dir "$tmp/linked"
expect "prune, only asked" 2 'left as it is.*symbolic link' "$ncclbench" baseline prune --keep 1 --dry-run --dir "$tmp/linked"
[ "$(find "$tmp/elsewhere" -type f | wc -l)" -eq 3 ] || { echo "FAILED: prune followed a link"; failed=1; }
rm "$tmp/linked/old1"
mv "$tmp/elsewhere" "$tmp/linked/old1"
echo mine >"$tmp/linked/old1/notes.txt"
expect "prune and what is not ours" 2 "left as it is.*notes.txt" "$ncclbench" baseline prune --keep 1 --dir "$tmp/linked"
[ "$(find "$tmp/linked/old1" -type f | wc -l)" -eq 4 ] || { echo "FAILED: prune removed a part"; failed=1; }
rm "$tmp/linked/old1/notes.txt" "$tmp/linked/old1/run.json"
mkdir "$tmp/real"
cp "$here/a/run.json" "$tmp/real/"
ln -s "$tmp/real/run.json" "$tmp/linked/old1/run.json"
expect "prune and a link inside" 2 "left as it is.*run.json" "$ncclbench" baseline prune --keep 1 --dir "$tmp/linked"

# Names are text: what steers a terminal is shown, not obeyed.
esc=$(printf '\033')
evil=$(printf 'a\033[31m\302\233\342\200\256\nb')
mkdir -p "$tmp/evil"
cp -r "$here/b" "$tmp/evil/$evil"
"$ncclbench" baseline list --dir "$tmp/evil" >"$tmp/out"
grep -q 'a\\x1b\[31m\\xc2\\x9b\\xe2\\x80\\xae\\x0ab$' "$tmp/out" || { echo "FAILED: a hostile name"; cat "$tmp/out"; failed=1; }
grep -q "$esc" "$tmp/out" && { echo "FAILED: a hostile name as it is"; failed=1; }
"$ncclbench" baseline add "$here/a" --dir "$tmp/evil/$evil-dir" >"$tmp/out"
grep -q 'a\\x1b\[31m.*-dir/a$' "$tmp/out" || { echo "FAILED: a hostile folder"; failed=1; }
"$ncclbench" baseline list --json --dir "$tmp/evil" | grep -qi 'a\\u001b\[31m\\u009b\\u202e\\nb' || { echo "FAILED: a hostile name in JSON"; failed=1; }

# So are the words of a run.json and of rows, in every form.
copy talks
sed -i 's/"machine": "/"machine": "\\u202e\\u009b31m\\u200b/' "$tmp/talks/run.json"
change talks points.csv '$c["map"] = "m\302\23331m\342\200\256"'
change talks samples.csv '$c["map"] = "m\302\23331m\342\200\256"'
for form in text json markdown junit github; do
	"$ncclbench" gate $wide "$here/b" "$tmp/evil/$evil" "$tmp/talks" "--$form" --all --across hardware >"$tmp/out"
	[ -s "$tmp/out" ] || { echo "FAILED: nothing in $form"; failed=1; }
	LC_ALL=C grep -q "$(printf '\033\\|\302\233\\|\342\200\256\\|\342\200\213')" "$tmp/out" && { echo "FAILED: hostile words in $form"; failed=1; }
done
"$ncclbench" gate plan "$tmp/talks" >"$tmp/out"
LC_ALL=C grep -q "$(printf '\302\233\\|\342\200\256')" "$tmp/out" && { echo "FAILED: hostile words in a plan"; failed=1; }

[ "$failed" -eq 0 ] && echo "all as expected"
exit "$failed"
