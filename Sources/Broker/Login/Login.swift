// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
package import Systemd
package import TokendProtocol

/// One login, from its start to the page that a user sees at the end. It has all of the login's state, and takes each
/// step.
///
/// It ends once, by the first event that ends it. A code that was sent is never given up: its answer is read, and
/// tokens that are not kept are revoked; otherwise an unknown grant would live on at the provider. Once the grant is
/// being stored, only the store decides how the login ends, and a logout has the grant removed again. The account takes
/// the grant over while the item is held, after the store has it: another writer in between could put an older record
/// over it.
@LoopActor package final class Login {
    package let id: String
    package let parameters: LoginParameters
    /// Unix seconds.
    package private(set) var expiresAt: Int64
    /// Set once the user can proceed.
    package private(set) var start: Start?
    /// Set once it is over.
    package private(set) var result: Result<LoginResult, ProtocolError>?
    let account: String
    /// The provider's host.
    let provider: String
    private let clock: any Clock
    private let locks: GrantLocks
    private let install: @LoopActor (GrantRecord) -> LoginResult
    private let onEnd: @LoopActor (Login) -> Void
    /// Its pages in the browser.
    let pages = LoginPages()
    let waiters = LoginWaiters()
    /// The step it has reached.
    private enum Phase {
        case preparing
        case opened(OpenedLogin)
        case polling(DeviceLogin)
        case ended
    }
    private var phase = Phase.preparing
    private var preparation: Task<Void, Never>?
    private var deadline: (any ScheduledTimer)?
    /// Set once its grant is being stored; then only the store decides how the login ends.
    private var storing: Storing?
    private struct Storing {
        /// Why the grant must be revoked once its write has finished.
        var withdrawal: String?
    }
    /// The user was shown where to sign in.
    var isShown = false
    /// An API's challenge began it, through a program.
    var isStepUp = false

    /// - Parameters:
    ///   - timeout: in seconds, from now until the login gives up.
    ///   - locks: the account's item is held while the grant is stored and taken over.
    ///   - install: takes over the grant, which is then in the store.
    ///   - onEnd: called once, when it is over.
    init(
        id: String,
        account: String,
        provider: String,
        parameters: LoginParameters,
        timeout: Int64,
        clock: any Clock,
        locks: GrantLocks,
        install: @escaping @LoopActor (GrantRecord) -> LoginResult,
        onEnd: @escaping @LoopActor (Login) -> Void
    ) {
        self.id = id
        self.account = account
        self.provider = provider
        self.parameters = parameters
        self.clock = clock
        self.locks = locks
        self.install = install
        self.onEnd = onEnd
        let now = clock.now
        expiresAt = now.wall.addingSaturated(timeout)
        deadline = clock.schedule(at: now.boot.advanced(by: .seconds(timeout)), accuracy: .milliseconds(200)) {
            [weak self] in self?.timeOut()
        }
    }

    // MARK: The start

    /// Begins: asks the store first, then the provider, then opens a port or requests codes.
    func begin(_ attempt: LoginAttempt, redirects: any RedirectListening) {
        prepare { [self] () async throws(ProtocolError) in
            guard parameters.flow != .device else { return beginPolling(try await attempt.deviceCodes()) }
            let opened = try await open(try await attempt.prepare(), redirects: redirects)
            let url = try await opened.authorizationURL()
            guard result == nil else { return }
            begun(Start(authorizationURL: url, startURL: pages.startURL, redirectURI: opened.redirect.uri))
        }
    }

    /// Begins a login without a user: fetches a token, and ends with the result.
    ///
    /// - Parameter fetch: returns a grant that is in the store.
    func begin(_ flow: LoginFlow, fetch: @escaping @LoopActor () async throws(ProtocolError) -> GrantRecord) {
        prepare { [self] () async throws(ProtocolError) in
            let record = try await fetch()
            guard result == nil else { return }
            begun(Start(flow: flow))
            finish(.success(install(record)))
        }
    }

    private func prepare(_ body: @escaping @LoopActor () async throws(ProtocolError) -> Void) {
        preparation = Task.onLoop { [self] in
            do throws(ProtocolError) { try await body() } catch { finish(.failure(.fault(error))) }
        }
    }

    private func open(
        _ prepared: PreparedLogin,
        redirects: any RedirectListening
    ) async throws(ProtocolError) -> OpenedLogin {
        // Checked here: other tasks may have run before (`Task.onLoop`), and a login that has ended closes no listener
        // again.
        guard result == nil else { throw givenUp }
        let redirect = try pages.open(prepared, with: redirects) { [weak self] request, answer in
            guard let self else { return 404 }
            return received(request, answer)
        }
        let opened = try await prepared.opened(at: redirect)
        guard result == nil else { throw givenUp }
        pages.expect(opened)
        phase = .opened(opened)
        return opened
    }

    private var givenUp: ProtocolError { ProtocolError(.cancelled, "the sign-in was given up before it began") }

    /// Begins a device login: instead of a port there are codes, which may end it sooner.
    private func beginPolling(_ codes: DeviceCodes) {
        guard result == nil else { return }
        let device = DeviceLogin(codes) { [self] end in
            switch end {
            case .traded(let traded): redeem { () async throws(LoginFailure) in traded }
            case .expired: timeOut()
            case .failed(let failure): finish(.failure(failure))
            }
        }
        phase = .polling(device)
        expiresAt = min(expiresAt, codes.expiresAt)
        begun(Start(flow: .device, device: codes.start))
        device.begin()
    }

    /// The user can proceed.
    private func begun(_ start: Start) {
        self.start = start
        var starters = waiters.takeStarters()[...]
        starters.popFirst()?(.success(start))
        for starter in starters { tellStart(start, to: starter) }
    }

    /// The opened login; nil before, and after the end.
    var opened: OpenedLogin? {
        guard case .opened(let opened) = phase else { return nil }
        return opened
    }

    // MARK: The redirect

    /// Takes a request to this login.
    ///
    /// - Returns: the status that refuses any other request.
    private func received(_ request: RedirectRequest, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) -> Int? {
        switch pages.received(request, answer) {
        case .refused(let status): return status
        case .startWanted: leadOn(answer)
        case .closed: deadline?.cancel()
        case let arrival: take(arrival)
        }
        return nil
    }

    /// Takes an answer of the provider.
    func take(_ arrival: LoginPages.Arrival) {
        switch arrival {
        case .code(let code, let metadata):
            guard let opened else { return }
            redeem(metadata) { () async throws(LoginFailure) in try await opened.traded(code) }
        case .failed(let failure):
            if case .refused(let body) = failure, let access = opened?.access {
                Task.onLoop { await access.noteRefusal(body) }
            }
            finish(.failure(failure))
        case .refused, .handled, .startWanted, .closed: break
        }
    }

    // MARK: The grant

    /// Turns the user's answer into a grant, and ends.
    ///
    /// It is never cancelled: a late grant must be revoked, and for that the provider's answer must be read.
    private func redeem(
        _ metadata: LoginMetadata? = nil,
        _ trade: @escaping @LoopActor () async throws(LoginFailure) -> TradedLogin
    ) {
        Task.onLoop { [self] in
            do throws(LoginFailure) {
                finish(.success(try await keep(try await trade(), metadata)))
            } catch {
                finish(.failure(error))
            }
        }
    }

    /// Checks the user of the tokens and stores the grant; a grant that is not kept is revoked.
    private func keep(_ traded: TradedLogin, _ metadata: LoginMetadata?) async throws(LoginFailure) -> LoginResult {
        do throws(LoginFailure) {
            let checked = try await traded.checked()
            guard traded.response.refreshToken == nil else { return try await store(checked, metadata) }
            // The held refresh token is stored again, so it must not be in use meanwhile.
            return try await locks.withToken { () async throws(LoginFailure) in try await store(checked, metadata) }
        } catch {
            traded.discard()
            throw error
        }
    }

    /// Stores the grant, and has the account take it over, as the item's only writer.
    private func store(_ checked: CheckedLogin, _ metadata: LoginMetadata?) async throws(LoginFailure) -> LoginResult {
        try await locks.withItem { () async throws(LoginFailure) in
            var record = try await checked.record()
            guard result == nil else {
                throw .fault(ProtocolError(.cancelled, "the sign-in was given up before it ended"))
            }
            storing = Storing()
            deadline?.cancel()
            record.metadata = metadata
            try await checked.store(record)
            guard let withdrawal = storing?.withdrawal else { return install(record) }
            // The user signed out while it was being stored.
            await checked.remove()
            throw .fault(ProtocolError(.cancelled, withdrawal))
        }
    }

    /// Whether its grant is being stored.
    var isStoring: Bool { storing != nil && result == nil }

    // MARK: The end

    /// Ends it from outside: cancelled, replaced, or the daemon stops.
    package func cancel(_ message: String) {
        guard storing == nil else { return }
        finish(.failure(.fault(ProtocolError(.cancelled, message))))
    }

    /// Ends it even while its grant is being stored: the grant is not kept.
    func giveUp(_ message: String) {
        if isStoring { storing?.withdrawal = message } else { cancel(message) }
    }

    /// Its timeout, or that of its codes, is reached.
    private func timeOut() {
        let error = ProtocolError(
            .timeout,
            "the sign-in to “\(account)” was not finished in time; start again with: tokenctl login \(account)"
        )
        finish(.failure(.fault(error)))
    }

    /// Ends it; later calls change nothing.
    private func finish(_ outcome: Result<LoginResult, LoginFailure>) {
        guard result == nil else { return }
        let outcome = outcome.mapError { opened?.explained($0) ?? $0 }
        let ended = outcome.mapError { $0.protocolError(account: account) }
        result = ended
        deadline?.cancel()
        preparation?.cancel()
        if case .polling(let device) = phase { device.stop() }
        phase = .ended
        endPages(outcome)
        let (starters, waiters) = (waiters.takeStarters(), waiters.takeWaiters())
        if case .failure(let error) = ended { for starter in starters { starter(.failure(error)) } }
        onEnd(self)
        for waiter in waiters { waiter(ended) }
    }

    /// The browser is redirected to the last page; the port closes once that was fetched, at most five seconds later.
    private func endPages(_ outcome: Result<LoginResult, LoginFailure>) {
        let page =
            switch outcome {
            case .success(let result):
                RedirectAnswer.signedIn(account: account, identity: result.identity, provider: provider)
            case .failure(let failure): failure.page(account: account, provider: provider)
            }
        guard pages.end(with: page) else { return }
        deadline = clock.schedule(at: clock.now.boot.advanced(by: .seconds(5)), accuracy: .milliseconds(200)) {
            [self] in pages.close()
        }
    }
}
