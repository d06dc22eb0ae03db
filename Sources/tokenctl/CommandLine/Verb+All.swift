// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// All verbs, in the order in which a person meets them.
    package static let all: [Verb] = [
        login, status, token, exec, call, forward, logout,
        accountAdd, accountSecret, accountImport, accountList, accountShow, accountRemove,
        log, policyList, policyRevoke, policyAnswer,
        refresh, pause, resume, unlock, reload, doctor, callback,
        credentialGit, credentialDocker, credentialKubernetes, credentialAWS, setup,
        completion, version, help,
    ]

    /// The verb of that name.
    package static func named(_ name: Name) -> Verb? {
        all.first { $0.name == name }
    }
}
