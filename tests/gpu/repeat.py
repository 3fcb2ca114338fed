#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far equal runs are apart: (max - min) / median of the reported time, per transport, operation and size.

usage: repeat.py BUILD_DIR --keep DIR [--runs N] [--profile NAME] [--timing NAME] [--sizes LIST] [--ops LIST]
                 [--transports LIST] [--nccl-tests FOLDER] [--seconds S] [--check]
       repeat.py --from RUN RUN... [--timing NAME] [--check]

The runs are kept under DIR; with --from nothing is measured and kept runs are compared. With --nccl-tests its
programs run between them, as people call them and with -G 50. --seconds starts no run that would end later than
that. --check exits 1 when a spread is above its limit (LIMITS: the project's own demand for the profile gate).
"""
import argparse
import os
import statistics
import sys
import time

import runs

SIZES = "8,1K,16K,128K,1M,8M,64M,256M"
OPS = "all_reduce,broadcast,sendrecv"
# Transport, from this size on, per cent.
LIMITS = [("p2p", 0, 3.5), ("p2p", 1 << 20, 1.5), ("shm", 0, 3.5), ("shm", 1 << 20, 2.5), ("socket", 0, 15.0)]
METHODS = {"nccl-tests": [], "nccl-tests -G 50": ["-G", "50"]}


def spread(values):
    return 100 * (max(values) - min(values)) / statistics.median(values)


def limit(transport, size):
    fits = [x for x in LIMITS if x[0] == transport and size >= x[1]]
    return fits[-1][2] if fits else None


def collect(found, method, table):
    for key, us in table.items():
        found.setdefault((method, *key), []).append(us)


def measure(a):
    """{(method, transport, op, bytes): [us, ...]}, and the runs made."""
    found, began, longest = {}, time.monotonic(), 0
    words = ["--profile", a.profile, "--sizes", a.sizes, "--ops", a.ops, "--transports", a.transports, "--timing",
             a.timing, "--no-ceilings"]
    for i in range(a.runs):
        if a.seconds and time.monotonic() - began + longest > a.seconds:
            print("no time for run %d of %d" % (i + 1, a.runs), file=sys.stderr)
            break
        start = time.monotonic()
        out = os.path.join(a.keep, "%s-%d" % (a.profile, i + 1))
        took = runs.sweep(a.build, out, words)
        print("run %d: %.1f s" % (i + 1, took), file=sys.stderr)
        collect(found, "ncclbench " + a.profile, runs.times(out, a.timing))
        if a.nccl_tests:
            foreign(a, found)
        longest = max(longest, time.monotonic() - start)
    return found


def foreign(a, found):
    sizes = sorted({key[3] for key in found})
    for transport in a.transports.split(","):
        for op in a.ops.split(","):
            for method, words in METHODS.items():
                table, _ = runs.nccl_tests(a.nccl_tests, op, transport,
                                           ["-b", str(sizes[0]), "-e", str(sizes[-1]), "-f", "2", "-c", "0", *words])
                collect(found, method, {(transport, op, n): us for n, us in table.items() if n in sizes})


def report(found):
    """The table as Markdown; the spreads above their limit."""
    above = []
    print("| method | transport | operation | size | runs | median, us | spread, % | limit, % |\n|---|---|---|---|---|---|---|---|")
    for (method, transport, op, n), us in sorted(found.items()):
        top = limit(transport, n) if method.startswith("ncclbench") else None
        if len(us) < 2:
            continue
        print("| %s | %s | %s | %s | %d | %.2f | %.2f | %s |" % (method, transport, op, runs.size(n), len(us),
                                                           statistics.median(us), spread(us), top or ""))
        if top and spread(us) > top:
            above.append("%s %s %s: %.2f %% (limit %.1f)" % (transport, op, runs.size(n), spread(us), top))
    return above


def worst(found):
    """The worst and the median spread of each method and transport, below 1 MiB and from there."""
    groups = {}
    for (method, transport, _, n), us in found.items():
        if len(us) > 1:
            groups.setdefault((method, transport, "< 1M" if n < 1 << 20 else ">= 1M"), []).append(spread(us))
    print("\n| method | transport | sizes | worst, % | median, % |\n|---|---|---|---|---|")
    for key, values in sorted(groups.items()):
        print("| %s | %s | %s | %.2f | %.2f |" % (*key, max(values), statistics.median(values)))


def options(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build", nargs="?")
    p.add_argument("--keep")
    p.add_argument("--from", dest="kept", nargs="+", metavar="RUN")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--profile", default="gate")
    p.add_argument("--timing", default="graph")
    p.add_argument("--sizes", default=SIZES)
    p.add_argument("--ops", default=OPS)
    p.add_argument("--transports", default="p2p,shm,socket")
    p.add_argument("--nccl-tests")
    p.add_argument("--seconds", type=float)
    p.add_argument("--check", action="store_true")
    a = p.parse_args(argv)
    if not a.kept and not (a.build and a.keep):
        p.error("name a build folder and --keep DIR, or kept runs with --from")
    return a


def main(argv):
    a = options(argv)
    found = {}
    try:
        if a.kept:
            for run in a.kept:
                collect(found, "ncclbench " + runs.meta(run)["profile"], runs.times(run, a.timing))
        else:
            found = measure(a)
    except (runs.Failed, OSError, ValueError, KeyError) as e:
        print("repeat: %s" % e, file=sys.stderr)
        return 1
    above = report(found)
    worst(found)
    for line in above:
        print("above its limit: " + line)
    return 1 if a.check and above else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
