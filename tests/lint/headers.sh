#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone (includes what it uses) and twice (is guarded). A header that needs an
# optional library's header which is not installed is passed over, and said so.
# usage: headers.sh [SOURCE-ROOT]      CC names the compiler
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
optional='fatal error: .*(mpi|hwloc|nccl|nvml|ucp|cuda|cuda_runtime|jansson)[a-z_/]*\.h'

compiles() { # header as an absolute path, folder to include from; says what is wrong
	printf '#include "%s"\n#include "%s"\n' "$1" "$1" |
		${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Wall -Wno-unused -Werror -fsyntax-only \
			-I"$2/include" -I"$2/bench" -x c - 2>&1
}

self_check() { # text of a header, 0 when it is right
	mkdir -p "$tmp/tree/include" "$tmp/tree/bench"
	printf '%s\n' "$1" >"$tmp/tree/bench/planted.h"
	got=1
	compiles "$tmp/tree/bench/planted.h" "$tmp/tree" >/dev/null && got=0
	[ "$got" -eq "$2" ] && return
	echo "self-check: a header with '$1' was judged $got"
	exit 1
}
self_check '#pragma once
#include <stdint.h>
struct s { uint8_t a; };' 0
self_check 'struct s { int a; };' 1
self_check '#pragma once
struct s { uint8_t a; };' 1

rc=0
for header in $(cd "$root" && find bench include/ncclbench -name '*.h' -type f | LC_ALL=C sort); do
	said=$(compiles "$root/$header" "$root") && continue
	if printf '%s\n' "$said" | grep -Eq "$optional"; then
		echo "$header: not checked: $(printf '%s\n' "$said" | grep -E "$optional" | head -n 1)"
		continue
	fi
	echo "$header: does not compile alone and twice:"
	printf '%s\n' "$said" | head -n 10
	rc=1
done
exit $rc
