// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret

/// Attributes as a GLib hash table.
final class AttributeTable {
    let pointer: OpaquePointer

    init(_ attributes: [String: String]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            g_hash_table_insert(pointer, g_strdup(name), g_strdup(value))
        }
    }

    deinit {
        g_hash_table_unref(pointer)
    }

    /// Takes ownership of a table.
    static func dictionary(owned table: OpaquePointer?) -> [String: String] {
        guard let table else { return [:] }
        defer { g_hash_table_unref(table) }
        var attributes: [String: String] = [:]
        var iterator = GHashTableIter()
        g_hash_table_iter_init(&iterator, table)
        var name: gpointer?
        var value: gpointer?
        while g_hash_table_iter_next(&iterator, &name, &value) != 0 {
            guard let name, let value else { continue }
            attributes[String(cString: name.assumingMemoryBound(to: CChar.self))] =
                String(cString: value.assumingMemoryBound(to: CChar.self))
        }
        return attributes
    }
}
