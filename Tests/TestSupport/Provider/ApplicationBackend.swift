// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Synchronization

/// An application's server: it trades a provider's ID token for a token of its own, and names the scopes that its
/// programs ask for. It looks at no signature.
package final class ApplicationBackend: Sendable {
    private let desk: Desk
    private let server: ByteServer

    /// Listens at once.
    package init() throws {
        let desk = Desk()
        self.desk = desk
        server = try ByteServer { request, connection in connection.send(desk.answer(request).bytes) }
    }

    deinit { server.stop() }

    /// Where sessions are made.
    package var url: String { "http://127.0.0.1:\(server.port)/session" }

    /// Where the scopes are.
    package var scopesURL: String { "http://127.0.0.1:\(server.port)/scopes.json" }

    /// The ID tokens that were shown, in their order.
    package var seen: [String] { desk.state.withLock { $0.seen } }

    /// Answers every request for a session like this; nil: gives them out again.
    package func refuse(_ response: WireResponse?) { desk.state.withLock { $0.refusal = response } }

    /// Names these scopes from now on; none: as a server that knows of no such thing.
    package func name(_ scopes: [String]) { desk.state.withLock { $0.scopes = scopes } }

    /// Listens no more.
    package func stop() { server.stop() }
}

/// What the backend remembers, and how it answers.
private final class Desk: Sendable {
    struct State {
        var seen: [String] = []
        var count = 0
        var refusal: WireResponse?
        var scopes: [String] = []
    }

    let state = Mutex(State())

    func answer(_ request: WireRequest) -> WireResponse {
        state.withLock { state in
            if request.path == "/scopes.json", !state.scopes.isEmpty {
                return .json(["scopes": .array(state.scopes.map { .string($0) })])
            }
            guard request.path == "/session", request.method == "POST" else { return WireResponse(status: 404) }
            guard let token = (try? JSONReader().read(request.body))?.object?["id_token"]?.string else {
                return WireResponse(status: 422)
            }
            state.seen.append(token)
            if let refusal = state.refusal { return refusal }
            state.count += 1
            return .json(["session": ["token": .string("session-\(state.count)"), "expires_in": 7200]])
        }
    }
}
