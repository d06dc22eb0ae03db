// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// The claims of an ID token (OpenID Connect Core, section 2). A value that `verify` returned has passed every check;
/// `issuer` and `subject` together identify the user, never the e-mail address.
package struct IDToken: Sendable, Hashable {
    /// `iss`
    package let issuer: String
    /// `sub`: 1 to 255 ASCII characters.
    package let subject: String
    /// `aud`, which may be one string or a list.
    package let audiences: [String]
    /// `azp`
    package let authorizedParty: String?
    /// `exp`, unix seconds.
    package let expiresAt: Int64
    /// `iat`, unix seconds.
    package let issuedAt: Int64
    /// `auth_time`, unix seconds.
    package let authenticatedAt: Int64?
    /// `nonce`
    package let nonce: String?
    /// `acr`
    package let authenticationClass: String?
    /// `at_hash`
    package let accessTokenHash: String?
    /// `tid`, the tenant in Entra's templates.
    package let tenant: String?
    /// `email`
    package let email: String?
    /// `preferred_username`
    package let preferredUsername: String?
    /// `name`
    package let name: String?

    /// The user's visible name: the e-mail address, else the preferred user name.
    package var identity: String? { email ?? preferredUsername }

    /// Reads the claims; those that are essential for security must be present and of their type. An optional claim of
    /// another type is ignored: a check that requires it finds it missing.
    init(claims: JSONObject) throws(IDTokenError) {
        issuer = try Self.requiredText(claims, "iss", check: .issuer)
        subject = try Self.subject(claims)
        audiences = try Self.audiences(claims)
        authorizedParty = try Self.optionalText(claims, "azp", check: .audience)
        expiresAt = try Self.requiredTime(claims, "exp", check: .expiry)
        issuedAt = try Self.requiredTime(claims, "iat", check: .issuedAt)
        authenticatedAt = claims["auth_time"].flatMap(Lifetime.wholeSeconds)
        nonce = claims["nonce"]?.string
        authenticationClass = claims["acr"]?.string
        accessTokenHash = claims["at_hash"]?.string
        tenant = claims["tid"]?.string
        email = claims["email"]?.string?.shown()
        preferredUsername = claims["preferred_username"]?.string?.shown()
        name = claims["name"]?.string?.shown()
    }

    /// Section 2: `sub` is not empty and has at most 255 ASCII characters.
    private static func subject(_ claims: JSONObject) throws(IDTokenError) -> String {
        let subject = try requiredText(claims, "sub", check: .subject)
        guard Subject.isValid(subject) else {
            throw IDTokenError(.subject, "the ID token's sub is empty, too long or not ASCII")
        }
        return subject
    }

    static func audiences(_ claims: JSONObject) throws(IDTokenError) -> [String] {
        switch claims["aud"] {
        case .string(let audience)?:
            return [audience]
        case .array(let elements)? where !elements.isEmpty:
            let audiences = elements.compactMap(\.string)
            if audiences.count == elements.count {
                return audiences
            }
            fallthrough
        default:
            throw IDTokenError(.audience, "the ID token's aud is missing or of the wrong type")
        }
    }

    private static func requiredText(
        _ claims: JSONObject,
        _ name: String,
        check: IDTokenError.Check
    ) throws(IDTokenError) -> String {
        guard let text = try optionalText(claims, name, check: check) else {
            throw IDTokenError(check, "the ID token has no \(name)")
        }
        return text
    }

    private static func optionalText(
        _ claims: JSONObject,
        _ name: String,
        check: IDTokenError.Check
    ) throws(IDTokenError) -> String? {
        guard let value = claims[name], !value.isNull else { return nil }
        guard let text = value.string else {
            throw IDTokenError(check, "the ID token's \(name) is \(value.kindName), not a string")
        }
        return text
    }

    /// A number, possibly with a fraction (RFC 7519, section 2), or as a string.
    private static func requiredTime(
        _ claims: JSONObject,
        _ name: String,
        check: IDTokenError.Check
    ) throws(IDTokenError) -> Int64 {
        guard let value = claims[name], !value.isNull else { throw IDTokenError(check, "the ID token has no \(name)") }
        guard let time = Lifetime.wholeSeconds(value) else {
            throw IDTokenError(check, "the ID token's \(name) is \(value.kindName), not a number")
        }
        return time
    }
}

/// The rules for a subject (OpenID Connect Core, section 2).
enum Subject {
    static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text.utf8.allSatisfy { $0 < 0x80 }
    }
}
