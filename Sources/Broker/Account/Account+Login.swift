// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
package import TokendProtocol

extension Account {
    /// Starts a login, or joins the one under way if it asks for the same.
    ///
    /// - Parameters:
    ///   - id: the new login's name, if one is started.
    ///   - timeout: in seconds.
    /// - Throws: the configuration's fault.
    package func startLogin(_ parameters: LoginParameters, id: String, timeout: Int64) throws(ProtocolError) -> Login {
        let configuration = try context.usable()
        if let login, login.parameters == parameters { return login }
        login?.cancel("a newer sign-in to “\(name)” took its place")
        let name = name
        let login = Login(
            id: id,
            account: name,
            provider: configuration.issuerHost,
            parameters: parameters,
            timeout: timeout,
            clock: ports.clock,
            locks: grant.locks
        ) { [weak self] record in
            self?.install(record) ?? LoginResult(record, account: name)
        } onEnd: { [weak self] login in
            self?.ended(login)
        }
        signIns.begin(login)
        defer { ports.log.record(.loginStarted(account: name, loginID: id)) }
        guard configuration.flow.hasUser else {
            beginFetch(login, configuration)
            return login
        }
        var attempt = LoginAttempt(
            access: client.access(configuration),
            store: ports.store,
            entropy: ports.entropy,
            parameters: parameters,
            wire: context.daemon.wire,
            handlers: ports.handlers
        ) { [ports, name] in
            ports.state.notes.removals.contains(name)
        }
        attempt.softwareVersion = ports.softwareVersion
        login.begin(attempt, redirects: ports.redirects)
        return login
    }

    /// Takes over a grant that is in the store.
    ///
    /// - Parameter error: why the store has not taken it yet; it is written again.
    func install(_ record: GrantRecord, unstored error: StoreError? = nil) -> LoginResult {
        if revocation.isPending { revocation.clear() }
        ports.state.change { $0.removals.remove(name) }
        client.noteClient(of: record)
        perform(grant.signedIn(record, unstored: error))
        // The settings may have changed while it was being stored.
        grant.reconfigure()
        return LoginResult(record, account: name)
    }

    private func ended(_ login: Login) {
        var failure: ProtocolError?
        if case .failure(let error)? = login.result { failure = error }
        signIns.end(login, isSignedIn: failure == nil)
        ports.log.record(.loginFinished(account: name, loginID: login.id, error: failure))
        changed()
    }

    /// Whether a program may cause a sign-in prompt.
    func mayAskUser(isStepUp: Bool = false) -> Bool { signIns.mayAskUser(isStepUp: isStepUp) }

    /// The login of that id: under way, or ended within the last minute.
    func login(id: String) -> Login? { signIns.login(id: id) }
}

extension LoginResult {
    /// A login's result, as all who wait for it get it.
    init(_ record: GrantRecord, account: String) {
        self.init(
            account: account,
            subject: record.subject,
            identity: record.identity,
            scope: record.scope.text,
            renewable: record.renewable,
            expiresAt: record.token?.expiresAt,
            metadata: record.metadata?.members
        )
    }
}
