// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
import Secrets

extension ClientRecord: ItemRecord {
    package static let version: Int64 = 1

    package static let members: [Member<Self>] =
        ClientSecretKind.allCases.map { kind in .optional(kind.rawValue, \.[kind]) }
        + [.defaulted("registrations", \.registrations)]

    /// The item as stored.
    package func item(for account: AccountConfiguration) -> StoredItem {
        StoredItem(
            kind: .client,
            account: account.name,
            issuer: account.issuerName,
            clientID: account.registersClient ? registrations.last?.clientID ?? "" : account.clientID,
            label: "tokend: the client of \(account.name) at \(account.issuerHost)",
            secret: secret
        )
    }

    /// Reads an item of the store.
    ///
    /// - Throws: a sentence if the item cannot be used; it is left as it is.
    package static func read(_ item: StoredItem) throws(StoreError) -> ClientRecord { try ClientRecord(item) }

    package static func newer(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .newer,
            message: "the client's item of “\(item.account)” was written by a newer tokend and is left untouched; "
                + "update tokend"
        )
    }

    package static func unreadable(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .unreadable,
            message: "the client's item of “\(item.account)” in the secret store cannot be read; give the secret "
                + "again with: tokenctl account secret \(item.account)"
        )
    }
}

extension ClientRecord.Given: StoredRecord {
    package static let members: [Member<Self>] = [
        .required("value", \.value, as: .nonEmpty),
        .required("destination", \.destination),
    ]

    package init() {
        self.init(value: Secret(""), destination: ClientDestination())
    }
}

extension ClientRegistration: StoredRecord {
    package static let members: [Member<Self>] = [
        .required("destination", \.destination),
        .required("client_id", \.clientID),
        .required("token_endpoint_auth_method", \.authentication),
        .defaulted("redirect_uris", \.redirectURIs),
        .required("registered_at", \.registeredAt),
        .optional("client_secret", \.clientSecret),
        .optional("client_secret_expires_at", \.secretExpiresAt),
        .optional("registration_access_token", \.registrationAccessToken),
        .optional("registration_client_uri", \.registrationClientURI),
        .unlessDefault("device", \.takesDeviceCodes),
        .unlessDefault("refused", \.isRefused),
    ]

    package init() {
        self.init(
            destination: ClientDestination(),
            clientID: "",
            authentication: "",
            redirectURIs: [],
            registeredAt: 0
        )
    }
}
