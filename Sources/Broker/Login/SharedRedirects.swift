// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Systemd

/// Lets several logins use the same port at the same time: one listener for each address and port. Each request goes to
/// the login that it answers, by its path and `state`. The port closes with the last of them.
///
/// Another program's port stays refused: only what is open here is shared.
@LoopActor package final class SharedRedirects: RedirectListening {
    private let base: any RedirectListening
    private var shared: [SharedListener] = []

    /// - Parameter base: opens the ports.
    package init(_ base: any RedirectListening) {
        self.base = base
    }

    package func open(
        _ host: RedirectURI.LoopbackHost,
        port: Int?,
        handler: @escaping RedirectHandler
    ) throws(RedirectFault) -> any RedirectListener {
        var listeners: [SharedListener] = []
        if let port {
            shared.removeAll { !$0.isOpen }
            listeners = shared.filter { $0.port == port && !$0.addresses.isDisjoint(with: host.addresses) }
        }
        let missing = host.addresses.subtracting(listeners.flatMap(\.addresses))
        if listeners.isEmpty {
            listeners = [try share(host, port: port)]
        } else if let address = missing.first {
            do {
                listeners.append(try share(address, port: port))
            } catch {
                // Of `localhost`, this machine may have one family only.
                guard error.isAddressMissing else { throw error }
            }
        }
        return JoinedListener(listeners, handler)
    }

    private func share(_ host: RedirectURI.LoopbackHost, port: Int?) throws(RedirectFault) -> SharedListener {
        let listener = SharedListener()
        try listener.open { handler throws(RedirectFault) in try base.open(host, port: port, handler: handler) }
        shared.append(listener)
        return listener
    }
}

/// An open port and the logins that have it.
@LoopActor private final class SharedListener {
    private var listener: (any RedirectListener)?
    /// In the order in which they came.
    private var members: [(id: ObjectIdentifier, handler: RedirectHandler)] = []

    func open(with opener: (@escaping RedirectHandler) throws(RedirectFault) -> any RedirectListener)
        throws(RedirectFault)
    {
        listener = try opener { [weak self] request, answer in
            guard let self else { return 404 }
            return received(request, answer)
        }
    }

    var isOpen: Bool { listener != nil }
    var port: Int { listener?.port ?? 0 }
    var addresses: Set<RedirectURI.LoopbackHost> { listener?.addresses ?? [] }

    func join(_ id: ObjectIdentifier, _ handler: @escaping RedirectHandler) {
        members.append((id, handler))
    }

    func leave(_ id: ObjectIdentifier) {
        members.removeAll { $0.id == id }
        guard members.isEmpty else { return }
        listener?.close()
        listener = nil
    }

    /// Asks one login after the other; a request of none is refused with the answer of the one that fitted best.
    private func received(_ request: RedirectRequest, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) -> Int? {
        var refusals: [Int] = []
        for (_, handler) in members {
            guard let status = handler(request, answer) else { return nil }
            refusals.append(status)
        }
        // The order in which a login looks: host, path, method, whether a user has come, `state`.
        return [400, 403, 405, 404].first(where: refusals.contains) ?? refusals.first ?? 404
    }
}

/// One login's part of the ports that it shares.
@LoopActor private final class JoinedListener: RedirectListener {
    let port: Int
    let addresses: Set<RedirectURI.LoopbackHost>
    private var listeners: [SharedListener]

    init(_ listeners: [SharedListener], _ handler: @escaping RedirectHandler) {
        self.listeners = listeners
        port = listeners.first?.port ?? 0
        addresses = Set(listeners.flatMap(\.addresses))
        for listener in listeners { listener.join(ObjectIdentifier(self), handler) }
    }

    isolated deinit {
        close()
    }

    func close() {
        let left = listeners
        listeners = []
        for listener in left { listener.leave(ObjectIdentifier(self)) }
    }
}

extension RedirectURI.LoopbackHost {
    /// The literal addresses that are listened on for it.
    package var addresses: Set<RedirectURI.LoopbackHost> {
        switch self {
        case .ipv4, .ipv6: [self]
        case .localhost: [.ipv4, .ipv6]
        }
    }
}
