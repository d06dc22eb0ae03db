// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How a browser on the user's own machine reaches the redirect listener on this one. Pure.
package enum SSHForwarding {
    /// The command to run on that machine; nil outside an SSH session, or if the redirect does not use a port here.
    ///
    /// `connection`: `SSH_CONNECTION` (client address and port, server address and port).
    package static func command(redirectURI: String?, connection: String?) -> String? {
        let parts = (connection ?? "").split(separator: " ").map(String.init)
        guard parts.count == 4, parts.allSatisfy(isAddressOrPort), let redirectURI,
            let (host, port) = loopback(redirectURI)
        else { return nil }
        let login = parts[3] == "22" ? "" : "-p \(parts[3]) "
        return "ssh -N \(login)-L \(port):\(host):\(port) \(parts[2])"
    }

    private static func loopback(_ uri: String) -> (host: String, port: String)? {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            let start = "http://\(host):"
            guard uri.hasPrefix(start) else { continue }
            let port = uri.dropFirst(start.count).prefix { $0.isASCII && $0.isNumber }
            return port.isEmpty ? nil : (host, String(port))
        }
        return nil
    }

    private static func isAddressOrPort(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "." || $0 == ":" || $0 == "%" || $0.isLetter) }
    }
}
