#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the cases of one file: a command, its exit code, patterns of what it prints. Not a shell test
# framework: a case has no steps and leaves nothing behind.
#
# usage: run_case.sh FILE BUILD-ROOT [MPIRUN]   exit 0 all good, 1 one is wrong, 77 a program is missing here
#
# A file is a table; each line is a word and its text, and `case` starts a row:
#   need PROGRAM        of the whole file, before the first case: without it the file exits 77
#   case NAME
#   run COMMAND         bash; the programs of the build are on PATH. $TMP is an empty folder, $LONG a
#                       word of 100000 letters, $COMMANDS all commands of the front door
#   exit CODE           default 2
#   out PATTERN         an extended regular expression that one line of standard output matches
#   err PATTERN         the same for standard error
#   once PATTERN        exactly one line of standard output matches
#   noise               a launcher adds its own lines to standard error: only ours are counted
# A command that exits with 2 must have said one clear line and nothing on standard output. No output
# may hold control characters, and no command may take longer than $limit seconds.
set -u
file=$1
build=$2
limit=600 # only what hangs takes so long, on any machine
LC_ALL=C
export LC_ALL
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
PATH=$build:$PATH
if [ -n "${3:-}" ]; then # mpirun of the MPI that was built with, whatever the first on PATH is
	mkdir "$tmp/bin"
	ln -s "$3" "$tmp/bin/mpirun"
	PATH=$build:$tmp/bin:${PATH#*:}
fi
LONG=$(head -c 100000 /dev/zero | tr '\0' A)
export LONG
COMMANDS=$(ncclbench --help | awk '/^Commands:$/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
export COMMANDS
failed=0
ran=0

wrong() { # what
	echo "FAILED: $name: $1"
	echo "    $run"
	head -n 5 "$tmp/out" | cut -c 1-300 | sed 's/^/    out: /'
	head -n 8 "$tmp/err" | cut -c 1-300 | sed 's/^/    err: /'
	bad=1
}

one_line() {
	local ours="$tmp/err" n
	if [ -n "$noise" ]; then
		ours="$tmp/ours"
		grep -E '^ncclbench|ncclbench(-run)?: ' "$tmp/err" >"$ours"
	fi
	n=$(wc -l <"$ours")
	[ "$n" -eq 1 ] || wrong "$n lines of error, wanted 1"
	[ "$(wc -c <"$ours")" -le 4096 ] || wrong "the line is longer than 4096 bytes"
	[ ! -s "$tmp/out" ] || wrong "something on standard output"
}

judge() { # the exit code of the command
	local line word text stream
	[ "$1" -eq "$code" ] || wrong "exit code $1, wanted $code"
	[ "$1" -ne 2 ] || one_line
	if cat "$tmp/out" "$tmp/err" | tr -d '\t\n' | grep -q '[[:cntrl:]]'; then
		wrong "control characters in what it printed"
	fi
	for line in "${patterns[@]}"; do
		word=${line%% *}
		text=${line#* }
		stream=$tmp/out
		[ "$word" = err ] && stream=$tmp/err
		case $word in
		once) [ "$(grep -Ec -- "$text" "$stream")" -eq 1 ] || wrong "not exactly once: $text" ;;
		*) grep -Eq -- "$text" "$stream" || wrong "no such line on standard $word: $text" ;;
		esac
	done
}

# Runs the case that has been read, if any.
finish() {
	[ -n "$name" ] || return
	if [ -z "$run" ]; then
		echo "$file: case $name has no run"
		exit 99
	fi
	bad=
	rm -rf "$tmp/dir"
	mkdir "$tmp/dir"
	(cd "$tmp/dir" && TMP=$tmp/dir timeout -k 2 "$limit" bash -c "$run") </dev/null >"$tmp/out" 2>"$tmp/err"
	judge $?
	ran=$((ran + 1))
	[ -z "$bad" ] || failed=$((failed + 1))
}

name=
while IFS= read -r line || [ -n "$line" ]; do
	word=${line%% *}
	text=${line#* }
	case $word in
	'' | '#'*) ;;
	need)
		command -v "$text" >/dev/null || { echo "$text is not here"; exit 77; } ;;
	case)
		finish
		name=$text run='' code=2 noise=''
		patterns=() ;;
	run) run=$text ;;
	exit) code=$text ;;
	noise) noise=1 ;;
	out | err | once) patterns+=("$line") ;;
	*)
		echo "$file: unknown word '$word'"
		exit 99 ;;
	esac
done <"$file"
finish
echo "$ran cases, $failed wrong"
[ "$ran" -gt 0 ] && [ "$failed" -eq 0 ]
