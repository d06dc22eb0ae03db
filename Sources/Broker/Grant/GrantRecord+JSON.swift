// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension GrantRecord {
    /// The version of the item's format that this daemon writes; newer ones are not read.
    static let version: Int64 = 1

    /// The item as stored.
    package func item(for account: AccountConfiguration) -> StoredItem {
        StoredItem(
            account: account.name,
            issuer: destination.issuer,
            clientID: destination.clientID,
            label: "tokend: \(account.name) at \(account.issuerHost)",
            secret: Secret(bytes: JSONWriter.bytes(.object(json)))
        )
    }

    private var json: JSONObject {
        var object: JSONObject = ["version": .integer(Self.version), "generation": .integer(generation)]
        object["refresh_token"] = refreshToken.map { .string($0.reveal()) }
        object["pending"] = pending.map {
            .object(["generation": .integer($0.generation), "sent_at": .integer($0.sentAt)])
        }
        object["rotates"] = rotates.map { .bool($0) }
        object["scope"] = .string(scope.text)
        object["added_scope"] = addedScope.map { .string($0.text) }
        object["narrowed_to"] = narrowedTo.map { .string($0.text) }
        object["narrowing_sticks"] = narrowingSticks.map { .bool($0) }
        object["subject"] = subject.map { .string($0) }
        object["identity"] = identity.map { .string($0) }
        object["metadata"] = metadata.map { .object($0.members) }
        object["destination"] = .object(destination.json)
        object["redirect_uri"] = redirectURI.map { .string($0) }
        if flow != .browser { object["flow"] = .string(flow.rawValue) }
        object["signed_in_at"] = .integer(signedInAt)
        object["refreshed_at"] = refreshedAt.map { .integer($0) }
        object["grant_expires_at"] = grantExpiresAt.map { .integer($0) }
        object["end_fixed"] = isEndFixed.map { .bool($0) }
        object["grant_life"] = grantLife.map { .integer($0) }
        object["token"] = token.map { .object($0.json) }
        object["untraded"] = untraded.map { .object($0.json) }
        object["ended"] = ended.map(Self.json)
        source.encode(into: &object)
        return object
    }

    private static func json(_ end: Ended) -> JSONValue {
        var object: JSONObject = ["reason": .string(end.reason.rawValue), "at": .integer(end.at)]
        object["oauth_error"] = end.oauthError.map { .string($0) }
        object["message"] = end.message.map { .string($0) }
        return .object(object)
    }

    /// Reads an item of the store.
    ///
    /// - Parameter now: the moment of reading, from which the held token's age is computed.
    /// - Throws: a sentence if the item cannot be used; it is left as it is.
    package static func read(_ item: StoredItem, at now: Moment) throws(StoreError) -> GrantRecord {
        let object = item.json
        guard let object, let version = object["version"]?.int64 else { throw unreadable(item) }
        guard version <= Self.version else { throw newer(item) }
        guard let scope = object["scope"]?.string, let signedInAt = object["signed_in_at"]?.int64,
            let destination = object["destination"]?.object.flatMap(GrantDestination.init(json:))
        else { throw unreadable(item) }
        var record = GrantRecord(scope: Scope(scope), destination: destination, signedInAt: signedInAt)
        record.refreshToken = object["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) }
        record.generation = object["generation"]?.int64 ?? 1
        record.pending = object["pending"]?.object.flatMap(Pending.init(json:))
        record.rotates = object["rotates"]?.bool
        record.addedScope = object["added_scope"]?.string.map { Scope($0) }
        record.narrowedTo = object["narrowed_to"]?.string.map { Scope($0) }
        record.narrowingSticks = object["narrowing_sticks"]?.bool
        record.redirectURI = object["redirect_uri"]?.string
        record.subject = object["subject"]?.string
        record.identity = object["identity"]?.string
        record.flow = object["flow"]?.string.map { LoginFlow(rawValue: $0) } ?? .browser
        record.metadata = object["metadata"]?.object.flatMap(LoginMetadata.init(stored:))
        record.refreshedAt = object["refreshed_at"]?.int64
        record.grantExpiresAt = object["grant_expires_at"]?.int64
        record.isEndFixed = object["end_fixed"]?.bool
        record.grantLife = object["grant_life"]?.int64
        record.token = object["token"]?.object.flatMap { HeldToken(json: $0, at: now) }
        record.untraded = object["untraded"]?.object.flatMap { HeldToken(json: $0, at: now) }
        record.ended = object["ended"]?.object.flatMap(Ended.init(json:))
        record.source = TokenSource(json: object)
        return record
    }

    /// - Throws: `newer` where a newer tokend wrote the item.
    package static func refuseNewer(_ item: StoredItem) throws(StoreError) {
        if item.isNewer(than: version) { throw newer(item) }
    }

    private static func newer(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .newer,
            message: "the grant of “\(item.account)” was written by a newer tokend and is left untouched; "
                + "update tokend, or sign out with the newer one"
        )
    }

    private static func unreadable(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .unreadable,
            message: "the item of “\(item.account)” in the secret store cannot be read; sign in again with: "
                + "tokenctl login \(item.account)"
        )
    }
}

extension GrantRecord.Pending {
    fileprivate init?(json: JSONObject) {
        guard let generation = json["generation"]?.int64, let sentAt = json["sent_at"]?.int64 else { return nil }
        self.init(generation: generation, sentAt: sentAt)
    }
}

extension GrantRecord.Ended {
    fileprivate init?(json: JSONObject) {
        guard let at = json["at"]?.int64 else { return nil }
        let reason = json["reason"]?.string.flatMap(EndReason.init(rawValue:)) ?? .ended
        self.init(
            reason: reason,
            oauthError: json["oauth_error"]?.string,
            message: json["message"]?.string,
            at: at
        )
    }
}

extension HeldToken {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "access_token": .string(accessToken.reveal()), "token_type": .string(tokenType),
            "scope": .string(scope.text), "issued_at": .integer(issuedAt),
        ]
        switch lifetime {
        case .seconds(let seconds): object["expires_in"] = .integer(seconds)
        case .elapsed: object["expires_in"] = .integer(0)
        case .unlimited: object["unlimited"] = true
        case .unknown: break
        }
        object["id_token"] = idToken.map { .string($0.reveal()) }
        object["id_token_expires_at"] = idTokenExpiresAt.map { .integer($0) }
        if !extra.isEmpty { object["extra"] = .object(extra) }
        return object
    }

    /// nil if it is not credible: an issue time in the future means that a clock was wrong.
    fileprivate init?(json: JSONObject, at now: Moment) {
        guard let token = json["access_token"]?.string, let type = json["token_type"]?.string,
            let scope = json["scope"]?.string, let issuedAt = json["issued_at"]?.int64, issuedAt <= now.wall
        else { return nil }
        let lifetime: Lifetime =
            switch json["expires_in"]?.int64 {
            case .some(let seconds) where seconds > 0: .seconds(min(seconds, Lifetime.longest))
            case .some: .elapsed
            case nil: json["unlimited"]?.bool == true ? .unlimited : .unknown
            }
        self.init(
            accessToken: Secret(token),
            tokenType: type,
            scope: Scope(scope),
            issuedAt: issuedAt,
            lifetime: lifetime,
            obtainedAtBoot: now.boot,
            ageThen: now.wall.subtractingSaturated(issuedAt),
            idToken: json["id_token"]?.string.map { Secret($0) },
            idTokenExpiresAt: json["id_token_expires_at"]?.int64,
            extra: json["extra"]?.object ?? [:]
        )
    }
}
