// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

@testable import Systemd

/// What is watched on the bus, and the user manager.
@Suite(.onLoop, .timeLimit(.minutes(1)))
struct BusWatchTests {
    let daemon: PrivateBus

    init() throws {
        daemon = try PrivateBus()
    }

    @Test @LoopActor func `the owner of a name is watched`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        let (events, told) = AsyncStream<String?>.makeStream()
        let slot = try bus.watchOwner(of: "org.example.Watched") { told.yield($0) }
        _ = try await bus.hasOwner("org.example.Watched", deadline: .seconds(5))
        let peer = try await BusPeer("org.example.Watched", at: daemon.address)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next()??.hasPrefix(":1.") == true)
        peer.bus.close()
        #expect(await iterator.next() == .some(nil))
        slot.cancel()
    }

    @Test @LoopActor func `the machine's sleep and its end are told`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        let (events, told) = AsyncStream<Bool>.makeStream()
        let slot = try SleepWatch.start(on: bus) { told.yield($0) }
        let logind = try await BusPeer("org.freedesktop.login1", at: daemon.address)
        _ = try await bus.hasOwner("org.freedesktop.login1", deadline: .seconds(5))
        for isGoingToSleep in [true, false] {
            try logind.emit(
                path: "/org/freedesktop/login1",
                interface: "org.freedesktop.login1.Manager",
                member: "PrepareForSleep",
                [.bool(isGoingToSleep)]
            )
        }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == true)
        #expect(await iterator.next() == false)
        slot.cancel()
    }

    @Test @LoopActor func `the Secret Service's coming, locks and going are told`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        let (events, told) = AsyncStream<SecretServiceWatch.Event>.makeStream()
        let watch = try SecretServiceWatch(on: bus) { told.yield($0) }
        _ = try await bus.hasOwner(SecretServiceWatch.name, deadline: .seconds(5))
        let provider = try await BusPeer(SecretServiceWatch.name, at: daemon.address)
        let login = "/org/freedesktop/secrets/collection/login"
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .appeared)
        try provider.emit(
            path: login,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            [
                .string("org.freedesktop.Secret.Collection"),
                .array(of: "{sv}", [.entry(.string("Locked"), .variant(.bool(true)))]), .strings([]),
            ]
        )
        #expect(await iterator.next() == .lockChanged(collection: login, isLocked: true))
        try provider.emit(
            path: "/org/freedesktop/secrets",
            interface: "org.freedesktop.Secret.Service",
            member: "CollectionChanged",
            [.objectPath(login)]
        )
        #expect(await iterator.next() == .collectionChanged(collection: login))
        provider.bus.close()
        #expect(await iterator.next() == .vanished)
        watch.cancel()
    }

    @Test(arguments: ["done", "failed"])
    @LoopActor
    func `the user manager starts a program, and the result of its start is known`(result: String) async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        var manager: BusPeer?
        manager = try await BusPeer("org.freedesktop.systemd1", at: daemon.address) { _, arguments in
            // Before the reply, as a quick job may.
            try? manager?.emit(
                path: "/org/freedesktop/systemd1",
                interface: "org.freedesktop.systemd1.Manager",
                member: "JobRemoved",
                [.uint32(1), .objectPath("/org/freedesktop/systemd1/job/1"), arguments[0], .string(result)]
            )
            return [.objectPath("/org/freedesktop/systemd1/job/1")]
        }
        let program = TransientProgram(
            description: "Sign in",
            unitPrefix: "tokend-browser",
            arguments: ["xdg-open", "https://login.example.com/?a=b&c='d e'"],
            environment: ["DISPLAY": ":1"]
        )
        var outcome = "done"
        do throws(SystemdError) {
            try await UserManager.start(program, on: bus, deadline: .seconds(5))
        } catch {
            outcome = error.message
        }
        #expect(
            outcome == (result == "done" ? "done" : "cannot start xdg-open: the unit's start ended as failed")
        )
        let arguments = try #require(manager?.calls.first?.arguments)
        let unit = try #require(arguments[0].text)
        #expect(unit.hasPrefix("tokend-browser-\(getpid())-") && unit.hasSuffix(".service"))
        #expect(arguments == UserManager.arguments(unit: unit, program))
        manager = nil
    }

    @Test @LoopActor func `without a user manager no program is started`() async throws {
        let bus = try Bus(.at(daemon.address), loop: .main)
        let program = TransientProgram(description: "x", unitPrefix: "x", arguments: ["true"])
        await #expect(throws: SystemdError.self) {
            try await UserManager.start(program, on: bus, deadline: .seconds(5))
        }
    }
}
