#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What quickstart and check do about missing packages, on made-up machines: PATH holds nothing but stubs.
# Nothing is installed.
# usage: packages.sh SOURCE-ROOT
set -u
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bash=$(command -v bash)
failed=0

# One machine: commands that are there, libraries that pkg-config knows, and the user's number.
machine() { # uid, commands, libraries
	local name
	rm -rf "${tmp:?}/bin" "$tmp/log"
	mkdir "$tmp/bin"
	for name in env cat; do
		ln -s "$(command -v $name)" "$tmp/bin/$name"
	done
	stub id "echo $1"
	for name in $2; do
		stub "$name" 'exit 0'
	done
	case " $2 " in
	*' pkg-config '*) stub pkg-config "case ' $3 ' in *\" \$2 \"*) exit 0 ;; esac; exit 1" ;;
	esac
	case " $2 " in
	*' apt-get '*) stub apt-get "echo \"apt-get \$*\" >>'$tmp/log'; $apt" ;;
	esac
	case " $2 " in
	*' sudo '*) stub sudo "echo \"sudo \$1\" >>'$tmp/log'; $sudo" ;;
	esac
}

stub() { # name, body
	printf '#!%s\n%s\n' "$bash" "$2" >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}

# Runs the question on that machine.
ask() { # group...
	# shellcheck disable=SC2016
	PATH=$tmp/bin "$bash" -c '. "$0"; hash -r; packages_ensure "$@"' "$root/scripts/packages.sh" "$@" \
		>"$tmp/out" 2>&1 </dev/null
	code=$?
	[ -e "$tmp/log" ] || : >"$tmp/log"
}

wanted() { # exit code, text that was said ("" for nothing at all), command that was run ("" for none)
	local bad=
	[ "$code" -eq "$1" ] || bad="exit code $code, wanted $1"
	if [ -z "$2" ]; then
		[ ! -s "$tmp/out" ] || bad="$bad; said something"
	else
		grep -qF -- "$2" "$tmp/out" || bad="$bad; did not say: $2"
	fi
	if [ -z "$3" ]; then
		[ ! -s "$tmp/log" ] || bad="$bad; ran something"
	else
		grep -qF -- "$3" "$tmp/log" || bad="$bad; did not run: $3"
	fi
	[ -n "$bad" ] || return
	echo "FAILED: $what: ${bad#; }"
	sed 's/^/    said: /' "$tmp/out"
	sed 's/^/    ran:  /' "$tmp/log"
	failed=$((failed + 1))
}

root=$1
apt='exit 0'
# shellcheck disable=SC2016  # text of a stub
sudo='[ "$1" = -n ] && shift; "$@"'
all='cc meson ninja pkg-config mpirun mpicc gnuplot apt-get'
libraries='jansson hwloc ucx'

what='everything is there'
machine 0 "$all" "$libraries"
ask build
wanted 0 '' ''

what='one library, as root'
machine 0 "$all" 'jansson hwloc'
ask build run
wanted 0 'libucx-dev ' 'install -y --no-install-recommends'
wanted 0 'Installing them with apt-get' 'libucx-dev'
grep -q 'update' "$tmp/log" || { echo "FAILED: $what: no apt-get update"; failed=$((failed + 1)); }
grep -q 'libhwloc-dev\|build-essential' "$tmp/log" && { echo "FAILED: $what: what is there was installed"; failed=$((failed + 1)); }

what='tests are asked for only by check'
machine 0 "$all" "$libraries"
ask build
wanted 0 '' ''
ask build test
wanted 0 'libcmocka-dev' 'libcmocka-dev'

what='not root, sudo'
machine 1000 "$all sudo" 'jansson ucx'
ask build run
wanted 0 'libhwloc-dev' 'sudo -n'
wanted 0 'libhwloc-dev' 'apt-get -qq'

what='not root, no sudo: only the sweep suffers'
machine 1000 "$all" 'jansson ucx'
ask build run
wanted 0 'apt-get update && apt-get install ' ''
wanted 0 'libhwloc-dev' ''

what='not root, no sudo: cannot build'
machine 1000 "${all/ninja /}" "$libraries"
ask build
wanted 1 'apt-get update && apt-get install ninja-build' ''
wanted 1 'Nothing can be built without: ninja-build' ''

what='no apt-get'
machine 0 'cc meson ninja pkg-config' 'hwloc ucx'
ask build
wanted 1 'There is no apt-get here' ''
wanted 1 'apt-get install libjansson-dev' ''

what='nothing at all'
machine 0 'apt-get' ''
ask build
wanted 1 'Nothing can be built without: build-essential meson ninja-build pkg-config libjansson-dev' \
	'build-essential meson ninja-build pkg-config libjansson-dev'

what='a compiler without headers'
machine 0 "$all" "$libraries"
stub cc 'exit 1'
ask build
wanted 1 'build-essential ' 'install -y --no-install-recommends build-essential'

what='apt-get fails'
apt='exit 100'
machine 0 "${all/gnuplot /}" "$libraries"
ask build run
wanted 0 'Still missing: ' 'gnuplot-nox'
wanted 0 'could not install gnuplot-nox' 'update'

what='sudo wants a password'
apt='exit 0'
sudo='exit 1'
machine 1000 "${all/meson /} sudo" "$libraries"
ask build
wanted 1 'sudo apt-get install meson' 'sudo -n'

# The same of what is only tried.
try() { # group...
	ln -sf "$(command -v sh)" "$tmp/bin/sh"
	[ -n "$without_timeout" ] || stub timeout 'shift; exec "$@"'
	# shellcheck disable=SC2016
	PATH=$tmp/bin "$bash" -c '. "$0"; hash -r; packages_try 5 "$@"' "$root/scripts/packages.sh" "$@" \
		>"$tmp/out" 2>&1 </dev/null
	code=$?
	[ -e "$tmp/log" ] || : >"$tmp/log"
}
without_timeout=
# shellcheck disable=SC2016  # text of a stub
sudo='[ "$1" = -n ] && shift; "$@"'

what='a browser that can be had'
machine 0 "$all" "$libraries"
try browser
wanted 0 'chromium' 'apt-get -qq install -y --no-install-recommends --download-only chromium'
wanted 0 'chromium' 'DPkg::Lock::Timeout=120 install -y --no-install-recommends chromium'

what='a browser that is there'
machine 0 "$all chromium" "$libraries"
try browser
wanted 0 '' ''

what='a browser that cannot be had is no failure'
apt='exit 100'
machine 0 "$all" "$libraries"
try browser
wanted 0 'could not install chromium; what needs it is skipped' 'download-only'
grep -q 'DPkg::Lock' "$tmp/log" && { echo "FAILED: $what: installed without a download"; failed=$((failed + 1)); }

what='no root, no sudo: a browser is left out'
machine 1000 "$all" "$libraries"
try browser
wanted 0 'could not install chromium' ''

what='without a bound nothing is tried'
without_timeout=1
machine 0 "$all" "$libraries"
try browser
wanted 0 '' ''

[ $failed -eq 0 ] && echo 'all as it should be'
[ $failed -eq 0 ]
