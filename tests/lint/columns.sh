#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# C and CUDA: lines of at most 100 columns, a tab going to the next multiple of 8. It counts characters, not what a
# terminal makes of them, and does not look at prose.
# usage: columns.sh [SOURCE-ROOT]
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
max=100

# Files that are or may become part of the project; without git, all there are.
files() {
	(cd "$1" || exit 1
	git ls-files -co --exclude-standard 2>/dev/null >"$tmp/files"
	[ -s "$tmp/files" ] || find . \( -name .git -o -name 'build*' -type d \) -prune -o \
		-type f -print | sed 's|^\./||' >"$tmp/files"
	grep -E '\.(c|h|cu)$' "$tmp/files" | while read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"
	done | sort)
}

# A character of UTF-8 is its first byte.
long_lines() { # file
	expand -t 8 "$1" | tr -d '\200-\277' | awk -v max=$max -v f="$1" 'length($0) > max {
		printf "%s:%d: %d columns, %d is the end\n", f, FNR, length($0), max }'
}

check() { # root, list of excepted files
	files "$1" >"$tmp/list"
	(cd "$1" || exit 1
	while read -r f; do
		long_lines "$f" >"$tmp/said"
		if grep -qxF -- "$f" "$2"; then
			[ -s "$tmp/said" ] || echo "note: $f needs no exception any more"
		else
			cat "$tmp/said"
		fi
	done <"$tmp/list")
}

plant() { # name, excepted file ("" none), text that must be said ("" for none); content on stdin
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree"
	cat >"$tmp/tree/$1"
	printf '# planted\n%s\n' "$2" >"$tmp/excepted"
	said=$(check "$tmp/tree" "$tmp/excepted" 2>&1)
	case ${3:+x}$said in
	"") return ;;
	x*"${3:-}"*) return ;;
	esac
	: >"$tmp/broken"
	echo "self-check: $1 gave '$said', wanted '$3'"
	exit 1
}
line() { # so many letters
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "x"; print "" }'
}
line 100 | plant good.c '' ''
{ echo; line 101; } | plant bad.c '' 'bad.c:2: 101 columns'
{ printf '\t'; line 92; } | plant good.h '' ''
{ printf '\t'; line 93; } | plant bad.h '' 'bad.h:1: 101 columns'
{ printf '   \t'; line 93; } | plant bad.cu '' 'bad.cu:1: 101 columns'
{ printf '\303\274\302\265'; line 98; } | plant good.h '' ''
line 300 | plant prose.md '' ''
line 101 | plant bad.c bad.c ''
line 100 | plant good.cu good.cu 'note: good.cu needs no exception'

[ -e "$tmp/broken" ] && exit 99
said=$(check "$root" "$here/columns.txt" 2>&1)
[ -z "$said" ] && exit 0
echo "$said"
! echo "$said" | grep -qv '^note: '
