// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

/// The polls of one device login, from the codes to the token (RFC 8628, sections 3.4 and 3.5). `DevicePolling` decides
/// when to poll, and `Login` how the login ends.
@LoopActor final class DeviceLogin {
    private let attempt: LoginAttempt
    private let codes: LoginAttempt.DeviceCodes
    private let login: Login
    private let clock: any Clock
    private var polling: DevicePolling
    private var timer: (any ScheduledTimer)?
    private var isStopped = false

    /// Nothing is asked before `start`; the login holds this until it is over.
    init(_ attempt: LoginAttempt, _ codes: LoginAttempt.DeviceCodes, login: Login) {
        self.attempt = attempt
        self.codes = codes
        self.login = login
        clock = attempt.access.clock
        polling = DevicePolling(interval: codes.response.interval, expiresIn: codes.response.expiresIn)
    }

    /// What the user is shown.
    var start: DeviceStart {
        DeviceStart(
            issuer: attempt.account.issuerName,
            userCode: codes.response.userCode,
            verificationURI: codes.response.verificationURI,
            verificationURIComplete: codes.response.verificationURIComplete,
            interval: codes.response.interval
        )
    }

    /// When the codes end, in unix seconds.
    var expiresAt: Int64 { codes.askedAt.wall.addingSaturated(codes.response.expiresIn) }

    /// `DevicePolling`'s time.
    private var elapsed: Duration { codes.askedAt.boot.duration(to: clock.now.boot) }

    /// Begins to ask.
    func begin() {
        perform(polling.first(at: elapsed))
    }

    /// Stops polling. A poll under way is not cancelled: a grant that it brings is revoked.
    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    private func perform(_ step: DevicePolling.Step) {
        let time: Duration
        switch step {
        case .poll(let at), .expire(let at): time = at
        }
        timer = clock.schedule(at: codes.askedAt.boot.advanced(by: time), accuracy: .milliseconds(200)) {
            [weak self] in
            guard let self, !isStopped else { return }
            if case .poll = step { poll() } else { login.timeOut() }
        }
    }

    private func poll() {
        Task.onLoop { [self] in
            do throws(LoginFailure) {
                let (answer, sentAt) = try await attempt.poll(codes)
                received(answer, sentAt)
            } catch {
                login.finish(.failure(error))
            }
        }
    }

    private func received(_ answer: DevicePollAnswer, _ sentAt: Moment) {
        if case .done(let answer) = answer { return settle(answer, sentAt) }
        guard !isStopped else { return }
        let time = elapsed
        switch answer {
        case .pending(let retryAfter):
            perform(polling.pending(at: time, retryAfter: retryAfter))
        case .slowDown(let interval, let retryAfter):
            perform(polling.slowDown(at: time, interval: interval, retryAfter: retryAfter))
        case .passing(let retryAfter):
            perform(polling.failed(at: time, retryAfter: retryAfter))
        case .expired:
            login.timeOut()
        case .denied(let body):
            login.finish(.failure(.refused(body.named("access_denied"))))
        case .refused(let body):
            login.finish(.failure(.refused(body)))
        case .misconfigured(let body):
            login.finish(.failure(.fault(attempt.refusal(body))))
        case .done:
            break
        }
    }

    private func settle(_ answer: TokenAnswer, _ sentAt: Moment) {
        // Like a code exchange, it is never cancelled: a late grant is revoked.
        Task.onLoop { [self] in
            do throws(LoginFailure) {
                login.finish(.success(try await attempt.settle(answer, codes, sentAt: sentAt, for: login)))
            } catch {
                login.finish(.failure(error))
            }
        }
    }
}

extension OAuthErrorBody {
    /// The standard's name for a provider's own error code.
    fileprivate func named(_ error: String) -> OAuthErrorBody {
        OAuthErrorBody(error: error, description: description, uri: uri, status: status)
    }
}
