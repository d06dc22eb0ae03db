# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""The bench's table and plot."""

import math
import os
import platform
import re
from html import escape
from pathlib import Path

NAMES = {"tokend": "tokend", "floor": "floor", "agent": "oidc-agent"}


def machine():
    """What the figures are of."""
    processor = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    system = re.search(r'^PRETTY_NAME="?([^"\n]*)', Path("/etc/os-release").read_text(), re.M)
    return {
        "processor": processor[1] if processor else platform.machine(), "cores": os.cpu_count(),
        "kernel": platform.release(), "system": system[1] if system else "", "load": os.getloadavg()[0],
    }


def duration(nanoseconds):
    if nanoseconds < 1e4:
        return f"{nanoseconds / 1e3:.2f} µs"
    if nanoseconds < 1e6:
        return f"{nanoseconds / 1e3:.1f} µs"
    return f"{nanoseconds / 1e6:.2f} ms"


def rows(results):
    """The table's cells: what, one a server, and the ratios."""
    servers = list(NAMES)
    yield ["", *NAMES.values(), "to floor", "oidc-agent to tokend"]
    for entry in results["latencies"].values():
        ratios = [entry["ratio"].get(name) for name in ("tokend/floor", "agent/tokend")]
        for part in ("p50", "p99"):
            yield [f"{entry['title']}, {part}" if part == "p50" else "    p99",
                   *(duration(entry[part][name]) if name in entry[part] else "–" for name in servers),
                   *(f"{ratio:.2f}" if ratio and part == "p50" else "" for ratio in ratios)]
    for cells in (*rest_rows(results), *count_rows(results)):
        yield [*cells, "", ""]


def rest_rows(results):
    rest = results["rest"]
    if rest:
        for title, parts in (("private memory at rest", ["written"]), ("with its code", ["written", "unwritten"])):
            yield [title, *(memory(rest.get(name), parts) for name in NAMES)]
        yield [f"wake-ups at rest, in {rest['tokend']['seconds']} s",
               *(str(rest[name]["wakeups"]) if name in rest else "–" for name in NAMES)]


def count_rows(results):
    for found in (*results["system_calls"].values(), *results["instructions"].values()):
        yield [found["title"], *(figure(found["servers"].get(name)) for name in NAMES)]


def row(cells):
    """A line of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def memory(entry, parts):
    if not entry or entry["private_kib"] is None:
        return "–"
    return f"{sum(entry['private_kib'][part] for part in parts) / 1024:.1f} MiB"


def figure(found):
    if found is None:
        return "–"
    return f"{sum(found.values()):.1f}" if isinstance(found, dict) else f"{found:,}"


def table(results):
    cells = list(rows(results))
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) if not at else cell.rjust(width)
                       for at, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells]
    machine = results["machine"]
    lines.insert(0, f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, Linux {machine['kernel']}; "
                    f"load {machine['load']:.1f}; {'spread' if results['spread'] else 'on one core'}; "
                    f"medians of {results['rounds']} rounds; a reply has {results['reply_bytes']} bytes\n")
    for found in results["system_calls"].values():
        lines.append(found["title"] + ":")
        lines += (f"  {NAMES[name]}: " + ", ".join(f"{call} {number:g}" for call, number in calls.items())
                  for name, calls in found["servers"].items())
    return "\n".join(lines)


# ---- The plot ----

STYLE = """
  svg { background: #fcfcfb; color: #1b1b19; font: 13px system-ui, sans-serif; }
  text { fill: currentColor; } .quiet { opacity: .65; font-size: 11px; }
  .grid { stroke: currentColor; opacity: .14; } .tokend { --c: #2a6fdb; } .floor { --c: #7a7a75; }
  .agent { --c: #c8641a; } .spread { stroke: var(--c); stroke-width: 2; opacity: .45; } .dot { fill: var(--c); }
  .tail { fill: none; stroke: var(--c); stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) { svg { background: #1c1c1a; color: #ecece8; } .tokend { --c: #6ea4ff; }
    .floor { --c: #a5a59e; } .agent { --c: #f0924c; } }
"""
LEFT, RIGHT, TOP, LANE, GAP = 410, 40, 78, 18, 16


def plot(results):
    """A row a measure, a lane a server: the median's dot, and a line to the ring at the 99th percentile; log scale."""
    entries = list(results["latencies"].values())
    values = [value for entry in entries for part in ("p50", "p99") for value in entry[part].values()] or [1e3, 1e6]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    width = 960

    def x(value):
        return LEFT + (math.log10(value) - low) / (high - low) * (width - LEFT - RIGHT)

    parts, y = [], TOP
    for entry in entries:
        lanes = [name for name in NAMES if name in entry["p50"]]
        parts.append(f'<text x="16" y="{y + LANE * len(lanes) / 2 + 4:.0f}">{escape(entry["title"])}</text>')
        for name in lanes:
            middle, start, end = y + LANE / 2, x(entry["p50"][name]), x(entry["p99"][name])
            parts.append(
                f'<g class="{name}"><title>{NAMES[name]}: p50 {duration(entry["p50"][name])}, '
                f'p99 {duration(entry["p99"][name])}</title>'
                f'<line class="spread" x1="{start:.1f}" x2="{end:.1f}" y1="{middle}" y2="{middle}"/>'
                f'<circle class="dot" cx="{start:.1f}" cy="{middle}" r="4.5"/>'
                f'<circle class="tail" cx="{end:.1f}" cy="{middle}" r="3.5"/></g>'
                f'<text class="quiet" text-anchor="end" x="{start - 9:.1f}" y="{middle + 4}">'
                f'{duration(entry["p50"][name])}</text>')
            y += LANE
        y += GAP
    grid = []
    for power in range(low, high + 1):
        grid.append(f'<line class="grid" x1="{x(10 ** power):.1f}" x2="{x(10 ** power):.1f}" y1="{TOP - 8}" y2="{y}"/>'
                    f'<text class="quiet" text-anchor="middle" x="{x(10 ** power):.1f}" y="{y + 16}">'
                    f'{axis(power)}</text>')
    legend = "".join(
        f'<g class="{name}"><circle class="dot" cx="{LEFT + 110 * at}" cy="54" r="4.5"/></g>'
        f'<text x="{LEFT + 10 + 110 * at}" y="58">{title}</text>' for at, (name, title) in enumerate(NAMES.items()))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 32}" role="img">'
            f'<title>Time to a token</title><style>{STYLE}</style>'
            f'<text x="16" y="28" font-size="17">Time to a token</text>'
            f'<text class="quiet" x="16" y="58">dot: median; ring: 99th percentile; {results["rounds"]} rounds</text>'
            f'{legend}{"".join(grid)}{"".join(parts)}</svg>\n')


def axis(power):
    return {2: "0.1 µs", 3: "1 µs", 4: "10 µs", 5: "100 µs", 6: "1 ms", 7: "10 ms", 8: "100 ms", 9: "1 s"}.get(power, f"10^{power} ns")
