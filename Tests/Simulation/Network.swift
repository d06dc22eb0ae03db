// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import OAuth
import Systemd

/// The network between the daemons and the providers.
@LoopActor final class Network {
    var isUp = true
    private unowned let world: World
    private var dice: Dice

    init(_ world: World, dice: Dice) {
        self.world = world
        self.dice = dice
    }

    /// Brings a request to its provider and the answer back to the daemon that sent it, unless one of them gets lost.
    func carry(_ request: HTTPRequest, from daemon: Daemon, to provider: Provider) -> Exchange {
        let exchange = Exchange()
        let patience = world.agenda.after(.seconds(30)) {
            exchange.finish(.failure(.lost(.timeout, mayHaveBeenSent: true)))
        }
        guard isUp else {
            world.agenda.after(.milliseconds(5)) {
                patience.cancel()
                exchange.finish(.failure(.lost(.resolve, mayHaveBeenSent: false)))
            }
            return exchange
        }
        let isSlow = provider.condition == .slow
        let (there, back) = (span(isSlow), span(isSlow))
        world.agenda.after(there) { [self] in
            guard isUp, provider.condition != .requestsLost else { return world.trace.note("a request gets lost") }
            world.passedPort()
            let answer = provider.answer(request)
            world.trace.note("a provider answers", "\(request.url.path) \(answer.response.status)")
            let isLost = provider.condition == .answersLost || provider.condition == .someAnswersLost && dice.chance(50)
            world.agenda.after(back) { [self] in
                guard isUp, !isLost else {
                    world.trace.note("an answer gets lost")
                    guard dice.chance(50) else { return }
                    patience.cancel()
                    exchange.finish(.failure(.lost(.interrupted, mayHaveBeenSent: true)))
                    return
                }
                world.passedPort()
                patience.cancel()
                if exchange.finish(.success(answer.response)) { arrive(answer, daemon, provider) }
            }
        }
        return exchange
    }

    private func arrive(_ answer: Provider.Answer, _ daemon: Daemon, _ provider: Provider) {
        guard !daemon.isOver else { return }
        answer.refreshToken?.arrival = (daemon.number, world.agenda.now)
        if let until = answer.retryAt { provider.leftAlone = (daemon.number, until) }
    }

    private func span(_ isSlow: Bool) -> Span {
        dice.span(isSlow ? .milliseconds(500)...(.seconds(12)) : .milliseconds(5)...(.milliseconds(200)))
    }
}

/// A request that waits for its end.
@LoopActor final class Exchange {
    typealias End = Result<HTTPResponse, TransportError>

    private var end: End?
    private var continuation: UnsafeContinuation<End, Never>?

    /// Ends it; whatever comes later changes nothing.
    ///
    /// - Returns: whether it had not ended before.
    @discardableResult func finish(_ end: End) -> Bool {
        guard self.end == nil else { return false }
        self.end = end
        continuation?.resume(returning: end)
        continuation = nil
        return true
    }

    func ended() async -> End {
        await withUnsafeContinuation { continuation in
            if let end { continuation.resume(returning: end) } else { self.continuation = continuation }
        }
    }
}

extension TransportError {
    static func lost(_ code: Code, mayHaveBeenSent: Bool) -> TransportError {
        TransportError(code: code, message: "the provider: \(code.rawValue)", mayHaveBeenSent: mayHaveBeenSent)
    }
}
