// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret
import Secrets

/// The Secret Service methods that may raise a prompt, called without libsecret, whose waits for prompts may never end.
/// Each returns whether it was done; false if the user did not agree.
extension StoreSession.Opened {
    /// Unlocks collections or items.
    func unlock(_ paths: [String], _ cancellation: Cancellation) throws(GLibError) -> Bool {
        let objects = paths.map { g_variant_new_object_path($0) }
        return try perform(
            target("/org/freedesktop/secrets", "Service", "Unlock"),
            [g_variant_new_array(nil, objects, gsize(objects.count))],
            returning: "(aoo)",
            cancellation
        )
    }

    /// Removes an item; a missing one counts as removed.
    func delete(_ path: String, _ cancellation: Cancellation) throws(GLibError) -> Bool {
        do throws(GLibError) {
            return try perform(target(path, "Item", "Delete"), [], returning: "(o)", cancellation)
        } catch {
            // It was removed already.
            let isGone =
                error.matches(SECRET_ERROR_NO_SUCH_OBJECT)
                || error.matches(G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_UNKNOWN_METHOD)
            guard isGone else { throw error }
            return true
        }
    }

    /// Changes the secret of an existing item, without a prompt.
    func setSecret(of path: String, to secret: Secret, _ cancellation: Cancellation) throws(GLibError) {
        let target = target(path, "Item", "SetSecret")
        try connection.call(target, [encoded(secret)], returning: "()", cancellation) { _ in }
    }

    private func encoded(_ secret: Secret) -> OpaquePointer? {
        let value = secret.withUnsafeBytes { bytes in
            secret_value_new(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                gssize(bytes.count),
                "application/json"
            )
        }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        return secret_service_encode_dbus_secret(service.pointer, value)
    }

    /// Creates an item in a collection, replacing the one with the same attributes.
    func create(
        _ item: KeyringItem,
        schema: String,
        in collection: String,
        _ cancellation: Cancellation
    ) throws(GLibError) -> Bool {
        let attributes = item.attributes.merging(["xdg:schema": schema]) { $1 }
        let properties = [
            "org.freedesktop.Secret.Item.Label": g_variant_new_string(item.label),
            "org.freedesktop.Secret.Item.Attributes": Self.dictionary(
                attributes.mapValues { g_variant_new_string($0) }
            ),
        ]
        let arguments = [
            Self.dictionary(properties.mapValues { g_variant_new_variant($0) }),
            encoded(item.secret),
            g_variant_new_boolean(1),
        ]
        return try perform(
            target(collection, "Collection", "CreateItem"),
            arguments,
            returning: "(oo)",
            cancellation
        )
    }

    /// Calls a method whose answer ends with the path of a prompt, and runs that prompt.
    private func perform(
        _ target: MethodTarget,
        _ arguments: [OpaquePointer?],
        returning type: String,
        _ cancellation: Cancellation
    ) throws(GLibError) -> Bool {
        let path = try connection.call(target, arguments, returning: type, cancellation) { members in
            members.last.map { String(cString: g_variant_get_string($0, nil)) } ?? "/"
        }
        return try Prompt(path: path, of: provider.owner, on: connection)?.run(cancellation) ?? true
    }

    private func target(_ path: String, _ interface: String, _ method: String) -> MethodTarget {
        MethodTarget(
            name: provider.owner,
            path: path,
            interface: "org.freedesktop.Secret.\(interface)",
            method: method
        )
    }

    /// A non-empty dictionary.
    private static func dictionary(_ members: [String: OpaquePointer?]) -> OpaquePointer? {
        let entries = members.map { g_variant_new_dict_entry(g_variant_new_string($0.key), $0.value) }
        return g_variant_new_array(nil, entries, gsize(entries.count))
    }
}
