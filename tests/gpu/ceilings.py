#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measured ceilings beside nvbandwidth's figures: same machine, same sitting, in turns; the ratio per row.

usage: ceilings.py BUILD_DIR NVBANDWIDTH --keep DIR [--runs N] [--check]

NVBANDWIDTH is the program, built elsewhere. Both sides: from GPU 0 to GPU 1, or between GPU 0 and its host. --check
exits 1 when the medians of a row differ by more than 2 %.
"""
import argparse
import json
import os
import statistics
import sys

import runs

LIMIT_PCT = 2.0

# Name in run.json (peaks), test of nvbandwidth. Both count bytes copied, also within a GPU.
ROWS = [
    ("copy engine write", "device_to_device_memcpy_write_ce"),
    ("copy engine read", "device_to_device_memcpy_read_ce"),
    ("copy engine write, both ways", "device_to_device_bidirectional_memcpy_write_ce"),
    ("copy engine read, both ways", "device_to_device_bidirectional_memcpy_read_ce"),
    ("SM kernel write", "device_to_device_memcpy_write_sm"),
    ("SM kernel read", "device_to_device_memcpy_read_sm"),
    ("SM kernel write, both ways", "device_to_device_bidirectional_memcpy_write_sm"),
    ("SM kernel read, both ways", "device_to_device_bidirectional_memcpy_read_sm"),
    ("pinned host to GPU", "host_to_device_memcpy_ce"),
    ("GPU to pinned host", "device_to_host_memcpy_ce"),
    ("pinned host to GPU, both ways", "host_to_device_bidirectional_memcpy_ce"),
    ("GPU to pinned host, both ways", "device_to_host_bidirectional_memcpy_ce"),
    ("copy within the GPU", "device_local_copy"),
]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def one_way(case):
    """GB/s of one direction of a test case of nvbandwidth -j, from GPU 0 to GPU 1 (or of GPU 0); None without a figure.

    A case that has both directions appends three matrices, one below the other: one direction, the other, their sum.
    """
    matrix = case.get("bandwidth_matrix") or []
    if not matrix:
        return None
    columns = len(matrix[0])
    between = case["name"].startswith("device_to_device")
    if between and (len(matrix) not in (columns, 3 * columns) or columns < 2):
        return None
    if between and len(matrix) == 3 * columns:
        total = number(matrix[2 * columns][1])
        return total / 2 if total else None
    return number(matrix[0][1 if between else 0])


def theirs(text):
    """{test: GB/s} of what nvbandwidth -j printed."""
    cases = json.loads(text)["nvbandwidth"]["testcases"]
    found = {c["name"]: one_way(c) for c in cases if c.get("status") == "Passed"}
    return {name: value for name, value in found.items() if value}


def ours(meta):
    """{row: GB/s} of what a sweep measured."""
    end = " (measured)"
    return {p["name"][:-len(end)]: p["gbps"] for p in meta["peaks"] if p["name"].endswith(end)}


def table(our_runs, their_runs):
    """Rows (name, ours, theirs, ratio) of medians, of what both have."""
    out = []
    for name, test in ROWS:
        a = [r[name] for r in our_runs if name in r]
        b = [r[test] for r in their_runs if test in r]
        if a and b:
            a, b = statistics.median(a), statistics.median(b)
            out.append((name, a, b, a / b))
    return out


def measure(a):
    our_runs, their_runs = [], []
    os.makedirs(a.keep, exist_ok=True)
    tests = [w for _, test in ROWS for w in ("-t", test)]
    for i in range(a.runs):
        out = os.path.join(a.keep, "ours-%d" % (i + 1))
        runs.sweep(a.build, out, ["--transports", "p2p", "--ops", "all_reduce", "--sizes", "8", "--timing", "graph"])
        our_runs.append(ours(runs.meta(out)))
        text, _ = runs.command([a.nvbandwidth, "-j", *tests], timeout=120)
        with open(os.path.join(a.keep, "nvbandwidth-%d.json" % (i + 1)), "w") as f:
            f.write(text)
        their_runs.append(theirs(text))
    return our_runs, their_runs


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("nvbandwidth")
    p.add_argument("--keep", required=True)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--check", action="store_true")
    a = p.parse_args()
    try:
        rows = table(*measure(a))
    except runs.Failed as e:
        sys.exit("ceilings.py: %s" % e)
    print("| row | ncclbench, GB/s | nvbandwidth, GB/s | ratio |\n|---|---|---|---|")
    for row in rows:
        print("| %s | %.1f | %.1f | %.3f |" % row)
    far = [r[0] for r in rows if abs(r[3] - 1) > LIMIT_PCT / 100]
    if far:
        print("further than %g %% apart: %s" % (LIMIT_PCT, "; ".join(far)))
    return 1 if a.check and (far or not rows) else 0


if __name__ == "__main__":
    sys.exit(main())
