// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// An authorization server's identifier, kept byte for byte (RFC 8414, section 2; OpenID Connect Discovery 1.0, section
/// 3).
///
/// One provider (Microsoft Entra) publishes a template instead of an identifier, and names tenants by their number in
/// any case; `template` is for it alone and comes from a setting, never from a document.
package struct Issuer: Sendable, Hashable {
    /// The base of the metadata's URL.
    package let url: WebURL

    /// The form of issuers, with `{tenantid}`, if the provider uses a template.
    package let template: String?

    /// The part of a template that a tenant's identifier replaces.
    package static let tenantPlaceholder = "{tenantid}"

    /// Checks the identifier: `https` (or `http` on a loopback address), no query, no fragment.
    package init(_ text: String, template: String? = nil) throws(OAuthError) {
        url = try Self.read(text)
        guard url.query == nil, url.fragment == nil else {
            throw OAuthError(.invalidIssuer, "the issuer must have neither a query nor a fragment")
        }
        if let template, template.split(Self.tenantPlaceholder).count != 2 {
            throw OAuthError(.invalidIssuer, "the issuer's template must hold \(Self.tenantPlaceholder) once")
        }
        // An issuer that names its tenant by number is a regular one, and compared exactly.
        self.template = template.flatMap { Self.tenant(in: text, of: $0)?.isUUID == true ? nil : $0 }
    }

    /// The identifier as it was configured.
    package var text: String { url.text }

    /// The required `issuer` of the metadata, byte for byte (RFC 8414, section 3.3).
    package var expectedInMetadata: String { template ?? text }

    /// Whether the metadata may name this issuer: the identifier, byte for byte, or with a template the template itself
    /// or its form with a tenant's number.
    package func isNamedInMetadata(_ named: String) -> Bool {
        if named.utf8.elementsEqual(expectedInMetadata.utf8) { return true }
        return template.flatMap { Self.tenant(in: named, of: $0)?.isUUID } ?? false
    }

    /// Whether an `iss` (of an authorization response, RFC 9207, or of an ID token) is this issuer: simple string
    /// comparison, after the tenant has been put into a template.
    ///
    /// If the tenant of a template is not known, any tenant is accepted; the ID token decides.
    package func matches(_ iss: String, tenant: String? = nil) -> Bool {
        guard let template else { return iss.utf8.elementsEqual(text.utf8) }
        guard let named = Self.tenant(in: iss, of: template) else { return false }
        return tenant.map { $0.utf8.elementsEqual(named.utf8) } ?? true
    }

    /// The tenant that an issuer of this template names; nil if it does not match.
    private static func tenant(in issuer: String, of template: String) -> String? {
        let parts = template.split(tenantPlaceholder)
        guard parts.count == 2, issuer.hasPrefix(parts[0]), issuer.hasSuffix(parts[1]),
            issuer.utf8.count > parts[0].utf8.count + parts[1].utf8.count
        else { return nil }
        let named = issuer.dropFirst(parts[0].count).dropLast(parts[1].count)
        return named.utf8.allSatisfy(\.isTenantCharacter) ? String(named) : nil
    }

    private static func read(_ text: String) throws(OAuthError) -> WebURL {
        let url: WebURL
        do {
            url = try WebURL(text)
        } catch {
            throw OAuthError(.invalidIssuer, "the issuer is no URL: \(error.message)", underlying: error)
        }
        guard url.isSecureOrLoopback else {
            throw OAuthError(.invalidIssuer, "the issuer must use https (http is for loopback addresses)")
        }
        return url
    }
}

// AD FS has two names: the issuer `https://HOST/adfs`, where its metadata is, and the identifier of its federation
// service, `http://HOST/adfs/services/trust`, which the metadata calls `access_token_issuer` and which some
// installations put into ID tokens as well (MS-OIDCE, section 2.2.3.2).
extension Issuer {
    private static let federationPath = "/adfs/services/trust"

    /// Another issuer that ID tokens may name: AD FS's second name on the same host, if the metadata has it. No other
    /// value is accepted.
    package func federationService(named accessTokenIssuer: String?) -> String? {
        guard let accessTokenIssuer, url.path == "/adfs", template == nil else { return nil }
        let names = ["http", "https"].map { "\($0)://\(url.authority)\(Self.federationPath)" }
        return names.contains(accessTokenIssuer.lowercased()) ? accessTokenIssuer : nil
    }

    /// A hint for a user who configured that identifier as the issuer; empty for any other issuer.
    var federationHint: String {
        guard url.path == Self.federationPath else { return "" }
        return "; this is the name of an AD FS federation service, whose issuer is \(url.origin)/adfs"
    }
}

extension Issuer: CustomStringConvertible {
    /// The same text.
    package var description: String { text }
}

extension WebURL {
    /// Whether credentials may be sent there: `https`, or `http` on a loopback address.
    var isSecureOrLoopback: Bool { scheme == "https" || (scheme == "http" && isLoopback) }
}

extension String {
    /// Whether it looks like a UUID: 36 characters, hyphens in the right positions.
    fileprivate var isUUID: Bool {
        split("-").map(\.utf8.count) == [8, 4, 4, 4, 12]
    }

    /// The pieces around every occurrence of a separator.
    fileprivate func split(_ separator: String) -> [String] {
        var pieces: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(ofText: separator) {
            pieces.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return pieces + [String(rest)]
    }
}

extension UInt8 {
    /// A letter, a digit or a hyphen, as in a tenant's identifier.
    fileprivate var isTenantCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
