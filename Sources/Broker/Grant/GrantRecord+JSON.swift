// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension GrantRecord: ItemRecord {
    package static let version: Int64 = 1

    package static let members: [Member<Self>] = [
        .defaulted("generation", \.generation),
        .optional("refresh_token", \.refreshToken, as: .nonEmpty),
        .optional("pending", \.pending),
        .optional("rotates", \.rotates),
        .required("scope", \.scope),
        .optional("added_scope", \.addedScope),
        .optional("narrowed_to", \.narrowedTo),
        .optional("narrowing_sticks", \.narrowingSticks),
        .optional("subject", \.subject),
        .optional("identity", \.identity),
        .optional("metadata", \.metadata),
        .required("destination", \.destination),
        .optional("redirect_uri", \.redirectURI),
        .unlessDefault("flow", \.flow),
        .required("signed_in_at", \.signedInAt),
        .optional("refreshed_at", \.refreshedAt),
        .optional("grant_expires_at", \.grantExpiresAt),
        .optional("end_fixed", \.isEndFixed),
        .optional("grant_life", \.grantLife),
        .optional("token", \.token),
        .optional("untraded", \.untraded),
        .optional("ended", \.ended),
        .optional("own_scope", \.source.ownScope),
    ]

    package init() {
        self.init(scope: Scope(), destination: GrantDestination(), signedInAt: 0)
    }

    /// The item as stored.
    package func item(for account: AccountConfiguration) -> StoredItem {
        StoredItem(
            account: account.name,
            issuer: destination.issuer,
            clientID: destination.clientID,
            label: "tokend: \(account.name) at \(account.issuerHost)",
            secret: secret
        )
    }

    /// Reads an item of the store.
    ///
    /// - Parameter now: the moment of reading, from which the held token's age is computed.
    /// - Throws: a sentence if the item cannot be used; it is left as it is.
    package static func read(_ item: StoredItem, at now: Moment) throws(StoreError) -> GrantRecord {
        var record = try GrantRecord(item)
        record.token = record.token?.aged(at: now)
        record.untraded = record.untraded?.aged(at: now)
        return record
    }

    package static func newer(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .newer,
            message: "the grant of “\(item.account)” was written by a newer tokend and is left untouched; "
                + "update tokend, or sign out with the newer one"
        )
    }

    package static func unreadable(_ item: StoredItem) -> StoreError {
        StoreError(
            code: .unreadable,
            message: "the item of “\(item.account)” in the secret store cannot be read; sign in again with: "
                + "tokenctl login \(item.account)"
        )
    }
}

extension GrantRecord.Pending: StoredRecord {
    package static let members: [Member<Self>] = [
        .required("generation", \.generation),
        .required("sent_at", \.sentAt),
    ]

    package init() {
        self.init(generation: 0, sentAt: 0)
    }
}

extension GrantRecord.Ended: StoredRecord {
    package static let members: [Member<Self>] = [
        // A reason of a newer daemon is read as that of an empty record.
        .defaulted("reason", \.reason, as: .word(of: EndReason.allCases)),
        .required("at", \.at),
        .optional("oauth_error", \.oauthError),
        .optional("message", \.message),
    ]

    package init() {
        self.init(reason: .ended, at: 0)
    }
}

extension Scope: JSONRepresentable {
    package static let form = String.form.map {
        Scope($0)
    } back: {
        $0.text
    }
}

extension HeldToken: StoredRecord {
    package static let members: [Member<Self>] = [
        .required("access_token", \.accessToken),
        .required("token_type", \.tokenType),
        .required("scope", \.scope),
        .required("issued_at", \.issuedAt),
        .optional("expires_in", \.storedLife),
        .unlessDefault("unlimited", \.isUnlimited),
        .optional("id_token", \.idToken),
        .optional("id_token_expires_at", \.idTokenExpiresAt),
        .unlessDefault("extra", \.extra, as: JSONObject.form.map(\.asExtra) { $0 }),
    ]

    package init() {
        self.init(
            accessToken: Secret(""),
            tokenType: "",
            scope: Scope(),
            issuedAt: 0,
            lifetime: .unknown,
            obtainedAtBoot: BootInstant(microseconds: 0)
        )
    }

    /// Seconds; 0 for a life that was over when the provider stated it.
    fileprivate var storedLife: Int64? {
        get {
            switch lifetime {
            case .seconds(let seconds): seconds
            case .elapsed: 0
            case .unlimited, .unknown: nil
            }
        }
        set {
            guard let newValue else { return }
            lifetime = newValue > 0 ? .seconds(min(newValue, Lifetime.longest)) : .elapsed
        }
    }

    /// Counts where no seconds are stored.
    fileprivate var isUnlimited: Bool {
        get { lifetime == .unlimited }
        set { if newValue, lifetime == .unknown { lifetime = .unlimited } }
    }

    /// The token with its age at the moment of reading; nil if it is not credible: an issue time in the future means
    /// that a clock was wrong.
    fileprivate func aged(at now: Moment) -> HeldToken? {
        guard issuedAt <= now.wall else { return nil }
        var token = self
        token.obtainedAtBoot = now.boot
        token.ageThen = now.wall.subtractingSaturated(issuedAt)
        return token
    }
}
