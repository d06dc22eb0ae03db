// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
import StrictJSON
package import TokendProtocol

/// Why a login did not end in a grant.
package enum LoginFailure: Error, Sendable {
    /// The user or the provider said no.
    case refused(OAuthErrorBody)
    /// The answer is not what was asked for.
    case check(String, message: String)
    /// Anything else, as the client is told.
    case fault(ProtocolError)

    /// What the client is told.
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

    /// What the user's browser is shown.
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
