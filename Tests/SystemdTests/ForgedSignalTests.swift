// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Testing

@testable import Systemd

/// Signals that somebody else on the bus makes up, to everyone and to the daemon alone.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ForgedSignalTests {
    private let daemon: PrivateBus

    init() throws {
        daemon = try PrivateBus()
    }

    private static let sleep = (
        path: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep"
    )
    private static let store = (
        path: "/org/freedesktop/secrets", interface: "org.freedesktop.Secret.Service", member: "CollectionChanged"
    )

    @Test @LoopActor func `the machine's sleep, a store's change and a name's owner are told by their owners alone`()
        async throws
    {
        let bus = try Bus(.at(daemon.address), loop: .main)
        let (events, told) = AsyncStream<String>.makeStream()
        let sleep = try SleepWatch.start(on: bus) { told.yield("sleep \($0)") }
        let store = try SecretServiceWatch(on: bus) { told.yield("store \($0)") }
        let owner = try bus.watchOwner(of: "org.example.Watched") { told.yield("owner \($0 ?? "none")") }
        _ = try await bus.hasOwner("org.example.Watched", deadline: .seconds(5))
        let logind = try await BusPeer("org.freedesktop.login1", at: daemon.address)
        let stranger = try await BusPeer("org.example.Stranger", at: daemon.address)
        let name = try #require(bus.uniqueName)
        for destination in [nil, name] {
            func forge(_ signal: (path: String, interface: String, member: String), _ arguments: [BusValue]) throws {
                try stranger.emit(
                    path: signal.path,
                    interface: signal.interface,
                    member: signal.member,
                    arguments,
                    to: destination
                )
            }
            try forge(Self.sleep, [.bool(false)])
            try forge(Self.store, [.objectPath("/org/freedesktop/secrets/collection/forged")])
            try forge(
                ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged"),
                [.string("org.example.Watched"), .string(""), .string(":1.99")]
            )
        }
        // The bus has passed on what the stranger sent once it answers the stranger.
        _ = try await stranger.bus.hasOwner("org.example.Watched", deadline: .seconds(5))
        let genuine = Self.sleep
        try logind.emit(path: genuine.path, interface: genuine.interface, member: genuine.member, [.bool(true)])
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "sleep true")
        sleep.cancel()
        store.cancel()
        owner.cancel()
    }
}

extension Bus {
    /// The name that the bus gave this connection.
    fileprivate var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        return sd_bus_get_unique_name(bus, &name) < 0 ? nil : name.map { String(cString: $0) }
    }
}
