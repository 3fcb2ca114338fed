#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How much CPU do the supervisors take while the workers time? The cores belong to the workers. The fake
# worker sleeps 200 ms at each RUN, so what ncclbench-run uses is its own.
# usage: bench_supervisor.sh NCCLBENCH-RUN FAKE-WORKER      exit 77: no mpirun or no /proc/PID/schedstat
set -u
LC_ALL=C
export LC_ALL
goal_percent=2
run=$1
export NCCLBENCH_TEST_WORKER=$2 NCCLBENCH_TEST_FAKE_BACKEND=ucx NCCLBENCH_TEST_FAKE=slow:200@run
command -v mpirun >/dev/null || { echo "mpirun is not here"; exit 77; }
[ -r /proc/self/schedstat ] || { echo "/proc/PID/schedstat is not here"; exit 77; }
tmp=$(mktemp -d) || exit 99
job=
# shellcheck disable=SC2317  # called by the trap
clean_up() {
	[ -z "$job" ] || kill "$job" 2>/dev/null
	rm -rf "$tmp"
}
trap clean_up EXIT

supervisors() { # children of the launcher
	local stat pid rest parent
	for stat in /proc/[0-9]*/stat; do
		read -r pid rest 2>/dev/null <"$stat" || continue
		case $rest in
		"(ncclbench-run)"*) read -r _ _ parent _ <<<"$rest" ;;
		*) continue ;;
		esac
		[ "$parent" = "$job" ] && echo "$pid"
	done
}

cpu_ns() { # of all threads of these processes; fails when one is gone
	local pid total=0 ns thread
	for pid in "$@"; do
		for thread in /proc/"$pid"/task/*/schedstat; do
			read -r ns _ 2>/dev/null <"$thread" || return 1
			total=$((total + ns))
		done
	done
	echo "$total"
}

mpirun -np 2 "$run" --backend ucx --transports cma --ops all_reduce -b 8 -e 16K --timeout 10 --no-charts \
	--out "$tmp/run" >"$tmp/out" 2>&1 </dev/null &
job=$!
sleep 1.5 # past MPI_Init and the first workers
pids=$(supervisors)
# shellcheck disable=SC2086  # a list
first=$(cpu_ns $pids) || first=
begin=${EPOCHREALTIME/./}
if [ -z "$pids" ] || [ -z "$first" ]; then
	echo "no ncclbench-run found"
	cat "$tmp/out"
	exit 1
fi
# Only while workers are at work: what follows (table, files) is not in the way of a measurement.
last=$first
end=$begin
# shellcheck disable=SC2086
while sleep 0.2 && ! grep -q 'done in' "$tmp/out" && now=$(cpu_ns $pids); do
	last=$now
	end=${EPOCHREALTIME/./}
done
wait "$job"
code=$?
job=
[ "$code" -eq 0 ] || { cat "$tmp/out"; exit 1; }
awk -v cpu="$((last - first))" -v wall="$((end - begin))" -v n="$(echo "$pids" | wc -l)" -v goal="$goal_percent" 'BEGIN {
	share = cpu / 1e3 / wall / n * 100
	printf "%d supervisors: %.3f s of CPU in %.1f s of wall time, %.2f %% of a core each; goal below %d %%\n",
		n, cpu / 1e9, wall / 1e6, share, goal
	exit !(share < goal)
}'
