// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The address of the session's message bus.
package enum SessionBusAddress {
    /// `DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` of the runtime directory if there is one; nil if neither. The
    /// socket also replaces a dead address, such as one that an earlier session has left in the user manager's
    /// environment.
    ///
    /// GLib's own search would start an X11 helper program as its last resort; a daemon never does.
    package static func resolve(environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            return replacement(environment: environment) ?? address
        }
        guard let path = socket(environment), access(path, F_OK) == 0 else { return nil }
        return "unix:path=\(escaped(path))"
    }

    /// The runtime directory's bus, if it answers and the environment's address is dead; else nil.
    package static func replacement(environment: [String: String]) -> String? {
        guard let named = environment["DBUS_SESSION_BUS_ADDRESS"], !named.isEmpty, BusAddress(named).isStale,
            let path = socket(environment), BusAddress.fault(at: path) == nil
        else { return nil }
        return "unix:path=\(escaped(path))"
    }

    /// This process's relevant variables. Not through Foundation, which would slow down the program's start.
    package static var ownEnvironment: [String: String] {
        var environment: [String: String] = [:]
        for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }

    private static func socket(_ environment: [String: String]) -> String? {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        return "\(runtime)/bus"
    }

    /// The D-Bus specification, "Server Addresses": every byte but [-0-9A-Za-z_/.\\*] is written as %XX.
    private static func escaped(_ path: String) -> String {
        let plain = Set("-_/.*0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        let digits = Array("0123456789abcdef".utf8)
        let bytes = path.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
