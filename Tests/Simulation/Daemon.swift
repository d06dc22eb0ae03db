// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// One life of the daemon, from a start to its end: a real `Broker`, and ports that die with it.
@LoopActor final class Daemon {
    let number: Int
    let startedAt: Span
    private(set) var isOver = false
    /// nil once the process is gone.
    private(set) var broker: Broker?
    let redirects = Redirects()
    private let agenda: Agenda
    private var waits: [Int: UnsafeContinuation<Void, Never>] = [:]
    private var exchanges: [Int: Exchange] = [:]
    private var count = 0
    /// Uses of the refresh token that are under way, by account.
    private(set) var underWay: [String: Int] = [:]

    init(_ world: World, number: Int) {
        self.number = number
        agenda = world.agenda
        startedAt = world.agenda.now
        let ports = BrokerPorts(
            clock: DaemonClock(world, self),
            entropy: DaemonEntropy(dice: world.dice.fork()),
            transport: DaemonTransport(world, self),
            store: DaemonStore(world, self),
            redirects: redirects,
            browser: NoBrowser(),
            state: DaemonState(world, self),
            files: NoFiles(),
            log: DaemonLog(world, self)
        )
        broker = Broker(ports: ports) { _ in world.configuration }
    }

    /// The process is gone, and its broker with the last of its tasks. What is left of its tasks unwinds without any effect on the world.
    func die() {
        isOver = true
        broker?.stop()
        broker = nil
        for (_, exchange) in exchanges.sorted(by: { $0.key < $1.key }) {
            exchange.finish(.failure(.lost(.cancelled, mayHaveBeenSent: true)))
        }
        let left = waits.sorted { $0.key < $1.key }
        waits = [:]
        for (_, continuation) in left { continuation.resume() }
    }

    /// Waits, unless the process ends before.
    func wait(_ span: Span) async {
        guard span > 0, !isOver else { return }
        await withUnsafeContinuation { continuation in
            guard !isOver else { return continuation.resume() }
            count += 1
            let number = count
            waits[number] = continuation
            agenda.after(span) { [weak self] in self?.waits.removeValue(forKey: number)?.resume() }
        }
    }

    /// Waits for the end of a request, or of the process.
    func end(of exchange: Exchange, account: String?) async -> Exchange.End {
        count += 1
        let number = count
        exchanges[number] = exchange
        if let account { underWay[account, default: 0] += 1 }
        let end = await exchange.ended()
        exchanges[number] = nil
        if let account { underWay[account, default: 0] -= 1 }
        return end
    }
}

/// The sockets that redirects come back to.
@LoopActor final class Redirects: RedirectListening {
    @LoopActor final class Listener: RedirectListener {
        let port: Int
        let addresses: Set<RedirectURI.LoopbackHost>
        fileprivate(set) var handler: RedirectHandler?

        init(port: Int, host: RedirectURI.LoopbackHost, handler: @escaping RedirectHandler) {
            self.port = port
            self.handler = handler
            addresses = [host]
        }

        func close() {
            handler = nil
        }
    }

    private var listeners: [Int: Listener] = [:]
    private var count = 40_000

    func open(
        _ host: RedirectURI.LoopbackHost,
        port: Int?,
        handler: @escaping RedirectHandler
    ) throws(RedirectFault) -> any RedirectListener {
        count += 1
        let listener = Listener(port: port ?? count, host: host, handler: handler)
        listeners[listener.port] = listener
        return listener
    }

    /// A browser's request to a port; nobody may listen there.
    func receive(_ request: RedirectRequest, port: Int, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) {
        _ = listeners[port]?.handler?(request, answer)
    }
}
