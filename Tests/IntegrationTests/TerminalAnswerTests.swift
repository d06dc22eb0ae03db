// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// `tokenctl policy answer` at a terminal.
    @Suite struct TerminalAnswers {
        private static let ask = "s = connect(); ask(s); print(hear(s))"

        /// A stand whose account asks its user, with the two programs and the verb, which waits for questions.
        private func with(_ body: (Stand, PeerStand, ChildProcess) async throws -> Void) async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                let terminal = try Tokenctl(stand.world).startAtTerminal(input: .pipe, "policy", "answer")
                _ = try await terminal.line { $0.hasPrefix("Waiting for programs that ask") }
                try await body(stand, programs, terminal)
            }
        }

        private func question(_ program: String, _ terminal: ChildProcess) async throws {
            _ = try await terminal.line { $0.hasSuffix("\(program) asks for a token.") }
        }

        @Test func `a person at a terminal answers a program's question, and Ctrl-C ends it`() async throws {
            try await with { stand, programs, terminal in
                async let refused = programs.run(programs.bad, Self.ask)
                try await question(programs.bad, terminal)
                terminal.write(Array("deny\n".utf8))
                #expect(try await refused == "not_allowed")
                async let allowed = programs.run(programs.good, Self.ask)
                try await question(programs.good, terminal)
                // What is no answer leaves the question there.
                terminal.write(Array("perhaps\nalways\n".utf8))
                #expect(try await allowed == "token")
                #expect(try await programs.run(programs.good, Self.ask) == "token")
                let revoked = try await Tokenctl(stand.world).run("policy", "revoke", "work", "exe:\(programs.good)")
                #expect(revoked.exitCode == 0, "\(revoked)")
                let other = programs.folder + "/other"
                try FileManager.default.copyItem(atPath: programs.good, toPath: other)
                async let left = programs.run(other, Self.ask)
                try await question(other, terminal)
                terminal.write([3])
                #expect(try await terminal.exit() == .code(130))
                // Nobody is there any more: the program does not wait for the rest of the minute.
                #expect(try await left == "not_allowed")
                #expect(try await programs.run(programs.good, Self.ask) == "not_allowed")
            }
        }

        @Test func `the desktop and the terminal are asked both, and the first answer ends it for the other`()
            async throws
        {
            try await Stand.with { stand in
                let desktop = try await DunstDesktop(stand.session, choosing: nil)
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                let terminal = try Tokenctl(stand.world).startAtTerminal(input: .pipe, "policy", "answer")
                _ = try await terminal.line { $0.hasPrefix("Waiting for programs that ask") }
                async let first = programs.run(programs.bad, Self.ask)
                try await question(programs.bad, terminal)
                _ = try await desktop.titles.line()
                try await desktop.press("Deny")
                #expect(try await first == "not_allowed")
                _ = try await terminal.line { $0.hasPrefix("It was answered elsewhere") }
                try desktop.choose(nil)
                async let second = programs.run(programs.good, Self.ask)
                try await question(programs.good, terminal)
                terminal.write(Array("once\n".utf8))
                #expect(try await second == "token")
                while try await desktop.count() != "0" {}
                // The end of the input ends the verb at the next question, which is left to the desktop.
                let other = programs.folder + "/other"
                try FileManager.default.copyItem(atPath: programs.good, toPath: other)
                async let third = programs.run(other, Self.ask)
                try await question(other, terminal)
                terminal.write([4])
                #expect(try await terminal.exit() == .code(0))
                try await desktop.press("Allow once")
                #expect(try await third == "token")
            }
        }

        @Test func `a question that was put before is shown too`() async throws {
            try await Stand.with { stand in
                let desktop = try await DunstDesktop(stand.session, choosing: nil)
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                async let answer = programs.run(programs.good, Self.ask)
                #expect(try await desktop.titles.line().contains("Allow good to use “work”?"))
                let terminal = try Tokenctl(stand.world).startAtTerminal(input: .pipe, "policy", "answer")
                _ = try await terminal.line { $0.contains("Allow good to use “work”?") }
                try await question(programs.good, terminal)
                terminal.write(Array("once\n".utf8))
                #expect(try await answer == "token")
                terminal.write([3])
                _ = try await terminal.exit()
            }
        }

        @Test func `without a terminal the verb says that nobody is there`() async throws {
            try await Stand.with { stand in
                let run = try await Tokenctl(stand.world).run("policy", "answer")
                #expect(run.exitCode == 64 && run.talk.contains("needs a terminal"), "\(run)")
            }
        }
    }
}
