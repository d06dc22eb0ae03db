// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON

extension FuzzTarget {
    private static let statuses = [200, 201, 204, 302, 400, 401, 403, 404, 408, 429, 500, 503]
    private static let types = [
        "application/json", "application/x-www-form-urlencoded", "text/plain", "text/html", "application/jwt",
        "application/json; charset=utf-16",
    ]
    private static let sent = Secret("refresh-token-that-was-sent")

    /// The first byte picks the status, the second the content type and the endpoint.
    static func readAnswer(_ bytes: [UInt8]) throws(BrokenRule) {
        guard bytes.count >= 2 else { return }
        let status = statuses[Int(bytes[0]) % statuses.count]
        let type = types[Int(bytes[1]) % types.count]
        let body = Array(bytes[2...])
        let response = HTTPResponse(status: status, headers: ["Content-Type": type], body: body)
        guard Int(bytes[1]) / types.count % 5 == 0 else {
            return try readOtherAnswer(response, endpoint: Int(bytes[1]) / types.count % 5, sent: sent)
        }
        try readTokenAnswer(response)
        guard let object = try? ProviderJSON.read(body).object else { return }
        if let metadata = try? ProviderMetadata(document: object) { try checkMetadata(metadata) }
    }

    private static func readTokenAnswer(_ response: HTTPResponse) throws(BrokenRule) {
        let answer = TokenAnswer.read(response, sentAt: 1_000, now: 1_001, requested: ["openid"], sent: [sent])
        switch answer {
        case .success(let token):
            try BrokenRule.unless((200..<300).contains(response.status), "only a 2xx brings a token")
            try BrokenRule.unless(!token.accessToken.isEmpty, "an access token is not empty")
            try BrokenRule.unless(token.refreshToken?.isEmpty != true, "a refresh token is not empty")
            try checkTokens([token.accessToken, token.refreshToken, token.idToken])
            if case .seconds(let life) = token.lifetime {
                try BrokenRule.unless(life > 0, "a stated life is longer than nothing")
            }
        case .throttled(let body, retryAfter: let wait):
            try BrokenRule.unless(wait.map { $0 >= .zero && $0 <= .seconds(3600) } ?? true, "an hour at most")
            try checkText(body.message)
        case .grantEnded(let body), .userWanted(let body), .misconfigured(let body), .unknown(let body):
            try checkText(body.message)
        case .unavailable(let reason, answerLost: _):
            try checkText(reason)
        case .invalid(let invalid):
            try checkText(invalid.reason)
            try checkTokens([invalid.refreshToken])
        case .dpopNonce:
            break
        }
    }

    /// No token has a replaced byte in it.
    private static func checkTokens(_ tokens: [Secret?]) throws(BrokenRule) {
        for token in tokens.compactMap(\.self) {
            try BrokenRule.unless(!token.reveal().unicodeScalars.contains("\u{FFFD}"), "a token is as it came")
        }
    }

    /// What a user may read: in one line, nothing in it that moves, hides or turns text, and nothing that was sent.
    static func checkText(_ text: String) throws(BrokenRule) {
        let shown = DisplayText.sanitized(text, limit: 10_000)
        try BrokenRule.unless(shown == text, "what a person reads is fit to be shown: \(text.debugDescription)")
        try BrokenRule.unless(!text.contains(sent.reveal()), "what was sent is not repeated")
    }

    private static func checkMetadata(_ metadata: ProviderMetadata) throws(BrokenRule) {
        for url in [metadata.tokenEndpoint, metadata.authorizationEndpoint].compactMap(\.self) {
            let again = try BrokenRule.value("an endpoint is a URL") { try WebURL(url.text) }
            try BrokenRule.unless(again == url, "an endpoint keeps its text")
        }
    }
}
