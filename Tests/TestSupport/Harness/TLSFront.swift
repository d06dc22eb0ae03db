// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import Synchronization

/// TLS in front of a `FakeProvider`, which then gives out `https` addresses; the certificate can be changed at any time.
package final class TLSFront: Sendable {
    /// Scheme, host and port.
    package let origin: String
    private let provider: FakeProvider
    private let folder: String
    private let process: ChildProcess
    private let cuts = Atomic(0)

    private init(origin: String, provider: FakeProvider, folder: String, process: ChildProcess) {
        self.origin = origin
        self.provider = provider
        self.folder = folder
        self.process = process
    }

    /// Where it stands, if not on a port of its own at 127.0.0.1: at an address of another network, on the port of https.
    package struct Place: Sendable {
        let network: NetworkNamespace
        let address: String

        package init(in network: NetworkNamespace, at address: String) {
            self.network = network
            self.address = address
        }
    }

    /// Starts it with the authority's good certificate, a copy of which goes into `folder`.
    package static func start(
        before provider: FakeProvider,
        _ authority: TestAuthority,
        in folder: String,
        at place: Place? = nil
    ) async throws -> TLSFront {
        try copy(authority, .good, to: folder)
        var command = ["/usr/bin/python3", BuildProducts.source + "/scripts/lib/tls-front"]
        command += [folder + "/front.pem", folder + "/front.key", "\(provider.port)"]
        if let place { command = place.network.entrance + command + [place.address, "443"] }
        let process = try ChildProcess(
            command[0],
            Array(command.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder]
        )
        let port = try await process.line()
        let origin = place == nil ? "https://127.0.0.1:\(port)" : "https://\(TestAuthority.host)"
        provider.change { $0.publicOrigin = origin }
        return TLSFront(origin: origin, provider: provider, folder: folder, process: process)
    }

    /// Shows another certificate from now on; connections that are open are cut.
    package func show(_ leaf: TestAuthority.Leaf, of authority: TestAuthority) async throws {
        try Self.copy(authority, leaf, to: folder)
        let number = cuts.add(1, ordering: .relaxed).newValue
        process.signal(SIGHUP)
        _ = try await process.line { $0 == "cut \(number)" }
    }

    /// Ends it, and with it every connection.
    package func stop() async { await process.stop() }

    /// The same URL past the front, for a browser that does not know the authority.
    package func plain(_ url: String) -> String {
        guard url.hasPrefix(origin) else { return url }
        return provider.ownOrigin + url.dropFirst(origin.count)
    }

    private static func copy(_ authority: TestAuthority, _ leaf: TestAuthority.Leaf, to folder: String) throws {
        for (source, name) in [(authority.certificate(leaf), "front.pem"), (authority.key(leaf), "front.key")] {
            try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: "\(folder)/\(name)"))
        }
    }
}
