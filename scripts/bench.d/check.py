# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""Holds what was measured against scripts/bench.d/bounds.toml, and against the page that shows an earlier run."""

import re
import tomllib
from pathlib import Path

import measure

BOUNDS = Path(__file__).with_name("bounds.toml")
PAGE = Path(__file__).resolve().parents[2] / "docs/performance.md"


def best(entry, other):
    """The least ratio of tokend's median to another server's, of all rounds."""
    rounds = entry["rounds"]
    return min(mine["p50"] / theirs["p50"] for mine, theirs in zip(rounds["tokend"], rounds[other]))


def shown(page):
    """What the page has as tokend's ratio to the floor, by the row's title."""
    rows = (re.split(r"\s*\|\s*", line.strip("| \n")) for line in page.read_text().splitlines() if line.startswith("|"))
    return {row[0]: float(row[4]) for row in rows if len(row) == 5 and re.fullmatch(r"\d+(\.\d+)?", row[4])}


def verdicts(results):
    """What is held: its words, what was found, and the most that it may be."""
    bounds = tomllib.loads(BOUNDS.read_text())
    for section, known in (("to_floor", measure.LATENCIES), ("to_agent", measure.LATENCIES),
                           ("system_calls", measure.WAYS), ("instructions", measure.WAYS)):
        if unknown := bounds[section].keys() - {it.name for it in known}:
            raise SystemExit(f"{BOUNDS}: nothing is measured that is called {', '.join(unknown)}")
    latencies, page = results["latencies"], shown(PAGE)
    for section, other, other_name in (("to_floor", "floor", "the floor"), ("to_agent", "agent", "oidc-agent")):
        for name, most in bounds[section].items():
            entry = latencies.get(name)
            if entry and other in entry["rounds"]:
                yield f"{entry['title']}, to {other_name}", best(entry, other), most
    factor = bounds["page"]["factor"]
    for entry in latencies.values():
        if entry["title"] in page:
            yield (f"{entry['title']}, to the floor, as docs/performance.md has it by {factor:g}",
                   best(entry, "floor"), page[entry["title"]] * factor)
    for way, most in bounds["system_calls"].items():
        if way in results["system_calls"]:
            found = results["system_calls"][way]
            calls = {name: sum(found["servers"][name].values()) for name in ("tokend", "floor")}
            yield f"{found['title']}, beyond the floor", calls["tokend"] - calls["floor"], most
    for way, most in bounds["instructions"].items():
        if way in results["instructions"]:
            found = results["instructions"][way]
            yield found["title"], found["servers"]["tokend"], most
    if "tokend" in results["rest"]:
        rest = results["rest"]["tokend"]
        yield f"wake-ups at rest, in {rest['seconds']} s", rest["wakeups"], bounds["rest"]["wakeups"]


def check(results):
    """Prints what is held, and returns whether all of it is."""
    good = True
    for words, found, most in verdicts(results):
        broken = found > most
        good = good and not broken
        print(f"{'BROKEN' if broken else 'held':6}  {words}: {found:,.4g}, at most {most:,.4g}")
    return good
