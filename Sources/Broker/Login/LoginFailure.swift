// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
import StrictJSON
package import TokendProtocol

/// Why a login did not result in a grant.
package enum LoginFailure: Error, Sendable {
    /// The user or the provider refused.
    case refused(OAuthErrorBody)
    /// The answer fails a check.
    case check(String, message: String)
    /// Any other error for the client.
    case fault(ProtocolError)

    /// The error for the client.
    package func protocolError(account: String) -> ProtocolError {
        switch self {
        case .refused(let body) where body.error == "access_denied":
            return ProtocolError(
                .loginFailed,
                "the sign-in to “\(account)” was refused at the provider; nothing was changed",
                data: ["oauth_error": .string(body.error)]
            )
        case .refused(let body):
            return ProtocolError(
                .loginFailed,
                "the provider refused the sign-in to “\(account)”: \(body.message)",
                data: ["oauth_error": .string(body.error)]
            )
        case .check(let check, let message):
            return ProtocolError(
                .loginFailed,
                "the provider's answer for “\(account)” failed a check, so nothing was kept: \(message)",
                data: ["check": .string(check)]
            )
        case .fault(let error):
            return error
        }
    }

    /// The page for the user's browser.
    func page(account: String, provider: String) -> RedirectAnswer {
        if case .refused(let body) = self, body.error == "access_denied" {
            return .denied(account: account, provider: provider)
        }
        let error = protocolError(account: account)
        let next =
            switch error.kind {
            case .storeLocked, .storeUnavailable: "Open your keyring, then sign in again."
            case .cancelled: "You can close this window."
            default: "Sign in again from where you started."
            }
        let command = error.kind == .cancelled ? nil : "tokenctl login \(account)"
        return .failed(account: account, reason: Self.sentence(error.message), next: next, command: command)
    }

    private static func sentence(_ text: String) -> String {
        guard let first = text.first else { return text }
        return first.uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}
