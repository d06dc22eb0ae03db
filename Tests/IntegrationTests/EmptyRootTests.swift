// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// `tokenctl` where there is nothing else: no C library, no `/proc`, no `/dev`, no user database. As in a container
    /// made from nothing, with the daemon's socket mounted in.
    @Suite(.enabled(if: BuildProducts.shippedFolder != BuildProducts.folder, "only what is shipped is static"))
    struct EmptyRoot {
        /// Runs `tokenctl` in a root that has it and the socket.
        private func run(_ stand: Stand, _ arguments: String...) async throws -> ChildProcess.Finished {
            let program = try BuildProducts.program("tokenctl")
            let sandbox = [
                "--unshare-user", "--ro-bind", program, "/tokenctl", "--bind", stand.world.socketPath, "/tokend.sock",
                "--clearenv", "--setenv", "TOKEND_SOCKET", "/tokend.sock", "/tokenctl",
            ]
            return try await ChildProcess.run("/usr/bin/bwrap", sandbox + arguments, environment: [:])
        }

        @Test func `a token, a request's credential and the state are had in an empty root`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let token = try await run(stand, "token", "work")
                #expect(token.status == .code(0) && token.errors.isEmpty, "\(token)")
                #expect(try await stand.token()["access_token"]?.string == String(token.output.dropLast()))
                let status = try await run(stand, "status", "--json")
                #expect(status.status == .code(0) && status.output.contains("\"work\""), "\(status)")
                let version = try await run(stand, "--version")
                #expect(version.status == .code(0) && version.output.hasPrefix("tokenctl "), "\(version)")
            }
        }

        @Test func `what takes another program names it in an empty root`() async throws {
            try await Stand.with { stand in
                let log = try await run(stand, "log")
                #expect(log.status != .code(0) && log.errors.contains("journalctl is not installed"), "\(log)")
                let call = try await run(stand, "call", "work", "https://api.example.com/")
                #expect(call.status != .code(0) && call.errors.contains("curl is not installed"), "\(call)")
                let doctor = try await run(stand, "doctor")
                #expect(doctor.status == .code(0) || doctor.status == .code(1), "\(doctor)")
            }
        }
    }
}
