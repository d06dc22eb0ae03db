// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTP
import TestSupport

/// TLS servers (`openssl s_server`) with the authority's certificates, and settings that trust it.
extension TestAuthority {
    /// Starts a server with this certificate; it answers a GET with a page about its connection.
    func serve(_ leaf: Leaf, _ options: String = "") async throws -> TLSServer {
        let child = try ChildProcess(
            "/usr/bin/openssl",
            "s_server -accept 127.0.0.1:0 -www -cert \(certificate(leaf)) -key \(key(leaf)) \(options)"
                .split(separator: " ").map(String.init),
            environment: [:],
            input: .pipe
        )
        let line = try await child.line { $0.hasPrefix("ACCEPT ") }
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw TimedOut("a port in \(line)")
        }
        return TLSServer(child: child, port: port)
    }

    /// Settings that trust this authority beside the system's.
    func trusting() throws -> TransportSettings {
        TransportSettings(certificates: try CertificateFile(path: certificate))
    }
}

/// A running `openssl s_server`; it ends with this value's last copy.
struct TLSServer {
    let child: ChildProcess
    let port: UInt16
}
