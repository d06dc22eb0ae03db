// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import JOSE
package import Secrets
import StrictJSON

/// What an ID token must fulfil in one situation (OpenID Connect Core, sections 3.1.3.7 and 12.2).
package struct IDTokenRules: Sendable {
    /// Which situation it is.
    package enum Occasion: Sendable {
        /// A login: the token must carry this nonce; nil where none could be sent (RFC 8628 has no place for one).
        case login(nonce: String?)
        /// A refresh: the token must be about the same user, for the same client, as before.
        case refresh(IDTokenBaseline)
    }

    /// Which situation it is.
    package var occasion: Occasion

    /// Who must have issued it.
    package var issuer: Issuer

    /// Another name of the same issuer, which `iss` may be instead, byte for byte (`Issuer.federationService`).
    package var federationService: String?

    /// Whom it must be for.
    package var clientID: String

    /// Other audiences that the account trusts, where it names them: any other one refuses the token.
    package var trustedAudiences: Set<String>?

    /// The signature algorithms that the provider lists; `none` and `HS…` are refused even so.
    package var algorithms: [String] = ["RS256"]

    /// The `acr` values that were asked for, any of which is accepted; empty if none was.
    package var authenticationClasses: [String] = []

    /// The `max_age` that was asked for.
    package var maxAge: Int64?

    /// Whom a login must be by, where the account has had another login and nobody said `force`.
    package var expectedSubject: String?

    /// The access token that came with it, for `at_hash`.
    package var accessToken: Secret?

    /// The unix time.
    package var now: Int64

    /// How far clocks may be apart.
    package static let skew: Int64 = 60

    /// How far ahead `iat` may lie.
    package static let longestAhead: Int64 = 300

    /// How old the token of a login may be.
    package static let oldestAtLogin: Int64 = 86_400

    /// The rules that every ID token has; the rest is set afterwards.
    package init(_ occasion: Occasion, issuer: Issuer, clientID: String, now: Int64) {
        self.occasion = occasion
        self.issuer = issuer
        self.clientID = clientID
        self.now = now
    }
}

/// What is remembered of a grant's ID token, to hold the next one against (section 12.2).
package struct IDTokenBaseline: Sendable, Hashable {
    /// `sub`
    package let subject: String

    /// The whole token, where it is still known: a restart forgets all but the subject.
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
    /// Verifies an ID token and gives its claims.
    ///
    /// An ID token that is missing is the caller's to judge: fine on a refresh (OIDC-12). So is one that fails a check
    /// at a refresh, where most of them guard nobody (`IDTokenError.Check.guardsRefresh`).
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

    /// Checks of a token that came with a refresh and could not be verified that it does not speak of another issuer, client
    /// or user, as far as it can be read: nothing of it is kept, but what came with it is served.
    package static func checkUnverified(_ compact: Secret, rules: IDTokenRules) throws(IDTokenError) {
        guard case .refresh(let baseline) = rules.occasion,
            let claims = try? JSONWebSignature(compact: compact).claims()
        else { return }
        if let issuer = claims["iss"]?.string { try rules.checkIssuer(issuer, tenant: claims["tid"]?.string) }
        if let audiences = try? audiences(claims) { try rules.checkAudience(audiences) }
        guard let subject = claims["sub"]?.string, !subject.utf8.elementsEqual(baseline.subject.utf8) else { return }
        throw IDTokenError(.subject, "the refreshed ID token cannot be verified and names another person")
    }

    /// The claims once the signature is known to be the provider's (section 3.1.3.7, rules 6 to 8).
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
    /// The algorithms behind the names that a provider lists; a name of Ed25519 stands for both of its names.
    static func allowed(by names: [String]) -> Set<SignatureAlgorithm> {
        var allowed = Set(names.compactMap(SignatureAlgorithm.init(rawValue:)))
        if allowed.contains(.eddsa) || allowed.contains(.ed25519) {
            allowed.formUnion([.eddsa, .ed25519])
        }
        return allowed
    }
}

extension IDTokenError {
    /// Tells which check a fault of the signature belongs to.
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
