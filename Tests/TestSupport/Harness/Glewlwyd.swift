// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// A running Glewlwyd: a real OpenID provider that takes redirects byte for byte, says `bearer`, refuses a dead refresh
/// token with an empty body, and has a path in its issuer. One public client `tokend` and one user, `alice`, who has
/// agreed to everything. It rotates refresh tokens, and ends the grant when a replaced one is used.
package final class Glewlwyd: Sendable {
    package let issuer: String
    /// The redirects that are registered: one path, two ports that nobody listened on a moment ago.
    package let redirectURIs: [String]
    /// The ports of ``redirectURIs``.
    package let redirectPorts: [UInt16]
    private let process: ChildProcess

    private init(issuer: String, redirectPorts: [UInt16], redirectURIs: [String], process: ChildProcess) {
        self.issuer = issuer
        self.redirectPorts = redirectPorts
        self.redirectURIs = redirectURIs
        self.process = process
    }

    /// Starts it with a database in `folder`, which must exist; it answers when this returns.
    package static func start(in folder: String) async throws -> Glewlwyd {
        try MissingPrerequisite.require(program: "/usr/bin/glewlwyd")
        return try await FreePort.start { port in try await start(in: folder, at: port) }
    }

    private static func start(in folder: String, at port: UInt16) async throws -> Glewlwyd {
        let files = folder + "/glewlwyd"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        let ports = try [FreePort.find(), FreePort.find()]
        let redirects = ports.map { "http://127.0.0.1:\($0)/callback" }
        let process = try ChildProcess(
            "/usr/bin/python3",
            [BuildProducts.source + "/scripts/lib/glewlwyd-provider", files, "\(port)"] + redirects,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder]
        )
        let line = try await process.whileRunning {
            try await process.line(within: .seconds(60)) { $0.hasPrefix("issuer ") }
        }
        return Glewlwyd(
            issuer: String(line.dropFirst("issuer ".count)),
            redirectPorts: ports,
            redirectURIs: redirects,
            process: process
        )
    }

    /// Signs alice in by Glewlwyd's API, which its own page's script uses too, opens the authorization URL in that
    /// session, and returns the page at the end of it all.
    package func signIn(_ url: String) async throws -> BrowserStandIn.Page {
        let browser = try await signedInBrowser()
        return try await browser.open(url + "&g_continue")
    }

    /// Goes on with a device login in a session of alice's, from the page that has the code in it; returns where that
    /// leads.
    package func approveDevice(_ pageWithCode: String) async throws -> String? {
        let browser = try await signedInBrowser()
        return try await browser.request("GET", pageWithCode + "&g_continue").header("Location")
    }

    private func signedInBrowser() async throws -> BrowserStandIn {
        let browser = BrowserStandIn()
        let api = issuer.dropLast("/oidc".count)
        let answer = try await browser.request(
            "POST",
            api + "/auth",
            body: #"{"username":"alice","password":"wonderland"}"#,
            type: "application/json"
        )
        guard answer.status == 200 else { throw TimedOut("Glewlwyd's sign-in: it answered \(answer.status)") }
        return browser
    }

    /// Has alice agree to what an authorization URL's client asks for, as she does on the page of a client that is new.
    package func agree(to url: String) async throws {
        let query = WireParameters(String(url.split(separator: "?").last ?? ""))
        let browser = BrowserStandIn()
        let api = issuer.dropLast("/oidc".count)
        let documents = [
            ("POST", "/auth", #"{"username":"alice","password":"wonderland"}"#),
            ("PUT", "/auth/grant/" + (query["client_id"] ?? ""), "{\"scope\":\"openid offline_access\"}"),
        ]
        for (method, path, body) in documents {
            let answer = try await browser.request(method, api + path, body: body, type: "application/json")
            guard answer.status == 200 else { throw TimedOut("Glewlwyd's consent: it answered \(answer.status)") }
        }
    }

    /// Uses a refresh token, as a thief or a second device would, and returns the answer's status and body.
    package func use(refreshToken: String) async throws -> (status: Int, body: String) {
        let form = WireParameters([
            ("grant_type", "refresh_token"), ("client_id", "tokend"), ("refresh_token", refreshToken),
        ])
        let answer = try await BrowserStandIn().request("POST", issuer + "/token", body: form.encoded)
        return (answer.status, answer.body)
    }

    /// Ends it and waits for the end.
    package func stop() async { await process.stop() }
}
