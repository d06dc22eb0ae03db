// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport

/// Two programs that differ in nothing but their file: `good`, which a policy names, and `bad`, which it does not. Both
/// are an interpreter that runs what a test wants of them.
struct PeerStand {
    /// The answer to `token.get`: `token`, or the kind of the error.
    static let asking = """
        import array, json, os, socket, sys, time
        def connect():
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            return s
        def ask(s, method="token.get", account="work"):
            s.sendall(json.dumps({"method": method, "params": {"account": account}}).encode() + b"\\n")
        def hear(s):
            line = s.makefile().readline()
            reply = json.loads(line) if line else {"error": {"data": {"kind": "closed"}}}
            return "token" if "result" in reply else reply["error"]["data"]["kind"]

        """

    let stand: Stand
    let folder: String
    var good: String { folder + "/good" }
    var bad: String { folder + "/bad" }

    /// Makes both programs, signs in, and lets `good` alone have the token.
    init(_ stand: Stand, allow: (String) -> String = { "exe:\($0)" }) async throws {
        self.stand = stand
        folder = stand.session.folder + "/programs"
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let interpreter = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath().path
        for program in ["good", "bad"] { try files.copyItem(atPath: interpreter, toPath: "\(folder)/\(program)") }
        try await stand.signIn()
        try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "allow: [\"\(allow(good))\"]")
        _ = try await stand.client.result("config.reload")
    }

    /// Runs a script in one of the programs and returns what it prints.
    func run(
        _ program: String,
        _ script: String,
        under prefix: [String] = [],
        _ arguments: [String] = []
    ) async throws -> String {
        let words =
            prefix + [program, "-c", Self.asking + script, stand.world.socketPath] + arguments
        let finished = try await ChildProcess.run(
            words[0],
            Array(words.dropFirst()),
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONHOME": "/usr"],
            within: .seconds(30)
        )
        guard finished.status == .code(0) else { throw ChildProcessError("\(words[0]): \(finished.errors)") }
        return String(finished.output.prefix { $0 != "\n" })
    }

    /// What a program runs in that Flatpak started: a root of its own with the file that says so, and process numbers
    /// of its own.
    func flatpak(_ id: String) throws -> [String] {
        try MissingPrerequisite.require(program: "/usr/bin/bwrap")
        let info = folder + "/info"
        try Data("[Application]\nname=\(id)\nruntime=runtime/org.example/x86_64/1\n".utf8).write(
            to: URL(filePath: info)
        )
        let runtime = stand.world.socketPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        return [
            "/usr/bin/bwrap", "--tmpfs", "/", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink",
            "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--proc", "/proc", "--dev", "/dev", "--bind", folder,
            folder, "--bind", runtime, runtime, "--ro-bind", info, "/.flatpak-info", "--unshare-pid", "--",
        ]
    }
}
