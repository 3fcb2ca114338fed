#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Form of the files: the licence line first, functions of at most 60 lines, and no path or name of one
# developer's workplace. Not a formatter: clang-format does that.
# usage: spdx.sh [SOURCE-ROOT]
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
folders='bench kernels include plots tests'
max=60
private='/wor[k]/|sub[a]gent|[.]librar[y]' # bracketed: this file must not find itself

# Files that are or may become part of the project; without git, all there are.
# shellcheck disable=SC2086  # folders is a list
files() {
	(cd "$1" || exit 1
	git ls-files -co --exclude-standard -- $folders 2>/dev/null >"$tmp/files"
	[ -s "$tmp/files" ] || find $folders -type f 2>/dev/null >"$tmp/files"
	while read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"
	done <"$tmp/files" | sort)
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
	list=$(files "$1")
	(cd "$1" || exit 1
	for f in $list; do
		case $f in
		*.c | *.h | *.cu | *.cuh | *.sh | *.py | *.gp | *.awk | */meson.build) licence "$f" ;;
		esac
		case $f in
		bench/*.c | bench/*.h) long_functions "$f" ;;
		esac
		case $f in
		*.[ch] | *.cu | *.cuh | *.sh | *.py | *.gp | */meson.build)
			[ -s "$f" ] || printf '%s:1: empty file\n' "$f" ;;
		esac
		grep -nEI -- "$private" "$f" | sed "s|^\([0-9]*\):.*|$f:\1: a name of a private workplace|"
	done)
}

plant() { # name, text that must be said ("" for none); content on stdin
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/bench" "$tmp/tree/tests"
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
printf 'one\nsee /%s/x\n' work | plant tests/bad.log '2: a name'
: | plant bench/bad.c '1: empty file'

said=$(check "$root" 2>&1)
[ -z "$said" ] && exit 0
echo "$said"
exit 1
