// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets
import StrictJSON

/// How the provider's token is exchanged for an application's own at that application's backend; `exchange` in an
/// account's file. No specification defines it: the backend gets one JSON object by POST and answers with another.
package struct ApplicationExchange: Sendable, Hashable {
    /// The provider's token that the backend requires.
    package enum Subject: String, Sendable, CaseIterable {
        case idToken = "id_token"
        case accessToken = "access_token"
    }

    /// The backend's URL; `https`, or `http` on a loopback address.
    package var url: WebURL
    /// The token that is sent.
    package var subject: Subject = .idToken
    /// The member that contains the sent token.
    package var field = "token"
    /// The answer's member with the application's token; dots separate nested names.
    package var token = "token"
    /// The answer's member with the lifetime in seconds; dots as above.
    package var expiresIn = "expires_in"

    /// An exchange with the usual names.
    package init(url: WebURL) {
        self.url = url
    }

    /// The request that carries the provider's token.
    package func request(_ subject: Secret) -> HTTPRequest {
        HTTPRequest(
            method: .post,
            url: url,
            headers: ["Accept": "application/json", "Content-Type": "application/json"],
            body: Secret(bytes: JSONWriter.bytes(.object([field: .string(subject.reveal())])))
        )
    }
}

/// The meaning of the backend's answer. It says nothing about the grant at the provider.
package enum ApplicationAnswer: Sendable {
    /// The application's token, which may be served.
    case token(Secret, Lifetime)
    /// The backend refuses this token, or this client: the user must act.
    case refused(OAuthErrorBody)
    /// The backend is unavailable or asks to wait, for `retryAfter` if stated.
    case unavailable(reason: String, retryAfter: Duration?)
    /// An answer without a token where the account expects it.
    case invalid(reason: String)

    /// Reads an answer.
    ///
    /// `now` is the unix time at which it came, `sent` the token that was sent to the backend, which no text about the
    /// answer may repeat.
    package static func read(
        _ response: HTTPResponse,
        to exchange: ApplicationExchange,
        now: Int64,
        sent: Secret
    ) -> ApplicationAnswer {
        let body = AnswerBody(response)
        let object = body.object
        switch response.status {
        case 200..<300:
            guard let object else { return .invalid(reason: "its answer is \(body.what)") }
            return token(object, exchange)
        case 408, 425, 429, 500...:
            return .unavailable(reason: "HTTP \(response.status)", retryAfter: response.waitAsked(now: now))
        case 300..<400:
            return .invalid(reason: "it redirects (HTTP \(response.status)), which is not followed")
        default:
            return .refused(refusal(object, status: response.status, sent: sent))
        }
    }

    private static func token(_ object: JSONObject, _ exchange: ApplicationExchange) -> ApplicationAnswer {
        guard let text = object.value(at: exchange.token)?.string, !text.isEmpty else {
            return .invalid(reason: "its answer has no token in “\(DisplayText.sanitized(exchange.token))”")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return .invalid(reason: "its token has characters that no header can carry")
        }
        guard let seconds = object.value(at: exchange.expiresIn).flatMap(Lifetime.wholeSeconds) else {
            return .token(Secret(text), .unknown)
        }
        return .token(Secret(text), seconds > 0 ? .seconds(seconds) : .elapsed)
    }

    /// The backend's own message, whatever member has it.
    private static func refusal(_ object: JSONObject?, status: Int, sent: Secret) -> OAuthErrorBody {
        if let object {
            if let body = OAuthErrorBody(answer: object, status: status, sent: [sent]) { return body }
            let words = ["message", "detail", "title"].lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty }
            let answer: JSONObject? = words.map { ["error": .bool(true), "error_description": .string($0)] }
            if let body = answer.flatMap({ OAuthErrorBody(answer: $0, status: status, sent: [sent]) }) { return body }
        }
        return OAuthErrorBody(error: "", status: status)
    }
}

extension JSONObject {
    /// The value of a member of exactly that name, or else the one that its dots lead to.
    fileprivate func value(at path: String) -> JSONValue? {
        if let value = self[path] { return value }
        var value: JSONValue = .object(self)
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard let inner = value.object?[String(name)] else { return nil }
            value = inner
        }
        return value
    }
}
