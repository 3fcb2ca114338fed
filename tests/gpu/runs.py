# SPDX-License-Identifier: Apache-2.0
"""What the studies share: one sweep, one nccl-tests program, their rows. Judges nothing.

nccl-tests is no part of this project: the studies are given a folder with its programs.
"""
import csv
import json
import os
import re
import subprocess
import time

ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C.UTF-8")
# Fixed: NVLink multicast stays off in every study.
ENV["NCCL_NVLS_ENABLE"] = "0"

# The same variables that `ncclbench list transports` shows, for programs that cannot set them.
FORCE = {
    "p2p": {"NCCL_P2P_LEVEL": "SYS", "NCCL_SHM_DISABLE": "1"},
    "shm": {"NCCL_P2P_DISABLE": "1"},
    "socket": {"NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_NET": "Socket"},
}
NCCL_TESTS = {"all_reduce": "all_reduce_perf", "broadcast": "broadcast_perf", "sendrecv": "sendrecv_perf"}


class Failed(Exception):
    pass


def command(argv, env=None, timeout=600):
    """Runs it; its output and the seconds it took. Failed with its last lines when it does not end well."""
    began = time.monotonic()
    try:
        done = subprocess.run(argv, env=dict(ENV, **(env or {})), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failed("%s did not end within %d s" % (" ".join(argv), timeout))
    if done.returncode != 0:
        raise Failed("%s ended with %d: %s" % (" ".join(argv), done.returncode, (done.stdout + done.stderr)[-1500:]))
    return done.stdout, time.monotonic() - began


def sweep(build, out, words, ranks=2, env=None, timeout=900):
    """One sweep into `out`; the seconds it took."""
    argv = ["mpirun", "-q", "-np", str(ranks), os.path.join(build, "ncclbench"), "sweep", "--out", out, "--no-charts",
            *words]
    return command(argv, env, timeout)[1]


def rows(run):
    """Rows of a run directory, as dictionaries of texts."""
    with open(os.path.join(run, "points.csv"), newline="") as f:
        return list(csv.DictReader(x for x in f if not x.startswith("#")))


def meta(run):
    with open(os.path.join(run, "run.json")) as f:
        return json.load(f)


def times(run, timing):
    """{(transport, op, bytes): us} of the measured out-of-place rows of one timing."""
    return {(r["transport"], r["op"], int(r["bytes"])): float(r["time_us"]) for r in rows(run)
            if r["timing"] == timing and r["outcome"] == "ok" and r["inplace"] == "0"}


LINE = re.compile(r"^\s*(\d+)\s+(\d+)\s+\w+\s+\w+\s+-?\d+\s+([\d.]+)\s")


def nccl_tests_times(text):
    """{bytes: us} of the out-of-place columns that nccl-tests prints."""
    return {int(m.group(1)): float(m.group(3)) for m in map(LINE.match, text.splitlines()) if m}


def nccl_tests(folder, op, transport, words, ranks=2, timeout=600):
    """One program of nccl-tests, one process per GPU: {bytes: us} and the seconds it took."""
    program = os.path.join(folder, NCCL_TESTS[op])
    argv = ["mpirun", "-q", "-np", str(ranks), "--bind-to", "none", program, *words]
    text, seconds = command(argv, FORCE[transport], timeout)
    found = nccl_tests_times(text)
    if not found:
        raise Failed("%s printed no row: %s" % (program, text[-1500:]))
    return found, seconds


def size(n):
    """8, 16K, 256M."""
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if n >= unit and n % unit == 0:
            return "%d%s" % (n // unit, name)
    return str(n)
