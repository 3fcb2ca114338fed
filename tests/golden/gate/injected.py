#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the gate finds in recorded series: every one against the others, as it is and made slower by a known amount.

usage: injected.py NCCLBENCH SERIES.tar.gz [all | levels]

Honest series (aa-*) are gated against the other honest ones: nothing may be found. Then each group of each of them is
made slower by what `gate plan` of the others promises to find in 95 % of cases. And runs that were really slower (README.md)
are gated against all honest ones. Exit 1 when the gate breaks a promise. Without "all" only every fifth group is made
slower; with it every one, and once more by 3 %. "levels" prints how much batches, restarts, series and machine starts
differ instead.
"""
import collections
import csv
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile

CLASSES = [("small", 64 << 10), ("mid", (32 << 20) - 1), ("large", 1 << 62)]
PATIENCE = 290
EVERY = 5


def run(argv):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE)
    if not done.stdout:
        sys.exit("%s: exit %d: %s" % (" ".join(argv), done.returncode, done.stderr[-500:]))
    return done.returncode, json.loads(done.stdout)


def size_class(n):
    return next(name for name, top in CLASSES if n <= top)


def read(path):
    with open(path, newline="") as f:
        lines = f.readlines()
    head = [x for x in lines if x.startswith("#")]
    return head, list(csv.DictReader(x for x in lines if not x.startswith("#")))


def write(path, head, rows):
    with open(path, "w", newline="") as f:
        f.writelines(head)
        w = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        w.writeheader()
        w.writerows(rows)


TIMES = {"points.csv": ["time_us", "ci_lo_us", "ci_hi_us", "p5_us", "p95_us", "p99_us", "min_us", "max_us"],
         "samples.csv": ["max_us", "mean_us", "min_us"]}


def slower(series, out, group, factor):
    """A copy of `series` in which the times of (transport, op, class) are `factor` longer."""
    os.makedirs(out, exist_ok=True)
    shutil.copy(os.path.join(series, "run.json"), out)
    for name, columns in TIMES.items():
        head, rows = read(os.path.join(series, name))
        for r in rows:
            if (r["transport"], r["op"], size_class(int(r["bytes"]))) != group:
                continue
            for c in columns:
                if r[c]:
                    r[c] = repr(float(r[c]) * factor)
        write(os.path.join(out, name), head, rows)


def key(name):
    """'p2p all_reduce graph map ..., large' -> ('p2p', 'all_reduce', 'large')"""
    first, size = name.rsplit(", ", 1)
    words = first.split()
    return words[0], words[1], size.split()[0]


def verdicts(gate, baseline, new):
    code, said = run([gate, "gate", *baseline, new, "--json", "--missing", "warn"])
    return code, {(g["transport"], g["op"], g["class"]): g["verdict"] for g in said["groups"]}


def bound(n):
    """95 % upper bound of a rate of which none was seen in n."""
    return 100 * (1 - math.exp(math.log(0.05) / n))


def leave_one_out(gate, honest):
    bad = []
    for new in honest:
        code, _ = verdicts(gate, [x for x in honest if x != new], new)
        if code:
            bad.append("%s: exit %d" % (os.path.basename(new), code))
    print("%d honest series, each against the others: %d fail (none of %d: the rate is below %.0f %% at 95 %%)"
          % (len(honest), len(bad), len(honest), bound(len(honest))))
    return bad


def injected(gate, honest, work, everything):
    """Found per transport and kind of injection, and how often something else was found with it."""
    found, others = collections.defaultdict(list), 0
    for i, new in enumerate(honest):
        rest = [x for x in honest if x != new]
        rows = run([gate, "gate", "plan", *rest, "--json"])[1]["rows"]
        for row in rows if everything else rows[i::EVERY]:
            group = key(row["name"])
            kinds = [("promised", 1 + row["found_from_pct"] / 100), ("3 %", 1.03)]
            for kind, factor in kinds if everything else kinds[:1]:
                out = os.path.join(work, "new")
                slower(new, out, group, factor)
                _, said = verdicts(gate, rest, out)
                hit = said[group] == "REGRESSED"
                found[(group[0], group[2], kind)].append((hit, row["found_from_pct"]))
                others += sum(v == "REGRESSED" for g, v in said.items() if g != group)
    return found, others


def report(found, others):
    bad = []
    print("| transport | class | made slower by | found | of |\n|---|---|---|---|---|")
    for (transport, size, kind), hits in sorted(found.items()):
        ok = sum(h for h, _ in hits)
        sizes = sorted(x for _, x in hits)
        by = kind if kind != "promised" else "what is promised, %.1f to %.1f %%" % (sizes[0], sizes[-1])
        print("| %s | %s | %s | %d | %d |" % (transport, size, by, ok, len(hits)))
    all_promised = [h for (_, _, kind), hits in found.items() if kind == "promised" for h, _ in hits]
    share = 100 * sum(all_promised) / len(all_promised)
    print("promised slow-downs found: %.1f %%; groups found that were left alone: %d" % (share, others))
    if share < 95:
        bad.append("%.1f %% of the promised slow-downs were found, 95 %% are promised" % share)
    if others:
        bad.append("%d groups were found that were left alone" % others)
    return bad


# Run: groups in which a slow-down must be found, transports in which none may be.
REAL = {
    "nch20": ([("p2p", "all_reduce", "large"), ("p2p", "broadcast", "large")], ("shm", "socket")),
    "nch22": ([("p2p", "all_reduce", "large"), ("p2p", "broadcast", "large")], ("shm", "socket")),
    "slow3": ([("p2p", "all_reduce", "large")], ()),
    "slow5": ([("p2p", "all_reduce", "large")], ()),
    "slow10": ([("p2p", "all_reduce", "large")], ()),
}


def really(gate, honest, folder):
    bad = []
    for name, (wanted, spared) in REAL.items():
        code, said = verdicts(gate, honest, os.path.join(folder, name))
        hit = sorted(g for g, v in said.items() if v == "REGRESSED")
        print("%s: exit %d, slower: %s" % (name, code, "; ".join(" ".join(g) for g in hit)))
        if code != 1 or [g for g in wanted if g not in hit] or [g for g in hit if g[0] in spared]:
            bad.append("%s: exit %d, found %s" % (name, code, hit))
        if not spared and hit != wanted:
            bad.append("%s: found %s" % (name, hit))
    return bad


def sd(values):
    return statistics.stdev(values) if len(values) > 1 else 0


def noise_of(series_of_starts):
    """Standard deviations of log time at each level: {start: {series: {restart: [log us]}}} of one point."""
    restarts = [x for start in series_of_starts.values() for series in start.values() for x in series.values()]
    batch = statistics.median(sd(x) for x in restarts)
    medians = {a: {b: [statistics.median(x) for x in series.values()] for b, series in start.items()}
               for a, start in series_of_starts.items()}
    restart = math.sqrt(statistics.mean(sd(x) ** 2 for start in medians.values() for x in start.values()))
    middle = {a: [statistics.median(x) for x in start.values()] for a, start in medians.items()}
    series = math.sqrt(statistics.mean(sd(x) ** 2 for x in middle.values()))
    return batch, restart, series, sd([statistics.mean(x) for x in middle.values()])


def common_part(points):
    """Part of the restarts' variance that the points of one series move together: {point: {restart: log us}}."""
    off = [{r: x[r] - statistics.mean(x.values()) for r in x} for x in points]
    restarts = sorted(set.intersection(*(set(x) for x in off)))
    whole = statistics.mean(x[r] ** 2 for x in off for r in restarts)
    together = statistics.mean(statistics.mean(x[r] for x in off) ** 2 for r in restarts)
    n = len(points)  # the mean of n points that have nothing in common still has 1/n of their variance
    return (together - whole / n) * n / (n - 1) / whole if n > 1 and whole > 0 else None


def common_parts(tree):
    """{(transport, class): mean over the series} of the tree that levels() has."""
    points = collections.defaultdict(list)
    for (transport, _, size), starts in tree.items():
        for start in starts.values():
            for name, series in start.items():
                points[(transport, size_class(size), name)].append({r: statistics.median(x) for r, x in series.items()})
    parts = collections.defaultdict(list)
    for (transport, size, _), of_points in points.items():
        parts[(transport, size)].append(common_part(of_points))
    return {key: statistics.mean(v) for key, v in parts.items() if None not in v}


def levels(honest):
    """Per transport and size class the median over its points; a series' sd still holds its restarts', a start's both."""
    tree = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(
        lambda: collections.defaultdict(list))))
    for run_dir in honest:
        with open(os.path.join(run_dir, "run.json")) as f:
            boot = json.load(f)["ranks"][0]["boot"]
        for r in read(os.path.join(run_dir, "samples.csv"))[1]:
            point = (r["transport"], r["op"], int(r["bytes"]))
            tree[point][boot][run_dir][r["restart"]].append(math.log(float(r["max_us"])))
    table = collections.defaultdict(list)
    for (transport, _, size), starts in tree.items():
        table[(transport, size_class(size))].append(noise_of(starts))
    parts = common_parts(tree)
    print("| transport | class | batches | restarts | of it common | series | starts |\n|---|---|---|---|---|---|---|")
    for (transport, size), rows in sorted(table.items(), key=lambda x: (x[0][0], [c[0] for c in CLASSES].index(x[0][1]))):
        cells = ["%.2f %%" % (100 * statistics.median(x)) for x in zip(*rows)]
        part = parts.get((transport, size))
        cells.insert(2, "-" if part is None else "%.0f %%" % max(0, 100 * part))
        print("| %s | %s | %s |" % (transport, size, " | ".join(cells)))


def main():
    gate, packed = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="ncclbench-series-") as work:
        with tarfile.open(packed) as t:
            t.extractall(work)
        honest = sorted(glob.glob(os.path.join(work, "aa-*")))
        if "levels" in sys.argv[3:]:
            levels(honest)
            return 0
        bad = leave_one_out(gate, honest) + really(gate, honest, work)
        bad += report(*injected(gate, honest, work, "all" in sys.argv[3:]))
    for line in bad:
        print("NOT AS PROMISED: " + line)
    return 1 if bad else 0


sys.exit(main())
