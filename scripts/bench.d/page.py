# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""Writes a run into docs/performance.md, between two marks, and its plot beside it."""

import re
import subprocess
import time
from pathlib import Path

import report

ROOT = Path(__file__).resolve().parents[2]
PAGE, PLOT = ROOT / "docs/performance.md", ROOT / "docs/performance.svg"
BEGIN, END = "<!-- written by scripts/bench --write -->", "<!-- end -->"


def commit():
    """The commit that was measured; one that has changes on top says so."""
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True).stdout.strip()

    return git("rev-parse", "--short=10", "HEAD") + (
        " with changes" if git("status", "--porcelain", "--", "Sources", "Package.swift", "scripts") else "")


def duration(entry, name):
    if name not in entry["p50"]:
        return "–"
    return f"{report.duration(entry['p50'][name])} ({report.duration(entry['p99'][name])})"


def lines(results):
    machine = results["machine"]
    yield (f"{machine['processor']}, {machine['cores']} processors, {machine['system']}, Linux {machine['kernel']}, load "
           f"{machine['load']:.1f}; {time.strftime('%-d %B %Y', time.gmtime())}, commit `{commit()}`, medians of "
           f"{results['rounds']} rounds. A reply has {results['reply_bytes']} bytes.")
    yield from ("", "| p50 (p99) | tokend | floor | oidc-agent | tokend to floor |", "|---|---|---|---|---|")
    for entry in results["latencies"].values():
        ratio = entry["ratio"].get("tokend/floor")
        yield report.row([entry["title"], *(duration(entry, name) for name in report.NAMES),
                          f"{ratio:.2f}" if ratio else ""])
    for cells in report.rest_rows(results):
        yield report.row([*cells, ""])
    for cells in report.count_rows(results):
        yield report.row([*cells, ""])
    yield from ("", "![The times as a plot](performance.svg)")


def write(results):
    text = PAGE.read_text()
    table = "\n".join(lines(results))
    new, count = re.subn(f"(?s)(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", lambda _: table + "\n", text)
    if count != 1:
        raise SystemExit(f"{PAGE} does not have the marks that the table stands between")
    PAGE.write_text(new)
    PLOT.write_text(report.plot(results))
