// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// An absolute URL that keeps its text byte for byte: issuers, endpoints and redirect URIs are compared and sent
/// exactly as given (RFC 6749, section 4.1.3; RFC 8414, section 3.3).
///
/// Accepted are `http` and `https` with a host, and private-use schemes as in RFC 8252, section 7.1: a reversed domain
/// name with a dot, and one slash (`com.example.app:/cb`). Refused are user information, white space, control
/// characters, anything outside ASCII, a `%` without two hexadecimal digits, and a numeric host that is not a plain
/// IPv4 address. The description omits query and fragment, which may contain a code or a state.
package struct WebURL: Sendable {
    /// The URL as given.
    package let text: String

    /// The scheme in lower case.
    package let scheme: String

    /// The host in lower case, an IPv6 address with its brackets; empty for a private-use scheme.
    package let host: String

    /// The port, if there is one.
    package let port: Int?

    /// The path as given; may be empty for `http` and `https`.
    package let path: String

    /// The part between `?` and `#`, as given; nil without a `?`.
    package let query: String?

    /// The part after `#`, as given; nil without a `#`.
    package let fragment: String?

    /// Reads a URL.
    package init(_ text: String) throws(WebURLError) {
        var reader = try WebURLReader(text)
        scheme = try reader.readScheme()
        if scheme == "http" || scheme == "https" {
            (host, port) = try reader.readAuthority()
        } else {
            try reader.requirePrivateUse(scheme: scheme)
            (host, port) = ("", nil)
        }
        (path, query, fragment) = reader.readRest()
        self.text = text
    }

    /// Scheme, host and port, without the scheme's default port (RFC 6454, section 6.2); `com.example.app:` for a
    /// private-use scheme.
    package var origin: String {
        host.isEmpty ? scheme + ":" : "\(scheme)://\(authority)"
    }

    /// Host and port without the scheme's default port, for users.
    package var authority: String {
        guard let port, port != defaultPort else { return host }
        return "\(host):\(port)"
    }

    /// The port to connect to: the given one, or the scheme's default; nil for a private-use scheme.
    package var effectivePort: Int? { port ?? defaultPort }

    /// Whether the host is this machine by name or number: 127.0.0.0/8, `[::1]`, `localhost`.
    package var isLoopback: Bool { HostName.isLoopback(host) }

    /// Whether the scheme is neither `http` nor `https` (RFC 8252, section 7.1).
    package var isPrivateUse: Bool { host.isEmpty }

    /// The query's parameters; empty without a query, nil if it is not a well-formed form.
    package var queryParameters: FormParameters? { FormParameters.decode(query ?? "") }

    /// The same URL with the parameters appended to its query (RFC 6749, section 3.1).
    package func appendingQuery(_ parameters: FormParameters) -> WebURL {
        let added = parameters.encodedText()
        guard !added.isEmpty else { return self }
        let kept = query.map { $0.isEmpty || $0.hasSuffix("&") ? $0 : $0 + "&" } ?? ""
        return WebURL(copying: self, query: kept + added)
    }

    private var defaultPort: Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// The same URL with another query, which must be well formed.
    private init(copying url: WebURL, query: String) {
        let base = url.text.prefix { $0 != "?" && $0 != "#" }
        text = base + "?" + query + (url.fragment.map { "#" + $0 } ?? "")
        scheme = url.scheme
        host = url.host
        port = url.port
        path = url.path
        self.query = query
        fragment = url.fragment
    }
}

extension WebURL: Hashable {
    /// Equal if the texts are, byte for byte: no normalisation (RFC 3986, section 6.2.1).
    package static func == (left: WebURL, right: WebURL) -> Bool { left.text == right.text }

    /// Feeds the text to the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension WebURL: CustomStringConvertible, CustomReflectable {
    /// Origin and path.
    package var description: String { origin + path }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
