# SPDX-License-Identifier: Apache-2.0
# Copyright the tokend authors
"""What the bench measures of each server: times by the C client, and what the kernel and valgrind count."""

import re
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from world import Stop, children

HALF_LINES = 100


class Latency:
    """A way to ask, and which servers can be asked in it."""

    def __init__(self, name, title, mode, count, servers, is_checked=True, **modes):
        self.name, self.title, self.mode, self.count, self.servers, self.modes = (
            name, title, mode, count, servers, modes)
        self.is_checked = is_checked

    def samples(self, world, server, scale):
        """Nanoseconds, sorted."""
        count = max(10, round(self.count * scale))
        with self.surroundings(world, server):
            return client(world, self.modes.get(server, self.mode), world.sockets[server], world.requests[server],
                          count)

    @contextmanager
    def surroundings(self, world, server):
        yield


class HungRefresh(Latency):
    """The same read while the provider owes an answer and a hundred clients have sent half a line each."""

    @contextmanager
    def surroundings(self, world, server):
        holder = subprocess.Popen(
            [world.tools / "client", "hold", world.sockets[server], str(HALF_LINES)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        refresh = None
        try:
            if holder.stdout.readline() != b"held\n":
                raise Stop("the half lines could not be sent")
            if server == "tokend":
                refresh = world.begin_hung_refresh()
            yield
        finally:
            holder.stdin.close()
            holder.wait()
            if refresh:
                world.let_go()
                answer = refresh.readline()
                refresh.close()
                if b'"refreshed":true' not in answer:
                    raise Stop(f"the refresh that hung did not go on: {answer[:200]}")


class Process(Latency):
    """A whole program that prints a token."""

    def samples(self, world, server, scale):
        commands = {
            "tokend": [world.programs / "tokenctl", "token", "bench"],
            "floor": [world.tools / "client", "once", world.sockets["floor"], world.requests["floor"]],
            "agent": ["/usr/bin/oidc-token", "bench"],
        }
        return client(world, "process", max(5, round(self.count * scale)), *commands[server])


ALL, TWO = ("tokend", "floor", "agent"), ("tokend", "floor")
LATENCIES = [
    Latency("one", "one connection", "one", 4000, TWO),
    Latency("each", "a connection each", "each", 1500, ALL),
    Latency("new", "a new process each", "new", 200, ALL),
    Latency("pipelined", "64 pipelined, each", "pipelined", 200, TWO),
    Latency("many", "64 clients at once", "many", 6000, ALL, agent="many-each"),
    HungRefresh("hung", "one connection, during a hung refresh and 100 half lines", "one", 4000, TWO,
               is_checked=False),
    Process("process", "a program that prints a token", "process", 20, ALL, is_checked=False),
]
START = "start"
START_TITLE = "from exec to the first token"


def client(world, *arguments):
    return sorted(int(line) for line in world.run(world.tools / "client", *arguments).split())


# ---- At rest ----


def private_memory(process):
    """KiB that belong to the process, and its children, alone: what it has written, and what it has read of its own
    file besides; None where the kernel does not let us look."""
    written = unwritten = 0
    for pid in children(process.pid):
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except PermissionError:
            return None
        written += int(re.search(r"^Private_Dirty:\s+(\d+)", text, re.M)[1])
        unwritten += int(re.search(r"^Private_Clean:\s+(\d+)", text, re.M)[1])
    return {"written": written, "unwritten": unwritten}


def switches(process):
    """How often each thread has gone to sleep by itself so far: once for each wake-up."""
    return {
        status.parent.name: int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)[1])
        for pid in children(process.pid) for status in Path(f"/proc/{pid}/task").glob("*/status")}


def at_rest(processes, settling, seconds):
    """Wake-ups and private memory of each, nobody asking for anything and what was begun having ended."""
    time.sleep(settling)
    before = {name: switches(process) for name, process in processes.items()}
    time.sleep(seconds)
    found = {}
    for name, process in processes.items():
        old, new = before[name], switches(process)
        # A thread that ended was awake for that.
        wakeups = sum(count - old.get(thread, 0) for thread, count in new.items()) + len(old.keys() - new.keys())
        found[name] = {"wakeups": wakeups, "seconds": seconds, "threads": len(new),
                       "private_kib": private_memory(process)}
    return found


# ---- What a token costs ----

class Way:
    """A way to ask for a token that is held, and the requests of two runs whose difference is what one request costs."""

    def __init__(self, name, title, counts):
        self.name, self.title, self.counts = name, title, counts


WAYS = [
    Way("one", "a cached read", (1000, 3000)),
    Way("each", "the first of a connection", (500, 1500)),
    Way("new", "a new process", (100, 300)),
]


def start(world, server, *tracer):
    process = getattr(world, f"start_{server}")(*tracer)
    if server == "agent":
        world.load_agent_account()
    return process


def costs(world, server, way, tracer, totals):
    """What `totals` finds for one request: of the server, run under a tracer for so many of them, to its end."""
    runs = []
    for count in way.counts:
        output = world.folder / f"trace.{server}.{way.name}.{count}"
        process = start(world, server, *tracer(output))
        mode = "each" if server == "agent" and way.name == "one" else way.name
        client(world, mode, world.sockets[server], world.requests[server], count)
        world.end(process)
        runs.append(totals(output))
    requests = way.counts[1] - way.counts[0]
    return {name: (total - runs[0].get(name, 0)) / requests for name, total in runs[1].items()}


def system_calls(world, server, way):
    """Calls a token, by name."""
    def totals(output):
        rows = [line.split() for line in output.read_text().splitlines()]
        return {row[-1]: int(row[3]) for row in rows if len(row) > 4 and row[3].isdigit() and row[-1] != "total"}

    found = costs(world, server, way, lambda output: ("strace", "-f", "-c", "-o", output), totals)
    return {name: round(cost, 2) for name, cost in found.items() if cost >= 0.05}


def instructions(world, server, way):
    """Instructions a token, outside the kernel, by callgrind."""
    def tracer(output):
        return "valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={output}.%p"

    def totals(output):
        found = [re.search(r"^(?:summary|totals):\s+(\d+)", file.read_text(), re.M)
                 for file in output.parent.glob(output.name + ".*")]
        return {"all": sum(int(match[1]) for match in found if match)}

    return round(costs(world, server, way, tracer, totals)["all"])


def first_token(world, server):
    """From exec to the first token, the grant being in the keyring."""
    Path(world.sockets[server]).unlink(missing_ok=True)
    return client(world, "start", world.sockets[server], world.requests[server],
                  *getattr(world, f"{server}_command")())[0]
