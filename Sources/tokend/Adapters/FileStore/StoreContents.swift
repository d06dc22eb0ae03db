// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
package import Members
package import Secrets
import StrictJSON

/// The sealed content of the file store: the items with their attributes, one of each kind per account.
package struct StoreContents: Sendable, Equatable {
    package var items: [StoredItem]

    package init(items: [StoredItem]) {
        self.items = items
    }

    /// Reads what `encoded()` wrote; nil for anything else.
    package init?(_ plain: Secret) {
        let value = plain.withUnsafeBytes { try? JSONReader().read($0) }
        guard let object = value?.object, let contents = try? StoreContents(reading: MemberReader(object)) else {
            return nil
        }
        self = contents
    }

    /// As JSON; intermediate copies are freed without being wiped, except for the last and largest.
    package func encoded() -> Secret {
        var bytes = JSONWriter.bytes(.object(declaredMembers))
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

extension StoreContents: Record {
    package static let members: [Member<Self>] = [.required("items", \.items)]

    package init() {
        self.init(items: [])
    }
}

extension StoredItem: StoredRecord {
    package static let members: [Member<Self>] = [
        .defaulted("kind", \.kind, as: kinds, isNeeded: true),
        .required("account", \.account),
        .defaulted("issuer", \.issuer),
        .defaulted("client_id", \.clientID),
        .defaulted("label", \.label),
        .required("secret", \.secret),
    ]

    package init() {
        self.init(account: "", issuer: "", clientID: "", label: "", secret: Secret(""))
    }

    /// Files from before there were two kinds have no kind. An item of an unknown kind cannot be read.
    private static let kinds = JSONForm<Kind>(
        expectation: String.form.expectation,
        plural: String.form.plural,
        read: { $0.string.map(Kind.init(rawValue:)) ?? .grant },
        write: { .string($0.rawValue) }
    )
}
