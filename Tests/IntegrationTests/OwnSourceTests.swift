// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

/// What no request of ours may be, held by looking at what is written and what is linked.
@Suite struct OwnSourceTests {
    private static func sources() throws -> [(path: String, text: String)] {
        let folder = BuildProducts.source + "/Sources"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }.map {
            ($0, String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\($0)")), as: UTF8.self))
        }
    }

    /// What stands behind each `"NAME": ` in the sources.
    private static func values(of name: String) throws -> Set<String> {
        var values: Set<String> = []
        for (_, text) in try sources() {
            for part in text.split(separator: "\"\(name)\": ", omittingEmptySubsequences: false).dropFirst() {
                values.insert(String(part.prefix { !",]\n ".contains($0) }))
            }
        }
        return values
    }

    @Test func `no source sends a password or asks for an implicit answer (9700-4)`() throws {
        let grants: Set = ["\"authorization_code\"", "\"refresh_token\"", "\"client_credentials\"", "deviceGrantType"]
        #expect(try Self.values(of: "grant_type") == grants)
        #expect(try Self.values(of: "response_type") == ["\"code\""])
    }

    /// Its start is most of what a script that asks for a token waits for.
    @Test func `tokenctl has no Foundation in it, nor has what it is made of`() throws {
        let targets = ["HTTPTypes", "Secrets", "StrictJSON", "Systemd", "TokenClient", "TokendProtocol", "tokenctl"]
        let own = try Self.sources().filter { source in targets.contains { source.path.hasPrefix($0 + "/") } }
        #expect(own.count > 100)
        #expect(own.filter { $0.text.contains("import Foundation") }.map(\.path) == [])
    }

    @Test(arguments: ["tokend", "tokenctl"])
    func `no program of ours can show a provider's page itself (8252-1)`(program: String) async throws {
        let linked = try await ChildProcess.run(
            "/usr/bin/ldd",
            [BuildProducts.program(program)],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        // tokenctl is one static file as it is shipped.
        #expect(linked.output.contains("libc.so") || linked.output.contains("statically linked"))
        for toolkit in ["webkit", "gtk", "Qt", "WebEngine", "libX11", "wayland"] {
            #expect(!linked.output.contains(toolkit))
        }
    }
}
