// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import FoundationEssentials
internal import Synchronization

/// A TCP port at 127.0.0.1 that is free, for programs that cannot choose one themselves.
package enum FreePort {
    /// Those that were found; none is found twice.
    private static let found = Mutex<Set<UInt16>>([])

    /// The port.
    ///
    /// It is not among those that the system gives to programs that want any, so that no connection and no listener gets it
    /// before it is used; a program that wants this very one still may.
    package static func find() throws -> UInt16 {
        let candidates = 10_000..<firstGivenByTheSystem()
        for _ in 0..<100 {
            guard let port = candidates.randomElement(), found.withLock({ $0.insert(port).inserted }),
                let server = try? ByteServer(port: port, handler: { _, _ in false })
            else { continue }
            server.stop()
            return port
        }
        throw TimedOut("the search for a free port below \(candidates.upperBound)")
    }

    /// Starts a program at a free port; once and again at another one where it says that the first was taken.
    package static func start<Program>(_ program: (UInt16) async throws -> Program) async throws -> Program {
        for _ in 0..<2 {
            do {
                return try await program(find())
            } catch let error as ChildProcessError where error.description.contains("ddress already in use") {
                continue
            }
        }
        return try await program(find())
    }

    private static func firstGivenByTheSystem() -> UInt16 {
        let range = try? String(contentsOf: URL(filePath: "/proc/sys/net/ipv4/ip_local_port_range"), encoding: .utf8)
        let first = range?.split { !$0.isNumber }.first.flatMap { UInt16($0) } ?? 32_768
        return max(first, 20_000)
    }
}
