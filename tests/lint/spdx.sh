#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Form of the files, each by its kind: the licence line first, functions of at most 60 lines, and no path
# or name of one developer's workplace. Not a formatter: clang-format does that.
# usage: spdx.sh [SOURCE-ROOT]
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
max=60
private='/wor[k]/|sub[a]gent|[.]librar[y]' # bracketed: this file must not find itself

# Files that are or may become part of the project; without git, all there are.
files() {
	(cd "$1" || exit 1
	git ls-files -co --exclude-standard 2>/dev/null >"$tmp/files"
	[ -s "$tmp/files" ] || find . \( -name .git -o -name 'build*' -type d \) -prune -o -type f -print |
		sed 's|^\./||' >"$tmp/files"
	while read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"
	done <"$tmp/files" | sort)
}

# TABLE: what is asked of a kind of file; the first row that fits counts. code: licence line and content.
# plain: neither, because it is prose under LICENSE, has no comments, or holds what programs wrote.
# A file that fits no row is a mistake: say here what it is.
kind() {
	case $1 in
	*.c | *.h | *.cu | *.cuh | *.sh | *.py | *.gp | *.awk | *.case | *.yml | *.supp | *.js) echo code ;;
	meson.build | */meson.build | meson_options.txt | .clang-format | .gitignore) echo code ;;
	results/* | tests/golden/* | tests/report/golden/* | tests/fuzz/corpus/*) echo plain ;;
	*.md | LICENSE | *.json | *.csv | *.tsv | *.log | *.png | *.svg) echo plain ;;
	tests/lint/*.txt) echo code ;;
	*) if head -n 1 "$1" | grep -aq '^#!'; then echo code; else echo unknown; fi ;;
	esac
}

# The first line, or the second after "#!".
licence() {
	awk '
	FNR == 1 { want = 1 }
	FNR == 1 && /^#!/ { want = 2 }
	FNR == want && !/^(\/\*|\/\/|#) SPDX-License-Identifier: Apache-2\.0( \*\/)?$/ {
		printf "%s:%d: the licence line is not the first\n", FILENAME, FNR
	}' "$@"
}

# A function runs from a line in column 0 that ends with "{" to a lone "}" in column 0; what ends
# with "};" is a table or a struct.
long_functions() {
	awk -v max="$max" '
	FNR == 1 { start = 0 }
	/^}/ {
		if (start && /^}$/ && FNR - start + 1 > max)
			printf "%s:%d: function of %d lines, %d is the end\n", FILENAME, start, FNR - start + 1, max
		start = 0
	}
	/^extern "C"/ { next }
	/^([A-Za-z_].*)?[{]$/ { start = FNR }' "$@"
}

check() {
	files "$1" >"$tmp/list"
	: >"$tmp/code"
	(cd "$1" || exit 1
	while read -r f; do
		case $(kind "$f") in
		code)
			echo "$f" >>"$tmp/code"
			[ -s "$f" ] || printf '%s:1: empty file\n' "$f" ;;
		unknown) printf '%s:1: a kind of file that %s has no row for\n' "$f" tests/lint/spdx.sh ;;
		esac
	done <"$tmp/list"
	# shellcheck disable=SC2046  # names without blanks
	[ ! -s "$tmp/code" ] || licence $(cat "$tmp/code")
	grep -E '^bench/.*\.[ch]$' "$tmp/code" >"$tmp/c"
	# shellcheck disable=SC2046
	[ ! -s "$tmp/c" ] || long_functions $(cat "$tmp/c")
	xargs grep -lEI -- "$private" <"$tmp/list" | while read -r f; do
		grep -nE -- "$private" "$f" | sed "s|^\([0-9]*\):.*|$f:\1: a name of a private workplace|"
	done)
}

plant() { # name, text that must be said ("" for none); content on stdin
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/$(dirname "$1")"
	cat >"$tmp/tree/$1"
	said=$(check "$tmp/tree" 2>&1)
	case $said in
	"") [ -z "$2" ] && return ;;
	*"$1:$2"*) [ -n "$2" ] && return ;;
	esac
	echo "self-check: $1 gave '$said', wanted '$2'"
	exit 1
}
body() { # C function whose braces span so many lines
	printf '/* SPDX-License-Identifier: Apache-2.0 */\nint f(void)\n{\n'
	awk -v n="$1" 'BEGIN { for (i = 2; i < n; i++) print "\tg();" }'
	printf '}\n'
}
body $max | plant bench/good.c ''
body $((max + 1)) | plant bench/bad.c '3: function of 61 lines'
{ body 5 && printf 'const int t[] = {\n' && awk 'BEGIN { for (i = 0; i < 99; i++) print "\t1," }' &&
	printf '};\n'; } | plant bench/good.c ''
printf '/* text */\n' | plant bench/bad.h '1: the licence line'
printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n' | plant tests/good.sh ''
printf '#!/bin/sh\ntrue\n' | plant tests/bad.sh '2: the licence line'
printf 'test()\n' | plant bench/meson.build '1: the licence line'
printf 'project()\n' | plant meson.build '1: the licence line'
printf '#!/usr/bin/env bash\ntrue\n' | plant check '2: the licence line'
printf 'true\n' | plant scripts/bad.sh '1: the licence line'
printf 'set grid\n' | plant plots/bad.gp '1: the licence line'
printf 'import os\n' | plant tests/gpu/bad.py '1: the licence line'
printf 'on: push\n' | plant .github/workflows/bad.yml '1: the licence line'
printf '# Prose\n' | plant docs/good.md ''
printf 'a,b\n' | plant results/sample/x/points.csv ''
printf 'one\n' | plant scripts/what '1: a kind of file'
printf 'see /%s/x\n' work | plant docs/bad.md '1: a name'
printf 'one\nsee /%s/x\n' work | plant tests/bad.log '2: a name'
printf 'see /%s/x\n' work | plant scripts/bad.sh '1: a name'
: | plant bench/bad.c '1: empty file'

said=$(check "$root" 2>&1)
[ -z "$said" ] && exit 0
echo "$said"
exit 1
