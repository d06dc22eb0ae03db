// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret
import Synchronization

/// A connection of the worker's own to the message bus. (The process's shared one would end the process with the bus.)
///
/// Unchecked because a raw pointer is not `Sendable`; a GDBusConnection may be used from every thread, and the loop
/// uses it for `abort()` alone.
final class BusConnection: @unchecked Sendable {
    let pointer: OpaquePointer

    init(address: String, cancellation: Cancellation) throws(GLibError) {
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        )
        let pointer = try GLibError.check {
            g_dbus_connection_new_for_address_sync(address, flags, nil, cancellation.pointer, $0)
        }
        guard let pointer else {
            throw GLibError(domain: tokend_gio_error_domain(), code: 0, message: "no connection to the message bus")
        }
        self.pointer = pointer
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Whether it is of no use any more.
    var isClosed: Bool { g_dbus_connection_is_closed(pointer) != 0 }

    /// Ends the connection without waiting, which ends every call on it, whatever it waits for. From any thread.
    func abort() {
        g_dbus_connection_close(pointer, nil, nil, nil)
    }

    /// The unique name that owns `name`; nil when nobody does.
    func owner(of name: String, cancellation: Cancellation) throws(GLibError) -> String? {
        do throws(GLibError) {
            return try ask("GetNameOwner", [g_variant_new_string(name)], cancellation) { answer in
                String(cString: g_variant_get_string(answer, nil))
            }
        } catch {
            guard error.matches(G_DBUS_ERROR_NAME_HAS_NO_OWNER) else { throw error }
            return nil
        }
    }

    /// Has the bus start whoever provides `name`; returns when it is there.
    func activate(_ name: String, cancellation: Cancellation) throws(GLibError) {
        try ask("StartServiceByName", [g_variant_new_string(name), g_variant_new_uint32(0)], cancellation) { _ in }
    }

    /// The process behind a name.
    func processID(of name: String, cancellation: Cancellation) throws(GLibError) -> Int32 {
        try ask("GetConnectionUnixProcessID", [g_variant_new_string(name)], cancellation) { answer in
            Int32(bitPattern: g_variant_get_uint32(answer))
        }
    }

    /// Calls the bus itself and reads the first value of its answer.
    private func ask<Result>(
        _ method: String,
        _ arguments: [OpaquePointer?],
        _ cancellation: Cancellation,
        read: (OpaquePointer?) -> Result
    ) throws(GLibError) -> Result {
        let reply = try GLibError.check { error in
            g_dbus_connection_call_sync(
                pointer,
                "org.freedesktop.DBus",
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus",
                method,
                g_variant_new_tuple(arguments, gsize(arguments.count)),
                nil,
                G_DBUS_CALL_FLAGS_NONE,
                -1,
                cancellation.pointer,
                error
            )
        }
        defer { g_variant_unref(reply) }
        let first = g_variant_get_child_value(reply, 0)
        defer { g_variant_unref(first) }
        return read(first)
    }
}
