// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The tools that ask for credentials, for real.
    @Suite struct Credentials {
        @Test func `git clones and pushes with tokens from the daemon`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let server = try await CredentialGitServer.start(stand)
                let git = try Git(stand)
                let clone = try await git.run("clone", "--quiet", server.url, git.folder)
                #expect(clone.status == .code(0), "\(clone.errors)")
                try await git.commit("first")
                let push = try await git.run("-C", git.folder, "push", "--quiet", "origin", "HEAD:main")
                #expect(push.status == .code(0), "\(push.errors)")
                #expect(try await git.head(of: server.repository) == git.head(of: git.folder))
                try await server.hasLogged("200 oauth2 /project.git/git-receive-pack")
                await server.stop()
            }
        }

        @Test func `a token that git's server refuses is replaced for the next time`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let server = try await CredentialGitServer.start(stand)
                let git = try Git(stand)
                let held = try #require(try await stand.token()["access_token"]?.string)
                try server.refuse(held)
                let refused = try await git.run("ls-remote", server.url)
                #expect(refused.status != .code(0))
                #expect(try await stand.token()["access_token"]?.string != held)
                let again = try await git.run("ls-remote", server.url)
                #expect(again.status == .code(0), "\(again.errors)")
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
                await server.stop()
            }
        }

        @Test func `git says how to sign in, and asks for no password`() async throws {
            try await Stand.with { stand in
                let server = try await CredentialGitServer.start(stand)
                let refused = try await Git(stand).run("ls-remote", server.url)
                #expect(refused.status == .code(128))
                #expect(refused.errors.contains("tokenctl login work"))
                #expect(!refused.errors.contains("Username"))
                await server.stop()
            }
        }

        @Test func `git clones as setup has it, and no more once that is undone`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let server = try await CredentialGitServer.start(stand)
                let origin = server.url.replacing("/project.git", with: "")
                var environment = stand.world.environment
                environment["HOME"] = stand.session.folder
                environment["GIT_CONFIG_NOSYSTEM"] = "1"
                environment["GIT_TERMINAL_PROMPT"] = "0"
                func git() async throws -> ChildProcess.Finished {
                    try await ChildProcess.run("git", ["ls-remote", server.url], environment: environment)
                }
                let tokenctl = Tokenctl(stand.world, adding: environment)
                let setup = try await tokenctl.run("setup", "git", "work", "--host", origin)
                #expect(setup.exitCode == 0, "\(setup)")
                let listed = try await git()
                #expect(listed.status == .code(0), "\(listed)")
                #expect(try await tokenctl.run("setup", "git", "work", "--undo").exitCode == 0)
                #expect(try await git().status != .code(0))
                await server.stop()
            }
        }

        @Test func `an ID token is traded for a role's keys, by curl, and is on no command line`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let service = try ChildProcess(
                    "/usr/bin/python3",
                    ["-c", roleService],
                    environment: stand.session.environment
                )
                let endpoint = "http://127.0.0.1:" + (try await service.line())
                let tokenctl = Tokenctl(stand.world)
                let role = "arn:aws:iam::123456789012:role/work"
                let keys = try await tokenctl.run("credential", "aws", "--role", role, "--endpoint", endpoint)
                #expect(try JSONReader().read(keys.output).object?["AccessKeyId"] == "ASIAEXAMPLE", "\(keys)")
                let form = WireParameters(try await service.line { $0.hasPrefix("Action=") })
                #expect(form["Action"] == "AssumeRoleWithWebIdentity" && form["Version"] == "2011-06-15")
                #expect(form["RoleArn"] == role && form["RoleSessionName"] == "tokend")
                let token = try await stand.client.result("token.get", ["account": "work", "id_token": true])
                #expect(form["WebIdentityToken"] == token["id_token"]?.string)
                let refused = try await tokenctl.run(
                    "credential",
                    "aws",
                    "--role",
                    role + "s",
                    "--endpoint",
                    endpoint
                )
                #expect(refused.exitCode == 77 && refused.talk.contains("AccessDenied"), "\(refused)")
                await service.stop()
            }
        }

        @Test func `a web identity's file has an ID token for as long as tokenctl keeps it`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let file = stand.session.folder + "/work.jwt"
                let keeper = try Tokenctl(stand.world).start("credential", "aws", "--web-identity-file", file)
                _ = try await keeper.talk { $0.contains("kept fresh") }
                let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
                #expect(text.split(separator: ".").count == 3)
                let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(rights == 0o600)
                await keeper.stop()
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }

        @Test func `docker and kubectl get theirs by the names that they look for`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let docker = try Git.link("docker-credential-tokend", stand)
                let host = String(stand.provider.origin.dropFirst("http://".count))
                let got = try await stand.session.run(
                    docker,
                    ["get"],
                    input: .text(stand.provider.origin),
                    adding: stand.world.environment
                )
                let answer = try JSONReader().read(got.output).object
                #expect(stand.provider.accepts(accessToken: try #require(answer?["Secret"]?.string)))
                let other = try await stand.session.run(
                    docker,
                    ["get"],
                    input: .text(host),
                    adding: stand.world.environment
                )
                #expect(other.status == .code(1), "https is not http")
                let kubectl = try await Tokenctl(stand.world).run("credential", "kubernetes", "--id-token")
                let status = try JSONReader().read(kubectl.output).object?["status"]?.object
                #expect(status?["token"]?.string?.split(separator: ".").count == 3, "\(kubectl)")
                #expect(status?["expirationTimestamp"]?.string?.hasSuffix("Z") == true)
            }
        }
    }
}

/// A stand-in for AWS' token service, as its documentation has it: prints its port, then every form. It knows one role.
private let roleService = """
    import http.server, sys
    answer = "<R><Credentials><AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey>" \\
        "<SessionToken>t</SessionToken><Expiration>2026-10-24T23:00:23Z</Expiration></Credentials></R>"
    refusal = "<E><Error><Code>AccessDenied</Code><Message>Not authorized</Message></Error></E>"
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments): pass
        def do_POST(self):
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            print(form, flush=True)
            known = "role%2Fwork&" in form
            body = (answer if known else refusal).encode()
            self.send_response(200 if known else 403)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

/// git as a user has it, with `tokend` as its helper.
private struct Git {
    let folder: String
    private let stand: Stand
    private let environment: [String: String]

    init(_ stand: Stand) throws {
        self.stand = stand
        folder = stand.session.folder + "/clone"
        let helper = try Self.link("git-credential-tokend", stand)
        let programs = String(helper[..<(helper.lastIndex(of: "/") ?? helper.endIndex)])
        var environment = stand.world.environment
        environment["PATH"] = programs + ":" + (environment["PATH"] ?? "")
        environment["GIT_CONFIG_NOSYSTEM"] = "1"
        environment["GIT_CONFIG_COUNT"] = "1"
        environment["GIT_CONFIG_KEY_0"] = "credential.helper"
        environment["GIT_CONFIG_VALUE_0"] = "tokend --account work"
        for who in ["AUTHOR", "COMMITTER"] {
            environment["GIT_\(who)_NAME"] = "Alice"
            environment["GIT_\(who)_EMAIL"] = "alice@example.org"
        }
        self.environment = environment
    }

    /// tokenctl under another name.
    static func link(_ name: String, _ stand: Stand) throws -> String {
        let programs = stand.session.folder + "/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        let path = "\(programs)/\(name)"
        try FileManager.default.createSymbolicLink(
            atPath: path,
            withDestinationPath: try BuildProducts.program("tokenctl")
        )
        return path
    }

    func run(_ arguments: String...) async throws -> ChildProcess.Finished {
        try await ChildProcess.run("git", arguments, environment: environment, within: .seconds(60))
    }

    func commit(_ message: String) async throws {
        let made = try await run("-C", folder, "commit", "--quiet", "--allow-empty", "--message", message)
        guard made.status == .code(0) else { throw ChildProcessError("git commit: \(made.errors)") }
    }

    func head(of repository: String) async throws -> String {
        try await run("-C", repository, "rev-parse", "HEAD").output
    }
}
