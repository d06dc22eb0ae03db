// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret
import Synchronization

/// The worker's private connection to the message bus. (The shared one would exit the process when the bus ends.)
///
/// Worker's thread only.
final class BusConnection {
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

    /// Whether it is closed.
    var isClosed: Bool { g_dbus_connection_is_closed(pointer) != 0 }

    /// The unique name that owns `name`; nil if it has no owner.
    func owner(of name: String, cancellation: Cancellation) throws(GLibError) -> String? {
        do throws(GLibError) {
            return try call(.bus("GetNameOwner"), [g_variant_new_string(name)], returning: "(s)", cancellation) {
                String(cString: g_variant_get_string($0[0], nil))
            }
        } catch {
            guard error.matches(G_DBUS_ERROR_NAME_HAS_NO_OWNER) else { throw error }
            return nil
        }
    }

    /// Has the bus start the provider of `name`; returns when it owns the name.
    func activate(_ name: String, cancellation: Cancellation) throws(GLibError) {
        let arguments = [g_variant_new_string(name), g_variant_new_uint32(0)]
        try call(.bus("StartServiceByName"), arguments, returning: "(u)", cancellation) { _ in }
    }

    /// The process that owns a name.
    func processID(of name: String, cancellation: Cancellation) throws(GLibError) -> Int32 {
        try call(.bus("GetConnectionUnixProcessID"), [g_variant_new_string(name)], returning: "(u)", cancellation) {
            Int32(bitPattern: g_variant_get_uint32($0[0]))
        }
    }

    /// Calls a method and reads its answer.
    ///
    /// - Parameters:
    ///   - arguments: floating references, consumed.
    ///   - type: the type string of the whole answer; an answer of another type is an error.
    ///   - limit: how long the answer may take; nil for GDBus's own 25 s.
    ///   - read: gets the answer's members.
    func call<Result>(
        _ target: MethodTarget,
        _ arguments: [OpaquePointer?] = [],
        returning type: String,
        within limit: Duration? = nil,
        _ cancellation: Cancellation,
        read: ([OpaquePointer?]) -> Result
    ) throws(GLibError) -> Result {
        let replyType = g_variant_type_new(type)
        defer { g_variant_type_free(replyType) }
        let reply = try GLibError.check { error in
            g_dbus_connection_call_sync(
                pointer,
                target.name,
                target.path,
                target.interface,
                target.method,
                g_variant_new_tuple(arguments, gsize(arguments.count)),
                replyType,
                G_DBUS_CALL_FLAGS_NO_AUTO_START,
                limit.map { gint($0 / .milliseconds(1)) } ?? -1,
                cancellation.pointer,
                error
            )
        }
        defer { g_variant_unref(reply) }
        let members = (0..<g_variant_n_children(reply)).map { g_variant_get_child_value(reply, $0) }
        defer { members.forEach { g_variant_unref($0) } }
        return read(members)
    }

    /// Calls a method and ignores the result.
    ///
    /// - Parameter arguments: floating references, consumed.
    func notify(_ target: MethodTarget, _ arguments: [OpaquePointer?] = []) {
        g_dbus_connection_call(
            pointer,
            target.name,
            target.path,
            target.interface,
            target.method,
            g_variant_new_tuple(arguments, gsize(arguments.count)),
            nil,
            G_DBUS_CALL_FLAGS_NO_AUTO_START,
            -1,
            nil,
            nil,
            nil
        )
    }
}

/// A method of an object on the bus.
struct MethodTarget {
    let name: String
    let path: String
    let interface: String
    let method: String

    /// A method of the bus itself.
    static func bus(_ method: String) -> MethodTarget {
        MethodTarget(
            name: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            method: method
        )
    }
}
