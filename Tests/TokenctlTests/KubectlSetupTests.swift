// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import tokenctl

/// `setup kubectl`: kubectl's own commands write a user and take it out again.
@Suite struct KubectlSetupTests {
    /// A stand-in that keeps one user of `kubectl config`, and every command that it was given.
    private final class Kubectl {
        let folder: String
        var path: String { folder + "/kubectl" }

        init(view: String, isOld: Bool) throws {
            var template = Array("/tmp/tokenctl-kubectl-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw SystemFailure(errno) }
            folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            try write(view + "\n", to: folder + "/view")
            let script = """
                #!/bin/sh
                cd '\(folder)' || exit
                case \(isOld),$* in
                true,*--exec-interactive-mode*)
                    printf "Error: unknown flag: --exec-interactive-mode\\nSee the help.\\n" >&2; exit 1;;
                esac
                echo "$*" >> commands
                case $2 in
                view) while IFS= read -r line; do echo "$line"; done < view;;
                delete-user) echo '{"users":null}' > view;;
                set-credentials)
                    arguments=
                    for word do case $word in
                        --exec-arg=*) arguments="$arguments${arguments:+,}\\"${word#*=}\\"";;
                        --exec-command=*) program=${word#*=};;
                    esac done
                    echo '{"users":[{"name":"'$3'","user":{"exec":{"command":"'$program'","args":['$arguments']}}}]}' > view;;
                *) echo "error: no such command" >&2; exit 1;;
                esac

                """
            try write(script, to: path)
        }

        private func write(_ text: String, to path: String) throws {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
            defer { close(descriptor) }
            guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else { throw SystemFailure(errno) }
        }

        /// What it was asked since the last time, the views left out.
        func commands() -> [String] {
            guard let stream = fopen(folder + "/commands", "r") else { return [] }
            defer {
                fclose(stream)
                unlink(folder + "/commands")
            }
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = fread(&bytes, 1, bytes.count, stream)
            return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
                .filter { !$0.hasPrefix("config view") }
        }

        deinit {
            for name in ["kubectl", "view", "commands"] { unlink(folder + "/" + name) }
            rmdir(folder)
        }
    }

    private static func daemon() throws -> StandInDaemon {
        try StandInDaemon { request in
            request.method == "status"
                ? .result(["accounts": [["account": "work"]]]) : .result(["accounts": ["work"], "default": "work"])
        }
    }

    private static func withKubectl(
        _ view: String = #"{"users":null}"#,
        isOld: Bool = false,
        _ body: (Surroundings, Kubectl, StandInDaemon) throws -> Void
    ) throws {
        let kubectl = try Kubectl(view: view, isOld: isOld)
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.programs = ["kubectl": kubectl.path]
        try body(there, kubectl, daemon)
    }

    private static let set =
        "config set-credentials work --exec-command=/usr/bin/tokenctl "
        + "--exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never "
        + "--exec-arg=credential --exec-arg=kubernetes --exec-arg=--account=work"

    @Test func `kubectl gets a user once, another kind of token instead, and loses it again`() throws {
        try Self.withKubectl { there, kubectl, daemon in
            let first = try there.run(["setup", "kubectl", "work"], daemon)
            #expect(first.code == 0 && first.talk.contains("set-context --current --user=work\n"), "\(first)")
            #expect(kubectl.commands() == [Self.set + " --exec-arg=--id-token"])
            let second = try there.run(["setup", "kubectl", "work"], daemon)
            #expect(second.talk == "kubectl has the user work already.\n" && kubectl.commands().isEmpty)
            #expect(try there.run(["setup", "kubectl", "--access-token"], daemon).code == 0)
            #expect(kubectl.commands() == ["config delete-user work", Self.set])
            let undone = try there.run(["setup", "kubectl", "--undo"])
            #expect(undone.code == 0 && undone.talk == "Removed from kubectl: work.\n", "without a daemon")
            #expect(kubectl.commands() == ["config delete-user work"])
            #expect(try there.run(["setup", "kubectl", "--undo", "--json"]).json == ["users": [], "changed": false])
        }
    }

    @Test func `a kubectl without the flag for v1 gets the form of before`() throws {
        try Self.withKubectl(isOld: true) { there, kubectl, daemon in
            let outcome = try there.run(["setup", "kubectl", "work", "--access-token"], daemon)
            #expect(outcome.code == 0, "\(outcome)")
            let older = Self.set.replacing("k8s.io/v1 --exec-interactive-mode=Never", with: "k8s.io/v1beta1")
            #expect(kubectl.commands() == [older])
        }
    }

    @Test(arguments: [
        #"{"users":[{"name":"work","user":{"client-certificate-data":"x"}}]}"#,
        #"{"users":[{"name":"work","user":{"exec":{"command":"aws","args":["credential","kubernetes"]}}}]}"#,
        #"{"users":[{"name":"work","user":{"exec":{"command":"tokenctl","args":["token","work"]}}}]}"#,
        #"{"users":[{"name":"work","user":{"exec":{"command":"tokenctl","args":["credential","kubernetes"]},"#
            + #""token":"x"}}]}"#,
    ])
    func `somebody else's user stays`(_ view: String) throws {
        try Self.withKubectl(view) { there, kubectl, daemon in
            let outcome = try there.run(["setup", "kubectl", "work"], daemon)
            #expect(outcome.code == 78 && outcome.talk.contains("already, so nothing was changed"), "\(outcome)")
            #expect(try there.run(["setup", "kubectl", "work", "--undo"]).talk == "kubectl has no such user.\n")
            #expect(kubectl.commands().isEmpty)
        }
    }

    @Test func `where kubectl is missing or says nothing useful, that is told`() throws {
        let missing = try Surroundings().run(["setup", "kubectl", "work"])
        #expect(missing.code == 69 && missing.talk.contains("is not installed here"))
        try Self.withKubectl("no JSON") { there, kubectl, daemon in
            let outcome = try there.run(["setup", "kubectl", "work"], daemon)
            #expect(outcome.code == 65 && kubectl.commands().isEmpty, "\(outcome)")
        }
    }
}
