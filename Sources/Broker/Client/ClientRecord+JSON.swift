// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON

extension ClientRecord {
    /// The version of the item's format that this daemon writes; newer ones are not read.
    static let version: Int64 = 1

    /// The item as stored.
    package func item(for account: AccountConfiguration) -> StoredItem {
        StoredItem(
            kind: .client,
            account: account.name,
            issuer: account.issuerName,
            clientID: account.registersClient ? registrations.last?.clientID ?? "" : account.clientID,
            label: "tokend: the client of \(account.name) at \(account.issuerHost)",
            secret: Secret(bytes: JSONWriter.bytes(.object(json)))
        )
    }

    private var json: JSONObject {
        var object: JSONObject = ["version": .integer(Self.version)]
        for kind in ClientSecretKind.allCases {
            guard let given = self[kind] else { continue }
            object[kind.rawValue] = [
                "value": .string(given.value.reveal()), "destination": .object(given.destination.json),
            ]
        }
        object["registrations"] = .array(registrations.map { .object($0.json) })
        return object
    }

    /// Reads an item of the store.
    ///
    /// - Throws: a sentence where the item cannot be used; it is left as it is.
    package static func read(_ item: StoredItem) throws(StoreError) -> ClientRecord {
        let object = item.json
        guard let object, let version = object["version"]?.int64 else {
            throw StoreError(
                code: .unreadable,
                message: "the client's item of “\(item.account)” in the secret store cannot be read; give the secret "
                    + "again with: tokenctl account secret \(item.account)"
            )
        }
        guard version <= Self.version else { throw newer(item) }
        var record = ClientRecord()
        for kind in ClientSecretKind.allCases {
            record[kind] = object[kind.rawValue]?.object.flatMap(Given.init(json:))
        }
        record.registrations = (object["registrations"]?.array ?? [])
            .compactMap { $0.object.flatMap(ClientRegistration.init(json:)) }
        return record
    }

    /// - Throws: `newer` where a newer tokend wrote the item.
    package static func refuseNewer(_ item: StoredItem) throws(StoreError) {
        if item.isNewer(than: version) { throw newer(item) }
    }

    private static func newer(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .newer,
            message: "the client's item of “\(item.account)” was written by a newer tokend and is left untouched; "
                + "update tokend"
        )
    }
}

extension ClientRecord.Given {
    fileprivate init?(json: JSONObject) {
        guard let value = json["value"]?.string, !value.isEmpty,
            let destination = json["destination"]?.object.flatMap(ClientDestination.init(json:))
        else { return nil }
        self.init(value: Secret(value), destination: destination)
    }
}

extension ClientRegistration {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "destination": .object(destination.json), "client_id": .string(clientID),
            "token_endpoint_auth_method": .string(authentication),
            "redirect_uris": .array(redirectURIs.map { .string($0) }), "registered_at": .integer(registeredAt),
        ]
        object["client_secret"] = clientSecret.map { .string($0.reveal()) }
        object["client_secret_expires_at"] = secretExpiresAt.map { .integer($0) }
        object["registration_access_token"] = registrationAccessToken.map { .string($0.reveal()) }
        object["registration_client_uri"] = registrationClientURI.map { .string($0) }
        if takesDeviceCodes { object["device"] = true }
        if isRefused { object["refused"] = true }
        return object
    }

    fileprivate init?(json: JSONObject) {
        guard let destination = json["destination"]?.object.flatMap(ClientDestination.init(json:)),
            let clientID = json["client_id"]?.string,
            let authentication = json["token_endpoint_auth_method"]?.string,
            let registeredAt = json["registered_at"]?.int64
        else { return nil }
        self.init(
            destination: destination,
            clientID: clientID,
            authentication: authentication,
            redirectURIs: json["redirect_uris"]?.array?.compactMap(\.string) ?? [],
            registeredAt: registeredAt
        )
        clientSecret = json["client_secret"]?.string.map { Secret($0) }
        secretExpiresAt = json["client_secret_expires_at"]?.int64
        registrationAccessToken = json["registration_access_token"]?.string.map { Secret($0) }
        registrationClientURI = json["registration_client_uri"]?.string
        takesDeviceCodes = json["device"]?.bool ?? false
        isRefused = json["refused"]?.bool ?? false
    }
}
