// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import JOSE
package import StrictJSON
import Synchronization

/// An OAuth 2.0 and OpenID Connect provider for tests and for the demo, on a port of its own at 127.0.0.1.
///
/// It is strict: what the client does against the specifications is refused and remembered in `breaches`. And it can
/// be told to misbehave, a request at a time (`script`) or until further notice (`scriptAlways`). It runs on threads
/// of its own, in the process that made it; `stop()` ends it.
package final class FakeProvider: Sendable {
    struct State {
        var settings: ProviderSettings
        var book = GrantBook()
        var keys: SigningKeys
        var breaches: [Breach] = []
        var idTokens: [String] = []
        var scripts: [ProviderEndpoint: [Behaviour]] = [:]
        var standing: [ProviderEndpoint: Behaviour] = [:]
        /// Authorization requests that wait for the form, by the value hidden in it.
        var forms: [String: AuthorizationAsk] = [:]
        /// Device logins by device code, and the device codes by the code that a user enters.
        var devices: [String: PendingDevice] = [:]
        var userCodes: [String: String] = [:]
        /// Pushed requests that no browser has come with yet, by their names.
        var pushed: [String: WireParameters] = [:]
        /// State, nonce and challenge of every authorization request, with the target they came in.
        var usedValues: [String: String] = [:]
        /// The names of clients' assertions that came.
        var usedAssertions: Set<String> = []
        var server: ByteServer?
        var listener: (@Sendable (ProviderEvent) -> Void)?
    }

    package let port: UInt16
    private let state: Mutex<State>
    let log = EventLog<ProviderEvent>()

    /// Listens at once; port 0 lets the system choose.
    package init(_ settings: ProviderSettings = ProviderSettings(), port: UInt16 = 0) throws {
        let handler = WeakHandler()
        let server = try ByteServer(port: port, handler: handler.handle)
        self.port = server.port
        state = try Mutex(State(settings: settings, keys: SigningKeys(prefix: settings.keyPrefix), server: server))
        handler.provider = self
    }

    /// Waits until nothing is left of clients that have died: what they had sent was answered or abandoned.
    package func drain() async throws {
        let server = state.withLock { $0.server }
        try await server?.drain()
    }

    deinit { state.withLock { $0.server?.stop() } }

    /// Everything that changes, for a moment.
    func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result { state.withLock(body) }
}

// What tests ask and order.
extension FakeProvider {
    /// The issuer, as discovery has it and as an account's file must name it.
    package var issuer: String { origin + settings.issuerPath }

    /// Scheme, host and port that it gives out.
    package var origin: String { settings.publicOrigin ?? ownOrigin }

    /// Scheme, host and port where it listens itself.
    package var ownOrigin: String { "http://127.0.0.1:\(port)" }

    /// The settings in force; may be changed at any time.
    package var settings: ProviderSettings { withState { $0.settings } }

    /// Changes settings for all later requests.
    package func change(_ edit: (inout ProviderSettings) -> Void) { withState { edit(&$0.settings) } }

    /// What the client did wrong so far.
    package var breaches: [Breach] { withState { $0.breaches } }

    /// Mistreats the next requests to `endpoint`, one behaviour a request.
    package func script(_ endpoint: ProviderEndpoint, _ behaviours: Behaviour...) {
        withState { $0.scripts[endpoint, default: []] += behaviours }
    }

    /// Mistreats every request to `endpoint` for which nothing else is scripted; nil ends that.
    package func scriptAlways(_ endpoint: ProviderEndpoint, _ behaviour: Behaviour?) {
        withState { $0.standing[endpoint] = behaviour }
    }

    /// Waits for the next event of this endpoint that no earlier call took; an answer where no phase is named.
    @discardableResult
    package func next(
        _ endpoint: ProviderEndpoint,
        _ phase: ProviderEvent.Phase? = nil,
        within limit: Duration = .seconds(20)
    ) async throws -> ProviderEvent {
        let what = "\(endpoint.rawValue) \(phase.map { "\($0)" } ?? "answered")"
        return try await log.next(what, within: limit) { event in
            guard event.endpoint == endpoint else { return false }
            if let phase { return event.phase == phase }
            if case .answered = event.phase { return true }
            return false
        }
    }

    /// Calls `listener` for each event, on the thread where it happened.
    package func onEvent(_ listener: @escaping @Sendable (ProviderEvent) -> Void) {
        withState { $0.listener = listener }
    }

    /// Everything that happened so far.
    package var events: [ProviderEvent] { log.all }

    /// How many requests have come to `endpoint`.
    package func count(_ endpoint: ProviderEndpoint) -> Int {
        log.all.count { $0.endpoint == endpoint && $0.phase == .arrived }
    }

    /// How many token requests of this grant type have come, such as `refresh_token`.
    package func count(grantType: String) -> Int {
        log.all.count {
            $0.endpoint == .token && $0.phase == .arrived && $0.request.formParameters["grant_type"] == grantType
        }
    }

    /// Refresh tokens that would be accepted now.
    package var liveRefreshTokens: [String] { withState { $0.book.liveRefreshTokens } }

    /// Whether this access token would be accepted now.
    package func accepts(accessToken: String) -> Bool {
        withState { $0.book.grant(accessToken: accessToken, now: .now) } != nil
    }

    /// What an access token covers and is for; nil for one that was never issued.
    package func purpose(ofAccessToken token: String) -> (scope: String, resources: [String], audience: String?)? {
        withState { $0.book.purpose(accessToken: token).map { ($0.scope, $0.resources, $0.audience) } }
    }

    /// What must appear nowhere: codes, access and refresh tokens (without the characters that escaping changes)
    /// and the verifiers and ID tokens that passed.
    package var secrets: [String] {
        let verifiers = log.all.filter { $0.endpoint == .token && $0.phase == .arrived }
            .compactMap { $0.request.formParameters["code_verifier"] }
        return withState { $0.book.secrets + $0.idTokens } + Set(verifiers).sorted()
    }

    /// Ends every grant, as an administrator would.
    package func revokeGrants() { withState { $0.book.revokeAll() } }

    /// Ends one access token before its time; its grant goes on.
    package func end(accessToken: String) { withState { $0.book.end(accessToken: accessToken) } }

    /// Puts a new signing key in force; without `keepingOld` the JWKS lists that one alone.
    package func rotateKeys(keepingOld: Bool = true, algorithm: SignatureAlgorithm = .es256) throws {
        try withState { state in
            Result { try state.keys.rotate(keepingOld: keepingOld, algorithm: algorithm) }
        }.get()
    }

    /// Puts these entries before the keys in the JWKS.
    package func publishJunk(_ entries: [JSONValue]) { withState { $0.keys.junk = entries } }

    /// Refuses connections from now on and cuts those that are open.
    package func stop() {
        withState { state in
            state.server?.stop()
            state.server = nil
        }
    }

    /// Listens again, at the same port, after `stop()`.
    package func restart() throws {
        let server = try ByteServer(port: port) { [weak self] request, connection in
            self?.handle(request, connection) ?? false
        }
        withState { $0.server = server }
    }
}

/// Leads from the server to the provider that owns it, which exists a moment later.
private final class WeakHandler: Sendable {
    private struct Box {
        weak var provider: FakeProvider?
    }

    private let box = Mutex(Box())

    var provider: FakeProvider? {
        get { box.withLock { $0.provider } }
        set { box.withLock { $0.provider = newValue } }
    }

    func handle(_ request: WireRequest, _ connection: ByteConnection) -> Bool {
        provider?.handle(request, connection) ?? false
    }
}
