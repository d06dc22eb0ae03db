// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// Settings that all requests of one transport share. Two accounts with equal settings share a transport.
package struct TransportSettings: Sendable, Hashable {
    /// The timeout of a whole exchange, unless the request has one.
    package var timeout: Duration

    /// The timeout for everything before the first byte of the request: name, connection, TLS.
    package var connectTimeout: Duration

    /// Certificate authorities that are trusted beside the system's.
    package var certificates: CertificateFile?

    /// The proxy; nil leaves it to the environment (`https_proxy`, `all_proxy`, `no_proxy`), as curl reads it.
    /// Loopback addresses are never asked for through a proxy.
    package var proxy: Proxy?

    /// How long an idle connection is kept.
    package var idleTime: Duration

    /// The `User-Agent` field.
    package var userAgent: String

    /// The default settings: 30 s in all, 10 s of them to connect, the system's trust, no own proxy.
    package init(
        timeout: Duration = .seconds(30),
        connectTimeout: Duration = .seconds(10),
        certificates: CertificateFile? = nil,
        proxy: Proxy? = nil,
        idleTime: Duration = .seconds(10),
        userAgent: String = "tokend"
    ) {
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.certificates = certificates
        self.proxy = proxy
        self.idleTime = idleTime
        self.userAgent = userAgent
    }
}

extension TransportSettings {
    /// A proxy's address: `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`, with a host, and a port
    /// where it is not curl's own. It may hold a password, so its description leaves that out.
    package struct Proxy: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
        /// The address for curl, with what credentials it has.
        let text: String

        /// Scheme, host and port.
        package let description: String

        /// Reads a proxy's address; nil where it is none. Without a scheme it is an HTTP proxy's.
        package init?(_ text: String) {
            let mark = text.firstRange(ofText: "://")
            let scheme = mark.map { text[..<$0.lowerBound].lowercased() } ?? "http"
            let rest = mark.map { text[$0.upperBound...] } ?? text[...]
            guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme),
                rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return nil }
            let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
            let address = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            guard !address.isEmpty, !address.contains(where: { "/?#\\".contains($0) }) else { return nil }
            self.text = text
            description = "\(scheme)://\(address)"
        }

        /// A mirror without children.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
}
