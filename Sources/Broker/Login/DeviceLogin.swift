// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

/// The polls of one device login, from the codes to the token (RFC 8628, sections 3.4 and 3.5). `DevicePolling` decides
/// when to poll, and `Login` handles the end.
@LoopActor final class DeviceLogin {
    /// The result of polling.
    enum End {
        case traded(TradedLogin)
        /// The code was not entered in time.
        case expired
        case failed(LoginFailure)
    }

    private let codes: DeviceCodes
    private let clock: any Clock
    private let onEnd: @LoopActor (End) -> Void
    private var polling: DevicePolling
    private var timer: (any ScheduledTimer)?
    private var isStopped = false

    /// Nothing is sent before `begin`; the login holds this until it is over.
    init(_ codes: DeviceCodes, onEnd: @escaping @LoopActor (End) -> Void) {
        self.codes = codes
        self.onEnd = onEnd
        clock = codes.prepared.access.clock
        polling = DevicePolling(interval: codes.response.interval, expiresIn: codes.response.expiresIn)
    }

    /// The time since the codes were requested, for `DevicePolling`.
    private var elapsed: Duration { codes.askedAt.boot.duration(to: clock.now.boot) }

    /// Begins polling.
    func begin() {
        perform(polling.first(at: elapsed))
    }

    /// Stops polling. A poll under way is not cancelled: if it brings a grant, that is revoked.
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
            if case .poll = step { poll() } else { onEnd(.expired) }
        }
    }

    private func poll() {
        Task.onLoop { [self] in
            do throws(LoginFailure) {
                if let end = try received(try await codes.poll()) { onEnd(end) }
            } catch {
                onEnd(.failed(error))
            }
        }
    }

    /// - Returns: nil: polling continues.
    private func received(_ outcome: TokenOutcome) throws(LoginFailure) -> End? {
        let answer = outcome.poll
        if case .done = answer {
            return .traded(
                TradedLogin(
                    prepared: codes.prepared,
                    response: try codes.prepared.token(in: outcome),
                    sentAt: outcome.sentAt
                )
            )
        }
        guard !isStopped else { return nil }
        let time = elapsed
        switch answer {
        case .pending(let retryAfter):
            perform(polling.pending(at: time, retryAfter: retryAfter))
        case .slowDown(let interval, let retryAfter):
            perform(polling.slowDown(at: time, interval: interval, retryAfter: retryAfter))
        case .passing(let retryAfter):
            perform(polling.failed(at: time, retryAfter: retryAfter))
        case .expired:
            return .expired
        case .denied(let body):
            throw .refused(body.named("access_denied"))
        case .refused(let body):
            throw .refused(body)
        case .misconfigured(let body):
            throw .fault(codes.prepared.attempt.refusal(body))
        case .done:
            break
        }
        return nil
    }
}

extension OAuthErrorBody {
    /// The standard's name for a provider's own error code.
    fileprivate func named(_ error: String) -> OAuthErrorBody {
        OAuthErrorBody(error: error, description: description, uri: uri, status: status)
    }
}
