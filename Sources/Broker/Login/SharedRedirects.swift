// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Systemd

/// Lets several logins use the same port at the same time, with one listener for each address and port. Each request
/// goes to the login that it answers, by its path and `state`. The port closes with the last login.
///
/// Another program's port is not shared: only one that is open here.
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
                // For `localhost`, this machine may have only one address family.
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

/// An open port and its logins.
@LoopActor private final class SharedListener {
    private var listener: (any RedirectListener)?
    /// In the order in which they joined.
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

    /// Offers the request to each login; if none takes it, the answer is that of the closest match.
    private func received(_ request: RedirectRequest, _ answer: @escaping @LoopActor (RedirectAnswer) -> Void) -> Int? {
        var refusals: [Int] = []
        for (_, handler) in members {
            guard let status = handler(request, answer) else { return nil }
            refusals.append(status)
        }
        // The order of a login's checks: host, path, method, user activation, `state`.
        return [400, 403, 405, 404].first(where: refusals.contains) ?? refusals.first ?? 404
    }
}

/// One login's share of the listeners.
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
    /// The literal addresses that it listens on.
    package var addresses: Set<RedirectURI.LoopbackHost> {
        switch self {
        case .ipv4, .ipv6: [self]
        case .localhost: [.ipv4, .ipv6]
        }
    }
}
