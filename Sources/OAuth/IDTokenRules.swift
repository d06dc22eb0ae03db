// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import JOSE
package import Secrets
import StrictJSON

/// The rules for an ID token on one occasion (OpenID Connect Core, sections 3.1.3.7 and 12.2).
package struct IDTokenRules: Sendable {
    /// The occasion.
    package enum Occasion: Sendable {
        /// A login: the token must carry this nonce; nil if none could be sent (RFC 8628 does not provide for one).
        case login(nonce: String?)
        /// A refresh: the token must be about the same user, for the same client, as before.
        case refresh(IDTokenBaseline)
    }

    /// The occasion.
    package var occasion: Occasion

    /// The required issuer.
    package var issuer: Issuer

    /// Another name of the same issuer, accepted as `iss`, byte for byte (`Issuer.federationService`).
    package var federationService: String?

    /// The required audience.
    package var clientID: String

    /// Other audiences that the account trusts, if it lists them: any other one makes the token invalid.
    package var trustedAudiences: Set<String>?

    /// The signature algorithms that the provider lists; `none` and `HS…` are refused even so.
    package var algorithms: [String] = ["RS256"]

    /// The requested `acr` values, any of which is accepted; empty if there were none.
    package var authenticationClasses: [String] = []

    /// The requested `max_age`.
    package var maxAge: Int64?

    /// The required user of a login, if the account has had another login and `force` is not set.
    package var expectedSubject: String?

    /// The access token that came with it, for `at_hash`.
    package var accessToken: Secret?

    /// The unix time.
    package var now: Int64

    /// The tolerated difference of clocks.
    package static let skew: Int64 = 60

    /// How far in the future `iat` may be.
    package static let longestAhead: Int64 = 300

    /// The greatest age of a login's token.
    package static let oldestAtLogin: Int64 = 86_400

    /// The rules that apply to every ID token; the rest is set afterwards.
    package init(_ occasion: Occasion, issuer: Issuer, clientID: String, now: Int64) {
        self.occasion = occasion
        self.issuer = issuer
        self.clientID = clientID
        self.now = now
    }
}

/// The parts of a grant's ID token that the next one is compared with (section 12.2).
package struct IDTokenBaseline: Sendable, Hashable {
    /// `sub`
    package let subject: String

    /// The whole token, if it is known: after a restart only the subject is.
    package let token: IDToken?

    /// Everything that is compared.
    package init(_ token: IDToken) {
        subject = token.subject
        self.token = token
    }

    /// The subject alone.
    package init(subject: String) {
        self.subject = subject
        token = nil
    }
}

extension IDToken {
    /// Verifies an ID token and returns its claims.
    ///
    /// The caller decides about a missing ID token, which is allowed at a refresh (OIDC-12), and about one that fails a
    /// check at a refresh, where most checks are not essential (`IDTokenError.Check.guardsRefresh`).
    package static func verify(
        compact: Secret,
        keys: JSONWebKeySet,
        rules: IDTokenRules
    ) throws(IDTokenError) -> IDToken {
        let verified = try verifiedClaims(compact, keys: keys, algorithms: rules.algorithms)
        let token = try IDToken(claims: verified.claims)
        try rules.check(token)
        try rules.checkAccessTokenHash(of: token, algorithm: verified.algorithm)
        return token
    }

    /// Checks that an unverifiable token of a refresh does not name another issuer, client or user, as far as it can be
    /// read: the token itself is dropped, the access token beside it is served.
    package static func checkUnverified(_ compact: Secret, rules: IDTokenRules) throws(IDTokenError) {
        guard case .refresh(let baseline) = rules.occasion,
            let claims = try? JSONWebSignature(compact: compact).claims()
        else { return }
        if let issuer = claims["iss"]?.string { try rules.checkIssuer(issuer, tenant: claims["tid"]?.string) }
        if let audiences = try? audiences(claims) { try rules.checkAudience(audiences) }
        guard let subject = claims["sub"]?.string, !subject.utf8.elementsEqual(baseline.subject.utf8) else { return }
        throw IDTokenError(.subject, "the refreshed ID token cannot be verified and names another user")
    }

    /// The claims after verifying the signature with the provider's keys (section 3.1.3.7, rules 6 to 8).
    private static func verifiedClaims(
        _ compact: Secret,
        keys: JSONWebKeySet,
        algorithms: [String]
    ) throws(IDTokenError) -> (claims: JSONObject, algorithm: SignatureAlgorithm) {
        let claims: JSONObject
        let name: String
        do throws(JOSEError) {
            let signature = try JSONWebSignature(compact: compact)
            let allowed = SignatureAlgorithm.allowed(by: algorithms)
            try signature.verify(with: keys, algorithms: allowed)
            claims = try signature.claims()
            name = signature.algorithmName
        } catch {
            throw IDTokenError(error)
        }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw IDTokenError(.algorithm, "the ID token's algorithm is not known")
        }
        return (claims, algorithm)
    }
}

extension SignatureAlgorithm {
    /// The algorithms with the names that a provider lists; each of Ed25519's two names implies the other.
    static func allowed(by names: [String]) -> Set<SignatureAlgorithm> {
        var allowed = Set(names.compactMap(SignatureAlgorithm.init(rawValue:)))
        if allowed.contains(.eddsa) || allowed.contains(.ed25519) {
            allowed.formUnion([.eddsa, .ed25519])
        }
        return allowed
    }
}

extension IDTokenError {
    /// The check that a signature error belongs to.
    fileprivate init(_ error: JOSEError) {
        switch error.code {
        case .algorithmNotAllowed:
            self.init(.algorithm, "the ID token: \(error.message)")
        case .unknownKey:
            self.init(.signature, "the ID token: \(error.message)", isKeyUnknown: true)
        case .keyMismatch, .badSignature, .unusableKey, .wrongSeal, .library:
            self.init(.signature, "the ID token: \(error.message)")
        case .malformed, .criticalExtension:
            self.init(.form, "the ID token: \(error.message)")
        }
    }
}
