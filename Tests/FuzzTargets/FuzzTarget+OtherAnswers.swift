// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON

extension FuzzTarget {
    /// The answer as one of the other endpoints' (1 to 4).
    static func readOtherAnswer(_ response: HTTPResponse, endpoint: Int, sent: Secret) throws(BrokenRule) {
        switch endpoint {
        case 1: try readErrors(response, sent: sent)
        case 2: try readDeviceAnswer(response, sent: sent)
        case 3: try readApplicationAnswer(response, sent: sent)
        default: try readDocuments(response)
        }
    }

    private static func readDocuments(_ response: HTTPResponse) throws(BrokenRule) {
        try readFaults { () throws(OAuthError) in try UserInfo.read(response, subject: "248289761001") }
        try readFaults { () throws(OAuthError) in try KeySetDocument.read(response) }
        if let scope = ScopeList.read(response) {
            try BrokenRule.unless(!scope.tokens.isEmpty, "a list of scopes names one")
            try BrokenRule.unless(scope.tokens.allSatisfy(Scope.isScopeToken), "a scope is one: \(scope.tokens)")
        }
    }

    private static func readErrors(_ response: HTTPResponse, sent: Secret) throws(BrokenRule) {
        switch PushedAuthorizationAnswer.read(response, sent: [sent]) {
        case .accepted(requestURI: let uri, expiresIn: let life):
            try BrokenRule.unless(life > 0, "a pushed request lives")
            try BrokenRule.unless(uri.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a name is visible: \(uri)")
        case .refused(let body): try checkText(body.message)
        case .unavailable(let reason), .invalid(let reason): try checkText(reason)
        }
        switch RegistrationAnswer.read(response, sent: [sent]) {
        case .registered(let client): try BrokenRule.unless(!client.id.isEmpty, "a client has a name")
        case .refused(let body, isUnauthorized: _): try checkText(body.message)
        case .unavailable(let reason), .invalid(let reason): try checkText(reason)
        }
        switch RevocationAnswer.read(response, now: 1_000, sent: [sent]) {
        case .done, .unsupportedTokenType: break
        case .later(let reason, retryAfter: _): try checkText(reason)
        case .refused(let body): try checkText(body.message)
        }
    }

    private static func readDeviceAnswer(_ response: HTTPResponse, sent: Secret) throws(BrokenRule) {
        switch DeviceAuthorizationAnswer.read(response, now: 1_000, sent: [sent]) {
        case .success(let device):
            try BrokenRule.unless(device.expiresIn > 0 && device.interval > 0, "a device login has a life and a pace")
            try BrokenRule.unless(
                device.userCode.utf8.allSatisfy { (0x20...0x7E).contains($0) },
                "a code can be shown: \(device.userCode)"
            )
        case .refused(let body): try checkText(body.message)
        case .invalid(let reason), .unavailable(let reason, retryAfter: _): try checkText(reason)
        }
        let token = TokenAnswer.read(response, sentAt: 1_000, now: 1_001, requested: ["openid"], sent: [sent])
        switch DevicePollAnswer(token) {
        case .slowDown(let interval, retryAfter: _):
            try BrokenRule.unless(interval.map { $0 > 0 } ?? true, "a new pace is one")
        case .denied(let body), .expired(let body), .misconfigured(let body), .refused(let body):
            try checkText(body.message)
        case .pending, .done, .passing: break
        }
    }

    private static func readApplicationAnswer(_ response: HTTPResponse, sent: Secret) throws(BrokenRule) {
        guard let url = try? WebURL("https://app.example/exchange") else { return }
        var exchange = ApplicationExchange(url: url)
        exchange.token = "result.token"
        exchange.expiresIn = "result.expires_in"
        for exchange in [ApplicationExchange(url: url), exchange] {
            switch ApplicationAnswer.read(response, to: exchange, now: 1_000, sent: sent) {
            case .token(let token, let lifetime):
                try BrokenRule.unless(!token.isEmpty, "an application's token is not empty")
                if case .seconds(let life) = lifetime {
                    try BrokenRule.unless(life > 0, "a stated life is longer than nothing")
                }
            case .refused(let body): try checkText(body.message)
            case .unavailable(let reason, retryAfter: _), .invalid(let reason): try checkText(reason)
            }
        }
    }

    private static func readFaults(_ read: () throws(OAuthError) -> some Any) throws(BrokenRule) {
        do throws(OAuthError) {
            _ = try read()
        } catch {
            try checkText(error.message)
        }
    }
}
