// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
import StrictJSON
import Systemd

/// One item of the secret store as the broker sees it.
package struct StoredItem: Sendable, Equatable {
    /// What an item holds; the raw value is its `kind` attribute.
    package enum Kind: String, Sendable, CaseIterable {
        /// A grant, or what is left of one.
        case grant
        /// What the account's client authenticates with: a secret, a key, registrations.
        case client
        /// A grant that ended here, and that its provider has not been told of yet.
        case revocation
    }

    package var kind: Kind
    package var account: String
    package var issuer: String
    package var clientID: String
    /// What a user sees in the store's own program.
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

    /// What its secret says; nil where that is no JSON object.
    var json: JSONObject? { secret.withUnsafeBytes { (try? JSONReader().read($0))?.object } }

    /// Whether a tokend wrote it that knows a newer form than this one.
    func isNewer(than version: Int64) -> Bool { json?["version"]?.int64.map { $0 > version } ?? false }

    /// Something to try a store with, under a name that no account can have.
    static func probe(_ name: String) -> StoredItem {
        StoredItem(account: name, issuer: "", clientID: "", label: "tokend: a probe", secret: Secret("probe"))
    }
}

extension CredentialStore {
    /// One account's grant; nil only where the store is open and has none.
    package func item(account: String) async throws(StoreError) -> StoredItem? {
        try await item(.grant, account: account)
    }

    /// Removes one account's grant.
    package func remove(account: String) async throws(StoreError) {
        try await remove(.grant, account: account)
    }

    /// - Throws: `newer` where a newer tokend wrote the account's grant, which is then not this one's to replace or to end.
    package func refuseNewer(account: String) async throws(StoreError) {
        if let item = try await item(account: account) { try GrantRecord.refuseNewer(item) }
    }

    /// Removes the grant that a sign-out has left, unless a newer tokend wrote it.
    package func finishRemoval(account: String) async throws(StoreError) {
        try await refuseNewer(account: account)
        try await remove(account: account)
    }
}
