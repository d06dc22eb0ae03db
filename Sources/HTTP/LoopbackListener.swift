// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd

/// A small HTTP server for one login's answer, on loopback addresses only, on the loop.
///
/// It serves the daemon's own user alone, and root; any other user's connection is closed without a byte.
///
/// It knows no paths: every complete request reaches the handler, which answers it now or later. Requests that are not
/// HTTP, too large (64 KiB of headers, 64 KiB of body) or of an unknown method are refused before that. A request must
/// be complete within 10 s; of more than 16 incomplete ones per address, the oldest is closed.
@LoopActor package final class LoopbackListener {
    /// Called for every whole request.
    package typealias Handler = @LoopActor (ListenerRequest, ListenerReply) -> Void

    /// The port, the same for all addresses.
    package let port: UInt16

    /// The addresses it listens on: those requested that this machine has.
    package let addresses: [LoopbackAddress]

    /// Whether connections are still accepted.
    package private(set) var isOpen = true

    private let servers: [LoopbackServer]

    /// Listens from now on.
    /// - Parameters:
    ///   - addresses: one for a redirect URI with a literal address, both for `localhost`.
    ///   - port: 0 for any that is free for all addresses.
    ///   - patience: how long a request may take to be whole, from its connection on.
    ///   - whenRefused: called once, with the first connection that is closed for whose it is: its user; nil where nobody
    ///     can say.
    /// - Throws: `.portTaken` before any browser is opened; `.noAddress` where this machine has none of them.
    package init(
        loop: EventLoop = .main,
        addresses: [LoopbackAddress],
        port: UInt16 = 0,
        patience: Duration = .seconds(10),
        whenRefused: @escaping @LoopActor (UInt32?) -> Void = { _ in },
        handler: @escaping Handler
    ) throws(ListenerError) {
        let sockets = try LoopbackSocket.open(addresses, port: port)
        self.port = sockets.first?.port ?? port
        self.addresses = sockets.map(\.address)
        var isTold = false
        let tell: ListenerAudience.Refusal = { uid in
            guard !isTold else { return }
            isTold = true
            LoopActor.assumeIsolated { whenRefused(uid) }
        }
        servers = try LoopbackServer.start(
            sockets,
            loop: loop,
            patience: patience,
            whenRefused: tell,
            handler: { request, exchange in
                LoopActor.assumeIsolated { handler(request, ListenerReply(exchange)) }
            }
        )
    }

    // On the loop, wherever it is released: the servers close descriptors that the loop watches, and a later end of the
    // watch could hit another descriptor with the same number.
    isolated deinit {}

    /// Accepts no further connection, delivers the answers to the requests that the handler has seen, and ends then,
    /// after `grace` at the latest; the listener itself may be released meanwhile. May be called in the handler, and
    /// twice. A listener that is released open ends at once.
    package func close(grace: Duration = .seconds(5)) {
        guard isOpen else { return }
        isOpen = false
        for server in servers { server.finish(grace: grace) }
    }
}
