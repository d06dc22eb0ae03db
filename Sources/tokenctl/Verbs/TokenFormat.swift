// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// How an access token is written out. Pure.
package enum TokenFormat: String, Sendable, CaseIterable {
    /// The token alone.
    case raw
    /// The daemon's whole answer.
    case json
    /// A header line, as `curl -H @-` reads it.
    case header
    /// A shell assignment.
    case env
    /// SASL XOAUTH2, as Google and Microsoft define it for IMAP and SMTP.
    case xoauth2
    /// SASL OAUTHBEARER (RFC 7628, section 3.1).
    case oauthbearer

    /// Whether the user's name is part of it.
    package var needsUser: Bool { self == .xoauth2 }
    /// Whether the user's name is shown where it is known.
    package var wantsUser: Bool { self == .xoauth2 || self == .oauthbearer }

    /// One line. `type`: the token's type as the provider said it (RFC 6749, section 7.1).
    package func line(token: String, type: String, user: String?) -> String {
        let scheme = type.lowercased() == "bearer" ? "Bearer" : type
        switch self {
        case .raw, .json: return token
        case .header: return "Authorization: \(scheme) \(token)"
        case .env: return "ACCESS_TOKEN=\(ShellWord.quoted(token, plain: "-._"))"
        case .xoauth2:
            return Base64.encode(Array("user=\(user ?? "")\u{1}auth=Bearer \(token)\u{1}\u{1}".utf8))
        case .oauthbearer:
            let name = user.map { "a=" + Self.saslName($0) } ?? ""
            return Base64.encode(Array("n,\(name),\u{1}auth=Bearer \(token)\u{1}\u{1}".utf8))
        }
    }

    /// Whether the token is made of printable ASCII (RFC 6749, appendix A.12), so that it cannot break out of a line.
    package static func isPrintable(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// RFC 5801, section 4: a comma and an equals sign would end the name.
    private static func saslName(_ name: String) -> String {
        var result = ""
        for character in name {
            switch character {
            case ",": result += "=2C"
            case "=": result += "=3D"
            default: result.append(character)
            }
        }
        return result
    }
}
