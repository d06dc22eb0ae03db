// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

extension TokenClient {
    /// What a token is to be good for; everything may be left out.
    public struct TokenOptions: Sendable {
        /// The scopes that it must cover at least.
        public var scope: String?
        /// Whether it must cover these scopes alone; the daemon asks the provider for a token of its own then.
        public var isNarrow = false
        /// The resources that it is for (RFC 8707): absolute URIs. Empty: those of the account's settings.
        public var resources: [String] = []
        /// The same, for providers that call it so.
        public var audience: String?
        /// For how long it must hold, in seconds; the daemon's default is 10.
        public var minimumValidity: Int64?
        /// The token that an API refused with 401: it is refreshed, unless there is a newer one already.
        public var rejected: AccessToken?
        /// What the API said with that 401, as it stands in `WWW-Authenticate`: where it wants a stronger or more recent
        /// sign-in (RFC 9470), the call is `login_required` with reason `step_up`, or asks the user.
        public var challenge: String?
        /// Whether a user may be asked, and waited for, where the store is locked or a login is needed.
        public var isInteractive = false
        /// The application's name, for the daemon's log.
        public var application: String?

        /// No wishes.
        public init() {}
    }

    /// An access token that holds.
    ///
    /// - Parameters:
    ///   - account: its name; without one the default account, or the only one.
    ///   - options: what the token must be good for.
    ///   - timeout: how long to wait in all; by default 60 s, or 300 s where a user is asked.
    public func accessToken(
        account: String? = nil,
        options: TokenOptions = TokenOptions(),
        timeout: Duration? = nil
    ) throws(TokenClientError) -> AccessToken {
        var parameters = TokenGet.Parameters(account: account)
        parameters.scope = options.scope
        if options.isNarrow { parameters.narrow = true }
        if !options.resources.isEmpty { parameters.resource = options.resources }
        parameters.audience = options.audience
        parameters.minValid = options.minimumValidity
        parameters.rejected = options.rejected?.secret
        parameters.challenge = options.challenge
        if options.isInteractive { parameters.interactive = true }
        parameters.application = options.application
        let limit = timeout ?? .seconds(options.isInteractive ? 300 : 60)
        parameters.timeout = max(1, limit.components.seconds)
        return AccessToken(try call(TokenGet.self, parameters, timeout: limit + .seconds(5)))
    }

    /// A call with typed parameters and result; the daemon's answer is `protocol_violation` where it lacks members.
    package func call<Call: MethodCall>(
        _ call: Call.Type,
        _ parameters: Call.Parameters,
        timeout: Duration = .seconds(90)
    ) throws(TokenClientError) -> Call.Result {
        let result = try self.call(call.method, parameters.encoded(), timeout: timeout)
        do throws(ProtocolError) {
            return try Call.Result(json: result)
        } catch {
            throw TokenClientError(.protocolViolation, error.message)
        }
    }
}
