// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import TokendProtocol

// The usable kinds of redirect (RFC 8252, section 7): one that cannot arrive is refused before a browser opens.
extension LoginAttempt {
    /// The requested or configured redirects, as far as an answer can arrive by them; without either, a loopback
    /// address at any port.
    ///
    /// - Throws: why none of them can be used, with the scheme that needs a handler.
    func redirectOptions() throws(ProtocolError) -> [RedirectURI] {
        let named: [RedirectURI]
        do throws(OAuthError) {
            if let text = parameters.redirectURI {
                named = [try RedirectURI(text)]
            } else if account.redirects.isEmpty {
                named = [try RedirectURI("http://127.0.0.1/callback"), try RedirectURI("http://[::1]/callback")]
            } else {
                named = account.redirects
            }
        } catch {
            throw .invalidParams(member: "redirect_uri", error.message)
        }
        let obstacles = named.map(obstacle)
        let usable = zip(named, obstacles).filter { $0.1 == nil }.map(\.0)
        guard usable.isEmpty else { return usable }
        throw refusal(obstacles.compactMap { $0 })
    }

    /// Why an answer would not arrive.
    private struct Obstacle {
        var sentence: String
        /// The scheme without a handler.
        var scheme: String?
    }

    /// Whether the answer comes in a request's body, so that it is in no URL.
    private var isPosted: Bool { account.authorizationParameters["response_mode"] == "form_post" }

    private func obstacle(_ redirect: RedirectURI) -> Obstacle? {
        let shown = DisplayText.sanitized(redirect.url.text)
        switch redirect.kind {
        case _ where isPosted && (parameters.completes || !redirect.isLoopback):
            return Obstacle(
                sentence: "with response_mode form_post “\(shown)” ends without the answer in its address, and "
                    + "only a listener on this machine gets that; take response_mode out of \(account.file)"
            )
        case .loopback:
            return nil
        case _ where parameters.completes:
            return nil
        case .privateUse(let scheme):
            guard !handlers.hasHandler(for: scheme) else { return nil }
            return Obstacle(
                sentence: "“\(shown)” cannot come back, since nothing here opens \(scheme): yet; "
                    + "to change that: tokenctl callback --install \(scheme)",
                scheme: scheme
            )
        case .claimed:
            return Obstacle(
                sentence: "“\(shown)” does not come back by itself; to paste the answer: "
                    + "tokenctl login \(account.name) --paste"
            )
        }
    }

    private func refusal(_ obstacles: [Obstacle]) -> ProtocolError {
        let sentences = obstacles.map(\.sentence).joined(separator: ". ")
        let message = sentences + " (the provider must have that redirect URI, exactly as it stands here)"
        var error: ProtocolError
        if parameters.redirectURI != nil {
            error = .invalidParams(member: "redirect_uri", message)
        } else {
            let data: JSONObject = ["file": .string(account.file), "member": "redirect_uri"]
            error = ProtocolError(.configInvalid, message, data: data)
        }
        if let scheme = obstacles.compactMap(\.scheme).first { error.data["scheme"] = .string(scheme) }
        return error
    }
}
