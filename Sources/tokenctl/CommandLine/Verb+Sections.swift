// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// Verbs that a user looks for together.
    package struct Section: Sendable {
        /// Their heading in the list of verbs.
        package let title: String
        /// In the usual order of use.
        package let verbs: [Verb]
    }

    /// All verbs except `help`, in sections.
    package static let sections = [
        Section(title: "Every day", verbs: [login, status, token, exec, call, forward, logout]),
        Section(
            title: "Accounts",
            verbs: [
                accountAdd, accountSecret, accountImport, accountList, accountShow, accountEdit, accountDefault,
                accountRemove,
            ]
        ),
        Section(title: "Programs", verbs: [log, policyList, policyRevoke, policyAnswer]),
        Section(title: "Care", verbs: [refresh, pause, resume, unlock, reload, doctor]),
        Section(
            title: "Other programs",
            verbs: [
                callback, credentialGit, credentialDocker, credentialKubernetes, credentialAWS, setup, completion,
                version,
            ]
        ),
    ]

    /// All verbs, in the usual order of use.
    package static let all: [Verb] = sections.flatMap(\.verbs) + [help]

    /// The verb of that name.
    static func named(_ name: String) -> Verb? {
        all.first { $0.name == name }
    }
}
