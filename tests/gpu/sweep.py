#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real sweeps on real GPUs: every transport proven, every element right, failures cost one row.

usage: sweep.py BUILD_DIR [--speed] [--keep DIR] [CASE ...]

With two or more GPUs everything is checked; with one GPU two ranks share it (--share-gpu) and only the
network transport is. Exit 77 without a GPU or without mpirun. Prints one line per case. How fast anything
is, and how one figure compares with another, depends on what else the machine does: it is printed, and
asked for with --speed only (meson test --benchmark).
"""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
KEEP = None
SPEED = False
PATIENCE = 1800  # seconds; whatever takes longer hangs
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", LC_ALL="C.UTF-8")
# Fixed: NVLink multicast stays off in every test.
ENV["NCCL_NVLS_ENABLE"] = "0"


class Failed(Exception):
    pass


def need(ok, what):
    if not ok:
        raise Failed(what)


def need_speed(ok, what):
    if SPEED:
        need(ok, what)


def gpus():
    worker = os.path.join(BUILD, "ncclbench-worker-nccl")
    if not os.path.exists(worker) or not shutil.which("mpirun"):
        return 0
    text = subprocess.run([worker, "--probe"], capture_output=True, text=True, timeout=PATIENCE).stdout
    return next((int(x[8:]) for x in text.splitlines() if x.startswith("devices=")), 0)


GPUS = gpus()
SHARE = [] if GPUS >= 2 else ["--share-gpu"]


class Run:
    """One finished sweep: exit code, texts, rows, run.json."""

    def __init__(self, words, ranks=2, env=None, mpirun=(), timeout=PATIENCE, during=None):
        self.dir = tempfile.mkdtemp(prefix="ncclbench-gpu-")
        self.out = os.path.join(self.dir, "run")
        argv = ["mpirun", "-q", "-np", str(ranks), *mpirun, os.path.join(BUILD, "ncclbench"), "sweep",
                "--out", self.out, "--no-charts", *SHARE, *words]
        began = time.monotonic()
        child = subprocess.Popen(argv, env=dict(ENV, **(env or {})), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, stdin=subprocess.DEVNULL)
        try:
            if during:
                during(self, child)
            self.stdout, self.stderr = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            raise Failed("the sweep did not end within %d s: %s" % (timeout, " ".join(argv)))
        self.seconds = time.monotonic() - began
        self.code = child.returncode
        self.rows, self.meta = [], {}
        path = os.path.join(self.out, "points.csv")
        if os.path.exists(path):
            with open(path, newline="") as f:
                self.rows = list(csv.DictReader(x for x in f if not x.startswith("#")))
        path = os.path.join(self.out, "run.json")
        if os.path.exists(path):
            self.meta = json.load(open(path))

    def of(self, **want):
        return [r for r in self.rows if all(r[k] == str(v) for k, v in want.items())]

    def one(self, **want):
        rows = self.of(**want)
        need(len(rows) == 1, "expected one row for %s, found %d" % (want, len(rows)))
        return rows[0]

    def explain(self):
        return "exit %d\n%s\n%s" % (self.code, self.stdout[-3000:], self.stderr[-3000:])

    def keep(self, name):
        if KEEP:
            shutil.copytree(self.out, os.path.join(KEEP, name), dirs_exist_ok=True)

    def done(self):
        shutil.rmtree(self.dir, ignore_errors=True)


USED = {"p2p": "P2P/", "p2p-ipc": "P2P/IPC", "p2p-ce": "P2P/CUMEM/CE", "shm": "SHM/", "socket": "NET/Socket"}
FORCED = ["p2p", "shm", "socket"] if GPUS >= 2 else ["socket"]
LIST = ",".join(FORCED)


def all_good(run, rows=None, allow=("skipped",)):
    rows = run.rows if rows is None else rows
    need(rows, "no rows")
    for r in rows:
        where = "%s %s %s %s %s %s" % (r["transport"], r["op"], r["dtype"], r["redop"], r["bytes"], r["timing"])
        if r["outcome"] in allow:
            continue
        need(r["outcome"] == "ok", "%s: outcome %s (%s)" % (where, r["outcome"], r["detail"]))
        need(r["proof"] == "yes", "%s: proof %s (%s)" % (where, r["proof"], r["detail"]))
        need(r["wrong"] == "0", "%s: %s wrong elements" % (where, r["wrong"]))
        need(float(r["time_us"]) > 0, "%s: time %s" % (where, r["time_us"]))
        need(r["used"].startswith(USED.get(r["transport"], "")), "%s: used %s" % (where, r["used"]))


def case_transports():
    """default operations over every forced transport and auto: proven, right, exit 0"""
    words = ["-e", "16M", "-f", "8"] + (["--transports", "socket"] if GPUS < 2 else [])
    run = Run(words)
    need(run.code == 0, run.explain())
    all_good(run)
    names = {r["transport"] for r in run.rows}
    need(names >= set(FORCED), "transports %s" % names)
    run.keep("transports")
    return "%d rows, %.1f s" % (len(run.rows), run.seconds)


def case_variants():
    """the other ways into P2P: CUDA IPC, copy engine"""
    if GPUS < 2:
        return None
    run = Run(["--transports", "p2p-ipc,p2p-ce", "--sizes", "8,64K,16M", "--ops", "all_reduce,sendrecv,broadcast"])
    need(run.code == 0, run.explain())
    all_good(run)
    need(not run.of(transport="p2p-ce", timing="graph"), "p2p-ce must not be timed by graph")
    return "%d rows" % len(run.rows)


def case_operations():
    """all operations, in and out of place, another root and pair"""
    run = Run(["--ops", "all", "--place", "both", "--sizes", "1K,1M", "--transports", LIST, "--root", "1", "--pair", "1,0",
               "--timing", "stream"])
    need(run.code == 0, run.explain())
    all_good(run)
    ok = {r["op"] for r in run.rows if r["outcome"] == "ok"}
    need(len(ok) == 12, "operations measured: %s" % sorted(ok))
    return "%d rows, %d operations" % (len(run.rows), len(ok))


def case_types():
    """all types and reductions of all_reduce, reduce and reduce_scatter"""
    run = Run(["--ops", "all_reduce,reduce,reduce_scatter", "-d", "all", "-o", "all", "--sizes", "4K,72K", "--transports",
               FORCED[0], "--timing", "stream"])
    need(run.code == 0, run.explain())
    all_good(run)
    pairs = {(r["dtype"], r["redop"]) for r in run.rows if r["outcome"] == "ok"}
    need(len(pairs) == 60, "%d of 60 type and reduction pairs measured" % len(pairs))
    return "%d pairs" % len(pairs)


def case_odd_sizes():
    """sizes that are no power of two, and one element"""
    run = Run(["--ops", "all", "--sizes", "4,12,1000,99996,1048580", "-d", "int8,double", "--transports", FORCED[0], "--timing",
               "graph,stream"])
    need(run.code == 0, run.explain())
    all_good(run)
    return "%d rows" % len(run.rows)


def case_blocking():
    """timing blocking on request"""
    run = Run(["--ops", "all_reduce", "--sizes", "8,1M", "--timing", "blocking", "--transports", FORCED[-1]])
    need(run.code == 0, run.explain())
    all_good(run)
    return "%s us" % run.of(bytes="8")[0]["time_us"]


def case_restarts():
    """three fresh workers per transport, samples of each kept"""
    run = Run(["--ops", "all_reduce", "--sizes", "8,1M", "--restarts", "3", "--transports", LIST])
    need(run.code == 0, run.explain())
    all_good(run)
    need(all(r["restarts"] == "3" for r in run.of(outcome="ok")), "restarts column")
    return "%.1f s" % run.seconds


def case_p2p_disabled():
    """the user's NCCL_P2P_DISABLE=1: auto says SHM and what it costs; forced p2p is untouched by it"""
    if GPUS < 2:
        return None
    run = Run(["--ops", "all_reduce", "--sizes", "8,1M,64M"], env={"NCCL_P2P_DISABLE": "1"})
    need(run.code == 0, run.explain())
    need(all(r["used"].startswith("SHM") for r in run.of(transport="auto", outcome="ok")), "auto did not use SHM")
    all_good(run, run.of(transport="p2p"))
    need("NCCL_P2P_DISABLE=1" in run.stdout and "factor" in run.stdout, run.stdout)
    run.keep("p2p-disabled")
    return next(x for x in run.stdout.splitlines() if "factor" in x)


def children_of(pid):
    found, todo = [], [pid]
    while todo:
        p = todo.pop()
        try:
            for t in os.listdir("/proc/%d/task" % p):
                kids = open("/proc/%d/task/%s/children" % (p, t)).read().split()
                found += [int(k) for k in kids]
                todo += [int(k) for k in kids]
        except OSError:
            pass
    return found


def kill_a_worker(run, child):
    """SIGKILL for one worker once some points are stored."""
    deadline = time.monotonic() + PATIENCE
    path = os.path.join(run.out, "points.csv")
    while time.monotonic() < deadline and child.poll() is None:
        if os.path.exists(path) and sum(1 for _ in open(path)) > 6:
            for pid in children_of(child.pid):
                try:
                    if "ncclbench-worker" in os.readlink("/proc/%d/exe" % pid):
                        os.kill(pid, signal.SIGKILL)
                        return
                except OSError:
                    continue
        time.sleep(0.02)
    raise Failed("no worker to kill was found")


def case_killed_worker():
    """a worker killed in the middle costs one point; the rest is measured; exit 5"""
    run = Run(["--ops", "all_reduce,sendrecv", "--sizes", "8,64,512,4K,32K,256K,1M,4M", "--transports", FORCED[0]],
              during=kill_a_worker)
    need(run.code == 5, run.explain())
    bad = [r for r in run.rows if r["outcome"] not in ("ok", "skipped")]
    need(len(bad) == 1, "%d rows lost: %s" % (len(bad), [(r["outcome"], r["detail"]) for r in bad]))
    need(bad[0]["outcome"] == "crash" and "signal 9" in bad[0]["detail"], str(bad[0]))
    need(len(run.rows) == 32, "%d rows" % len(run.rows))
    run.keep("killed-worker")
    return "%s at %s: %s" % (bad[0]["outcome"], bad[0]["phase"], bad[0]["detail"])


def case_memory():
    """a size beyond the card's memory is skipped with the figure, not tried"""
    run = Run(["--ops", "all_reduce", "--sizes", "200G", "--transports", FORCED[0], "--timing", "stream"])
    need(run.code == 0, run.explain())
    need(all(r["outcome"] == "skipped" and "free" in r["detail"] for r in run.rows) and run.rows, str(run.rows))
    return run.rows[0]["detail"]


def case_veto():
    """an nvls row asked for by name is vetoed by NCCL_NVLS_ENABLE=0"""
    run = Run(["--ops", "all_reduce", "--sizes", "8", "--transports", "nvls," + FORCED[0]])
    need(run.code == 0, run.explain())
    rows = run.of(transport="nvls")
    need(rows and all(r["outcome"] == "unavailable" and "NCCL_NVLS_ENABLE=0" in r["detail"] for r in rows), str(rows))
    return rows[0]["detail"]


def case_no_interface():
    """an interface that is not there: socket is N/A or an error in words, the sweep ends"""
    run = Run(["--ops", "all_reduce", "--sizes", "8", "--transports", "socket", "--timeout", "20"],
              env={"NCCL_SOCKET_IFNAME": "nope0"})
    need(run.rows and not run.of(outcome="ok"), run.explain())
    return "%s: %s" % (run.rows[0]["outcome"], run.rows[0]["detail"][:120])


def case_binding():
    """plain mpirun -np 2 (one core a rank) against --bind-to none"""
    words = ["--ops", "all_reduce", "--sizes", "8,1M,16M", "--transports", LIST, "--restarts", "3"]
    plain, free = Run(words), Run(words, mpirun=["--bind-to", "none"])
    need(plain.code == 0 and free.code == 0, plain.explain() + free.explain())
    lines = []
    for r in plain.rows:
        other = free.one(transport=r["transport"], bytes=r["bytes"], timing=r["timing"], op=r["op"])
        if r["outcome"] != "ok" or other["outcome"] != "ok":
            continue
        ratio = float(r["time_us"]) / float(other["time_us"])
        loose = r["transport"] == "socket" or int(r["bytes"]) < 1 << 20
        lines.append("%s %s %s %.3f" % (r["transport"], r["bytes"], r["timing"], ratio))
        if GPUS >= 2:
            limit = 1.5 if loose else 1.05
            need_speed(1 / limit <= ratio <= limit, "plain mpirun against --bind-to none: " + lines[-1])
    return "; ".join(lines)


def case_require():
    """--require: 0 when met, 1 when not"""
    met = Run(["--ops", "all_reduce", "--sizes", "8", "--transports", FORCED[-1], "--require", FORCED[-1]])
    need(met.code == 0, met.explain())
    missing = Run(["--ops", "all_reduce", "--sizes", "8", "--transports", FORCED[-1] + ",ib", "--require", "ib"])
    if os.path.isdir("/sys/class/infiniband") and os.listdir("/sys/class/infiniband"):
        return "ib is here"
    need(missing.code == 1, missing.explain())
    return missing.of(transport="ib")[0]["detail"]


def case_ceilings():
    """plain copies and TCP beside the transports: there, plausible, in order; the state of the card recorded"""
    began = time.monotonic()
    words = ["--ops", "all_reduce", "--sizes", "8,64M", "--timing", "stream", "--transports", LIST]
    without = Run(words + ["--no-ceilings"])
    middle = time.monotonic()
    run = Run(words)
    cost = time.monotonic() - middle - (middle - began)
    need(run.code == 0 and without.code == 0, run.explain())
    run.keep("ceilings")
    need(not [p for p in without.meta["peaks"] if p["kind"] == "measured"], "--no-ceilings measured some")
    gbps = {p["name"]: p["gbps"] for p in run.meta["peaks"]}
    for p in run.meta["peaks"]:
        print("       %-42s %9.3f GB/s  %s" % (p["name"], p["gbps"] or 0, p["kind"]))
    print("       state of rank 0: %s" % json.dumps(run.meta["gpu_state"][0]))
    need(run.meta["ceiling_missing"] == "", run.meta["ceiling_missing"])
    up, down = gbps["pinned host to GPU (measured)"], gbps["GPU to pinned host (measured)"]
    need(all(v is None or v > 0 for v in gbps.values()), "a figure that is not above 0: %s" % gbps)
    need_speed(up >= 20 and down >= 20, "pinned host memory and GPU: %.1f and %.1f GB/s" % (up, down))
    spec = next((p["gbps"] for p in run.meta["peaks"] if p["of"] == "shm"), None)
    if spec:
        need(up <= spec * 1.02 and down <= spec * 1.02, "faster than PCIe can be: %.1f, %.1f of %.1f" % (up, down, spec))
    need_speed(gbps["pinned host to GPU, both ways (measured)"] <= up * 1.03, "both ways is faster than one way")
    need_speed(gbps["copy within the GPU (measured)"] > 5 * up, "copy within the GPU: %.1f" % gbps["copy within the GPU (measured)"])
    need_speed(gbps["host memory copy, one thread (measured)"] > 1, "host memory copy")
    need_speed(max(v for k, v in gbps.items() if k.startswith("TCP")) > 0.3, "TCP")
    for r in run.of(transport="socket", bytes=str(64 << 20), outcome="ok"):
        need(0 < float(r["peak_pct"]), "socket: %s %% of TCP" % r["peak_pct"])
        need_speed(float(r["peak_pct"]) < 300, "socket: %s %% of TCP" % r["peak_pct"])
    if GPUS >= 2:
        write, read = gbps["copy engine write (measured)"], gbps["copy engine read (measured)"]
        need_speed(abs(write / read - 1) < 0.2, "copy engine: write %.1f, read %.1f" % (write, read))
        need_speed(gbps["copy engine write, both ways (measured)"] < write * 1.05, "both ways is faster than one way")
    need("start.sm_mhz" in run.meta["gpu_state"][0] and "end.temp_c" in run.meta["gpu_state"][0], "state of the card")
    return "%d rows, cost %.1f s; pinned %.1f to and %.1f GB/s from the GPU" % (len(gbps), cost, up, down)


def case_overlap():
    """operations beside computation: right, proven, slower rather than faster, and the load was really there"""
    words = ["--overlap", "--channels", "4", "--sizes", "1M,64M", "--transports", FORCED[0], "--no-ceilings"]
    run = Run(words)
    need(run.code == 0, run.explain())
    all_good(run, allow=())
    need(len(run.rows) == 2 * 3 * 2, "%d rows" % len(run.rows))
    said = []
    for r in run.rows:
        if not r["load"]:
            need(r["load_slowdown"] == "", "a row without load was slowed: %s" % r["load_slowdown"])
            continue
        alone = next(float(x["time_us"]) for x in run.rows if not x["load"] and x["bytes"] == r["bytes"] and x["arm"] == r["arm"])
        # empty: too few whole pieces within a batch to tell, which is no surprise at 1 MiB on a slow card
        need_speed(r["load_slowdown"] != "" or r["bytes"] == str(1 << 20), "%s %s: no load_slowdown" % (r["load"], r["bytes"]))
        slowed, load = float(r["time_us"]) / alone, float(r["load_slowdown"] or "nan")
        need_speed(slowed > 0.9 and not load <= 0.9, "%s %s: x%.2f, load x%.2f" % (r["load"], r["bytes"], slowed, load))
        said.append("%s %s %s x%.2f, load x%.2f" % (r["arm"] or "own", r["load"], r["bytes"], slowed, load))
    run.keep("overlap")
    return "; ".join(said)


def case_fake_hosts():
    """4 ranks as two faked hosts: what NCCL does inside of a half and between them, both in one proof"""
    if GPUS < 2:
        return None
    run = Run(["--fake-hosts", "2", "--ops", "all_reduce", "--sizes", "8,64K,1M", "--timing", "stream", "--transports",
               "auto,socket,shm", "--no-ceilings"], ranks=4)
    need(run.code == 0, run.explain())
    for name in ("auto", "socket"):
        rows = run.of(transport=name)
        need(rows and all(r["outcome"] == "ok" and r["proof"] == "yes" and r["wrong"] == "0" for r in rows), run.explain())
        mixed = [re.fullmatch(r"mixed: (\d+) of (\d+) hops NET/Socket", r["used"]) for r in rows]
        need(all(mixed) and all(0 < int(m.group(1)) < int(m.group(2)) for m in mixed), "%s used %s" % (name, rows[0]["used"]))
    need(all(r["outcome"] == "unavailable" for r in run.of(transport="shm")), "shm between hosts")
    run.keep("fake-hosts")
    return "64 KiB in %s us" % run.one(transport="socket", bytes=65536)["time_us"]


def case_many_ranks():
    """more ranks than GPUs over the network transport: slow, proven, right"""
    said = []
    for ranks in (4, 8):
        run = Run((["--share-gpu"] if not SHARE else []) + ["--transports", "socket", "--ops", "all_reduce,broadcast", "--sizes", "8,64K,1M",
                  "--timing", "stream", "--no-ceilings"], ranks=ranks)
        need(run.code == 0, run.explain())
        all_good(run)
        need(all(r["ranks"] == str(ranks) for r in run.rows), "ranks")
        run.keep("ranks-%d" % ranks)
        said.append("%d ranks %.1f s" % (ranks, run.seconds))
    return ", ".join(said)


CASES = {k[5:]: v for k, v in list(globals().items()) if k.startswith("case_")}


def main():
    global KEEP, SPEED
    words = sys.argv[2:]
    if words[:1] == ["--speed"]:
        SPEED = True
        words = words[1:]
    if words[:1] == ["--keep"]:
        KEEP = words[1]
        words = words[2:]
    if GPUS == 0:
        print("no GPU, no NCCL worker or no mpirun here")
        return 77
    failed = 0
    for name in words or CASES:
        began = time.monotonic()
        try:
            said = CASES[name]()
            word = "skip" if said is None else "ok"
            said = "needs two GPUs" if said is None else said
        except Failed as e:
            failed, word, said = failed + 1, "FAILED", str(e)
        print("%-6s %-14s %5.1f s  %s" % (word, name, time.monotonic() - began, said), flush=True)
    print("%d cases failed" % failed if failed else "all cases passed on %d GPU%s" % (GPUS, "" if GPUS == 1 else "s"))
    return 1 if failed else 0


sys.exit(main())
