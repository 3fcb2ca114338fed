#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the documentation names must be there: relative links (and headings they point to), files written
# as `path/like.c`, and options written as `--like-this`. It does not judge what the texts say.
# usage: docs.sh [SOURCE-ROOT [BUILD-ROOT]]      without a built ncclbench options are not checked
# shellcheck disable=SC2016  # back quotes here are Markdown's
set -u
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
build=${2:-}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL

# A path counts when its first folder is one of these, as seen from the root or from bench/. What a run
# writes, and the sources of others (NCCL's are .cc), are not ours to find.
folders='bench include kernels docs tests plots results'
# Options that are right and in no --help: of the workers, and of columns that wait for their option.
other_options='--ipc --probe --p2p-check --version --help --algos --protos --overlap'

documents() { # of the tree; without git all there are
	(cd "$1" || exit 1
	git ls-files -co --exclude-standard -- '*.md' 2>/dev/null >"$tmp/files"
	[ -s "$tmp/files" ] ||
		find . \( -name '.?*' -o -name 'build*' \) -prune -o -name '*.md' -print | sed 's|^\./||' >"$tmp/files"
	while read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"
	done <"$tmp/files" | sort -u)
}

cat >"$tmp/extract.awk" <<'AWK'
# Prints "file:line<TAB>kind<TAB>value" for every link, path and option. No tabs in what it reads.
function say(kind, value) { printf "%s:%d\t%s\t%s\n", FILENAME, FNR, kind, value }
function options(text,  n, i, word, list) {
	n = split(text, list, /[^A-Za-z0-9-]+/)
	for (i = 1; i <= n; i++)
		if (list[i] ~ /^--[a-z]/) say("option", list[i])
}
function paths(text,  n, i, list) {
	n = split(text, list, /[ ,;()]+/)
	for (i = 1; i <= n; i++) {
		sub(/:[0-9]+$/, "", list[i])
		if (list[i] ~ /^[A-Za-z0-9_.+-]+(\/[A-Za-z0-9_.+-]+)*\/?$/ && list[i] ~ /\//) say("path", list[i])
	}
}
# Of a command line only what follows our own name is ours.
function command(text) {
	if (sub(/^.*ncclbench[a-z-]*/, "", text)) options(text)
}
function span(text) {
	if (text ~ /^--/) options(text)
	else command(text)
	paths(text)
}
function links(text,  target) {
	while (match(text, /\]\([^) ]+[) ]/)) {
		target = substr(text, RSTART + 2, RLENGTH - 3)
		text = substr(text, RSTART + RLENGTH)
		if (target !~ /^[a-z]+:/) say("link", target)
	}
}
FNR == 1 { fence = 0 }
/^ *(```|~~~)/ { fence = !fence; next }
fence { command($0); next }
{
	n = split($0, part, "`")
	plain = ""
	for (i = 1; i <= n; i++) {
		if (i % 2) plain = plain part[i]
		else { span(part[i]); plain = plain "x" }
	}
	gsub(/<!--/, "", plain)
	links(plain)
	options(plain)
}
AWK

# The words by which a link names a heading.
headings() {
	awk '/^ *(```|~~~)/ { f = !f } !f && /^#+ / {
		sub(/^#+ +/, ""); gsub(/`/, ""); $0 = tolower($0); gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-"); print }' "$1"
}

wrong_link() { # document, target: says what is wrong
	file=${2%%#*}
	anchor=${2#"$file"}
	path=$1
	[ -n "$file" ] && path=$(dirname "$1")/$file
	[ -e "$path" ] || { echo "link to $2: not there"; return; }
	[ -n "$anchor" ] || return
	headings "$path" | grep -qxF -- "${anchor#\#}" || echo "link to $2: no such heading"
}

wrong_path() {
	case $1 in results/runs/* | results/baseline/*) return ;; esac
	first=${1%%/*}
	case " $folders " in *" $first "*) ;; *) [ -d "bench/$first" ] || return ;; esac
	[ -e "$1" ] || [ -e "bench/$1" ] || echo "$1: no such file"
}

wrong_option() { # option; $tmp/options holds the known ones, one a line
	[ -s "$tmp/options" ] || return
	grep -qxF -- "$1" "$tmp/options" || echo "$1: no --help names this option"
}

check() { # root of a tree
	list=$(documents "$1")
	[ -n "$list" ] || return
	(cd "$1" || exit 1
	# shellcheck disable=SC2086  # file names without blanks
	awk -f "$tmp/extract.awk" $list | while IFS='	' read -r where kind value; do
		case $kind in
		link) said=$(wrong_link "${where%:*}" "$value") ;;
		path) said=$(wrong_path "$value") ;;
		option) said=$(wrong_option "$value") ;;
		esac
		[ -z "$said" ] || printf '%s: %s\n' "$where" "$said"
	done)
}

# Every command's help, found through the front door's own list.
known_options() {
	"$1" --help >"$tmp/help" || return
	awk '/^Commands:/ { on = 1; next } on && !NF { exit } on { print $1 }' "$tmp/help" >"$tmp/commands"
	while read -r name; do
		"$1" "$name" --help </dev/null
	done <"$tmp/commands" >>"$tmp/help"
	grep -oE -- '--[a-z][a-z0-9-]*' "$tmp/help"
	# shellcheck disable=SC2086  # a list of words
	printf '%s\n' $other_options
}

plant() { # a line of docs/x.md, text that must be said ("" for none)
	mkdir -p "$tmp/tree/docs" "$tmp/tree/bench/spec"
	: >"$tmp/tree/bench/spec/op.c"
	printf '# One heading: `x`\n\n%s\n' "$1" >"$tmp/tree/docs/x.md"
	said=$(check "$tmp/tree" 2>&1)
	case ${2:+x}$said in
	"") return ;;
	x"docs/x.md:"*"${2:-}"*) return ;;
	esac
	echo "self-check: '$1' gave '$said', wanted '$2'"
	exit 1
}
echo --known >"$tmp/options"
plant 'See [it](x.md), [that](../bench/spec/op.c), [there](x.md#one-heading-x), [web](https://example.org/a).' ''
plant 'See [it](y.md).' 'link to y.md: not there'
plant 'See [it](#two).' 'link to #two: no such heading'
plant 'A row of `bench/spec/op.c` and of `spec/op.c:12`; NCCL reads it at `graph/paths.cc:263`.' ''
plant 'A row of `bench/spec/no.c`.' 'bench/spec/no.c: no such file'
plant 'A row of `spec/no.c`.' 'spec/no.c: no such file'
plant 'Say `--known` or `mpirun --foreign ncclbench --known=1`; a `results/runs/x/run.json`.' ''
plant 'Say `--unknown`.' '--unknown: no --help'
plant 'Say `ncclbench sweep --unknown`.' '--unknown: no --help'
plant 'Say --unknown.' '--unknown: no --help'
: >"$tmp/options"
plant 'Say `--unknown`.' ''

program=$build/ncclbench
if [ -n "$build" ] && [ -x "$program" ]; then
	known_options "$program" >"$tmp/options" || { echo "$program --help does not work"; exit 1; }
else
	echo "options are not checked: ncclbench is not built"
fi
said=$(check "$root" 2>&1)
[ -z "$said" ] && exit 0
echo "$said"
exit 1
