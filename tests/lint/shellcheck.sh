#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every script of the project, found by its first line, through shellcheck.
# usage: shellcheck.sh SOURCE-ROOT      exit 77: shellcheck is not installed
set -u
command -v shellcheck >/dev/null || { echo "shellcheck is not here"; exit 77; }
cd "$1" || exit 99

# Files that are or may become part of the project; without git, all there are.
list=$(git ls-files -co --exclude-standard 2>/dev/null)
[ -n "$list" ] || list=$(find . -type f -not -path './.git/*' -not -path './build*')
scripts=$(printf '%s\n' "$list" | while read -r f; do
	[ -f "$f" ] && head -n 1 "$f" 2>/dev/null | tr -d '\0' | grep -Eq '^#!.*[/ ](ba|da)?sh( |$)' && printf '%s\n' "$f"
done)
[ -n "$scripts" ] || { echo "no script found"; exit 1; }
echo "$scripts"
# shellcheck disable=SC2086  # our own names, without blanks
shellcheck -x $scripts
