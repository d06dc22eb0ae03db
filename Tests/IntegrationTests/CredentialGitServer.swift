// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport

/// A small git server over HTTP on loopback: git's own `http-backend` behind Basic authentication, whose password must
/// be a token that the provider accepts.
struct CredentialGitServer {
    /// Where the repository `project.git` is; empty at first.
    let url: String
    /// The bare repository's folder.
    let repository: String
    private let process: ChildProcess
    private let refusedFile: String

    /// Makes the repository in the session's folder and serves it.
    static func start(_ stand: Stand) async throws -> CredentialGitServer {
        let root = stand.session.folder + "/repositories"
        let repository = root + "/project.git"
        let made = try await stand.session.run("git", ["init", "--quiet", "--bare", "-b", "main", repository])
        guard made.status == .code(0) else { throw ChildProcessError("git init: \(made.errors)") }
        _ = try await stand.session.run("git", ["-C", repository, "config", "http.receivepack", "true"])
        let refusedFile = stand.session.folder + "/refused-token"
        let process = try ChildProcess(
            "/usr/bin/python3",
            ["-c", program, root, stand.provider.origin + "/userinfo", refusedFile],
            environment: stand.session.environment
        )
        let port = try await process.line()
        return CredentialGitServer(
            url: "http://127.0.0.1:\(port)/project.git",
            repository: repository,
            process: process,
            refusedFile: refusedFile
        )
    }

    /// Refuses this token from now on, though the provider takes it.
    func refuse(_ token: String) throws {
        try Data(token.utf8).write(to: URL(filePath: refusedFile))
    }

    /// Waits until a request is in the log: `STATUS USER PATH`.
    func hasLogged(_ text: String) async throws { try await process.hasWritten(text) }

    func stop() async {
        await process.stop(grace: .seconds(2))
    }

    private static let program = """
        import base64, http.server, os, subprocess, sys, urllib.request
        root, userinfo, refused = sys.argv[1:]
        def user(header):
            kind, _, value = header.partition(" ")
            if kind != "Basic": return None
            name, _, token = base64.b64decode(value).decode().partition(":")
            if os.path.exists(refused) and open(refused).read() == token: return None
            request = urllib.request.Request(userinfo, headers={"Authorization": "Bearer " + token})
            try:
                with urllib.request.urlopen(request, timeout=10): return name
            except OSError: return None
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path, _, query = self.path.partition("?")
                name = user(self.headers.get("Authorization") or "")
                print(200 if name else 401, name, path, file=sys.stderr, flush=True)
                if not name:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="git"')
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                variables = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": root, "GIT_HTTP_EXPORT_ALL": "1",
                    "REMOTE_USER": name, "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type") or "", "CONTENT_LENGTH": str(len(body)),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol") or ""}
                output = subprocess.run(["git", "http-backend"], input=body, env=variables, capture_output=True).stdout
                head, _, content = output.partition(b"\\r\\n\\r\\n")
                fields = [line.split(": ", 1) for line in head.decode().split("\\r\\n")]
                self.send_response(next((int(v[:3]) for n, v in fields if n == "Status"), 200))
                for n, v in fields:
                    if n != "Status": self.send_header(n, v)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            do_GET = do_POST = answer
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}
