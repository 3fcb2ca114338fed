#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ncclbench beside nccl-tests: same sizes, same transports, same sitting, alternating; the ratio per size.

usage: parity.py BUILD_DIR NCCL_TESTS_DIR --keep DIR [--runs N] [--timing NAME] [--match] [--seconds S]
                 [--op OP] [--transports LIST]

Ratio: bus bandwidth of ncclbench over that of nccl-tests, medians of all runs; the interval is the range of the
ratios of single pairs of runs. NCCL_TESTS_DIR holds programs built elsewhere with MPI. --match gives ncclbench the
option --match nccl-tests, for builds that have it.
"""
import argparse
import math
import os
import statistics
import sys
import time

import runs

# Transport: smallest and largest size both measure.
RANGES = {"p2p": ("8", "1G"), "shm": ("8", "256M"), "socket": ("8", "128M")}


def measure(a):
    """{(transport, bytes): [(ours, theirs), ...]} in us, and both sides' seconds."""
    pairs, seconds, began, longest = {}, [0.0, 0.0], time.monotonic(), 0
    for i in range(a.runs):
        start = time.monotonic()
        if a.seconds and start - began + longest > a.seconds:
            print("no time for pair %d of %d" % (i + 1, a.runs), file=sys.stderr)
            break
        for transport in a.transports.split(","):
            low, high = RANGES[transport]
            out = os.path.join(a.keep, "%s-%d" % (transport, i + 1))
            words = ["--transports", transport, "--ops", a.op, "-b", low, "-e", high, "--no-ceilings", "--timing", a.timing]
            ours_s = runs.sweep(a.build, out, words + (["--match", "nccl-tests"] if a.match else []))
            theirs, theirs_s = runs.nccl_tests(a.nccl_tests, a.op, transport, ["-b", low, "-e", high, "-f", "2"])
            seconds[0] += ours_s
            seconds[1] += theirs_s
            for (_, _, n), us in runs.times(out, a.timing).items():
                if n in theirs:
                    pairs.setdefault((transport, n), []).append((us, theirs[n]))
        longest = max(longest, time.monotonic() - start)
    return pairs, seconds


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def report(pairs, seconds, timing):
    ratios = {}
    print("| transport | size | pairs | ncclbench %s, us | nccl-tests, us | bandwidth ratio | range |" % timing)
    print("|---|---|---|---|---|---|---|")
    for (transport, n), both in sorted(pairs.items()):
        ours, theirs = (statistics.median(x[i] for x in both) for i in (0, 1))
        single = [x[1] / x[0] for x in both]
        ratios.setdefault((transport, "< 2M" if n < 2 << 20 else ">= 2M"), []).append(theirs / ours)
        print("| %s | %s | %d | %.2f | %.2f | %.3f | %.3f .. %.3f |" % (transport, runs.size(n), len(both), ours, theirs,
                                                                   theirs / ours, min(single), max(single)))
    print("\n| transport | sizes | geometric mean | lowest | highest |\n|---|---|---|---|---|")
    for key, values in sorted(ratios.items()):
        print("| %s | %s | %.3f | %.3f | %.3f |" % (*key, geometric(values), min(values), max(values)))
    print("\nseconds: ncclbench %.1f, nccl-tests %.1f" % tuple(seconds))


def main(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("nccl_tests")
    p.add_argument("--keep", required=True)
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--timing", default="stream")
    p.add_argument("--match", action="store_true")
    p.add_argument("--op", default="all_reduce", choices=sorted(runs.NCCL_TESTS))
    p.add_argument("--transports", default="p2p,shm,socket")
    p.add_argument("--seconds", type=float)
    a = p.parse_args(argv)
    try:
        pairs, seconds = measure(a)
    except (runs.Failed, OSError, ValueError, KeyError) as e:
        print("parity: %s" % e, file=sys.stderr)
        return 1
    report(pairs, seconds, a.timing)
    return 0 if pairs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
