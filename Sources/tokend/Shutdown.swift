// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Systemd

/// A planned stop: gives pending answers, finishes and stores a refresh under way, stores held tokens, then ends. Each
/// wait has a limit.
@LoopActor final class Shutdown {
    private let loop: EventLoop
    private let broker: Broker
    private let server: SocketServer
    private let narrowSockets: NarrowSockets
    private let onEnd: () -> Void
    private let answersUntil: BootInstant
    private let refreshesUntil: BootInstant
    private let keepingPatience: Duration
    private var sources: [EventSource] = []
    private var isKeeping = false

    init(
        loop: EventLoop,
        broker: Broker,
        server: SocketServer,
        narrowSockets: NarrowSockets,
        answerPatience: Duration,
        refreshPatience: Duration,
        keepingPatience: Duration,
        onEnd: @escaping () -> Void
    ) {
        self.loop = loop
        self.broker = broker
        self.server = server
        self.narrowSockets = narrowSockets
        self.keepingPatience = keepingPatience
        self.onEnd = onEnd
        answersUntil = loop.bootTime.advanced(by: answerPatience)
        refreshesUntil = loop.bootTime.advanced(by: refreshPatience)
        // Pending work is checked after each event on the loop, and at the end of each wait.
        sources.append(loop.addPost { [unowned self] in look() })
        for end in [answersUntil, refreshesUntil] {
            sources.append(loop.addTimer(at: end, accuracy: .milliseconds(50)) { [unowned self] in look() })
        }
        sources.append(loop.addDefer { [unowned self] in look() })
    }

    private func look() {
        let now = loop.bootTime
        let isAnswered = server.busyCount == 0 && narrowSockets.busyCount == 0
        guard !isKeeping, isAnswered || now >= answersUntil, !broker.isRefreshing || now >= refreshesUntil else {
            return
        }
        isKeeping = true
        for source in sources { source.cancel() }
        Task.onLoop { [self] in
            await broker.keepTokens(within: keepingPatience)
            onEnd()
        }
    }
}
