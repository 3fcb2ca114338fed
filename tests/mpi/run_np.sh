#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ncclbench-run under a real mpirun, workers scripted: whatever one rank's worker does, all ranks end in time with one exit code and
# every planned point has its row. Not about MPI itself, nor about figures.
#
# usage: run_np.sh NCCLBENCH_RUN FAKE_WORKER MPIRUN GROUP...    (groups: healthy ranks ucx8 ucx_ranks faults many launch usage stop health matrix overlap starts pairs ucx_pairs
#   tune tune_faults)
# Exit status: 0 all well, 1 something was not, 77 mpirun cannot be used here.
set -u

run=$1 fake=$2 mpirun=$3
shift 3
command -v "$mpirun" >/dev/null 2>&1 || exit 77

# What a busy machine may add to anything, and a --timeout that must not be what ended it (tests/slack.h).
slack=$(sed -n 's/^#define SLACK_MS \([0-9]*\).*/\1/p' "$(dirname "$0")/../slack.h")
long=$(($(sed -n 's/^#define LONG_MS \([0-9]*\).*/\1/p' "$(dirname "$0")/../slack.h") / 1000))
hang=5         # --timeout where only the deadline can tell; who is well must be in time for it, too
health_hang=60 # the same of health: everything before the hang, starting MPI too, must be done by then
give_up=1200   # seconds; whatever takes longer hangs

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ncclbench-mpi-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
failures=0

# Open MPI as root in a container, more ranks than cores, no ssh. MPICH ignores these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_plm=isolated OMPI_MCA_hwloc_base_binding_policy=none
export NCCLBENCH_TEST_WORKER="$fake" NCCLBENCH_TEST_FAKE_DEVICES=8
unset NCCLBENCH_TEST_FAKE NCCLBENCH_TEST_RANK NCCLBENCH_TEST_ENV_DUMP NCCLBENCH_TEST_FAKE_VIA NCCLBENCH_TEST_FAKE_BACKEND

fail() {
	printf 'FAIL %s\n' "$*" >&2
	failures=$((failures + 1))
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# start NAME SCRIPT NP ARGS...: one job to its end; leaves $tmp/NAME.{rc,ms,err,text} and the run directory $tmp/NAME. Two points
# unless ARGS say otherwise.
start() {
	start_name=$1 start_script=$2 start_np=$3
	shift 3
	start_from=$(now_ms)
	NCCLBENCH_TEST_FAKE="$start_script" timeout -s KILL "$give_up" "$mpirun" -np "$start_np" "$run" --transports shm --ops all_reduce \
		--timing stream --sizes 8,1K --no-charts --out "$tmp/$start_name" "$@" \
		>"$tmp/$start_name.text" 2>"$tmp/$start_name.err" </dev/null
	echo $? >"$tmp/$start_name.rc"
	echo $(($(now_ms) - start_from)) >"$tmp/$start_name.ms"
}

expect_code() { # NAME CODE...
	code_name=$1 code_got=$(cat "$tmp/$1.rc" 2>/dev/null)
	shift
	for code in "$@"; do
		[ "$code_got" = "$code" ] && return
	done
	fail "$code_name: exit status $code_got, must be $*: $(tail -n 3 "$tmp/$code_name.err" | tr '\n' ' ')"
}

expect_ms() { # NAME LEAST: at least that, and no more than it takes otherwise
	ms=$(cat "$tmp/$1.ms" 2>/dev/null || echo -1)
	if [ "$ms" -lt "$2" ] || [ "$ms" -gt $(($2 + slack)) ]; then
		fail "$1: took $ms ms, must be $2 to $(($2 + slack))"
	fi
}

# until PATH: it is there, or too much time has passed.
until_there() {
	until_from=$(now_ms)
	while [ ! -e "$1" ] && [ $(($(now_ms) - until_from)) -lt "$slack" ]; do
		sleep 0.05
	done
}

# Values of a column in the order of the rows; the columns before detail hold no quoted comma.
column() { # NAME COLUMN
	awk -F, -v want="$2" '
		/^#/ { next }
		!at { for (i = 1; i <= NF; i++) if ($i == want) at = i; if (!at) exit; next }
		{ v = $at == "" ? "-" : $at; gsub(" ", "_", v); printf "%s%s", sep, v; sep = " " }' "$tmp/$1/points.csv" 2>/dev/null
}

expect_column() { # NAME COLUMN VALUES (in any order)
	got=$(column "$1" "$2" | tr ' ' '\n' | sort | tr '\n' ' ')
	must=$(printf '%s\n' "$3" | tr ' ' '\n' | sort | tr '\n' ' ')
	[ "$got" = "$must" ] || fail "$1: column $2 is '$got', must be '$must'"
}

expect_says() { # NAME FILE WORDS
	grep -qF -- "$3" "$tmp/$2" || fail "$1: '$3' is not in: $(head -c 600 "$tmp/$2")"
}

# A run directory that a kill cannot spoil: whole lines, and run.json is JSON of this schema.
expect_readable() { # NAME
	for file in points.csv samples.csv; do
		[ "$(tail -c 1 "$tmp/$1/$file" | od -An -c | tr -d ' ')" = '\n' ] || fail "$1: $file ends within a line"
	done
	case $(tr -d ' \n' <"$tmp/$1/run.json") in
	'{"schema":1,'*'}') ;;
	*) fail "$1: run.json is cut" ;;
	esac
}

# No worker survives its supervisor; zombies are gone, only nobody has looked.
expect_gone() { # NAME (its workers wrote $tmp/NAME.env)
	gone_from=$(now_ms)
	while :; do
		alive='' pids=$(sed -n 's/^worker .*pid=//p' "$tmp/$1.env")
		for pid in $pids; do
			state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
			[ -z "$state" ] || [ "$state" = Z ] || alive="$alive $pid"
		done
		[ -z "$alive" ] && return
		[ $(($(now_ms) - gone_from)) -lt "$slack" ] || break
		sleep 0.2
	done
	fail "$1: workers are left behind:$alive"
}

# ---- groups ----

healthy() {
	for np in 2 3 4 8; do
		start "healthy$np" "" "$np"
		expect_code "healthy$np" 0
		expect_column "healthy$np" outcome "ok ok"
		expect_column "healthy$np" proof "yes yes"
		expect_column "healthy$np" ranks "$np $np"
		expect_readable "healthy$np"
		[ ! -e "$tmp/healthy$np/charts" ] || fail "healthy$np: --no-charts left a folder for them"
	done
	# A word for a rank that is not there does nothing.
	start nobody "hang@run#7 crash@join#2" 2
	expect_code nobody 0
	expect_column nobody outcome "ok ok"
	# Two transports, graph too, and a pair operation that rank 2 has no part in.
	start wide "" 3 --transports p2p,shm,socket --ops all_reduce,pingpong --timing graph,stream
	expect_code wide 0
	[ "$(column wide outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 24ok ] || fail "wide: not 24 rows that are ok"
	# Loopback that stops earlier does not choose the size of the others, and is told at its own: as in the table.
	start own-size "fail:unavailable@prepare:2?NCCL_NET=Socket" 2 --transports p2p,socket --sizes 8,1M --json
	expect_column own-size outcome "ok ok ok unavailable"
	grep -Eq '"transport":"p2p",.*"all_reduce_bytes":1048576,.*"transport":"socket",.*"all_reduce_bytes":8,' \
		"$tmp/own-size.text" || fail "own-size: $(tail -c 900 "$tmp/own-size.text")"
	# The UCX conversation: every rank has an address.
	NCCLBENCH_TEST_FAKE_BACKEND=ucx start ucx "" 3 --backend ucx --transports cma,tcp --timing host
	expect_code ucx 0
	expect_column ucx used "cma cma tcp tcp"
}

# On a busy machine an operation may be over the time budget; what was measured is right.
expect_right_or_skipped() { # NAME
	outcomes=$(column "$1" outcome) proofs=$(column "$1" proof) wrongs=$(column "$1" wrong)
	rows=$(printf "%s\n%s\n%s\n" "$outcomes" "$proofs" "$wrongs" |
		awk '{ for (i = 1; i <= NF; i++) row[i] = NR == 1 ? $i : row[i] ":" $i } END { for (i in row) print row[i] }')
	for row in $rows; do
		case $row in ok:yes:0 | skipped:-:-) ;; *) fail "$1: a row is $row" ;; esac
	done
	case $rows in *ok:yes:0*) ;; *) fail "$1: nothing was measured" ;; esac
}

# The real UCX worker (given as FAKE_WORKER) on eight ranks: connects, proves, verifies.
ucx8() {
	start ucx8 "" 8 --backend ucx --transports shm,tcp --ops all_reduce,broadcast,sendrecv --timing host --timeout 60 \
		--profile standard --restarts 1
	expect_code ucx8 0
	expect_column ucx8 ranks "8 8 8 8 8 8 8 8 8 8 8 8"
	expect_readable ucx8
	expect_right_or_skipped ucx8
}

# Growing numbers of ranks in one run; the words of the fake worker name one of them.
ranks() {
	start grow "" 4 --ranks 2,3,4
	expect_code grow 0
	expect_column grow outcome "ok ok ok ok ok ok"
	expect_column grow proof "yes yes yes yes yes yes"
	expect_column grow ranks "2 2 3 3 4 4"
	expect_column grow map "0:gpu0_1:gpu1 0:gpu0_1:gpu1 0:gpu0_1:gpu1_2:gpu2 0:gpu0_1:gpu1_2:gpu2 \
0:gpu0_1:gpu1_2:gpu2_3:gpu3 0:gpu0_1:gpu1_2:gpu2_3:gpu3"
	expect_readable grow
	expect_says grow grow.text "all_reduce at 1 KiB: GB/s (busbw)"
	expect_says grow grow.text "all_reduce at 8 B: time of one operation"
	expect_says grow grow/report.md "## By number of ranks"
	tr -d ' \n' <"$tmp/grow/run.json" >"$tmp/grow.json"
	expect_says grow grow.json '"rank_counts":[2,3,4]'
	expect_says grow grow.json '"scaling":[{"op":"all_reduce","quantity":"busbw","bytes":1024'
	# Ranks that are in none of the communicators.
	start few "" 5 --ranks 2,3 --transports p2p,shm --json
	expect_code few 0
	expect_column few ranks "2 2 3 3 2 2 3 3"
	expect_says few few.text '"scaling":[{"op":"all_reduce"'
	expect_says few few.text '"transport":"p2p","ranks":3,'
	start broken "crash@run#1/3" 4 --ranks 2,3,4
	expect_code broken 5
	expect_column broken outcome "ok ok crash crash ok ok"
	start stuck "hang@run#2/3" 4 --ranks 2,3,4 --timeout "$hang"
	expect_code stuck 5
	expect_column stuck outcome "ok ok hang hang ok ok"
	start faked "" 4 --fake-hosts 2 --transports auto,shm,socket
	expect_code faked 0
	expect_column faked outcome "ok ok unavailable unavailable ok ok"
	expect_says faked faked.text ", faked as 2 hosts"
	tr -d ' \n' <"$tmp/faked/run.json" >"$tmp/faked.json"
	expect_says faked faked.json '"fake_hosts":2'
	expect_says faked faked.json 'NCCL_HOSTID=ncclbench-host0'
	NCCLBENCH_TEST_FAKE_HOSTS=2 start mixed "" 4 --fake-hosts 2 --transports socket
	expect_code mixed 0
	expect_column mixed used "mixed:_2_of_4_hops_NET/Socket mixed:_2_of_4_hops_NET/Socket"
	start above "" 2 --ranks 2,4
	expect_code above 2
	expect_says above above.err "4 ranks were asked for, but 2 were started; start mpirun -np 4"
	[ -e "$tmp/above" ] && fail "above: a run directory was made"
	start pair "" 4 --ranks 2,4 --ops pingpong --pair 0,3
	expect_code pair 2
	expect_says pair pair.err "pair 0,3 is not within the fewest that are measured, 2 ranks"
	start hosts "" 2 --fake-hosts 3
	expect_code hosts 2
	expect_says hosts hosts.err "--fake-hosts: there are fewer ranks than hosts"
	# Four GPUs, two at each socket, numbered in turns; then nothing is known of two of them.
	tree="path.0.1=SYS path.0.2=PIX path.0.3=SYS path.1.2=SYS path.1.3=PIX path.2.3=SYS"
	for order in near:0:gpu0_1:gpu2_2:gpu1_3:gpu3 far:0:gpu0_1:gpu1_2:gpu2_3:gpu3; do
		NCCLBENCH_TEST_FAKE_DEVICES=4 NCCLBENCH_TEST_FAKE_FACTS="$tree" start "map${order%%:*}" "" 4 --map "${order%%:*}" --sizes 8
		expect_code "map${order%%:*}" 0
		expect_column "map${order%%:*}" map "${order#*:}"
	done
	NCCLBENCH_TEST_FAKE_FACTS="path.0.1=?" start place "" 2 --map near --backend nccl
	expect_code place 2
	expect_says place place.err "--map: where the GPUs of rank"
}

# The real UCX worker on 2, 3 and 4 of four ranks.
ucx_ranks() {
	start grow "" 4 --ranks 2,3,4 --backend ucx --transports cma,shm,tcp --ops all_reduce,broadcast,pingpong --timing host \
		--timeout 60 --profile standard --restarts 2 --sizes 8,64K
	expect_code grow 0
	[ "$(column grow ranks | tr ' ' '\n' | sort | uniq -c | tr -s ' \n' ' ')" = " 18 2 18 3 18 4 " ] ||
		fail "grow: not 18 rows of 2, 3 and 4 ranks each: $(column grow ranks)"
	expect_readable grow
	expect_right_or_skipped grow
}

# word, phase, rank that is faulty, outcome column, phase column, exit status, least ms ($hang s, twice it for JOIN, half for BYE,
# and 500 ms for each rung of the ladder that it sits out)
faults_table() {
	cat <<-END
		crash:11  hello    1  crash,ok  hello,-    5  0
		crash:11  id       0  crash,ok  id,-       5  0
		crash:11  join     1  crash,ok  join,-     5  0
		crash:11  prepare  1  crash,ok  prepare,-  5  0
		crash:11  run      1  crash,ok  run,-      5  0
		crash:11  check    1  crash,ok  check,-    5  0
		crash:11  bye      1  ok,ok     -,-        0  0
		hang      hello    1  hang,ok   hello,-    5  5500
		hang      id       0  hang,ok   id,-       5  5500
		hang      join     1  hang,ok   join,-     5  10500
		hang      prepare  1  hang,ok   prepare,-  5  5500
		hang      run      1  hang,ok   run,-      5  5500
		hang      check    1  hang,ok   check,-    5  5500
		hang      bye      1  ok,ok     -,-        0  3000
		ignore-term  run   1  hang,ok   run,-      5  6000
		garbage   run      1  error,ok  run,-      5  0
		fail:oom  prepare  1  out-of-memory,ok  prepare,-  0  0
		wrong:5   check    1  corrupt,ok  check,-  5  0
		fail:unavailable  join  1  unavailable,unavailable  none,none  0  0
	END
}

# A crash must not wait for --timeout, so it is long there; a hang is told by nothing else, so it is short, and all that hang wait
# side by side.
faults_start() {
	while read -r word phase rank outcomes phases code least; do
		timeout=$long
		case $word in hang | ignore-term) timeout=$hang ;; esac
		start "$word@$phase" "once=$tmp/$word@$phase.once $word@$phase:1#$rank" 2 --timeout "$timeout" &
		running=$((running + 1))
		[ "$timeout" = "$hang" ] || [ $((running % 4)) -ne 0 ] || wait
	done
	wait
}

faults() {
	running=0
	faults_table >"$tmp/table"
	faults_start <"$tmp/table"
	while read -r word phase rank outcomes phases code least; do
		name="$word@$phase"
		expect_code "$name" "$code"
		expect_column "$name" outcome "$(echo "$outcomes" | tr ',' ' ')"
		expect_column "$name" phase "$(echo "$phases" | tr ',' ' ')"
		expect_ms "$name" "$least"
		expect_readable "$name"
		case $outcomes in
		ok,ok) ;;
		*) expect_says "$name" "$name/points.csv" "rank $rank: " ;;
		esac
	done <"$tmp/table"
}

many() {
	start crash4 "once=$tmp/crash4.once crash@run:1#1" 4 --timeout "$long"
	start hang4 "once=$tmp/hang4.once hang@run:1#1" 4 --timeout "$hang"
	# All others' workers wait for the dead one, as NCCL does: the alarm ends that, not their deadline.
	start alarm8 "once=$tmp/alarm8.once hang@run:1#0 hang@run:1#1 hang@run:1#2 hang@run:1#3 hang@run:1#4 hang@run:1#5 hang@run:1#6 slow:200@run:1#7 crash@run:1#7" 8 --timeout "$long"
	# Two at once: the worse one is told, if its rank had the time to tell (the 300 ms of last words).
	start both "once=$tmp/both.once fail:error@run:1#2 crash@run:1#1" 3 --timeout "$long"
	NCCLBENCH_TEST_FAKE_BACKEND=ucx start ucx-id "once=$tmp/ucx-id.once exit:3@id#2" 3 --backend ucx --transports shm --timing host
	for name in crash4 alarm8; do
		expect_code "$name" 5
		expect_column "$name" outcome "crash ok"
		expect_ms "$name" 0
	done
	expect_says alarm8 alarm8/points.csv "rank 7: worker ended before it answered: killed by signal 11"
	expect_code both 5
	case $(column both outcome) in
	*error*) expect_column both outcome "error ok" && expect_says both both/points.csv "rank 2: the script says so" ;;
	*) expect_column both outcome "crash ok" && expect_says both both/points.csv "rank 1: worker ended" ;;
	esac
	expect_code hang4 5
	expect_column hang4 outcome "hang ok"
	expect_ms hang4 5500
	expect_code ucx-id 5
	expect_column ucx-id outcome "crash ok"
	expect_says ucx-id ucx-id/points.csv "rank 2: worker ended before it answered: exit status 3"
}

launch() {
	# What --probe said decides: no way between the GPUs.
	start no-p2p "no-p2p@probe" 2 --transports p2p,shm --require shm
	expect_code no-p2p 0
	expect_column no-p2p outcome "unavailable unavailable ok ok"
	expect_says no-p2p no-p2p/points.csv "no P2P between GPU 0 and GPU 1: CUDA says no"
	start no-p2p-required "no-p2p@probe" 2 --transports p2p,shm --require p2p
	expect_code no-p2p-required 1
	# GPUs by hand.
	start map "" 2 --map 5,3
	expect_code map 0
	expect_column map map "0:gpu5_1:gpu3 0:gpu5_1:gpu3"
	start map-absent "" 2 --map 0,9 --backend nccl
	expect_code map-absent 2
	expect_says map-absent map-absent.err "--map names a GPU that is not there"
	# Fewer GPUs than ranks: host memory, unless NCCL is insisted on; or sharing, by network only.
	NCCLBENCH_TEST_FAKE_DEVICES=1 start few "" 2 --backend nccl
	expect_code few 2
	expect_says few few.err "more ranks than GPUs"
	NCCLBENCH_TEST_FAKE_DEVICES=1 start share "" 2 --share-gpu --transports shm,socket
	expect_code share 0
	expect_column share outcome "unavailable unavailable ok ok"
	expect_says share share/points.csv "ranks share a GPU"
	NCCLBENCH_TEST_FAKE_DEVICES=1 start host "" 2 --transports shm --timing host
	expect_code host 0
	expect_column host backend "ucx ucx"
	expect_says host host.err "host memory through UCX instead of NCCL: more ranks than GPUs"
	# A transport of NCCL without GPUs for it: what it needs, not the nearest name of the other backend.
	NCCLBENCH_TEST_FAKE_DEVICES=1 start no-gpus "" 2 --transports p2p --require p2p --timing host
	expect_code no-gpus 2
	expect_says no-gpus no-gpus.err "--transports: p2p needs the NCCL backend and at least two GPUs, one per rank"
	[ ! -e "$tmp/no-gpus" ] || fail "no-gpus: made a run directory"
	# Nothing can be used at all.
	start no-probe "exit:5@probe" 2
	expect_code no-probe 2
	expect_says no-probe no-probe.err "--probe ended with status 5"
	start dead-probe "crash:9@probe" 2
	expect_code dead-probe 5
	expect_says dead-probe dead-probe.err "--probe was killed by signal 9"
	NCCLBENCH_TEST_WORKER=/proc/nonexistent/worker start no-worker "" 2
	expect_code no-worker 2
	expect_says no-worker no-worker.err "not built or not beside ncclbench-run"
	for name in map-absent few no-probe dead-probe no-worker; do
		[ ! -e "$tmp/$name" ] || fail "$name: made a run directory"
	done
	# One rank's veto is everybody's: launchers carry no variables to other hosts.
	set -- --transports auto,nvls --ops all_reduce --timing stream --sizes 8 --no-charts --out "$tmp/veto"
	NCCLBENCH_TEST_ENV_DUMP="$tmp/veto.env" NCCLBENCH_TEST_FAKE="" timeout -s KILL "$give_up" "$mpirun" \
		-np 1 "$run" "$@" : -np 1 env NCCL_NVLS_ENABLE=0 "$run" "$@" >"$tmp/veto.text" 2>"$tmp/veto.err" </dev/null
	echo $? >"$tmp/veto.rc"
	expect_code veto 0
	expect_column veto outcome "ok unavailable"
	expect_says veto veto/points.csv "NCCL_NVLS_ENABLE=0 is set"
	awk '/^(worker|probe) / { bad += want; want = /^worker / } /^NCCL_NVLS_ENABLE=0$/ { want = 0 } END { exit bad + want > 0 }' \
		"$tmp/veto.env" || fail "veto: a worker did not get it"
	# The plan alone.
	start dry "" 2 --dry-run
	expect_code dry 0
	expect_says dry dry.text "shm: 2 points"
	[ ! -e "$tmp/dry" ] || fail "dry: made a run directory"
}

usage() {
	# Only rank 0 speaks, one line, and nothing is made.
	start typo "" 3 --transport shm,sm
	expect_code typo 2
	[ "$(grep -c '^ncclbench: ' "$tmp/typo.err")" = 1 ] || fail "typo: not one line: $(grep '^ncclbench' "$tmp/typo.err")"
	expect_says typo typo.err "did you mean shm"
	[ ! -e "$tmp/typo" ] || fail "typo: made a run directory"
	# A directory with something in it.
	mkdir "$tmp/full" && echo precious >"$tmp/full/notes"
	start full "" 2
	expect_code full 2
	expect_says full full.err "is not empty"
	[ "$(ls "$tmp/full")" = notes ] || fail "full: its directory was touched"
	# One rank, with and without a launcher's word that there are more.
	"$run" --out "$tmp/alone" >"$tmp/alone.text" 2>"$tmp/alone.err" </dev/null
	echo $? >"$tmp/alone.rc"
	expect_code alone 2
	expect_says alone alone.err "one rank"
	SLURM_PROCID=0 SLURM_NTASKS=4 "$run" --out "$tmp/alien" >"$tmp/alien.text" 2>"$tmp/alien.err" </dev/null
	echo $? >"$tmp/alien.rc"
	expect_code alien 2
	expect_says alien alien.err "the launcher started 4 processes but MPI sees one"
	# Ranks with unlike words would wait for each other for ever.
	timeout -s KILL "$give_up" "$mpirun" -np 1 "$run" --sizes 8 --out "$tmp/unlike" : -np 1 "$run" --sizes 16 --out "$tmp/unlike" \
		>"$tmp/unlike.text" 2>"$tmp/unlike.err" </dev/null
	echo $? >"$tmp/unlike.rc"
	expect_code unlike 2
	expect_says unlike unlike.err "different options"
	# Also where the plans are equal, and where one rank alone refuses its words.
	for words in "--dry-run" "--profile standard --restarts 1" "--transports cma"; do
		# shellcheck disable=SC2086 # several words
		timeout -s KILL "$give_up" "$mpirun" -np 1 "$run" --sizes 8 --out "$tmp/unlike" : -np 1 "$run" --sizes 8 --out "$tmp/unlike" $words \
			>"$tmp/unlike.text" 2>"$tmp/unlike.err" </dev/null
		echo $? >"$tmp/unlike.rc"
		expect_code unlike 2
		expect_says "unlike $words" unlike.err "different options"
	done
	# --require
	NCCLBENCH_TEST_FAKE_VIA=none start unproven "" 2 --require shm
	expect_code unproven 1
	expect_column unproven proof "unknown unknown"
	start refused "fail:unavailable@join#1" 2 --require shm
	expect_code refused 1
	# A rank whose own standard output is a full disk: said, stored all the same, and no exit status 0.
	if [ -c /dev/full ]; then
		for words in "" --json --dry-run; do
			rm -rf "$tmp/lost"
			# shellcheck disable=SC2016,SC2086 # the inner shell expands; several words
			timeout -s KILL 60 "$mpirun" -np 2 sh -c 'exec "$@" >/dev/full' sh "$run" --transports shm --ops all_reduce \
				--timing stream --sizes 8,1K --no-charts --out "$tmp/lost" $words \
				>"$tmp/lost.text" 2>"$tmp/lost.err" </dev/null
			echo $? >"$tmp/lost.rc"
			expect_code lost 5
			case $words in
			--dry-run) expect_says lost lost.err "cannot write standard output: No space left on device" ;;
			--json) expect_says lost lost.err "cannot write standard output: No space left on device" ;;
			*) expect_says lost lost.err "cannot print the table: No space left on device" ;;
			esac
			[ "$words" = --dry-run ] || expect_column lost outcome "ok ok"
			[ "$words" != "" ] || [ "$(tr -d ' \n' <"$tmp/lost/run.json" | grep -c '"exit_code":5')" = 1 ] ||
				fail "lost: run.json has another exit code"
		done
	fi
	# --json: one object on standard output that agrees with the exit status
	start json "once=$tmp/json.once crash@run:1#1" 2 --json
	expect_code json 5
	case $(cat "$tmp/json.text") in
	'{'*'"exit_code":5'*'}') ;;
	*) fail "json: $(head -c 300 "$tmp/json.text")" ;;
	esac
	[ "$(wc -l <"$tmp/json.text")" = 1 ] || fail "json: not one line"
}

parent_of() {
	sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"
}

# Up from a worker: its supervisor, what MPI puts between, mpirun, which is a child of timeout.
launcher_of() {
	up=$1
	while [ "$up" -gt 1 ]; do
		above=$(parent_of "$up")
		[ "$(cat "/proc/$above/comm")" = timeout ] && break
		up=$above
	done
	echo "$up"
}

# stop_in_the_middle NAME COMMAND...: a job whose seventh RUN of rank 1 takes for ever gets COMMAND as soon as it sits in it.
stop_in_the_middle() {
	stop_name=$1
	shift
	NCCLBENCH_TEST_ENV_DUMP="$tmp/$stop_name.env" start "$stop_name" \
		"once=$tmp/$stop_name.once slow:${long}000@run:7#1" 2 --sizes 8,16,32,64 --timeout "$long" &
	job=$!
	until_there "$tmp/$stop_name.once"
	[ -e "$tmp/$stop_name.once" ] || fail "$stop_name: it did not get far enough"
	worker=$(sed -n 's/^worker rank=1 pid=//p' "$tmp/$stop_name.env" | head -n 1)
	launcher=$(launcher_of "$worker")
	stop_from=$(now_ms)
	"$@"
	wait "$job"
	expect_gone "$stop_name"
	expect_readable "$stop_name"
	[ $(($(now_ms) - stop_from)) -lt "$slack" ] || fail "$stop_name: it took too long"
	# What was complete is there and well; at most the point in the middle has a row that is not.
	for outcome in $(column "$stop_name" outcome); do
		[ "$outcome" = ok ] || [ "$outcome" = aborted ] || fail "$stop_name: a row is $outcome"
	done
}

ctrl_c() {
	kill -INT "$launcher"
}

kill_rank_1() {
	kill -KILL "$(parent_of "$worker")"
}

kill_launcher() {
	kill -KILL "$launcher"
}

stop() {
	stop_in_the_middle ctrl-c ctrl_c
	[ "$(cat "$tmp/ctrl-c.rc")" != 0 ] || fail "ctrl-c: exit status 0"
	stop_in_the_middle supervisor kill_rank_1
	[ "$(cat "$tmp/supervisor.rc")" != 0 ] || fail "supervisor: exit status 0"
	stop_in_the_middle launcher kill_launcher
}

# ---- health ----

# health_start NAME SCRIPT NP ARGS...: as start, of health; its temporary folder is in $tmp/NAME.dir. A long --timeout unless ARGS
# say otherwise.
health_start() {
	health_name=$1 health_script=$2 health_np=$3 health_timeout=$long
	shift 3
	mkdir "$tmp/$health_name.dir"
	health_from=$(now_ms)
	TMPDIR="$tmp/$health_name.dir" NCCLBENCH_TEST_FAKE="$health_script" timeout -s KILL "$give_up" "$mpirun" -np "$health_np" \
		"$run" --health --timeout "$health_timeout" "$@" >"$tmp/$health_name.text" 2>"$tmp/$health_name.err" </dev/null
	echo $? >"$tmp/$health_name.rc"
	echo $(($(now_ms) - health_from)) >"$tmp/$health_name.ms"
}

# name; script, with _ for blanks; ranks; exit status; words of the verdict; words of the table of ranks
health_table() {
	cat <<-END
		join|hang@join#1|2|5|NOT healthy: hang at join: rank 1: no answer within|1  join     hang: no answer within
		run|hang@run:2#1|2|5|NOT healthy: hang at run of all_reduce 64 MiB: rank 1: no answer|0  run      answered
		all|hang@run#0_hang@run#1|2|5|NOT healthy: hang at run of all_reduce 8 B|the last in its log:
		deaf|ignore-term@run#1|2|5|NOT healthy: hang at run|1  run      hang
		start|hang@hello#0|3|5|NOT healthy: hang at hello: rank 0|0  hello    hang
		crash|crash:11@run#1|2|5|NOT healthy: crash at run of all_reduce 8 B: rank 1: worker ended|killed by signal 11
		others|crash:11@run:3#2_hang@run:3#0_hang@run:3#1|3|5|NOT healthy: crash at run of sendrecv 8 B: rank 2|0  run      waited: another rank's worker failed
		corrupt|wrong:3@check#1|2|5|NOT healthy: corrupt at check of all_reduce 8 B: rank 1: 3 wrong elements|1  check    corrupt: 3 wrong elements
		late|wrong:1@check:4#0|2|5|NOT healthy: corrupt at check of sendrecv 64 MiB: rank 0: 1 wrong element;|1  check    answered
		error|fail:error@prepare#0|2|5|NOT healthy: error at prepare of all_reduce 8 B: rank 0|0  prepare  error
		missing|fail:unavailable@join#1|2|5|NOT healthy: unavailable|1  join     unavailable
		garbage|garbage@id#0|2|5|NOT healthy: error at id: rank 0: worker sent bytes|0  id       error
		exit|exit:3@hello#1|2|5|NOT healthy: crash at hello: rank 1: worker ended before it answered: exit status 3|1  hello    crash
	END
}

# A hang waits for the deadline, anything else does not; all that hang wait side by side.
health_faults_start() {
	running=0
	health_table >"$tmp/health.table"
	while IFS='|' read -r name script np code verdict row; do
		timeout=$long
		case $verdict in *': hang at '*) timeout=$health_hang ;; esac
		health_start "$name" "$(echo "$script" | tr _ ' ')" "$np" --timeout "$timeout" &
		running=$((running + 1))
		[ "$timeout" = "$health_hang" ] || [ $((running % 4)) -ne 0 ] || wait
	done <"$tmp/health.table"
}

health_faults() {
	while IFS='|' read -r name script np code verdict row; do
		expect_code "$name" "$code"
		expect_says "$name" "$name.text" "$verdict"
		expect_says "$name" "$name.text" "$row"
		least=0
		case $verdict in *': hang at '*) least=15000 ;; esac
		expect_ms "$name" "$least"
		[ "$(tail -n 1 "$tmp/$name.text" | cut -c 1-12)" = "NOT healthy:" ] || fail "$name: the verdict is not the last line"
		kept=$(sed -n 's/^logs: //p' "$tmp/$name.text")
		[ -n "$(find "$kept" -name '*.rank0.*' 2>/dev/null)" ] || fail "$name: no logs in '$kept'"
	done <"$tmp/health.table"
}

health_well() {
	for np in 2 5; do
		health_start "well$np" "" "$np"
		expect_code "well$np" 0
		expect_says "well$np" "well$np.text" "healthy: $np ranks, all_reduce and sendrecv give right data over P2P/CUMEM (proven)"
		[ -z "$(find "$tmp/well$np.dir" -name '*health*')" ] || fail "well$np: left something in TMPDIR"
	done
	NCCLBENCH_TEST_FAKE_BACKEND=ucx health_start well-ucx "" 3 --backend ucx
	expect_code well-ucx 0
	expect_says well-ucx well-ucx.text "over posix (proven)"
	# A worker that cannot end by itself is told, and is no failure of the data.
	expect_code bye 0
	expect_says bye bye.text "1  bye      hang: no answer"
	# --require: one of those named, proven
	health_start required "" 2 --require shm,p2p
	expect_code required 0
	health_start other "" 2 --require shm
	expect_code other 1
	expect_says other other.text "NOT healthy: --require shm, but all_reduce used P2P/CUMEM (proof: yes)"
	NCCLBENCH_TEST_FAKE_VIA=none health_start unknown "" 2
	expect_code unknown 0
	expect_says unknown unknown.text "not proven"
	NCCLBENCH_TEST_FAKE_VIA=none health_start unknown-required "" 2 --require p2p
	expect_code unknown-required 1
	# One rank sees a GPU, two want it: that is left to NCCL to say, host memory is no substitute.
	NCCLBENCH_TEST_FAKE_DEVICES=1 health_start one "" 2
	expect_says one one.text "Fake GPU"
	NCCLBENCH_TEST_FAKE_DEVICES=0 health_start none "" 2 --backend nccl --json
	expect_code none 5
	expect_says none none.text '"verdict":"not healthy"'
	expect_says none none.err "NOT healthy: NCCL cannot be used: no GPU on"
	# The whole time is one deadline, also for a probe that hangs.
	expect_code probe 5
	expect_ms probe 15000
	expect_says probe probe.text "NOT healthy: NCCL cannot be used: rank 0 on"
	# The default deadline.
	expect_code default 5
	expect_ms default 6000
}

# What waits for a deadline, before anything else is looked at.
health_hangs_start() {
	health_start bye "hang@bye#1" 2 --timeout "$health_hang" &
	health_start probe "hang@probe" 2 --timeout "$health_hang" &
	health_start json "hang@join#1" 2 --json --timeout "$health_hang" &
	health_start default "hang@run#1" 2 --timeout 8 &
	health_faults_start
}

health_words() {
	mkdir -p "$tmp/kept/logs"
	echo precious >"$tmp/victim"
	ln -s ../../victim "$tmp/kept/logs/nccl-auto.rank0.start0.log"
	health_start keep "" 2 --keep "$tmp/kept/logs" --json
	expect_code keep 0
	grep -q precious "$tmp/victim" || fail "keep: wrote through a link"
	[ "$(find "$tmp/kept/logs" -name '*.log' | wc -l)" = 4 ] || fail "keep: not four logs: $(ls "$tmp/kept/logs")"
	case $(cat "$tmp/keep.text") in
	'{"schema":1,"command":"health","verdict":"healthy","exit_code":0,'*'"used":"P2P/CUMEM","proof":"yes"'*'"findings":[]}') ;;
	*) fail "keep: $(head -c 300 "$tmp/keep.text")" ;;
	esac
	expect_code json 5
	expect_says json json.text '{"rank":1,"host":'
	expect_says json json.text '"phase":"join","outcome":"hang"'
	expect_says json json.text '"cause":"rank-missing"'
	[ "$(wc -l <"$tmp/json.text")" = 1 ] || fail "json: not one line"
	health_start place "" 2 --keep /proc/nowhere
	expect_code place 2
	[ "$(grep -c '^ncclbench: cannot use' "$tmp/place.err")" = 1 ] || fail "place: not one line"
	health_start typo "" 2 --opps all
	expect_code typo 2
	expect_says typo typo.err "ncclbench health --help lists all"
	# Fixed: the veto reaches every worker.
	NCCL_NVLS_ENABLE=0 NCCLBENCH_TEST_ENV_DUMP="$tmp/nvls.env" health_start nvls "" 2
	expect_code nvls 0
	[ "$(grep -c '^NCCL_NVLS_ENABLE=0$' "$tmp/nvls.env")" = 4 ] || fail "nvls: not every probe and worker has the veto"
}

health() {
	health_hangs_start
	wait
	health_well
	health_words
	health_faults
}

# ---- algorithms and protocols, pairs ----

matrix() {
	NCCL_NVLS_ENABLE=0 NCCLBENCH_TEST_ENV_DUMP="$tmp/matrix.env" NCCLBENCH_TEST_FAKE_DECLINES=LL128 \
		NCCLBENCH_TEST_FAKE_SPEED="NCCL_ALGO=Tree:130:60" start matrix "" 2 \
		--algos ring,tree --protos ll128,simple --ops all_reduce,broadcast --sizes 8,1M
	expect_code matrix 0
	# own choice and 4 combinations x 2 operations x 2 sizes
	[ "$(column matrix outcome | wc -w)" = 20 ] || fail "matrix: not 20 rows"
	# own 4, ring/simple 4, tree/simple of all_reduce 2; ll128 is declined, broadcast has no tree
	[ "$(column matrix outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 10ok10unavailable ] ||
		fail "matrix: $(column matrix outcome)"
	expect_says matrix matrix/points.csv "NCCL declined: it took RING/SIMPLE, asked for ring/ll128"
	expect_says matrix matrix/points.csv "NCCL does not have this algorithm for the operation"
	expect_says matrix matrix.text "shm, all_reduce, stream: fastest algorithm and protocol, and NCCL's own choice"
	expect_says matrix matrix.text "       8 B  tree/simple       3.60 us  ring/simple       6.01 us  own choice takes 67 % longer"
	expect_says matrix matrix/matrix.md "<- crossover"
	[ "$(grep -c '^NCCL_NVLS_ENABLE=0$' "$tmp/matrix.env")" = "$(grep -c '^[wp]' "$tmp/matrix.env")" ] ||
		fail "matrix: a worker without the veto"
	start required "" 2 --algos tree --ops broadcast --require shm
	expect_code required 0
	start words "" 2 --algos ring,nvls
	expect_code words 2
	expect_says words words.err "'nvls' steers NVLink multicast"
	start both "" 2 --algos ring --ab NCCL_ALGO=Tree
	expect_code both 2
	NCCLBENCH_TEST_FAKE_BACKEND=ucx start host "" 2 --backend ucx --algos ring --timing host
	expect_code host 2
	expect_says host host.err "UCX has neither"
	# 12 ordered pairs, three operations, two sizes
	start pairs "" 4 --pairs all --ops send,send_bidir,pingpong
	expect_code pairs 0
	[ "$(column pairs outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 72ok ] || fail "pairs: not 72 rows that are ok"
	[ "$(column pairs pair | tr ' ' '\n' | sort -u | wc -l)" = 12 ] || fail "pairs: not 12 pairs"
	expect_says pairs pairs.text "shm, pingpong, 8 B: half a round trip"
	expect_says pairs pairs.text "shm, send_bidir, 1 KiB: GB/s of one direction"
	start one "" 2 --pairs 0,1
	expect_code one 2
}

# ---- starts beside an ending worker, operations that connect ----

starts() {
	# One process per GPU: what came up beside the last worker is started once more, and costs no point.
	mkdir "$tmp/gpus"
	NCCLBENCH_TEST_FAKE_EXCLUSIVE=$tmp/gpus start exclusive "" 2 --transports p2p,shm,socket --restarts 2
	expect_code exclusive 0
	[ "$(column exclusive outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 6ok ] || fail "exclusive: $(column exclusive outcome)"
	grep -q '"workers_lost": [1-9]' "$tmp/exclusive/run.json" && fail "exclusive: workers count as lost"
	[ -n "$(find "$tmp/exclusive/logs" -name '*rank0.start*-1.log')" ] || fail "exclusive: nothing was started twice, so nothing was tested"
	# 3 ms at 64 MiB: 128 MiB are asked for once and take 60 ms, above the profile's limit. It was connecting.
	NCCLBENCH_TEST_FAKE_CONNECTS=134217728 start connects "" 2 --sizes 64M,128M
	expect_code connects 0
	[ "$(column connects outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 2ok ] || fail "connects: $(column connects outcome)"
}

# ---- beside computation ----

overlap() {
	NCCLBENCH_TEST_FAKE_SPEED="NCCL_MIN_NCHANNELS=4:100:80" start overlap "" 2 --overlap --channels 2,4 --sizes 8,1M
	expect_code overlap 0
	# own choice, 2 and 4 channels x without, mem, fma x 2 sizes; every one is right and proven
	[ "$(column overlap outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 18ok ] || fail "overlap: not 18 rows that are ok"
	[ "$(column overlap load | tr ' ' '\n' | grep -c mem)" = 6 ] || fail "overlap: not 6 rows beside mem"
	# a batch that the load did not outlast is measured again, with twice as much
	expect_says overlap overlap.text "shm, all_reduce, stream: beside computation, times as long as alone"
	expect_says overlap overlap/overlap.md "         8 B  4                 4.80 us     x1.5   x1.25    70 %     x1.5   x1.25    70 %"
	start single "" 2 --overlap=fma
	expect_code single 0
	[ "$(column single outcome | wc -w)" = 4 ] || fail "overlap=fma: not 4 rows"
	# one rank cannot tell how long the load took: the other's figure is not taken for both
	NCCLBENCH_TEST_FAKE_MUTE=1 start mute "" 2 --overlap=mem --sizes 8
	expect_code mute 0
	expect_column mute load_slowdown "- -"
	# loops of 20 operations: 4 of 120 us are above 300 us; beside the load 16 of 180 us, which 1 ms needs
	expect_column mute ops_per_batch "80 320"
	expect_says mute mute/overlap.md "     x1.5       -       -"
	start channels "" 2 --channels 2,4
	expect_code channels 0
	expect_says channels channels/overlap.md "         8 B  2                 6.01 us        -"
	start word "" 2 --overlap=tea
	expect_code word 2
	expect_says word word.err "--overlap: unknown word 'tea'; known: mem, fma"
	start none "" 2 --channels 0,2
	expect_code none 2
	start twice "" 2 --channels 2,2
	expect_code twice 2
	NCCLBENCH_TEST_FAKE_BACKEND=ucx start host "" 2 --backend ucx --overlap --timing host
	expect_code host 2
	expect_says host host.err "--overlap and --channels are of GPUs"
}

# Every pair of eight ranks whose GPUs have NVLink: 56 in 14 rounds, two sizes of one operation. Times are the fake worker's: what is
# measured alone, all of it.
pairs_start() { # NAME SCRIPT PAIRS ARGS...
	pairs_name=$1 pairs_script=$2 pairs_speed=$3
	shift 3
	NCCLBENCH_TEST_FAKE_PAIRS="$pairs_speed" start "$pairs_name" "$pairs_script" 8 --transports p2p --ops send --sizes 8,64M "$@"
	[ "$(column "$pairs_name" pair | tr ' ' '\n' | sort | uniq -c | tr -s ' ' | cut -d' ' -f2 | sort | uniq -c | tr -d ' \n')" = 562 ] ||
		fail "$pairs_name: not two rows of each of 56 pairs"
}

expect_times() { # NAME: as pairs that were measured alone
	paste -d' ' "$tmp/$1.bytes" "$tmp/$1.times" | sort -u >"$tmp/$1.distinct"
	diff "$tmp/alone.distinct" "$tmp/$1.distinct" >&2 || fail "$1: times are not those of pairs alone"
}

pair_times() { # NAME
	column "$1" bytes | tr ' ' '\n' >"$tmp/$1.bytes"
	column "$1" time_us | tr ' ' '\n' >"$tmp/$1.times"
}

pairs() {
	pairs_start alone "" "company:120" --pairs alone
	expect_code alone 0
	expect_says alone alone.text "p2p: 56 pairs, each measured alone"
	expect_says alone alone/run.json '"pairs_rule": "alone"'
	pair_times alone
	paste -d' ' "$tmp/alone.bytes" "$tmp/alone.times" | sort -u >"$tmp/alone.distinct"
	[ "$(wc -l <"$tmp/alone.distinct")" = 2 ] || fail "alone: pairs differ"
	# One slow direction: found, measured again alone, marked; the other pairs of its round stay.
	pairs_start slow "" "2-3:150" --pairs all
	expect_says slow slow/run.json '"pairs_rule": "all"'
	expect_says slow slow/run.json '"batch_min_us": 300'
	expect_code slow 0
	expect_says slow slow.text \
		"p2p: 56 pairs in 14 rounds, up to 4 at once; 2 figures measured again alone, 0 rounds of figures replaced by pairs alone"
	expect_says slow slow.text "p2p, send, 64 MiB, stream: pair 2-3 is slow: 131.2 GB/s, the median of the 56 pairs of class NV18 is 196.9 GB/s"
	expect_says slow slow.text "        2     196.9     196.9         -    !131.2     196.9"
	expect_says slow slow/report.md "pair 2-3 is slow"
	expect_says slow slow/run.json '"0-1": "NV18"'
	expect_says slow slow/points.csv "measured at once with 3 other pairs"
	# Pairs that disturb each other: every round is replaced, in each restart.
	for restarts in 1 3; do
		pairs_start company$restarts "" "company:120" --pairs all --restarts $restarts
		expect_code company$restarts 0
		expect_says company$restarts company$restarts.text "28 figures measured again alone, 28 rounds of figures replaced by pairs alone"
		pair_times company$restarts
		expect_times company$restarts
		grep -q "at once with" "$tmp/company$restarts/points.csv" && fail "company$restarts: a row of company is left"
		expect_readable company$restarts
	done
	# Less than the tolerance stays.
	pairs_start little "" "company:104" --pairs all
	expect_says little little.text "2 figures measured again alone, 0 rounds"
	pairs_faults
}

# What fails while several are measured at once costs no row: they are measured alone. What fails then, too, has the row.
pairs_faults() {
	for word in crash@run:3 fatal:error@prepare:3 wrong:1@check:3 crash@run:40 wrong:1@check:40; do
		pairs_start once "$word#5 once=$tmp/once.fired" "" --pairs all --sizes 8,64M
		expect_code once 0
		[ -e "$tmp/once.fired" ] || fail "once $word: nothing happened"
		expect_says "once $word" once.text "one after another since one failed in company"
		pair_times once
		expect_times once
		rm -rf "$tmp/once" "$tmp/once.fired"
	done
	pairs_start always "wrong:1@check:20#5 wrong:1@check:21#5" "" --pairs all
	expect_code always 5
	[ "$(column always outcome | tr ' ' '\n' | sort | uniq -c | tr -d ' \n')" = 1corrupt111ok ] ||
		fail "always: $(column always outcome | tr ' ' '\n' | sort | uniq -c)"
}

# The real UCX worker: pairs at once, data verified. Figures of ranks that share a core disturb each other; nothing is expected of them.
ucx_pairs() {
	for np in 3 4 8; do
		start "pairs$np" "" "$np" --backend ucx --transports cma,shm,tcp --ops send,pingpong --timing host --timeout 60 \
			--sizes 8,64K --pairs together
		expect_code "pairs$np" 0
		[ "$(column "pairs$np" outcome | wc -w)" = $((np * (np - 1) * 12)) ] || fail "pairs$np: not every pair has its rows"
		expect_readable "pairs$np"
		expect_right_or_skipped "pairs$np"
	done
	expect_says pairs3 pairs3.text "cma: 6 pairs, each measured alone"
	expect_says pairs4 pairs4.text "cma: 12 pairs in 6 rounds, up to 2 at once"
	expect_says pairs8 pairs8.text "tcp: 56 pairs in 14 rounds, up to 4 at once"
	# They share the host's memory: alone unless asked for.
	start byrule "" 4 --backend ucx --transports shm --ops send --timing host --timeout 60 --sizes 8 --pairs all
	expect_says byrule byrule.text "shm: 12 pairs, each measured alone"
	# Rank 0 writes rows of pairs that it is not in: what carried their data is told by the pair.
	[ "$(column byrule used | wc -w)" = 12 ] || fail "byrule: some pair does not say what carried its data"
}

# ---- tune ----

# tune_start NAME SPEED SCRIPT ARGS...: as start, of tune over shm; the budget only catches what hangs, --only bounds the trials.
tune_start() {
	tune_name=$1 tune_speed=$2 tune_script=$3
	shift 3
	tune_only=NCCL_MIN_NCHANNELS,NCCL_BUFFSIZE
	[ -z "${NCCLBENCH_TEST_FAKE_BACKEND:-}" ] || tune_only=UCX_RNDV_THRESH,UCX_POSIX_FIFO_SIZE
	NCCLBENCH_TEST_FAKE_SPEED="$tune_speed" NCCLBENCH_TEST_FAKE="$tune_script" timeout -s KILL 110 "$mpirun" -np 2 "$run" --search \
		--transports shm --only "$tune_only" --budget 900 "$@" >"$tmp/$tune_name.text" 2>"$tmp/$tune_name.err" </dev/null
	echo $? >"$tmp/$tune_name.rc"
}

# No trial was measured twice; workers that did well left no logs.
expect_trials() { # NAME
	twice=$(tail -n +2 "$tmp/$1/trials.jsonl" | cut -d, -f1-3 | sort | uniq -d)
	[ -z "$twice" ] || fail "$1: measured twice: $twice"
	[ "$(wc -l <"$tmp/$1/trials.jsonl")" -gt 10 ] || fail "$1: hardly any trials"
}

tune_finds() {
	# 80 % of the time is 25 % more speed.
	NCCL_NVLS_ENABLE=0 NCCLBENCH_TEST_ENV_DUMP="$tmp/gain.env" tune_start gain "NCCL_MIN_NCHANNELS=8:80" "" --out "$tmp/gain" --emit env
	expect_code gain 0
	expect_says gain gain.text "shm, all_reduce large (64 MiB): +25.0 % (95 %: +25.0 % .. +25.0 %), confirmed in"
	expect_says gain gain.text "    NCCL_MIN_NCHANNELS=8"
	expect_says gain gain.text "export NCCL_MIN_NCHANNELS=8"
	expect_says gain gain.text "elsewhere, all_reduce small: +0.0 %"
	expect_says gain gain/tune.json '"verdict": "gain"'
	expect_says gain gain/run.json '"command": "tune"'
	expect_trials gain
	expect_readable gain
	[ -z "$(ls "$tmp/gain/logs")" ] || fail "gain: logs of workers that did well are left"
	# Fixed: the veto reaches every worker, whatever is tried.
	[ "$(grep -c '^NCCL_NVLS_ENABLE=0$' "$tmp/gain.env")" = "$(grep -c '^[wp]' "$tmp/gain.env")" ] || fail "gain: a worker without the veto"
	# What the environment itself spoils: the way back.
	UCX_RNDV_THRESH=8k NCCLBENCH_TEST_FAKE_BACKEND=ucx tune_start planted "UCX_RNDV_THRESH=8k:300" "" --backend ucx --out "$tmp/planted"
	expect_code planted 0
	expect_says planted planted.text "x3 (95 %: x3 .. x3), confirmed"
	# Nothing is there.
	tune_start flat "" "" --out "$tmp/flat" --json
	expect_code flat 0
	expect_says flat flat.err "shm, all_reduce large (64 MiB): defaults are best"
	expect_says flat flat.text '"verdict": "default"'
	tune_start half "NCCL_MIN_NCHANNELS=8:99.3" "" --out "$tmp/half"
	expect_says half half.text "defaults are best"
	tune_start trade "NCCL_BUFFSIZE=16777216:80:106" "" --out "$tmp/trade" --emit env
	expect_says trade trade.text "a trade, no setting for all sizes"
	expect_says trade trade.text "COSTS all_reduce small: -5.7 %"
	grep -q '^export' "$tmp/trade.text" && fail "trade: it is recommended"
	tune_start latency "NCCL_BUFFSIZE=16777216:100:50" "" --out "$tmp/latency" --objective latency
	expect_says latency latency.text "shm, all_reduce small (8 B..32 KiB): +100.0 %"
}

# name; script; words; the setting would double the speed
tune_broken_table() {
	cat <<-END
		corrupt|wrong:1@check?NCCL_MIN_NCHANNELS=8|does not work here: NCCL_MIN_NCHANNELS=8: corrupt at check: rank 0: 1 wrong element
		crash|crash@run#1?NCCL_MIN_NCHANNELS=8|does not work here: NCCL_MIN_NCHANNELS=8: crash at run: rank 1
		hang|hang@run#1?NCCL_MIN_NCHANNELS=8|does not work here: NCCL_MIN_NCHANNELS=8: hang at run: rank 1
		refused|fatal:error@join?NCCL_MIN_NCHANNELS=8|does not work here: NCCL_MIN_NCHANNELS=8: error at join
		detour|detour@join?NCCL_MIN_NCHANNELS=8|does not work here: NCCL_MIN_NCHANNELS=8: unproven
	END
}

tune_broken() {
	tune_broken_table >"$tmp/tune.table"
	while IFS='|' read -r name script says; do
		tune_start "$name" "NCCL_MIN_NCHANNELS=8:50" "$script" --timeout 5 --out "$tmp/$name"
		expect_code "$name" 0
		expect_says "$name" "$name.text" "defaults are best"
		expect_says "$name" "$name.text" "$says"
		[ -n "$(ls "$tmp/$name/logs")" ] || fail "$name: its logs are gone"
	done <"$tmp/tune.table"
	tune_start default "" "wrong:1@check#1" --out "$tmp/default"
	expect_code default 5
	expect_says default default.text "the defaults themselves fail here (corrupt at check: rank 1: 1 wrong element"
}

tune_resumes() {
	NCCLBENCH_TEST_ENV_DUMP="$tmp/stopped.env" tune_start stopped "NCCL_MIN_NCHANNELS=8:80" "slow:300@join" --out "$tmp/stopped" &
	job=$!
	until=$(($(now_ms) + slack))
	lines=0
	while [ "${lines:-0}" -lt 5 ] && [ "$(now_ms)" -lt "$until" ]; do
		sleep 0.1
		lines=$(grep -c . "$tmp/stopped/trials.jsonl" 2>/dev/null)
	done
	kill -INT "$(launcher_of "$(sed -n 's/^worker rank=1 pid=//p' "$tmp/stopped.env" | tail -n 1)")"
	wait "$job"
	[ "$(cat "$tmp/stopped.rc")" != 0 ] || fail "stopped: exit status 0"
	expect_gone stopped
	before=$(grep -c . "$tmp/stopped/trials.jsonl")
	tail -c 1 "$tmp/stopped/trials.jsonl" | grep -q . && fail "stopped: a line is cut"
	# As a kill in the middle of a write would leave it.
	printf '{"transport":"shm","sett' >>"$tmp/stopped/trials.jsonl"
	tune_start other "" "" --resume "$tmp/stopped" --sizes 8,128M
	expect_code other 2
	expect_says other other.err "was measured otherwise"
	for option in "--profile standard" "--bind all" "--map 1,0"; do
		# shellcheck disable=SC2086 # two words
		tune_start other "" "" --resume "$tmp/stopped" $option
		expect_code other 2
		expect_says "other $option" other.err "was measured otherwise"
	done
	tune_start again "NCCL_MIN_NCHANNELS=8:80" "" --resume "$tmp/stopped"
	expect_code again 0
	expect_says again again.text "+25.0 %"
	expect_trials stopped
	[ "$(grep -c . "$tmp/stopped/trials.jsonl")" -gt "$before" ] || fail "again: nothing was added"
	tune_start third "" "" --resume "$tmp/stopped"
	expect_says third third.text "+25.0 %"
	[ "$(tail -n 1 "$tmp/stopped/trials.jsonl" | tail -c 2)" = "}" ] || fail "third: the last line is cut"
	tune_start nowhere "" "" --resume "$tmp/nowhere"
	expect_code nowhere 2
	# Interrupted in a setting that hangs: the first one that is measured again must not get all of --timeout.
	cp -r "$tmp/stopped" "$tmp/early"
	head -n 2 "$tmp/stopped/trials.jsonl" >"$tmp/early/trials.jsonl"
	tune_start early "" "hang@run#1?NCCL_MIN_NCHANNELS=16" --timeout 40 --resume "$tmp/early"
	expect_code early 0
	expect_says early early.text "does not work here: NCCL_MIN_NCHANNELS=16: hang at run: rank 1"
	grep -q 'no answer within 40.0 s' "$tmp/early.text" && fail "early: the hang was waited for as if no cost were known"
}

# What a tune recommends as rows of a sweep, for the transports it speaks of.
tune_in_sweep() {
	NCCLBENCH_TEST_FAKE_SPEED="NCCL_MIN_NCHANNELS=8:80" start tuned "" 2 --tuned "$tmp/gain" --transports p2p,shm --sizes 8,64M
	expect_code tuned 0
	expect_says tuned tuned.text "shm (tuned)"
	[ "$(column tuned arm | tr ' ' '\n' | grep -c tuned)" = 4 ] || fail "tuned: not four rows"
	expect_says tuned tuned/points.csv "the tune recommends nothing for this transport"
	expect_says tuned tuned/run.json NCCL_MIN_NCHANNELS
	NCCL_P2P_DISABLE=1 start steered "" 2 --transports auto,shm
	expect_says steered steered/run.json '"steering": "auto'
	expect_says steered steered/run.json 'NCCL_P2P_DISABLE=1'
	# Rank 1 runs in another folder and does not see the tune: rank 0 reads it for all.
	program=$(realpath "$run")
	set -- --tuned gain --transports shm --ops all_reduce --timing stream --sizes 8 --no-charts --out "$tmp/sent"
	NCCLBENCH_TEST_WORKER=$(realpath "$fake") NCCLBENCH_TEST_FAKE="" timeout -s KILL "$give_up" "$mpirun" -np 1 -wdir "$tmp" "$program" "$@" : -np 1 -wdir / "$program" "$@" \
		>"$tmp/sent.text" 2>"$tmp/sent.err" </dev/null
	echo $? >"$tmp/sent.rc"
	expect_code sent 0
	[ "$(column sent arm | tr ' ' '\n' | grep -c tuned)" = 1 ] || fail "sent: not one row"
	start nothing "" 2 --tuned "$tmp/flat"
	expect_code nothing 2
	expect_says nothing nothing.err "recommends nothing"
	start absent "" 2 --tuned "$tmp/absent"
	expect_code absent 2
	mkdir "$tmp/evil"
	printf '{"rows":[{"backend":"nccl","transport":"shm","classes":[{"verdict":"gain","set":{"NCCL_NVLS_ENABLE":"1"}}]}]}' >"$tmp/evil/tune.json"
	start evil "" 2 --tuned "$tmp/evil"
	expect_code evil 2
	expect_says evil evil.err "holds what this version does not know"
	printf '[]' >"$tmp/evil/tune.json"
	start none "" 2 --tuned "$tmp/evil"
	expect_code none 2
}

tune() {
	tune_finds
	tune_in_sweep
}

tune_faults() {
	tune_broken
	tune_resumes
}

for group in "$@"; do
	"$group"
done
[ "$failures" -eq 0 ] || printf '%d failures\n' "$failures" >&2
[ "$failures" -eq 0 ]
