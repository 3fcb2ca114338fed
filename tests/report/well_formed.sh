#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages with pictures, read by a real parser: kept runs, hostile ones, eight machines, a thousand ranks.
#
# usage: well_formed.sh NCCLBENCH MAKE_RUNS GOLDEN-FOLDER CHECK_PAGE.PY   77: no python3
set -eu
program=$(realpath "$1")
make_runs=$(realpath "$2")
golden=$(realpath "$3")
check=$(realpath "$4")
command -v python3 >/dev/null && python3 -c pass 2>/dev/null || exit 77
least=0
command -v gnuplot >/dev/null && least=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$make_runs" "$tmp/many" 8 800
"$make_runs" "$tmp/ranks" 1 400 1000
"$make_runs" "$tmp/single" 1 400 1
cd "$golden"
write() { # folder, then the words after report
	folder=$1
	shift
	"$program" report -o "$tmp/$folder" "$@" >/dev/null
}

# shellcheck disable=SC2016 # it is a name, not to be expanded
write a --name hostile='`x` | <b>"y"</b>' hostile fast
write b "$tmp"/many/m?
write c "$tmp/ranks/m0"
write d "$tmp/single/m0"
# a machine too busy for gnuplot's deadline is no fault of the pages
! grep -q 'did not finish' "$tmp"/[abcd]/report.md || least=0
python3 "$check" $least "$tmp"/[abcd]/report.html
write e point
write f empty
write g failed
python3 "$check" 0 "$tmp"/[efg]/report.html
# every picture that the Markdown names is there
for page in "$tmp"/[a-g]/report.md; do
	sed -n 's/^!\[.*\](\(charts\/[^)]*\))$/\1/p' "$page" | while read -r file; do
		[ -s "${page%/*}/$file" ] || echo "$page: $file is missing"
	done
done >"$tmp/missing"
cat "$tmp/missing"
[ ! -s "$tmp/missing" ]
