// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// Takes over a refresh token: one refresh tells whether it is valid and whose it is, then it is stored.
    ///
    /// The token may be single-use, so the store is checked and the keys are fetched first. If the store refuses the
    /// result nevertheless, it is kept in memory and written later.
    ///
    /// - Throws: the provider's or the store's error. The account's grant is then unchanged, with two exceptions: a
    ///   grant that the store refused is in force and awaits the store; a refresh token from an otherwise unusable
    ///   answer replaces the given one.
    func importGrant(_ refreshToken: Secret, scope named: Scope?) async throws(ProtocolError) -> LoginResult {
        let configuration = try context.usable()
        if let login { throw loginUnderWay(login) }
        guard !configuration.registersClient else {
            throw ProtocolError(
                .configInvalid,
                "a refresh token is good for the client that it was issued to: put that one's client_id into "
                    + configuration.file,
                data: ["file": .string(configuration.file), "member": "client_id"]
            )
        }
        return try await signIns.importing { () async throws(ProtocolError) in
            try await importGrant(refreshToken, scope: named, configuration)
        }
    }

    private func importGrant(
        _ refreshToken: Secret,
        scope named: Scope?,
        _ configuration: AccountConfiguration
    ) async throws(ProtocolError) -> LoginResult {
        let work = grant.begin()
        do { try await proveStore() } catch { throw error.protocolError }
        let access = client.access(configuration)
        let metadata = try await context.directory.metadata(for: configuration, wire: wire, isFresh: true)
        let scope = named ?? configuration.scopes
        if let url = metadata.keySetURL, configuration.issuer != nil, scope.contains("openid") {
            let now = ports.clock.now.boot
            do {
                _ = try await context.directory.keys(at: url, wire: wire, since: now)
            } catch {
                throw error.protocolError
            }
        }
        guard work.isCurrent else { throw overtaken }
        var record = GrantRecord(
            scope: scope,
            destination: GrantDestination(account: configuration, wire: context.daemon.wire, metadata: metadata),
            signedInAt: ports.clock.now.wall
        )
        record.refreshToken = refreshToken
        record.addedScope = named
        let trial = try await tried(record, refreshToken, access, work)
        guard var fault = trial.fault else { return try await take(trial.record, over: refreshToken, work) }
        _ = try await adopt(trial.record, refreshToken, work)
        fault.message += "; the refresh token that came in place of the given one was taken over"
        throw fault
    }

    /// Tries a write and a removal under a name that no account can have, and finishes a pending removal: if the store
    /// would refuse the grant later, the token is not used up.
    private func proveStore() async throws(StoreError) {
        try await ports.store.refuseNewer(account: name)
        try await ports.store.write(.probe("import probe"))
        try await ports.store.remove(account: "import probe")
        guard ports.state.notes.removals.contains(name), !signIns.isStoring else { return }
        try await ports.store.remove(account: name)
        ports.state.change { $0.removals.remove(name) }
    }

    /// Sends the token, and checks whose it is.
    private func tried(
        _ record: GrantRecord,
        _ refreshToken: Secret,
        _ access: ProviderAccess,
        _ work: GrantWork
    ) async throws(ProtocolError) -> RefreshFlow.Trial {
        let flow = RefreshFlow(access: access, store: ports.store, work: work)
        do throws(LoginFailure) {
            return try await flow.tryOut(record, refreshToken)
        } catch {
            throw error.protocolError(account: name)
        }
    }

    /// Stores the grant and takes it over; only then is the token sent to an application's backend.
    private func take(
        _ record: GrantRecord,
        over sent: Secret,
        _ work: GrantWork
    ) async throws(ProtocolError) -> LoginResult {
        guard configuration?.exchange != nil, record.token != nil else {
            return try await adopt(record, sent, work)
        }
        let owed = try await adopt(record.awaitingTrade(after: nil), sent, work)
        switch await tokenWhenReady(TokenDemand()) {
        case .success: return grant.record.map { LoginResult($0, account: name) } ?? owed
        // If the backend is away, the import has succeeded all the same.
        case .failure(let error) where error.kind == .providerUnreachable: return owed
        case .failure(let error): throw error
        }
    }

    private func adopt(
        _ record: GrantRecord,
        _ sent: Secret,
        _ work: GrantWork
    ) async throws(ProtocolError) -> LoginResult {
        let installed: Result<LoginResult, ProtocolError>? = await work.withItem {
            await work.change {
                await context.write(record)
            } then: { stored in
                guard case .failure(let error) = stored else { return .success(install(record)) }
                return .failure(awaitStore(record, error))
            }
        }
        guard let installed else { throw overtaken(record, sent, work) }
        return try installed.get()
    }

    /// Takes over a grant that the store has refused.
    ///
    /// - Returns: what the caller is told.
    private func awaitStore(_ record: GrantRecord, _ error: StoreError) -> ProtocolError {
        _ = install(record, unstored: error)
        ports.log.record(.storeFault(account: name, error))
        var fault = error.protocolError
        fault.message += "; the token was taken over and is kept in memory until the store takes it"
        return fault
    }

    /// The result came too late to be kept; after a logout that revokes, it is revoked, unless it is what the user
    /// gave.
    private func overtaken(_ record: GrantRecord, _ sent: Secret, _ work: GrantWork) -> ProtocolError {
        if work.disposition == .revoked, record.refreshToken != sent {
            Task.onLoop { [self] in _ = await revocation.revoke(record) }
        }
        return overtaken
    }

    private var overtaken: ProtocolError {
        ProtocolError(.cancelled, "“\(name)” was signed in or out in the meantime, so nothing was imported")
    }

    func loginUnderWay(_ login: Login) -> ProtocolError {
        ProtocolError(
            .loginPending,
            "a sign-in to “\(name)” is under way; finish or cancel it first",
            data: ["account": .string(name), "login_id": .string(login.id)]
        )
    }
}
