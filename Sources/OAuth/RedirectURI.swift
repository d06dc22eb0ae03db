// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// A login's redirect URI: one of the three kinds of RFC 8252 (section 7).
package struct RedirectURI: Sendable, Hashable {
    /// The kind of redirect.
    package enum Kind: Sendable, Hashable {
        /// `http` on this machine (section 7.3); without a port, the system picks one.
        case loopback(host: LoopbackHost, port: Int?)
        /// A reversed domain name and one slash (section 7.1).
        case privateUse(scheme: String)
        /// A claimed `https` URL (section 7.2).
        case claimed
    }

    /// The loopback host in the URI; it decides where to listen.
    package enum LoopbackHost: String, Sendable, Hashable {
        case ipv4 = "127.0.0.1"
        case ipv6 = "[::1]"
        /// Both families at one port (section 8.3), only if a provider requires the name.
        case localhost = "localhost"
    }

    /// The URI as it was configured; compared and sent byte for byte.
    package let url: WebURL
    /// The kind of redirect.
    package let kind: Kind

    /// Checks the URI: RFC 8252, sections 7 and 8.3; no fragment (RFC 6749, section 3.1.2).
    package init(_ text: String) throws(OAuthError) {
        do {
            url = try WebURL(text)
        } catch {
            throw OAuthError(.invalidRedirect, "the redirect URI: \(error.message)", underlying: error)
        }
        guard url.fragment == nil else {
            throw OAuthError(.invalidRedirect, "the redirect URI must not have a fragment")
        }
        kind = try Self.kind(of: url)
    }

    /// Whether it is on this machine.
    package var isLoopback: Bool {
        if case .loopback = kind { true } else { false }
    }

    /// Whether it is on this machine, at any port that the listener gets.
    package var hasOpenPort: Bool {
        if case .loopback(_, port: nil) = kind { true } else { false }
    }

    /// The URI as sent, with the listener's port if it has none.
    package func text(port: Int?) -> String {
        guard case .loopback(let host, nil) = kind, let port else { return url.text }
        let origin = "http://" + host.rawValue
        return origin + ":\(port)" + url.text.dropFirst(origin.count)
    }

    /// The parameters of a redirect's URL, or nil if the URL is not this redirect: scheme, host, port and path are
    /// compared byte for byte (section 8.10), and the URI's own query must be present.
    ///
    /// `sent` is the URI as it was sent. A fragment is ignored.
    package static func parameters(of text: String, for sent: String) -> FormParameters? {
        guard let returned = try? WebURL(text), let expected = try? WebURL(sent),
            returned.scheme == expected.scheme, returned.host == expected.host,
            returned.effectivePort == expected.effectivePort,
            returned.pathOrRoot.utf8.elementsEqual(expected.pathOrRoot.utf8),
            let parameters = returned.queryParameters, let own = expected.queryParameters
        else { return nil }
        var rest = Array(parameters)
        for element in own {
            guard let index = rest.firstIndex(of: element) else { return nil }
            rest.remove(at: index)
        }
        var result = FormParameters()
        for element in rest {
            result.append(element.name, element.secret)
        }
        return result
    }

    private static func kind(of url: WebURL) throws(OAuthError) -> Kind {
        switch url.scheme {
        case "https":
            return .claimed
        case "http":
            guard let host = LoopbackHost(rawValue: url.host) else {
                throw OAuthError(
                    .invalidRedirect,
                    "a redirect URI with http must be on 127.0.0.1, [::1] or localhost (RFC 8252, section 7.3)"
                )
            }
            return .loopback(host: host, port: url.port)
        default:
            guard isReversedDomain(url.scheme) else {
                throw OAuthError(
                    .invalidRedirect,
                    "a private scheme must be a domain in reverse, such as com.example.app:/path "
                        + "(RFC 8252, section 7.1)"
                )
            }
            return .privateUse(scheme: url.scheme)
        }
    }

    /// Whether the scheme could be a domain's name read backwards: at least two labels of letters, digits and inner
    /// hyphens (RFC 8252, section 7.1; RFC 1034, section 3.5).
    private static func isReversedDomain(_ scheme: String) -> Bool {
        let labels = scheme.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty && label.first != hyphen && label.last != hyphen && !label.contains(UInt8(ascii: "+"))
            }
    }
}

extension RedirectURI: CustomStringConvertible {
    /// The same text.
    package var description: String { url.text }
}

extension WebURL {
    /// The path; a missing one is the root, as in HTTP; some providers add that slash (Entra).
    fileprivate var pathOrRoot: String { path.isEmpty && !isPrivateUse ? "/" : path }
}
