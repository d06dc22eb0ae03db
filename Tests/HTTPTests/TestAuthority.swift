// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import HTTP
import TestSupport

/// A certificate authority of one test run, its certificates, and TLS servers (`openssl s_server`) that use them.
final class TestAuthority: Sendable {
    /// What a server's certificate is like.
    enum Leaf: String, CaseIterable {
        case good, expired, wrongName, selfSigned
    }

    private let folder: String

    /// The authority's certificate.
    var certificate: String { "\(folder)/ca.pem" }

    init() async throws {
        var template = Array("/tmp/tokend-ca.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemCallError("mkdtemp") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try await openssl(
            "req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout ca.key -out ca.pem",
            "-subj",
            "/O=Somebody's Firewall/CN=Inspection Authority"
        )
        for leaf in Leaf.allCases { try await make(leaf) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func make(_ leaf: Leaf) async throws {
        let name = leaf == .wrongName ? "other.example" : "localhost"
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(leaf).key"
        if leaf == .selfSigned {
            return try await openssl("req -x509 -days 2 \(key) -out \(leaf).pem -subj /CN=\(name)")
        }
        let extensions = "subjectAltName=DNS:\(name)" + (leaf == .wrongName ? "" : ",IP:127.0.0.1")
        try Data(extensions.utf8).write(to: URL(filePath: "\(folder)/\(leaf).ext"))
        try await openssl("req \(key) -out \(leaf).csr -subj /CN=\(name)")
        try await openssl(
            "x509 -req -in \(leaf).csr -CA ca.pem -CAkey ca.key -CAcreateserial -out \(leaf).pem -extfile \(leaf).ext",
            "-days",
            leaf == .expired ? "-1" : "2"
        )
    }

    /// Starts a server with this certificate; it answers a GET with a page about its connection.
    func serve(_ leaf: Leaf, _ options: String = "") async throws -> TLSServer {
        let child = try ChildProcess(
            "/usr/bin/openssl",
            "s_server -accept 127.0.0.1:0 -www -cert \(folder)/\(leaf).pem -key \(folder)/\(leaf).key \(options)"
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

    private func openssl(_ command: String, _ more: String...) async throws {
        let script = "cd \(folder) && exec openssl \"$@\""
        let arguments = command.split(separator: " ").map(String.init) + more
        let finished = try await ChildProcess.run(
            "/bin/sh",
            ["-c", script, "sh"] + arguments,
            environment: ["PATH": "/usr/bin:/bin"]
        )
        guard finished.status == .code(0) else { throw ChildProcessError(finished.errors) }
    }
}

/// A running `openssl s_server`; it ends with this value's last copy.
struct TLSServer {
    let child: ChildProcess
    let port: UInt16
}
