// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials

/// A running NanoIDP: a real OpenID provider that nobody here wrote, with one public native client `tokend` (any
/// loopback port) and one user, `alice`, whose password is `wonderland`. It rotates refresh tokens.
package final class NanoIDP: Sendable {
    package let issuer: String
    private let process: ChildProcess

    private init(issuer: String, process: ChildProcess) {
        self.issuer = issuer
        self.process = process
    }

    /// Starts it with its configuration in `folder`, which must exist; it listens when this returns.
    package static func start(in folder: String) async throws -> NanoIDP {
        try await FreePort.start { port in try await start(in: folder, at: port) }
    }

    private static func start(in folder: String, at port: UInt16) async throws -> NanoIDP {
        let program = try TestVenv.program("nanoidp")
        let issuer = "http://127.0.0.1:\(port)"
        let files = folder + "/nanoidp"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        try Data(settings(issuer, port).utf8).write(to: URL(filePath: files + "/settings.yaml"))
        try Data(users.utf8).write(to: URL(filePath: files + "/users.yaml"))
        // Its log is on standard error, and is where it says that it listens. It leaves files where it is started.
        let process = try ChildProcess(
            "sh",
            ["-c", "cd \"$0\" && exec \"$@\" 2>&1", files]
                + [program, "--config", files, "--host", "127.0.0.1", "--port", "\(port)"],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder, "PYTHONUNBUFFERED": "1"]
        )
        _ = try await process.whileRunning { try await process.line { $0.contains("Running on") } }
        return NanoIDP(issuer: issuer, process: process)
    }

    /// Ends it and waits for the end.
    package func stop() async { await process.stop() }

    /// Enters a device login's code as alice, on the page for that, and returns the page after it.
    package func enterCode(_ code: String, at page: String, answer: String = "authorize") async throws
        -> BrowserStandIn.Page
    {
        let browser = BrowserStandIn()
        let fields = ["user_code": code, "username": "alice", "password": "wonderland", "action": answer]
        return try await browser.submit(try await browser.open(page), fields)
    }

    /// Waits until its log has a text.
    package func hasLogged(_ text: String) async throws { try await process.hasWritten(text) }

    private static func settings(_ issuer: String, _ port: UInt16) -> String {
        """
        config_version: 1
        server: {host: "127.0.0.1", port: \(port)}
        device_flow: {polling_interval: 1}
        oauth:
          issuer: "\(issuer)"
          audience: "api"
          token_expiry_minutes: 60
          refresh_token_rotation: true
          dynamic_registration: {enabled: true}
          clients:
            - client_id: tokend
              token_endpoint_auth_method: none
              redirect_uris: ["http://127.0.0.1/callback", "http://[::1]/callback", "com.example.tokend:/cb"]
        """
    }

    private static let users = """
        config_version: 1
        users:
          alice: {password: "wonderland", email: "alice@example.org", roles: [USER], tenant: default}
        """
}
