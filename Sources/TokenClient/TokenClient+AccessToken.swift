// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

extension TokenClient {
    /// Requirements for a token; all are optional.
    public struct TokenOptions: Sendable {
        /// The scopes that it must cover at least.
        public var scope: String?
        /// Whether it must cover only these scopes; the daemon then requests a separate token from the provider.
        public var isNarrow = false
        /// Its resources (RFC 8707): absolute URIs. Empty: those of the account's settings.
        public var resources: [String] = []
        /// The same, for providers with this parameter.
        public var audience: String?
        /// Its least validity in seconds; the daemon's default is 10.
        public var minimumValidity: Int64?
        /// The token that an API refused with 401: it is refreshed, unless there is already a newer one.
        public var rejected: AccessToken?
        /// The `WWW-Authenticate` value of that 401: if it requires a stronger or more recent sign-in (RFC 9470), the
        /// call fails with `login_required` and reason `step_up`, or prompts the user.
        public var challenge: String?
        /// Whether the user may be prompted, and waited for, if the store is locked or a login is needed.
        public var isInteractive = false
        /// The application's name, for the daemon's log.
        public var application: String?

        /// No requirements.
        public init() {}
    }

    /// A valid access token.
    ///
    /// - Parameters:
    ///   - account: its name; nil: the default account, or the only one.
    ///   - options: the token's requirements.
    ///   - timeout: the longest wait; by default 60 s, or 300 s if the user may be prompted.
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

    /// A call with typed parameters and result; an answer that lacks members is a `protocol_violation`.
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
