// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
package import Secrets
import StrictJSON

/// What is sealed in the file store: the items, one an account, attributes and all.
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
            items.append(
                StoredItem(
                    account: account,
                    issuer: object["issuer"]?.string ?? "",
                    clientID: object["client_id"]?.string ?? "",
                    label: object["label"]?.string ?? "",
                    secret: Secret(secret)
                )
            )
        }
    }

    /// As JSON; what is revealed on the way is freed unwiped, but for the last and largest copy.
    package func encoded() -> Secret {
        let entries = items.map { item -> JSONValue in
            [
                "account": .string(item.account), "issuer": .string(item.issuer), "client_id": .string(item.clientID),
                "label": .string(item.label), "secret": .string(item.secret.reveal()),
            ]
        }
        var bytes = JSONWriter.bytes(["items": .array(entries)])
        defer { bytes.wipe() }
        return Secret(bytes: bytes)
    }

    package func item(account: String) -> StoredItem? {
        items.first { $0.account == account }
    }

    /// Takes the place of the account's item.
    package mutating func put(_ item: StoredItem) {
        remove(account: item.account)
        items.append(item)
    }

    package mutating func remove(account: String) {
        items.removeAll { $0.account == account }
    }
}
