#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# results/README.md is what the program says about its columns, not a copy that ages.
# usage: results_readme.sh SOURCE-ROOT NCCLBENCH
set -u
page=$1/results/README.md
tmp=$(mktemp) || exit 99
trap 'rm -f "$tmp"' EXIT

"$2" list columns --markdown >"$tmp" || { echo "$2 list columns --markdown failed"; exit 1; }
diff -u "$page" "$tmp" && exit 0
echo "results/README.md is not up to date; write it again: ncclbench list columns --markdown > results/README.md"
exit 1
