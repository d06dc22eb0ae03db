// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Where the session's message bus is.
package enum SessionBusAddress {
    /// `DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` of the runtime directory if there is one; nil when neither.
    ///
    /// GLib's own search would start an X11 helper program as its last resort; a daemon never does.
    package static func resolve(environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            return address
        }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        let path = "\(runtime)/bus"
        return access(path, F_OK) == 0 ? "unix:path=\(escaped(path))" : nil
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
