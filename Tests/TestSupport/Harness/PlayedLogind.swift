// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A played logind on a session's bus, which a daemon takes for the system's with `variables`: it says that the machine
/// goes to sleep, or wakes.
package final class PlayedLogind: Sendable {
    private let process: ChildProcess
    /// What a daemon that is to hear it gets into its environment.
    package let variables: [String: String]

    /// Starts it, and returns once it has its name.
    package static func start(on session: KeyringSession) async throws -> PlayedLogind {
        let logind = try PlayedLogind(session)
        _ = try await logind.process.line(within: .seconds(20)) { $0 == "ready" }
        return logind
    }

    private init(_ session: KeyringSession) throws {
        variables = ["DBUS_SYSTEM_BUS_ADDRESS": session.busAddress]
        process = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.program],
            environment: session.environment,
            input: .pipe
        )
    }

    /// Says that the machine is about to sleep, or is back.
    package func prepareForSleep(_ isGoingToSleep: Bool) {
        process.write(Array((isGoingToSleep ? "sleep\n" : "wake\n").utf8))
    }

    private static let program = """
        import os, sys
        from gi.repository import Gio, GLib
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        def told(source, condition):
            lines = os.read(0, 4096).split()
            if not lines:
                sys.exit()
            for line in lines:
                bus.emit_signal(None, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
                                GLib.Variant("(b)", (line == b"sleep",)))
            return True
        Gio.bus_own_name_on_connection(bus, "org.freedesktop.login1", 0, lambda *_: print("ready", flush=True), None)
        GLib.io_add_watch(sys.stdin, GLib.IO_IN, told)
        GLib.MainLoop().run()
        """
}
