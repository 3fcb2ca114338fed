#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include whom (layers.txt), for bench/ and kernels/. It reads #include lines, it does not
# preprocess: an include under #ifdef counts like any other.
# usage: layers.sh [SOURCE-ROOT]
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${1:-$here/../..}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/check.awk" <<'AWK'
# Arguments: the table, then source files as paths below the root.
function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }
function row(  i, n, word) {
	sub(/#.*/, "")
	if (!NF) return
	room = $1
	if (!sub(/:$/, "", room)) { complain("a row starts with \"room:\""); return }
	if (room in known) complain("second row for " room)
	for (i = 2; i <= NF; i++) {
		if (!($i in known)) complain(room " names " $i ", which has no row above it")
		may[room, $i] = 1
	}
	known[room] = 1
	may[room, room] = 1
}
# The first folder of what is included; "" when it is a plain file name.
function folder(path) { return index(path, "/") ? substr(path, 1, index(path, "/") - 1) : "" }
function kernel_include(quoted, to) {
	if (to == "ncclbench") return
	if (to in known) complain("kernels/ may include only ncclbench/*.h, not " path)
	else if (quoted && to != "") complain("kernels/ may include only ncclbench/*.h, not " path)
}
function include_line(  from, to, quoted, end) {
	path = $0
	sub(/^[ \t]*#[ \t]*include[ \t]*/, "", path)
	quoted = path ~ /^"/
	if (path !~ /^["<]/) { complain("computed include: " path); return }
	path = substr(path, 2)
	end = match(path, /[">]/)
	path = substr(path, 1, end - 1)
	to = folder(path)
	if (FILENAME ~ /^kernels\//) { kernel_include(quoted, to); return }
	from = folder(substr(FILENAME, length("bench/") + 1))
	if (!(from in known)) { complain("room \"" from "\" has no row in layers.txt"); return }
	if (path ~ /(^|\/)\.\.?(\/|$)/) complain("include by room, not by relative path: " path)
	else if (to in known) {
		if (!((from, to) in may)) complain("room " from " may not include room " to ": " path)
	} else if (quoted && to != "ncclbench")
		complain("no such room: " path " (write \"room/file.h\")")
}
FILENAME == table { row(); next }
/^[ \t]*#[ \t]*include/ { include_line() }
AWK

# Prints one line per violation in the tree.
check() {
	(cd "$1" && find bench kernels \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -type f |
		LC_ALL=C sort | xargs awk -v table="$here/layers.txt" -f "$tmp/check.awk" "$here/layers.txt")
}

# Does the check itself see anything? One planted file each, and one that is right.
plant() { # file, line, expected: text that must be said, or "" for none
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/bench" "$tmp/tree/kernels" "$tmp/tree/$(dirname "$1")"
	printf '/* planted */\n\n%s\n' "$2" >"$tmp/tree/$1"
	said=$(check "$tmp/tree" 2>&1)
	case ${3:+x}$said in
	"") return ;;
	x"$1:3: "*"${3:-}"*) return ;;
	esac
	echo "self-check: $1 with '$2' gave '$said', wanted '$3'"
	exit 1
}
plant bench/base/bad.c '#include "report/table.h"' 'room base may not include room report'
plant bench/spec/bad.h '#  include <wire/msg.h>' 'room spec may not include room wire'
plant bench/data/bad.c '#include "ncclog/scan.h"' 'room data may not include room ncclog'
plant bench/worker/bad.c '#include "data/csv.h"' 'room worker may not include room data'
plant bench/run/bad.c '#include "../worker/main.h"' 'relative path'
plant bench/run/bad.c '#include "worker/main.h"' 'room run may not include room worker'
plant bench/run/bad.c '#include "session.h"' 'no such room'
plant bench/run/bad.c '#include "nowhere/x.h"' 'no such room'
plant bench/run/bad.c '#include HEADER' 'computed include'
plant bench/cellar/bad.c '#include <stdio.h>' 'has no row'
plant kernels/bad.cu '#include "base/buf.h"' 'only ncclbench/'
plant kernels/bad.cu '#include <spec/op.h>' 'only ncclbench/'
plant kernels/good.cu '#include "ncclbench/kernels.h"' ''
plant bench/run/good.c '#include "report/table.h"' ''
plant bench/run/good.c '#include "run/session.h"' ''
plant bench/base/good.c '#include <sys/stat.h>' ''
plant bench/base/good.c '#include "ncclbench/exitcode.h"' ''

said=$(check "$root" 2>&1)
[ -z "$said" ] && exit 0
echo "$said"
exit 1
