// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

extension Programs {
    /// One program that takes as many of the daemon's connections as it gets, and keeps them.
    @Suite struct Crowds {
        /// Connects until it is sent away, tells how often it got in, and stays.
        private static let greedy = """
            held = []
            def enters():
                try:
                    s = connect()
                    ask(s, "hello")
                    if hear(s) == "closed": return False
                except OSError:
                    return False
                held.append(s)
                return True
            while enters(): pass
            print("held", len(held), flush=True)
            sys.stdin.read()
            """

        @Test(arguments: ["sandbox", "process"])
        func `one program that keeps its connections keeps a person's tools out of nothing`(kind: String) async throws {
            // Places for 64 clients.
            try await Stand.with(by: ["/usr/bin/prlimit", "--nofile=128:128"]) { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                let prefix = kind == "sandbox" ? try programs.flatpak("org.example.Greedy") : []
                let words = prefix + [programs.bad, "-c", PeerStand.asking + Self.greedy, stand.world.socketPath]
                let program = try ChildProcess(
                    words[0],
                    Array(words.dropFirst()),
                    environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONHOME": "/usr"],
                    input: .pipe
                )
                try await program.hasWritten("held ")
                let count = program.output.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0
                #expect((40..<56).contains(count), "\(program.output)")
                for verb in [["status"], ["token", "work"], ["pause", "work"], ["resume", "work"]] {
                    let run = try await Tokenctl(stand.world).run(verb, input: "")
                    #expect(run.status == .code(0), "\(verb): \(run)")
                }
                await program.stop()
            }
        }
    }
}
