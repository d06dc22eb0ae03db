// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
import Secrets
import StrictJSON

/// A record that an item of the secret store holds, with the version of its form.
package protocol ItemRecord: StoredRecord {
    /// The version that this daemon writes; it reads no newer one.
    static var version: Int64 { get }

    /// The error for an item that cannot be read.
    static func unreadable(_ item: StoredItem) -> StoreError

    /// The error for an item that a newer tokend wrote.
    static func newer(_ item: StoredItem) -> StoreError
}

extension ItemRecord {
    /// The record as an item's secret holds it.
    var secret: Secret {
        let members = declaredMembers.map { ($0.name, $0.value) }
        return Secret(bytes: JSONWriter.bytes(.object(JSONObject([("version", .integer(Self.version))] + members))))
    }

    /// Reads an item of the store.
    ///
    /// - Throws: a sentence where the item cannot be used; it is left as it is.
    init(_ item: StoredItem) throws(StoreError) {
        guard let object = item.json, let version = object["version"]?.int64 else { throw Self.unreadable(item) }
        guard version <= Self.version else { throw Self.newer(item) }
        guard let record = Self(stored: object) else { throw Self.unreadable(item) }
        self = record
    }

    /// - Throws: `newer` where a newer tokend wrote the item.
    package static func refuseNewer(_ item: StoredItem) throws(StoreError) {
        if let written = item.json?["version"]?.int64, written > version { throw newer(item) }
    }
}
