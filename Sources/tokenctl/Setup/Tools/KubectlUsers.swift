// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// The users of a kubeconfig, as `kubectl config view --output=json` shows them, and the command that makes one of them
/// ask here. Pure.
package struct KubectlUsers: Sendable {
    /// What is known of one name.
    package enum Entry: Sendable, Equatable {
        case absent
        /// It asks here, with these arguments.
        case ours([String])
        /// It is somebody else's.
        case another
    }

    private let users: [JSONObject]

    /// Reads what kubectl printed.
    package init(_ text: String) throws(TokenctlError) {
        guard let view = (try? JSONReader().read(text))?.object else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.dataError,
                "kubectl's own view of its file is no JSON, so it is left alone"
            )
        }
        users = (view["users"]?.array ?? []).compactMap(\.object)
    }

    /// The names of users that ask here.
    package var ours: [String] {
        users.compactMap { $0["name"]?.string }.filter { if case .ours = self[$0] { true } else { false } }
    }

    /// What there is of that name.
    package subscript(name: String) -> Entry {
        guard let entry = users.first(where: { $0["name"]?.string == name }) else { return .absent }
        let user = entry["user"]?.object ?? [:]
        // What else a user has (a certificate, a password) is not ours, and would go with it.
        guard user.names == ["exec"], let exec = user["exec"]?.object,
            exec["command"]?.string?.split(separator: "/").last == "tokenctl",
            let arguments = exec["args"]?.array?.compactMap(\.string), arguments.starts(with: Self.verb)
        else { return .another }
        return .ours(arguments)
    }

    private static let verb = ["credential", "kubernetes"]

    /// What kubectl is to run for an account's user.
    package static func arguments(account: String, idToken: Bool) -> [String] {
        verb + ["\(Flag.account.name)=\(account)"] + (idToken ? [Flag.idToken.name] : [])
    }

    /// The command line that makes such a user, without its program.
    package static func command(account: String, program: String, arguments: [String]) -> [String] {
        let version = ["--exec-api-version=\(ExecCredential.group)v1", "--exec-interactive-mode=Never"]
        return ["config", "set-credentials", account, "--exec-command=\(program)"] + version
            + arguments.map { "--exec-arg=\($0)" }
    }

    /// The same for a kubectl that has no flag for what v1 must be told.
    package static func olderCommand(account: String, program: String, arguments: [String]) -> [String] {
        let version = ["--exec-api-version=\(ExecCredential.group)v1beta1"]
        return ["config", "set-credentials", account, "--exec-command=\(program)"] + version
            + arguments.map { "--exec-arg=\($0)" }
    }
}
