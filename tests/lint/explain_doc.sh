#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of causes in docs/explain.md is what the program knows, not a copy that ages.
# usage: explain_doc.sh SOURCE-ROOT NCCLBENCH
set -u
tmp=$(mktemp) || exit 99
trap 'rm -f "$tmp"' EXIT

"$2" list rules --markdown >"$tmp" || { echo "$2 list rules --markdown failed"; exit 1; }
sed -n '/^| cause | severity/,$p' "$1/docs/explain.md" | diff -u - "$tmp" && exit 0
echo "docs/explain.md is not up to date: end it with the output of ncclbench list rules --markdown"
exit 1
