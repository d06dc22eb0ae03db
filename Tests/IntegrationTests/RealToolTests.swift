// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Tools of Debian that take their tokens from `tokenctl`, before servers on loopback that want them.
    @Suite struct RealTools {
        /// A user's environment, whose home is the session's folder; `tokenctl` and its other names are found.
        private struct Home {
            let stand: Stand
            let environment: [String: String]

            init(_ stand: Stand) throws {
                self.stand = stand
                let programs = stand.session.folder + "/programs"
                try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
                for name in ["tokenctl", "docker-credential-tokend", "docker-credential-tokend-work"] {
                    try FileManager.default.createSymbolicLink(
                        atPath: "\(programs)/\(name)",
                        withDestinationPath: BuildProducts.program("tokenctl")
                    )
                }
                var environment = stand.world.environment
                environment["HOME"] = stand.session.folder
                environment["PATH"] = programs + ":/usr/bin:/bin"
                environment["NO_PROXY"] = "*"
                self.environment = environment
            }

            func run(_ words: [String], _ variables: [String: String] = [:]) async throws -> ChildProcess.Finished {
                try MissingPrerequisite.require(program: words[0])
                return try await ChildProcess.run(
                    words[0],
                    Array(words.dropFirst()),
                    environment: environment.merging(variables) { $1 },
                    within: .seconds(60)
                )
            }

            func write(_ text: String, _ name: String) throws -> String {
                let path = stand.session.folder + "/" + name
                let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: URL(filePath: path))
                return path
            }

            /// Starts a server that prints its port first, then what it was asked.
            func serve(_ source: String, _ arguments: [String] = []) async throws -> (ChildProcess, port: String) {
                let server = try ChildProcess(
                    "/usr/bin/python3",
                    ["-c", serving + source + "serve(Handler)\n"] + arguments,
                    environment: environment
                )
                return (server, try await server.line())
            }
        }

        private static func with(_ body: (Home) async throws -> Void) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                try await body(try Home(stand))
            }
        }

        @Test func `podman pulls from a registry that wants the account's token`() async throws {
            try await Self.with { home in
                let (registry, port) = try await home.serve(registry)
                let host = "127.0.0.1:" + port
                _ = try home.write("{\"credHelpers\": {\"\(host)\": \"tokend-work\"}}", ".docker/config.json")
                let folder = home.stand.session.folder
                let podman = [
                    "/usr/bin/podman", "--root", folder + "/images", "--runroot", folder + "/run/podman", "--tmpdir",
                    folder + "/run/libpod", "--storage-driver", "vfs",
                ]
                let pulled = try await home.run(
                    podman + ["pull", "--quiet", "--tls-verify=false", "docker://\(host)/work:latest"]
                )
                #expect(pulled.status == .code(0), "\(pulled)\n\(registry.output)")
                let shown = try await registry.line { $0.contains("/manifests/") }
                let token = try #require(shown.split(separator: " ").last.map(String.init))
                #expect(shown.contains("oauth2 ") && home.stand.provider.accepts(accessToken: token))
                await registry.stop()
            }
        }

        @Test func `aws gets its keys for an ID token, as setup has it`() async throws {
            try await Self.with { home in
                let (service, port) = try await home.serve(tokenService)
                let endpoint = "http://127.0.0.1:" + port
                let role = "arn:aws:iam::123456789012:role/work"
                let setup = try await home.run(
                    [BuildProducts.program("tokenctl"), "setup", "aws", "work", "--role", role]
                )
                #expect(setup.status == .code(0), "\(setup)")
                let asked = try await home.run(
                    [
                        "/usr/bin/aws", "--profile", "work", "--region", "eu-central-1", "--output", "json",
                        "--endpoint-url", endpoint, "sts", "get-caller-identity",
                    ],
                    ["AWS_ENDPOINT_URL_STS": endpoint]
                )
                #expect(asked.status == .code(0), "\(asked)\n\(service.output)")
                #expect(try JSONReader().read(asked.output).object?["Account"] == "123456789012")
                let signed = try await service.line { $0.hasPrefix("GetCallerIdentity") }
                #expect(signed == "GetCallerIdentity ASIAEXAMPLE session-token")
                let form = WireParameters(try await service.line { $0.hasPrefix("Action=AssumeRole") })
                #expect(form["RoleArn"] == role && form["WebIdentityToken"]?.split(separator: ".").count == 3)
                await service.stop()
            }
        }

        @Test func `kubectl asks a cluster with the account's ID token`() async throws {
            try await Self.with { home in
                let authority = try await TestAuthority()
                let (cluster, port) = try await home.serve(
                    cluster,
                    [authority.certificate(.good), authority.key(.good)]
                )
                let configuration: JSONObject = [
                    "apiVersion": "v1", "kind": "Config", "current-context": "c",
                    "clusters": [
                        [
                            "name": "c",
                            "cluster": [
                                "server": .string("https://127.0.0.1:" + port),
                                "certificate-authority": .string(authority.certificate),
                            ],
                        ]
                    ],
                    "contexts": [["name": "c", "context": ["cluster": "c", "user": "work"]]],
                    "users": [
                        [
                            "name": "work",
                            "user": [
                                "exec": [
                                    // The form that kubectl of Debian 12 knows, and every later one still does.
                                    "apiVersion": "client.authentication.k8s.io/v1beta1", "command": "tokenctl",
                                    "args": ["credential", "kubernetes", "--account=work", "--id-token"],
                                    "interactiveMode": "Never",
                                ]
                            ],
                        ]
                    ],
                ]
                let file = try home.write(JSONWriter.pretty(.object(configuration)), "kubeconfig")
                let asked = try await home.run(["/usr/bin/kubectl", "--kubeconfig", file, "get", "--raw", "/version"])
                #expect(asked.output.hasPrefix("{\"gitVersion\":\"v1.0.0\"}"), "\(asked)\n\(cluster.output)")
                let token = try await home.stand.token(["id_token": true])
                let shown = try await cluster.line { $0.hasPrefix("/version ") }
                #expect(shown == "/version Bearer \(try #require(token["id_token"]?.string))")
                await cluster.stop()
            }
        }
    }
}

/// What the servers below have in common.
private let serving = """
    import base64, hashlib, http.server, json, ssl, sys
    class Base(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments): pass
        def do_HEAD(self): self.do_GET()
        def answer(self, status, body=b"", type="application/json", **headers):
            self.send_response(status)
            for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Type", type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD": self.wfile.write(body)
    def serve(handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        if sys.argv[1:]:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(sys.argv[1], sys.argv[2])
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.serve_forever()

    """

/// A registry with one empty image, for clients with a name and a password.
private let registry = """
    image = json.dumps({"architecture": "amd64", "os": "linux", "config": {},
        "rootfs": {"type": "layers", "diff_ids": []}}).encode()
    prefix = "application/vnd.oci.image."
    manifest = json.dumps({"schemaVersion": 2, "mediaType": prefix + "manifest.v1+json", "layers": [], "config": {
        "mediaType": prefix + "config.v1+json", "size": len(image),
        "digest": "sha256:" + hashlib.sha256(image).hexdigest()}}).encode()
    class Handler(Base):
        def do_GET(self):
            shown = self.headers.get("Authorization", "")
            if not shown: return self.answer(401, WWW_Authenticate='Basic realm="registry"')
            print(self.path, base64.b64decode(shown.split()[1]).decode().replace(":", " ", 1), flush=True)
            if "/manifests/" in self.path: return self.answer(200, manifest, prefix + "manifest.v1+json")
            self.answer(200, image if "/blobs/" in self.path else b"{}")

    """

/// AWS' token service, as its documentation has it: keys for an ID token, and who it is that has such keys.
private let tokenService = """
    keys = b"<R><Credentials><AccessKeyId>ASIAEXAMPLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey>" \\
        b"<SessionToken>session-token</SessionToken><Expiration>2999-10-24T23:00:23Z</Expiration></Credentials></R>"
    caller = b'<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>' \\
        b"<Arn>arn:aws:sts::123456789012:assumed-role/work/tokend</Arn><UserId>U</UserId>" \\
        b"<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
    class Handler(Base):
        def do_POST(self):
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if "GetCallerIdentity" not in form:
                print(form, flush=True)
                return self.answer(200, keys, "text/xml")
            signature = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
            print("GetCallerIdentity", signature, self.headers.get("X-Amz-Security-Token"), flush=True)
            self.answer(200, caller, "text/xml")

    """

/// A cluster's API, for clients with a token.
private let cluster = """
    class Handler(Base):
        def do_GET(self):
            shown = self.headers.get("Authorization", "")
            print(self.path, shown, flush=True)
            self.answer(200, b'{"gitVersion":"v1.0.0"}') if shown else self.answer(401)

    """
