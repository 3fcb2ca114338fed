#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens reports in headless Chromium at phone, laptop, wide and print size, light and dark, and measures in
the browser what a reader would trip over (measure.js). A page made with faults must show that each check can
fail. 77 without Chromium. Judges no figure.

usage: test_browser.py NCCLBENCH SOURCE_ROOT [--keep DIR]
"""
import csv
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
# name, width, height, dark, print
VIEWS = (
    ("phone-light", 360, 740, False, False),
    ("phone-dark", 360, 740, True, False),
    ("laptop-light", 1366, 768, False, False),
    ("laptop-dark", 1366, 768, True, False),
    ("wide-light", 2560, 1440, False, False),
    ("print", 688, 1000, False, True),  # A4 less its margins
)
LONG = "a-very-long-host-name-%d.rack17.row4.hall2.cluster.example.com"
HOSTILE = ("<script>alert(1)</script>", "a`touch INJECTED`'b\"&<img src=x onerror=alert(2)>")

# One fault per check, and the word that measure.js must say of it.
BAD = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>bad</title></head><body>
<h1>one</h1><h3>skips a level</h3><p style="color:#999;background:#aaa">faint</p>
<div style="width:3000px">wide</div><a href="https://example.com/">out</a><a href="#nowhere">x</a>
<p id="twice">1</p><p id="twice">2</p>
<table style="table-layout:fixed;width:40px"><tr><td style="white-space:nowrap">far too long for it</td></tr></table>
<table style="table-layout:fixed;width:30px"><tr><td style="overflow-wrap:anywhere">
averyveryverylongnameofsomemachinesomewhere</td></tr></table>
<svg viewBox="0 0 200 100" width="200"><text x="10" y="50">one text</text><text x="12" y="52">another</text>
<text x="180" y="20">cut at the end</text><text x="1" y="90" font-size="4">tiny</text></svg></body></html>"""
BAD_WORDS = ("heading", "contrast", "scroll", "outside", "link", "id", "cell", "name", "overlap", "cut", "small", "squeezed")


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def browser():
    for name in CHROMIUM:
        if shutil.which(name):
            return name
    return None


class Bench:
    def __init__(self, program, source, folder):
        self.program, self.source, self.folder = program, source, folder
        self.faults = []
        self.chromium = browser()

    def fault(self, text):
        self.faults.append(text)
        print("FAULT", text)

    # ---- reports ----

    def copy_run(self, sample, name, host, factor, refuse=False):
        """A sample's run under another host's name, its times longer by a factor."""
        to = os.path.join(self.folder, name)
        os.makedirs(to)
        run = json.load(open(f"{sample}/run.json", encoding="utf-8"))
        for rank in run["ranks"]:
            rank["host"] = host
        with open(f"{to}/run.json", "w", encoding="utf-8") as f:
            json.dump(run, f)
        lines = open(f"{sample}/points.csv", encoding="utf-8", newline="").read().split("\n", 1)
        rows = list(csv.DictReader(io.StringIO(lines[1])))
        with open(f"{to}/points.csv", "w", encoding="utf-8", newline="") as f:
            f.write(lines[0] + "\n")
            out = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
            out.writeheader()
            for row in rows:
                self.scale(row, factor, refuse)
                out.writerow(row)
        return to

    @staticmethod
    def scale(row, factor, refuse):
        for key in row:
            if re.match(r"(time|ci_.*|p\d+|min|max)_us$", key) and row[key]:
                row[key] = repr(float(row[key]) * factor)
            if key.endswith("_gbps") and row[key]:
                row[key] = repr(float(row[key]) / factor)
        if refuse and row["transport"] == "p2p":
            for key in list(row)[list(row).index("used"):]:
                row[key] = ""
            row["outcome"], row["phase"] = "unavailable", "start"
            row["detail"] = ('no P2P between GPU 0 and GPU 1: CUDA says no, NVML "not supported"; '
                             "usual for GeForce RTX 40")

    def report(self, name, runs, *options):
        """Folder of a report of those runs; None when it could not be made."""
        to = os.path.join(self.folder, name)
        done = subprocess.run([self.program, "report", "-o", to, *options, *runs], text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=240, check=False)
        if done.returncode != 0 or not os.path.exists(f"{to}/report.html"):
            self.fault(f"{name}: report ended with {done.returncode}: {done.stdout[-300:]}")
            return None
        return to

    # ---- the browser ----

    def chrome(self, *arguments):
        profile = tempfile.mkdtemp(prefix="ncclbench-chromium-")
        try:
            return subprocess.run(
                [self.chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
                 "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
                 f"--user-data-dir={profile}", *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                errors="replace", timeout=240, check=False)
        finally:  # a helper process may still write there
            shutil.rmtree(profile, ignore_errors=True)

    @staticmethod
    def in_view(text, dark, paper):
        """The page as that reader's media queries see it, whatever the machine that tests prefers."""
        text = re.sub(r"@media screen\b", "@media not all" if paper else "@media all", text)
        text = re.sub(r"@media print", "@media all" if paper else "@media not all", text)
        return re.sub(r"\(prefers-color-scheme:\s*dark\)",
                      "(min-width:0)" if dark and not paper else "(max-width:0)", text)

    def write_view(self, folder, page, view):
        name, width, height, dark, paper = view
        text = self.in_view(page, dark, paper)
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        script = open(f"{self.source}/tests/browser/measure.js", encoding="utf-8").read()
        with open(f"{folder}/{name}.html", "w", encoding="utf-8") as f:
            f.write(text.replace("</body>", f"<script>{script}</script></body>"))
        return f'<iframe id="{name}" width="{width}" height="{height}" src="{name}.html"></iframe>'

    def measure(self, folder, page):
        """What measure.js says, by view."""
        frames = [self.write_view(folder, page, view) for view in VIEWS]
        with open(f"{folder}/views.html", "w", encoding="utf-8") as f:
            f.write("<!DOCTYPE html><meta charset='utf-8'><title>views</title><pre id='said'></pre><script>"
                    "const said = {};\nwindow.addEventListener('message', e => {\n"
                    "const f = [...document.querySelectorAll('iframe')].find(f => f.contentWindow === e.source);\n"
                    "said[f.id] = e.data;\n"
                    "document.getElementById('said').textContent = JSON.stringify(said); });</script>\n"
                    + "\n".join(frames))
        dom = self.chrome("--virtual-time-budget=60000", "--dump-dom", f"file://{folder}/views.html").stdout
        found = re.search(r"<pre id=[\"']said[\"']>(.*?)</pre>", dom, re.S)
        return json.loads(html.unescape(found.group(1)) or "{}") if found else {}

    def check_page(self, name, folder, at_least):
        page = open(f"{folder}/report.html", encoding="utf-8").read()
        self.check_source(name, page)
        said = self.measure(folder, page)
        for view in VIEWS:
            answer = said.get(view[0])
            if answer is None:
                self.fault(f"{name} {view[0]}: no answer from the browser")
                continue
            if answer["pictures"] < at_least:
                self.fault(f"{name} {view[0]}: {answer['pictures']} pictures, not {at_least}")
            for complaint in answer["complaints"]:
                self.fault(f"{name} {view[0]}: {complaint}")
            print(f"{name} {view[0]}: {answer['pictures']} pictures, {len(answer['complaints'])} complaints")

    def check_source(self, name, page):
        page = re.sub(r'"[^"<>]*"', '""', page)  # a hostile name in an attribute is escaped there: text
        if re.search(r"<(script|iframe|object|embed|img|link|form)\b", page, re.I):
            self.fault(f"{name}: an element that a report has no use for")
        if re.search(r"<[^>]*\son\w+\s*=", page) or re.search(r"@import|javascript:", page):
            self.fault(f"{name}: something that runs")
        if re.search(r"url\(\s*['\"]?(?!#)", page):
            self.fault(f"{name}: something loaded from outside")

    def check_print(self, name, folder):
        pdf = f"{folder}/report.pdf"
        self.chrome(f"--print-to-pdf={pdf}", "--no-pdf-header-footer", f"file://{folder}/report.html")
        data = open(pdf, "rb").read() if os.path.exists(pdf) else b""
        pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", data))
        if not data.startswith(b"%PDF") or pages < 1:
            self.fault(f"{name}: printing gave no pages")
        print(f"{name}: prints on {pages} pages")

    def check_that_checks_can_fail(self):
        folder = os.path.join(self.folder, "bad")
        os.makedirs(folder)
        said = self.measure(folder, BAD).get("phone-light", {"complaints": []})
        for word in BAD_WORDS:
            if not any(c.startswith(word + ":") for c in said["complaints"]):
                self.fault(f"the check '{word}' did not see its fault: {said['complaints']}")


def fleets(bench):
    """Name, runs, options, least number of pictures."""
    gpu, ucx = (f"{bench.source}/results/sample/{n}" for n in ("2xh200", "ucx-two-cores"))
    many = [bench.copy_run(gpu, f"m{i}", LONG % i, 1 + 0.17 * i, refuse=i == 2) for i in range(1, 9)]
    odd = [bench.copy_run(gpu, f"odd{i}", host, 1 + i) for i, host in enumerate(HOSTILE)]
    money = [w for i in range(1, 5) for w in ("--price", f"m{i}={9000 + 1000 * i}", "--power", f"m{i}={1000 + i}")]
    yield "one", [gpu], [], 9
    yield "ucx", [ucx], [], 8
    yield "both", [gpu, ucx], [], 9
    yield "two", many[:2], [], 10
    yield "four", many[:4], money, 11
    yield "eight", many, [], 10
    yield "hostile", odd, [], 10


def main():
    program, source = (os.path.abspath(p) for p in sys.argv[1:3])
    if browser() is None:
        skip("no Chromium (Debian: chromium)")
    if not shutil.which("gnuplot"):
        skip("no gnuplot")
    keep = sys.argv[4] if sys.argv[3:4] == ["--keep"] else None
    os.environ["NCCLBENCH_PLOTS"] = f"{source}/plots"
    folder = os.path.abspath(keep) if keep else tempfile.mkdtemp(prefix="ncclbench-browser-")
    os.makedirs(folder, exist_ok=True)
    try:
        bench = Bench(program, source, folder)
        if not bench.chrome("--dump-dom", "about:blank").stdout.strip():
            skip("Chromium does not start here")
        bench.check_that_checks_can_fail()
        for name, runs, options, at_least in fleets(bench):
            to = bench.report(name, runs, *options)
            if to:
                bench.check_page(name, to, at_least)
                if name in ("one", "eight"):
                    bench.check_print(name, to)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(bench.faults)} faults")
    return 1 if bench.faults else 0


if __name__ == "__main__":
    sys.exit(main())
