// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// A certificate authority of one test run, and certificates of its own for `localhost`, 127.0.0.1 and `host`, in a folder
/// that goes with it.
package final class TestAuthority: Sendable {
    /// A name that only a test's own network knows.
    package static let host = "login.example.org"

    /// What a server's certificate is like.
    package enum Leaf: String, Sendable, CaseIterable {
        case good, expired, wrongName, selfSigned
    }

    private let folder: String

    /// The path of the authority's certificate.
    package var certificate: String { "\(folder)/ca.pem" }

    /// The path of a server's certificate.
    package func certificate(_ leaf: Leaf) -> String { "\(folder)/\(leaf).pem" }

    /// The path of a server's private key.
    package func key(_ leaf: Leaf) -> String { "\(folder)/\(leaf).key" }

    /// Makes them all; takes a moment.
    package init() async throws {
        var template = Array("/tmp/tokend-ca.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemCallError("mkdtemp") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try await openssl(
            "req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout ca.key -out ca.pem",
            "-subj",
            "/O=Somebody's Firewall/CN=Inspection Authority"
        )
        try Data(Self.configuration.utf8).write(to: URL(filePath: "\(folder)/ca.cnf"))
        try Data().write(to: URL(filePath: "\(folder)/index.txt"))
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
        let extensions = "subjectAltName=DNS:\(name)" + (leaf == .wrongName ? "" : ",IP:127.0.0.1,DNS:\(Self.host)")
        try Data(extensions.utf8).write(to: URL(filePath: "\(folder)/\(leaf).ext"))
        try await openssl("req \(key) -out \(leaf).csr -subj /CN=\(name)")
        // `ca` alone is told the dates by every OpenSSL: `x509 -days` is not negative from 3.5 on, and has no others
        // before 3.4.
        let dates = leaf == .expired ? "-startdate 20200101000000Z -enddate 20200102000000Z" : "-days 2"
        try await openssl(
            "ca -batch -notext -config ca.cnf \(dates) -in \(leaf).csr -out \(leaf).pem -extfile \(leaf).ext"
        )
    }

    /// What `openssl ca` wants to be told: where all lies, and that no name but the common one matters.
    private static let configuration = """
        [ca]
        default_ca = this
        [this]
        database = index.txt
        new_certs_dir = .
        certificate = ca.pem
        private_key = ca.key
        default_md = sha256
        policy = names
        unique_subject = no
        rand_serial = yes
        [names]
        commonName = supplied

        """

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
