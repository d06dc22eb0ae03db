// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

extension Programs {
    /// Who had the token, as the log tells it: of programs that are gone by then, and of such as were something else before.
    @Suite struct ServedLog {
        @Test func `a program that ends with its answer is named in the log`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                let numbers = try await programs.run(
                    programs.good,
                    """
                    for attempt in range(20):
                        child = os.fork()
                        if child == 0:
                            s = connect(); ask(s); s.recv(1); os._exit(0)
                        os.waitpid(child, 0)
                        print(child, end=" ")
                    """
                )
                for number in numbers.split(separator: " ") {
                    try await stand.daemon.hasLogged("token served to \(programs.good) [\(number)]")
                }
                #expect(numbers.split(separator: " ").count == 20 && !stand.daemon.log.contains("served to unknown"))
            }
        }

        @Test func `a process that becomes another program between two tokens is told as both`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                let number = try await programs.run(
                    programs.good,
                    """
                    for attempt in range(3):
                        s = connect(); ask(s); hear(s)
                    code = sys.argv[3] + "s = connect(); ask(s); hear(s); print(os.getpid())"
                    os.execv(sys.argv[2], [sys.argv[2], "-c", code, sys.argv[1]])
                    """,
                    [programs.bad, PeerStand.asking]
                )
                try await stand.daemon.hasLogged("token served to \(programs.bad) [\(number)]")
                // What the first program had is told as its own: once at once, and twice when the other one came.
                #expect(stand.daemon.log.contains("token served to \(programs.good) [\(number)]\n"))
                #expect(stand.daemon.log.contains("token served to \(programs.good) [\(number)] (2 times)"))
            }
        }

        @Test func `a process that got the number of one that had a token is told by its own name`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                let number = try await programs.run(
                    programs.bad,
                    """
                    code = sys.argv[3] + "s = connect(); ask(s); hear(s)"
                    first = os.fork()
                    if first == 0: os.execv(sys.argv[2], [sys.argv[2], "-c", code, sys.argv[1]])
                    os.waitpid(first, 0)
                    for attempt in range(200):
                        with open("/proc/sys/kernel/ns_last_pid", "w") as last: last.write(str(first - 1))
                        heir = os.fork()
                        if heir == 0:
                            if os.getpid() == first: s = connect(); ask(s); hear(s)
                            os._exit(0)
                        os.waitpid(heir, 0)
                        if heir == first: break
                    else: sys.exit("no process got the number")
                    print(first)
                    """,
                    [programs.good, PeerStand.asking]
                )
                try await stand.daemon.hasLogged("token served to \(programs.good) [\(number)]")
                try await stand.daemon.hasLogged("token served to \(programs.bad) [\(number)]")
            }
        }
    }
}
