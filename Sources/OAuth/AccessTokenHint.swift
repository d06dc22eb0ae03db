// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON

/// The lifetime in an access token that is a JWT: a hint if the answer states none, never a check (the token is meant
/// for the API, and its signature is not verified).
enum AccessTokenHint {
    /// Longer hints are ignored.
    private static let longest: Int64 = 31 * 86_400

    /// Seconds from `clock` to `exp`, if the token is a JWT of this issuer and the span is plausible.
    static func lifetime(of token: String, issuer: Issuer, clock: Int64) -> Int64? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let payload = Base64URL.decodeLeniently(utf8: parts[1].utf8),
            let claims = (try? ProviderJSON.read(payload))?.object,
            let iss = claims["iss"]?.string, issuer.matches(iss),
            case .number? = claims["exp"],
            let expiry = claims["exp"].flatMap(Lifetime.wholeSeconds)
        else { return nil }
        let remaining = expiry - clock
        return remaining > 0 && remaining <= longest ? remaining : nil
    }
}
