// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
package import Secrets
import StrictJSON

/// The sealed content of the file store: the items with their attributes, one of each kind per account.
package struct StoreContents: Sendable, Equatable {
    package var items: [StoredItem]

    package init(items: [StoredItem] = []) {
        self.items = items
    }

    /// Reads what `encoded()` wrote; nil for anything else.
    package init?(_ plain: Secret) {
        let value = plain.withUnsafeBytes { try? JSONReader().read($0) }
        guard let entries = value?.object?["items"]?.array else { return nil }
        items = []
        for entry in entries {
            guard let object = entry.object, let account = object["account"]?.string,
                let secret = object["secret"]?.string
            else {
                return nil
            }
            // Files from before there were two kinds have no kind.
            let word = object["kind"]?.string ?? StoredItem.Kind.grant.rawValue
            guard let kind = StoredItem.Kind(rawValue: word) else { return nil }
            items.append(
                StoredItem(
                    kind: kind,
                    account: account,
                    issuer: object["issuer"]?.string ?? "",
                    clientID: object["client_id"]?.string ?? "",
                    label: object["label"]?.string ?? "",
                    secret: Secret(secret)
                )
            )
        }
    }

    /// As JSON; intermediate copies are freed without being wiped, except for the last and largest.
    package func encoded() -> Secret {
        let entries = items.map { item -> JSONValue in
            [
                "kind": .string(item.kind.rawValue), "account": .string(item.account), "issuer": .string(item.issuer),
                "client_id": .string(item.clientID), "label": .string(item.label),
                "secret": .string(item.secret.reveal()),
            ]
        }
        var bytes = JSONWriter.bytes(["items": .array(entries)])
        defer { bytes.wipe() }
        return Secret(bytes: bytes)
    }

    package func item(_ kind: StoredItem.Kind, account: String) -> StoredItem? {
        items.first { $0.kind == kind && $0.account == account }
    }

    /// Replaces the account's item of that kind.
    package mutating func put(_ item: StoredItem) {
        remove(item.kind, account: item.account)
        items.append(item)
    }

    package mutating func remove(_ kind: StoredItem.Kind, account: String) {
        items.removeAll { $0.kind == kind && $0.account == account }
    }
}
