# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""Runs the bench: see scripts/bench."""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import check
import measure
import page
import report
from world import Stop, World


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each measure (default: 20)")
    parser.add_argument("--quick", action="store_true", help="3 short rounds, to try it")
    parser.add_argument("--check", action="store_true",
                        help="short rounds and all counts, held against scripts/bench.d/bounds.toml")
    parser.add_argument("--write", action="store_true", help="write the run into docs/performance.md, with its plot")
    parser.add_argument("--only", metavar="NAME", action="append", help="only this measure: "
                        + ", ".join([*(it.name for it in measure.LATENCIES), measure.START, "rest", "counts"]))
    parser.add_argument("--spread", action="store_true",
                        help="let the system place the programs, instead of all of them on one processor")
    parser.add_argument("--no-agent", action="store_true", help="without oidc-agent")
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--programs", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--provider", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.rounds = min(options.rounds, 3)
    if options.check:
        options.quick, options.rounds = True, 5
        options.only = options.only or [*(it.name for it in measure.LATENCIES if it.is_checked), "rest", "counts"]
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


def settle_down(spread):
    """Where client and server run decides more than what they do: a wake-up on another processor of a virtual machine
    takes several times as long as the whole exchange. On one processor only the work counts."""
    if not spread:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    except PermissionError:
        pass


def quantiles(samples):
    def at(share):
        return samples[min(len(samples) - 1, int(len(samples) * share))]

    return {"min": samples[0], "p50": at(0.5), "p99": at(0.99), "n": len(samples)}


class Bench:
    def __init__(self, options, world):
        self.options, self.world = options, world
        self.servers = [name for name in measure.ALL if name != "agent" or not options.no_agent]
        self.processes = {}
        self.results = {"latencies": {}, "rest": {}, "system_calls": {}, "instructions": {}}

    def wants(self, name):
        return not self.options.only or name in self.options.only

    def prepare(self):
        world = self.world
        world.make()
        world.configure_tokend()
        self.processes["tokend"] = world.start_tokend()
        world.sign_in()
        world.keep_reply()
        self.results["reply_bytes"] = len(world.reply)
        self.processes["floor"] = world.start_floor()
        if "agent" in self.servers:
            world.configure_agent()
            self.processes["agent"] = world.start_agent()
            world.make_agent_account()

    def run(self):
        say("Making a private world …")
        self.prepare()
        self.measure_rounds()
        if self.wants("rest"):
            say("At rest …")
            self.results["rest"] = measure.at_rest(
                self.processes, *((2, 5) if self.options.quick else (20, 20)))
        for process in self.processes.values():
            self.world.end(process)
        if self.wants(measure.START):
            say("Starts …")
            self.measure_starts()
        if self.wants("counts"):
            self.count()

    def measure_rounds(self):
        wanted = [it for it in measure.LATENCIES if self.wants(it.name)]
        for number in range(self.options.rounds if wanted else 0):
            say(f"Round {number + 1} of {self.options.rounds} …")
            for latency in wanted:
                servers = [name for name in latency.servers if name in self.servers]
                self.take(latency.name, latency.title, servers, number, lambda server: quantiles(
                    latency.samples(self.world, server, 0.1 if self.options.quick else 1)))

    def measure_starts(self):
        for number in range(self.options.rounds):
            self.take(measure.START, measure.START_TITLE, list(measure.TWO), number,
                      lambda server: quantiles([measure.first_token(self.world, server)]))

    def take(self, name, title, servers, number, sample):
        """One round of one measure: each server once, another one first each time."""
        entry = self.results["latencies"].setdefault(name, {"title": title, "rounds": {}})
        first = number % len(servers)
        for server in servers[first:] + servers[:first]:
            entry["rounds"].setdefault(server, []).append(sample(server))

    def count(self):
        for way in measure.WAYS:
            calls, instructions = ({"title": f"{what}, {way.title}", "servers": {}}
                                   for what in ("system calls", "instructions"))
            self.results["system_calls"][way.name], self.results["instructions"][way.name] = calls, instructions
            for server in measure.TWO if self.options.check else self.servers:
                say(f"Counting what {report.NAMES[server]} does for {way.title} …")
                calls["servers"][server] = measure.system_calls(self.world, server, way)
                if server == "tokend" or not self.options.check:
                    instructions["servers"][server] = measure.instructions(self.world, server, way)

    def summarise(self):
        """Medians over the rounds, and of the rounds' ratios."""
        for entry in self.results["latencies"].values():
            rounds = entry["rounds"]
            entry["p50"] = {name: statistics.median(it["p50"] for it in found) for name, found in rounds.items()}
            entry["p99"] = {name: statistics.median(it["p99"] for it in found) for name, found in rounds.items()}
            entry["ratio"] = {
                f"{name}/{other}": statistics.median(a["p50"] / b["p50"] for a, b in zip(rounds[name], rounds[other]))
                for name, other in (("tokend", "floor"), ("agent", "tokend")) if name in rounds and other in rounds}


def main():
    options = arguments()
    settle_down(options.spread)
    options.out.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    world = World(options.programs, options.provider, options.out)
    try:
        bench = Bench(options, world)
        bench.run()
    except (Stop, subprocess.SubprocessError, OSError) as problem:
        say(f"scripts/bench: {problem}")
        for log in ("tokend", "provider", "agent"):
            say(f"--- {log}.log\n{world.log(log)[-1500:]}")
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        world.close()
    bench.summarise()
    results = {"machine": report.machine(), "spread": options.spread, "rounds": options.rounds, **bench.results}
    (options.out / "bench.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "bench.svg").write_text(report.plot(results))
    print(report.table(results))
    say(f"The figures are in {options.out}/bench.json, the plot in {options.out}/bench.svg")
    if options.write:
        page.write(results)
    return 0 if not options.check or check.check(results) else 1


sys.exit(main())
