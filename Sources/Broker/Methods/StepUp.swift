// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Systemd
import TokendProtocol

/// An API's requirements for the sign-in behind a token, from its 401 (RFC 9470, section 3): a new authorization
/// request with these values, never a refresh.
struct StepUp: Sendable, Equatable {
    /// The acceptable authentication classes, best first, separated by spaces.
    var acrValues: String?
    /// The greatest age of the sign-in in seconds.
    var maxAge: Int64?

    /// Reads the value of a `WWW-Authenticate` field.
    ///
    /// - Returns: nil if it requires something else, or cannot be read.
    init?(challenge: String) {
        let challenges = AuthenticationChallenge.parse([challenge])
        guard let found = challenges.first(where: { $0["error"] == "insufficient_user_authentication" }) else {
            return nil
        }
        acrValues = found["acr_values"].flatMap { Self.isPlain($0) ? $0 : nil }
        maxAge = found["max_age"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The login for it.
    var login: LoginParameters {
        var parameters = LoginParameters()
        parameters.acrValues = acrValues
        parameters.maxAge = maxAge
        return parameters
    }

    /// The command for the user.
    func command(account: String) -> String {
        var words = ["tokenctl login \(account)"]
        if let acrValues { words.append("--acr-values '\(acrValues)'") }
        if let maxAge { words.append("--max-age \(maxAge)") }
        return words.joined(separator: " ")
    }

    /// Visible ASCII and spaces, no shell quotes, and of limited length.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1000
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "'") }
    }
}

extension Account {
    /// The API's requirements, if it refused the held token for them. A newer token than the refused one may come from
    /// a newer sign-in, so that is tried first.
    func stepUp(_ parameters: TokenGet.Parameters, of variant: TokenVariant?) -> StepUp? {
        guard let stepUp = parameters.challenge.flatMap(StepUp.init(challenge:)), !grant.snapshot.isHeldBack,
            let held = grant.heldToken(of: variant)
        else { return nil }
        return parameters.rejected.map { $0 == held.accessToken } ?? true ? stepUp : nil
    }

    /// The error for a client that may not prompt the user.
    func loginRequired(_ stepUp: StepUp) -> ProtocolError {
        var data: JSONObject = ["account": .string(name), "reason": .string(EndReason.stepUp.rawValue)]
        if let acrValues = stepUp.acrValues { data["acr_values"] = .string(acrValues) }
        if let maxAge = stepUp.maxAge { data["max_age"] = .integer(maxAge) }
        return ProtocolError(
            .loginRequired,
            "the API requires a stronger or more recent sign-in to “\(name)”; "
                + "sign in with: \(stepUp.command(account: name))",
            data: data
        )
    }
}
