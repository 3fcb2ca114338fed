#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each program needs from the loader (its own NEEDED list, not that of its libraries): the split
# into programs is only real when the linker says so. Libraries linked statically are not seen.
# usage: links.sh BUILD-ROOT      exit 77: no program has been built
set -u
build=${1:-build}
LC_ALL=C
export LC_ALL

# TABLE: program, then the libraries it must not need.
rules='ncclbench mpi hwloc cudart cuda nccl ucp
ncclbench-run cudart cuda nccl ucp
ncclbench-worker-nccl mpi hwloc
ncclbench-worker-ucx mpi cudart cuda nccl'

# readelf -d on stdin, forbidden names as arguments; prints the libraries that are wrong.
wrong_libraries() {
	awk -v names="$*" '
	BEGIN {
		split(names, list, " ")
		for (i in list) ban[list[i]] = 1
		# Other file names of the same thing.
		alias["mpich"] = alias["mpi_cxx"] = alias["open-rte"] = alias["open-pal"] = "mpi"
		alias["pmix"] = alias["pmpi"] = "mpi"
		alias["ucs"] = alias["uct"] = alias["ucm"] = "ucp"
	}
	/\(NEEDED\)/ && match($0, /\[.*\]/) {
		lib = substr($0, RSTART + 1, RLENGTH - 2)
		name = lib
		sub(/^.*\//, "", name)
		sub(/^lib/, "", name)
		sub(/\.so.*$/, "", name)
		if (name in alias) name = alias[name]
		if (name in ban) print lib
	}'
}

planted=' 0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libmpi.so.40]
 0x0000000000000001 (NEEDED)             Shared library: [libmpich.so.12]
 0x000000000000001d (RUNPATH)            Library runpath: [/opt/libnccl.so]
 0x0000000000000001 (NEEDED)             Shared library: [libcudart.so.12]'
said=$(echo "$planted" | wrong_libraries mpi nccl | tr '\n' ' ')
if [ "$said" != "libmpi.so.40 libmpich.so.12 " ]; then
	echo "self-check: planted libraries gave '$said'"
	exit 1
fi

command -v readelf >/dev/null || { echo "readelf is not here"; exit 77; }
rc=77
while read -r program banned; do
	path=$(find "$build" -name "$program" -type f -perm -u+x 2>/dev/null | head -n 1)
	[ -n "$path" ] || continue
	[ $rc -eq 77 ] && rc=0
	needs=$(readelf -d "$path") || { echo "$path: readelf cannot read it"; rc=1; continue; }
	# shellcheck disable=SC2086  # a list of words
	bad=$(echo "$needs" | wrong_libraries $banned | tr '\n' ' ')
	if [ -n "$bad" ]; then
		echo "$path: must not need $bad"
		rc=1
	fi
done <<END
$rules
END
[ $rc -ne 77 ] || echo "no program below $build"
exit $rc
