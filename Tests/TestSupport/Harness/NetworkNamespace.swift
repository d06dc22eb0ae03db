// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A network of the kernel's with nothing in it but a loopback interface: no traffic leaves it but through what a test
/// puts there. It goes with its last reference. Takes root.
package final class NetworkNamespace: Sendable {
    /// Holds it: it lasts as long as its standard input.
    private let holder: ChildProcess

    /// Makes one.
    package init() async throws {
        holder = try ChildProcess(
            "unshare",
            ["--net", "sh", "-c", "ip link set lo up && echo ready && exec cat"],
            environment: Self.environment,
            input: .pipe
        )
        _ = try await holder.whileRunning { [holder] in try await holder.line() }
    }

    /// A command that becomes another one that is inside.
    package var entrance: [String] { ["nsenter", "--net=/proc/\(holder.processID)/ns/net"] }

    /// The process that `ip link … netns` names it by.
    var processID: Int32 { holder.processID }

    /// Runs a command inside to its end, its words separated by blanks; what it printed.
    @discardableResult
    package func run(_ command: String) async throws -> String {
        let words = entrance + command.split(separator: " ").map(String.init)
        let finished = try await ChildProcess.run(words[0], Array(words.dropFirst()), environment: Self.environment)
        guard finished.status == .code(0) else { throw ChildProcessError("\(command): \(finished.errors)") }
        return finished.output
    }

    /// Runs blocking work on a thread that is inside: sockets that it makes are in this network, and stay so.
    package func inside<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let path = "/proc/\(holder.processID)/ns/net"
        return try await blocking {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemCallError("open \(path)") }
            defer { close(descriptor) }
            guard try Self.enter(descriptor) == 0 else { throw SystemCallError("setns") }
            return try body()
        }
    }

    /// setns(2), which Swift's Glibc module lacks, for networks.
    private static func enter(_ descriptor: Int32) throws -> Int32 {
        guard let symbol = dlsym(nil, "setns") else { throw SystemCallError("setns", code: ENOSYS) }
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        let network: Int32 = 0x4000_0000  // CLONE_NEWNET
        return unsafeBitCast(symbol, to: Function.self)(descriptor, network)
    }

    private static var environment: [String: String] { ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"] }
}
