// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct ToolCredentialTests {
    private static func daemon(
        _ token: JSONObject = ["account": "lab", "access_token": "to.ken", "expires_at": 2_000_000]
    ) throws -> StandInDaemon {
        try StandInDaemon { request in
            guard request.method == "status" else { return .result(token) }
            return .result([
                "accounts": [
                    ["account": "lab", "issuer": "https://gitlab.com", "state": "ready"],
                    ["account": "out", "issuer": "https://elsewhere.example", "state": "signed_out"],
                ]
            ])
        }
    }

    private static func docker(_ arguments: [String], _ input: String, _ daemon: StandInDaemon?) throws -> Outcome {
        var there = Surroundings()
        there.input = input
        return try there.run(["credential", "docker"] + arguments, daemon)
    }

    @Test(arguments: ["registry.gitlab.com", "https://registry.gitlab.com", "https://registry.gitlab.com/v2/\n"])
    func `docker gets a name and the token for its registry`(_ server: String) throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Self.docker(["get"], server, daemon)
        #expect(outcome.code == 0)
        let url = server.split(separator: "\n").joined()
        #expect(outcome.json == ["ServerURL": .string(url), "Username": "oauth2", "Secret": "to.ken"])
        #expect(daemon.requests.last?.params == ["account": "lab", "application": "docker"])
    }

    @Test func `a registry that no account is of is one without a credential`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        for server in ["index.docker.io", "http://registry.gitlab.com", "https://x y"] {
            let outcome = try Self.docker(["get"], server, daemon)
            #expect(outcome.code == 1)
            #expect(outcome.output == "credentials not found in native keychain\n")
        }
        #expect(!daemon.methods.contains("token.get"))
    }

    @Test func `docker is told faults on stdout`() throws {
        let absent = try Self.docker(["get"], "registry.gitlab.com", nil)
        #expect(absent.code == 1)
        #expect(absent.output.contains("tokend is not running"))
        #expect(absent.output.hasSuffix("; start it by hand: tokend\n"))
        #expect(absent.talk == "")
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        #expect(try Self.docker(["get"], " \n", daemon).output == "no credentials server URL\n")
        let stored = try Self.docker(["store"], "{}", daemon)
        #expect(stored.code == 1)
        #expect(stored.output == "tokend keeps no passwords; tokenctl login ACCOUNT\n")
        #expect(try Self.docker(["brew"], "", daemon).output == "Unknown credential action `brew`\n")
        #expect(try Self.docker(["erase"], "registry.gitlab.com", daemon).code == 0)
        #expect(try Self.docker(["version"], "", daemon).code == 0)
    }

    @Test func `docker lists the providers that tokens are there for`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        #expect(try Self.docker(["list"], "", daemon).json == ["https://gitlab.com": "oauth2"])
    }

    private static func kubernetes(
        _ arguments: [String] = [],
        info: String? = nil,
        _ daemon: StandInDaemon
    ) throws -> Outcome {
        var there = Surroundings()
        there.environment["KUBERNETES_EXEC_INFO"] = info
        return try there.run(["credential", "kubernetes"] + arguments, daemon)
    }

    @Test func `kubectl gets its token in the version that it asked for`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Self.kubernetes(["--account", "lab"], daemon)
        #expect(outcome.code == 0)
        #expect(
            outcome.json == [
                "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                "status": ["token": "to.ken", "expirationTimestamp": "1970-01-24T03:33:20Z"],
            ]
        )
        #expect(daemon.requests.last?.params == ["account": "lab", "application": "kubectl"])
        let beta = #"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{}}"#
        let older = try Self.kubernetes(info: beta, daemon)
        #expect(older.json?["apiVersion"] == "client.authentication.k8s.io/v1beta1")
        for info in ["{\"apiVersion\":\"client.authentication.k8s.io/v9\"}", "no JSON"] {
            #expect(try Self.kubernetes(info: info, daemon).code == 65)
        }
    }

    @Test func `a cluster with OpenID Connect gets the ID token`() throws {
        let daemon = try Self.daemon([
            "access_token": "to.ken", "id_token": "i.d.t", "id_token_expires_at": 1_000_600, "expires_at": 2_000_000,
        ])
        defer { daemon.stop() }
        let outcome = try Self.kubernetes(["--id-token"], daemon)
        #expect(
            outcome.json?["status"] == ["token": "i.d.t", "expirationTimestamp": "1970-01-12T13:56:40Z"]
        )
        #expect(daemon.requests.last?.params == ["id_token": true, "application": "kubectl"])
    }

    @Test func `an ID token that is over is refreshed once`() throws {
        let daemon = try StandInDaemon { request in
            let end: JSONValue = request.params["fresh"] == nil ? 1_000_000 : 1_000_600
            return .result(["access_token": "to.ken", "id_token": "i.d.t", "id_token_expires_at": end])
        }
        defer { daemon.stop() }
        #expect(try Self.kubernetes(["--id-token"], daemon).code == 0)
        #expect(daemon.methods == ["token.get", "token.get"])
        let without = try Self.daemon()
        defer { without.stop() }
        let outcome = try Self.kubernetes(["--account", "lab", "--id-token"], without)
        #expect(outcome.code == 65)
        #expect(outcome.talk.contains("→ tokenctl login lab --scope openid"))
    }

    @Test func `times are RFC 3339`() {
        #expect(ExecCredential.timestamp(0) == "1970-01-01T00:00:00Z")
        #expect(ExecCredential.timestamp(951_782_400) == "2000-02-29T00:00:00Z")
        #expect(ExecCredential.timestamp(.max) == nil)
        #expect(ExecCredential.timestamp(-1) == nil)
    }
}
