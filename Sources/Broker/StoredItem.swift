// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
import StrictJSON
import Systemd

/// One item of the secret store as the broker sees it.
package struct StoredItem: Sendable, Equatable {
    /// The kind of an item; the raw value is its `kind` attribute.
    package enum Kind: String, Sendable, CaseIterable {
        /// A grant, or its tombstone.
        case grant
        /// The client's secrets of an account: a secret, a key, registrations.
        case client
        /// A grant that ended here, and whose provider has not been told yet.
        case revocation
    }

    package var kind: Kind
    package var account: String
    package var issuer: String
    package var clientID: String
    /// The label in the store's own program.
    package var label: String
    package var secret: Secret

    package init(
        kind: Kind = .grant,
        account: String,
        issuer: String,
        clientID: String,
        label: String,
        secret: Secret
    ) {
        self.kind = kind
        self.account = account
        self.issuer = issuer
        self.clientID = clientID
        self.label = label
        self.secret = secret
    }

    /// The content of its secret; nil if that is no JSON object.
    var json: JSONObject? { secret.withUnsafeBytes { (try? JSONReader().read($0))?.object } }

    /// A test item, under a name that no account can have.
    static func probe(_ name: String) -> StoredItem {
        StoredItem(account: name, issuer: "", clientID: "", label: "tokend: a probe", secret: Secret("probe"))
    }
}

extension CredentialStore {
    /// One account's grant; nil only if the store is open and has none.
    package func item(account: String) async throws(StoreError) -> StoredItem? {
        try await item(.grant, account: account)
    }

    /// Removes one account's grant.
    package func remove(account: String) async throws(StoreError) {
        try await remove(.grant, account: account)
    }

    /// - Throws: `newer` if a newer tokend wrote the account's grant, which this one must not replace or end.
    package func refuseNewer(account: String) async throws(StoreError) {
        if let item = try await item(account: account) { try GrantRecord.refuseNewer(item) }
    }

    /// Removes the grant that a logout has left, unless a newer tokend wrote it.
    package func finishRemoval(account: String) async throws(StoreError) {
        try await refuseNewer(account: account)
        try await remove(account: account)
    }
}
