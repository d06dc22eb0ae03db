// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// All verbs, in the order in which a person meets them.
    package static let all: [Verb] = [
        login, status, token, exec, call, forward, logout,
        accountAdd, accountSecret, accountImport, accountList, accountShow, accountRemove,
        log, policyList, policyRevoke, policyAnswer,
        refresh, pause, resume, unlock, reload, doctor, callback,
        credentialGit, credentialDocker, credentialKubernetes,
        completion, version, help,
    ]

    /// The verb of that name.
    package static func named(_ name: Name) -> Verb? {
        all.first { $0.name == name }
    }

    /// Names of the contract that this version does not have yet; the answer says so instead of guessing a near one.
    package static let notBuilt: Set<String> = ["credential aws", "setup"]

    /// Flags of the contract that this version does not have yet.
    package static let flagsNotBuilt: Set<String> = [
        "--trace"
    ]
}
