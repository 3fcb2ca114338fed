# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What ncclbench needs of Debian or Ubuntu, and how to get it. Sourced by quickstart and check. It knows
# nothing of CUDA and NCCL: those come from NVIDIA, with the driver.

# TABLE: package | group | what shows that it is there | what for
#   group  build: nothing works without it   run: the sweep or a part of it   test: only for ./check
#          browser: for a few tests of ./check, which are skipped without it; large, so only tried
#   shown  cmd:NAME a command, pc:NAME pkg-config knows it, file:PATH, cc: a C compiler with its headers
packages_table='build-essential|build|cc|C compiler
meson|build|cmd:meson|build system
ninja-build|build|cmd:ninja|build system
pkg-config|build|cmd:pkg-config|finds libraries
libjansson-dev|build|pc:jansson|JSON
openmpi-bin|run|cmd:mpirun|starts the ranks
libopenmpi-dev|run|cmd:mpicc|the ranks agree through it
libhwloc-dev|run|pc:hwloc|CPUs near a GPU
libucx-dev|run|pc:ucx|transports of host memory
gnuplot-nox|run|cmd:gnuplot|charts
fonts-dejavu-core|run|file:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|text in charts
libcmocka-dev|test|pc:cmocka|unit tests
shellcheck|test|cmd:shellcheck|checks of the scripts
libxml2-utils|test|cmd:xmllint|checks of the charts
chromium|browser|cmd:chromium|looks at the reports'

packages_shown() { # what
	case $1 in
	cmd:*) command -v "${1#*:}" >/dev/null ;;
	pc:*) pkg-config --exists "${1#*:}" 2>/dev/null ;;
	file:*) [ -e "${1#*:}" ] ;;
	cc) command -v cc >/dev/null && echo '#include <stdio.h>' | cc -fsyntax-only -xc - 2>/dev/null ;;
	esac
}

# Names of the missing packages of the given groups, one a line.
packages_missing() { # group...
	local package group shown what
	while IFS='|' read -r package group shown what; do
		case " $* " in
		*" $group "*) packages_shown "$shown" || echo "$package" ;;
		esac
	done <<<"$packages_table"
}

# "  name  what for" of each package whose name or group is given, for people.
packages_describe() { # name or group...
	local package group shown what
	while IFS='|' read -r package group shown what; do
		case " $* " in
		*" $package "* | *" $group "*) printf '  %-18s %s\n' "$package" "$what" ;;
		esac
	done <<<"$packages_table"
}

# Runs a command as root; 1 when there is no way.
packages_as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif ! command -v sudo >/dev/null; then
		return 1
	elif [ -t 0 ]; then
		sudo "$@"
	else
		sudo -n "$@" # nobody is there to type a password
	fi
}

packages_apt() { # apt-get arguments
	packages_as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" </dev/null
}

# Installs the names; one by one when they do not come together, so that one that this release does not
# have costs only itself.
packages_install() { # name...
	local package
	packages_apt update || echo "apt-get update failed; trying with the lists that are there"
	packages_apt install -y --no-install-recommends "$@" >/dev/null && return
	for package in "$@"; do
		packages_apt install -y --no-install-recommends "$package" >/dev/null ||
			echo "could not install $package"
	done
}

# Sees to it that the packages of the groups are there. Says what it does; silent when nothing is to do.
# Returns 1 when something of the group build is missing and cannot be got.
packages_ensure() { # group...
	local missing
	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "Missing packages:"
	packages_describe "${missing[@]}"
	if ! command -v apt-get >/dev/null; then
		echo "There is no apt-get here. Install what your system calls them; on Debian and Ubuntu:"
		echo "  apt-get install ${missing[*]}"
	elif [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		echo "Installing needs root and there is no sudo. Let somebody with the rights run:"
		echo "  apt-get update && apt-get install ${missing[*]}"
	else
		echo "Installing them with apt-get ..."
		packages_install "${missing[@]}"
		mapfile -t missing < <(packages_missing "$@")
		[ ${#missing[@]} -gt 0 ] || return 0
		echo "Still missing: ${missing[*]}. To see why, run"
		echo "  $([ "$(id -u)" -eq 0 ] || echo 'sudo ')apt-get install ${missing[*]}"
	fi
	mapfile -t missing < <(packages_missing build)
	[ ${#missing[@]} -eq 0 ] && return 0
	echo "Nothing can be built without: ${missing[*]}"
	return 1
}

# As packages_ensure for what is only good to have: always 0, and no download longer than that many
# seconds. Only downloading is cut short, for dpkg would be left half done.
packages_try() { # seconds, group...
	local missing seconds=$1
	shift
	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	if ! command -v apt-get >/dev/null || ! command -v timeout >/dev/null; then
		return 0
	fi
	echo "Trying for at most $seconds s to get, with apt-get:"
	packages_describe "${missing[@]}"
	# shellcheck disable=SC2016  # expanded by the inner shell
	if packages_as_root timeout "$seconds" env DEBIAN_FRONTEND=noninteractive sh -c '
		apt-get -qq update
		exec apt-get -qq install -y --no-install-recommends --download-only "$@"' \
		sh "${missing[@]}" </dev/null >/dev/null 2>&1; then
		packages_apt install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1
	fi
	mapfile -t missing < <(packages_missing "$@")
	[ ${#missing[@]} -eq 0 ] || echo "could not install ${missing[*]}; what needs it is skipped"
	return 0
}
