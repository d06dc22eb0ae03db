// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import OAuth
package import Secrets

/// The meaning, for one login, of a redirect that arrives at the listener.
///
/// No request of a stranger can end a login: only an answer with this login's `state` can. Everything else is answered
/// 4xx and the wait goes on (RFC 8252, sections 8.3 and 8.10).
package struct LoginStateMachine: Sendable {
    enum State: Sendable {
        /// Waits for the user at the provider.
        case waiting
        /// The code is being exchanged; browsers that ask meanwhile wait for the end.
        case exchanging
        case ended(RedirectAnswer)
    }

    /// What the caller must do.
    package enum Action: Sendable {
        /// Answer this request; the login continues.
        case answer(RedirectAnswer)
        /// Exchange the code, once; the request is answered at the end.
        case exchange(Secret)
        /// The user or the provider refused, or a check failed: end the login, then answer the request.
        case end(LoginFailure)
        /// Answer this request when the exchange has ended.
        case hold
        /// Answer with the last page; the listener can close after it.
        case showPage(RedirectAnswer)
        /// Redirect the browser to the provider; the login continues.
        case leadOn
    }

    /// The path of the redirect URI.
    private let path: String
    /// Accepted `Host` headers.
    private let hosts: Set<String>
    /// Where the browser is sent afterwards, so that the code leaves the address bar.
    package let pagePath: String
    /// The path that redirects a browser to the provider: short, and given only to the client that started the login.
    package let startPath: String
    /// The members besides the code.
    package private(set) var metadata: LoginMetadata?
    private let expected: AuthorizationResponse.Expected
    /// Whether the answer may be a form that the provider's page posts (`response_mode=form_post`).
    private let takesForms: Bool
    private var state = State.waiting

    /// - Parameters:
    ///   - path: the redirect URI's path.
    ///   - hosts: `127.0.0.1:PORT` and the like.
    ///   - pageName: an unguessable name for the last page.
    ///   - startName: another one for the first.
    ///   - takesForms: whether `response_mode=form_post` was requested.
    package init(
        path: String,
        hosts: Set<String>,
        pageName: String,
        startName: String,
        expected: AuthorizationResponse.Expected,
        takesForms: Bool = false
    ) {
        self.path = path.isEmpty ? "/" : path
        self.hosts = hosts
        pagePath = "/done/" + pageName
        startPath = "/s/" + startName
        self.expected = expected
        self.takesForms = takesForms
    }

    /// A request arrived.
    package mutating func received(_ request: RedirectRequest) -> Action {
        let status = request.refusal(
            hosts: hosts,
            paths: [path, pagePath, startPath],
            formPath: takesForms ? path : nil
        )
        if let status { return .answer(.refused(status: status)) }
        if request.path == pagePath { return page() }
        if request.path == startPath { return start() }
        let text = request.method == .post ? String(decoding: request.body, as: UTF8.self) : request.query
        guard let parameters = text.flatMap(FormParameters.decode) else { return .answer(.refused(status: 400)) }
        return answer(parameters)
    }

    /// Whether these parameters carry this login's `state`.
    package func isAnswer(_ parameters: FormParameters) -> Bool {
        if case .ignored = AuthorizationResponse.read(parameters, for: expected) { return false }
        return true
    }

    /// The members besides this login's code.
    package func metadata(of parameters: FormParameters) -> LoginMetadata? {
        guard case .code(_, metadata: let returned) = AuthorizationResponse.read(parameters, for: expected) else {
            return nil
        }
        return LoginMetadata(returned: returned)
    }

    /// An answer that did not come through the listener.
    package mutating func completed(_ parameters: FormParameters) -> Action {
        answer(parameters)
    }

    private mutating func answer(_ parameters: FormParameters) -> Action {
        let outcome = AuthorizationResponse.read(parameters, for: expected)
        if case .ignored = outcome { return .answer(.refused(status: 400)) }
        // A second load of the same URL comes from the same browser: it gets the login's end like the first.
        switch state {
        case .exchanging: return .hold
        case .ended: return .answer(.seeOther(path: pagePath))
        case .waiting: break
        }
        switch outcome {
        case .ignored:
            return .answer(.refused(status: 400))
        case .code(let code, metadata: let returned):
            state = .exchanging
            metadata = LoginMetadata(returned: returned)
            return .exchange(code)
        case .refused(let body):
            return .end(.refused(body))
        case .failed(let check, let message):
            return .end(.check(check, message: message))
        }
    }

    private func page() -> Action {
        guard case .ended(let answer) = state else { return .answer(.refused(status: 404)) }
        return .showPage(answer)
    }

    private func start() -> Action {
        guard case .waiting = state else { return .answer(.seeOther(path: pagePath)) }
        return .leadOn
    }

    /// The login has ended; `page` is for the browser.
    package mutating func ended(page: RedirectAnswer) {
        state = .ended(page)
    }

    /// The `Host` fields that a browser sends to a redirect URI; it omits HTTP's default port (RFC 9110, section 7.2).
    package static func hosts(of host: RedirectURI.LoopbackHost, port: Int) -> Set<String> {
        let full = "\(host.rawValue):\(port)"
        return port == 80 ? [full, host.rawValue] : [full]
    }
}
