// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets
import StrictJSON

extension DeviceAuthorizationAnswer {
    /// Reads an answer, JSON or (GitHub's default) a form; `now` is the unix time at which it came, `sent` are the
    /// secrets of the request, which no text about the answer may repeat.
    package static func read(
        _ response: HTTPResponse,
        now: Int64,
        sent: [Secret] = []
    ) -> DeviceAuthorizationAnswer {
        let wait = response.waitAsked(now: now)
        let body = AnswerBody(response)
        guard let object = body.object else {
            let reason = "the device authorization endpoint answered HTTP \(response.status) with \(body.what)"
            let isPassing = response.isPassing || !(400..<500).contains(response.status)
            return isPassing
                ? .unavailable(reason: reason, retryAfter: wait)
                : .refused(OAuthErrorBody(error: "", description: reason, status: response.status))
        }
        let named = OAuthErrorBody(answer: object, status: response.status, sent: sent)
        if let error = named ?? ((200..<300).contains(response.status) ? nil : OAuthErrorBody(response)) {
            let codes = ["slow_down", "temporarily_unavailable", "server_error"]
            return response.isPassing || codes.contains(error.error)
                ? .unavailable(
                    reason: "the device authorization endpoint answered HTTP \(response.status): \(error.message)",
                    retryAfter: wait
                )
                : .refused(error)
        }
        do {
            return .success(try DeviceAuthorizationResponse(members: object))
        } catch {
            return .invalid(error.message)
        }
    }
}

extension DeviceAuthorizationResponse {
    /// Reads the members of a successful answer.
    ///
    /// - Throws: a sentence that names the missing or unusable member.
    init(members: JSONObject) throws(OAuthError) {
        guard let code = members["device_code"]?.intactText, !code.isEmpty else { throw Self.lacks("device_code") }
        guard let userCode = members["user_code"]?.string, Self.isShowable(userCode) else {
            throw Self.lacks("user_code")
        }
        // Google has `verification_url`; others copied it.
        let places = ["verification_uri", "verification_url"].lazy.compactMap { members[$0]?.string }
        guard let place = places.first, let uri = try? WebURL(endpoint: place) else {
            throw Self.lacks("verification_uri")
        }
        let life = members["expires_in"].flatMap(Lifetime.wholeSeconds) ?? 0
        let wholes = ["verification_uri_complete", "verification_url_complete"].lazy.compactMap { members[$0]?.string }
        deviceCode = Secret(code)
        self.userCode = userCode
        verificationURI = uri
        verificationURIComplete = wholes.first.flatMap { try? WebURL(endpoint: $0) }
        expiresIn = life > 0 ? life : Self.defaultLife
        notes = life > 0 ? [] : ["it does not say how long its codes live; \(Self.defaultLife) s are assumed"]
        // Zero would mean polling without a pause.
        let interval = members["interval"].flatMap(Lifetime.wholeSeconds) ?? 0
        self.interval = interval > 0 ? interval : Self.defaultInterval
    }

    /// Whether a user can read the code off a screen: far longer ones than any in use are refused.
    private static func isShowable(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count) && code.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && code.contains { $0 != " " }
    }

    private static func lacks(_ member: String) -> OAuthError {
        OAuthError(.invalidDocument, "the provider's device answer has no \(member) that can be used")
    }
}

extension OAuthErrorBody {
    /// An answer of which only the status is known.
    fileprivate init(_ response: HTTPResponse) {
        self.init(error: "", status: response.status)
    }
}

extension HTTPResponse {
    /// Whether the status means a fault of the provider, or a request that is too early (RFC 9110, section 15).
    fileprivate var isPassing: Bool { status >= 500 || [408, 425, 429].contains(status) }
}
