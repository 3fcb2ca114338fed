#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Standard output that is full or closed: every command says so, in one line, and does not end with 0.
# Behind mpirun it is mpirun that writes; what a rank itself notices is in tests/mpi/run_np.sh.
# usage: output.sh SOURCE-ROOT BUILD-ROOT      exit 77: there is no /dev/full
set -u
src=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
[ -c /dev/full ] || { echo "no /dev/full"; exit 77; }
cd "$tmp" || exit 99
failed=0

wrong() { # what
	echo "FAILED: $*"
	head -n 5 err
	failed=1
}

run=$src/results/sample/2xh200
log=$src/tests/golden/nccl-logs/hostids.log
table=$src/tests/golden/import/v2.0-all_reduce.txt
gate=$src/tests/golden/gate/h200x2
mkdir base && cp -r "$gate/a1" "$gate/a2" base

# TABLE: exit code that docs/design.md and docs/gate.md give to lost output, and the words.
cat >cases <<END
5 ncclbench --help
5 ncclbench --version
5 ncclbench list --help
5 ncclbench list ops
5 ncclbench list rules
5 ncclbench list ops --json
5 ncclbench list columns --markdown
5 ncclbench doctor --help
5 ncclbench doctor
5 ncclbench doctor --json
5 ncclbench explain --help
5 ncclbench explain $log
5 ncclbench explain --json $log
5 ncclbench gate --help
2 ncclbench gate $gate/a1 $gate/a2
2 ncclbench gate --json $gate/a1 $gate/a2
5 ncclbench gate plan $src/tests/golden/gate/a
5 ncclbench gate plan --json $src/tests/golden/gate/a
5 ncclbench baseline --help
5 ncclbench baseline list --dir base
5 ncclbench baseline list --dir base --json
5 ncclbench baseline prune --dir base --keep 1 --dry-run
5 ncclbench report --help
5 ncclbench report $run --no-charts
5 ncclbench report $run --no-charts --markdown
5 ncclbench import --help
5 ncclbench import --dry-run $table
5 ncclbench import --dry-run --json $table
5 ncclbench estimate --help
5 ncclbench estimate --model llama3-8b --parallel ddp --tokens 8192 $run
5 ncclbench estimate --json --model llama3-8b --parallel ddp --tokens 8192 $run
END
if [ -x "$build/ncclbench-run" ]; then
	cat >>cases <<-END
	5 ncclbench sweep --help
	5 ncclbench sweep --version
	5 ncclbench health --help
	5 ncclbench tune --help
	END
fi

# Every command of the front door is in the table.
"$build/ncclbench" --help | awk '/^Commands:/ { on = 1; next } on && !NF { exit } on { print $1 }' >commands
[ -s commands ] || wrong "ncclbench --help names no command"
while read -r name; do
	case $name in sweep | health | tune) [ -x "$build/ncclbench-run" ] || continue ;; esac
	grep -q "^[0-9]* ncclbench $name " cases || { : >err; wrong "$name has no row here"; }
done <commands

check() { # code, where, words
	code=$1 where=$2
	shift 2
	case $where in
	full) "$build/$1" "${@:2}" </dev/null >/dev/full 2>err ;;
	closed) "$build/$1" "${@:2}" </dev/null >&- 2>err ;;
	esac
	got=$?
	[ "$got" -eq "$code" ] || wrong "$* ($where): exit code $got, wanted $code"
	[ "$(grep -c 'cannot write standard output: ' err)" -eq 1 ] || wrong "$* ($where): it does not say so once"
}
while read -r code words; do
	# With nothing wrong it must work, or the rest of this test is about another mistake.
	# shellcheck disable=SC2086  # words
	"$build"/$words </dev/null >/dev/null 2>err
	case $? in 2 | 5) wrong "$words: fails without a full disk" ;; esac
	# shellcheck disable=SC2086
	for where in full closed; do
		check "$code" $where $words
	done
done <cases

# No file that is opened later takes the number of the closed stream, and with it the program's words.
"$build/ncclbench" import --out imported "$table" </dev/null >&- 2>err
[ $? -eq 5 ] || wrong "import with a closed stream"
grep -rq 'run: imported' imported && wrong "what import says is in its own run"
[ "$(grep -c ^nccl imported/points.csv)" -gt 0 ] || wrong "the run is not there"
exit $failed
