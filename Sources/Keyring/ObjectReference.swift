// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// One reference to a GObject, released at the end. Worker's thread only.
final class ObjectReference<Object> {
    let pointer: UnsafeMutablePointer<Object>

    /// Takes ownership of the caller's reference.
    init(owned pointer: UnsafeMutablePointer<Object>) {
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer)
    }

    /// Takes ownership of a list and its references.
    static func list(owned list: UnsafeMutablePointer<GList>?) -> [ObjectReference<Object>] {
        defer { g_list_free(list) }
        var references: [ObjectReference<Object>] = []
        var node = list
        while let current = node {
            if let data = current.pointee.data {
                references.append(ObjectReference(owned: data.assumingMemoryBound(to: Object.self)))
            }
            node = current.pointee.next
        }
        return references
    }

    /// Passes the objects as a list for the duration of the call.
    static func withList<Result, Failure: Error>(
        of pointers: [UnsafeMutableRawPointer],
        _ body: (UnsafeMutablePointer<GList>?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var list: UnsafeMutablePointer<GList>?
        for pointer in pointers.reversed() {
            list = g_list_prepend(list, pointer)
        }
        defer { g_list_free(list) }
        return try body(list)
    }

    /// The object's path, for a GDBus proxy.
    var path: String {
        let proxy = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GDBusProxy.self)
        return String(cString: g_dbus_proxy_get_object_path(proxy))
    }
}
