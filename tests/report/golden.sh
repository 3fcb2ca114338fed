#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages of kept runs, byte for byte but for the style sheet. UPDATE=1 rewrites the expectations.
#
# usage: golden.sh NCCLBENCH GOLDEN-FOLDER
set -eu
program=$(realpath "$1")
golden=$(realpath "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

page() { # name, then the words after report
	name=$1
	shift
	(cd "$golden" && "$program" report --no-charts -o "$tmp/$name" "$@") >/dev/null 2>"$tmp/err" || {
		echo "FAILED: $name: exit $?"
		cat "$tmp/err"
		failed=1
		return
	}
	sed '/^<style>$/,/^<\/style>$/d' "$tmp/$name/report.html" >"$tmp/$name.html"
	cp "$tmp/$name/report.md" "$tmp/$name.markdown" # not .md: these are no documentation
	for form in html markdown; do
		if [ "${UPDATE:-}" = 1 ]; then
			cp "$tmp/$name.$form" "$golden/$name.$form"
		elif ! diff -u "$golden/$name.$form" "$tmp/$name.$form"; then
			echo "FAILED: $name.$form"
			failed=1
		fi
	done
}

object() { # name, then the words after report: a member per line, so that a difference can be read
	name=$1
	shift
	(cd "$golden" && "$program" report --json "$@") 2>"$tmp/err" >"$tmp/$name.line" || {
		echo "FAILED: $name: exit $?"
		cat "$tmp/err"
		failed=1
		return
	}
	sed 's/[,[]\(["{]\)/&\
\1/g; s/\([,[]\)["{]\n/\1\n/g' "$tmp/$name.line" >"$tmp/$name.json"
	if [ "${UPDATE:-}" = 1 ]; then
		cp "$tmp/$name.json" "$golden/$name.json"
	elif ! diff -u "$golden/$name.json" "$tmp/$name.json"; then
		echo "FAILED: $name.json"
		failed=1
	fi
}

page one fast
page several --price slow=5000 --price fast=60000 --power slow=1000 --currency EUR --name slow='2 x 4090' \
	--reference slow fast slow failed empty
# shellcheck disable=SC2016 # it is a name, not to be expanded
page hostile --name hostile='`label` | <b>"x"</b>' hostile
page empty empty
page failed failed
page point point
page steered steered
page overlap overlap
object overlap overlap
exit $failed
