// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Account {
    /// The last policy that was read without a fault: a file that has one now does not open the account.
    var policy: AccountPolicy { (configuration ?? lastConfiguration)?.policy ?? AccountPolicy() }

    /// Whether the rules are known: they are not if the file has had a fault since the daemon's start.
    var hasPolicy: Bool { configuration != nil || lastConfiguration != nil }

    /// Whether every program may have a token without a question.
    var isOpenToAll: Bool { policy.isOpen(under: settings.administrator) }

    /// Where the account is described.
    var file: String { lastConfiguration?.file ?? ports.files.path(of: name) }
}
