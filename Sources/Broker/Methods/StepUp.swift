// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Systemd
import TokendProtocol

/// What an API wants of the sign-in behind a token, as it says with its 401 (RFC 9470, section 3): a new authorization
/// request with these values, and never a refresh.
struct StepUp: Sendable, Equatable {
    /// The acceptable authentication classes, best first, separated by spaces.
    var acrValues: String?
    /// How many seconds ago the user may have signed in.
    var maxAge: Int64?

    /// Reads the value of a `WWW-Authenticate` field.
    ///
    /// - Returns: nil where it asks for something else, or for nothing that can be read.
    init?(challenge: String) {
        let challenges = AuthenticationChallenge.parse([challenge])
        guard let found = challenges.first(where: { $0["error"] == "insufficient_user_authentication" }) else {
            return nil
        }
        acrValues = found["acr_values"].flatMap { Self.isPlain($0) ? $0 : nil }
        maxAge = found["max_age"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The login that it leads to.
    var login: LoginParameters {
        var parameters = LoginParameters()
        parameters.acrValues = acrValues
        parameters.maxAge = maxAge
        return parameters
    }

    /// The command that a user gives for it.
    func command(account: String) -> String {
        var words = ["tokenctl login \(account)"]
        if let acrValues { words.append("--acr-values '\(acrValues)'") }
        if let maxAge { words.append("--max-age \(maxAge)") }
        return words.joined(separator: " ")
    }

    /// Visible ASCII and spaces, nothing that ends a quoted word of a shell, and no more than anyone has use for.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1000
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "'") }
    }
}

extension Account {
    /// What the API wants of the user, where that is what it refused the held token for. A newer token than the
    /// refused one may come of a newer sign-in, so that is tried first.
    func stepUp(_ parameters: TokenGet.Parameters, of variant: TokenVariant?) -> StepUp? {
        guard let stepUp = parameters.challenge.flatMap(StepUp.init(challenge:)), !grant.snapshot.isHeldBack,
            let held = grant.heldToken(of: variant)
        else { return nil }
        return parameters.rejected.map { $0 == held.accessToken } ?? true ? stepUp : nil
    }

    /// What a client is told who may not ask the user.
    func loginRequired(_ stepUp: StepUp) -> ProtocolError {
        var data: JSONObject = ["account": .string(name), "reason": .string(EndReason.stepUp.rawValue)]
        if let acrValues = stepUp.acrValues { data["acr_values"] = .string(acrValues) }
        if let maxAge = stepUp.maxAge { data["max_age"] = .integer(maxAge) }
        return ProtocolError(
            .loginRequired,
            "the API wants a stronger or more recent sign-in to “\(name)”; "
                + "sign in with: \(stepUp.command(account: name))",
            data: data
        )
    }
}
