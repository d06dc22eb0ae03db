// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
package import Systemd
package import TokendProtocol

/// One login, from its start to the page that a user sees at the end: the listener, the deadline, and everyone who
/// waits for the result.
@LoopActor package final class Login {
    package let id: String
    package let parameters: LoginParameters
    /// Unix seconds.
    package internal(set) var expiresAt: Int64
    /// Set once a user can go on.
    package private(set) var start: Start?
    /// Set once it is over.
    package private(set) var result: Result<LoginResult, ProtocolError>?

    /// What the redirect brought besides the code.
    var metadata: LoginMetadata?

    let account: String
    /// The provider's host.
    let provider: String
    private let clock: any Clock
    private let install: @LoopActor (GrantRecord) -> LoginResult
    private let onEnd: @LoopActor (Login) -> Void
    var machine: LoginStateMachine?
    private var listener: (any RedirectListener)?
    /// Where the listener is.
    private var origin: String?
    private(set) var attempt: LoginAttempt?
    var device: DeviceLogin?
    var preparation: Task<Void, Never>?
    private var deadline: (any ScheduledTimer)?
    /// How often somebody has asked for its start or its end.
    var interest = 0
    var starters: [@LoopActor (Result<Start, ProtocolError>) -> Void] = []
    /// Who waits for its end, in the order of their numbers.
    var waiters: [Int: @LoopActor (Result<LoginResult, ProtocolError>) -> Void] = [:]
    /// A person was shown where to sign in.
    var isShown = false
    /// An API's challenge began it, by way of a program.
    var isStepUp = false
    private var isCommitted = false
    /// Why the grant must be revoked once its write has finished.
    private var withdrawal: String?
    private var heldRequests: [@LoopActor (RedirectAnswer) -> Void] = []

    /// - Parameters:
    ///   - timeout: in seconds, from now until the login gives up.
    ///   - install: takes over the grant, which is in the store by then.
    ///   - onEnd: called once, when it is over.
    init(
        id: String,
        account: String,
        provider: String,
        parameters: LoginParameters,
        timeout: Int64,
        clock: any Clock,
        install: @escaping @LoopActor (GrantRecord) -> LoginResult,
        onEnd: @escaping @LoopActor (Login) -> Void
    ) {
        self.id = id
        self.account = account
        self.provider = provider
        self.parameters = parameters
        self.clock = clock
        self.install = install
        self.onEnd = onEnd
        let now = clock.now
        expiresAt = now.wall.addingSaturated(timeout)
        deadline = clock.schedule(at: now.boot.advanced(by: .seconds(timeout)), accuracy: .milliseconds(200)) {
            [weak self] in self?.timeOut()
        }
    }

    /// Prepares the login: the store is asked first, then the provider, then a port is opened.
    func begin(_ attempt: LoginAttempt, redirects: any RedirectListening) {
        preparation = Task.onLoop { [self] in
            do throws(ProtocolError) {
                guard parameters.flow != .device else { return try await beginDevice(attempt) }
                let prepared = try await attempt.prepare()
                guard result == nil else { return }
                let sent = try await open(prepared, attempt, redirects: redirects)
                let url = try await sent.authorizationURL()
                guard result == nil else { return }
                let redirectURI = sent.sent?.redirectURI ?? ""
                begun(Start(authorizationURL: url, startURL: startURL, redirectURI: redirectURI))
            } catch {
                finish(.failure(.fault(error)))
            }
        }
    }

    private func open(
        _ prepared: LoginAttempt.Prepared,
        _ attempt: LoginAttempt,
        redirects: any RedirectListening
    ) async throws(ProtocolError) -> LoginAttempt {
        // Checked here: others may have run before (`Task.onLoop`), and a login that has ended closes no listener again.
        guard result == nil else { throw givenUp }
        let (listener, redirect) = try attempt.listen(prepared, with: redirects) { [weak self] request, answer in
            guard let self else { return 404 }
            return received(request, answer)
        }
        self.listener = listener
        origin = redirect.origin
        let attempt = try await attempt.asClient(prepared, redirectURI: redirect.uri)
        guard result == nil else { throw givenUp }
        let request = attempt.request(prepared, redirectURI: redirect.uri)
        machine = attempt.machine(prepared, request: request.authorization, redirect: redirect)
        self.attempt = request.attempt
        return request.attempt
    }

    private var givenUp: ProtocolError { ProtocolError(.cancelled, "the sign-in was given up before it began") }

    /// A user can go on.
    func begun(_ start: Start) {
        self.start = start
        var starters = self.starters[...]
        self.starters = []
        starters.popFirst()?(.success(start))
        for starter in starters { tellStart(start, to: starter) }
    }

    /// Where the listener's page is that leads to the provider.
    private var startURL: WebURL? {
        guard let origin, let machine else { return nil }
        return try? WebURL(origin + machine.startPath)
    }

    // MARK: The redirect

    /// Takes a request that is this login's.
    ///
    /// - Returns: the status that refuses any other.
    private func received(_ request: RedirectRequest, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) -> Int? {
        guard var machine else { return 404 }
        let action = machine.received(request)
        self.machine = machine
        switch action {
        case .answer(.refused(let status)):
            return status
        case .answer(let reply):
            answer(reply)
        case .hold:
            heldRequests.append(answer)
        case .exchange(let code):
            heldRequests.append(answer)
            metadata = machine.metadata
            exchange(code)
        case .end(let failure):
            heldRequests.append(answer)
            end(failure)
        case .showPage(let page):
            answer(page)
            closeListener()
        case .leadOn:
            leadOn(answer)
        }
        return nil
    }

    /// The provider said no, or a check failed.
    func end(_ failure: LoginFailure) {
        if case .refused(let body) = failure, let access = attempt?.access {
            Task.onLoop { await access.noteRefusal(body) }
        }
        finish(.failure(failure))
    }

    func exchange(_ code: Secret) {
        guard let attempt else { return }
        // It is never cancelled: a late grant must be revoked, and for that its answer must be read.
        Task.onLoop { [self] in
            do throws(LoginFailure) {
                finish(.success(try await attempt.exchange(code, for: self)))
            } catch {
                finish(.failure(error))
            }
        }
    }

    /// The grant is being stored from now on, and only that decides how the login ends.
    ///
    /// - Throws: where the login has ended before.
    func commit() throws(LoginFailure) {
        guard result == nil else {
            throw .fault(ProtocolError(.cancelled, "the sign-in was given up before it ended"))
        }
        isCommitted = true
        deadline?.cancel()
    }

    /// Whether its grant is on its way into the store.
    var isStoring: Bool { isCommitted && result == nil }

    /// Takes over a grant that is in the store.
    ///
    /// - Throws: if the user signed out meanwhile.
    func keep(_ record: GrantRecord) throws(LoginFailure) -> LoginResult {
        if let withdrawal { throw .fault(ProtocolError(.cancelled, withdrawal)) }
        return install(record)
    }

    // MARK: The end

    /// Ends it from outside: cancelled, replaced, or the daemon stops.
    func cancel(_ message: String) {
        guard !isCommitted else { return }
        finish(.failure(.fault(ProtocolError(.cancelled, message))))
    }

    /// Ends it even while its grant is being stored: the grant is not kept.
    func giveUp(_ message: String) {
        if isStoring { withdrawal = message } else { cancel(message) }
    }

    /// Its time, or that of its codes, is up.
    func timeOut() {
        let error = ProtocolError(
            .timeout,
            "nobody finished the sign-in to “\(account)” in time; start again with: tokenctl login \(account)"
        )
        finish(.failure(.fault(error)))
    }

    /// Ends it; later calls change nothing.
    func finish(_ outcome: Result<LoginResult, LoginFailure>) {
        guard result == nil else { return }
        let outcome = outcome.mapError { attempt?.explained($0) ?? $0 }
        let ended = outcome.mapError { $0.protocolError(account: account) }
        result = ended
        deadline?.cancel()
        preparation?.cancel()
        preparation = nil
        attempt = nil
        device?.stop()
        device = nil
        endListener(outcome)
        let starters = self.starters
        let waiters = self.waiters.sorted { $0.key < $1.key }
        self.starters = []
        self.waiters = [:]
        if case .failure(let error) = ended { for starter in starters { starter(.failure(error)) } }
        onEnd(self)
        for waiter in waiters { waiter.value(ended) }
    }

    /// The browser is sent to the last page; the port closes once that was fetched, five seconds later at most.
    private func endListener(_ outcome: Result<LoginResult, LoginFailure>) {
        guard listener != nil, var machine else { return closeListener() }
        let page =
            switch outcome {
            case .success(let result):
                RedirectAnswer.signedIn(account: account, identity: result.identity, provider: provider)
            case .failure(let failure): failure.page(account: account, provider: provider)
            }
        machine.ended(page: page)
        self.machine = machine
        let held = heldRequests
        heldRequests = []
        guard !held.isEmpty else { return closeListener() }
        for answer in held { answer(.seeOther(path: machine.pagePath)) }
        deadline = clock.schedule(at: clock.now.boot.advanced(by: .seconds(5)), accuracy: .milliseconds(200)) {
            [self] in closeListener()
        }
    }

    /// Closes the port at once.
    func closeListener() {
        deadline?.cancel()
        listener?.close()
        listener = nil
    }
}
