// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import TokendProtocol

/// A login with a known user: only storing the grant remains.
@LoopActor struct CheckedLogin {
    let traded: TradedLogin
    let identity: TradedLogin.Identity

    private var prepared: PreparedLogin { traded.prepared }
    private var account: AccountConfiguration { prepared.account }

    /// The record to store, merged with the store's current one. The caller holds the account's item.
    ///
    /// - Throws: if the existing grant is another user's, or the store does not answer.
    func record() async throws(LoginFailure) -> GrantRecord {
        let previous: GrantRecord?
        do throws(ProtocolError) { previous = try await prepared.attempt.previousRecord() } catch {
            throw .fault(error)
        }
        try checkSubject(previous: previous)
        return record(previous: previous)
    }

    /// Writes the grant into the account's item.
    func store(_ record: GrantRecord) async throws(LoginFailure) {
        do {
            try await prepared.attempt.store.write(record.item(for: account))
        } catch {
            throw .fault(error.protocolError)
        }
    }

    /// Removes the item again; if that fails now, the removal recorded by the logout stays pending.
    func remove() async {
        try? await prepared.attempt.store.remove(account: account.name)
    }

    /// A login of another user does not replace the existing grant. If the provider names no subject at all, there is
    /// nothing to compare.
    private func checkSubject(previous: GrantRecord?) throws(LoginFailure) {
        guard !prepared.parameters.force, let last = previous?.subject else { return }
        guard let subject = identity.subject else {
            guard var fault = identity.fault else { return }
            fault.message =
                "who signed in to “\(account.name)” could not be asked, so nothing was changed: \(fault.message)"
            throw .fault(fault)
        }
        guard !subject.utf8.elementsEqual(last.utf8) else { return }
        let name = previous?.identity ?? "another user"
        throw .check(
            "subject",
            message: "“\(account.name)” is \(name)'s, and another user signed in; to change that: "
                + "tokenctl login \(account.name) --force"
        )
    }

    private func record(previous: GrantRecord?) -> GrantRecord {
        let (response, sentAt) = (traded.response, traded.sentAt)
        let granted = response.scope ?? prepared.scope
        let destination = GrantDestination(account: account, wire: prepared.attempt.wire, metadata: prepared.metadata)
        var record = GrantRecord(scope: granted, destination: destination, signedInAt: sentAt.wall)
        if !prepared.addedScope.isEmpty { record.addedScope = prepared.addedScope }
        record.flow = prepared.parameters.flow
        if account.dialect.refreshSendsRedirectURI { record.redirectURI = traded.redirectURI }
        record.subject = identity.subject
        record.identity = identity.name
        record.identityToken = identity.token
        record.takeEnd(response.grantLifetime, sentAt: sentAt.wall)
        record.token = HeldToken(response, granted: granted, sentAt: sentAt, verified: identity.token)
        record.refreshToken = response.refreshToken
        if previous?.destination.isAt(destination) == true { record.narrowingSticks = previous?.narrowingSticks }
        identity.application?.adopt(into: &record)
        if record.refreshToken == nil { keepRefreshToken(of: previous, in: &record) }
        return record
    }

    /// A code exchange without a refresh token keeps the held one (Google on a repeated consent), if it is known to be
    /// the same user's and may be sent where the new grant may be sent.
    private func keepRefreshToken(of previous: GrantRecord?, in record: inout GrantRecord) {
        guard let previous, !previous.isOver, let subject = record.subject, previous.subject == subject,
            previous.destination.allows(account, wire: prepared.attempt.wire)
        else { return }
        record.refreshToken = previous.refreshToken
        record.flow = previous.flow
        record.redirectURI = previous.redirectURI
        record.generation = previous.generation
        record.pending = previous.pending
        record.rotates = previous.rotates
        guard record.grantExpiresAt == nil else { return }
        record.grantExpiresAt = previous.grantExpiresAt
        record.isEndFixed = previous.isEndFixed
        record.grantLife = previous.grantLife
    }
}

extension GrantRecord {
    /// Whether it is a live grant of the account's configured client.
    func isGranted(to account: AccountConfiguration) -> Bool {
        ended == nil && isIssued(to: account)
    }

    /// Whether it is, or was, a grant of the account's configured client.
    func isIssued(to account: AccountConfiguration) -> Bool {
        destination.issuer == account.issuerName
            && destination.isRegistered == account.registersClient
            && (account.clientID.isEmpty || destination.clientID == account.clientID)
    }
}
