// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

extension Account {
    /// Starts a login, or joins the one under way if it asks for the same.
    ///
    /// - Parameters:
    ///   - id: the new login's name, if one is started.
    ///   - timeout: in seconds.
    /// - Throws: the configuration's fault.
    func startLogin(_ parameters: LoginParameters, id: String, timeout: Int64) throws(ProtocolError) -> Login {
        if let error = configurationFault { throw error }
        guard let configuration else { throw ProtocolError(.internalError, "the account has no configuration") }
        if let login, login.parameters == parameters { return login }
        login?.cancel("a newer sign-in to “\(name)” took its place")
        let wire = settings.wire
        let login = Login(
            id: id,
            account: name,
            provider: configuration.issuerHost,
            parameters: parameters,
            timeout: timeout,
            clock: ports.clock
        ) { [unowned self] record in
            install(record)
        } onEnd: { [weak self] login in
            self?.ended(login)
        }
        self.login = login
        let attempt = LoginAttempt(
            access: access(configuration),
            store: ports.store,
            entropy: ports.entropy,
            parameters: parameters
        ) { metadata in
            GrantDestination(account: configuration, wire: wire, metadata: metadata)
        }
        login.begin(attempt, redirects: ports.redirects)
        ports.log.record(.loginStarted(account: name, loginID: id))
        return login
    }

    /// Takes over a grant that is in the store.
    private func install(_ record: GrantRecord) -> LoginResult {
        moveOn()
        ports.removals.accounts.remove(name)
        perform(machine.signedIn(record, at: ports.clock.now, roll: ports.entropy.roll()))
        return LoginResult(
            account: name,
            subject: record.subject,
            identity: record.identity,
            scope: record.scope.text,
            renewable: record.renewable,
            expiresAt: record.token?.expiresAt
        )
    }

    private func ended(_ login: Login) {
        if self.login === login { self.login = nil }
        lastLogin = (login, ports.clock.now)
        var failure: ProtocolError?
        if case .failure(let error)? = login.result { failure = error }
        ports.log.record(.loginFinished(account: name, loginID: login.id, error: failure))
    }

    /// The login of that id: under way, or ended within the last minute.
    func login(id: String) -> Login? {
        if let login, login.id == id { return login }
        guard let lastLogin, lastLogin.login.id == id,
            lastLogin.endedAt.boot.duration(to: ports.clock.now.boot) <= .seconds(60)
        else { return nil }
        return lastLogin.login
    }
}
