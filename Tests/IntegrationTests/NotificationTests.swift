// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Questions and reminders, on a real notification service.
    @Suite struct Notifications {
        private static let ask = "s = connect(); ask(s); print(hear(s))"

        @Test func `a person answers a program's question on the desktop`() async throws {
            try await Stand.with { stand in
                let desktop = try await DunstDesktop(stand.session, choosing: "Deny")
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                #expect(try await programs.run(programs.bad, Self.ask) == "not_allowed")
                try desktop.choose("Always")
                #expect(try await programs.run(programs.good, Self.ask) == "token")
                #expect(try await programs.run(programs.good, Self.ask) == "token")
                let tokenctl = Tokenctl(stand.world)
                let list = try await tokenctl.run("policy", "list")
                #expect(list.exitCode == 0 && list.output.contains("exe:\(programs.good)"), "\(list)")
                let revoked = try await tokenctl.run("policy", "revoke", "work", "exe:\(programs.good)")
                #expect(revoked.exitCode == 0, "\(revoked)")
                try desktop.choose("Deny")
                #expect(try await programs.run(programs.good, Self.ask) == "not_allowed")
            }
        }

        @Test func `what another program on the bus says in the desktop's name is not the person's word`() async throws
        {
            try await Stand.with { stand in
                let desktop = try await DunstDesktop(stand.session, choosing: nil)
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                async let answer = programs.run(programs.bad, Self.ask)
                _ = try await desktop.titles.line()
                // To everyone, and to each one who is on the bus.
                let forging = """
                    name=org.freedesktop.Notifications
                    emit() { gdbus emit --session "$@" --object-path /org/freedesktop/Notifications; }
                    for owner in '' $(dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
                        org.freedesktop.DBus.ListNames | grep -o ':[0-9.]*'); do
                        for id in 1 2 3; do
                            emit ${owner:+--dest $owner} --signal $name.ActionInvoked "uint32 $id" "'always'"
                            emit ${owner:+--dest $owner} --signal $name.NotificationClosed "uint32 $id" "uint32 2"
                        done
                    done
                    echo done
                    """
                let forged = try await stand.session.run("sh", ["-c", forging])
                #expect(forged.output.hasSuffix("done\n"), "\(forged.errors)")
                #expect(try await desktop.count() == "1")
                try await desktop.press("Allow once")
                #expect(try await answer == "token")
                let decisions = try await stand.client.result("policy.list")["decisions"]
                #expect(decisions == [])
            }
        }

        @Test func `without a desktop the answer is no, at once`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"always\"")
                _ = try await stand.client.result("config.reload")
                #expect(try await programs.run(programs.good, Self.ask) == "not_allowed")
                let refusal = try await stand.refusal("token.get", ["account": "work"])
                #expect(refusal.message.contains("tokenctl policy answer"), "\(refusal)")
            }
        }

        @Test func `a client that answers is asked where there is no desktop`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"always\"")
                _ = try await stand.client.result("config.reload")
                _ = try await stand.client.result("events.subscribe", ["confirms": true])
                async let answer = programs.run(programs.good, Self.ask)
                var event = try await stand.client.nextReply()["params"]?.object
                while event?["type"] != "confirm_wanted" {
                    event = try await stand.client.nextReply()["params"]?.object
                }
                #expect(event?["client"]?.string == "exe:\(programs.good)")
                let other = try stand.daemon.connect()
                _ = try await other.result("confirm.answer", ["id": event?["id"] ?? .null, "answer": "once"])
                #expect(try await answer == "token")
            }
        }
    }
}
