// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

@testable import Systemd

/// sd-bus on the loop, against a real bus.
@Suite(.onLoop, .timeLimit(.minutes(1)))
struct BusTests {
    let daemon: PrivateBus

    init() throws {
        daemon = try PrivateBus()
    }

    @Test @LoopActor func `a call is answered while the loop goes round`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        #expect(try await bus.hasOwner("org.freedesktop.DBus", deadline: .seconds(5)))
        #expect(try await !bus.hasOwner("org.example.Nobody", deadline: .seconds(5)))
        #expect(bus.isOpen)
    }

    @Test @LoopActor func `every kind of value goes there and back`() async throws {
        let values: [BusValue] = [
            .byte(255), .bool(true), .int16(-2), .uint16(65535), .int32(-70000), .uint32(.max), .int64(.min),
            .uint64(.max), .double(0.5), .string("grüß 'dich'"), .objectPath("/org/example"), .signature("a{sv}"),
            .strings(["a", ""]), .array(of: "(si)", []),
            .array(of: "{sv}", [.entry(.string("Locked"), .variant(.bool(true)))]),
            .structure([.string("x"), .variant(.structure([.uint32(1), .array(of: "s", [])]))]),
        ]
        let peer = try await BusPeer("org.example.Echo", at: daemon.address) { _, arguments in arguments }
        let bus = try Bus(.at(daemon.address), loop: .main)
        let echo = BusCall(
            "org.example.Echo",
            path: "/echo",
            interface: "org.example.Echo",
            member: "Echo",
            arguments: values
        )
        #expect(try await bus.call(echo, deadline: .seconds(5)) == values)
        #expect(peer.calls.map(\.member) == ["Echo"])
        #expect(values[14][key: "Locked"]?.bool == true)
    }

    @Test @LoopActor func `a peer that does not answer is given up at the deadline`() async throws {
        let peer = try await BusPeer("org.example.Mute", at: daemon.address) { _, _ in nil }
        let bus = try Bus(.at(daemon.address), loop: .main)
        let call = BusCall("org.example.Mute", path: "/x", interface: "org.example.Mute", member: "Ask")
        let error = await #expect(throws: SystemdError.self) {
            try await bus.call(call, deadline: .milliseconds(20))
        }
        #expect(error?.code == ETIMEDOUT)
        #expect(peer.calls.count == 1)
    }

    @Test @LoopActor func `a refusal carries the error's name`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        let call = BusCall(
            "org.example.Nobody",
            path: "/x",
            interface: "org.example.X",
            member: "Ask",
            startsPeer: false
        )
        let error = await #expect(throws: SystemdError.self) {
            try await bus.call(call, deadline: .seconds(5))
        }
        let unowned = "org.freedesktop.DBus.Error.NameHasNoOwner"
        #expect(error?.busName == unowned || error?.busName == "org.freedesktop.DBus.Error.ServiceUnknown")
        #expect(error?.message.hasPrefix("cannot call Ask of org.example.Nobody: ") == true)
    }

    @Test @LoopActor func `malformed arguments are refused before anything is sent`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        for argument in [BusValue.objectPath("no path"), .string("a\0b"), .array(of: "s", [.bool(true)])] {
            let call = BusCall(
                "org.example.X",
                path: "/x",
                interface: "org.example.X",
                member: "Ask",
                arguments: [argument]
            )
            await #expect(throws: SystemdError.self) { try await bus.call(call, deadline: .seconds(5)) }
        }
    }

    @Test @LoopActor func `closing ends the calls under way`() async throws {
        let peer = try await BusPeer("org.example.Mute", at: daemon.address) { _, _ in nil }
        let bus = try Bus(.at(daemon.address), loop: .main)
        let call = BusCall("org.example.Mute", path: "/x", interface: "org.example.Mute", member: "Ask")
        let waiting = Task { @LoopActor in
            do throws(SystemdError) {
                _ = try await bus.call(call, deadline: .seconds(50))
                return Int32(0)
            } catch {
                return error.code
            }
        }
        await Task.yield()
        bus.close()
        #expect(await [ECANCELED, ENOTCONN].contains(waiting.value))
        #expect(!bus.isOpen)
        withExtendedLifetime(peer) {}
    }

    @Test @LoopActor func `where there is no bus, that is said at once or by the first call`() async throws {
        await #expect(throws: SystemdError.self) {
            let bus = try Bus(.at("unix:path=/nonexistent/bus"), loop: .main)
            _ = try await bus.hasOwner("org.freedesktop.DBus", deadline: .seconds(5))
        }
        #expect(throws: SystemdError.self) { try Bus(.at("nonsense"), loop: .main) }
    }

    @Test func `a rule is quoted as the bus reads it`() {
        let match = BusMatch(sender: "org.example.A", path: "/it's", member: "Gone")
        #expect(match.rule == #"type='signal',sender='org.example.A',path='/it'\''s',member='Gone'"#)
    }
}
